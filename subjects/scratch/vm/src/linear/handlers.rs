//! Functions that execute instructions: the handlers, see [`Handler`](super::steps::Handler).
//!
//! There is one for each combination of operands that an instruction can have, so that none branches on
//! where its operands are. Handlers for [numbers] know nothing else, and go on in those for other [values].
//! They end in a call, of the next handler or of that one, for which compilers need neither room on the
//! stack nor registers that are saved before; it takes half as long as to return to a loop.

pub(super) mod control;
pub(super) mod numbers;
pub(super) mod values;

/// The parts of the instruction for which a handler was chosen.
macro_rules! parts {
    ($step:expr, $pattern:pat) => {
        let $pattern = $step.instruction else { return crate::linear::handlers::mismatch() };
    };
}
use parts;

/// What a handler would go on with that was chosen for another instruction. A function of its own, because
/// a handler with a call in its middle saves registers first.
#[cold]
#[inline(never)]
fn mismatch() -> usize {
    unreachable!("handlers are chosen for their instructions")
}
