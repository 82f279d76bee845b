//! Records of suites that were executed on their projects.

use std::collections::BTreeMap;
use std::time::Instant;

use catherd_experiments::{Criterion, RunRecord, RunSpec, SuiteSize, TimelinePoint};
use catherd_scratch_grading_report::Status;
use catherd_scratch_sb3::BlockNo;
use catherd_scratch_suite::CoveredBlocks;

/// The names of the criterion, the units of work and the unit of sizes, as in the kind `scratch`.
const BLOCKS: &str = "blocks";
const EXECUTIONS: &str = "executions";
const STEPS: &str = "steps";
const EVENTS: &str = "events";

pub(crate) struct ExecutedTest<'a> {
    pub(crate) status: Status,
    pub(crate) steps: u64,
    /// Number of inputs that the test sends.
    pub(crate) events: u64,
    pub(crate) covered: &'a CoveredBlocks,
}

pub(crate) struct Measurement<'a> {
    goals: &'a [BlockNo],
    reached: Vec<bool>,
    start: Instant,
    executions: u64,
    steps: u64,
    events: u64,
    counts: BTreeMap<&'static str, i64>,
    timeline: Vec<TimelinePoint>,
}

impl<'a> Measurement<'a> {
    pub(crate) fn new(goals: &'a [BlockNo], start: Instant) -> Measurement<'a> {
        let names = Status::ALL.map(metric);
        Measurement {
            goals,
            reached: vec![false; goals.len()],
            start,
            executions: 0,
            steps: 0,
            events: 0,
            counts: names.into_iter().map(|name| (name, 0)).collect(),
            timeline: Vec::new(),
        }
    }

    pub(crate) fn add(&mut self, test: &ExecutedTest<'_>) {
        self.executions += 1;
        self.steps += test.steps;
        self.events += test.events;
        *self.counts.entry(metric(test.status)).or_default() += 1;
        let before = self.covered();
        // A test that the suite skips covers nothing.
        if *test.covered != CoveredBlocks::default() {
            for (reached, goal) in self.reached.iter_mut().zip(self.goals) {
                *reached |= test.covered.contains(*goal);
            }
        }
        let covered = self.covered();
        if covered > before || self.timeline.is_empty() {
            let wall_ms = self.start.elapsed().as_millis() as u64;
            // The amounts are in the order of the names of their units.
            let work = vec![self.executions, self.steps];
            self.timeline.push(TimelinePoint { work, wall_ms, covered });
        }
    }

    pub(crate) fn covered(&self) -> u32 {
        self.reached.iter().filter(|reached| **reached).count() as u32
    }

    pub(crate) fn work(&self) -> BTreeMap<String, u64> {
        let units = [(EXECUTIONS, self.executions), (STEPS, self.steps)];
        units.map(|(name, amount)| (name.to_owned(), amount)).into()
    }

    /// Mutants and the time of the whole run are added later.
    pub(crate) fn record(self, spec: &RunSpec) -> RunRecord {
        let goals = self.goals.len() as u32;
        let covered = (0..).zip(&self.reached).filter(|(_, reached)| **reached);
        let blocks = Criterion {
            name: BLOCKS.to_owned(),
            goals,
            covered: covered.map(|(number, _)| number).collect(),
        };
        let reason = if goals == 0 { "no block that a test could cover" } else { "" };
        RunRecord {
            reason: reason.to_owned(),
            work: self.work(),
            suite: SuiteSize {
                tests: self.executions as u32,
                size: self.events as u32,
                unit: EVENTS.to_owned(),
                removed: 0,
            },
            metrics: self
                .counts
                .iter()
                .map(|(name, n)| ((*name).to_owned(), (*n).into()))
                .collect(),
            timeline: self.timeline,
            ..RunRecord::new(spec, vec![blocks])
        }
    }
}

fn metric(status: Status) -> &'static str {
    match status {
        Status::Pass => "passedTests",
        Status::Fail => "failedTests",
        Status::Error => "errorTests",
        Status::Skip => "skippedTests",
    }
}
