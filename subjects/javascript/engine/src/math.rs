//! Functions of `Math` with the same results on all platforms.

// The attribute `no_mangle` is unsafe.
#![allow(unsafe_code)]

use catherd_elementary as elementary;
use rquickjs::{Ctx, Function, Object, Result};

type Unary = (&'static str, fn(f64) -> f64);

const UNARY: [Unary; 18] = [
    ("sin", |x| elementary::sin_cos(x).0),
    ("cos", |x| elementary::sin_cos(x).1),
    ("tan", elementary::tan),
    ("asin", elementary::asin),
    ("acos", elementary::acos),
    ("atan", elementary::atan),
    ("exp", elementary::exp),
    ("log", elementary::ln),
    ("log2", libm::log2),
    ("log10", libm::log10),
    ("log1p", libm::log1p),
    ("expm1", libm::expm1),
    ("sinh", libm::sinh),
    ("cosh", libm::cosh),
    ("tanh", libm::tanh),
    ("asinh", libm::asinh),
    ("acosh", libm::acosh),
    ("atanh", libm::atanh),
];

/// The function that the engine calls for `**`. It replaces the C library's function in the whole
/// process, as docs/explanation/determinism.md explains.
// SAFETY: the C library has a function with this name and signature, which computes the same power.
#[unsafe(no_mangle)]
extern "C" fn pow(base: f64, exponent: f64) -> f64 {
    libm::pow(base, exponent)
}

/// The power function of JavaScript, in which 1 and -1 to the power of an infinity or NaN are NaN.
fn power(base: f64, exponent: f64) -> f64 {
    if base.abs() == 1.0 && !exponent.is_finite() { f64::NAN } else { pow(base, exponent) }
}

pub(crate) fn functions<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let functions = Object::new(ctx.clone())?;
    for (name, function) in UNARY {
        functions.set(name, Function::new(ctx.clone(), function)?)?;
    }
    functions.set("cbrt", Function::new(ctx.clone(), libm::cbrt)?)?;
    functions.set("atan2", Function::new(ctx.clone(), elementary::atan2)?)?;
    functions.set("pow", Function::new(ctx.clone(), power)?)?;
    functions.set("hypot", Function::new(ctx.clone(), libm::hypot)?)?;
    Ok(functions)
}
