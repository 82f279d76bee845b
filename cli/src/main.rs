//! catherd herds test-generation runs and turns them into the tables of an empirical
//! study.
//!
//! - [`run`]: a study from its file or flags to its tables.
//! - [`verify`]: finished runs executed once more; [`replay`]: one of them, looked at.
//! - [`launch`]: workers on a cluster; [`capacity`]: how many a coordinator can serve.
//! - [`worker`]: one worker process, as `run` starts them.
//! - [`coordinator`]: studies served to workers on other machines; [`studies`]: adding,
//!   watching and fetching them; [`remote`]: how both are reached and known.
//! - [`report`]: every table and figure of results; [`import`]: results of other tools
//!   as tidy tables.
//! - [`stats`]: statistics for scripts.
//! - [`generate`], [`test`], [`coverage`], [`mutate`]: one project and one suite; [`project`] opens them.
//! - [`vm`]: the machine alone.
//! - [`dataset`]: corpora of projects, from sampling to figures.
//! - [`subjects`]: the subject kinds, and the command that lists them.
//! - [`failure`], [`terminal`]: what people read.

mod capacity;
mod coordinator;
mod coverage;
mod dataset;
#[cfg(test)]
mod documentation;
mod failure;
mod generate;
mod import;
mod launch;
mod mutate;
mod project;
mod remote;
mod replay;
mod report;
mod run;
mod stats;
mod studies;
mod subjects;
mod terminal;
mod test;
mod verify;
mod vm;
mod worker;

use std::panic;
use std::process::ExitCode;

use catherd_proto::v1;
use clap::{Parser, Subcommand};

use failure::{Exit, Failure};

#[global_allocator]
static ALLOCATOR: catherd_worker::OomMarkingAllocator = catherd_worker::OomMarkingAllocator;

/// Runs large empirical studies of test generators.
#[derive(Parser)]
#[command(name = "catherd", version, max_term_width = 100, after_help = failure::EXIT_CODES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Run(run::Arguments),
    Reproduce(report::Reproduce),
    Report(report::Arguments),
    Generate(generate::Arguments),
    Test(test::Arguments),
    Coverage(coverage::Arguments),
    Mutate(mutate::Arguments),
    Worker(worker::Arguments),
    Coordinator(coordinator::Arguments),
    Submit(studies::Submit),
    Status(studies::Status),
    Watch(studies::Watch),
    /// Hands out no more runs of a study of a coordinator; those in hand are finished
    Pause(studies::Change),
    /// Goes on with a study that was paused or cancelled
    Resume(studies::Change),
    /// Ends a study of a coordinator: runs in hand are finished, and what has ended is kept
    Cancel(studies::Change),
    Results(studies::Results),
    Token(remote::MakeToken),
    Certs(remote::MakeCerts),
    #[command(subcommand)]
    Launch(launch::Command),
    #[command(subcommand)]
    Capacity(capacity::Command),
    Subjects(subjects::Arguments),
    Verify(verify::Arguments),
    Replay(replay::Arguments),
    Stats(stats::Arguments),
    Import(import::Arguments),
    #[command(subcommand)]
    Vm(vm::Command),
    #[command(subcommand)]
    Dataset(dataset::Command),
}

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(refusal) => {
            // Nobody is left to tell if this fails.
            let _ = refusal.print();
            return if refusal.use_stderr() { Exit::FATAL } else { ExitCode::SUCCESS };
        }
    };
    panic::set_hook(Box::new(|defect| {
        let line = format!("a defect in catherd: {defect}");
        let failure = Failure::new(line).hint(
            "please report it with the command; runs that have ended are safe, and the same \
             command goes on",
        );
        terminal::fail(&failure.to_string());
    }));
    match panic::catch_unwind(|| cli.command.execute()) {
        Ok(Ok(exit)) => exit.into(),
        Ok(Err(failure)) => {
            terminal::fail(&failure.to_string());
            Exit::FATAL
        }
        // The hook has told.
        Err(_) => Exit::FATAL,
    }
}

impl Command {
    fn execute(self) -> Result<Exit, Failure> {
        match self {
            Command::Run(arguments) => run::run(arguments),
            Command::Reproduce(arguments) => report::reproduce(arguments),
            Command::Report(arguments) => report::run(arguments),
            Command::Generate(arguments) => generate::run(arguments),
            Command::Test(arguments) => test::run(&arguments),
            Command::Coverage(arguments) => coverage::run(&arguments),
            Command::Mutate(arguments) => mutate::run(arguments),
            Command::Worker(arguments) => worker::run(arguments),
            Command::Coordinator(arguments) => coordinator::run(arguments),
            Command::Submit(arguments) => arguments.run(),
            Command::Status(arguments) => arguments.run(),
            Command::Watch(arguments) => arguments.run(),
            Command::Pause(arguments) => arguments.run(v1::StudyState::Paused),
            Command::Resume(arguments) => arguments.run(v1::StudyState::Active),
            Command::Cancel(arguments) => arguments.run(v1::StudyState::Cancelled),
            Command::Results(arguments) => arguments.run(),
            Command::Token(arguments) => arguments.run(),
            Command::Certs(arguments) => arguments.run(),
            Command::Launch(command) => launch::run(command),
            Command::Capacity(command) => capacity::run(command),
            Command::Subjects(arguments) => subjects::run(&arguments),
            Command::Verify(arguments) => verify::run(arguments),
            Command::Replay(arguments) => replay::run(&arguments),
            Command::Import(arguments) => import::run(arguments),
            Command::Stats(arguments) => stats::run(arguments),
            Command::Vm(command) => vm::run(command),
            Command::Dataset(command) => dataset::run(command),
        }
    }
}
