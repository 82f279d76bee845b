//! Replacement of types by spaces.

use oxc_ast::ast::{
    ArrowFunctionExpression, CatchParameter, Class, ClassElement, Declaration, Decorator,
    ExportAllDeclaration, ExportDefaultDeclaration, ExportDefaultDeclarationKind,
    ExportFromDeclaration, ExportNamedDeclaration, FormalParameter, Function, ImportDeclaration,
    ImportDeclarationSpecifier, MethodDefinition, MethodDefinitionType, PropertyDefinition,
    PropertyDefinitionType, Statement, TSAsExpression, TSNamespaceDeclaration,
    TSNamespaceDeclarationBody, TSNonNullExpression, TSSatisfiesExpression, TSThisParameter,
    TSTypeAnnotation, TSTypeAssertion, TSTypeParameterDeclaration, TSTypeParameterInstantiation,
    VariableDeclarator,
};
use oxc_ast::ast::{Expression, TSEnumDeclaration, TSImportEqualsDeclaration};
use oxc_ast_visit::{Visit, walk};
use oxc_span::{GetSpan, Span};
use oxc_syntax::scope::ScopeFlags;

use super::Eraser;

/// Whether a declaration declares only types, or values that exist elsewhere.
fn is_typing(declaration: &Declaration<'_>) -> bool {
    match declaration {
        Declaration::VariableDeclaration(it) => it.declare,
        Declaration::FunctionDeclaration(it) => it.declare || it.body.is_none(),
        Declaration::ClassDeclaration(it) => it.declare,
        Declaration::TSEnumDeclaration(it) => it.declare,
        Declaration::TSNamespaceDeclaration(it) => it.declare || is_empty(it),
        Declaration::TSImportEqualsDeclaration(it) => it.import_kind.is_type(),
        Declaration::TSTypeAliasDeclaration(_)
        | Declaration::TSInterfaceDeclaration(_)
        | Declaration::TSExternalModuleDeclaration(_)
        | Declaration::TSGlobalDeclaration(_) => true,
    }
}

fn is_empty(namespace: &TSNamespaceDeclaration<'_>) -> bool {
    match &namespace.body {
        TSNamespaceDeclarationBody::TSNamespaceDeclaration(inner) => is_empty(inner),
        TSNamespaceDeclarationBody::TSModuleBlock(block) => block.body.iter().all(|statement| {
            let exported = match statement {
                Statement::ExportDeclaration(it) => Some(&it.declaration),
                other => other.as_declaration(),
            };
            exported.is_some_and(is_typing)
        }),
    }
}

pub(super) fn is_erased(statement: &Statement<'_>) -> bool {
    match statement {
        Statement::ExportDeclaration(it) => is_typing(&it.declaration),
        Statement::ExportAllDeclaration(it) => it.export_kind.is_type(),
        Statement::ExportNamedDeclaration(it) => it.export_kind.is_type(),
        Statement::ExportFromDeclaration(it) => it.export_kind.is_type(),
        Statement::ImportDeclaration(it) => it.import_kind.is_type(),
        Statement::TSNamespaceExportDeclaration(_) => true,
        Statement::ExportDefaultDeclaration(it) => match &it.declaration {
            ExportDefaultDeclarationKind::TSInterfaceDeclaration(_) => true,
            ExportDefaultDeclarationKind::FunctionDeclaration(it) => it.body.is_none(),
            _ => false,
        },
        other => other.as_declaration().is_some_and(is_typing),
    }
}

impl Eraser<'_> {
    fn is_value(&self, specifier: &ImportDeclarationSpecifier<'_>) -> bool {
        if let ImportDeclarationSpecifier::ImportSpecifier(it) = specifier
            && it.import_kind.is_type()
        {
            return false;
        }
        let Some(symbol) = specifier.local().symbol_id.get() else { return true };
        self.scoping.get_resolved_references(symbol).any(|reference| reference.is_value())
    }

    fn as_type(&mut self, expression: &Expression<'_>, span: Span) {
        self.visit_expression(expression);
        let from = expression.span().end;
        // The beginning of the next line must not continue the expression.
        let rest = self.source.get(span.end as usize..).unwrap_or("");
        let next = rest.trim_start();
        let line = rest[..rest.len() - next.len()].contains('\n');
        if line && next.starts_with(['(', '[', '`']) {
            self.blank(from, span.end - 1);
            self.erase(Span::new(span.end - 1, span.end));
        } else {
            self.blank(from, span.end);
        }
    }

    fn method(&mut self, it: &MethodDefinition<'_>) {
        let start = it.decorators.last().map_or(it.span.start, |last| last.span.end);
        self.modifiers(start, it.key.span().start, true);
        self.marks(it.key.span().end, it.value.span.start);
    }

    fn property(&mut self, it: &PropertyDefinition<'_>) {
        let start = it.decorators.last().map_or(it.span.start, |last| last.span.end);
        self.modifiers(start, it.key.span().start, true);
        if it.optional || it.definite {
            let value = it.value.as_ref().map_or(it.span.end, |value| value.span().start);
            let end = it.type_annotation.as_ref().map_or(value, |type_| type_.span.start);
            self.marks(it.key.span().end, end);
        }
    }
}

