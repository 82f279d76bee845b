//! Instrumentation of string tests, such as `startsWith`, and of arguments of built-in functions.

use oxc_ast::ast::{Argument, CallExpression, Expression, RegExpFlags};
use oxc_ast_visit::Visit;
use oxc_span::GetSpan;

use crate::Build;
use crate::units::NodeKind;
use crate::visitor::Visitor;

/// A call that tests a string: `/literal/.test(a)`, or `a.startsWith(b)`, `a.endsWith(b)` or
/// `a.includes(b)` with a string literal or a variable as `b`.
pub(crate) struct TextTest {
    /// 0 for `startsWith`, 1 for `endsWith`, 2 for `includes`; 3 for a regular expression, or 4, 5
    /// or 6 if the expression has `^`, `$` or both.
    code: u32,
    /// The string that a regular expression matches.
    literal: Option<String>,
}

impl TextTest {
    pub(crate) fn of(call: &CallExpression<'_>) -> Option<TextTest> {
        let (Expression::StaticMemberExpression(callee), [argument]) =
            (&call.callee, call.arguments.as_slice())
        else {
            return None;
        };
        if call.optional || callee.optional || matches!(callee.object, Expression::Super(_)) {
            return None;
        }
        let code = match callee.property.name.as_str() {
            "startsWith" => 0,
            "endsWith" => 1,
            "includes" => 2,
            "test" => {
                let Expression::RegExpLiteral(literal) = &callee.object else { return None };
                let plain = literal.regex.flags.is_empty() || literal.regex.flags == RegExpFlags::G;
                let (code, text) = literal_text(literal.regex.pattern.text.as_str())?;
                let spread = matches!(argument, Argument::SpreadElement(_));
                return (plain && !spread).then_some(TextTest { code, literal: Some(text) });
            }
            _ => return None,
        };
        // The instrumented code looks the method up after evaluating the argument. Permit only
        // arguments for which the order cannot be observed.
        let simple = matches!(argument, Argument::StringLiteral(_) | Argument::Identifier(_));
        simple.then_some(TextTest { code, literal: None })
    }
}

fn literal_text(pattern: &str) -> Option<(u32, String)> {
    let inner = pattern.strip_prefix('^').unwrap_or(pattern);
    let begins = inner.len() < pattern.len();
    let text = inner.strip_suffix('$').unwrap_or(inner);
    let ends = text.len() < inner.len();
    let plain = |letter: char| letter.is_ascii_alphanumeric() || " _-:,@#%=<>~'".contains(letter);
    let is_plain = !text.is_empty() && text.chars().all(plain);
    is_plain.then(|| (3 + u32::from(begins) + 2 * u32::from(ends), text.to_owned()))
}

/// The number of the type that a built-in function expects for an argument, in the order of the
/// table in the crate `catherd-javascript-machine`: number, string, object, array.
fn known_signature(callee: &Expression<'_>, index: usize) -> Option<u32> {
    match callee {
        Expression::Identifier(name) => {
            (index == 0 && matches!(name.name.as_str(), "parseInt" | "parseFloat")).then_some(1)
        }
        Expression::StaticMemberExpression(member) => {
            let method = member.property.name.as_str();
            match &member.object {
                Expression::Identifier(object) => match object.name.as_str() {
                    "Math" => Some(0),
                    "JSON" if method == "parse" && index == 0 => Some(1),
                    "Object" if method == "keys" && index == 0 => Some(2),
                    "Array" if method == "isArray" && index == 0 => Some(3),
                    _ => None,
                },
                Expression::RegExpLiteral(_) if method == "test" && index == 0 => Some(1),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Offset of the ids of array calls, so that they differ from the numbers of types.
const FUNCTION_OF_ARRAY: u32 = 16;

/// Methods of arrays whose first argument is a function.
const WITH_FUNCTION: [&str; 14] = [
    "every",
    "filter",
    "find",
    "findIndex",
    "findLast",
    "findLastIndex",
    "flatMap",
    "forEach",
    "map",
    "reduce",
    "reduceRight",
    "some",
    "sort",
    "toSorted",
];

/// The object of a call whose first argument must be a function if the object is an array.
fn array_of<'c, 'a>(call: &'c CallExpression<'a>) -> Option<&'c Expression<'a>> {
    let Expression::StaticMemberExpression(member) = &call.callee else { return None };
    let method = member.property.name.as_str();
    let plain = !call.optional && !member.optional && WITH_FUNCTION.contains(&method);
    let named = matches!(member.object, Expression::Super(_));
    let first = call.arguments.first();
    let passed = first.is_some_and(|argument| !matches!(argument, Argument::SpreadElement(_)));
    (plain && !named && passed).then_some(&member.object)
}

impl Visitor<'_, '_> {
    /// Returns whether the call was visited.
    pub(crate) fn array_call(&mut self, call: &CallExpression<'_>) -> bool {
        let (Some(object), Some(argument)) = (array_of(call), call.arguments.first()) else {
            return false;
        };
        if self.build != Build::Inference {
            return false;
        }
        // The id of the call lets the probe find the array for the argument.
        let place = call.span.end;
        self.out.open(object.span().start, format!("{}j({},", self.prefix, -i64::from(place)));
        self.visit_expression(object);
        self.out.close(object.span().end, ")");
        self.passed(FUNCTION_OF_ARRAY + place, argument);
        call.arguments.iter().skip(1).for_each(|argument| self.visit_argument(argument));
        true
    }

    pub(crate) fn text_test(&mut self, id: u32, call: &CallExpression<'_>, test: &TextTest) {
        self.add_node(call.span.start, NodeKind::Call);
        let (Expression::StaticMemberExpression(callee), Some(argument)) =
            (&call.callee, call.arguments.first())
        else {
            return self.visit_call_expression(call);
        };
        self.out.open(call.span.start, format!("{}t({id},{},", self.prefix, test.code));
        self.visit_expression(&callee.object);
        self.out.replace(callee.object.span().end, argument.span().start, ",");
        self.visit_argument(argument);
        if let Some(literal) = &test.literal {
            self.out.close(argument.span().end, format!(",{literal:?}"));
        }
    }

    pub(crate) fn signature(&self, call: &CallExpression<'_>, index: usize) -> Option<u32> {
        let spread = matches!(call.arguments.get(index), Some(Argument::SpreadElement(_)) | None);
        if self.build != Build::Inference || spread {
            return None;
        }
        known_signature(&call.callee, index)
    }

    pub(crate) fn passed(&mut self, kind: u32, argument: &Argument<'_>) {
        let span = argument.span();
        self.out.open(span.start, format!("{}j({kind},", self.prefix));
        self.visit_argument(argument);
        self.out.close(span.end, ")");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_strings_are_literal() {
        assert_eq!(literal_text("abc"), Some((3, "abc".to_owned())));
        assert_eq!(literal_text("^abc"), Some((4, "abc".to_owned())));
        assert_eq!(literal_text("abc$"), Some((5, "abc".to_owned())));
        assert_eq!(literal_text("^abc$"), Some((6, "abc".to_owned())));
        assert_eq!(literal_text("a.c"), None);
        assert_eq!(literal_text("^$"), None);
        assert_eq!(literal_text("a\\d"), None);
    }
}
