//! Options for executing a suite.

use catherd_javascript_engine::Limits;

use super::module::TestInfo;
use crate::seed::Seed;

/// Options for executing a suite, all of which may influence results.
#[derive(Clone, Debug)]
pub struct SuiteOptions {
    /// Seed of all tests. If it is `None`, a test uses its own seed, or else the seed of the first
    /// test, or else 0.
    pub seed: Option<Seed>,
    /// Names of the tests to execute; all if empty.
    pub tests: Vec<String>,
    /// Categories of the tests to execute; all if empty.
    pub categories: Vec<String>,
    /// Whether quirks of the original are kept: for example, `wait` does not exist, and suites
    /// share the random numbers of the VM.
    pub strict: bool,
    /// Whether comparisons and types follow Whisker of July 2022 (P) instead of October 2023.
    pub compat_p: bool,
    /// The acceleration factor that suites read.
    pub acceleration: f64,
    /// Seconds by which the timer advances in each step; 0.075 in the original (Whisker paper,
    /// section 3.2).
    pub timer_increment: f64,
    /// Maximum number of steps of a test.
    pub steps: u64,
    /// Maximum number of blocks that a test executes.
    pub blocks: u64,
    /// Limits of the JavaScript of the suite.
    pub limits: Limits,
    /// Maximum number of bytes that a test logs.
    pub log_bytes: usize,
    /// Whether coverage is measured.
    pub coverage: bool,
    /// Inputs to which the project reacts, for `detectRandomInputs`: the kind of input, and its
    /// key, target or answer.
    pub detected_inputs: Vec<(&'static str, String)>,
}

impl Default for SuiteOptions {
    fn default() -> SuiteOptions {
        SuiteOptions {
            seed: None,
            tests: Vec::new(),
            categories: Vec::new(),
            strict: false,
            compat_p: false,
            acceleration: 1.0,
            timer_increment: 0.075,
            steps: 100_000,
            blocks: 400_000_000,
            limits: Limits::default(),
            log_bytes: 1 << 20,
            coverage: false,
            detected_inputs: Vec::new(),
        }
    }
}

impl SuiteOptions {
    pub(super) fn chooses(&self, test: &TestInfo) -> bool {
        let named = |names: &[String], name: &String| names.is_empty() || names.contains(name);
        let name = test.name.clone().unwrap_or_default();
        let category = self.categories.is_empty()
            || test.categories.iter().any(|category| self.categories.contains(category));
        named(&self.tests, &name) && category
    }
}
