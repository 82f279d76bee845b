//! The words of a file, from which values can be made.

use std::collections::BTreeMap;

use oxc_allocator::Allocator;
use oxc_ast::ast::{
    Argument, AssignmentExpression, AssignmentPattern, AssignmentTarget, BinaryExpression,
    BindingPattern, CallExpression, Expression, FormalParameter, LogicalExpression, NewExpression,
    NumericLiteral, ObjectPattern, ObjectPropertyKind, Program, PropertyKey, RegExpLiteral,
    StaticMemberExpression, StringLiteral, SwitchStatement, TemplateLiteral, UnaryExpression,
    VariableDeclarator,
};
use oxc_ast_visit::{Visit, walk};
use oxc_syntax::operator::{AssignmentOperator, BinaryOperator, LogicalOperator, UnaryOperator};

use crate::FileKind;
use crate::declarations::Declarations;
use crate::owners::{class_of, owner_of};

/// Maximum length of a string, in bytes.
const LONGEST_TEXT: usize = 2_000;
const DEEPEST: usize = 4;

/// A value that is written in a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Literal {
    /// A string.
    Text(String),
    /// A number, as bits of `f64`.
    Number(u64),
    /// `true` or `false`.
    Boolean(bool),
    /// `null`.
    Null,
    /// `undefined`.
    Undefined,
    /// A whole number of any size, in decimal.
    BigInt(String),
    /// A regular expression with its flags.
    Pattern(String, String),
    /// An array.
    Array(Vec<Literal>),
    /// A plain object.
    Object(Vec<(String, Literal)>),
    /// A function.
    Function,
    /// Anything else.
    Other,
}

/// The words of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words {
    /// Strings, numbers and regular expressions with their positions in bytes, which are 0 if the
    /// file has syntax errors.
    pub literals: Vec<(u32, Literal)>,
    /// Properties that objects are expected to have: the position, the name of the object (`{}` for
    /// a parameter that is a pattern), and the name of the property.
    pub members: Vec<(u32, String, String)>,
    /// Values for variables and properties, by name, such as values with which they are compared.
    pub values: Vec<(String, Literal)>,
    /// Calls with literal arguments: the name of the function or class, and the arguments.
    pub calls: Vec<(String, Vec<Literal>)>,
    /// For each call, the owner of the called function, such as the class of the object or
    /// [`OF_RESULT`](crate::OF_RESULT); may be empty.
    pub owners: Vec<String>,
    /// The declarations of types.
    pub declarations: Declarations,
}

/// The words of JavaScript or TypeScript source text; fewer or none if the text cannot be parsed.
pub fn words(path: &str, source: &str) -> Words {
    let source = source.strip_prefix('\u{feff}').unwrap_or(source);
    if source.len() > crate::LONGEST_FILE || crate::nesting(source) > crate::DEEPEST {
        return Words::default();
    }
    let allocator = Allocator::default();
    let typed = [".ts", ".tsx", ".mts", ".cts"].iter().any(|end| path.ends_with(end));
    let parsed = if typed {
        crate::parse_typed(&allocator, source, path)
    } else {
        crate::parse(&allocator, source, FileKind::Unknown)
    };
    if !parsed.diagnostics.is_empty() {
        return Words { literals: scanned(source), ..Words::default() };
    }
    of_program(&parsed.program)
}

pub(crate) fn of_program(program: &Program<'_>) -> Words {
    let mut found = Finder::default();
    found.visit_program(program);
    found.0.declarations = Declarations::of(program);
    found.0
}

fn scanned(source: &str) -> Vec<(u32, Literal)> {
    let mut found = Vec::new();
    for line in source.lines() {
        let mut rest = line;
        while let Some(at) = rest.find(['\'', '"', '`']) {
            let quote = &rest[at..=at];
            let after = &rest[at + 1..];
            let Some(end) = after.find(quote) else { break };
            if end > 0 && !after[..end].contains('\\') {
                found.push((0, Literal::Text(after[..end].to_owned())));
            }
            rest = &after[end + 1..];
        }
    }
    found
}

/// The second field contains the literals that were last assigned to variables, the third the
/// classes of variables that are instances.
#[derive(Default)]
struct Finder(Words, BTreeMap<String, Literal>, BTreeMap<String, String>);

pub(crate) fn name_of(expression: &Expression<'_>) -> Option<String> {
    match expression.without_parentheses() {
        Expression::Identifier(id) => Some(id.name.to_string()),
        Expression::StaticMemberExpression(member) => Some(member.property.name.to_string()),
        Expression::ChainExpression(chain) => match &chain.expression {
            oxc_ast::ast::ChainElement::StaticMemberExpression(member) => {
                Some(member.property.name.to_string())
            }
            _ => None,
        },
        _ => None,
    }
}

