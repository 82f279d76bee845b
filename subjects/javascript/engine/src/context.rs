//! The built-in objects that every context of this crate has.

// rquickjs has no equivalent of `limit_stack` for large limits.
#![allow(unsafe_code)]

use rquickjs::context::intrinsic;
use rquickjs::{Ctx, qjs};

pub(crate) type Intrinsics = (
    intrinsic::Date,
    intrinsic::Eval,
    intrinsic::RegExpCompiler,
    intrinsic::RegExp,
    intrinsic::Json,
    intrinsic::Proxy,
    intrinsic::MapSet,
    intrinsic::TypedArrays,
    intrinsic::Promise,
);

/// Limits the stack of an engine, in bytes. The function of rquickjs would remove a limit of more
/// than 16 MiB.
pub(crate) fn limit_stack(ctx: &Ctx<'_>, bytes: usize) {
    // SAFETY: the context and its runtime are alive, and the function only sets two numbers.
    unsafe { qjs::JS_SetMaxStackSize(qjs::JS_GetRuntime(ctx.as_raw().as_ptr()), bytes as _) };
}
