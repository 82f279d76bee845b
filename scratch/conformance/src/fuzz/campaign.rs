//! Many executions in processes that may crash or hang without taking anybody along.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use rustix::process::{Resource, Rlimit, setrlimit};
use serde::Serialize;

use super::{case, execute};
use crate::clock;

/// Slowest executions that a report names.
const SLOWEST: usize = 5;

/// Memory that the process of an execution may map, in bytes.
const MEMORY: u64 = 4 << 30;

/// Stack of the thread that executes: what threads have by default, so that nothing needs more.
const STACK: usize = 2 << 20;

/// What a campaign is to do.
pub struct Campaign<'a> {
    /// The projects to damage.
    pub projects: &'a [PathBuf],
    /// Seed of the damage.
    pub seed: u64,
    /// The first execution.
    pub first: u64,
    /// Executions; none without end.
    pub executions: Option<u64>,
    /// When to stop, in any case.
    pub time: Duration,
    /// Processes side by side.
    pub jobs: usize,
    /// An execution hangs that takes more processor time than this, or twenty times as much
    /// on the clock: others may be using the machine.
    pub patience: Duration,
    /// Where inputs that did harm are kept.
    pub keep: &'a Path,
}

/// An execution that did not come back as it should.
#[derive(Clone, Debug, Serialize)]
pub struct Failure {
    /// Its number.
    pub execution: u64,
    /// What happened: `hang`, or how the process died and its last words.
    pub what: String,
    /// The damaged project, kept.
    pub file: PathBuf,
}

/// What came of a campaign.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Report {
    /// Executions done.
    pub executions: u64,
    /// Seconds on the wall clock.
    pub seconds: f64,
    /// Executions by what they came to.
    pub outcomes: BTreeMap<String, u64>,
    /// The slowest: milliseconds of processor time and number.
    pub slowest: Vec<(u64, u64)>,
    /// Largest resident memory of a process, in KiB.
    pub peak_kib: u64,
    /// What went wrong.
    pub failures: Vec<Failure>,
}

/// Runs a campaign. `process` makes the command of a process that calls [`serve`] with this
/// first execution and stride; `done` is called after each execution.
///
/// # Errors
/// If processes cannot be started or inputs not be kept.
pub fn campaign(
    campaign: &Campaign<'_>,
    process: impl Fn(u64, u64) -> Command + Sync,
    done: impl Fn() + Sync,
) -> std::io::Result<Report> {
    let start = Instant::now();
    let report = Mutex::new(Report::default());
    std::thread::scope(|scope| {
        let lanes: Vec<_> = (0..campaign.jobs as u64)
            .map(|lane| {
                let (report, process, done) = (&report, &process, &done);
                scope.spawn(move || {
                    Lane { campaign, start, report, done }.run(campaign.first + lane, process)
                })
            })
            .collect();
        lanes.into_iter().try_for_each(|lane| lane.join().unwrap_or(Ok(())))
    })?;
    let mut report = report.into_inner().unwrap_or_default();
    report.seconds = start.elapsed().as_secs_f64();
    report.failures.sort_by_key(|f| f.execution);
    Ok(report)
}

/// One process after the other.
struct Lane<'a> {
    campaign: &'a Campaign<'a>,
    start: Instant,
    report: &'a Mutex<Report>,
    done: &'a (dyn Fn() + Sync),
}