fn text(value: &str) -> Literal {
    if value.len() <= LONGEST_TEXT { Literal::Text(value.to_owned()) } else { Literal::Other }
}

pub(crate) fn literal(expression: &Expression<'_>, depth: usize) -> Literal {
    if depth > DEEPEST {
        return Literal::Other;
    }
    match expression.without_parentheses() {
        Expression::StringLiteral(it) => text(&it.value),
        Expression::NumericLiteral(it) => Literal::Number(it.value.to_bits()),
        Expression::BooleanLiteral(it) => Literal::Boolean(it.value),
        Expression::NullLiteral(_) => Literal::Null,
        Expression::Identifier(id) if id.name == "undefined" => Literal::Undefined,
        Expression::Identifier(id) if id.name == "Infinity" => {
            Literal::Number(f64::INFINITY.to_bits())
        }
        Expression::Identifier(id) if id.name == "NaN" => Literal::Number(f64::NAN.to_bits()),
        Expression::TemplateLiteral(it) if it.expressions.is_empty() => {
            let cooked = it.quasis.first().and_then(|quasi| quasi.value.cooked.as_ref());
            cooked.map_or(Literal::Other, |cooked| text(cooked))
        }
        Expression::UnaryExpression(it) if it.operator == UnaryOperator::UnaryNegation => {
            match literal(&it.argument, depth + 1) {
                Literal::Number(bits) => Literal::Number((-f64::from_bits(bits)).to_bits()),
                _ => Literal::Other,
            }
        }
        Expression::RegExpLiteral(it) => pattern(it),
        Expression::ArrayExpression(it) => {
            let items = it.elements.iter().map(|element| {
                element.as_expression().map_or(Literal::Other, |item| literal(item, depth + 1))
            });
            Literal::Array(items.collect())
        }
        Expression::ObjectExpression(it) => {
            let mut members = Vec::new();
            for property in &it.properties {
                let ObjectPropertyKind::ObjectProperty(property) = property else { continue };
                if let Some(name) = property.key.static_name()
                    && !property.computed
                {
                    members.push((name.into_owned(), literal(&property.value, depth + 1)));
                }
            }
            Literal::Object(members)
        }
        Expression::ArrowFunctionExpression(_) | Expression::FunctionExpression(_) => {
            Literal::Function
        }
        _ => Literal::Other,
    }
}

fn pattern(it: &RegExpLiteral<'_>) -> Literal {
    Literal::Pattern(it.regex.pattern.text.to_string(), it.regex.flags.to_string())
}

impl Finder {
    fn value(&mut self, name: Option<String>, value: Literal) {
        if let Some(name) = name
            && !matches!(value, Literal::Other)
        {
            self.0.values.push((name, value));
        }
    }

    fn call(&mut self, callee: &Expression<'_>, arguments: &[Argument<'_>]) {
        let Some(name) = name_of(callee) else { return };
        let values = arguments.iter().map(|argument| {
            let Some(value) = argument.as_expression() else { return Literal::Other };
            match value.without_parentheses() {
                Expression::Identifier(id) if self.1.contains_key(id.name.as_str()) => {
                    self.1[id.name.as_str()].clone()
                }
                value => literal(value, 0),
            }
        });
        let values: Vec<Literal> = values.collect();
        if values.iter().any(|value| !matches!(value, Literal::Other | Literal::Function)) {
            self.0.calls.push((name, values));
            let owner = self.owner(callee);
            self.0.owners.push(owner);
        }
    }

    fn owner(&self, callee: &Expression<'_>) -> String {
        let name = owner_of(callee);
        let value = self.1.get(&name).and_then(class_of);
        value.map(str::to_owned).or_else(|| self.2.get(&name).cloned()).unwrap_or(name)
    }

    fn pattern(&mut self, object: &str, pattern: &ObjectPattern<'_>) {
        for property in &pattern.properties {
            let Some(name) = property.key.static_name() else { continue };
            self.0.members.push((property.span.start, object.to_owned(), name.to_string()));
            if let BindingPattern::AssignmentPattern(with) = &property.value {
                self.value(Some(name.into_owned()), literal(&with.right, 0));
            }
        }
    }
}

impl<'a> Visit<'a> for Finder {
    fn visit_string_literal(&mut self, it: &StringLiteral<'a>) {
        if let found @ Literal::Text(_) = text(&it.value) {
            self.0.literals.push((it.span.start, found));
        }
    }

