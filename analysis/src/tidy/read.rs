//! From tables to samples.

mod lists;
mod measure;
mod rows;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use catherd_experiments::{Budget, Digest, Outcome};

use super::described::{self, Described};
use super::slice::{Interner, Slice};
use super::table::read_slices;
use super::{Clock, Dropped, Error, Skipped, UNCOUNTED};
use lists::{dropped, skipped};
pub use rows::Row;

/// A project of a study.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Project {
    /// Its name in tables.
    pub name: String,
    /// The digest of its bytes: projects of one name may differ. Empty if only the name
    /// is known, as in imported results.
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
    pub executions: Option<u64>,
    /// Steps of the search.
    pub steps: Option<u64>,
    /// Milliseconds of the search.
    pub search_ms: Option<u64>,
    /// Milliseconds of the whole run.
    pub wall_ms: Option<u64>,
    /// Tests in the final suite.
    pub suite_tests: Option<u32>,
    /// Events in the final suite.
    pub suite_events: Option<u32>,
    /// Events that minimisation removed.
    pub minimised_events: Option<u32>,
    /// Why it ended as it did, unless it is done: index into [`Results::reasons`].
    pub reason: Option<u32>,
}

impl Run {
    /// The covered share of the goals in 0..=1, from the counts, never from a rounded
    /// value; none unless the run is done and there are goals.
    pub fn coverage(&self) -> Option<f64> {
        (self.outcome == Outcome::Done && self.goals > 0)
            .then(|| f64::from(self.covered) / f64::from(self.goals))
    }

    /// The number of goals; none if only the covered share is known.
    pub fn size(&self) -> Option<u32> {
        Some(self.goals).filter(|&goals| goals > 0 && goals != UNCOUNTED)
    }

