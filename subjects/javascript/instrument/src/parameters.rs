//! Parameters of functions, from their syntax.

use oxc_ast::ast::{BindingPattern, Expression, FormalParameters};

use crate::units::{DefaultValue, Parameter};

pub(crate) fn parameters(formal: &FormalParameters<'_>) -> Vec<Parameter> {
    let plain = formal.items.iter().map(|parameter| Parameter {
        name: name(&parameter.pattern),
        default: parameter.initializer.as_deref().map(default_value),
    });
    let rest = formal
        .rest
        .iter()
        .map(|rest| Parameter { name: format!("...{}", name(&rest.rest.argument)), default: None });
    plain.chain(rest).collect()
}

fn name(pattern: &BindingPattern<'_>) -> String {
    match pattern {
        BindingPattern::BindingIdentifier(id) => id.name.to_string(),
        BindingPattern::ObjectPattern(_) => "{}".to_owned(),
        BindingPattern::ArrayPattern(_) => "[]".to_owned(),
        BindingPattern::AssignmentPattern(pattern) => name(&pattern.left),
    }
}

fn default_value(value: &Expression<'_>) -> DefaultValue {
    match value.without_parentheses() {
        Expression::NumericLiteral(_) => DefaultValue::Number,
        Expression::UnaryExpression(unary)
            if matches!(unary.argument, Expression::NumericLiteral(_)) =>
        {
            DefaultValue::Number
        }
        Expression::StringLiteral(_) | Expression::TemplateLiteral(_) => DefaultValue::String,
        Expression::BooleanLiteral(_) => DefaultValue::Boolean,
        Expression::ArrayExpression(_) => DefaultValue::Array,
        Expression::ObjectExpression(_) => DefaultValue::Object,
        Expression::FunctionExpression(_) | Expression::ArrowFunctionExpression(_) => {
            DefaultValue::Function
        }
        _ => DefaultValue::Other,
    }
}
