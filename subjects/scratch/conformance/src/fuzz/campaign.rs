//! Fuzzing campaign: many executions in child processes, which may crash or hang without
//! ending the campaign.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, ChildStdout, Command, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde::Serialize;

use super::{case, execute};
use catherd_platform::process_cpu_time;

const SLOWEST: usize = 5;

/// Memory that the process of an execution may map, in bytes.
const MEMORY: u64 = 4 << 30;

/// Maximum number of bytes of a process's standard error that are kept.
const ERRORS: usize = 4 << 10;

/// The default stack size of threads, in bytes, so a project that needs a larger stack is detected.
const STACK: usize = 2 << 20;

/// Ratio of the limit for real time to the limit for processor time. The ratio is large, because
/// other programs may be using the processors.
const WALL_CLOCK_FACTOR: u32 = 20;

/// Configuration of a campaign.
pub struct Campaign<'a> {
    /// The projects to damage.
    pub projects: &'a [PathBuf],
    /// Seed of the damage.
    pub seed: u64,
    /// Number of the first execution.
    pub first: u64,
    /// Maximum number of executions; `None` if only the duration limits them.
    pub executions: Option<u64>,
    /// Duration after which the campaign stops.
    pub duration: Duration,
    /// Number of concurrent processes.
    pub jobs: usize,
    /// Processor time after which an execution counts as hanging.
    pub time_limit: Duration,
    /// Folder for the inputs of failed executions.
    pub failures: &'a Path,
}

/// An execution that failed.
#[derive(Clone, Debug, Serialize)]
pub struct FailedExecution {
    /// Number of the execution.
    pub execution: u64,
    /// Cause of the failure.
    pub cause: String,
    /// File for a copy of the damaged project.
    pub file: PathBuf,
}

/// Results of a campaign.
#[derive(Clone, Debug, Default, Serialize)]
pub struct CampaignReport {
    /// Number of executions that returned an outcome.
    pub executions: u64,
    /// Seconds on the wall clock.
    pub seconds: f64,
    /// Counts of executions by outcome.
    pub outcomes: BTreeMap<String, u64>,
    /// The slowest executions, slowest first: milliseconds of processor time, and number of the
    /// execution.
    pub slowest: Vec<(u64, u64)>,
    /// Largest resident memory of a process, in KiB.
    pub peak_kib: u64,
    /// The failed executions, by number.
    pub failures: Vec<FailedExecution>,
}