impl Lane<'_> {
    fn run(&self, first: u64, process: &impl Fn(u64, u64) -> Command) -> std::io::Result<()> {
        let stride = self.campaign.jobs as u64;
        let mut next = first;
        while self.wants(next) {
            let mut child = process(next, stride)
                .stdin(Stdio::null())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()?;
            let failure = self.watch(&mut child, &mut next);
            let _ = child.kill();
            let status = child.wait()?;
            if let Some(failure) = failure {
                let what = failure.unwrap_or_else(|words| {
                    if status.signal() == Some(rustix::process::Signal::XCPU.as_raw()) {
                        format!("hangs: more than {:?} of processor time", self.campaign.patience)
                    } else {
                        format!("{status}: {words}")
                    }
                });
                self.fail(next, what)?;
                next += stride;
            }
        }
        Ok(())
    }

    /// Is there time, and is this execution within the number asked for?
    fn wants(&self, execution: u64) -> bool {
        let within = self.campaign.executions.is_none_or(|n| execution < self.campaign.first + n);
        within && self.start.elapsed() < self.campaign.time
    }

    /// Follows a process until it has no more to do, or until it fails at execution `next`:
    /// `Ok` says how, `Err` holds the last words of a process that died.
    fn watch(&self, child: &mut Child, next: &mut u64) -> Option<Result<String, String>> {
        let (sender, lines) = mpsc::channel();
        let stdout = child.stdout.take()?;
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        let stderr = child.stderr.take()?;
        let words = std::thread::spawn(move || {
            let mut words = String::new();
            let _ = BufReader::new(stderr).take(1 << 16).read_to_string(&mut words);
            words
        });
        loop {
            if !self.wants(*next) {
                return None;
            }
            match lines.recv_timeout(20 * self.campaign.patience) {
                Ok(line) => {
                    let mut parts = line.splitn(4, ' ');
                    let mut number = || parts.next().and_then(|p| p.parse::<u64>().ok());
                    let (Some(_), Some(took), Some(kib)) = (number(), number(), number()) else {
                        return Some(Ok(format!("unexpected output: {line}")));
                    };
                    let outcome = parts.next().unwrap_or("");
                    self.count(*next, took, kib, outcome);
                    if let Some(broken) = outcome.strip_prefix("BROKEN ") {
                        return Some(Ok(broken.to_owned()));
                    }
                    *next += self.campaign.jobs as u64;
                }
                Err(RecvTimeoutError::Timeout) => {
                    return Some(Ok("hangs".to_owned()));
                }
                Err(RecvTimeoutError::Disconnected) => {
                    let words = words.join().unwrap_or_default();
                    return Some(Err(words.trim().replace('\n', " | ")));
                }
            }
        }
    }

    fn count(&self, execution: u64, took: u64, kib: u64, outcome: &str) {
        // A poisoned report is still the report.
        let mut report = self.report.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        report.executions += 1;
        report.peak_kib = report.peak_kib.max(kib);
        *report.outcomes.entry(outcome.to_owned()).or_default() += 1;
        report.slowest.push((took, execution));
        report.slowest.sort_by(|a, b| b.cmp(a));
        report.slowest.truncate(SLOWEST);
        drop(report);
        (self.done)();
    }

    fn fail(&self, execution: u64, what: String) -> std::io::Result<()> {
        std::fs::create_dir_all(self.campaign.keep)?;
        let seed = self.campaign.seed;
        let file = self.campaign.keep.join(format!("{seed}-{execution}.sb3"));
        if let Ok(case) = case(self.campaign.projects, seed, execution) {
            std::fs::write(&file, case.bytes)?;
        }
        let mut report = self.report.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        report.failures.push(Failure { execution, what, file });
        Ok(())
    }
}

/// The inside of a process: executes numbers from `first` on and says of each on standard
/// output how long it took (milliseconds of processor time), the process' peak memory (KiB) and
/// the outcome. Ends when nobody listens any more, or by a signal in an execution that takes
/// more than `patience`.
pub fn serve(projects: &[PathBuf], seed: u64, first: u64, stride: u64, patience: Duration) {
    let memory = Rlimit { current: Some(MEMORY), maximum: Some(MEMORY) };
    // Without the limit the watchdog is on its own.
    let _ = setrlimit(Resource::As, memory);
    std::thread::scope(|scope| {
        let work = || {
            let mut number = first;
            while execute_aloud(projects, seed, number, patience).is_ok() {
                number += stride;
            }
        };
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        if let Ok(Err(panic)) = thread.map(std::thread::ScopedJoinHandle::join) {
            std::panic::resume_unwind(panic);
        }
    });
}

fn execute_aloud(
    projects: &[PathBuf],
    seed: u64,
    number: u64,
    patience: Duration,
) -> std::io::Result<()> {
    let start = clock::of_process();
    let limit = (start + patience).as_secs() + 1;
    let _ = setrlimit(Resource::Cpu, Rlimit { current: Some(limit), maximum: None });
    let outcome = match case(projects, seed, number) {
        Ok(case) => match execute(&case) {
            Ok(kind) => kind.to_owned(),
            Err(broken) => format!("BROKEN {broken}"),
        },
        Err(_) => "project gone".to_owned(),
    };
    let took = clock::of_process().saturating_sub(start).as_millis();
    let mut out = std::io::stdout().lock();
    writeln!(out, "{number} {took} {} {outcome}", peak_kib())?;
    out.flush()
}

/// Peak resident memory of this process, 0 where the system does not tell.
fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}
