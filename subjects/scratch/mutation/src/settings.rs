//! Settings of mutation analysis.

use catherd_scratch_suite::Bounds;

use crate::operator::Operator;
use crate::sites::Compat;

/// Settings of an analysis: which mutants are executed, and within which limits.
#[derive(Clone, Debug, PartialEq)]
pub struct MutationSettings {
    /// The operators that create mutants.
    pub operators: Vec<Operator>,
    /// Seed of all random choices, such as keys, variables and the mutants of a sample. This seed
    /// is independent of the seed of the suite, so suites of all seeds and algorithms are executed
    /// on the same mutants.
    pub seed: u64,
    /// Maximum number of mutants; `None` for all. Each mutant is equally likely to be drawn.
    pub sample: Option<u64>,
    /// Whether all tests that may kill a mutant are executed, even after a test has killed it.
    pub all_killers: bool,
    /// Whether flaky assertions are left out. Flaky assertions hold on the original under the seed
    /// of the suite, which is used here, and are included in published scores.
    pub stable_only: bool,
    /// Maximum number of blocks that a test may execute on a mutant, as a multiple of the number of
    /// blocks that the test executed on the original.
    pub block_factor: u64,
    /// Number of blocks that a test may execute in addition to this multiple.
    pub block_allowance: u64,
    /// Maximum number of steps of a test.
    pub steps: u64,
    /// The peculiarities of Whisker's published code to reproduce.
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
