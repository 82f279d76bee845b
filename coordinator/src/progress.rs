//! Progress of the studies of a store.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use catherd_experiments::Algorithm;
use serde::Deserialize;

use crate::coverage_curve::CoverageCurve;
use crate::ids::{RunNumber, StudyNumber, Token};
use crate::ledger::{Ledger, Phase, PhaseCounts};
use crate::queue::SubjectEngine;
use crate::store::{StoredRecord, StoredStudy, StudyState};

/// Time over which rates are averaged.
const RATE_WINDOW: Duration = Duration::from_secs(30);

/// The progress of all active studies together: planned = pending + leased + done + failed +
/// quarantined.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// All runs.
    pub planned: u64,
    /// Runs queued for a worker.
    pub pending: u64,
    /// Runs leased to workers.
    pub leased: u64,
    /// Runs with an accepted record without an error.
    pub done: u64,
    /// Runs with an accepted record in which the tool reported an error.
    pub failed: u64,
    /// Runs that are not attempted again, because too many attempts ended without a record.
    pub quarantined: u64,
    /// Accepted records per second over the last half minute.
    pub runs_per_second: f64,
    /// Mean coverage of the runs that are done and have goals, in 0..=1.
    pub mean_coverage: Option<f64>,
    /// Expected time until the last run ends, estimated from measured run times and from the time
    /// for which runs have been executing; `None` if unknown, or if runs wait for a worker that can
    /// execute them.
    pub eta: Option<Duration>,
    /// The runs that workers are executing, as of their last heartbeats.
    pub executing: Vec<ExecutingRun>,
    /// The last error of the store, such as a full disk; `None` after a successful transaction.
    pub last_error: Option<String>,
    /// Damage of the store that stops the work that needs the damaged part; `None` if none is
    /// known.
    pub damage: Option<String>,
    /// A message about a file of the store that another program has deleted or replaced. This
    /// coordinator answers no more requests and has to be restarted. `None` if that has not
    /// happened.
    pub lost_file: Option<String>,
    /// All studies of the store, by number.
    pub studies: Vec<StudyProgress>,
    /// Live workers by name.
    pub workers: Vec<WorkerProgress>,
    /// Coverage over executions of the runs accepted since the coordinator started, by study and
    /// algorithm.
    pub curves: Vec<AlgorithmCurve>,
    /// Studies that are being planned.
    pub planning: Vec<PlanningProgress>,
    /// Pending runs that no live worker executes.
    pub unserved: Vec<UnservedRuns>,
}

/// Pending runs of a subject kind that no live worker executes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnservedRuns {
    /// The subject kind.
    pub kind: String,
    /// The engine id that the runs need.
    pub engine: String,
    /// Number of runs.
    pub runs: usize,
}

/// Progress of the planning of a study.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlanningProgress {
    /// The study's name.
    pub study: String,
    /// Number of its runs that are in the store.
    pub planned: usize,
    /// Number of all its runs.
    pub total: usize,
}

/// Progress of a worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerProgress {
    /// Its name.
    pub name: String,
    /// Number of leases that it holds.
    pub leases: usize,
    /// Number of its records that were accepted since the coordinator started.
    pub accepted: u64,
    /// Time since its last request.
    pub silent: Duration,
    /// It is given no more runs, because too many runs in a row crashed on it.
    pub drained: bool,
}

/// Interim coverage of an algorithm in a study.
#[derive(Clone, Debug, PartialEq)]
pub struct AlgorithmCurve {
    /// The study.
    pub study: StudyNumber,
    /// The algorithm's label.
    pub label: String,
    /// Its position in the study, which decides its colour; `None` if the study's plan does not
    /// contain it.
    pub position: Option<usize>,
    /// The mean over its runs.
    pub curve: CoverageCurve,
}

/// Progress of a study.
#[derive(Clone, Debug, PartialEq)]
pub struct StudyProgress {
    /// Its number.
    pub number: StudyNumber,
    /// Its name.
    pub name: String,
    /// Whether its runs are leased.
    pub state: StudyState,
    /// Its runs by phase.
    pub counts: PhaseCounts,
    /// Mean coverage of the runs that are done and have goals, in 0..=1.
    pub mean_coverage: Option<f64>,
}

impl Progress {
    /// The study of a name; `None` if there is no such study.
    pub fn study(&self, name: &str) -> Option<&StudyProgress> {
        self.studies.iter().find(|study| study.name == name)
    }

    /// Whether every run of the active studies has ended.
    pub fn is_finished(&self) -> bool {
        self.pending == 0 && self.leased == 0
    }
}

/// Progress of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunProgress {
    /// Work so far, by the name of the unit.
    pub work: BTreeMap<String, u64>,
    /// Goals covered so far.
    pub covered: u32,
    /// Goals of the project.
    pub goals: u32,
}

