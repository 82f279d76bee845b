//! A study as a researcher writes it: in a file ([`Study::read`]) or on the command
//! line ([`Study::from_flags`]). Both ways share their checks.

mod check;
mod file;
mod flags;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::{Algorithm, Budget, Mutation, Race};

pub use flags::Flags;

/// A full matrix of runs: every project x every algorithm x every seed, each with
/// the same budget. A value made by this module has at least one project path
/// or synthetic project, one algorithm, one seed and one limit, and no configuration or seed twice.
#[derive(Clone, Debug, PartialEq)]
pub struct Study {
    /// The name of the study in reports; the file's stem unless it says otherwise.
    pub name: String,
    /// What it is about.
    pub projects: ProjectSource,
    /// What is compared, in the order of the tables.
    pub algorithms: Vec<Algorithm>,
    /// Seeds, in the order given.
    pub seeds: Vec<u64>,
    /// The budget of each run.
    pub budget: Budget,
    /// Mutation analysis of the suites; none: none.
    pub mutation: Option<Mutation>,
    /// How the algorithms race; none: all run on every project.
    pub race: Option<Race>,
    /// Subject kind; `scratch` unless the study says otherwise.
    pub subject: String,
}

/// The projects of a study.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProjectSource {
    /// Project files, unpacked project folders, corpora, or folders of them. Those of a
    /// study file are relative to that file.
    Paths(Vec<PathBuf>),
    /// The synthetic projects 1 to `count` of a seed.
    Synthetic {
        /// How many.
        count: u64,
        /// Seed of the projects, not of the runs.
        seed: u64,
    },
}

impl Study {
    /// Reads a study file (TOML):
    ///
    /// ```toml
    /// name = "smoke"                       # optional
    /// subject = "scratch"                  # optional
    /// projects = ["../datasets/demo"]      # or { synthetic = { count = 1000, seed = 1 } }
    /// algorithms = ["random", { label = "small", name = "mosa", parameters = { population = 10 } }]
    /// seeds = 5                            # 1 to 5; or a list such as [3, 14, 15]
    /// assertions = true                    # optional: suites with regression assertions; the
    ///                                      # same as assertions = true in all parameters
    ///
    /// [budget]                             # at least one of these
    /// executions = 300
    /// steps = 1000000
    /// wall = "10s"                         # ms, s, min, h; or wall_ms = 10000
    ///
    /// [mutation]                           # optional; or mutation = true above; brings
    ///                                      # assertions with it
    /// operators = ["SBD", "NCM"]           # default: all
    /// sample = 500                         # mutants of a project at most; default: all
    /// seed = 1                             # default: 0
    /// block_factor = 20                    # limit of a test on a mutant
    ///
    /// [race]                               # optional; or race = true above: drop what loses
    /// level = 0.05                         # of significance
    /// first = 10                           # projects before the first test
    /// every = 5                            # projects between tests
    /// ```
    ///
    /// A table among the parameters prefixes theirs: `compat = { clone_links = true }` is the
    /// parameter `compat.clone_links`.
    pub fn read(file: &Path) -> Result<Study, StudyError> {
        let text = std::fs::read_to_string(file)
            .map_err(|cause| StudyError::Unreadable { file: file.to_owned(), cause })?;
        Study::parse(&text, file)
    }

    /// Reads the text of a study file; `file` names it in errors and anchors relative paths.
    pub fn parse(text: &str, file: &Path) -> Result<Study, StudyError> {
        file::parse(text, file)
    }

    /// Where a study file says something that only others can judge: what a field
    /// such as `race.level` or `algorithms.2` (counted from 0) holds.
    pub fn place(file: &Path, field: &str) -> Option<Place> {
        let text = std::fs::read_to_string(file).ok()?;
        Some(Place::Line(file.to_owned(), file::line(&text, field)?))
    }

    /// Builds a study from command-line flags; errors name the flag.
    pub fn from_flags(flags: &Flags) -> Result<Study, StudyError> {
        flags::build(flags)
    }

    /// The study with what the flags name replaced. Budget flags replace the whole
    /// budget. Errors name the flag.
    pub fn overridden(self, flags: &Flags) -> Result<Study, StudyError> {
        flags::replace(self, flags)
    }

    /// How many runs the study has with this many projects.
    pub fn runs(&self, projects: usize) -> usize {
        projects * self.algorithms.len() * self.seeds.len()
    }
}

/// Where in the input an error is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A line of a study file, from 1.
    Line(PathBuf, usize),
    /// The command line.
    Flags,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Line(file, line) => write!(f, "{}:{line}: ", file.display()),
            Place::Flags => Ok(()),
        }
    }
}

/// A study that cannot be used, in one line: where, what, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum StudyError {
    /// The file cannot be read.
    #[error("{}: cannot read the study file: {cause}", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// What the system says.
        cause: io::Error,
    },
    /// A field is wrong or missing.
    #[error("{place}{field}: {problem}; {advice}")]
    Invalid {
        /// Where.
        place: Place,
        /// The field (`budget.wall`) or flag (`--wall`).
        field: String,
        /// What is wrong.
        problem: String,
        /// What to write instead.
        advice: String,
    },
}
