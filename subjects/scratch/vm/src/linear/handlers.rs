//! Functions that execute instructions: the handlers (see [`Handler`](super::executor::Handler)).
//!
//! There are separate handlers for different kinds of operands, so handlers do not branch on these
//! kinds. Most handlers end with a call to another handler, which the compiler can replace with a
//! jump.

pub(super) mod control;
pub(super) mod items;
pub(super) mod letters;
pub(super) mod numbers;
pub(super) mod texts;
pub(super) mod values;

/// The parts of the instruction for which a handler was chosen.
macro_rules! parts {
    ($step:expr, $pattern:pat) => {
        let $pattern = $step.instruction else { return crate::linear::handlers::mismatch() };
    };
}
use parts;

/// A separate function, because a handler that may panic would save registers at its beginning.
#[cold]
#[inline(never)]
fn mismatch() -> usize {
    unreachable!("handlers are chosen for their instructions")
}
