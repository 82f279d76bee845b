//! Conversion of modules to functions: imports and exports become calls and getters, so that a
//! module can be evaluated again in the same context.

use std::fmt::Write as _;

use oxc_ast::ast::{
    ArrowFunctionExpression, CallExpression, Declaration, ExportDefaultDeclarationKind, Expression,
    Function, IdentifierReference, ImportDeclarationSpecifier, ImportExpression, ImportMeta,
    ModuleExportName, ObjectProperty, Program, Statement, TaggedTemplateExpression,
};
use oxc_ast_visit::{Visit, walk};
use oxc_semantic::{Scoping, SemanticBuilder};
use oxc_span::{GetSpan, Span};
use oxc_syntax::scope::ScopeFlags;
use oxc_syntax::symbol::SymbolId;

use crate::splice::Splicer;

/// Returns the code to insert before the module.
pub(crate) fn rewrite(
    program: &Program<'_>,
    prefix: &str,
    out: &mut Splicer,
) -> Result<String, String> {
    let scoping = SemanticBuilder::new().build(program).semantic.into_scoping();
    let mut module = Module {
        prefix,
        out,
        scoping: &scoping,
        imports: Vec::new(),
        exports: String::new(),
        stars: String::new(),
        depth: 0,
        awaits: false,
    };
    let mut sources = Vec::new();
    for statement in &program.body {
        module.declaration(statement, &mut sources);
    }
    module.visit_program(program);
    if module.awaits {
        return Err("`await` at the top level of a module is not supported".to_owned());
    }
    let mut text = format!("{prefix}E({{{}}});", module.exports);
    for (number, source) in sources.iter().enumerate() {
        let _ = write!(text, "const {prefix}m{number}={prefix}I({source:?});");
    }
    text.push_str(&module.stars);
    Ok(text)
}

struct Module<'m, 's> {
    prefix: &'m str,
    out: &'m mut Splicer,
    scoping: &'s Scoping,
    imports: Vec<(SymbolId, String)>,
    exports: String,
    stars: String,
    depth: u32,
    awaits: bool,
}

impl Module<'_, '_> {
    fn source(&self, source: &str, sources: &mut Vec<String>) -> String {
        let number = sources.iter().position(|known| known == source).unwrap_or_else(|| {
            sources.push(source.to_owned());
            sources.len() - 1
        });
        format!("{}m{number}", self.prefix)
    }

    fn export(&mut self, name: &str, value: &str) {
        let _ = write!(self.exports, "{name:?}:()=>{value},");
    }

    fn declaration(&mut self, statement: &Statement<'_>, sources: &mut Vec<String>) {
        match statement {
            Statement::ImportDeclaration(it) => {
                let module = self.source(it.source.value.as_str(), sources);
                for specifier in it.specifiers.iter().flatten() {
                    let value = match specifier {
                        ImportDeclarationSpecifier::ImportSpecifier(it) => {
                            member(&module, &it.imported)
                        }
                        ImportDeclarationSpecifier::ImportDefaultSpecifier(_) => {
                            format!("{module}.default")
                        }
                        ImportDeclarationSpecifier::ImportNamespaceSpecifier(_) => module.clone(),
                    };
                    if let Some(symbol) = specifier.local().symbol_id.get() {
                        self.imports.push((symbol, value));
                    }
                }
                self.out.replace(it.span.start, it.span.end, ";");
            }
            Statement::ExportAllDeclaration(it) => {
                let module = self.source(it.source.value.as_str(), sources);
                match &it.exported {
                    Some(name) => self.export(name.name().as_str(), &module),
                    None => {
                        let _ = write!(self.stars, "{}S({module});", self.prefix);
                    }
                }
                self.out.replace(it.span.start, it.span.end, ";");
            }
            Statement::ExportDefaultDeclaration(it) => {
                let (span, prefix) = (it.declaration.span(), self.prefix);
                let named = match &it.declaration {
                    ExportDefaultDeclarationKind::FunctionDeclaration(function) => {
                        function.id.as_ref().map(|id| id.name.to_string())
                    }
                    ExportDefaultDeclarationKind::ClassDeclaration(class) => {
                        class.id.as_ref().map(|id| id.name.to_string())
                    }
                    _ => None,
                };
                match named {
                    Some(name) => {
                        self.out.replace(it.span.start, span.start, "");
                        self.export("default", &name);
                    }
                    None => {
                        let text = format!("const {prefix}D={{default:(");
                        self.out.replace(it.span.start, span.start, text);
                        self.out.close(span.end, ")}.default;");
                        self.export("default", &format!("{prefix}D"));
                    }
                }
            }
            Statement::ExportDeclaration(it) => {
                let start = it.declaration.span().start;
                self.out.replace(it.span.start, start, "");
                for name in declared(&it.declaration) {
                    self.export(&name, &name);
                }
            }
            Statement::ExportFromDeclaration(it) => {
                let module = self.source(it.source.value.as_str(), sources);
                for specifier in &it.specifiers {
                    let value = member(&module, &specifier.local);
                    self.export(specifier.exported.name().as_str(), &value);
                }
                self.out.replace(it.span.start, it.span.end, ";");
            }
            Statement::ExportNamedDeclaration(it) => {
                for specifier in &it.specifiers {
                    let value = self.local(&specifier.local);
                    self.export(specifier.exported.name().as_str(), &value);
                }
                self.out.replace(it.span.start, it.span.end, ";");
            }
            _ => {}
        }
    }

