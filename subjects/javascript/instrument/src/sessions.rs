//! Sequences of calls in examples, such as tests and documentation.

use std::collections::BTreeMap;

use oxc_allocator::Allocator;
use oxc_ast::ast::{
    Argument, CallExpression, Expression, FunctionBody, NewExpression, Program, VariableDeclarator,
};
use oxc_ast_visit::{Visit, walk};
use oxc_span::{GetSpan, Span};

use crate::FileKind;
use crate::words::{Literal, literal, name_of};

const LONGEST: usize = 40;

/// The object or an argument of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Given {
    /// A literal.
    Literal(Literal),
    /// The result of the earlier call with this number.
    Result(usize),
    /// Anything else, with its name, which may be empty.
    Other(String),
}

/// A call in a sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Whether the call makes an instance.
    pub makes: bool,
    /// The object whose member is called, if any.
    pub of: Option<Given>,
    /// The name of the called function or class.
    pub name: String,
    /// The arguments.
    pub arguments: Vec<Given>,
}

/// The sequences of at least two calls in JavaScript source text; empty if the text cannot be read.
pub fn sessions(source: &str) -> Vec<Vec<Step>> {
    if source.len() > crate::LONGEST_FILE || crate::nesting(source) > crate::DEEPEST {
        return Vec::new();
    }
    let allocator = Allocator::default();
    let parsed = crate::parse(&allocator, source, FileKind::Unknown);
    if !parsed.diagnostics.is_empty() {
        return Vec::new();
    }
    let mut finder = Finder::default();
    finder.visit_program(&parsed.program);
    finder.found.retain(|steps| steps.len() > 1);
    finder.found
}

#[derive(Default)]
struct Scope {
    steps: Vec<Step>,
    /// The number of each call by its range in the source.
    places: BTreeMap<(u32, u32), usize>,
    variables: BTreeMap<String, Given>,
}

#[derive(Default)]
struct Finder {
    found: Vec<Vec<Step>>,
    scope: Scope,
}

fn place(span: Span) -> (u32, u32) {
    (span.start, span.end)
}

impl Finder {
    /// Literals of the enclosing scopes are known in a function.
    fn inside(&mut self, visit: impl FnOnce(&mut Finder)) {
        let known = self.scope.variables.iter();
        let literals = known.filter(|(_, it)| matches!(it, Given::Literal(_)));
        let variables = literals.map(|(name, it)| (name.clone(), it.clone())).collect();
        let outer = std::mem::replace(&mut self.scope, Scope { variables, ..Scope::default() });
        visit(self);
        let inner = std::mem::replace(&mut self.scope, outer);
        self.found.push(inner.steps);
    }

    fn given(&self, expression: &Expression<'_>) -> Given {
        let mut expression = expression.without_parentheses();
        while let Expression::AwaitExpression(it) = expression {
            expression = it.argument.without_parentheses();
        }
        if let Some(number) = self.scope.places.get(&place(expression.span())) {
            return Given::Result(*number);
        }
        if let Expression::Identifier(id) = expression
            && let Some(known) = self.scope.variables.get(id.name.as_str())
        {
            return known.clone();
        }
        match literal(expression, 0) {
            Literal::Other => Given::Other(name_of(expression).unwrap_or_default()),
            literal => Given::Literal(literal),
        }
    }

    fn step(&mut self, makes: bool, callee: &Expression<'_>, span: Span, given: &[Argument<'_>]) {
        let Some(name) = name_of(callee).filter(|_| self.scope.steps.len() < LONGEST) else {
            return;
        };
        let of = match callee.without_parentheses() {
            Expression::StaticMemberExpression(member) => Some(self.given(&member.object)),
            _ => None,
        };
        let other = || Given::Other(String::new());
        let arguments =
            given.iter().map(|it| it.as_expression().map_or_else(other, |it| self.given(it)));
        let arguments = arguments.collect();
        self.scope.places.insert(place(span), self.scope.steps.len());
        self.scope.steps.push(Step { makes, of, name, arguments });
    }
}

impl<'a> Visit<'a> for Finder {
    fn visit_program(&mut self, it: &Program<'a>) {
        self.inside(|finder| walk::walk_program(finder, it));
    }

    fn visit_function_body(&mut self, it: &FunctionBody<'a>) {
        self.inside(|finder| walk::walk_function_body(finder, it));
    }

    fn visit_variable_declarator(&mut self, it: &VariableDeclarator<'a>) {
        walk::walk_variable_declarator(self, it);
        if let (Some(name), Some(init)) = (it.id.get_identifier_name(), &it.init) {
            let given = self.given(init);
            self.scope.variables.insert(name.to_string(), given);
        }
    }

    fn visit_call_expression(&mut self, it: &CallExpression<'a>) {
        walk::walk_call_expression(self, it);
        self.step(false, &it.callee, it.span, &it.arguments);
    }

    fn visit_new_expression(&mut self, it: &NewExpression<'a>) {
        walk::walk_new_expression(self, it);
        self.step(true, &it.callee, it.span, &it.arguments);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_have_calls_in_their_order() {
        let source = "const list = new List(2);\nconst a = 'x';\nlist.add(a).add(other);\nshow(list.size());\nit('adds', () => { new List().add(1); });";
        let found = sessions(source);
        let text = |text: &str| Given::Literal(Literal::Text(text.to_owned()));
        let step = |makes, of, name: &str, arguments: &[Given]| Step {
            makes,
            of,
            name: name.to_owned(),
            arguments: arguments.to_vec(),
        };
        let number = |it: f64| Given::Literal(Literal::Number(it.to_bits()));
        let inner = [
            step(true, None, "List", &[]),
            step(false, Some(Given::Result(0)), "add", &[number(1.0)]),
        ];
        assert_eq!(found[0], inner);
        let outer = [
            step(true, None, "List", &[number(2.0)]),
            step(false, Some(Given::Result(0)), "add", &[text("x")]),
            step(false, Some(Given::Result(1)), "add", &[Given::Other("other".to_owned())]),
            step(false, Some(Given::Result(0)), "size", &[]),
            step(false, None, "show", &[Given::Result(3)]),
        ];
        assert_eq!(found[1][..5], outer);
        assert_eq!(sessions("const = 1"), Vec::<Vec<Step>>::new());
    }
}
