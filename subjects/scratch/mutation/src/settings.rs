//! Settings of mutation analysis.

use catherd_scratch_suite::Bounds;

use crate::operator::Operator;
use crate::sites::Compat;

/// Settings of an analysis: which mutants are executed, and within which limits.
#[derive(Clone, Debug, PartialEq)]
pub struct MutationSettings {
    /// The operators.
    pub operators: Vec<Operator>,
    /// Seed of all choices that mutants need: keys, variables, the mutants of a sample. It is
    /// independent of the seed of the suite, so that suites of all seeds and algorithms are
    /// executed on the same mutants.
    pub seed: u64,
    /// Maximum number of mutants; `None` for all. Each mutant is equally likely to be drawn.
    pub sample: Option<u64>,
    /// Whether every test that may kill a mutant is executed, instead of stopping at the first test
    /// that does.
    pub all_killers: bool,
    /// Whether flaky assertions are left out. They hold on the original under the seed of the
    /// suite, which is used here, and the published scores include flaky assertions.
    pub stable_only: bool,
    /// Maximum number of blocks that a test may execute on a mutant, as a multiple of the blocks
    /// that it executed on the original. Its steps are the same on every mutant.
    pub block_factor: u64,
    /// Number of blocks that a test may execute beyond this multiple.
    pub block_allowance: u64,
    /// Maximum number of steps of a test. Longer tests are not executed.
    pub steps: u64,
    /// Deviations of Whisker's published code.
    pub compat: Compat,
}

impl Default for MutationSettings {
    /// All mutants, seed 0, only the first killing test, and a limit of ten times the blocks of the
    /// original plus a million.
    fn default() -> Self {
        Self {
            operators: Operator::ALL.to_vec(),
            seed: 0,
            sample: None,
            all_killers: false,
            stable_only: false,
            block_factor: 10,
            block_allowance: 1_000_000,
            steps: Bounds::default().steps,
            compat: Compat::default(),
        }
    }
}
