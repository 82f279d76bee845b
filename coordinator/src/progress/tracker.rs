//! The counters from which progress is computed.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use catherd_experiments::{Algorithm, Budget, RunOutcome};
use serde::Deserialize;

use super::{
    AlgorithmCurve, AttemptCounts, ExecutingRun, Progress, RunProgress, StudyProgress,
    UnservedRuns, WorkerProgress,
};
use crate::coverage_curve::CoverageCurve;
use crate::failures::FailureCounts;
use crate::ids::{GroupNumber, RunNumber, StudyNumber, Token};
use crate::ledger::{Effect, Ledger, Phase};
use crate::queue::SubjectEngine;
use crate::store::{StoredRecord, StoredStudy};

/// Time over which rates are averaged.
const RATE_WINDOW: Duration = Duration::from_secs(30);

/// Minimum number of records in the window for the rate to be used.
const MIN_RATED: u64 = 10;

/// The share of its budget that a run must have spent before its time is extrapolated.
const MIN_SPENT: f64 = 0.01;

/// Maximum number of workers whose attempts are counted.
const MAX_COUNTED: usize = 1 << 14;

#[derive(Clone, Copy, Debug, Default)]
struct CoverageSum(f64, u64);

impl CoverageSum {
    fn mean(self) -> Option<f64> {
        (self.1 > 0).then(|| self.0 / self.1 as f64)
    }
}

#[derive(Debug, Default)]
pub(crate) struct ProgressTracker {
    /// Accepted records by second: (second, number), the oldest first.
    recent: VecDeque<(u64, u64)>,
    started: Duration,
    studies: Vec<StoredStudy>,
    active: Vec<StudyNumber>,
    coverage: BTreeMap<StudyNumber, CoverageSum>,
    /// For each lease, the time at which progress was first reported, and the latest progress.
    executing: BTreeMap<Token, (Duration, RunProgress)>,
    accepted_by_worker: BTreeMap<String, u64>,
    curves: BTreeMap<(StudyNumber, String), BTreeMap<GroupNumber, CoverageCurve>>,
    plans: BTreeMap<StudyNumber, PlanPart>,
    failures: FailureCounts,
    attempts: BTreeMap<String, AttemptCounts>,
    last_grant: Duration,
}

#[derive(Debug, Deserialize)]
struct PlanPart {
    algorithms: Vec<Algorithm>,
    budget: Budget,
}

fn plans(studies: &[StoredStudy]) -> BTreeMap<StudyNumber, PlanPart> {
    let of = |study: &StoredStudy| Some((study.number, serde_json::from_slice(&study.plan).ok()?));
    studies.iter().filter_map(of).collect()
}

impl ProgressTracker {
    /// `coverage` is the stored coverage: study, sum and number.
    pub(crate) fn new(
        now: Duration,
        studies: Vec<StoredStudy>,
        active: Vec<StudyNumber>,
        coverage: Vec<(StudyNumber, f64, u64)>,
    ) -> ProgressTracker {
        let coverage =
            coverage.into_iter().map(|(study, sum, count)| (study, CoverageSum(sum, count)));
        let coverage = coverage.collect();
        let plans = plans(&studies);
        ProgressTracker {
            started: now,
            studies,
            active,
            coverage,
            plans,
            ..ProgressTracker::default()
        }
    }

    /// Keeps the counters that an earlier tracker has counted since the coordinator started.
    pub(crate) fn continuing(self, earlier: ProgressTracker) -> ProgressTracker {
        let ProgressTracker { studies, active, coverage, plans, .. } = self;
        ProgressTracker { studies, active, coverage, plans, ..earlier }
    }

    pub(crate) fn study_at(&self, number: StudyNumber) -> Option<&StoredStudy> {
        self.studies.iter().find(|study| study.number == number)
    }

    pub(crate) fn study_of(&self, name: &str) -> Option<&StoredStudy> {
        self.studies.iter().find(|study| study.name == name)
    }

    pub(crate) fn set_studies(&mut self, studies: Vec<StoredStudy>, active: Vec<StudyNumber>) {
        self.plans = plans(&studies);
        (self.studies, self.active) = (studies, active);
    }

