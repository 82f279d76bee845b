//! Switches that reproduce deviations of the published code of Whisker from the Whisker paper.

use catherd_search::Field;

/// Details in which the published code of Whisker differs from the Whisker paper, all off by
/// default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compat {
    /// Every "create clone" block may start the clones of every sprite.
    pub clone_links: bool,
    /// A call leads to its definition and to the next block; the end of the definition leads to the
    /// exit, not back to the callers.
    pub call_edges: bool,
    /// An event that started none of its scripts counts as not reached, so goals to which only this
    /// event leads are infinitely far away.
    pub unreached_event_is_infinite: bool,
    /// Waits are not listed while a question is open.
    pub no_wait_on_question: bool,
    /// The inputs that custom blocks sense are read once, before the green flag, and are the same
    /// for all sprites that define a block with the same signature.
    pub static_procedures: bool,
    /// Mutation has a fourth change, which changes only parameter codons.
    pub four_mutations: bool,
    /// Crossover cuts one group later.
    pub crossover_plus_one: bool,
    /// In mutation analysis of a block with two operands, the negation of an operand replaces the
    /// first or the second operand, drawn at random.
    pub ncm_coin: bool,
    /// In mutation analysis, only variables of the stage replace other variables.
    pub vrm_stage_only: bool,
    /// No assertions are added after the first event of a test.
    pub skip_first_pair: bool,
    /// All attributes are asserted after every event except the first, not only attributes that
    /// changed.
    pub assert_everything: bool,
    /// Assertions treat any two strings that are not numerals as equal.
    pub nan_equal: bool,
}

impl Compat {
    pub(crate) fn fields(&mut self) -> Vec<Field<'_>> {
        vec![
            Field::switch("compat.clone_links", &mut self.clone_links)
                .meaning("every \"create clone\" may start the clones of every sprite"),
            Field::switch("compat.call_edges", &mut self.call_edges).meaning(
                "a call leads to its definition and to the next block; the definition leads to the exit",
            ),
            Field::switch(
                "compat.unreached_event_is_infinite",
                &mut self.unreached_event_is_infinite,
            )
            .meaning("goals after an event that did not happen are infinitely far away"),
            Field::switch("compat.no_wait_on_question", &mut self.no_wait_on_question)
                .meaning("no wait is available while a question is open"),
            Field::switch("compat.static_procedures", &mut self.static_procedures)
                .meaning("the inputs that custom blocks sense are read once, before the green flag"),
            Field::switch("compat.four_mutations", &mut self.four_mutations)
                .meaning("a fourth mutation changes only parameter codons"),
            Field::switch("compat.crossover_plus_one", &mut self.crossover_plus_one)
                .meaning("crossover cuts one group later"),
            Field::switch("compat.ncm_coin", &mut self.ncm_coin)
                .meaning("mutation analysis: a negation may replace the other operand"),
            Field::switch("compat.vrm_stage_only", &mut self.vrm_stage_only)
                .meaning("mutation analysis: only variables of the stage replace variables"),
            Field::switch("compat.skip_first_pair", &mut self.skip_first_pair)
                .meaning("assertions: none after the first event"),
            Field::switch("compat.assert_everything", &mut self.assert_everything)
                .meaning("assertions: also about values that did not change"),
            Field::switch("compat.nan_equal", &mut self.nan_equal)
                .meaning("assertions: any two strings that are not numbers count as equal"),
        ]
    }
}
