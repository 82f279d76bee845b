//! The parts of the language, which every context of this crate has.

use rquickjs::context::intrinsic;

/// The parts of the language that contexts have.
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
