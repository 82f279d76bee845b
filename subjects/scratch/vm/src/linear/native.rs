//! Native code for the linear form of custom blocks that run long enough.
//!
//! A [unit] is the native code of a custom block. A unit has the same effects as the
//! [handlers](super::handlers) of the instructions, and calls them for whatever it cannot do
//! itself, such as most operations on strings. A unit can be entered at each of its leaders,
//! which are the instructions to which others jump or at which execution may resume.
//!
//! A unit that calls few functions is compiled again in the second of two
//! [modes](memory::Mode), which keeps more values in registers.
//!
//! The code depends on where the Rust compiler places the fields of the data that it uses. These
//! offsets are [determined](layout) at run time, and without a clear result, there is no native
//! code.
#![allow(unsafe_code)]

mod abi;
mod arithmetic;
mod bridge;
mod calls;
mod comparisons;
mod dispatcher;
mod ends;
mod frequent;
mod generator;
mod kept;
mod layout;
mod lists;
mod loops;
mod marks;
mod masks;
mod memory;
mod translation;
mod unit;
mod uses;
mod values;

pub(crate) use dispatcher::Native;
pub(crate) use unit::Units;
