//! Tidy tables: the measurements of a study, with a row for each observation and a table for each
//! kind of observation, usually both as Parquet and as CSV with a header line. An empty field (null
//! in Parquet) means *not available*, never zero. `docs/columns.md` describes the columns.

mod csv_file;
mod described;
mod evidence;
mod goals;
mod mutants;
mod parquet;
mod plan;
mod read;
mod run_states;
mod slice;
mod staging;
mod subject;
mod table;
mod write;

pub use described::Project;
pub use evidence::ItemEvidence;
pub use goals::{Goal, GoalSet};
pub use mutants::{Mutant, Mutants};
pub use plan::Interim;
pub use read::{
    CriteriaImprovements, CriterionCoverage, Improvement, PlacedRuns, RawRow, RecordDigests,
    Results, Run, RunConditions, SHARES, Selection, SelectionError,
};
pub use run_states::RunStates;
pub use staging::Staging;
pub use write::{Imported, Writer, write};

use std::path::PathBuf;

use catherd_experiments::{MutantOutcome, RunOutcome, Unit};
use polars_error::PolarsError;

/// Number of goals of a run with a known covered share but without counts of goals. The share is
/// then in parts per billion.
pub const UNCOUNTED: u32 = 1_000_000_000;

/// A project that was not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// Name of the project.
    pub project: String,
    /// The reason, in one line.
    pub reason: String,
}

/// A configuration that lost a race.
#[derive(Clone, Debug, PartialEq)]
pub struct Dropped {
    /// Label of the configuration.
    pub algorithm: String,
    /// Number of projects on which the configuration was run before it was dropped.
    pub projects: u32,
    /// Mean rank on these projects among the configurations in the race. Rank 1 is the best.
    pub mean_rank: f64,
    /// Mean rank of the best configuration.
    pub best_mean_rank: f64,
    /// Corrected p-value of the difference from the best configuration.
    pub p: f64,
}

/// A clock of the timeline.
#[derive(Clone, Debug, PartialEq)]
pub enum Clock {
    /// Work in a unit of the subject kind.
    Work(Unit),
    /// Milliseconds of real time.
    Wall,
}

impl Clock {
    /// The plural of the unit that the clock counts, for sentences.
    pub fn unit(&self) -> &str {
        match self {
            Clock::Work(unit) => &unit.plural,
            Clock::Wall => "milliseconds",
        }
    }

    fn column(&self) -> &str {
        match self {
            Clock::Work(unit) => &unit.name,
            Clock::Wall => "wall_ms",
        }
    }
}

/// An error in writing or reading tables.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file or folder could not be read, written, created or renamed.
    #[error("{}: {cause}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        cause: std::io::Error,
    },
    /// A file is not the expected table, or could not be written completely.
    #[error("{}: {cause}", path.display())]
    Table {
        /// The file.
        path: PathBuf,
        /// The cause.
        cause: PolarsError,
    },
    /// A table that exists only as CSV is malformed, or cannot be read or written.
    #[error("{}: {cause}", path.display())]
    Description {
        /// The file.
        path: PathBuf,
        /// The cause.
        cause: csv::Error,
    },
    /// A row of `goals.csv` does not have the form of that table.
    #[error("{}: line {line} does not have the form of a row of goals", path.display())]
    Goals {
        /// The file.
        path: PathBuf,
        /// Number of the line, from 1.
        line: u64,
    },
    /// A table with a description of projects does not have a column that names them.
    #[error("{}: no column `project` or `sha256` names the projects", path.display())]
    Nameless {
        /// The file.
        path: PathBuf,
    },
    /// A JSON file is malformed or cannot be written.
    #[error("{}: {cause}", path.display())]
    Json {
        /// The file.
        path: PathBuf,
        /// The cause.
        cause: serde_json::Error,
    },
    /// `study-state.json` does not contain valid states of runs.
    #[error("{}: {cause}", path.display())]
    States {
        /// The file.
        path: PathBuf,
        /// The problem with the file.
        cause: String,
    },
    /// A cell has a value that its column cannot have.
    #[error("{}: column `{column}` has the invalid value `{value}`", path.display())]
    Cell {
        /// The file.
        path: PathBuf,
        /// The column.
        column: String,
        /// The value, or `null` if the cell is empty.
        value: String,
    },
    /// A table contains runs that must not be compared.
    #[error("{}: the runs have different {what}s ({first}; {second}), which cannot be compared", path.display())]
    Mixed {
        /// The file.
        path: PathBuf,
        /// `budget` or `engine`.
        what: &'static str,
        /// The value of the first run.
        first: String,
        /// The value of a later run.
        second: String,
    },
}

const MUTANT_OUTCOMES: [(MutantOutcome, &str); 5] = [
    (MutantOutcome::Killed, "killed"),
    (MutantOutcome::Survived, "survived"),
    (MutantOutcome::Limit, "limit"),
    (MutantOutcome::NotCovered, "not-covered"),
    (MutantOutcome::Equivalent, "equivalent"),
];

const OUTCOMES: [(RunOutcome, &str); 5] = [
    (RunOutcome::Done, "done"),
    (RunOutcome::NoGoals, "no-goals"),
    (RunOutcome::Failed, "failed"),
    (RunOutcome::TimedOut, "timed-out"),
    (RunOutcome::OutOfMemory, "out-of-memory"),
];
