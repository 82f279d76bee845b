//! Native code for the linear form of custom blocks that run long enough.
//!
//! A [unit] is the native code of a custom block. For numbers, a unit has the same effects as the
//! [handlers](super::handlers) of the instructions, but reads no instructions and does not load
//! values that earlier instructions have computed. For everything else, a unit calls the handler of
//! the instruction. Therefore, there is only one implementation of strings, errors and distances.
//! Values, lists, parameters and frames stay at their places in the data of the interpreter.
//! Between two calls, registers [keep](kept) the fuel and loop counters.
//!
//! A unit is compiled in two [modes](memory::Mode). In the first mode, native code calls Rust
//! directly, registers lose their contents at each call, and the code continues after the
//! instruction. A unit that makes few calls is compiled again in the second mode. There, an
//! instruction that needs its handler leaves native code, so what earlier instructions have read
//! stays known. Reports to the tracer go through a [bridge] that preserves registers. In this mode,
//! registers also keep the numbers of variables and the places of lists that loops use often, what
//! calls change, and [bits](masks) for marks; numbers and counters are written to memory as well.
//!
//! A unit can be entered at each of its leaders, which are the instructions to which others jump or
//! at which execution may resume. The [dispatcher] executes handlers until it reaches the leader of
//! a unit, and the unit returns the index of the next instruction, or that the executor has
//! stopped.
//!
//! Native code does not repeat reports to the tracer: it keeps [marks] of the reports since the
//! tracer's [time](crate::Tracer::time) began.
//!
//! Unsafe code is needed mainly to call and free generated code; docs/measurements/speed.md has
//! measurements. The unsafe code is in this module, not in a separate crate, because generated code
//! reads the fields of the executor, which only this crate uses.
//!
//! The code depends on where the Rust compiler places the fields of values, strings, lists, frames
//! and the executor. These offsets are [determined](layout) at run time, and without a clear
//! result, there is no native code.
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