    /// What the search used, on a clock; none if that was not measured.
    pub fn spent(&self, clock: Clock) -> Option<u64> {
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

/// The results of one or several studies, as their tables have them.
#[derive(Clone, Debug, Default)]
pub struct Results {
    /// Projects in the order of their first run.
    pub projects: Vec<Project>,
    /// Labels of algorithms in the order of their first run.
    pub algorithms: Vec<String>,
    /// The budget of every run of each algorithm.
    pub budgets: Vec<Budget>,
    /// Runs in the order of the tables.
    pub runs: Vec<Run>,
    /// Why runs ended that are not done.
    pub reasons: Vec<String>,
    /// Projects that were not run.
    pub skipped: Vec<Skipped>,
    /// Configurations that lost a race, by their labels.
    pub dropped: Vec<Dropped>,
    /// What made the runs of each algorithm.
    engines: Vec<String>,
    /// The folders, and where the runs of each end.
    sources: Vec<(PathBuf, usize)>,
    /// What the projects are like.
    described: Described,
}

impl Results {
    /// Reads `runs.parquet`, `skipped.parquet` and, if they are there, `dropped.parquet` and
    /// `projects.csv` of a folder.
    ///
    /// # Errors
    /// [`Error`]; [`Error::Mixed`] if the runs differ in budget or engine.
    pub fn read(dir: &Path) -> Result<Results, Error> {
        let path = dir.join("runs.parquet");
        let mut projects = Interner::default();
        let mut algorithms = Interner::default();
        let mut budgets = Interner::default();
        let mut engines = Interner::default();
        let mut reasons = Interner::default();
        let mut runs = Vec::new();
        read_slices(&path, &RUN_COLUMNS, |frame| {
            let slice = Slice { frame, path: &path };
            let (ids, names) = (slice.text("run")?, slice.text("project")?);
            let (digests, labels) = (slice.text("project_digest")?, slice.text("algorithm")?);
            let (outcomes, engine) = (slice.text("outcome")?, slice.text("engine")?);
            let (seeds, executions) = (slice.u64("seed")?, slice.u64("executions")?);
            let (steps, search_ms) = (slice.u64("steps")?, slice.u64("search_ms")?);
            let (goals, covered) = (slice.u32("goals")?, slice.u32("covered")?);
            let (wall_ms, tests) = (slice.u64("wall_ms")?, slice.u32("suite_tests")?);
            let (events, minimised) = (slice.u32("suite_events")?, slice.u32("minimised_events")?);
            let reason = slice.text("reason")?;
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
                    executions: executions.get(row),
                    steps: steps.get(row),
                    search_ms: search_ms.get(row),
                    wall_ms: wall_ms.get(row),
                    suite_tests: tests.get(row),
                    suite_events: events.get(row),
                    minimised_events: minimised.get(row),
                    reason: reason.get(row).map(|reason| reasons.index(reason.to_owned())),
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
        let named = [("executions", executions), ("steps", steps)];
        let set = named.into_iter().filter_map(|(unit, limit)| Some((unit.to_owned(), limit?)));
        let budget = Budget { work: set.collect(), wall_ms };
        let engine = engines.items.pop().unwrap_or_default();
        Ok(Results {
            budgets: vec![budget; algorithms.items.len()],
            engines: vec![engine; algorithms.items.len()],
            projects: projects.items,
            algorithms: algorithms.items,
            sources: vec![(dir.to_owned(), runs.len())],
            runs,
            reasons: reasons.items,
            skipped: skipped(&dir.join("skipped.parquet"))?,
            dropped: dropped(&dir.join("dropped.parquet"))?,
            described: described::of(dir)?,
        })
    }

    /// Reads several folders as one study, such as imported results and our own.
    ///
    /// Projects are the same if their digests are, or if one of them has none and their
    /// names are the same. Algorithms are the same if label, engine and budget are; where
    /// only the label is, that of a later folder gets the folder's name in brackets. A run
    /// that an earlier folder has is left out. A folder that has `projects.csv` and no runs
    /// describes the projects of all the others.
    ///
    /// # Errors
    /// As [`Results::read`].
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

    fn append(&mut self, other: Results) {
        let mut known: HashMap<(String, String), u32> = HashMap::new();
        let mut named: HashMap<String, Vec<u32>> = HashMap::new();
        for (number, project) in (0..).zip(&self.projects) {
            known.insert((project.name.clone(), project.digest.clone()), number);
            named.entry(project.name.clone()).or_default().push(number);
        }
        let mut projects = Vec::new();
        for project in other.projects {
            let same_name = named.get(&project.name).map_or(&[][..], Vec::as_slice);
            let nameless =
                |&n: &u32| project.digest.is_empty() || self.projects[n as usize].digest.is_empty();
            let number = known
                .get(&(project.name.clone(), project.digest.clone()))
                .copied()
                .or_else(|| same_name.iter().copied().find(nameless))
                .unwrap_or(self.projects.len() as u32);
            if number as usize == self.projects.len() {
                self.projects.push(project);
            }
            projects.push(number);
        }
        let folder = other.sources.first().map(|(dir, _)| name_of(dir)).unwrap_or_default();
        let mut algorithms = Vec::new();
        for ((label, budget), engine) in
            other.algorithms.into_iter().zip(other.budgets).zip(other.engines)
        {
            let same = (0..self.algorithms.len()).find(|&a| {
                self.algorithms[a] == label
                    && self.budgets[a] == budget
                    && self.engines[a] == engine
            });
            algorithms.push(same.unwrap_or(self.algorithms.len()) as u32);
            let lost = other.dropped.iter().find(|dropped| dropped.algorithm == label).cloned();
            if same.is_none() {
                let taken = self.algorithms.contains(&label);
                self.algorithms.push(if taken { format!("{label} ({folder})") } else { label });
                self.budgets.push(budget);
                self.engines.push(engine);
            }
            // An algorithm that a study has on all projects has not lost.
            let number = algorithms[algorithms.len() - 1] as usize;
            if let (Some(dropped), None) = (lost, same) {
                self.dropped
                    .push(Dropped { algorithm: self.algorithms[number].clone(), ..dropped });
            }
        }
        let first_reason = self.reasons.len() as u32;
        self.reasons.extend(other.reasons);
        let seen: HashSet<Digest> = self.runs.iter().map(|run| run.id).collect();
        self.runs.extend(other.runs.into_iter().filter(|run| !seen.contains(&run.id)).map(
            |mut run| {
                run.project = projects[run.project as usize];
                run.algorithm = algorithms[run.algorithm as usize];
                run.reason = run.reason.map(|reason| first_reason + reason);
                run
            },
        ));
        self.sources.extend(other.sources.into_iter().map(|(dir, _)| (dir, self.runs.len())));
        self.skipped.extend(other.skipped);
    }

    /// The clock that the budgets count; executions come before steps before milliseconds
    /// where several are set. Budgets on different clocks have real time in common.
    pub fn clock(&self) -> Clock {
        let clock = |budget: &Budget| match (budget.limit("executions"), budget.limit("steps")) {
            (None, Some(_)) => Clock::Steps,
            (None, None) if budget.wall_ms.is_some() => Clock::Wall,
            _ => Clock::Executions,
        };
        let mut clocks = self.budgets.iter().map(clock);
        let first = clocks.next().unwrap_or(Clock::Executions);
        if clocks.all(|clock| clock == first) { first } else { Clock::Wall }
    }

    /// How an algorithm lost the race; none if it did not.
    pub fn lost(&self, algorithm: usize) -> Option<&Dropped> {
        self.dropped.iter().find(|dropped| dropped.algorithm == self.algorithms[algorithm])
    }

    /// The number of goals of each project; none if no run knows it.
    pub fn sizes(&self) -> Vec<Option<u32>> {
        let mut sizes = vec![None; self.projects.len()];
        for run in &self.runs {
            sizes[run.project as usize] = sizes[run.project as usize].max(run.size());
        }
        sizes
    }

    /// The number of seeds: runs that each algorithm has on each project if none is
    /// missing.
    pub fn seeds(&self) -> usize {
        self.runs.iter().map(|run| run.seed).collect::<HashSet<_>>().len()
    }

    /// The folders, and where the runs of each end.
    pub(super) fn sources(&self) -> &[(PathBuf, usize)] {
        &self.sources
    }

    pub(super) fn described(&self) -> &Described {
        &self.described
    }

    pub(super) fn numbers(&self) -> HashMap<Digest, u32> {
        self.runs.iter().enumerate().map(|(i, run)| (run.id, i as u32)).collect()
    }

    /// Reads the improvements of all runs from `timeline.parquet`; those of one run
    /// stand together, in order of time. Improvements that were not measured on this clock
    /// are left out.
    ///
    /// # Errors
    /// [`Error`], also for a run that `runs` does not have.
    pub fn improvements(&self, clock: Clock) -> Result<Vec<Improvement>, Error> {
        let known = self.numbers();
        let mut improvements = Vec::new();
        let mut first = 0;
        for (dir, end) in &self.sources {
            let path = dir.join("timeline.parquet");
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
                    // A run that stands in two folders has its points from the first.
                    if let Some(at) = at.get(row)
                        && (first..*end).contains(&(run as usize))
                    {
                        let covered = slice.value("covered", covered.get(row))?;
                        improvements.push(Improvement { run, at, covered });
                    }
                }
                Ok(())
            })?;
            first = *end;
        }
        Ok(improvements)
    }
}

/// The last part of a path.
fn name_of(dir: &Path) -> String {
    dir.file_name().unwrap_or(dir.as_os_str()).to_string_lossy().into_owned()
}

const RUN_COLUMNS: [&str; 20] = [
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
    "wall_ms",
    "suite_tests",
    "suite_events",
    "minimised_events",
    "reason",
];
