//! Requests and results of test generation.

use catherd_scratch_suite::Suite;
use catherd_search::{Algorithm, Budget, Improvement, Parameters as _, Setting, Stop};

use crate::assertion::Assertions;
use crate::counts::Counts;
use crate::error::GenerateError;
use crate::limits::Limits;

/// A run of test generation.
#[derive(Clone, Debug)]
pub struct Request {
    /// The search algorithm.
    pub algorithm: Algorithm,
    /// Seed of all random numbers of the run.
    pub seed: u64,
    /// Budget of the search.
    pub budget: Budget,
    /// Name of the project in suites: usually its digest.
    pub project: String,
    /// Regression assertions to add to the suite; `None` for a suite without assertions.
    pub assertions: Option<Assertions>,
}

impl Request {
    /// Creates a run of a named algorithm with named parameters, and defaults for the other
    /// parameters. Settings of test generation belong to [`Configuration`](crate::Configuration).
    ///
    /// # Errors
    /// If the algorithm or a parameter is unknown, or a value is not allowed.
    pub fn new(
        algorithm: &str,
        parameters: &[(&str, Setting<'_>)],
        seed: u64,
        budget: Budget,
    ) -> Result<Self, GenerateError> {
        let mut algorithm = Algorithm::named(algorithm)?;
        for &(name, value) in parameters {
            algorithm.set(name, value)?;
        }
        Ok(Self { algorithm, seed, budget, project: String::new(), assertions: None })
    }
}

/// The reason why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The search stopped for the given reason.
    Search(Stop),
    /// The project has no goals, so its coverage is complete by definition.
    NothingToCover,
    /// The project reacts to no input, so all tests are the same.
    NoInput,
}

/// The number of branches of a project, and the branches that a run covered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BranchCoverage {
    /// Number of branches.
    pub goals: u32,
    /// The numbers of the covered branches in [`branches`](catherd_scratch_suite::goals::branches),
    /// in ascending order.
    pub covered: Vec<u32>,
}

/// Result of a run.
#[derive(Clone, Debug)]
pub struct Generated {
    /// The reason why the run ended.
    pub end: End,
    /// Number of the project's goals that are blocks.
    pub goals: u32,
    /// The numbers of these goals that the run covered, ascending.
    pub covered: Vec<u32>,
    /// The branches that the run covered; `None` if branches are not goals.
    pub branches: Option<BranchCoverage>,
    /// The increase of coverage over time, with one point for each improvement.
    pub timeline: Vec<Improvement>,
    /// The final suite.
    pub suite: Suite,
    /// Positions in the suite of tests whose replay did not cover the same goals as their first
    /// execution, which indicates a defect of the VM.
    pub unstable: Vec<u32>,
    /// Counts of the run.
    pub counts: Counts,
    /// Limits of the VM that executions reached.
    pub limits: Limits,
}
