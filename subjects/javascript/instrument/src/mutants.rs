//! Mutants: copies of a file with one small change each, inside a function.

use std::collections::BTreeSet;

use oxc_allocator::Allocator;
use oxc_ast::ast::{
    ArrayExpression, ArrowFunctionExpression, AssignmentExpression, AssignmentOperator,
    BinaryExpression, BinaryOperator, BlockStatement, BooleanLiteral, CallExpression,
    ComputedMemberExpression, ConditionalExpression, DoWhileStatement, Expression,
    ExpressionStatement, ForStatement, Function, FunctionBody, IfStatement, ImportExpression,
    LogicalExpression, LogicalOperator, MethodDefinition, ObjectExpression, PrivateFieldExpression,
    Program, PropertyKey, StaticMemberExpression, StringLiteral, TaggedTemplateExpression,
    TemplateLiteral, UnaryExpression, UnaryOperator, UpdateExpression, UpdateOperator,
    VariableDeclarator, WhileStatement,
};
use oxc_ast_visit::{Visit, walk};
use oxc_span::{GetSpan, Span};
use oxc_syntax::scope::ScopeFlags;

use crate::mutation_operator::MutationOperator;
use crate::{FileKind, SourceFile, SyntaxError, checked};

/// A mutant of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutant {
    /// The operator.
    pub operator: MutationOperator,
    /// The range that is replaced, in bytes, not counting a byte order mark.
    pub range: (u32, u32),
    /// The replacement.
    pub replacement: String,
    /// Line, from 1, and column, from 1, of the change.
    pub position: (u32, u32),
    /// The name of the innermost named function, or an empty string.
    pub function: String,
}

impl Mutant {
    /// The changed text of the file.
    pub fn apply(&self, source: &str) -> String {
        let (start, end) = (self.range.0 as usize, self.range.1 as usize);
        let (head, tail) = (source.get(..start).unwrap_or(""), source.get(end..).unwrap_or(""));
        // Insert spaces where words would run together.
        let word = |letter: Option<char>| {
            letter.is_some_and(|letter| letter.is_alphanumeric() || "_$".contains(letter))
        };
        let first = self.replacement.chars().next();
        let last = self.replacement.chars().next_back();
        let before = if word(head.chars().next_back()) && word(first) { " " } else { "" };
        let after = if word(last) && word(tail.chars().next()) { " " } else { "" };
        format!("{head}{before}{}{after}{tail}", self.replacement)
    }

    /// Describes the change with the old and the new code, both shortened.
    pub fn change(&self, source: &str) -> String {
        let short = |text: &str| {
            let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
            match line.char_indices().nth(40) {
                Some((at, _)) => format!("{}...", &line[..at]),
                None => line,
            }
        };
        let old = source.get(self.range.0 as usize..self.range.1 as usize).unwrap_or("");
        match short(&self.replacement).as_str() {
            "" | ";" => format!("{} left out", short(old)),
            new => format!("{} becomes {new}", short(old)),
        }
    }
}

/// The mutants of a file in the order of position and operator. Only code inside functions is
/// mutated, because code that only loading executes cannot be tested by calls.
///
/// # Errors
/// If the file cannot be parsed.
pub fn mutants(path: &str, source: &str, kind: FileKind) -> Result<Vec<Mutant>, SyntaxError> {
    let source = source.strip_prefix('\u{feff}').unwrap_or(source);
    let allocator = Allocator::default();
    let parsed = checked(&allocator, path, source, kind)?;
    let mut finder = Finder::new(source, &parsed);
    finder.visit_program(&parsed);
    let file = SourceFile::new(path, source);
    let mut found = finder.found;
    found.sort_by_key(|mutant| (mutant.range.0, mutant.operator, mutant.range.1));
    let same = |mutant: &Mutant| {
        let text = mutant.replacement.split_whitespace().collect::<String>();
        (mutant.range, text)
    };
    let firm: BTreeSet<_> = found.iter().filter(|m| !m.operator.yields()).map(same).collect();
    let mut seen = BTreeSet::new();
    found.retain(|mutant| {
        let key = same(mutant);
        let old = source.get(mutant.range.0 as usize..mutant.range.1 as usize);
        old != Some(&mutant.replacement)
            && !(mutant.operator.yields() && firm.contains(&key))
            && seen.insert(key)
    });
    for mutant in &mut found {
        let (line, column) = file.position(mutant.range.0);
        mutant.position = (line, column + 1);
    }
    Ok(found)
}

struct Finder<'s> {
    source: &'s str,
    /// The source with comments blanked out, so that tokens can be searched for in it.
    bare: Vec<u8>,
    /// An empty string stands for a function without a name.
    functions: Vec<String>,
    name: Option<String>,
    found: Vec<Mutant>,
}