impl<'a> Visit<'a> for Eraser<'_> {
    fn visit_statements(&mut self, it: &oxc_allocator::Vec<'a, Statement<'a>>) {
        self.statements(it);
    }

    fn visit_statement(&mut self, it: &Statement<'a>) {
        if is_erased(it) {
            self.erase(it.span());
        } else if let Statement::TSExportAssignment(assignment) = it {
            let start = assignment.expression.span().start;
            self.out.replace(assignment.span.start, start, "module.exports = ");
            self.visit_expression(&assignment.expression);
        } else {
            walk::walk_statement(self, it);
        }
    }

    fn visit_import_declaration(&mut self, it: &ImportDeclaration<'a>) {
        let Some(specifiers) = &it.specifiers else { return };
        let kept = specifiers.iter().filter(|each| self.is_value(each)).count();
        if kept == 0 && !specifiers.is_empty() {
            self.erase(it.span);
            return;
        }
        for specifier in specifiers {
            let whole =
                matches!(specifier, ImportDeclarationSpecifier::ImportNamespaceSpecifier(_));
            if !whole && !self.is_value(specifier) {
                self.blank_item(specifier.span());
            }
        }
    }

    fn visit_export_named_declaration(&mut self, it: &ExportNamedDeclaration<'a>) {
        for specifier in &it.specifiers {
            if specifier.export_kind.is_type() || self.only_type(specifier.local.name().as_str()) {
                self.blank_item(specifier.span);
            }
        }
    }

    fn visit_export_from_declaration(&mut self, it: &ExportFromDeclaration<'a>) {
        for specifier in it.specifiers.iter().filter(|each| each.export_kind.is_type()) {
            self.blank_item(specifier.span);
        }
    }

    fn visit_export_all_declaration(&mut self, _: &ExportAllDeclaration<'a>) {}

    fn visit_export_default_declaration(&mut self, it: &ExportDefaultDeclaration<'a>) {
        match it.declaration.as_expression() {
            Some(expression) if self.is_type_name(expression) => self.erase(it.span),
            _ => walk::walk_export_default_declaration(self, it),
        }
    }

    fn visit_ts_enum_declaration(&mut self, it: &TSEnumDeclaration<'a>) {
        self.lower_enum(it);
    }

    fn visit_ts_namespace_declaration(&mut self, it: &TSNamespaceDeclaration<'a>) {
        self.lower_namespace(it);
    }

    fn visit_ts_import_equals_declaration(&mut self, it: &TSImportEqualsDeclaration<'a>) {
        // `import` becomes `const`, and a space keeps the column.
        self.out.replace(it.span.start, it.span.start + 6, "const ");
    }

    fn visit_class(&mut self, it: &Class<'a>) {
        if self.text(it.span.start, it.span.end).starts_with("abstract") {
            self.blank(it.span.start, it.span.start + 8);
        }
        if let Some(first) = it.implements.first() {
            let before = self.text(it.span.start, first.span.start).rfind("implements");
            let start = it.span.start + before.unwrap_or(0) as u32;
            self.blank(start, it.body.span.start);
        }
        if let Some(parameters) = &it.type_parameters {
            self.visit_ts_type_parameter_declaration(parameters);
        }
        if let Some(heritage) = &it.heritage {
            self.visit_class_heritage(heritage);
        }
        for decorator in &it.decorators {
            self.visit_decorator(decorator);
        }
        let outer = std::mem::replace(&mut self.derived, it.heritage.is_some());
        self.visit_class_body(&it.body);
        self.derived = outer;
    }

    fn visit_class_element(&mut self, it: &ClassElement<'a>) {
        let erased = match it {
            ClassElement::TSIndexSignature(_) => true,
            ClassElement::MethodDefinition(it) => {
                it.r#type == MethodDefinitionType::TSAbstractMethodDefinition
                    || it.value.body.is_none()
            }
            ClassElement::PropertyDefinition(it) => {
                it.r#type == PropertyDefinitionType::TSAbstractPropertyDefinition || it.declare
            }
            _ => false,
        };
        if erased {
            self.erase(it.span());
            return;
        }
        match it {
            ClassElement::MethodDefinition(it) => self.method(it),
            ClassElement::PropertyDefinition(it) => self.property(it),
            _ => {}
        }
        walk::walk_class_element(self, it);
    }

    fn visit_function(&mut self, it: &Function<'a>, flags: ScopeFlags) {
        self.parameter_properties(it);
        walk::walk_function(self, it, flags);
    }

    fn visit_arrow_function_expression(&mut self, it: &ArrowFunctionExpression<'a>) {
        // A line break is not allowed before the parameters of an `async` arrow function or between
        // the parameters and the arrow, so the bracket is moved.
        if let Some(types) = &it.type_parameters {
            if self.text(types.span.start, types.span.end).contains('\n') {
                self.out.replace(types.span.start, types.span.start + 1, "(");
                self.blank(types.span.start + 1, types.span.end);
                self.blank(it.params.span.start, it.params.span.start + 1);
            } else {
                self.blank(types.span.start, types.span.end);
            }
        }
        self.visit_formal_parameters(&it.params);
        if let Some(type_) = &it.return_type {
            let (start, end) = (type_.span.start, type_.span.end);
            let close = self.text(it.span.start, start).rfind(')');
            if let (true, Some(close)) = (self.text(start, end).contains('\n'), close) {
                let close = it.span.start + close as u32;
                self.blank(close, close + 1);
                self.blank(start, end - 1);
                self.out.replace(end - 1, end, ")");
            } else {
                self.blank(start, end);
            }
        }
        self.visit_arrow_function_body(&it.body);
    }

    fn visit_formal_parameter(&mut self, it: &FormalParameter<'a>) {
        let start = it.decorators.last().map_or(it.span.start, |last| last.span.end);
        let pattern = it.pattern.span();
        self.modifiers(start, pattern.start, false);
        if it.optional {
            let end = it.type_annotation.as_ref().map_or(it.span.end, |type_| type_.span.start);
            // The mark may be a part of the pattern or come after it.
            let end = if end > pattern.end { end } else { pattern.end + 1 };
            self.marks(pattern.end, end);
        }
        walk::walk_formal_parameter(self, it);
    }

    fn visit_ts_this_parameter(&mut self, it: &TSThisParameter<'a>) {
        self.blank_item(it.span);
    }

    fn visit_catch_parameter(&mut self, it: &CatchParameter<'a>) {
        walk::walk_catch_parameter(self, it);
    }

    fn visit_variable_declarator(&mut self, it: &VariableDeclarator<'a>) {
        if it.definite {
            let end = it.type_annotation.as_ref().map_or(it.span.end, |type_| type_.span.start);
            self.marks(it.id.span().end, end);
        }
        walk::walk_variable_declarator(self, it);
    }

    fn visit_ts_type_annotation(&mut self, it: &TSTypeAnnotation<'a>) {
        self.blank(it.span.start, it.span.end);
    }

    fn visit_ts_type_parameter_declaration(&mut self, it: &TSTypeParameterDeclaration<'a>) {
        self.blank(it.span.start, it.span.end);
    }

    fn visit_ts_type_parameter_instantiation(&mut self, it: &TSTypeParameterInstantiation<'a>) {
        self.blank(it.span.start, it.span.end);
    }

    fn visit_ts_as_expression(&mut self, it: &TSAsExpression<'a>) {
        self.as_type(&it.expression, it.span);
    }

    fn visit_ts_satisfies_expression(&mut self, it: &TSSatisfiesExpression<'a>) {
        self.as_type(&it.expression, it.span);
    }

    fn visit_ts_non_null_expression(&mut self, it: &TSNonNullExpression<'a>) {
        self.visit_expression(&it.expression);
        self.blank(it.expression.span().end, it.span.end);
    }

    fn visit_ts_type_assertion(&mut self, it: &TSTypeAssertion<'a>) {
        let start = it.expression.span().start;
        if matches!(it.expression, Expression::ObjectExpression(_)) {
            // Without brackets, the body of an arrow function would become a block.
            self.out.replace(it.span.start, it.span.start + 1, "(");
            self.blank(it.span.start + 1, start);
            self.visit_expression(&it.expression);
            self.out.close(it.span.end, ")");
        } else {
            self.blank(it.span.start, start);
            self.visit_expression(&it.expression);
        }
    }

    fn visit_decorator(&mut self, it: &Decorator<'a>) {
        self.refuse(it.span, "decorators are not supported");
    }
}
