//! `catherd vm fuzz`: projects damaged on purpose.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use catherd_datasets::find;
use catherd_conformance::fuzz::{Campaign, Report, campaign, case, execute, serve};
use clap::Args;
use indicatif::ProgressBar;

use crate::failure::{Exit, Failure};
use crate::terminal::{self, BARS, bar};

/// Damages projects in every way and runs what comes of it.
///
/// Blocks are deleted, copied, rewired and planted, values and files replaced by absurd ones,
/// archives cut and bent. Each execution loads the result, runs it with tracing and input, and
/// runs it again from a snapshot, in a process that may use 4 GiB; a crash, a hang or a run that
/// does not repeat itself is a failure, and its project is kept. Execution N of a seed damages
/// the same project in the same way on every machine.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd vm fuzz datasets/demo --executions 2000
  catherd vm fuzz games --seconds 3600 --seed 7 --jobs 2
  catherd vm fuzz games --seed 7 --only 4711

Exit codes: 0 if nothing failed, 2 if something did, 1 if a path does not exist.")]
pub(crate) struct Arguments {
    /// Project files, unpacked project folders, or folders of them
    #[arg(required = true, value_name = "DIR")]
    projects: Vec<PathBuf>,

    /// Executions; without a number, as many as the time allows
    #[arg(long, value_name = "N")]
    executions: Option<u64>,

    /// Seconds after which to stop
    #[arg(long, value_name = "N", default_value_t = 60)]
    seconds: u64,

    /// Seed of the damage
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,

    /// Number of the first execution
    #[arg(long, value_name = "N", default_value_t = 0)]
    first: u64,

    /// Repeat one execution alone, in this process
    #[arg(long, value_name = "N", conflicts_with = "executions")]
    only: Option<u64>,

    /// Processes side by side
    #[arg(long, value_name = "N", default_value_t = 1)]
    jobs: usize,

    /// Seconds of processor time after which an execution counts as hanging
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    patience: u64,

    /// Where to keep the projects that did harm
    #[arg(long, value_name = "DIR", default_value = "fuzz-failures")]
    keep: PathBuf,

    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,

    /// For the processes that do the work: execute every STRIDE-th number from --first on
    #[arg(long, value_name = "STRIDE", hide = true)]
    serve: Option<u64>,
}

pub(super) fn run(arguments: Arguments) -> Result<Exit, Failure> {
    // Workers take the list as it is: checking it again would cost seconds each time.
    if let Some(stride) = arguments.serve {
        let patience = Duration::from_secs(arguments.patience);
        serve(&arguments.projects, arguments.seed, arguments.first, stride, patience);
        return Ok(Exit::Fine);
    }
    let found = find(arguments.projects)?;
    let projects: Vec<PathBuf> = found.projects.into_iter().map(|e| e.path).collect();
    if let Some(number) = arguments.only {
        return only(&projects, arguments.seed, number);
    }
    let task = Campaign {
        projects: &projects,
        seed: arguments.seed,
        first: arguments.first,
        executions: arguments.executions,
        time: Duration::from_secs(arguments.seconds),
        jobs: arguments.jobs.max(1),
        patience: Duration::from_secs(arguments.patience),
        keep: &arguments.keep,
    };
    let program = std::env::current_exe()
        .map_err(|cause| Failure::new(format!("this program cannot be started again: {cause}")))?;
    let process = |first: u64, stride: u64| {
        let mut command = Command::new(&program);
        command.args(["vm", "fuzz", "--seed", &task.seed.to_string()]);
        command.args(["--first", &first.to_string(), "--serve", &stride.to_string()]);
        command.args(["--patience", &task.patience.as_secs().to_string(), "--"]);
        command.args(&projects);
        command
    };
    let progress = match task.executions {
        Some(n) => bar(n as usize),
        None => BARS.add(ProgressBar::new_spinner()),
    };
    let report = campaign(&task, process, || progress.inc(1))
        .map_err(|cause| Failure::new(format!("{}: {cause}", task.keep.display())))?;
    progress.finish_and_clear();
    terminal::print(&if arguments.json {
        serde_json::to_string(&report).map_or(String::new(), |line| line + "\n")
    } else {
        describe(&report, task.seed)
    });
    Ok(if report.failures.is_empty() { Exit::Fine } else { Exit::Incomplete })
}

fn only(projects: &[PathBuf], seed: u64, number: u64) -> Result<Exit, Failure> {
    let case = case(projects, seed, number).map_err(Failure::new)?;
    terminal::print(&format!("{}, {} bytes\n", case.origin.display(), case.bytes.len()));
    match execute(&case) {
        Ok(kind) => terminal::print(&format!("{kind}\n")),
        Err(broken) => return Err(Failure::new(broken)),
    }
    Ok(Exit::Fine)
}

fn describe(report: &Report, seed: u64) -> String {
    let rate = report.executions as f64 / report.seconds.max(0.001);
    let mut text = format!(
        "{} executions in {:.0} s ({rate:.1}/s), at most {} MiB\n",
        report.executions,
        report.seconds,
        report.peak_kib / 1024
    );
    for (outcome, count) in &report.outcomes {
        text += &format!("{count:>10}  {outcome}\n");
    }
    text += "slowest:";
    for (took, number) in &report.slowest {
        text += &format!(" {number} ({:.1} s)", *took as f64 / 1e3);
    }
    text += "\n";
    for failure in &report.failures {
        text += &format!(
            "FAILED --seed {seed} --only {}: {}\n  kept as {}\n",
            failure.execution,
            failure.what,
            failure.file.display()
        );
    }
    text
}