/// Runs a campaign. `executor` creates the command of a process that calls [`run_executor`] with a
/// first execution and a stride. `on_execution` is called after each execution that returns an
/// outcome.
///
/// # Errors
/// If a process cannot be started or a file cannot be written.
pub fn run_campaign(
    campaign: &Campaign<'_>,
    executor: impl Fn(u64, u64) -> Command + Sync,
    on_execution: impl Fn() + Sync,
) -> std::io::Result<CampaignReport> {
    let start = Instant::now();
    let report = Mutex::new(CampaignReport::default());
    std::thread::scope(|scope| {
        let lanes: Vec<_> = (0..campaign.jobs as u64)
            .map(|lane| {
                let (report, executor, on_execution) = (&report, &executor, &on_execution);
                scope.spawn(move || {
                    Lane { campaign, start, report, on_execution }
                        .run(campaign.first + lane, executor)
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

/// A sequence of processes. A campaign has one lane for each concurrent process.
struct Lane<'a> {
    campaign: &'a Campaign<'a>,
    start: Instant,
    report: &'a Mutex<CampaignReport>,
    on_execution: &'a (dyn Fn() + Sync),
}

enum LaneFailure {
    /// The process is alive, but the execution failed for this reason.
    Reported(String),
    /// The process died with this output on standard error.
    Died(String),
}

impl Lane<'_> {
    fn run(&self, first: u64, executor: &impl Fn(u64, u64) -> Command) -> std::io::Result<()> {
        let stride = self.campaign.jobs as u64;
        let mut next = first;
        while self.is_due(next) {
            let mut child = executor(next, stride)
                .stdin(Stdio::null())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()?;
            let failure = self.watch(&mut child, &mut next);
            let _ = child.kill();
            let status = child.wait()?;
            if let Some(failure) = failure {
                let cause = match failure {
                    LaneFailure::Reported(cause) => cause,
                    LaneFailure::Died(_) if catherd_platform::ended_by_cpu_limit(status) => {
                        format!("hangs: more than {:?} of processor time", self.campaign.time_limit)
                    }
                    LaneFailure::Died(output) => format!("{status}: {output}"),
                };
                self.record_failure(next, cause)?;
                next += stride;
            }
        }
        Ok(())
    }

    fn is_due(&self, execution: u64) -> bool {
        let within = self.campaign.executions.is_none_or(|n| execution < self.campaign.first + n);
        within && self.start.elapsed() < self.campaign.duration
    }

    fn watch(&self, child: &mut Child, next: &mut u64) -> Option<LaneFailure> {
        let lines = read_lines(child.stdout.take()?);
        let errors = read_errors(child.stderr.take()?);
        loop {
            if !self.is_due(*next) {
                return None;
            }
            match lines.recv_timeout(WALL_CLOCK_FACTOR * self.campaign.time_limit) {
                Ok(line) => {
                    let mut parts = line.splitn(4, ' ');
                    let mut number = || parts.next().and_then(|p| p.parse::<u64>().ok());
                    let (Some(_), Some(took), Some(kib)) = (number(), number(), number()) else {
                        let cause = format!("unexpected output: {line}");
                        return Some(LaneFailure::Reported(cause));
                    };
                    let outcome = parts.next().unwrap_or("");
                    self.count(*next, took, kib, outcome);
                    if let Some(broken) = outcome.strip_prefix("BROKEN ") {
                        return Some(LaneFailure::Reported(broken.to_owned()));
                    }
                    *next += self.campaign.jobs as u64;
                }
                Err(RecvTimeoutError::Timeout) => {
                    return Some(LaneFailure::Reported("hangs".to_owned()));
                }
                Err(RecvTimeoutError::Disconnected) => {
                    let errors = errors.join().unwrap_or_default();
                    return Some(LaneFailure::Died(errors.trim().replace('\n', " | ")));
                }
            }
        }
    }

    fn count(&self, execution: u64, took: u64, kib: u64, outcome: &str) {
        // The counts remain valid if another thread has panicked.
        let mut report = self.report.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        report.executions += 1;
        report.peak_kib = report.peak_kib.max(kib);
        *report.outcomes.entry(outcome.to_owned()).or_default() += 1;
        report.slowest.push((took, execution));
        report.slowest.sort_by(|a, b| b.cmp(a));
        report.slowest.truncate(SLOWEST);
        drop(report);
        (self.on_execution)();
    }

    fn record_failure(&self, execution: u64, cause: String) -> std::io::Result<()> {
        std::fs::create_dir_all(self.campaign.failures)?;
        let seed = self.campaign.seed;
        let file = self.campaign.failures.join(format!("{seed}-{execution}.sb3"));
        if let Ok(case) = case(self.campaign.projects, seed, execution) {
            std::fs::write(&file, case.bytes)?;
        }
        let mut report = self.report.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        report.failures.push(FailedExecution { execution, cause, file });
        Ok(())
    }
}

/// A separate thread lets the lane wait for a line with a time limit.
fn read_lines(stdout: ChildStdout) -> Receiver<String> {
    let (sender, lines) = mpsc::channel();
    std::thread::spawn(move || {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    lines
}

/// Reads everything, because a full pipe would block the process and writing to a closed one would
/// end it. Keeps the end, because a process that dies writes the cause last.
fn read_errors(mut stderr: ChildStderr) -> JoinHandle<String> {
    std::thread::spawn(move || {
        let (mut kept, mut left_out) = (Vec::new(), 0);
        let mut buffer = [0; 8192];
        while let Ok(count @ 1..) = stderr.read(&mut buffer) {
            kept.extend_from_slice(&buffer[..count]);
            let excess = kept.len().saturating_sub(ERRORS);
            kept.drain(..excess);
            left_out += excess;
        }
        let end = String::from_utf8_lossy(&kept);
        match left_out {
            0 => end.into_owned(),
            _ => format!("({left_out} earlier bytes are left out) {end}"),
        }
    })
}

/// Body of a child process: runs every `stride`-th execution, beginning with `first`, until
/// standard output is closed. Writes a line for each execution: number, milliseconds of processor
/// time, peak memory of the process in KiB, and outcome.
pub fn run_executor(
    projects: &[PathBuf],
    seed: u64,
    first: u64,
    stride: u64,
    time_limit: Duration,
) {
    // If memory cannot be limited, the time limit still applies.
    let _ = catherd_platform::limit_address_space(MEMORY);
    std::thread::scope(|scope| {
        let work = || {
            let mut number = first;
            while execute_and_report(projects, seed, number, time_limit).is_ok() {
                number += stride;
            }
        };
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        if let Ok(Err(panic)) = thread.map(std::thread::ScopedJoinHandle::join) {
            std::panic::resume_unwind(panic);
        }
    });
}

fn execute_and_report(
    projects: &[PathBuf],
    seed: u64,
    number: u64,
    time_limit: Duration,
) -> std::io::Result<()> {
    let start = process_cpu_time();
    let limit = (start + time_limit).as_secs() + 1;
    let _ = catherd_platform::limit_cpu_time(limit);
    let outcome = match case(projects, seed, number) {
        Ok(case) => match execute(&case) {
            Ok(name) => name.to_owned(),
            Err(broken) => format!("BROKEN {broken}"),
        },
        Err(_) => "project unreadable".to_owned(),
    };
    let took = process_cpu_time().saturating_sub(start).as_millis();
    let mut out = std::io::stdout().lock();
    writeln!(out, "{number} {took} {} {outcome}", peak_kib())?;
    out.flush()
}

fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}
