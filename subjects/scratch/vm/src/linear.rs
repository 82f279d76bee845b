//! Custom blocks without screen refresh in linear form: lists of instructions, which a register
//! machine executes, instead of trees of expressions.
//!
//! States, fuel, coverage and distances are the same as without the linear form. The interpreter
//! executes everything that has no instruction.

mod applications;
mod blocks;
mod calls;
mod computations;
mod conditions;
mod executor;
mod expansions;
mod expressions;
mod form;
mod frames;
mod handlers;
mod instructions;
mod items;
mod lower;
#[cfg(feature = "native")]
mod native;
#[cfg(not(feature = "native"))]
#[path = "linear/no_native.rs"]
mod native;
mod operands;
mod outcomes;
mod parameters;
mod run;
mod shared;
mod skips;
mod steps;
mod texts;

pub(crate) use executor::Items;
pub(crate) use form::Form;
pub(crate) use lower::{Source, lower};
pub(crate) use native::Units;
pub(crate) use steps::Steps;