/// A run that a worker is executing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecutingRun {
    /// The run.
    pub run: RunNumber,
    /// The worker.
    pub worker: String,
    /// Its progress.
    pub progress: RunProgress,
}

/// Sum and number of coverages.
#[derive(Clone, Copy, Debug, Default)]
struct CoverageSum(f64, u64);

impl CoverageSum {
    fn mean(self) -> Option<f64> {
        (self.1 > 0).then(|| self.0 / self.1 as f64)
    }
}

/// The counters that the progress needs beyond the ledger.
#[derive(Debug, Default)]
pub(crate) struct ProgressTracker {
    /// Accepted records by second: (second, number), the oldest first.
    recent: VecDeque<(u64, u64)>,
    started: Duration,
    studies: Vec<StoredStudy>,
    active: Vec<StudyNumber>,
    coverage: BTreeMap<StudyNumber, CoverageSum>,
    /// The runs that are being executed, each with the time of its first heartbeat.
    executing: BTreeMap<Token, (Duration, RunProgress)>,
    accepted_by_worker: BTreeMap<String, u64>,
    curves: BTreeMap<(StudyNumber, String), CoverageCurve>,
    /// Labels of the algorithms of each study, in its order.
    labels: BTreeMap<StudyNumber, Vec<String>>,
}

/// The part of a stored plan that the progress needs.
#[derive(Deserialize)]
struct PlannedAlgorithms {
    algorithms: Vec<Algorithm>,
}

fn labels(studies: &[StoredStudy]) -> BTreeMap<StudyNumber, Vec<String>> {
    let of = |study: &StoredStudy| {
        let plan: PlannedAlgorithms = serde_json::from_slice(&study.plan).ok()?;
        let labels = plan.algorithms.into_iter().map(|algorithm| algorithm.label);
        Some((study.number, labels.collect()))
    };
    studies.iter().filter_map(of).collect()
}

impl ProgressTracker {
    /// A tracker that starts with the stored coverages: study, sum and number.
    pub(crate) fn new(
        now: Duration,
        studies: Vec<StoredStudy>,
        active: Vec<StudyNumber>,
        coverage: Vec<(StudyNumber, f64, u64)>,
    ) -> ProgressTracker {
        let coverage =
            coverage.into_iter().map(|(study, sum, count)| (study, CoverageSum(sum, count)));
        let coverage = coverage.collect();
        let labels = labels(&studies);
        ProgressTracker {
            started: now,
            studies,
            active,
            coverage,
            labels,
            ..ProgressTracker::default()
        }
    }

    /// This tracker, with the counters that an earlier tracker has gathered since the start of the
    /// coordinator.
    pub(crate) fn continuing(self, earlier: ProgressTracker) -> ProgressTracker {
        let ProgressTracker { recent, started, executing, accepted_by_worker, curves, .. } =
            earlier;
        ProgressTracker { recent, started, executing, accepted_by_worker, curves, ..self }
    }

    /// Replaces the list of studies, and the list of the active ones.
    pub(crate) fn set_studies(&mut self, studies: Vec<StoredStudy>, active: Vec<StudyNumber>) {
        self.labels = labels(&studies);
        (self.studies, self.active) = (studies, active);
    }

    /// Replaces sum and number of the coverages of a study whose runs have changed.
    pub(crate) fn set_coverage(&mut self, study: StudyNumber, coverage: Option<(f64, u64)>) {
        let (sum, count) = coverage.unwrap_or_default();
        self.coverage.insert(study, CoverageSum(sum, count));
    }

    /// Forgets the counters of a study that was deleted.
    pub(crate) fn forget(&mut self, study: StudyNumber) {
        self.coverage.remove(&study);
        self.curves.retain(|(of, _), _| *of != study);
    }

    /// Moves the counters of a study whose number has changed.
    pub(crate) fn renumber(&mut self, former: StudyNumber, study: StudyNumber) {
        self.coverage.remove(&former);
        let curves = std::mem::take(&mut self.curves).into_iter();
        let number = |of| if of == former { study } else { of };
        self.curves = curves.map(|((of, label), curve)| ((number(of), label), curve)).collect();
    }

    /// Counts an accepted record of a run of the algorithm `label`, which `studies` contain.
    pub(crate) fn note_accepted(
        &mut self,
        now: Duration,
        record: &StoredRecord,
        worker: &str,
        label: &str,
        studies: &[StudyNumber],
    ) {
        match self.accepted_by_worker.get_mut(worker) {
            Some(count) => *count += 1,
            None => drop(self.accepted_by_worker.insert(worker.to_owned(), 1)),
        }
        let coverage = record.coverage();
        match self.recent.back_mut() {
            Some((second, count)) if *second == now.as_secs() => *count += 1,
            _ => self.recent.push_back((now.as_secs(), 1)),
        }
        for study in studies {
            if let Some(coverage) = coverage {
                let CoverageSum(sum, count) = self.coverage.entry(*study).or_default();
                *sum += coverage;
                *count += 1;
            }
            if let Some(curve) = &record.curve {
                self.curves.entry((*study, label.to_owned())).or_default().add(curve);
            }
        }
    }