    fn visit_template_literal(&mut self, it: &TemplateLiteral<'a>) {
        for quasi in &it.quasis {
            if let Some(cooked) = &quasi.value.cooked
                && !cooked.is_empty()
                && let found @ Literal::Text(_) = text(cooked)
            {
                self.0.literals.push((it.span.start, found));
            }
        }
        walk::walk_template_literal(self, it);
    }

    fn visit_numeric_literal(&mut self, it: &NumericLiteral<'a>) {
        self.0.literals.push((it.span.start, Literal::Number(it.value.to_bits())));
    }

    fn visit_reg_exp_literal(&mut self, it: &RegExpLiteral<'a>) {
        self.0.literals.push((it.span.start, pattern(it)));
    }

    fn visit_static_member_expression(&mut self, it: &StaticMemberExpression<'a>) {
        if let Some(object) = name_of(&it.object) {
            self.0.members.push((it.span.start, object, it.property.name.to_string()));
        }
        walk::walk_static_member_expression(self, it);
    }

    fn visit_variable_declarator(&mut self, it: &VariableDeclarator<'a>) {
        if let (BindingPattern::ObjectPattern(pattern), Some(init)) = (&it.id, &it.init)
            && let Some(object) = name_of(init)
        {
            self.pattern(&object, pattern);
        }
        if let (Some(name), Some(Expression::ObjectExpression(object))) =
            (it.id.get_identifier_name(), &it.init)
            && name.to_lowercase().contains("default")
        {
            for property in &object.properties {
                let ObjectPropertyKind::ObjectProperty(property) = property else { continue };
                if let Some(key) = property.key.static_name() {
                    let at = property.span.start;
                    self.0.members.push((at, "options".to_owned(), key.to_string()));
                    self.value(Some(key.into_owned()), literal(&property.value, 0));
                }
            }
        }
        if let (Some(name), Some(init)) = (it.id.get_identifier_name(), &it.init) {
            match literal(init, 0) {
                Literal::Other | Literal::Function => self.1.remove(name.as_str()),
                value => self.1.insert(name.to_string(), value),
            };
        }
        if let (Some(name), Some(Expression::NewExpression(made))) =
            (it.id.get_identifier_name(), &it.init)
            && let Some(class) = name_of(&made.callee)
        {
            self.2.insert(name.to_string(), class);
        }
        walk::walk_variable_declarator(self, it);
    }

    fn visit_assignment_expression(&mut self, it: &AssignmentExpression<'a>) {
        if let AssignmentTarget::AssignmentTargetIdentifier(id) = &it.left
            && it.operator == AssignmentOperator::Assign
        {
            match literal(&it.right, 0) {
                Literal::Other | Literal::Function => self.1.remove(id.name.as_str()),
                value => self.1.insert(id.name.to_string(), value),
            };
        }
        walk::walk_assignment_expression(self, it);
    }

    fn visit_formal_parameter(&mut self, it: &FormalParameter<'a>) {
        if let BindingPattern::ObjectPattern(pattern) = &it.pattern {
            self.pattern("{}", pattern);
        }
        if let (Some(name), Some(default)) = (it.pattern.get_identifier_name(), &it.initializer) {
            self.value(Some(name.to_string()), literal(default, 0));
        }
        walk::walk_formal_parameter(self, it);
    }

    fn visit_assignment_pattern(&mut self, it: &AssignmentPattern<'a>) {
        let name = it.left.get_identifier_name().map(|name| name.to_string());
        self.value(name, literal(&it.right, 0));
        walk::walk_assignment_pattern(self, it);
    }

    fn visit_binary_expression(&mut self, it: &BinaryExpression<'a>) {
        if it.operator.is_equality() {
            for (one, other) in [(&it.left, &it.right), (&it.right, &it.left)] {
                match (one.without_parentheses(), literal(other, 0)) {
                    (Expression::UnaryExpression(asked), Literal::Text(kind))
                        if asked.operator == UnaryOperator::Typeof =>
                    {
                        let sample = match kind.as_str() {
                            "function" => Literal::Function,
                            "boolean" => Literal::Boolean(true),
                            "number" => Literal::Number(1.0_f64.to_bits()),
                            "object" => Literal::Object(Vec::new()),
                            "string" => Literal::Text("a".to_owned()),
                            _ => Literal::Other,
                        };
                        self.value(name_of(&asked.argument), sample);
                    }
                    (one, value) => self.value(name_of(one), value),
                }
            }
        } else if it.operator.is_compare() {
            for (one, other) in [(&it.left, &it.right), (&it.right, &it.left)] {
                if let Literal::Number(bits) = literal(other, 0) {
                    // Add the limit itself and the numbers next to it.
                    for step in [0.0, -1.0, 1.0] {
                        let value = f64::from_bits(bits) + step;
                        self.value(name_of(one), Literal::Number(value.to_bits()));
                    }
                }
            }
        } else if it.operator == BinaryOperator::In
            && let (Literal::Text(key), Some(object)) = (literal(&it.left, 0), name_of(&it.right))
        {
            self.0.members.push((it.span.start, object, key));
        }
        walk::walk_binary_expression(self, it);
    }

