//! A subject kind without a subject: rehearses the runner. Its records depend on the
//! specification alone, like those of any subject.
//!
//! Parameters of the algorithm: `ms` (how long a run sleeps), `panic` (panics in every
//! run whose seed is divisible by this number), `abort` (the same, but takes the whole
//! process down), `hog` (the same, but takes more memory than there is).

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use catherd_experiments::{
    Criterion, CriterionInfo, Digest, Noun, Parameter, Resources, RunRecord, RunSpec, SubjectInfo,
    SuiteSize, TimelinePoint, Unit,
};

use crate::{Live, RunError, Subject};

/// The kind's name.
pub const KIND: &str = "rehearsal";

/// Goals of every project.
const GOALS: u32 = 16;

/// What its runs count: one execution each.
pub fn info() -> SubjectInfo {
    let meaning = "executions of a test by the search";
    SubjectInfo {
        kind: KIND.to_owned(),
        engine: "noop/1".to_owned(),
        units: vec![Unit::new(EXECUTIONS, "test execution", "test executions", meaning)],
        criteria: vec![CriterionInfo::new("goal", "goals")],
        suite_unit: Noun::new("event", "events"),
        mutant_levels: Vec::new(),
        artifact_extension: "txt".to_owned(),
        measures: Vec::new(),
    }
}

const EXECUTIONS: &str = "executions";

/// See the module's page.
#[derive(Debug, Default)]
pub struct Rehearsal {
    loaded: Option<Digest>,
}

impl Subject for Rehearsal {
    fn load(&mut self, digest: Digest, bytes: Arc<[u8]>) -> Result<(), String> {
        if bytes.is_empty() {
            return Err("an empty project".to_owned());
        }
        self.loaded = Some(digest);
        Ok(())
    }

    fn run(
        &mut self,
        spec: &RunSpec,
        watch: &mut dyn FnMut(Live) -> ControlFlow<()>,
    ) -> Result<RunRecord, RunError> {
        if self.loaded != Some(spec.project) {
            return Err(RunError::Failed("another project is loaded".to_owned()));
        }
        let start = Instant::now();
        let number = |name: &str| match spec.algorithm.parameters.get(name) {
            Some(Parameter::Integer(number)) => number.unsigned_abs(),
            _ => 0,
        };
        let due = |every: u64| every > 0 && spec.seed.is_multiple_of(every);
        assert!(!due(number("panic")), "rehearsing a panic with seed {}", spec.seed);
        if due(number("abort")) {
            std::process::abort();
        }

        if due(number("hog")) {
            const MORE: usize = 1 << 42;
            return Err(RunError::Failed(format!("{} bytes fit", vec![1_u8; MORE].len())));
        }

        let id = spec.id();
        let covered: Vec<u32> = (0..GOALS).filter(|&goal| id.0[goal as usize] < 128).collect();
        let live = Live { executions: 1, steps: 1, covered: covered.len() as u32, goals: GOALS };
        let length = Duration::from_millis(number("ms"));
        loop {
            if watch(live).is_break() {
                return Err(RunError::Stopped);
            }
            let left = length.saturating_sub(start.elapsed());
            if left.is_zero() {
                break;
            }
            std::thread::sleep(left.min(Duration::from_millis(20)));
        }
        let wall_ms = start.elapsed().as_millis() as u64;
        Ok(RunRecord {
            work: [(EXECUTIONS.to_owned(), 1)].into(),
            timeline: vec![TimelinePoint { work: vec![1], wall_ms, covered: covered.len() as u32 }],
            suite: SuiteSize { tests: 1, unit: "events".to_owned(), ..SuiteSize::default() },
            resources: Resources { wall_ms, search_ms: wall_ms, peak_rss_kib: 0 },
            ..RunRecord::new(
                spec,
                vec![Criterion { name: "goals".to_owned(), goals: GOALS, covered }],
            )
        })
    }
}
