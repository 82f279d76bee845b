//! Reads results from tidy tables.

mod conditions;
mod criteria;
mod join;
mod lists;
mod metric;
mod rows;
mod runs;
mod select;

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use catherd_experiments::{Budget, Digest, RunOutcome, Stop, SubjectInfo, format_1};
use polars_arrow::array::StaticArray as _;

use super::described::{self, Described, Project};
use super::slice::Slice;
use super::table::read_slices;
use super::{Clock, Dropped, Error, Interim, RunStates, Skipped, UNCOUNTED, plan, subject};
pub use conditions::{PlacedRuns, RunConditions, SHARES};
pub use criteria::{CriteriaImprovements, CriterionCoverage};
use lists::{dropped, skipped};
pub use rows::{RawRow, RecordDigests};
use runs::{RUN_COLUMNS, Runs};
pub use select::{Selection, SelectionError};

/// The part of a run that tables and figures need. The work of runs is in [`Results::work`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Run {
    /// Id of the run.
    pub id: Digest,
    /// Index into [`Results::projects`].
    pub project: u32,
    /// Index into [`Results::algorithms`].
    pub algorithm: u32,
    /// Seed of the run.
    pub seed: u64,
    /// How the run ended.
    pub outcome: RunOutcome,
    /// Number of goals of the project under the first criterion; [`UNCOUNTED`] if only the covered
    /// share is known.
    pub goals: u32,
    /// Number of covered goals, at most `goals`.
    pub covered: u32,
    /// Time of the search in milliseconds.
    pub search_ms: Option<u64>,
    /// Time of the whole run in milliseconds.
    pub wall_ms: Option<u64>,
    /// Number of tests in the final suite.
    pub suite_tests: Option<u32>,
    /// Size of the final suite in the unit of the subject kind.
    pub suite_size: Option<u32>,
    /// Reduction in the size of the suite by minimisation.
    pub suite_removed: Option<u32>,
    /// The reason for the outcome, as an index into [`Results::reasons`].
    pub reason: Option<u32>,
}

impl Run {
    /// The covered share of the goals in 0..=1, if the run is done and there are goals.
    pub fn coverage(&self) -> Option<f64> {
        (self.outcome == RunOutcome::Done && self.goals > 0)
            .then(|| f64::from(self.covered) / f64::from(self.goals))
    }

    /// The number of goals, if it is known.
    pub fn size(&self) -> Option<u32> {
        Some(self.goals).filter(|&goals| goals > 0 && goals != UNCOUNTED)
    }
}

/// A point of a coverage timeline, on one clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Improvement {
    /// Index into [`Results::runs`].
    pub run: u32,
    /// Time of the improvement on the clock, from the start of the search.
    pub at: u64,
    /// Number of goals covered from this time on.
    pub covered: u32,
}

#[derive(Clone, Debug)]
pub(super) struct Source {
    pub(super) dir: PathBuf,
    /// Index after the last run of the folder in [`Results::runs`].
    pub(super) end: usize,
    pub(super) subject: SubjectInfo,
    pub(super) names: Names,
    /// The labels of the algorithms in the folder, and in the joined results before a selection.
    pub(super) labels: Vec<(String, String)>,
}

