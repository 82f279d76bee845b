//! Functions and classes that get their names from the place where they are written.

use oxc_ast::ast::Expression;

pub(crate) fn is_anonymous_function(expression: &Expression<'_>) -> bool {
    match expression.without_parentheses() {
        Expression::FunctionExpression(function) => function.id.is_none(),
        Expression::ClassExpression(class) => class.id.is_none(),
        Expression::ArrowFunctionExpression(_) => true,
        _ => false,
    }
}
