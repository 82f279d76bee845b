//! Execution of runs, either with a suite of the project or with an algorithm that generates a
//! suite.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use catherd_experiments::{Digest, RunRecord, RunSpec};
use catherd_interface::{FieldError, LoadError, LoadedProjects, RunError, RunProgress, Runner};
use catherd_scratch_grading_report::{Status, SuiteFacts, SuiteReport, TestReport};
use catherd_scratch_grading_whisker::whisker::SuiteFile;
use catherd_scratch_kind::configuration;
use catherd_scratch_kind::{ENGINE as GENERATOR_ENGINE, KIND as GENERATOR, add_mutants};
use catherd_scratch_mutation::{Analysis, GeneratedTests, Tests};
use catherd_scratch_sb3::{BlockNo, Limits, Project};
use catherd_scratch_suite::goals::{self, GoalSettings};
use catherd_scratch_suite::{
    Bounds, CoveredBlocks, LinkedSuite, Runner as GeneratedRunner, Suite, Verdict,
};
use catherd_scratch_vm::{Compat, Program};

use crate::bundle::Bundle;
use crate::javascript::JavaScriptTests;
use crate::record::{ExecutedTest, Measurement};
use crate::settings::Settings;

/// Name of the artifact with the result of each test on the project.
const TESTS: &str = "tests.ndjson";

type OnProgress<'a> = dyn FnMut(RunProgress) -> ControlFlow<()> + 'a;

pub(crate) struct SuiteRunner {
    generator: Box<dyn Runner>,
    projects: LoadedProjects<Loaded>,
}

struct Loaded {
    digest: Digest,
    bundle: Bundle,
    /// Digest of the project without its suites.
    inner: Digest,
    /// Whether the generator has loaded the project.
    generates: bool,
    project: Project,
    program: Arc<Program>,
    goals: Vec<BlockNo>,
}

impl SuiteRunner {
    /// Creates a runner that passes runs of generating algorithms to `generator`, which is the
    /// runner of the kind `scratch`.
    pub(crate) fn new(generator: Box<dyn Runner>) -> SuiteRunner {
        SuiteRunner { generator, projects: LoadedProjects::new(1) }
    }
}

impl Runner for SuiteRunner {
    fn load(&mut self, digest: Digest, bytes: Arc<[u8]>) -> Result<(), LoadError> {
        Ok(self.projects.load(digest, || Loaded::read(digest, &bytes))?)
    }

    fn run(
        &mut self,
        spec: &RunSpec,
        on_progress: &mut OnProgress<'_>,
    ) -> Result<RunRecord, RunError> {
        let start = Instant::now();
        let (loaded, loading) = self.projects.take_turn(spec.project)?;
        let mut record = if crate::generates(&spec.algorithm.name) {
            loaded.generate(spec, &mut *self.generator, on_progress)?
        } else {
            loaded.execute(spec, on_progress)?
        };
        record.resources.wall_ms = (loading + start.elapsed()).as_millis() as u64;
        Ok(record)
    }
}

impl Loaded {
    fn read(digest: Digest, bytes: &[u8]) -> Result<Loaded, String> {
        let bundle = Bundle::from_bytes(bytes).map_err(|error| error.to_string())?;
        let project = Project::from_bytes(&digest.short(), &bundle.project, &Limits::default())
            .map_err(|error| error.cause.to_string())?;
        let program = Program::compile(&project).map_err(|error| error.to_string())?;
        Ok(Loaded {
            digest,
            inner: Digest::of(&bundle.project),
            bundle,
            generates: false,
            goals: goals::find(&project, GoalSettings::default()),
            project,
            program: Arc::new(program.with_colors()),
        })
    }

    /// Generates a suite with the runner of the kind `scratch`.
    fn generate(
        &mut self,
        spec: &RunSpec,
        generator: &mut dyn Runner,
        on_progress: &mut OnProgress<'_>,
    ) -> Result<RunRecord, RunError> {
        if !self.generates {
            let bytes: Arc<[u8]> = self.bundle.project.clone().into();
            generator.load(self.inner, bytes)?;
            self.generates = true;
        }
        let inner = RunSpec {
            project: self.inner,
            subject: GENERATOR.to_owned(),
            engine: GENERATOR_ENGINE.to_owned(),
            ..spec.clone()
        };
        Ok(RunRecord { run: spec.id(), ..generator.run(&inner, on_progress)? })
    }

