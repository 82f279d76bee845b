//! Studies from a file or from the command line.

mod check;
mod file;
mod flags;
mod grid;

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::{Algorithm, Budget, Mutation, Race, Stop};

pub use flags::Flags;

/// A full matrix of runs, one for each combination of project, algorithm and seed.
#[derive(Clone, Debug, PartialEq)]
pub struct Study {
    /// Name of the study in reports.
    pub name: String,
    /// Projects to test.
    pub projects: ProjectSource,
    /// Configurations to compare, in the order in which tables list them.
    pub algorithms: Vec<Algorithm>,
    /// Seeds, in the order given.
    pub seeds: Vec<u64>,
    /// The budget of each run.
    pub budget: Budget,
    /// Mutation analysis of the suites.
    pub mutation: Option<Mutation>,
    /// How the algorithms race.
    pub race: Option<Race>,
    /// When the study ends early.
    pub stop: Option<Stop>,
    /// Name of the subject kind, unless it is the default kind of the program.
    pub subject: Option<String>,
}

/// The projects of a study.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProjectSource {
    /// Files or folders. In a study file, relative paths start at the folder of the file.
    Paths(Vec<PathBuf>),
    /// The synthetic projects 1 to `count` of a seed.
    Synthetic {
        /// Number of projects.
        count: u64,
        /// Seed of the projects, not of the runs.
        seed: u64,
        /// Further numbers by key, as strings, for subject kinds that use them.
        shape: BTreeMap<String, String>,
    },
}

impl Study {
    /// Reads a study file (TOML):
    ///
    /// ```toml
    /// name = "smoke"                       # optional
    /// subject = "scratch"                  # optional: the subject kind
    /// projects = ["../datasets/demo"]      # or { synthetic = { count = 1000, seed = 1 } }
    /// algorithms = ["random", { label = "small", name = "mosa", parameters = { population = 10 } }]
    /// seeds = 5                            # 1 to 5; or a list such as [3, 14, 15]
    /// assertions = true                    # optional: suites with regression assertions; the
    ///                                      # same as assertions = true in all parameters
    ///
    /// [budget]                             # at least one limit
    /// executions = 300                     # in units of work of the subject kind
    /// steps = 1000000
    /// wall = "10s"                         # real time: ms, s, min, h; or wall_ms = 10000
    ///
    /// [mutation]                           # optional; or mutation = true above; turns
    ///                                      # assertions on
    /// operators = ["SBD", "NCM"]           # default: all
    /// sample = 500                         # maximum number of mutants of a project; default: all
    /// seed = 1                             # default: 0
    /// block_factor = 20                    # limit on a test, relative to the original
    ///
    /// [race]                               # optional; or race = true above
    /// level = 0.05                         # of significance
    /// first = 10                           # projects before the first test
    /// every = 5                            # projects between tests
    ///
    /// [stop]                               # optional; or stop = true above
    /// margin = 0.01                        # difference in coverage that does not matter
    /// first = 5                            # seeds before the first decision
    /// every = 1                            # seeds between decisions
    /// ```
    ///
    /// The name of a table among the parameters is a prefix of the names of the parameters in the
    /// table: `compat = { clone_links = true }` is the parameter `compat.clone_links`.
    ///
    /// A list as the value of a parameter other than `criteria` makes the entry a grid: one
    /// configuration for each combination of values, where the last parameter changes fastest. The
    /// label of a configuration contains the parameters that are lists, such as `mio[focus=0.5
    /// targets=all]`. `sample = 50` in the entry draws 50 of the combinations, with the seed
    /// `sample_seed` (default: 0).
    ///
    /// # Errors
    ///
    /// If the file cannot be read or is not a valid study.
    pub fn read(file: &Path) -> Result<Study, StudyError> {
        let text = file::read(file)
            .map_err(|cause| StudyError::Unreadable { file: file.to_owned(), cause })?;
        Study::parse(&text, file)
    }

    /// Reads the text of a study file. Errors name `file`, and relative paths start at its folder.
    ///
    /// # Errors
    ///
    /// If the text is not a valid study.
    pub fn parse(text: &str, file: &Path) -> Result<Study, StudyError> {
        file::parse(text, file)
    }

    /// The location of a field in a study file, for errors that are found after parsing. A field
    /// is, for example, `race.level` or `algorithms.2` (counted from 0).
    pub fn location(file: &Path, field: &str) -> Option<SourceLocation> {
        let text = file::read(file).ok()?;
        Some(SourceLocation::Line(file.to_owned(), file::line(&text, field)?))
    }

    /// The location in a study file of a configuration, counted from 0 in the order of
    /// [`Study::algorithms`], or of the value of one of its parameters.
    pub fn algorithm_location(
        file: &Path,
        number: usize,
        parameter: Option<&str>,
    ) -> Option<SourceLocation> {
        let text = file::read(file).ok()?;
        let line = file::algorithm_line(&text, number, parameter)?;
        Some(SourceLocation::Line(file.to_owned(), line))
    }

    /// Builds a study from command-line flags.
    ///
    /// # Errors
    ///
    /// If a flag is invalid or missing.
    pub fn from_flags(flags: &Flags) -> Result<Study, StudyError> {
        flags::build(flags)
    }

    /// Returns this study after replacing the fields that flags set.
    ///
    /// # Errors
    ///
    /// If a flag is invalid.
    pub fn overridden(self, flags: &Flags) -> Result<Study, StudyError> {
        flags::replace(self, flags)
    }

    /// Number of runs on this many projects.
    pub fn runs(&self, projects: usize) -> usize {
        projects.saturating_mul(self.algorithms.len()).saturating_mul(self.seeds.len())
    }
}

/// The location of an error in the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SourceLocation {
    /// A line of a study file, from 1.
    Line(PathBuf, usize),
    /// The command line.
    Flags,
}

impl fmt::Display for SourceLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SourceLocation::Line(file, line) => write!(f, "{}:{line}: ", file.display()),
            SourceLocation::Flags => Ok(()),
        }
    }
}

/// An error in a study.
#[derive(Debug, thiserror::Error)]
pub enum StudyError {
    /// The file cannot be read.
    #[error("{}: cannot read the study file: {cause}", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// The cause.
        cause: io::Error,
    },
    /// A field is wrong or missing.
    #[error("{location}{field}: {problem}; {advice}")]
    Invalid {
        /// Location in the input.
        location: SourceLocation,
        /// The field (`budget.wall`) or flag (`--wall`).
        field: String,
        /// The problem.
        problem: String,
        /// What to write instead.
        advice: String,
    },
}
