//! Settings of mutation analysis.

use catherd_scratch_suite::Bounds;

use crate::operator::Operator;
use crate::sites::Compat;

/// Settings of mutation analysis.
#[derive(Clone, Debug, PartialEq)]
pub struct MutationSettings {
    /// The operators that create mutants.
    pub operators: Vec<Operator>,
    /// Seed of the random choices of mutants, independent of the seed of the suite.
    pub seed: u64,
    /// Maximum number of mutants; `None` for all. Each mutant is equally likely to be drawn.
    pub sample: Option<u64>,
    /// Whether tests are executed even after a test has killed the mutant.
    pub all_killers: bool,
    /// Whether flaky assertions are left out.
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
