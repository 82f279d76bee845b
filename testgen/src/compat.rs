//! Switches that reproduce deviations of Whisker's published code from its paper.

/// Each switch is off by default; on, it does what the published code does where that
/// differs from the paper.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compat {
    /// Every "create clone" block may start the clones of every sprite.
    pub clone_links: bool,
    /// A call leads to its definition and to the next block, and the definition's end to
    /// the exit, not back to the callers.
    pub call_edges: bool,
    /// A user event that did not happen is not reached: goals that only it leads to are
    /// infinitely far away.
    pub unreached_event_is_infinite: bool,
    /// While a question is open no wait is offered.
    pub no_wait_on_question: bool,
    /// Mutation draws one of four kinds: the fourth changes the parameter codons only.
    pub four_mutations: bool,
    /// Crossover cuts one group later, so that no child is a parent.
    pub crossover_plus_one: bool,
    /// Negating one of two operands, mutation analysis tosses a coin for which of them the
    /// negation replaces.
    pub ncm_coin: bool,
    /// Mutation analysis replaces variables by variables of the stage only.
    pub vrm_stage_only: bool,
    /// Nothing is asserted after the first event of a test.
    pub skip_first_pair: bool,
    /// Everything is asserted after every event but the first, not only what changed.
    pub assert_everything: bool,
    /// To assertions, any two texts that spell no number are equal.
    pub nan_equal: bool,
}