    fn visit_logical_expression(&mut self, it: &LogicalExpression<'a>) {
        if it.operator != LogicalOperator::And {
            self.value(name_of(&it.left), literal(&it.right, 0));
        }
        walk::walk_logical_expression(self, it);
    }

    fn visit_unary_expression(&mut self, it: &UnaryExpression<'a>) {
        if it.operator == UnaryOperator::LogicalNot {
            self.value(name_of(&it.argument), Literal::Boolean(true));
        }
        walk::walk_unary_expression(self, it);
    }

    fn visit_switch_statement(&mut self, it: &SwitchStatement<'a>) {
        let name = name_of(&it.discriminant);
        for case in &it.cases {
            if let Some(test) = &case.test {
                self.value(name.clone(), literal(test, 0));
            }
        }
        walk::walk_switch_statement(self, it);
    }

    fn visit_call_expression(&mut self, it: &CallExpression<'a>) {
        self.call(&it.callee, &it.arguments);
        walk::walk_call_expression(self, it);
    }

    fn visit_new_expression(&mut self, it: &NewExpression<'a>) {
        self.call(&it.callee, &it.arguments);
        walk::walk_new_expression(self, it);
    }

    fn visit_property_key(&mut self, it: &PropertyKey<'a>) {
        // Names of properties are not values.
        if !matches!(it, PropertyKey::StringLiteral(_) | PropertyKey::NumericLiteral(_)) {
            walk::walk_property_key(self, it);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(value: &str) -> Literal {
        Literal::Text(value.to_owned())
    }

    #[test]
    fn a_variable_in_a_call_has_the_literal_that_it_begins_with() {
        let source = "const list = ['a']; let made = make(); find(list, 'b'); find(made, 'c');";
        let words = words("example.js", source);
        let list = Literal::Array(vec![text("a")]);
        let expected = [vec![list, text("b")], vec![Literal::Other, text("c")]];
        assert_eq!(words.calls, expected.map(|call| ("find".to_owned(), call)));
    }

    #[test]
    fn a_file_says_what_names_are_compared_with_and_which_properties_are_read() {
        let source = "exports.f = (s, {deep = 2, other}, options) => {
            const {strict} = options;
            if (options.indent > 3) return 3;
            if (options.mode === 'fast' || typeof options.log === 'function') return /a+b/i.test(s);
            switch (s) { case 'x': return parse('1.2', {loose: true}); }
        };";
        let words = words("f.js", source);
        let members: Vec<(&str, &str)> =
            words.members.iter().map(|(_, of, name)| (of.as_str(), name.as_str())).collect();
        for wanted in [("{}", "deep"), ("{}", "other"), ("options", "strict"), ("options", "mode")]
        {
            assert!(members.contains(&wanted), "{wanted:?} in {members:?}");
        }
        for wanted in [
            ("deep", Literal::Number(2.0_f64.to_bits())),
            ("mode", text("fast")),
            ("indent", Literal::Number(4.0_f64.to_bits())),
            ("log", Literal::Function),
            ("s", text("x")),
        ] {
            let known =
                words.values.iter().any(|(name, value)| name == wanted.0 && *value == wanted.1);
            assert!(known, "{wanted:?} in {:?}", words.values);
        }
        let options = Literal::Object(vec![("loose".to_owned(), Literal::Boolean(true))]);
        assert!(words.calls.contains(&("parse".to_owned(), vec![text("1.2"), options])));
        let pattern = Literal::Pattern("a+b".to_owned(), "i".to_owned());
        assert!(words.literals.iter().any(|(_, literal)| *literal == pattern));
    }

    #[test]
    fn text_that_is_not_a_program_has_strings() {
        let found = words("x.js", "call('one', ...) => \"two\" ((");
        let found: Vec<Literal> = found.literals.into_iter().map(|(_, literal)| literal).collect();
        assert_eq!(found, [text("one"), text("two")]);
    }
}
