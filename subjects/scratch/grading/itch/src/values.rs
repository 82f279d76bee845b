//! Conversion of values between the VM and JavaScript.

use catherd_javascript_engine::quickjs::{
    Array, Coerced, Ctx, FromJs, IntoJs, Result, Value as Js,
};
use catherd_scratch_sb3::RotationStyle;
use catherd_scratch_vm::{Text, Value};

pub(crate) fn to_js<'js>(ctx: &Ctx<'js>, value: &Value) -> Result<Js<'js>> {
    match value {
        Value::Number(number) => number.into_js(ctx),
        Value::Bool(flag) => flag.into_js(ctx),
        Value::Text(text) => (&*text.to_str()).into_js(ctx),
        Value::Undefined => Ok(Js::new_undefined(ctx.clone())),
    }
}

pub(crate) fn list_to_js<'js>(ctx: &Ctx<'js>, items: &[Value]) -> Result<Js<'js>> {
    let array = Array::new(ctx.clone())?;
    for (at, item) in items.iter().enumerate() {
        array.set(at, to_js(ctx, item)?)?;
    }
    Ok(array.into_value())
}

pub(crate) fn from_js<'js>(ctx: &Ctx<'js>, value: Js<'js>) -> Result<Value> {
    if let Some(number) = value.as_number() {
        return Ok(Value::Number(number));
    }
    if let Some(flag) = value.as_bool() {
        return Ok(Value::Bool(flag));
    }
    let Coerced(text) = Coerced::<String>::from_js(ctx, value)?;
    Ok(Value::Text(Text::new(text)))
}

pub(crate) fn from_saved(value: &catherd_scratch_sb3::Value) -> Value {
    match value {
        catherd_scratch_sb3::Value::Number(number) => Value::Number(*number),
        catherd_scratch_sb3::Value::Text(text) => Value::Text(Text::new(&**text)),
        catherd_scratch_sb3::Value::Bool(flag) => Value::Bool(*flag),
    }
}

pub(crate) fn style(style: RotationStyle) -> &'static str {
    match style {
        RotationStyle::AllAround => "all around",
        RotationStyle::LeftRight => "left-right",
        RotationStyle::DontRotate => "don't rotate",
    }
}
