//! From tables to samples.

use std::collections::HashMap;
use std::hash::Hash;
use std::path::{Path, PathBuf};

use catherd_experiments::{Budget, Digest, Outcome};
use polars_core::prelude::{DataFrame, StringChunked, UInt32Chunked, UInt64Chunked};

use super::table::read_slices;
use super::{Clock, Error, OUTCOMES, Skipped};

/// A project of a study.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Project {
    /// Its name in tables.
    pub name: String,
    /// The digest of its bytes: projects of one name may differ.
    pub digest: String,
}

/// What tables and figures need of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Run {
    /// Its id.
    pub id: Digest,
    /// Index into [`Results::projects`].
    pub project: u32,
    /// Index into [`Results::algorithms`].
    pub algorithm: u32,
    /// Seed of all randomness.
    pub seed: u64,
    /// How it ended.
    pub outcome: Outcome,
    /// Goals of the project.
    pub goals: u32,
    /// Goals covered.
    pub covered: u32,
    /// Executions of the search.
    pub executions: u64,
    /// Steps of the search.
    pub steps: u64,
    /// Milliseconds of the search.
    pub search_ms: u64,
}

impl Run {
    /// The covered share of the goals in 0..=1, from the counts, never from a rounded
    /// value; none unless the run is done and there are goals.
    pub fn coverage(&self) -> Option<f64> {
        (self.outcome == Outcome::Done && self.goals > 0)
            .then(|| f64::from(self.covered) / f64::from(self.goals))
    }

    /// What the search used, on a clock.
    pub fn spent(&self, clock: Clock) -> u64 {
        match clock {
            Clock::Executions => self.executions,
            Clock::Steps => self.steps,
            Clock::Wall => self.search_ms,
        }
    }
}

/// A point of a coverage timeline, on one clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Improvement {
    /// Index into [`Results::runs`].
    pub run: u32,
    /// When, from the start of the search.
    pub at: u64,
    /// Goals covered from then on.
    pub covered: u32,
}

/// The results of a study, as its tables have them.
#[derive(Clone, Debug)]
pub struct Results {
    /// Projects in the order of their first run.
    pub projects: Vec<Project>,
    /// Labels of algorithms in the order of their first run.
    pub algorithms: Vec<String>,
    /// The budget of every run.
    pub budget: Budget,
    /// Runs in the order of the table.
    pub runs: Vec<Run>,
    /// Projects that were not run.
    pub skipped: Vec<Skipped>,
    dir: PathBuf,
}

impl Results {
    /// Reads `runs.parquet` and `skipped.parquet` of a folder.
    ///
    /// # Errors
    /// [`Error`]; [`Error::Mixed`] if the runs differ in budget or engine.
    pub fn read(dir: &Path) -> Result<Results, Error> {
        let path = dir.join("runs.parquet");
        let mut projects = Interner::default();
        let mut algorithms = Interner::default();
        let mut budgets = Interner::default();
        let mut engines = Interner::default();
        let mut runs = Vec::new();
        read_slices(&path, &RUN_COLUMNS, |frame| {
            let slice = Slice { frame, path: &path };
            let (ids, names) = (slice.text("run")?, slice.text("project")?);
            let (digests, labels) = (slice.text("project_digest")?, slice.text("algorithm")?);
            let (outcomes, engine) = (slice.text("outcome")?, slice.text("engine")?);
            let (seeds, executions) = (slice.u64("seed")?, slice.u64("executions")?);
            let (steps, search_ms) = (slice.u64("steps")?, slice.u64("search_ms")?);
            let (goals, covered) = (slice.u32("goals")?, slice.u32("covered")?);
            let limits = (
                slice.u64("budget_executions")?,
                slice.u64("budget_steps")?,
                slice.u64("budget_wall_ms")?,
            );
            for row in 0..frame.height() {
                let project = Project {
                    name: slice.value("project", names.get(row))?.to_owned(),
                    digest: slice.value("project_digest", digests.get(row))?.to_owned(),
                };
                let budget = [limits.0.get(row), limits.1.get(row), limits.2.get(row)];
                budgets.index(budget);
                engines.index(slice.value("engine", engine.get(row))?.to_owned());
                runs.push(Run {
                    id: slice.digest(slice.value("run", ids.get(row))?)?,
                    project: projects.index(project),
                    algorithm: algorithms
                        .index(slice.value("algorithm", labels.get(row))?.to_owned()),
                    seed: slice.value("seed", seeds.get(row))?,
                    outcome: slice.outcome(slice.value("outcome", outcomes.get(row))?)?,
                    goals: slice.value("goals", goals.get(row))?,
                    covered: slice.value("covered", covered.get(row))?,
                    executions: slice.value("executions", executions.get(row))?,
                    steps: slice.value("steps", steps.get(row))?,
                    search_ms: slice.value("search_ms", search_ms.get(row))?,
                });
            }
            Ok(())
        })?;
        let mixed = |what, first: String, second: String| Error::Mixed {
            path: path.clone(),
            what,
            first,
            second,
        };
        if let [first, second, ..] = &budgets.items[..] {
            let shown = |[executions, steps, wall_ms]: [Option<u64>; 3]| {
                let limits = [(executions, "executions"), (steps, "steps"), (wall_ms, "ms")];
                let set: Vec<_> =
                    limits.iter().filter_map(|(n, u)| n.map(|n| format!("{n} {u}"))).collect();
                set.join(" and ")
            };
            return Err(mixed("budget", shown(*first), shown(*second)));
        }
        if let [first, second, ..] = &engines.items[..] {
            return Err(mixed("engine", first.clone(), second.clone()));
        }
        let [executions, steps, wall_ms] = budgets.items.first().copied().unwrap_or_default();
        Ok(Results {
            projects: projects.items,
            algorithms: algorithms.items,
            budget: Budget { executions, steps, wall_ms },
            runs,
            skipped: skipped(&dir.join("skipped.parquet"))?,
            dir: dir.to_owned(),
        })
    }

