//! The owners of called functions, by which functions of the same name are told apart.

use oxc_ast::ast::Expression;

use crate::words::{Literal, literal, name_of};

/// The owner of functions that are members of what a call returns.
pub const OF_RESULT: &str = "()";

/// The owner of a called function, according to the syntax of the call; may be empty.
pub(crate) fn owner_of(callee: &Expression<'_>) -> String {
    let Expression::StaticMemberExpression(member) = callee.without_parentheses() else {
        return String::new();
    };
    let object = member.object.without_parentheses();
    let name = match object {
        Expression::NewExpression(made) => name_of(&made.callee),
        Expression::CallExpression(call) => {
            let required = name_of(&call.callee).is_some_and(|name| name == "require");
            (!required).then(|| OF_RESULT.to_owned())
        }
        Expression::TemplateLiteral(_) => Some("String".to_owned()),
        object => name_of(object).or_else(|| class_of(&literal(object, 0)).map(str::to_owned)),
    };
    name.unwrap_or_default()
}

pub(crate) fn class_of(literal: &Literal) -> Option<&'static str> {
    match literal {
        Literal::Text(_) => Some("String"),
        Literal::Number(_) => Some("Number"),
        Literal::Array(_) => Some("Array"),
        Literal::Pattern(..) => Some("RegExp"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::words;

    #[test]
    fn calls_have_the_class_of_a_literal_or_an_instance_as_owner() {
        let source = "'a'.f(1); let s = `b`; s.f(1); [1].f(1); new List().f(1); x.f(1); y().f(1); f(1); \
            require('z').f(1)";
        let mut owners = words("example.js", source).owners;
        owners.pop();
        let expected = ["String", "String", "Array", "List", "x", OF_RESULT, "", ""];
        assert_eq!(owners, expected);
    }
}