    pub(crate) fn set_coverage(&mut self, study: StudyNumber, coverage: Option<(f64, u64)>) {
        let (sum, count) = coverage.unwrap_or_default();
        self.coverage.insert(study, CoverageSum(sum, count));
    }

    pub(crate) fn forget(&mut self, study: StudyNumber) {
        self.coverage.remove(&study);
        self.curves.retain(|(of, _), _| *of != study);
    }

    pub(crate) fn renumber(&mut self, former: StudyNumber, study: StudyNumber) {
        self.coverage.remove(&former);
        let curves = std::mem::take(&mut self.curves).into_iter();
        let number = |of| if of == former { study } else { of };
        self.curves = curves.map(|((of, label), curve)| ((number(of), label), curve)).collect();
    }

    pub(crate) fn note_failed_attempt(
        &mut self,
        (label, run, group): (&str, RunNumber, GroupNumber),
        reason: &str,
    ) {
        self.failures.add(label, run, group, reason);
    }

    pub(crate) fn note_accepted(
        &mut self,
        now: Duration,
        record: &StoredRecord,
        worker: &str,
        (label, run, group): (&str, RunNumber, GroupNumber),
        studies: &[StudyNumber],
    ) {
        match record.outcome {
            RunOutcome::Done | RunOutcome::NoGoals => self.failures.note_done(label),
            _ => self.failures.add(label, run, group, &record.reason),
        }
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
                let curves = self.curves.entry((*study, label.to_owned())).or_default();
                curves.entry(group).or_default().add(curve);
            }
        }
    }

    /// `worker` is `None` for the expiry of leases.
    pub(crate) fn note_effects(&mut self, now: Duration, worker: Option<&str>, effects: &[Effect]) {
        for effect in effects {
            let (name, count): (&str, fn(&mut AttemptCounts) -> &mut u64) = match (effect, worker) {
                (Effect::Lost { worker, .. }, _) => (worker, |counts| &mut counts.lost),
                (Effect::Accept(_), Some(worker)) => (worker, |counts| &mut counts.accepted),
                (Effect::Crashed { .. }, Some(worker)) => (worker, |counts| &mut counts.crashed),
                (Effect::Supersede(_), Some(worker)) => (worker, |counts| &mut counts.superseded),
                (Effect::Grant(grant), Some(worker)) => {
                    self.last_grant = now;
                    if grant.attempt == 1 {
                        continue;
                    }
                    (worker, |counts| &mut counts.retried)
                }
                _ => continue,
            };
            if self.attempts.len() < MAX_COUNTED || self.attempts.contains_key(name) {
                let counts = self.attempts.entry(name.to_owned()).or_default();
                *count(counts) += 1;
            }
        }
    }

    fn attempts(&self, ledger: &Ledger) -> Vec<AttemptCounts> {
        let hosts: BTreeMap<&str, &str> =
            ledger.workers().map(|worker| (worker.name, worker.host)).collect();
        let counts = self.attempts.iter().map(|(worker, counts)| AttemptCounts {
            worker: worker.clone(),
            host: hosts.get(&**worker).copied().unwrap_or_default().to_owned(),
            ..counts.clone()
        });
        counts.collect()
    }

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
        let runs_per_second = accepted as f64 / window;
        let left = counts.of(Phase::Pending) + counts.of(Phase::Leased);
        let at_rate = (accepted >= MIN_RATED).then(|| left as f64 / runs_per_second);
        let at_rate = at_rate.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        let eta = match work {
            Some(work) => Some(work.on(workers).max(at_rate.unwrap_or_default())),
            None => self.expected_by_budget(now, left, workers),
        };
        let unserved: Vec<_> = ledger.unserved().map(unserved_runs).collect();
        let waiting = counts.of(Phase::Pending) > 0;
        let queue_age = now.saturating_sub(self.last_grant.max(self.started));
        let queue_age = if waiting { queue_age } else { Duration::ZERO };
        let endless = workers == 0 || !unserved.is_empty();
        Progress {
            planned: counts.planned(),
            pending: counts.of(Phase::Pending),
            leased: counts.of(Phase::Leased),
            done: counts.of(Phase::Done),
            failed: counts.of(Phase::Failed),
            quarantined: counts.of(Phase::Quarantined),
            runs_per_second,
            mean_coverage: self.mean_coverage(),
            eta: eta.filter(|_| !endless),
            executing,
            standby: false,
            last_error: None,
            damage: None,
            lost_file: None,
            studies: self.studies.iter().map(|study| self.study(study, ledger)).collect(),
            workers: self.workers(now, ledger),
            curves: self.curves(ledger),
            planning: Vec::new(),
            unserved,
            failures: self.failures.snapshot(),
            too_long: Vec::new(),
            queue_age,
            attempts: self.attempts(ledger),
        }
    }

    /// Extrapolates from the shares that the executing runs have spent of the budget of the first
    /// active study.
    fn expected_by_budget(&self, now: Duration, runs: u64, workers: usize) -> Option<Duration> {
        let budget = &self.active.first().and_then(|study| self.plans.get(study))?.budget;
        let times = self.executing.values().filter_map(|(since, progress)| {
            let elapsed = now.saturating_sub(*since).as_secs_f64();
            let share = |(unit, limit): (&String, &u64)| {
                let spent = progress.work.get(unit).copied().unwrap_or_default();
                spent as f64 / *limit as f64
            };
            let by_wall = budget.wall_ms.map(|ms| 1000.0 * elapsed / ms as f64);
            let spent = budget.work.iter().map(share).chain(by_wall).fold(0.0, f64::max);
            (spent > MIN_SPENT).then(|| elapsed / spent.min(1.0))
        });
        let times: Vec<f64> = times.collect();
        let mean = times.iter().sum::<f64>() / times.len() as f64;
        let seconds = mean * runs as f64 / workers.max(1) as f64;
        Duration::try_from_secs_f64(seconds).ok().filter(|_| !times.is_empty())
    }

    fn workers(&self, now: Duration, ledger: &Ledger) -> Vec<WorkerProgress> {
        let workers = ledger.workers().map(|worker| WorkerProgress {
            name: worker.name.to_owned(),
            leases: worker.leases,
            accepted: self.accepted_by_worker.get(worker.name).copied().unwrap_or_default(),
            silent: now.saturating_sub(worker.last_seen),
            drained: worker.drained,
            host: worker.host.to_owned(),
            rule: worker.rule,
        });
        workers.collect()
    }

    /// Only projects that all algorithms with records have finished count. On all projects, an
    /// algorithm that began with easy projects would look best.
    fn curves(&self, ledger: &Ledger) -> Vec<AlgorithmCurve> {
        let queue = ledger.queue();
        let mut common: BTreeMap<StudyNumber, BTreeSet<usize>> = BTreeMap::new();
        for ((study, _), groups) in &self.curves {
            let finished = groups.keys().filter(|group| !queue.is_open(**group));
            let finished: BTreeSet<usize> =
                finished.map(|group| queue.project_number(*group)).collect();
            match common.get_mut(study) {
                Some(all) => all.retain(|project| finished.contains(project)),
                None => drop(common.insert(*study, finished)),
            }
        }
        let curves = self.curves.iter().map(|((study, label), groups)| {
            let projects = &common[study];
            let mut curve = CoverageCurve::default();
            for (group, part) in groups {
                if projects.contains(&queue.project_number(*group)) {
                    curve.merge(part);
                }
            }
            AlgorithmCurve {
                study: *study,
                label: label.clone(),
                position: self.plans.get(study).and_then(|plan| {
                    plan.algorithms.iter().position(|algorithm| algorithm.label == *label)
                }),
                projects: projects.len(),
                curve,
            }
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
            owner: study.owner.clone(),
            claim: study.claim,
            counts: ledger.counts_of(study.number),
            mean_coverage: self.coverage.get(&study.number).copied().and_then(CoverageSum::mean),
            executions: self
                .plans
                .get(&study.number)
                .and_then(|plan| plan.budget.limit("executions")),
            usage: ledger.usage(study.number),
            left: self
                .active
                .contains(&study.number)
                .then(|| ledger.expected_left(study.number))
                .flatten(),
        }
    }
}

fn unserved_runs((engine, runs): (&SubjectEngine, usize)) -> UnservedRuns {
    UnservedRuns { kind: engine.kind.clone(), engine: engine.engine.clone(), runs }
}
