//! How far the studies of a store are.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use crate::coverage_curve::CoverageCurve;
use crate::ledger::{Ledger, Phase, PhaseCounts, RunNumber, Token};
use crate::store::{StoredRecord, StoredStudy, StudyNumber, StudyState};

/// Rates are taken over this time.
const WINDOW: Duration = Duration::from_secs(30);

/// A snapshot of all active studies together: planned = pending + leased + done + failed +
/// quarantined.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// Runs wanted.
    pub planned: u64,
    /// Runs that wait.
    pub pending: u64,
    /// Runs in the hands of workers.
    pub leased: u64,
    /// Runs that ended properly.
    pub done: u64,
    /// Runs with a verdict against them.
    pub failed: u64,
    /// Runs given up.
    pub quarantined: u64,
    /// Accepted records per second over the last half minute.
    pub runs_per_second: f64,
    /// Of the runs that are done and have goals, in 0..=1.
    pub mean_coverage: Option<f64>,
    /// Until the last run ends, from measured run times.
    pub eta: Option<Duration>,
    /// The runs that workers execute just now, as of their last heartbeats.
    pub running: Vec<ExecutingRun>,
    /// What keeps the coordinator from working, such as a full disk.
    pub last_error: Option<String>,
    /// Every study of the store, by number.
    pub studies: Vec<StudyProgress>,
    /// RunProgress workers by name.
    pub workers: Vec<WorkerProgress>,
    /// Coverage over executions of the runs accepted since the coordinator started, by study
    /// and algorithm.
    pub curves: Vec<AlgorithmCurve>,
    /// Studies that are being added or extended.
    pub planning: Vec<PlanningProgress>,
}

/// A study on its way into the store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlanningProgress {
    /// Its name.
    pub study: String,
    /// Its runs that are there.
    pub runs: usize,
    /// All its runs.
    pub of: usize,
}

/// What a worker does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerProgress {
    /// Its name.
    pub name: String,
    /// Leases that it holds.
    pub leases: usize,
    /// Records of it that were accepted since the coordinator started.
    pub accepted: u64,
    /// Time since it was last heard of.
    pub silent: Duration,
    /// It gets no more runs, since one after another crashed on it.
    pub drained: bool,
}

/// Interim coverage of an algorithm in a study.
#[derive(Clone, Debug, PartialEq)]
pub struct AlgorithmCurve {
    /// The study.
    pub study: StudyNumber,
    /// The algorithm's label.
    pub label: String,
    /// The mean over its runs.
    pub curve: CoverageCurve,
}

/// How far a study is.
#[derive(Clone, Debug, PartialEq)]
pub struct StudyProgress {
    /// Its number.
    pub number: StudyNumber,
    /// Its name.
    pub name: String,
    /// Whether its runs are wanted now.
    pub state: StudyState,
    /// Its runs by phase.
    pub counts: PhaseCounts,
    /// Of the runs that are done and have goals, in 0..=1.
    pub mean_coverage: Option<f64>,
}

impl Progress {
    /// The study of a name.
    pub fn study(&self, name: &str) -> Option<&StudyProgress> {
        self.studies.iter().find(|study| study.name == name)
    }

    /// Every run has ended.
    pub fn is_finished(&self) -> bool {
        self.pending == 0 && self.leased == 0
    }
}

/// How far a run is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunProgress {
    /// Work so far, by the name of the unit.
    pub work: BTreeMap<String, u64>,
    /// Goals covered so far.
    pub covered: u32,
    /// Goals of the project.
    pub goals: u32,
}

/// A run in the hands of a worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecutingRun {
    /// The run.
    pub run: RunNumber,
    /// Who executes it.
    pub worker: String,
    /// How far it is.
    pub run_progress: RunProgress,
}

/// A sum of coverages, and how many.
#[derive(Clone, Copy, Debug, Default)]
struct Sum(f64, u64);

impl Sum {
    fn mean(self) -> Option<f64> {
        (self.1 > 0).then(|| self.0 / self.1 as f64)
    }
}

/// What the snapshots need beyond the ledger.
#[derive(Debug, Default)]
pub(crate) struct ProgressTracker {
    /// (second, records accepted in it), the oldest first.
    recent: VecDeque<(u64, u64)>,
    started: Duration,
    studies: Vec<StoredStudy>,
    /// Those whose runs are given out.
    active: Vec<StudyNumber>,
    coverage: BTreeMap<StudyNumber, Sum>,
    run_progress: BTreeMap<Token, RunProgress>,
    by_worker: BTreeMap<String, u64>,
    curves: BTreeMap<(StudyNumber, String), CoverageCurve>,
}

impl ProgressTracker {
    /// A tracker that starts with the coverage of earlier sessions: study, sum, number.
    pub(crate) fn new(
        now: Duration,
        studies: Vec<StoredStudy>,
        active: Vec<StudyNumber>,
        coverage: Vec<(StudyNumber, f64, u64)>,
    ) -> ProgressTracker {
        let coverage = coverage.into_iter().map(|(study, sum, count)| (study, Sum(sum, count)));
        ProgressTracker {
            started: now,
            studies,
            active,
            coverage: coverage.collect(),
            ..ProgressTracker::default()
        }
    }