    /// The name may be imported.
    fn local(&self, name: &ModuleExportName<'_>) -> String {
        let text = name.name().to_string();
        let symbol = self.scoping.get_root_binding(text.as_str().into());
        let import = self.imports.iter().find(|(known, _)| Some(*known) == symbol);
        import.map_or(text, |(_, value)| value.clone())
    }

    fn imported(&self, it: &IdentifierReference<'_>) -> Option<&str> {
        let reference = self.scoping.get_reference(it.reference_id.get()?);
        let symbol = reference.symbol_id()?;
        let import = self.imports.iter().find(|(known, _)| *known == symbol)?;
        Some(&import.1)
    }

    fn callee(&mut self, it: &Expression<'_>) -> bool {
        let Expression::Identifier(name) = it else { return false };
        let Some(value) = self.imported(name) else { return false };
        let text = format!("(0,{value})");
        self.out.replace(name.span.start, name.span.end, text);
        true
    }

    fn replace(&mut self, span: Span, text: String) {
        self.out.replace(span.start, span.end, text);
    }
}

fn member(module: &str, name: &ModuleExportName<'_>) -> String {
    format!("{module}[{:?}]", name.name().as_str())
}

fn declared(declaration: &Declaration<'_>) -> Vec<String> {
    match declaration {
        Declaration::VariableDeclaration(it) => {
            let ids = it.declarations.iter().flat_map(|each| each.id.get_binding_identifiers());
            ids.map(|id| id.name.to_string()).collect()
        }
        declaration => declaration.id().map(|id| id.name.to_string()).into_iter().collect(),
    }
}

pub(crate) fn top_level(program: &Program<'_>) -> Vec<String> {
    program.body.iter().filter_map(Statement::as_declaration).flat_map(declared).collect()
}

impl<'a> Visit<'a> for Module<'_, '_> {
    fn visit_identifier_reference(&mut self, it: &IdentifierReference<'a>) {
        if let Some(value) = self.imported(it).map(str::to_owned) {
            self.replace(it.span, value);
        }
    }

    fn visit_object_property(&mut self, it: &ObjectProperty<'a>) {
        if it.shorthand
            && let Expression::Identifier(name) = &it.value
        {
            if let Some(value) = self.imported(name) {
                let text = format!("{}:{value}", name.name);
                self.replace(it.span, text);
            }
            return;
        }
        walk::walk_object_property(self, it);
    }

    fn visit_call_expression(&mut self, it: &CallExpression<'a>) {
        if !self.callee(&it.callee) {
            self.visit_expression(&it.callee);
        }
        for argument in &it.arguments {
            self.visit_argument(argument);
        }
    }

    fn visit_tagged_template_expression(&mut self, it: &TaggedTemplateExpression<'a>) {
        if !self.callee(&it.tag) {
            self.visit_expression(&it.tag);
        }
        self.visit_template_literal(&it.quasi);
    }

    fn visit_export_specifier(&mut self, _: &oxc_ast::ast::ExportSpecifier<'a>) {}

    fn visit_import_expression(&mut self, it: &ImportExpression<'a>) {
        let start = it.span.start;
        self.out.replace(start, start + 6, format!("{}Y", self.prefix));
        walk::walk_import_expression(self, it);
    }

    fn visit_import_meta(&mut self, it: &ImportMeta) {
        let text = format!("{}M", self.prefix);
        self.replace(it.span, text);
    }

    fn visit_await_expression(&mut self, it: &oxc_ast::ast::AwaitExpression<'a>) {
        self.awaits |= self.depth == 0;
        walk::walk_await_expression(self, it);
    }

    fn visit_function(&mut self, it: &Function<'a>, flags: ScopeFlags) {
        self.depth += 1;
        walk::walk_function(self, it, flags);
        self.depth -= 1;
    }

    fn visit_arrow_function_expression(&mut self, it: &ArrowFunctionExpression<'a>) {
        self.depth += 1;
        walk::walk_arrow_function_expression(self, it);
        self.depth -= 1;
    }
}
