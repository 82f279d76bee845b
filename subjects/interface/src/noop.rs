//! The subject kind `noop`, whose runs execute nothing. The kind is used to test and measure the
//! coordinator and its workers.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use catherd_experiments::{
    Algorithm, Criterion, CriterionInfo, Digest, Noun, Parameter, ProjectSource, Resources,
    RunRecord, RunSpec, SubjectInfo, SuiteSize, TimelinePoint, Unit,
};

use crate::algorithm::{ANY_ALGORITHM, AlgorithmInfo, FieldError, ParameterInfo, Values};
use crate::files;
use crate::kind::SubjectKind;
use crate::loaded::{LoadedProject, LoadedRunner};
use crate::projects::{FindError, FoundProject, FoundProjects, Progress};
use crate::runner::{LoadError, RunError, RunProgress, Runner, RunnerContext};

/// The name of the kind.
pub const KIND: &str = "noop";

/// The name of the kind up to version 0.3.0.
const EARLIER_NAME: &str = "rehearsal";

/// The subject kind whose runs execute nothing.
#[derive(Clone, Copy, Debug)]
pub struct Noop;

impl SubjectKind for Noop {
    fn info(&self) -> SubjectInfo {
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

    fn aliases(&self) -> &'static [&'static str] {
        &[EARLIER_NAME]
    }

    fn summary(&self) -> &'static str {
        "nothing: runs that sleep or break down on request, to test and measure a cluster"
    }

    fn algorithms(&self) -> Vec<AlgorithmInfo> {
        let parameter = |name: &str, meaning: &str| ParameterInfo {
            name: name.to_owned(),
            default: Some(Parameter::Integer(0)),
            values: Values::Integer { low: 0, high: i64::MAX },
            meaning: meaning.to_owned(),
        };
        vec![AlgorithmInfo {
            name: ANY_ALGORITHM.to_owned(),
            summary: "any name; it affects a run only through the id of the run".to_owned(),
            parameters: vec![
                parameter("ms", "milliseconds that a run sleeps"),
                parameter("panic", "panic if the seed is divisible by this; 0: never"),
                parameter("abort", "abort the process if the seed is divisible by this; 0: never"),
                parameter("exit", "end the process if the seed is divisible by this; 0: never"),
                parameter("hog", "run out of memory if the seed is divisible by this; 0: never"),
            ],
        }]
    }

    /// Unknown parameters have no effect.
    fn check_algorithm(&self, _: &Algorithm) -> Result<(), FieldError> {
        Ok(())
    }

    fn find(
        &self,
        projects: &ProjectSource,
        progress: &dyn Progress,
    ) -> Result<FoundProjects, FindError> {
        let (count, seed) = match projects {
            ProjectSource::Paths(paths) => return files::find(paths, |_| true, progress),
            &ProjectSource::Synthetic { count, seed, .. } => (count, seed),
        };
        let project = |number: u64| {
            let bytes = move || format!("project {number} of seed {seed}").into_bytes();
            let name = format!("{seed}-{number}");
            FoundProject::new(name.clone(), name.into(), Digest::of(&bytes()), move || Ok(bytes()))
        };
        Ok(FoundProjects {
            projects: (1..=count).map(project).collect(),
            ..FoundProjects::default()
        })
    }

    fn runner(&self, _: &RunnerContext<'_>) -> Option<Box<dyn Runner>> {
        Some(Box::<NoopRunner>::default())
    }
}

/// Each run counts as one execution.
const EXECUTIONS: &str = "executions";

const GOALS: u32 = 16;

/// The runner of the kind `noop`.
pub type NoopRunner = LoadedRunner<NoopProject>;

/// A project of the kind `noop`: any bytes, but at least one.
#[derive(Debug)]
pub struct NoopProject;

impl LoadedProject for NoopProject {
    fn read(_: Digest, bytes: &[u8]) -> Result<NoopProject, LoadError> {
        if bytes.is_empty() { Err("an empty project".to_owned().into()) } else { Ok(NoopProject) }
    }

    fn run(
        &mut self,
        spec: &RunSpec,
        on_progress: &mut dyn FnMut(RunProgress) -> ControlFlow<()>,
    ) -> Result<RunRecord, RunError> {
        let start = Instant::now();
        let number = |name: &str| match spec.algorithm.parameters.get(name) {
            Some(Parameter::Integer(number)) => number.unsigned_abs(),
            _ => 0,
        };
        let due = |every: u64| every > 0 && spec.seed.is_multiple_of(every);
        assert!(!due(number("panic")), "panic on request with seed {}", spec.seed);
        if due(number("abort")) {
            std::process::abort();
        }
        if due(number("exit")) {
            std::process::exit(7);
        }
        if due(number("hog")) {
            const TOO_MUCH: usize = 1 << 42;
            return Err(RunError::Failed(format!("{} bytes fit", vec![1_u8; TOO_MUCH].len())));
        }

        let id = spec.id();
        let covered: Vec<u32> = (0..GOALS).filter(|&goal| id.0[goal as usize] < 128).collect();
        let work = BTreeMap::from([(EXECUTIONS.to_owned(), 1)]);
        let progress =
            RunProgress { work: work.clone(), covered: covered.len() as u32, goals: GOALS };
        let length = Duration::from_millis(number("ms"));
        loop {
            if on_progress(progress.clone()).is_break() {
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
            work,
            timeline: vec![TimelinePoint { work: vec![1], wall_ms, covered: covered.len() as u32 }],
            suite: SuiteSize { tests: 1, unit: "events".to_owned(), ..SuiteSize::default() },
            resources: Resources { wall_ms, search_ms: wall_ms, ..Resources::default() },
            ..RunRecord::new(
                spec,
                vec![Criterion { name: "goals".to_owned(), goals: GOALS, covered }],
            )
        })
    }
}
