//! The built-in objects that every context of this crate has.

use rquickjs::context::intrinsic;

/// The built-in objects of contexts, as rquickjs groups them.
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