impl<'s> Finder<'s> {
    fn new(source: &'s str, program: &Program<'_>) -> Self {
        let mut bare = source.as_bytes().to_vec();
        for comment in &program.comments {
            if let Some(text) = bare.get_mut(comment.span.start as usize..comment.span.end as usize)
            {
                text.fill(b' ');
            }
        }
        Finder { source, bare, functions: Vec::new(), name: None, found: Vec::new() }
    }

    fn add(&mut self, operator: MutationOperator, span: Span, replacement: impl Into<String>) {
        let Some(function) = self.functions.iter().rev().find(|name| !name.is_empty()) else {
            if self.functions.is_empty() {
                return;
            }
            return self.push(operator, span, replacement.into(), String::new());
        };
        let function = function.clone();
        self.push(operator, span, replacement.into(), function);
    }

    fn push(&mut self, operator: MutationOperator, span: Span, text: String, function: String) {
        self.found.push(Mutant {
            operator,
            range: (span.start, span.end),
            replacement: text,
            position: (0, 0),
            function,
        });
    }

    fn text(&self, span: Span) -> &'s str {
        self.source.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    fn token(&self, token: &str, from: u32, to: u32) -> Option<Span> {
        let text = self.bare.get(from as usize..to as usize)?;
        let at = text.windows(token.len()).position(|part| part == token.as_bytes())? as u32;
        Some(Span::new(from + at, from + at + token.len() as u32))
    }

    fn replace_token(
        &mut self,
        operator: MutationOperator,
        token: &str,
        between: (u32, u32),
        by: &[&str],
    ) {
        let Some(span) = self.token(token, between.0, between.1) else { return };
        for text in by {
            self.add(operator, span, *text);
        }
    }

    fn condition(&mut self, test: &Expression<'_>, constants: &[&str]) {
        let span = test.span();
        for constant in constants {
            if self.text(span) != *constant {
                self.add(MutationOperator::Cor, span, *constant);
            }
        }
    }

    fn operands(&mut self, it: &Expression<'_>, operator: LogicalOperator, constant: &str) {
        if let Expression::LogicalExpression(inner) = it
            && inner.operator == operator
        {
            self.operands(&inner.left, operator, constant);
            self.operands(&inner.right, operator, constant);
        } else if self.text(it.span()) != constant {
            self.add(MutationOperator::Cor, it.span(), constant);
        }
    }

    fn inside(&mut self, name: String, walk: impl FnOnce(&mut Self)) {
        self.functions.push(name);
        walk(self);
        self.functions.pop();
    }

    fn optional(&mut self, object: u32, rest: u32, plain: &str) {
        if let Some(span) = self.token("?.", object, rest) {
            self.add(MutationOperator::Ocr, span, plain);
        }
    }
}

fn is_chain(it: &Expression<'_>, operator: LogicalOperator) -> bool {
    matches!(it, Expression::LogicalExpression(inner) if inner.operator == operator)
}

fn arithmetic(operator: BinaryOperator) -> &'static [&'static str] {
    match operator {
        BinaryOperator::Addition => &["-"],
        BinaryOperator::Subtraction => &["+"],
        BinaryOperator::Multiplication => &["/"],
        BinaryOperator::Division | BinaryOperator::Remainder => &["*"],
        _ => &[],
    }
}

fn relations(operator: BinaryOperator) -> &'static [&'static str] {
    match operator {
        BinaryOperator::LessThan => &["<=", ">="],
        BinaryOperator::LessEqualThan => &["<", ">"],
        BinaryOperator::GreaterThan => &[">=", "<="],
        BinaryOperator::GreaterEqualThan => &[">", "<"],
        BinaryOperator::Equality => &["!="],
        BinaryOperator::Inequality => &["=="],
        BinaryOperator::StrictEquality => &["!=="],
        BinaryOperator::StrictInequality => &["==="],
        _ => &[],
    }
}

fn other_method(name: &str) -> Option<&'static str> {
    Some(match name {
        "startsWith" => "endsWith",
        "endsWith" => "startsWith",
        "toUpperCase" => "toLowerCase",
        "toLowerCase" => "toUpperCase",
        "some" => "every",
        "every" => "some",
        "min" => "max",
        "max" => "min",
        _ => return None,
    })
}

const LEFT_OUT: [&str; 5] = ["slice", "trim", "sort", "reverse", "filter"];