    fn execute(
        &self,
        spec: &RunSpec,
        on_progress: &mut OnProgress<'_>,
    ) -> Result<RunRecord, RunError> {
        let settings = Settings::read(&spec.algorithm).map_err(failed)?;
        let name = settings.suite_of(spec.seed);
        let suite =
            self.bundle.suite(&name).map_err(|error| RunError::Failed(error.to_string()))?;
        let refused = |cause: String| RunError::Failed(format!("suite `{name}`: {cause}"));
        if suite.text.trim_start_matches('\u{feff}').trim_start().starts_with('{') {
            let mut suite =
                Suite::from_json(&suite.text).map_err(|error| refused(error.to_string()))?;
            suite
                .belongs_to(&self.inner.to_string())
                .map_err(|error| refused(error.to_string()))?;
            // Check flaky assertions only with the seed of the suite, because they may depend on
            // random numbers.
            let flaky = suite.seed == spec.seed;
            suite.reseed(spec.seed);
            return self.execute_generated(spec, suite, flaky, &refused, on_progress);
        }
        let file =
            SuiteFile::new(&suite.name, &suite.text).map_err(|error| refused(error.to_string()))?;
        let mut measurement = Measurement::new(&self.goals, Instant::now());
        let goals = self.goals.len() as u32;
        let tests =
            JavaScriptTests::new(file, &self.program, settings.options(spec.seed), |test| {
                measurement.add(&ExecutedTest {
                    status: test.outcome.status,
                    steps: test.outcome.steps,
                    events: test.inputs,
                    covered: &test.covered,
                });
                let (work, covered) = (measurement.work(), measurement.covered());
                on_progress(RunProgress { work, covered, goals })
            });
        let tests = tests.map_err(|error| refused(error.to_string()))?.ok_or(RunError::Stopped)?;
        let mut record = measurement.record(spec);
        let reports = tests.executed().iter().map(|test| TestReport::from(test.outcome.clone()));
        self.add_tests(&mut record, &suite.name, reports.collect());
        let program = Arc::clone(&self.program);
        self.add_mutants(record, spec, program, tests, true, on_progress)
    }

    fn execute_generated(
        &self,
        spec: &RunSpec,
        suite: Suite,
        flaky: bool,
        refused: &dyn Fn(String) -> RunError,
        on_progress: &mut OnProgress<'_>,
    ) -> Result<RunRecord, RunError> {
        let program = self.program_for(suite.machine.compat)?;
        let linked =
            LinkedSuite::new(&suite, &program).map_err(|error| refused(error.to_string()))?;
        let covered = CoveredBlocks::new(program.block_count());
        let mut runner = GeneratedRunner::new(Arc::clone(&program), suite.machine.clone(), covered);
        let mut measurement = Measurement::new(&self.goals, Instant::now());
        let mut reports = Vec::new();
        for (number, test) in suite.tests.iter().enumerate() {
            let bounds = Bounds { flaky, ..Bounds::default() };
            let execution = runner.run(&linked, number, bounds);
            let status = match execution.verdict {
                Verdict::Passed => Status::Pass,
                Verdict::Failed(_) => Status::Fail,
                Verdict::StepLimit | Verdict::Fault(_) => Status::Error,
            };
            measurement.add(&ExecutedTest {
                status,
                steps: execution.steps,
                events: test.events.len() as u64,
                covered: &runner.tracer().take(),
            });
            let (steps, blocks) = (execution.steps, execution.blocks);
            let name = Some(format!("test {number}"));
            reports.push(TestReport { steps, blocks, ..TestReport::new(name, status) });
            let (work, covered) = (measurement.work(), measurement.covered());
            let goals = self.goals.len() as u32;
            if on_progress(RunProgress { work, covered, goals }).is_break() {
                return Err(RunError::Stopped);
            }
        }
        let mut record = measurement.record(spec);
        self.add_tests(&mut record, &spec.algorithm.name, reports);
        let tests =
            GeneratedTests::new(suite, &program).map_err(|error| refused(error.to_string()))?;
        self.add_mutants(record, spec, program, tests, flaky, on_progress)
    }

    fn program_for(&self, compat: Compat) -> Result<Arc<Program>, RunError> {
        if compat == self.program.compat() {
            return Ok(Arc::clone(&self.program));
        }
        let program = Program::compile_for(&self.project, compat);
        let program = program.map_err(|error| RunError::Failed(error.to_string()))?;
        Ok(Arc::new(program.with_colors()))
    }

    fn add_tests(&self, record: &mut RunRecord, suite: &str, tests: Vec<TestReport>) {
        let report = SuiteReport {
            project: String::new(),
            digest: self.inner.to_string(),
            suite: suite.to_owned(),
            inputs: self.digest.to_string(),
            groups: Vec::new(),
            tests,
            facts: SuiteFacts::default(),
            messages: Vec::new(),
            coverage: None,
            steps_per_second: 30,
        };
        let text = catherd_scratch_grading_report::ndjson(
            &catherd_scratch_grading_report::ProjectReport::Executed(report),
        );
        record.artifacts.insert(TESTS.to_owned(), text);
    }

    fn add_mutants<T: Tests>(
        &self,
        mut record: RunRecord,
        spec: &RunSpec,
        program: Arc<Program>,
        tests: T,
        flaky: bool,
        on_progress: &mut OnProgress<'_>,
    ) -> Result<RunRecord, RunError> {
        let Some(mutation) = &spec.mutation else { return Ok(record) };
        let mut settings = configuration::mutation(mutation).map_err(failed)?;
        settings.stable_only |= !flaky;
        let analysis = Analysis::of(&self.project, program, tests, settings);
        let done = RunProgress {
            work: record.work.clone(),
            covered: record.covered(),
            goals: record.goals(),
        };
        let results = analysis.run(|_| on_progress(done.clone())).ok_or(RunError::Stopped)?;
        add_mutants(&mut record, &analysis, &results);
        Ok(record)
    }
}

fn failed(error: FieldError) -> RunError {
    RunError::Failed(error.cause)
}
