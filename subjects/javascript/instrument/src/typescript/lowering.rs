//! Conversion of the parts of TypeScript that have values, such as enums and namespaces.

use std::collections::BTreeSet;

use oxc_ast::ast::{
    BinaryOperator, BindingPattern, Declaration, ExportDefaultDeclarationKind, Expression,
    Function, IdentifierReference, Statement, TSEnumDeclaration, TSEnumMemberName,
    TSNamespaceDeclaration, TSNamespaceDeclarationBody, VariableDeclarationKind,
};
use oxc_ast_visit::Visit;
use oxc_span::GetSpan;

use super::Eraser;

pub(crate) fn member_name(name: &TSEnumMemberName<'_>) -> String {
    match name {
        TSEnumMemberName::Identifier(it) => it.name.to_string(),
        TSEnumMemberName::String(it) | TSEnumMemberName::ComputedString(it) => it.value.to_string(),
        TSEnumMemberName::ComputedTemplateString(it) => {
            let parts = it.quasis.iter().filter_map(|part| part.value.cooked);
            parts.map(|part| part.to_string()).collect()
        }
    }
}

/// `texts` contains the earlier members that were recognised as strings.
fn is_text(value: &Expression<'_>, texts: &BTreeSet<String>) -> bool {
    match value.without_parentheses() {
        Expression::StringLiteral(_) | Expression::TemplateLiteral(_) => true,
        Expression::BinaryExpression(it) => {
            it.operator == BinaryOperator::Addition
                && (is_text(&it.left, texts) || is_text(&it.right, texts))
        }
        Expression::Identifier(id) => texts.contains(id.name.as_str()),
        _ => false,
    }
}

struct Members<'n> {
    names: &'n BTreeSet<String>,
    found: Vec<u32>,
}

impl<'a> Visit<'a> for Members<'_> {
    fn visit_identifier_reference(&mut self, it: &IdentifierReference<'a>) {
        if self.names.contains(it.name.as_str()) {
            self.found.push(it.span.start);
        }
    }
}

fn declared(statement: &Statement<'_>) -> Option<String> {
    let declaration = match statement {
        Statement::ExportDeclaration(it) => &it.declaration,
        Statement::ExportDefaultDeclaration(it) => match &it.declaration {
            ExportDefaultDeclarationKind::FunctionDeclaration(it) => {
                return it.id.as_ref().map(|id| id.name.to_string());
            }
            ExportDefaultDeclarationKind::ClassDeclaration(it) => {
                return it.id.as_ref().map(|id| id.name.to_string());
            }
            _ => return None,
        },
        other => other.as_declaration()?,
    };
    match declaration {
        Declaration::FunctionDeclaration(it) => it.id.as_ref().map(|id| id.name.to_string()),
        Declaration::ClassDeclaration(it) => it.id.as_ref().map(|id| id.name.to_string()),
        _ => None,
    }
}

