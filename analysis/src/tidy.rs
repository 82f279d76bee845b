//! Tidy tables: what a study measured, one row an observation, one table a kind,
//! each as Parquet and as CSV with a header line. An empty field (Parquet: null) means
//! *not available*, never zero. Tables and figures are made from these files and from
//! nothing else.
//!
//! `runs`: one row for each run that ended, in the order of the study; after them those that
//! were given up because what executed them broke down each time.
//!
//! | column | type | meaning |
//! | --- | --- | --- |
//! | `run` | text | run id: digest of all that the run depends on |
//! | `record` | text | digest of its record, without wall-clock and host; empty if it was given up |
//! | `project`, `project_digest` | text | the project's name, the digest of its bytes |
//! | `subject` | text | subject kind, as `scratch` |
//! | `algorithm` | text | label of the configuration |
//! | `algorithm_name`, `parameters` | text | the algorithm, its settings as a JSON object |
//! | `seed` | u64 | seed of all randomness |
//! | `budget_executions`, `budget_steps`, `budget_wall_ms` | u64 | limits that were set |
//! | `engine` | text | version of what decides a record |
//! | `outcome` | text | `done`, `no-goals`, `failed`, `timed-out`, `out-of-memory` |
//! | `reason` | text | why, unless `done` |
//! | `goals`, `covered` | u32 | goals of the project, and how many the run covered; a billion ([`UNCOUNTED`]) goals if only the share is known |
//! | `coverage` | f64 | covered share in 0..=1; only of a `done` run with goals |
//! | `executions`, `steps` | u64 | test executions and machine steps of the search |
//! | `executions_to_full` | u64 | executions until every goal was covered |
//! | `search_ms`, `wall_ms` | u64 | milliseconds of the search, of the whole run |
//! | `peak_rss_kib` | u64 | peak memory of the worker |
//! | `suite_tests`, `suite_events` | u32 | size of the final suite |
//! | `minimised_events` | u32 | events that minimisation removed |
//! | `counts` | text | further counts of the subject kind, a JSON object |
//! | `host`, `worker` | text | where it ran |
//! | `core` | u32 | the core it was pinned to |
//! | `attempt` | u32 | which attempt it was, from 1; if it was given up, the last |
//!
//! `timeline`: one row for each improvement of coverage of each run: `run`,
//! `executions`, `steps`, `wall_ms` (the three clocks, from the start of the search),
//! `covered` (goals covered from there on).
//!
//! Results of other tools ([`import`](crate::import)) have empty fields for what those do
//! not measure, and an empty `project_digest`.
//!
//! `mutants`: one row for each mutant of each run with mutation analysis, in the order of
//! the runs, and within a run by operator, then by the block's place in the project.
//!
//! | column | type | meaning |
//! | --- | --- | --- |
//! | `run` | text | run id |
//! | `mutant` | text | name of the mutant: unique in its project, the same in every run |
//! | `operator` | text | mutation operator, as `SBD` |
//! | `target`, `script`, `block` | text | what was changed: sprite, topmost block of the script, block |
//! | `change` | text | the change in words |
//! | `outcome` | text | `killed`, `survived`, `limit`, `not-covered`, `equivalent` |
//! | `killed_by` | u32 | number of the first test that killed it, from 0 |
//! | `executions` | u32 | tests executed on it |
//! | `duplicate_of` | text | the earlier mutant that is the same program |
//!
//! The mutation score of a run is the share of `killed` in all its mutants, as the Whisker
//! paper counts; the number of its tests that fail on the original, which take no part,
//! is `falsePositiveTests` in the run's `counts`.
//!
//! `skipped`: one row for each project that was not run: `project`, `reason`.
//!
//! `dropped`: one row for each configuration that lost a race: `algorithm` (its label),
//! `projects` (how many it was run on), `mean_rank` and `best_mean_rank` (its own and that of the
//! best among those still in the race), `p` (of no difference, adjusted).
//!
//! `projects` (CSV alone, and of Scratch projects alone): one row for each project, as `catherd
//! dataset describe` writes it; its numbers are measures that coverage may depend on.

mod described;
mod mutants;
mod read;
mod slice;
mod table;
mod write;

pub use mutants::{Mutant, Mutants};
pub use read::{Improvement, Project, Results, Row, Run};
pub use write::{Imported, Writer, write};

use std::path::PathBuf;

use catherd_experiments::{MutantOutcome, Outcome};
use polars_core::prelude::PolarsError;

/// The goals of a run of which only the covered share is known, in parts per billion: so
/// that equal shares stay equal, and counts and shares need no two kinds of arithmetic.
pub const UNCOUNTED: u32 = 1_000_000_000;

/// A project that was not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// The project's name.
    pub project: String,
    /// Why it was left out, one line.
    pub reason: String,
}

/// A configuration that lost a race: it was not run on the projects after those.
#[derive(Clone, Debug, PartialEq)]
pub struct Dropped {
    /// Its label.
    pub algorithm: String,
    /// Projects that it was run on.
    pub projects: u32,
    /// Its mean rank on them among the configurations then in the race, 1 for the best.
    pub mean_rank: f64,
    /// The mean rank of the best.
    pub best_mean_rank: f64,
    /// Of no difference to the best, adjusted.
    pub p: f64,
}

/// A clock of the timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// Test executions.
    Executions,
    /// Steps of the machine (1/30 s of Scratch time each).
    Steps,
    /// Milliseconds of real time.
    Wall,
}

impl Clock {
    /// What it counts, for people.
    pub fn unit(self) -> &'static str {
        match self {
            Clock::Executions => "test executions",
            Clock::Steps => "steps",
            Clock::Wall => "milliseconds",
        }
    }

    /// The column of `timeline` that shows it.
    fn column(self) -> &'static str {
        match self {
            Clock::Executions => "executions",
            Clock::Steps => "steps",
            Clock::Wall => "wall_ms",
        }
    }
}

/// Why tables could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file or folder could not be opened, created, or renamed.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A file is not the table it should be, or could not be written to its end.
    #[error("{}: {source}", path.display())]
    Table {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: PolarsError,
    },
    /// A description of projects is not CSV.
    #[error("{}: {source}", path.display())]
    Description {
        /// The file.
        path: PathBuf,
        /// What is wrong with it, and in which line.
        source: csv::Error,
    },
    /// A description of projects does not say whose row is which.
    #[error("{}: no column `project` or `sha256` names the projects", path.display())]
    Nameless {
        /// The file.
        path: PathBuf,
    },
    /// A cell holds what its column cannot.
    #[error("{}: column `{column}` holds `{value}`", path.display())]
    Cell {
        /// The file.
        path: PathBuf,
        /// The column.
        column: &'static str,
        /// The offending value, `null` if there is none.
        value: String,
    },
    /// Runs that must not be compared stand in one table.
    #[error("{}: the runs have different {what}s ({first}; {second}), which cannot be compared", path.display())]
    Mixed {
        /// The file.
        path: PathBuf,
        /// `budget` or `engine`.
        what: &'static str,
        /// What the first run has.
        first: String,
        /// What a later one has.
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

const OUTCOMES: [(Outcome, &str); 5] = [
    (Outcome::Done, "done"),
    (Outcome::NoGoals, "no-goals"),
    (Outcome::Failed, "failed"),
    (Outcome::TimedOut, "timed-out"),
    (Outcome::OutOfMemory, "out-of-memory"),
];
