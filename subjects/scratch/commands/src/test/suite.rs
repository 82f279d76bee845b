//! A suite of any kind, loaded once and executed on any number of projects.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use catherd_scratch_corpora::LoadedProject;
use catherd_scratch_grading_itch::ReportNames;
use catherd_scratch_grading_report::{
    Limit, ProjectReport, Status, SuiteFacts, SuiteReport, TestReport,
};
use catherd_scratch_grading_whisker::whisker::{self, SuiteFile, SuiteOptions};
use catherd_scratch_suite::{Bounds, LinkedSuite, Runner, Suite, Verdict};
use catherd_scratch_vm::{Compat, Program};
use sha2::{Digest as _, Sha256};

use super::itch::PlanTests;
use crate::project;

pub(crate) struct LoadedSuite {
    pub(crate) name: String,
    pub(crate) tests: Tests,
    /// Digest of the version of this program, the text of the suite and the options.
    inputs: Sha256,
    /// The program that was compiled last. The next program shares the costumes, because
    /// submissions of a class have most costumes in common.
    last: Mutex<Option<Arc<Program>>>,
}

pub(crate) enum Tests {
    /// A suite for Whisker: JavaScript or models.
    Whisker(Box<(SuiteFile, SuiteOptions)>),
    Plan(Box<PlanTests>),
    Generated(Box<(Suite, Bounds)>),
}

impl LoadedSuite {
    pub(crate) fn new(path: &Path, text: &str, tests: Tests) -> LoadedSuite {
        let mut inputs = Sha256::new();
        let options = match &tests {
            Tests::Whisker(whisker) => format!("{:?} {:?}", whisker.0.models(), whisker.1),
            Tests::Plan(plan) => plan.inputs(),
            Tests::Generated(generated) => format!("{} {:?}", generated.0.seed, generated.1),
        };
        for part in [env!("CARGO_PKG_VERSION"), text, &options] {
            inputs.update(Sha256::digest(part));
        }
        LoadedSuite { name: file_name(path), tests, inputs, last: Mutex::default() }
    }

    fn compat(&self) -> Compat {
        match &self.tests {
            Tests::Generated(generated) => generated.0.machine.compat,
            Tests::Whisker(_) | Tests::Plan(_) => Compat::Of2022,
        }
    }

    /// The digest of everything on which the report of a project depends.
    pub(crate) fn inputs_with(&self, project: &[u8; 32]) -> String {
        hex::encode(self.inputs.clone().chain_update(project).finalize())
    }

    /// A suite that cannot be loaded must not be reported for every project.
    pub(crate) fn check(&self, paths: &[PathBuf]) -> Result<(), String> {
        let Tests::Whisker(whisker) = &self.tests else { return Ok(()) };
        // The first project that can be compiled is sufficient.
        let program = paths.iter().find_map(|path| {
            let subject = project::open(path).ok()?;
            project::compile_for_scripts(path, &subject, self.compat(), None).ok()
        });
        let Some(program) = program else { return Ok(()) };
        whisker.0.check(&program, &whisker.1).map_err(|error| error.to_string())
    }

    pub(crate) fn execute_at(&self, path: &Path) -> ProjectReport {
        let project = path.display().to_string();
        let executed = project::open(path).map_err(|failure| failure.cause().to_owned());
        match executed.and_then(|subject| self.execute(path, &subject)) {
            Ok(report) => ProjectReport::Executed(report),
            Err(reason) => ProjectReport::Unusable { project, reason },
        }
    }

    pub(crate) fn execute(
        &self,
        path: &Path,
        subject: &LoadedProject,
    ) -> Result<SuiteReport, String> {
        let compile = || {
            let last = || self.last.lock().unwrap_or_else(PoisonError::into_inner);
            let earlier = last().clone();
            let compat = self.compat();
            let program = project::compile_for_scripts(path, subject, compat, earlier.as_deref());
            let program = program.map_err(|failure| failure.cause().to_owned())?;
            *last() = Some(Arc::clone(&program));
            Ok::<_, String>(program)
        };
        let digest = hex::encode(subject.digest);
        let inputs = self.inputs_with(&subject.digest);
        let project = path.display().to_string();
        match &self.tests {
            Tests::Whisker(whisker) => {
                let (suite, options) = &**whisker;
                let mut options = options.clone();
                options.detected_inputs = whisker::detected_inputs(&subject.project);
                let outcome = whisker::run(suite, &compile()?, &options);
                let outcome = outcome.map_err(|error| error.to_string())?;
                Ok(outcome.report(&project, &digest, &self.name, &inputs))
            }
            Tests::Plan(plan) => {
                let judgement = plan.judge(subject).map_err(|error| error.to_string())?;
                Ok(judgement.report(ReportNames {
                    project,
                    digest,
                    plan: self.name.clone(),
                    inputs,
                }))
            }
            Tests::Generated(generated) => {
                let tests = execute_generated(&generated.0, generated.1, compile()?)?;
                Ok(SuiteReport {
                    project,
                    digest,
                    suite: self.name.clone(),
                    inputs,
                    groups: Vec::new(),
                    tests,
                    facts: SuiteFacts {
                        seed: generated.0.seed.to_string(),
                        ..SuiteFacts::default()
                    },
                    messages: Vec::new(),
                    coverage: None,
                    steps_per_second: 30,
                })
            }
        }
    }
}

fn execute_generated(
    suite: &Suite,
    bounds: Bounds,
    program: Arc<Program>,
) -> Result<Vec<TestReport>, String> {
    let linked = LinkedSuite::new(suite, &program).map_err(|error| error.to_string())?;
    let mut runner = Runner::new(program, suite.machine.clone(), ());
    let tests = (0..suite.tests.len()).map(|number| {
        let execution = runner.run(&linked, number, bounds);
        let (status, message, limits) = match &execution.verdict {
            Verdict::Passed => (Status::Pass, String::new(), Vec::new()),
            Verdict::StepLimit => {
                let message = "the test is longer than --steps allows".to_owned();
                (Status::Error, message, vec![Limit::Time])
            }
            Verdict::Fault(fault) => (Status::Error, fault.to_string(), vec![Limit::Time]),
            Verdict::Failed(failure) => {
                let test = &suite.tests[number];
                let number = failure.assertion;
                let list = if number.flaky { &test.flaky } else { &test.assertions };
                let expected = list.get(number.position as usize);
                let expected = expected.map(|e| format!(", expected {e}")).unwrap_or_default();
                let got = failure.got.as_deref().map(|got| format!(", got {got}"));
                let message =
                    format!("after event {}{expected}{}", failure.after, got.unwrap_or_default());
                (Status::Fail, message, Vec::new())
            }
        };
        let (steps, blocks) = (execution.steps, execution.blocks);
        let name = Some(format!("test {number}"));
        TestReport { message, limits, steps, blocks, ..TestReport::new(name, status) }
    });
    Ok(tests.collect())
}

pub(crate) fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