    /// The same, with what an earlier tracker counted since the coordinator started.
    pub(crate) fn after(self, earlier: ProgressTracker) -> ProgressTracker {
        let ProgressTracker { recent, started, run_progress, by_worker, curves, .. } = earlier;
        ProgressTracker { recent, started, run_progress, by_worker, curves, ..self }
    }

    /// Learns which studies there are, and of which the runs are given out.
    pub(crate) fn restate(&mut self, studies: Vec<StoredStudy>, active: Vec<StudyNumber>) {
        (self.studies, self.active) = (studies, active);
    }

    /// Learns the sum and number of the coverages of a study that has other runs now.
    pub(crate) fn cover(&mut self, study: StudyNumber, coverage: Option<(f64, u64)>) {
        let (sum, count) = coverage.unwrap_or_default();
        self.coverage.insert(study, Sum(sum, count));
    }

    /// Notes the record of a run of the algorithm `label` that `studies` want.
    pub(crate) fn accepted(
        &mut self,
        now: Duration,
        record: &StoredRecord,
        worker: &str,
        label: &str,
        studies: &[StudyNumber],
    ) {
        match self.by_worker.get_mut(worker) {
            Some(count) => *count += 1,
            None => drop(self.by_worker.insert(worker.to_owned(), 1)),
        }
        let coverage = record.coverage();
        match self.recent.back_mut() {
            Some((second, count)) if *second == now.as_secs() => *count += 1,
            _ => self.recent.push_back((now.as_secs(), 1)),
        }
        for study in studies {
            if let Some(coverage) = coverage {
                let Sum(sum, count) = self.coverage.entry(*study).or_default();
                *sum += coverage;
                *count += 1;
            }
            if let Some(curve) = &record.curve {
                self.curves.entry((*study, label.to_owned())).or_default().add(curve);
            }
        }
    }

    pub(crate) fn watched(&mut self, run_progress: Vec<(Token, RunProgress)>) {
        self.run_progress.extend(run_progress);
    }

    pub(crate) fn snapshot(&mut self, now: Duration, ledger: &Ledger) -> Progress {
        let oldest = now.saturating_sub(WINDOW).as_secs();
        while self.recent.front().is_some_and(|&(second, _)| second < oldest) {
            self.recent.pop_front();
        }
        self.run_progress.retain(|&token, _| ledger.lease(token).is_some());
        let running = self.run_progress.iter().filter_map(|(&token, run_progress)| {
            let (run, worker) = ledger.lease(token)?;
            let run_progress = run_progress.clone();
            Some(ExecutingRun { run, worker: worker.to_owned(), run_progress })
        });
        let running = running.collect();
        let accepted: u64 = self.recent.iter().map(|&(_, count)| count).sum();
        let over = now.saturating_sub(self.started).min(WINDOW).as_secs_f64().max(0.1);
        let workers = ledger.live_workers();
        let share = |work: Duration| work / u32::try_from(workers).unwrap_or(u32::MAX);
        let counts = ledger.counts();
        Progress {
            planned: counts.planned(),
            pending: counts.of(Phase::Pending),
            leased: counts.of(Phase::Leased),
            done: counts.of(Phase::Done),
            failed: counts.of(Phase::Failed),
            quarantined: counts.of(Phase::Quarantined),
            runs_per_second: accepted as f64 / over,
            mean_coverage: self.mean_coverage(),
            eta: if workers == 0 { None } else { ledger.queue().expected_work().map(share) },
            running,
            last_error: None,
            studies: self.studies.iter().map(|study| self.study(study, ledger)).collect(),
            workers: self.workers(now, ledger),
            curves: self.curves(),
            planning: Vec::new(),
        }
    }

    fn workers(&self, now: Duration, ledger: &Ledger) -> Vec<WorkerProgress> {
        let workers = ledger.workers().map(|(name, leases, seen, drained)| WorkerProgress {
            name: name.to_owned(),
            leases,
            accepted: self.by_worker.get(name).copied().unwrap_or_default(),
            silent: now.saturating_sub(seen),
            drained,
        });
        workers.collect()
    }

    fn curves(&self) -> Vec<AlgorithmCurve> {
        let curves = self.curves.iter().map(|((study, label), curve)| AlgorithmCurve {
            study: *study,
            label: label.clone(),
            curve: curve.clone(),
        });
        curves.collect()
    }

    fn mean_coverage(&self) -> Option<f64> {
        let active = self.active.iter().filter_map(|study| self.coverage.get(study));
        active.fold(Sum::default(), |all, one| Sum(all.0 + one.0, all.1 + one.1)).mean()
    }

    fn study(&self, study: &StoredStudy, ledger: &Ledger) -> StudyProgress {
        StudyProgress {
            number: study.number,
            name: study.name.clone(),
            state: study.state,
            counts: ledger.counts_of(study.number),
            mean_coverage: self.coverage.get(&study.number).copied().and_then(Sum::mean),
        }
    }
}