impl Source {
    /// The label in the joined results, before a selection, of the algorithm with this label in
    /// the folder.
    pub(super) fn planned_label<'a>(&'a self, label: &'a str) -> &'a str {
        let found = self.labels.iter().find(|(own, _)| own == label);
        found.map_or(label, |(_, planned)| planned)
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Names {
    pub(super) suite_size: &'static str,
    pub(super) suite_removed: &'static str,
    pub(super) metrics: &'static str,
    /// The columns with digests in format 1 and in format 2.
    pub(super) records: (Option<&'static str>, Option<&'static str>),
}

const NAMES: Names = Names {
    suite_size: "suite_size",
    suite_removed: "suite_removed",
    metrics: "metrics",
    records: (Some("record_format_1"), Some("record")),
};

const NAMES_OF_FORMAT_1: Names = Names {
    suite_size: "suite_events",
    suite_removed: "minimised_events",
    metrics: "counts",
    records: (Some("record"), None),
};

/// The results of one or several studies, as in their tables.
#[derive(Clone, Debug, Default)]
pub struct Results {
    /// The units and measures of the runs.
    pub subject: SubjectInfo,
    /// The projects.
    pub projects: Vec<Project>,
    /// Labels of the algorithms.
    pub algorithms: Vec<String>,
    /// The budget of the runs of each algorithm.
    pub budgets: Vec<Budget>,
    /// Runs in the order of the tables.
    pub runs: Vec<Run>,
    /// Work of each run, by unit in the order of `subject.units`.
    pub work: Vec<Vec<Option<u64>>>,
    /// Reasons for the outcomes of runs that are not done.
    pub reasons: Vec<String>,
    /// Projects that were not run.
    pub skipped: Vec<Skipped>,
    /// Configurations that lost a race, by their labels.
    pub dropped: Vec<Dropped>,
    /// The states of the runs of the studies.
    pub states: Option<RunStates>,
    /// The rule by which the study ends when its comparisons are decided.
    pub stop: Option<Stop>,
    /// Styles chosen for algorithms, by label, as numbers of
    /// [`palette`](catherd_experiments::palette).
    pub styles: std::collections::BTreeMap<String, usize>,
    /// The labels of the algorithms before a selection replaced them.
    planned_labels: Vec<String>,
    /// Whether algorithms were selected. The tables may then contain runs that are not shown.
    is_selection: bool,
    seeds: BTreeSet<u64>,
    engines: Vec<String>,
    sources: Vec<Source>,
    described: Described,
}

impl Results {
    /// Reads the tables of a folder. A folder without `subject.json` is read as a folder of version
    /// 0.3.0.
    ///
    /// # Errors
    /// [`Error`] if a file cannot be read, or if the runs differ in budget or engine.
    pub fn read(dir: &Path) -> Result<Results, Error> {
        let path = dir.join("runs.parquet");
        let described = described::of(dir)?;
        let (mut subject, names) = match subject::read(dir)? {
            Some(subject) => (subject, NAMES),
            None => (format_1::subject_info("", ""), NAMES_OF_FORMAT_1),
        };
        let mut table = Runs::of(&subject);
        // Version 0.3.0 left quarantined runs out of its tables, so the tables do not agree with
        // the plan.
        let plan = if names.records.1.is_some() { plan::read(dir)? } else { None };
        if let Some(plan) = &plan {
            table.expect(plan);
        }
        let units: Vec<String> = subject.units.iter().map(|unit| unit.name.clone()).collect();
        let limits: Vec<String> = units.iter().map(|unit| format!("budget_{unit}")).collect();
        let mut columns = RUN_COLUMNS.to_vec();
        columns.extend([names.suite_size, names.suite_removed]);
        columns.extend(units.iter().chain(&limits).map(String::as_str));
        read_slices(&path, &columns, |batch| {
            table.read(&Slice { batch, path: &path }, &names, &units, &limits)
        })?;
        let Runs {
            projects,
            algorithms,
            budgets,
            mut engines,
            kinds,
            reasons,
            mut seeds,
            runs,
            work,
        } = table;
        seeds.extend(runs.iter().map(|run| run.seed));
        let mixed = |what, first: String, second: String| Error::Mixed {
            path: path.clone(),
            what,
            first,
            second,
        };
        if let [first, second, ..] = &budgets.items[..] {
            let shown = |budget: &Budget| {
                let work = units.iter().filter_map(|unit| Some((budget.limit(unit)?, &**unit)));
                let wall = budget.wall_ms.map(|ms| (ms, "ms"));
                let limits: Vec<_> =
                    work.chain(wall).map(|(n, unit)| format!("{n} {unit}")).collect();
                limits.join(" and ")
            };
            return Err(mixed("budget", shown(first), shown(second)));
        }
        if let [first, second, ..] = &engines.items[..] {
            return Err(mixed("engine", first.clone(), second.clone()));
        }
        let budget = budgets.items.first().cloned().unwrap_or_default();
        let engine = engines.items.pop().unwrap_or_default();
        if let (true, Some(kind)) = (subject.kind.is_empty(), kinds.items.first()) {
            subject = format_1::subject_info(kind, &engine);
        }
        let end = runs.len();
        let labels = algorithms.items.iter().map(|label| (label.clone(), label.clone()));
        let labels = labels.collect();
        let source = Source { dir: dir.to_owned(), end, subject: subject.clone(), names, labels };
        Ok(Results {
            states: RunStates::read(dir)?.or_else(|| Some(plan::states(plan.as_ref()?, end))),
            seeds,
            budgets: vec![budget; algorithms.items.len()],
            engines: vec![engine; algorithms.items.len()],
            projects: projects.items,
            planned_labels: algorithms.items.clone(),
            is_selection: false,
            algorithms: algorithms.items,
            sources: vec![source],
            subject,
            runs,
            work,
            reasons: reasons.items,
            skipped: skipped(&dir.join("skipped.parquet"))?,
            dropped: dropped(&dir.join("dropped.parquet"))?,
            described,
            stop: plan.as_ref().and_then(|plan| plan.stop),
            styles: std::collections::BTreeMap::new(),
        })
    }

    /// Reads several folders as one study.
    ///
    /// Equal projects, algorithms and runs are merged. A folder with `projects.csv` but without
    /// runs describes the projects of the other folders.
    ///
    /// # Errors
    /// As for [`Results::read`].
    pub fn read_all<P: AsRef<Path>>(dirs: &[P]) -> Result<Results, Error> {
        let mut all: Option<Results> = None;
        let mut described = Described::default();
        for dir in dirs.iter().map(AsRef::as_ref) {
            let description = dir.join(described::FILE);
            if description.exists() {
                described.read(&description)?;
                if !dir.join("runs.parquet").exists() {
                    continue;
                }
            }
            let results = Results::read(dir)?;
            match &mut all {
                Some(all) => all.append(results),
                None => all = Some(results),
            }
        }
        Ok(Results { described, ..all.unwrap_or_default() })
    }

    pub(crate) fn seed_list(&self) -> Vec<u64> {
        self.seeds.iter().copied().collect()
    }

    pub(crate) fn series(&self, algorithm: usize) -> crate::figure::Series {
        let styles = catherd_experiments::palette::styles(&self.algorithms, &self.styles);
        crate::figure::Series::Algorithm(styles[algorithm])
    }

    /// The clock on which the budgets are measured; real time if their clocks differ.
    pub fn clock(&self) -> Clock {
        let unit = |budget: &Budget| {
            let limited = self.subject.units.iter().find(|unit| budget.limit(&unit.name).is_some());
            limited.or_else(|| self.subject.units.first().filter(|_| budget.wall_ms.is_none()))
        };
        let mut units = self.budgets.iter().map(unit);
        let first = units.next().unwrap_or(self.subject.units.first());
        match first {
            Some(unit) if units.all(|other| other == first) => Clock::Work(unit.clone()),
            _ => Clock::Wall,
        }
    }

    /// The clock of a unit.
    pub fn clock_of(&self, unit: &str) -> Option<Clock> {
        self.subject.unit(unit).cloned().map(Clock::Work)
    }

    /// The work or time of the search of a run on a clock.
    pub fn spent(&self, run: usize, clock: &Clock) -> Option<u64> {
        match clock {
            Clock::Work(unit) => {
                let at = self.subject.units.iter().position(|known| known.name == unit.name)?;
                self.work[at][run]
            }
            Clock::Wall => self.runs[run].search_ms,
        }
    }

    /// Index of the unit of work that measures the time of the program under test, and the number
    /// of these units per second.
    pub fn program_time(&self) -> Option<(usize, f64)> {
        let mut units = self.subject.units.iter().enumerate();
        units.find_map(|(at, unit)| Some((at, unit.per_second?)))
    }

    /// Data about the race in which an algorithm was dropped.
    pub fn lost(&self, algorithm: usize) -> Option<&Dropped> {
        self.dropped.iter().find(|dropped| dropped.algorithm == self.algorithms[algorithm])
    }

    /// The number of goals of each project.
    pub fn sizes(&self) -> Vec<Option<u32>> {
        let mut sizes = vec![None; self.projects.len()];
        for run in &self.runs {
            sizes[run.project as usize] = sizes[run.project as usize].max(run.size());
        }
        sizes
    }

    /// The number of seeds.
    pub fn seeds(&self) -> usize {
        self.seeds.len()
    }

    /// The progress of incomplete studies.
    pub fn interim(&self) -> Option<Interim> {
        let states = self.states.filter(|states| !states.is_complete())?;
        Some(Interim { planned: states.planned, ended: states.ended() })
    }

    /// Whether the study is or was analysed during its execution. Ordinary p-values are not valid
    /// then.
    pub fn is_looked_at(&self) -> bool {
        self.interim().is_some() || self.stop.is_some()
    }

    pub(crate) fn margin(&self) -> f64 {
        self.stop.map_or(crate::findings::MARGIN, |stop| stop.margin)
    }

    pub(crate) fn folders(&self) -> usize {
        self.sources.len()
    }

    pub(super) fn is_selection(&self) -> bool {
        self.is_selection
    }

    /// The label of the algorithm that had this label before a selection; `None` if the selection
    /// left the algorithm out.
    pub(super) fn shown_as(&self, label: &str) -> Option<&str> {
        let at = self.planned_labels.iter().position(|known| known == label)?;
        Some(&self.algorithms[at])
    }

    pub(super) fn sources(&self) -> &[Source] {
        &self.sources
    }

    pub(super) fn described(&self) -> &Described {
        &self.described
    }

    pub(super) fn numbers(&self) -> HashMap<Digest, u32> {
        self.runs.iter().enumerate().map(|(i, run)| (run.id, i as u32)).collect()
    }

    /// Reads the improvements of all runs from `timeline.parquet`. The improvements of a run are
    /// consecutive and in the order of time. Improvements that were not measured on this clock are
    /// left out.
    ///
    /// # Errors
    /// [`Error`] if a table cannot be read or names an unknown run.
    pub fn improvements(&self, clock: &Clock) -> Result<Vec<Improvement>, Error> {
        let known = self.numbers();
        let mut improvements = Vec::new();
        let mut first = 0;
        let column = clock.column();
        for Source { dir, end, subject, .. } in &self.sources {
            let begin = std::mem::replace(&mut first, *end);
            if matches!(clock, Clock::Work(_)) && subject.unit(column).is_none() {
                continue;
            }
            let path = dir.join("timeline.parquet");
            read_slices(&path, &["run", column, "covered"], |batch| {
                let slice = Slice { batch, path: &path };
                let (ids, at, covered) =
                    (slice.text("run")?, slice.u64(column)?, slice.u32("covered")?);
                // The points of a run are consecutive, so the id is parsed only once.
                let mut last: Option<(&str, Option<u32>)> = None;
                for row in 0..batch.len() {
                    let id = slice.value("run", ids.get(row))?;
                    let run = match last {
                        Some((seen, run)) if seen == id => run,
                        _ => known.get(&slice.digest(id)?).copied(),
                    };
                    last = Some((id, run));
                    let run = match run {
                        Some(run) => run,
                        None if self.is_selection() => continue,
                        None => return Err(slice.cell("run", id.to_owned())),
                    };
                    // If several folders contain a run, the first folder is used.
                    if let Some(at) = at.get(row)
                        && (begin..*end).contains(&(run as usize))
                    {
                        let covered = slice.value("covered", covered.get(row))?;
                        improvements.push(Improvement { run, at, covered });
                    }
                }
                Ok(())
            })?;
        }
        Ok(improvements)
    }
}