impl Eraser<'_> {
    pub(super) fn statements(&mut self, statements: &[Statement<'_>]) {
        self.known.push(statements.iter().filter_map(declared).collect());
        for statement in statements {
            self.visit_statement(statement);
        }
        self.known.pop();
    }

    /// Empty if the name already has a value.
    fn object(&mut self, name: &str) -> String {
        let new = self.known.last_mut().is_none_or(|known| known.insert(name.to_owned()));
        let keyword = if self.inside.is_empty() { "var" } else { "let" };
        if new { format!("{keyword} {name}={{}};") } else { String::new() }
    }

    pub(super) fn lower_enum(&mut self, it: &TSEnumDeclaration<'_>) {
        let name = it.id.name.to_string();
        let head = self.object(&name);
        let open = it.body.span.start;
        self.out.replace(it.span.start, open + 1, head);
        let names: BTreeSet<String> =
            it.body.members.iter().map(|member| member_name(&member.id)).collect();
        let mut texts = BTreeSet::new();
        let mut next = "0".to_owned();
        for (number, member) in it.body.members.iter().enumerate() {
            let key = member_name(&member.id);
            let quoted = format!("{key:?}");
            let end = member.span.end;
            match &member.initializer {
                None => {
                    let value = std::mem::take(&mut next);
                    let text = format!("{name}[{name}[{quoted}]={value}]={quoted};");
                    self.out.replace(member.span.start, end, text);
                    next = following(&value, &name, &quoted);
                }
                Some(value) => {
                    let text = is_text(value, &texts);
                    let (before, after) = match text {
                        true => (format!("{name}[{quoted}]="), ";".to_owned()),
                        false => (format!("{name}[{name}[{quoted}]="), format!("]={quoted};")),
                    };
                    self.out.replace(member.span.start, value.span().start, before);
                    let mut members = Members { names: &names, found: Vec::new() };
                    members.visit_expression(value);
                    for at in members.found {
                        self.out.open(at, format!("{name}."));
                    }
                    self.visit_expression(value);
                    self.out.close(end, after);
                    let written = match value {
                        Expression::NumericLiteral(it) => it.value.to_string(),
                        _ => String::new(),
                    };
                    next = following(&written, &name, &quoted);
                    if text {
                        texts.insert(key);
                    }
                }
            }
            let after = it.body.members.get(number + 1);
            let until = after.map_or(it.body.span.end - 1, |member| member.span.start);
            let commas: Vec<usize> =
                self.text(end, until).match_indices(',').map(|found| found.0).collect();
            for at in commas {
                self.blank(end + at as u32, end + at as u32 + 1);
            }
        }
        self.blank(it.body.span.end - 1, it.body.span.end);
    }

    pub(super) fn lower_namespace(&mut self, it: &TSNamespaceDeclaration<'_>) {
        let TSNamespaceDeclarationBody::TSModuleBlock(block) = &it.body else {
            return self.refuse(it.span, "namespaces with dots in their names are not supported");
        };
        let name = it.id.name.to_string();
        let head = self.object(&name);
        self.out.replace(it.span.start, block.span.start, head);
        self.known.push(block.body.iter().filter_map(declared).collect());
        self.inside.push(name.clone());
        for statement in &block.body {
            let Statement::ExportDeclaration(export) = statement else {
                self.visit_statement(statement);
                continue;
            };
            let declaration = &export.declaration;
            let names: Vec<String> = match declaration {
                Declaration::VariableDeclaration(it) if !it.declare => {
                    if it.kind != VariableDeclarationKind::Const {
                        self.refuse(
                            it.span,
                            "namespaces that export `let` or `var` are not supported",
                        );
                    }
                    let ids =
                        it.declarations.iter().flat_map(|one| one.id.get_binding_identifiers());
                    ids.map(|id| id.name.to_string()).collect()
                }
                Declaration::TSEnumDeclaration(it) => vec![it.id.name.to_string()],
                Declaration::TSNamespaceDeclaration(it) => vec![it.id.name.to_string()],
                other => other.id().map(|id| id.name.to_string()).into_iter().collect(),
            };
            let before = self.refused;
            self.visit_exported(statement, declaration, &names, &name);
            self.refused = before.or(self.refused);
        }
        self.inside.pop();
        self.known.pop();
    }

    fn visit_exported(
        &mut self,
        statement: &Statement<'_>,
        declaration: &Declaration<'_>,
        names: &[String],
        namespace: &str,
    ) {
        if super::erasing::is_erased(statement) {
            return self.visit_statement(statement);
        }
        let (start, span) = (statement.span().start, declaration.span());
        self.blank(start, span.start);
        self.visit_declaration(declaration);
        let assigned: String =
            names.iter().map(|name| format!("{namespace}.{name}={name};")).collect();
        let ended = self.text(span.start, statement.span().end).ends_with([';', '}']);
        self.out.close(statement.span().end, if ended { assigned } else { format!(";{assigned}") });
    }

    /// The assignments follow the call of `super` in a derived class, otherwise the directives of
    /// the body.
    pub(super) fn parameter_properties(&mut self, function: &Function<'_>) {
        let properties = function.params.items.iter().filter(|parameter| {
            parameter.accessibility.is_some() || parameter.readonly || parameter.r#override
        });
        let names = properties.filter_map(|parameter| match &parameter.pattern {
            BindingPattern::BindingIdentifier(id) => Some(id.name.to_string()),
            BindingPattern::AssignmentPattern(it) => {
                it.left.get_identifier_name().map(|name| name.to_string())
            }
            _ => None,
        });
        let text: String = names.map(|name| format!("this.{name}={name};")).collect();
        let Some(body) = function.body.as_ref().filter(|_| !text.is_empty()) else { return };
        let is_super = |statement: &&Statement<'_>| {
            matches!(statement, Statement::ExpressionStatement(it)
                if matches!(&it.expression, Expression::CallExpression(call)
                    if matches!(call.callee, Expression::Super(_))))
        };
        let first = body.statements.iter().find(is_super).filter(|_| self.derived);
        let at = match (first, body.directives.last()) {
            (Some(statement), _) => statement.span().end,
            (None, Some(directive)) => directive.span.end,
            (None, None) => body.span.start + 1,
        };
        let ended = self.text(at - 1, at) != ")";
        self.out.close(at, if ended { text } else { format!(";{text}") });
    }
}

fn following(value: &str, name: &str, key: &str) -> String {
    match value.parse::<f64>() {
        Ok(number) => (number + 1.0).to_string(),
        Err(_) => format!("{name}[{key}]+1"),
    }
}
