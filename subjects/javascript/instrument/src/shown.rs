//! What examples show about calls.

use oxc_allocator::Allocator;
use oxc_ast::ast::{
    Argument, CallExpression, Comment, Expression, ExpressionStatement, NewExpression, Program,
    VariableDeclarator,
};
use oxc_ast_visit::{Visit, walk};
use oxc_span::{GetSpan, Span};

use crate::FileKind;
use crate::owners::owner_of;
use crate::words::{Literal, literal, name_of};

/// Marks with which a comment about a result can begin.
const ARROWS: [&str; 7] = ["=>", "->", "==>", "-->", "\u{2192}", "\u{21d2}", "=="];

/// A call of an example and the comment about its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The name of the called function.
    pub name: String,
    /// The owner of the called function, such as the name of the object; may be empty.
    pub owner: String,
    /// The arguments.
    pub arguments: Vec<Literal>,
    /// The comment without its arrow.
    pub text: String,
    /// Whether the comment begins with an arrow.
    pub arrow: bool,
}

/// What an example shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Example {
    /// Calls with comments about their results.
    pub shown: Vec<Shown>,
    /// Functions that are passed to calls: the name of the called function, the position of the
    /// argument, from 0, and the number of parameters of the argument.
    pub passed: Vec<(String, usize, usize)>,
}

/// Reads what an example shows; empty if the text cannot be read.
pub fn example(source: &str) -> Example {
    if source.len() > crate::LONGEST_FILE || crate::nesting(source) > crate::DEEPEST {
        return Example::default();
    }
    let allocator = Allocator::default();
    let parsed = crate::parse(&allocator, source, FileKind::Unknown);
    if !parsed.diagnostics.is_empty() {
        return Example::default();
    }
    let mut finder =
        Finder { source, comments: &parsed.program.comments, found: Example::default() };
    finder.visit_program(&parsed.program);
    finder.found
}

struct Finder<'s> {
    source: &'s str,
    comments: &'s [Comment],
    found: Example,
}

impl Finder<'_> {
    /// The comment is on the line of the statement, or on the next line if it begins with an arrow.
    fn comment(&self, span: Span) -> Option<(String, bool)> {
        let index = self.comments.partition_point(|comment| comment.span.start < span.end);
        let comment = self.comments.get(index)?;
        let between = self.source.get(span.end as usize..comment.span.start as usize)?;
        if !between.chars().all(|c| c.is_whitespace() || c == ';') {
            return None;
        }
        let mut text = comment.content_span().source_text(self.source).trim().to_owned();
        let mark = ARROWS.iter().find_map(|it| text.strip_prefix(it)).map(str::to_owned);
        let lines = between.matches('\n').count();
        if lines > usize::from(mark.is_some()) {
            return None;
        }
        let arrow = mark.is_some();
        text = mark.unwrap_or(text);
        // A long value continues in the comments after it.
        let mut end = comment.span.end;
        for next in &self.comments[index + 1..] {
            let between = self.source.get(end as usize..next.span.start as usize).unwrap_or("x");
            let more = next.content_span().source_text(self.source);
            let begins = ARROWS.iter().any(|it| more.trim_start().starts_with(it));
            if !between.trim().is_empty() || between.matches('\n').count() != 1 || begins {
                break;
            }
            text.push('\n');
            text.push_str(more);
            end = next.span.end;
        }
        Some((text.trim().to_owned(), arrow))
    }

    fn show(&mut self, expression: &Expression<'_>, span: Span) {
        let mut expression = expression.without_parentheses();
        if let Expression::AwaitExpression(it) = expression {
            expression = it.argument.without_parentheses();
        }
        let Expression::CallExpression(call) = expression else { return };
        let printed = owner_of(&call.callee) == "console";
        if let [only] = &call.arguments[..]
            && let Some(only) = only.as_expression()
            && printed
        {
            return self.show(only, span);
        }
        let Some(name) = name_of(&call.callee) else { return };
        if let Some((text, arrow)) = self.comment(span) {
            let value = |it: &Argument<'_>| it.as_expression().map(|it| literal(it, 0));
            let arguments = call.arguments.iter().map(|it| value(it).unwrap_or(Literal::Other));
            let arguments = arguments.collect();
            let owner = owner_of(&call.callee);
            self.found.shown.push(Shown { name, owner, arguments, text, arrow });
        }
    }

    fn pass(&mut self, callee: &Expression<'_>, arguments: &[Argument<'_>]) {
        let Some(name) = name_of(callee) else { return };
        for (position, argument) in arguments.iter().enumerate() {
            let count = match argument.as_expression().map(Expression::without_parentheses) {
                Some(Expression::ArrowFunctionExpression(it)) => it.params.items.len(),
                Some(Expression::FunctionExpression(it)) => it.params.items.len(),
                _ => continue,
            };
            self.found.passed.push((name.clone(), position, count));
        }
    }
}

impl<'a> Visit<'a> for Finder<'_> {
    fn visit_program(&mut self, it: &Program<'a>) {
        walk::walk_program(self, it);
    }

    fn visit_expression_statement(&mut self, it: &ExpressionStatement<'a>) {
        self.show(&it.expression, it.span);
        walk::walk_expression_statement(self, it);
    }

    fn visit_variable_declarator(&mut self, it: &VariableDeclarator<'a>) {
        if let Some(init) = &it.init {
            self.show(init, init.span());
        }
        walk::walk_variable_declarator(self, it);
    }

    fn visit_call_expression(&mut self, it: &CallExpression<'a>) {
        self.pass(&it.callee, &it.arguments);
        walk::walk_call_expression(self, it);
    }

    fn visit_new_expression(&mut self, it: &NewExpression<'a>) {
        self.pass(&it.callee, &it.arguments);
        walk::walk_new_expression(self, it);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(source: &str) -> Vec<(String, String, bool)> {
        example(source).shown.into_iter().map(|it| (it.name, it.text, it.arrow)).collect()
    }

    fn of(name: &str, text: &str, arrow: bool) -> (String, String, bool) {
        (name.to_owned(), text.to_owned(), arrow)
    }

    #[test]
    fn comments_show_the_results_of_calls() {
        let source = "tool.f(1); // => 'a'\nconsole.log(g(2)); // b\nconst x = h(3)\n//=> [1,\n//    2]\n// other\n\n\
            k(4);\n// not about k\nk(5);";
        let expected = [of("f", "'a'", true), of("g", "b", false)];
        assert_eq!(shown(source)[..2], expected);
        let last = &shown(source)[2];
        assert!(last.0 == "h" && last.1.starts_with("[1,\n    2]") && last.2, "{last:?}");
        assert_eq!(shown(source).len(), 3);
        assert_eq!(shown("f( // => 1"), []);
    }

    #[test]
    fn passed_functions_have_a_number_of_parameters() {
        let source = "each(list, (a, b) => a); new Map2(function () {});";
        let expected = [("each".to_owned(), 1, 2), ("Map2".to_owned(), 0, 0)];
        assert_eq!(example(source).passed, expected);
    }
}