    /// Replaces the progress of runs that are being executed.
    pub(crate) fn note_run_progress(&mut self, now: Duration, progress: Vec<(Token, RunProgress)>) {
        for (token, progress) in progress {
            let (_, latest) = self.executing.entry(token).or_insert((now, RunProgress::default()));
            *latest = progress;
        }
    }

    pub(crate) fn snapshot(&mut self, now: Duration, ledger: &Ledger) -> Progress {
        let oldest = now.saturating_sub(RATE_WINDOW).as_secs();
        while self.recent.front().is_some_and(|&(second, _)| second < oldest) {
            self.recent.pop_front();
        }
        self.executing.retain(|&token, _| ledger.lease(token).is_some());
        let executing = self.executing.iter().filter_map(|(&token, progress)| {
            let (run, worker) = ledger.lease(token)?;
            let progress = progress.1.clone();
            Some(ExecutingRun { run, worker: worker.to_owned(), progress })
        });
        let executing = executing.collect();
        let accepted: u64 = self.recent.iter().map(|&(_, count)| count).sum();
        let window = now.saturating_sub(self.started).min(RATE_WINDOW).as_secs_f64().max(0.1);
        let workers = ledger.workers().len();
        let times = self.executing.iter().filter_map(|(&token, (since, _))| {
            let run = ledger.run(ledger.lease(token)?.0)?;
            Some((run.group, now.saturating_sub(*since)))
        });
        let work = ledger.queue().expected_work(&times.collect::<Vec<_>>());
        let counts = ledger.counts();
        let unserved: Vec<_> = ledger.unserved().map(unserved_runs).collect();
        let endless = workers == 0 || !unserved.is_empty();
        Progress {
            planned: counts.planned(),
            pending: counts.of(Phase::Pending),
            leased: counts.of(Phase::Leased),
            done: counts.of(Phase::Done),
            failed: counts.of(Phase::Failed),
            quarantined: counts.of(Phase::Quarantined),
            runs_per_second: accepted as f64 / window,
            mean_coverage: self.mean_coverage(),
            eta: if endless { None } else { work.map(|work| work.on(workers)) },
            executing,
            last_error: None,
            damage: None,
            lost_file: None,
            studies: self.studies.iter().map(|study| self.study(study, ledger)).collect(),
            workers: self.workers(now, ledger),
            curves: self.curves(),
            planning: Vec::new(),
            unserved,
        }
    }

    fn workers(&self, now: Duration, ledger: &Ledger) -> Vec<WorkerProgress> {
        let workers = ledger.workers().map(|worker| WorkerProgress {
            name: worker.name.to_owned(),
            leases: worker.leases,
            accepted: self.accepted_by_worker.get(worker.name).copied().unwrap_or_default(),
            silent: now.saturating_sub(worker.last_seen),
            drained: worker.drained,
        });
        workers.collect()
    }

    fn curves(&self) -> Vec<AlgorithmCurve> {
        let curves = self.curves.iter().map(|((study, label), curve)| AlgorithmCurve {
            study: *study,
            label: label.clone(),
            position: self.labels.get(study).and_then(|all| all.iter().position(|l| l == label)),
            curve: curve.clone(),
        });
        let mut curves: Vec<AlgorithmCurve> = curves.collect();
        curves.sort_by_key(|curve| (curve.study, curve.position.unwrap_or(usize::MAX)));
        curves
    }

    fn mean_coverage(&self) -> Option<f64> {
        let active = self.active.iter().filter_map(|study| self.coverage.get(study));
        let sum = |all: CoverageSum, one: &CoverageSum| CoverageSum(all.0 + one.0, all.1 + one.1);
        active.fold(CoverageSum::default(), sum).mean()
    }

    fn study(&self, study: &StoredStudy, ledger: &Ledger) -> StudyProgress {
        StudyProgress {
            number: study.number,
            name: study.name.clone(),
            state: study.state,
            counts: ledger.counts_of(study.number),
            mean_coverage: self.coverage.get(&study.number).copied().and_then(CoverageSum::mean),
        }
    }
}

fn unserved_runs((engine, runs): (&SubjectEngine, usize)) -> UnservedRuns {
    UnservedRuns { kind: engine.kind.clone(), engine: engine.engine.clone(), runs }
}
