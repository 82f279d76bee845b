//! `catherd dev vm fuzz`: runs mutated projects.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use catherd_cli_console::terminal::{self, BARS, bar};
use catherd_cli_console::{Exit, Failure};
use catherd_scratch_conformance::fuzz::{
    Campaign, CampaignReport, case, execute, run_campaign, run_executor,
};
use catherd_scratch_corpora::find;
use clap::Args;
use indicatif::ProgressBar;

use crate::failure::Worded;

/// Fuzzes the reader and the machine: mutates projects and runs them.
///
/// Blocks are deleted, copied, rewired and injected; values and files are replaced with extreme
/// values and files; archives are cut and damaged. Each execution loads the result, runs it with
/// tracing and random input, and runs it again from a snapshot, in a process that may use 4 GiB of
/// memory. A crash, a hang or a second run that differs is a failure, and its project is stored.
/// Execution N of a seed damages the same project in the same way on every computer.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd dev vm fuzz datasets/demo --executions 2000
  catherd dev vm fuzz games --seconds 3600 --seed 7 --jobs 2
  catherd dev vm fuzz games --seed 7 --only 4711

Exit codes: 0 if nothing failed, 2 if something did, 1 if the command cannot run or the execution of
--only failed.")]
pub struct Arguments {
    /// Project files, unpacked project folders, or folders of them
    #[arg(required = true, value_name = "DIR")]
    projects: Vec<PathBuf>,

    /// Maximum number of executions [default: as many as --seconds allows]
    #[arg(long, value_name = "N")]
    executions: Option<u64>,

    /// Duration of the campaign, in seconds
    #[arg(long, value_name = "N", default_value_t = 60)]
    seconds: u64,

    /// Seed of the random changes
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,

    /// Number of the first execution
    #[arg(long, value_name = "N", default_value_t = 0)]
    first: u64,

    /// Number of a single execution to repeat, in this process
    #[arg(long, value_name = "N", conflicts_with = "executions")]
    only: Option<u64>,

    /// Number of concurrent processes
    #[arg(long, value_name = "N", default_value_t = 1)]
    jobs: usize,

    /// Maximum processor time of an execution before it counts as hanging, in seconds
    #[arg(long, alias = "patience", value_name = "SECONDS", default_value_t = 30)]
    time_limit: u64,

    /// Folder for the projects of failed executions
    #[arg(long, alias = "keep", value_name = "DIR", default_value = "fuzz-failures")]
    failures: PathBuf,

    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,

    /// Child process of a campaign: execute every STRIDE-th number from --first on
    #[arg(long, value_name = "STRIDE", hide = true)]
    executor: Option<u64>,
}

pub(super) fn run(arguments: Arguments) -> Result<Exit, Failure> {
    // A child process does not check the projects again, because that would take seconds each
    // time.
    if let Some(stride) = arguments.executor {
        let time_limit = Duration::from_secs(arguments.time_limit);
        run_executor(&arguments.projects, arguments.seed, arguments.first, stride, time_limit);
        return Ok(Exit::Success);
    }
    let found = find(arguments.projects).map_err(Worded::worded)?;
    let projects: Vec<PathBuf> = found.projects.into_iter().map(|e| e.path).collect();
    if let Some(number) = arguments.only {
        return execute_one(&projects, arguments.seed, number);
    }
    let campaign = Campaign {
        projects: &projects,
        seed: arguments.seed,
        first: arguments.first,
        executions: arguments.executions,
        duration: Duration::from_secs(arguments.seconds),
        jobs: arguments.jobs.max(1),
        time_limit: Duration::from_secs(arguments.time_limit),
        failures: &arguments.failures,
    };
    let program = std::env::current_exe()
        .map_err(|cause| Failure::new(format!("cannot find the path of this program: {cause}")))?;
    let executor = |first: u64, stride: u64| {
        let mut command = Command::new(&program);
        command.args(["dev", "vm", "fuzz", "--seed", &campaign.seed.to_string()]);
        command.args(["--first", &first.to_string(), "--executor", &stride.to_string()]);
        command.args(["--time-limit", &campaign.time_limit.as_secs().to_string(), "--"]);
        command.args(&projects);
        command
    };
    let progress = match campaign.executions {
        Some(n) => bar(n as usize),
        None => BARS.add(ProgressBar::new_spinner()),
    };
    let report = run_campaign(&campaign, executor, || progress.inc(1)).map_err(|cause| {
        Failure::new(format!(
            "cannot start a process or write to {}: {cause}",
            campaign.failures.display()
        ))
    })?;
    progress.finish_and_clear();
    terminal::print(&if arguments.json {
        serde_json::to_string(&report).map_or(String::new(), |line| line + "\n")
    } else {
        describe(&report, campaign.seed)
    });
    Ok(if report.failures.is_empty() { Exit::Success } else { Exit::Incomplete })
}

fn execute_one(projects: &[PathBuf], seed: u64, number: u64) -> Result<Exit, Failure> {
    let case = case(projects, seed, number).map_err(Failure::new)?;
    terminal::print(&format!("{}, {} bytes\n", case.origin.display(), case.bytes.len()));
    match execute(&case) {
        Ok(outcome) => terminal::print(&format!("{outcome}\n")),
        Err(broken) => return Err(Failure::new(broken)),
    }
    Ok(Exit::Success)
}

fn describe(report: &CampaignReport, seed: u64) -> String {
    let rate = report.executions as f64 / report.seconds.max(0.001);
    let mut text = format!(
        "{} in {:.0} s ({rate:.1}/s), at most {} MiB\n",
        terminal::plural(report.executions as usize, "execution"),
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
            "FAILED --seed {seed} --only {}: {}\n  stored as {}\n",
            failure.execution,
            failure.cause,
            failure.file.display()
        );
    }
    text
}
