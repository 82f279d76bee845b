//! Native code for the linear form, of custom blocks that execute long enough.
//!
//! A [unit] is the native code of a custom block. It does what the [handlers](super::handlers) of the
//! instructions do with numbers, without reading instructions and without storing between two
//! instructions what the second one reads. For everything else it calls the handler of the instruction
//! and continues after it, so that there is one implementation of texts, errors, frames and distances.
//! Values, lists, parameters and frames stay where the interpreter has them.
//!
//! A unit can be entered at each of its leaders: instructions that something jumps to or continues
//! with. The [dispatcher] executes handlers until it reaches the leader of a unit, and the unit
//! returns the index of an instruction outside of it, or that the executor has stopped.
//!
//! What the tracer has received is not reported again: native code keeps [marks] of what has
//! been reported since the tracer's [time](crate::Tracer::time) began.
//!
//! Unsafe code is needed to call generated code, and to free it; what was measured is in
//! docs/measurements/speed.md. It is in this module, not in a crate of its own, because generated code reads the
//! fields of the executor, which has no other users.
//!
//! The code depends on where the compiler of Rust puts the fields of values, texts, lists, frames and of
//! the executor. These places are [measured](layout) when the process starts, and without a clear result
//! there is no native code.
#![allow(unsafe_code)]

mod abi;
mod calls;
mod comparisons;
mod dispatcher;
mod generator;
mod layout;
mod loops;
mod marks;
mod memory;
mod translation;
mod unit;
mod uses;

pub(crate) use dispatcher::Native;
pub(crate) use unit::Units;