impl<'a> Visit<'a> for Finder<'_> {
    fn visit_function(&mut self, it: &Function<'a>, flags: ScopeFlags) {
        let own = it.id.as_ref().map(|id| id.name.to_string());
        let name = own.or(self.name.take()).unwrap_or_default();
        self.inside(name, |this| walk::walk_function(this, it, flags));
    }

    fn visit_arrow_function_expression(&mut self, it: &ArrowFunctionExpression<'a>) {
        let name = self.name.take().unwrap_or_default();
        self.inside(name, |this| {
            if let Some(body) = it.body.as_expression() {
                let span = body.span();
                if this.text(span) != "undefined" {
                    this.add(MutationOperator::Arf, span, "undefined");
                }
                this.visit_formal_parameters(&it.params);
                this.visit_expression(body);
            } else {
                walk::walk_arrow_function_expression(this, it);
            }
        });
    }

    fn visit_method_definition(&mut self, it: &MethodDefinition<'a>) {
        self.name = it.key.name().map(|name| name.to_string());
        walk::walk_method_definition(self, it);
        self.name = None;
    }

    fn visit_variable_declarator(&mut self, it: &VariableDeclarator<'a>) {
        self.name = it.id.get_identifier_name().map(|name| name.to_string());
        walk::walk_variable_declarator(self, it);
        self.name = None;
    }

    fn visit_property_key(&mut self, it: &PropertyKey<'a>) {
        // Names of members are not strings of the program.
        if !matches!(it, PropertyKey::StringLiteral(_) | PropertyKey::NumericLiteral(_)) {
            walk::walk_property_key(self, it);
        }
    }

    fn visit_import_expression(&mut self, _: &ImportExpression<'a>) {}

    fn visit_function_body(&mut self, it: &FunctionBody<'a>) {
        if !it.statements.is_empty() {
            self.add(MutationOperator::Bsr, it.span, "{}");
        }
        self.visit_statements(&it.statements);
    }

    fn visit_block_statement(&mut self, it: &BlockStatement<'a>) {
        if !it.body.is_empty() {
            self.add(MutationOperator::Bsr, it.span, "{}");
        }
        walk::walk_block_statement(self, it);
    }

    fn visit_expression_statement(&mut self, it: &ExpressionStatement<'a>) {
        let before = self.bare.get(..it.span.start as usize).unwrap_or_default();
        let after = self.bare.get(it.span.end as usize..).unwrap_or_default();
        let edge = |byte: Option<&u8>, brace: u8| byte == Some(&brace);
        let alone = edge(before.iter().rev().find(|byte| !byte.is_ascii_whitespace()), b'{')
            && edge(after.iter().find(|byte| !byte.is_ascii_whitespace()), b'}');
        // Another operator empties a block with a single statement.
        if !alone {
            self.add(MutationOperator::Sdl, it.span, ";");
        }
        walk::walk_expression_statement(self, it);
    }

    fn visit_binary_expression(&mut self, it: &BinaryExpression<'a>) {
        let between = (it.left.span().end, it.right.span().start);
        let token = it.operator.as_str();
        self.replace_token(MutationOperator::Aor, token, between, arithmetic(it.operator));
        self.replace_token(MutationOperator::Ror, token, between, relations(it.operator));
        walk::walk_binary_expression(self, it);
    }

    fn visit_assignment_expression(&mut self, it: &AssignmentExpression<'a>) {
        let between = (it.left.span().end, it.right.span().start);
        let by: &[&str] = match it.operator {
            AssignmentOperator::Addition => &["-="],
            AssignmentOperator::Subtraction => &["+="],
            AssignmentOperator::Multiplication => &["/="],
            AssignmentOperator::Division | AssignmentOperator::Remainder => &["*="],
            _ => &[],
        };
        self.replace_token(MutationOperator::Aor, it.operator.as_str(), between, by);
        walk::walk_assignment_expression(self, it);
    }

    fn visit_logical_expression(&mut self, it: &LogicalExpression<'a>) {
        let between = (it.left.span().end, it.right.span().start);
        let by = match it.operator {
            LogicalOperator::And => "||",
            LogicalOperator::Or | LogicalOperator::Coalesce => "&&",
        };
        // `&&` needs brackets next to `??`.
        let mixed = matches!(it.operator, LogicalOperator::Coalesce)
            && (is_chain(&it.left, it.operator) || is_chain(&it.right, it.operator));
        if !mixed {
            self.replace_token(MutationOperator::Lcr, it.operator.as_str(), between, &[by]);
        }
        let constant = match it.operator {
            LogicalOperator::And => Some("true"),
            LogicalOperator::Or => Some("false"),
            LogicalOperator::Coalesce => None,
        };
        if let Some(constant) = constant {
            for operand in [&it.left, &it.right] {
                if !is_chain(operand, it.operator) {
                    self.operands(operand, it.operator, constant);
                }
            }
        }
        walk::walk_logical_expression(self, it);
    }

    fn visit_if_statement(&mut self, it: &IfStatement<'a>) {
        self.condition(&it.test, &["true", "false"]);
        walk::walk_if_statement(self, it);
    }

    fn visit_conditional_expression(&mut self, it: &ConditionalExpression<'a>) {
        self.condition(&it.test, &["true", "false"]);
        walk::walk_conditional_expression(self, it);
    }

    fn visit_while_statement(&mut self, it: &WhileStatement<'a>) {
        self.condition(&it.test, &["false"]);
        walk::walk_while_statement(self, it);
    }

    fn visit_do_while_statement(&mut self, it: &DoWhileStatement<'a>) {
        self.condition(&it.test, &["false"]);
        walk::walk_do_while_statement(self, it);
    }

    fn visit_for_statement(&mut self, it: &ForStatement<'a>) {
        if let Some(test) = &it.test {
            self.condition(test, &["false"]);
        }
        walk::walk_for_statement(self, it);
    }

    fn visit_update_expression(&mut self, it: &UpdateExpression<'a>) {
        let (old, new) = match it.operator {
            UpdateOperator::Increment => ("++", "--"),
            UpdateOperator::Decrement => ("--", "++"),
        };
        let argument = it.argument.span();
        let between =
            if it.prefix { (it.span.start, argument.start) } else { (argument.end, it.span.end) };
        self.replace_token(MutationOperator::Uoi, old, between, &[new]);
        walk::walk_update_expression(self, it);
    }

    fn visit_unary_expression(&mut self, it: &UnaryExpression<'a>) {
        let removed =
            [UnaryOperator::UnaryNegation, UnaryOperator::LogicalNot, UnaryOperator::BitwiseNot];
        if removed.contains(&it.operator) {
            let argument = self.text(it.argument.span()).to_owned();
            self.add(MutationOperator::Uoi, it.span, argument);
        }
        walk::walk_unary_expression(self, it);
    }

    fn visit_boolean_literal(&mut self, it: &BooleanLiteral) {
        self.add(MutationOperator::Lit, it.span, if it.value { "false" } else { "true" });
    }

    fn visit_string_literal(&mut self, it: &StringLiteral<'a>) {
        let other = if it.value.is_empty() { "\"catherd\"" } else { "\"\"" };
        self.add(MutationOperator::Lit, it.span, other);
    }

    fn visit_template_literal(&mut self, it: &TemplateLiteral<'a>) {
        if it.span.size() > 2 {
            self.add(MutationOperator::Lit, it.span, "\"\"");
        }
        walk::walk_template_literal(self, it);
    }

    fn visit_tagged_template_expression(&mut self, it: &TaggedTemplateExpression<'a>) {
        self.visit_expression(&it.tag);
        for inner in &it.quasi.expressions {
            self.visit_expression(inner);
        }
    }

    fn visit_array_expression(&mut self, it: &ArrayExpression<'a>) {
        if !it.elements.is_empty() {
            self.add(MutationOperator::Lit, it.span, "[]");
        }
        walk::walk_array_expression(self, it);
    }

    fn visit_object_expression(&mut self, it: &ObjectExpression<'a>) {
        if !it.properties.is_empty() {
            self.add(MutationOperator::Lit, it.span, "{}");
        }
        walk::walk_object_expression(self, it);
    }

    fn visit_static_member_expression(&mut self, it: &StaticMemberExpression<'a>) {
        if it.optional {
            self.optional(it.object.span().end, it.property.span.start, ".");
        }
        walk::walk_static_member_expression(self, it);
    }

    fn visit_computed_member_expression(&mut self, it: &ComputedMemberExpression<'a>) {
        if it.optional {
            self.optional(it.object.span().end, it.expression.span().start, "");
        }
        walk::walk_computed_member_expression(self, it);
    }

    fn visit_private_field_expression(&mut self, it: &PrivateFieldExpression<'a>) {
        if it.optional {
            self.optional(it.object.span().end, it.field.span.start, ".");
        }
        walk::walk_private_field_expression(self, it);
    }

    fn visit_call_expression(&mut self, it: &CallExpression<'a>) {
        if it.optional {
            self.optional(it.callee.span().end, it.span.end, "");
        }
        if let Expression::StaticMemberExpression(member) = &it.callee {
            let name = member.property.name.as_str();
            if let Some(other) = other_method(name) {
                self.add(MutationOperator::Mer, member.property.span, other);
            } else if LEFT_OUT.contains(&name) && !it.optional {
                let object = self.text(member.object.span()).to_owned();
                self.add(MutationOperator::Mer, it.span, object);
            }
        }
        let required = matches!(&it.callee, Expression::Identifier(id) if id.name == "require");
        if required {
            return;
        }
        walk::walk_call_expression(self, it);
    }
}
