//! Custom blocks without screen refresh in linear form: a list of instructions in place of a tree
//! of expressions and a stack of frames, executed by a register machine.
//!
//! In profiles of the interpreter with programs that compute, half of the time is spent on
//! evaluating trees (a call, a match and a value for each node), a quarter on pushing and popping
//! frames for each iteration and branch, and the rest on finding variables and counting fuel. The
//! linear form reduces these costs:
//!
//! - Operands are registers, constants, variables and parameters; instructions read them as numbers
//!   without an intermediate value. Variables, lists, parameters and the frames of loops and calls
//!   remain in the data of the interpreter, so nothing needs to be written back, and types need not
//!   be predicted: the same instruction has a slower path for a string in a variable.
//! - Fuel and coverage are counted once for a run of blocks that always follow each other. A run
//!   begins only if more fuel remains than the run takes, so no budget ends within the run.
//! - For each instruction, a [handler](handlers) is selected once for each VM, according to the
//!   kinds of the operands, so handlers do not branch on these kinds. Most handlers call the next
//!   handler.
//! - Calls to small custom blocks are [expanded](expansions), and frames of other calls are
//!   [delayed](frames) until they are needed.
//! - Parts that an expression contains several times are computed [once](shared), and sides of
//!   `and` and `or` that do not influence the result are [skipped](skips).
//! - Branches of conditions have no frame. The frames that the interpreter would have are pushed
//!   when a loop or call begins within the branch, or when the interpreter takes over.
//! - Some blocks, such as blocks of motion, looks and pen, are [applied](applications): their
//!   operands are computed in linear form, and functions of the interpreter execute the blocks.
//! - The interpreter executes everything that has no instruction. It evaluates single operands,
//!   conditions and blocks while the linear form waits. Blocks that change the thread, and all
//!   blocks if there is little fuel or room on the stack, are executed after leaving the linear
//!   form, which is possible before each run.
//!
//! The interpreter enters the linear form when it calls a custom block and when an iteration of a
//! loop ends, always in warp. States, fuel, coverage and distances are the same as without the
//! linear form, in the same order; `tests/vm/linear.rs` compares them.

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
