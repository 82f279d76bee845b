//! Requests of commands that serve several subject kinds, without kind-specific flags.

use std::path::PathBuf;
use std::{fs, io};

use catherd_experiments::{Algorithm, Budget};

use crate::{Failure, places};

/// A project and a suite for the project, as named on a command line.
#[derive(Clone, Debug)]
pub struct Pair {
    /// Path of the project.
    pub project: PathBuf,
    /// Path of the suite.
    pub suite: PathBuf,
    /// Whether a suite that was generated for a different project is accepted.
    pub any_project: bool,
}

impl Pair {
    /// Reads the text of the suite.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or is not UTF-8.
    pub fn read_suite(&self) -> Result<String, Failure> {
        let (suite, hint) =
            (&self.suite, "name a suite that catherd generate or catherd run wrote");
        places::check(suite, hint)?;
        let refused = |cause: &str, hint: &str| {
            Failure::new(format_args!("{}: {cause}", suite.display())).hint(hint)
        };
        if suite.is_dir() {
            return Err(refused(
                "is a folder, not a suite",
                "name a file in it: catherd run writes suites into suites/",
            ));
        }
        fs::read_to_string(suite).map_err(|error| match error.kind() {
            io::ErrorKind::InvalidData => {
                let hint = match self.project.extension().is_some_and(|end| end == "json") {
                    true => "give the project first, and the suite after it",
                    false => hint,
                };
                refused("is not UTF-8 text, unlike a suite", hint)
            }
            _ => refused(&error.to_string(), hint),
        })
    }
}

/// A request of `catherd generate`.
#[derive(Clone, Debug)]
pub struct Generation {
    /// Path of the project.
    pub project: PathBuf,
    /// File of the suite; `None` for standard output.
    pub out: Option<PathBuf>,
    /// The algorithm with its parameters.
    pub algorithm: Algorithm,
    /// Seed of all random numbers.
    pub seed: u64,
    /// Budget of the search.
    pub budget: Budget,
    /// Whether the tests of the search are minimised.
    pub minimise: bool,
    /// Whether one JSON object is printed instead of a summary.
    pub json: bool,
    /// Whether no progress is shown.
    pub quiet: bool,
}

/// A request of `catherd mutate`.
#[derive(Clone, Debug)]
pub struct Mutation {
    /// The project and its suite.
    pub pair: Pair,
    /// Names of mutation operators; all operators if the list is empty.
    pub operators: Vec<String>,
    /// Number of mutants in the sample; `None` for all mutants.
    pub sample: Option<u64>,
    /// Seed of all random choices.
    pub seed: u64,
    /// Maximum length of a test on a mutant, as a multiple of its length on the project, plus an
    /// allowance.
    pub factor: u64,
    /// Whether mutants that survive are listed.
    pub survivors: bool,
    /// Whether one JSON object is printed for each mutant instead of a table.
    pub json: bool,
    /// Whether no progress is shown.
    pub quiet: bool,
}