    /// The clock that the budget counts; executions come before steps before
    /// milliseconds where several are set.
    pub fn clock(&self) -> Clock {
        match self.budget {
            Budget { executions: None, steps: Some(_), .. } => Clock::Steps,
            Budget { executions: None, steps: None, wall_ms: Some(_) } => Clock::Wall,
            _ => Clock::Executions,
        }
    }

    /// Reads the improvements of all runs from `timeline.parquet`; those of one run
    /// stand together, in order of time.
    ///
    /// # Errors
    /// [`Error`], also for a run that `runs` does not have.
    pub fn improvements(&self, clock: Clock) -> Result<Vec<Improvement>, Error> {
        let path = self.dir.join("timeline.parquet");
        let known: HashMap<Digest, u32> =
            self.runs.iter().enumerate().map(|(i, run)| (run.id, i as u32)).collect();
        let mut improvements = Vec::new();
        read_slices(&path, &["run", clock.column(), "covered"], |frame| {
            let slice = Slice { frame, path: &path };
            let (ids, at, covered) =
                (slice.text("run")?, slice.u64(clock.column())?, slice.u32("covered")?);
            // Points of one run follow each other: its id is parsed once.
            let mut last: Option<(&str, u32)> = None;
            for row in 0..frame.height() {
                let id = slice.value("run", ids.get(row))?;
                let run = match last {
                    Some((seen, run)) if seen == id => run,
                    _ => *known
                        .get(&slice.digest(id)?)
                        .ok_or_else(|| slice.cell("run", id.to_owned()))?,
                };
                last = Some((id, run));
                improvements.push(Improvement {
                    run,
                    at: slice.value(clock.column(), at.get(row))?,
                    covered: slice.value("covered", covered.get(row))?,
                });
            }
            Ok(())
        })?;
        Ok(improvements)
    }
}

fn skipped(path: &Path) -> Result<Vec<Skipped>, Error> {
    let mut skipped = Vec::new();
    read_slices(path, &["project", "reason"], |frame| {
        let slice = Slice { frame, path };
        let (projects, reasons) = (slice.text("project")?, slice.text("reason")?);
        for row in 0..frame.height() {
            skipped.push(Skipped {
                project: slice.value("project", projects.get(row))?.to_owned(),
                reason: slice.value("reason", reasons.get(row))?.to_owned(),
            });
        }
        Ok(())
    })?;
    Ok(skipped)
}

const RUN_COLUMNS: [&str; 15] = [
    "run",
    "project",
    "project_digest",
    "algorithm",
    "seed",
    "budget_executions",
    "budget_steps",
    "budget_wall_ms",
    "engine",
    "outcome",
    "goals",
    "covered",
    "executions",
    "steps",
    "search_ms",
];

/// Some rows of a table, whose errors name the file and the column.
struct Slice<'a> {
    frame: &'a DataFrame,
    path: &'a Path,
}

impl<'a> Slice<'a> {
    fn text(&self, column: &str) -> Result<&'a StringChunked, Error> {
        self.frame.column(column).and_then(|c| c.str()).map_err(|e| self.wrong(e))
    }

    fn u64(&self, column: &str) -> Result<&'a UInt64Chunked, Error> {
        self.frame.column(column).and_then(|c| c.u64()).map_err(|e| self.wrong(e))
    }

    fn u32(&self, column: &str) -> Result<&'a UInt32Chunked, Error> {
        self.frame.column(column).and_then(|c| c.u32()).map_err(|e| self.wrong(e))
    }

    fn value<T>(&self, column: &'static str, value: Option<T>) -> Result<T, Error> {
        value.ok_or_else(|| self.cell(column, "null".to_owned()))
    }

    fn digest(&self, text: &str) -> Result<Digest, Error> {
        text.parse().map_err(|_| self.cell("run", text.to_owned()))
    }

    fn outcome(&self, text: &str) -> Result<Outcome, Error> {
        let known = OUTCOMES.iter().find(|o| o.1 == text);
        known.map(|o| o.0).ok_or_else(|| self.cell("outcome", text.to_owned()))
    }

    fn wrong(&self, source: polars_core::prelude::PolarsError) -> Error {
        Error::Table { path: self.path.to_owned(), source }
    }

    fn cell(&self, column: &'static str, value: String) -> Error {
        Error::Cell { path: self.path.to_owned(), column, value }
    }
}

/// Distinct items, numbered in the order of their first appearance.
struct Interner<T> {
    items: Vec<T>,
    numbers: HashMap<T, u32>,
}

impl<T> Default for Interner<T> {
    fn default() -> Interner<T> {
        Interner { items: Vec::new(), numbers: HashMap::new() }
    }
}

impl<T: Clone + Eq + Hash> Interner<T> {
    fn index(&mut self, item: T) -> u32 {
        if let Some(&number) = self.numbers.get(&item) {
            return number;
        }
        let number = self.items.len() as u32;
        self.items.push(item.clone());
        self.numbers.insert(item, number);
        number
    }
}
