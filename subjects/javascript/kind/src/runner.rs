//! The execution of runs.

use std::ops::ControlFlow;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use catherd_experiments::{Digest, RunRecord, RunSpec};
use catherd_interface::{
    Examination, FieldError, LoadError, LoadedProject, RunError, RunProgress, Survival,
};
use catherd_javascript_classes::machine::{Package, Program};
use catherd_javascript_classes::mutation::{MutationReport, MutationSettings, analyse};
use catherd_javascript_classes::{Crash, Generated, Journal, Request, check_config, generate_with};
use catherd_search::{Meter, Progress, Stop};

use crate::{configuration, goals, measures, record};

/// Stack size in bytes. The parser and the engine are recursive.
const STACK: usize = 256 << 20;

/// A panic is resumed in the caller.
pub(crate) fn on_a_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| {
        let builder = thread::Builder::new().stack_size(STACK);
        #[expect(
            clippy::expect_used,
            reason = "a process that cannot start a thread cannot continue"
        )]
        let handle = builder.spawn_scoped(scope, work).expect("a thread starts");
        handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

pub(crate) struct Loaded(Package);

impl LoadedProject for Loaded {
    fn read(_: Digest, bytes: &[u8]) -> Result<Loaded, LoadError> {
        let package = Package::unpack(bytes).map_err(|error| error.to_string())?;
        check_config(&package.config).map_err(|error| error.to_string())?;
        Ok(Loaded(package))
    }

    fn examine(&mut self, asked: &Examination) -> Result<Vec<(String, String)>, LoadError> {
        let package = self.0.clone();
        on_a_large_stack(move || {
            let program = Program::new(package).map_err(|error| error.to_string())?;
            Ok(match asked {
                Examination::Usable => Vec::new(),
                Examination::Measures => {
                    let cells = measures::cells(Some(&program)).into_iter();
                    cells.map(|(name, value)| (name.to_owned(), value)).collect()
                }
                Examination::Goals(algorithm) => goals::names(&program, algorithm)?,
            })
        })
    }

    fn run(
        &mut self,
        spec: &RunSpec,
        on_progress: &mut dyn FnMut(RunProgress) -> ControlFlow<()>,
    ) -> Result<RunRecord, RunError> {
        self.run_again(spec, &Survival::default(), on_progress)
    }

    fn run_again(
        &mut self,
        spec: &RunSpec,
        survival: &Survival,
        on_progress: &mut dyn FnMut(RunProgress) -> ControlFlow<()>,
    ) -> Result<RunRecord, RunError> {
        let start = Instant::now();
        let package = &self.0;
        let failed = |error: FieldError| RunError::Failed(error.cause);
        let (method, settings) =
            configuration::read_for(&spec.algorithm, &package.config).map_err(failed)?;
        let request = Request {
            method,
            settings,
            seed: spec.seed,
            budget: configuration::budget(&spec.budget),
            project: spec.project.to_string(),
            engine: crate::ENGINE.to_owned(),
            functions: None,
        };
        let mutation = spec.mutation.as_ref().map(configuration::mutation).transpose();
        let mutation = mutation.map_err(failed)?;
        let (send, receive) = mpsc::sync_channel(1);
        let (answer, answers) = mpsc::channel();
        // Use channels, because the engine cannot leave its thread.
        let result = thread::scope(|scope| {
            let builder = thread::Builder::new().stack_size(STACK);
            let mut last = Instant::now();
            let mut tell = move |progress: Progress| {
                if last.elapsed() < Duration::from_millis(200) {
                    return ControlFlow::Continue(());
                }
                last = Instant::now();
                let sent = send.send(progress).is_ok();
                match answers.recv() {
                    Ok(flow) if sent => flow,
                    _ => ControlFlow::Break(()),
                }
            };
            let work = move || {
                let journal = journal(survival)?;
                execute(package, &request, journal, mutation.as_ref(), &mut tell)
            };
            let handle = builder.spawn_scoped(scope, work);
            let handle = handle.map_err(|error| RunError::Crashed(error.to_string()))?;
            while let Ok(progress) = receive.recv() {
                let flow = on_progress(RunProgress {
                    work: record::work(progress.meter.executions(), progress.meter.steps()),
                    covered: progress.covered as u32,
                    goals: progress.goals as u32,
                });
                if answer.send(flow).is_err() {
                    break;
                }
            }
            let result = handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            result.map_err(RunError::Failed)
        })?;
        let Some((generated, report)) = result else { return Err(RunError::Stopped) };
        let mut record = record::of(spec, &generated, start.elapsed());
        if let Some(report) = report {
            record::add_mutants(&mut record, &report);
        }
        Ok(record)
    }
}

/// The journal of a run, which skips executions during which earlier processes ended.
fn journal(survival: &Survival) -> Result<Journal, String> {
    if survival.under_way.as_os_str().is_empty() {
        return Ok(Journal::default());
    }
    let crashed = survival.left_out.iter().map(|key| key.parse::<Crash>());
    let crashed = crashed.collect::<Result<_, _>>().map_err(|error| error.to_string())?;
    Journal::without(crashed, &survival.under_way)
        .map_err(|cause| format!("{}: {cause}", survival.under_way.display()))
}

/// Generates a suite and, if `mutation` is given, executes it on the mutants of the program.
/// Returns `None` if `tell` stops the run.
fn execute(
    package: &Package,
    request: &Request,
    journal: Journal,
    mutation: Option<&MutationSettings>,
    tell: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Option<(Generated, Option<MutationReport>)>, String> {
    let program = Program::new(package.clone()).map_err(|error| error.to_string())?;
    let mut last = Progress { meter: Meter::default(), iterations: 0, covered: 0, goals: 0 };
    let generated = generate_with(&program, request, journal, &mut |progress| {
        last = *progress;
        tell(*progress)
    });
    let generated = generated.map_err(|error| error.to_string())?;
    if let Some(error) = &generated.failed {
        return Err(error.to_string());
    }
    if generated.stop == Some(Stop::Cancelled) {
        return Ok(None);
    }
    let Some(mutation) = mutation else { return Ok(Some((generated, None))) };
    let report = analyse(&program, &generated.suite, mutation, &mut |_, _| tell(last));
    let report = report.map_err(|error| error.to_string())?;
    Ok(report.map(|report| (generated, Some(report))))
}
