//! The command line of catherd.

mod backup;
mod certificates;
mod check;
mod completions;
mod coordinator;
mod coverage;
mod dataset;
mod dev;
#[cfg(test)]
mod documentation;
mod generate;
mod health;
mod help;
mod init;
mod inspect;
mod launch;
mod licences;
mod local_token;
mod mutate;
mod notify;
mod pair;
mod programs;
mod prune;
mod remote;
mod rendezvous;
mod reproduce;
mod run;
mod schema;
mod studies;
mod study_status;
mod subjects;
mod test;
mod tokens;
mod tools;
mod worker;

use std::ffi::OsString;
use std::panic;
use std::process::ExitCode;

use catherd_analysis_commands::{archive, claims, import, replay, report, stats, verify};
use catherd_cli_console::{Exit, Failure, places, terminal};
use catherd_cli_failures as failure;
use catherd_javascript_commands as javascript;
use catherd_proto::v1;
use catherd_scratch_commands as scratch;
use catherd_sequences_commands as sequences;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};

#[global_allocator]
static ALLOCATOR: catherd_worker::OomMarkingAllocator = catherd_worker::OomMarkingAllocator;

/// The version, followed by the commit and its date if they are known.
const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), env!("CATHERD_COMMIT"));

/// Runs large empirical studies of test generators.
#[derive(Parser)]
#[command(
    name = "catherd",
    version = VERSION,
    max_term_width = 100,
    disable_help_subcommand = true,
    after_help = format!("{}\n\n{}", failure::EXIT_CODES, failure::ENVIRONMENT)
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Run(run::Arguments),
    Check(check::Arguments),
    Init(init::Arguments),
    Reproduce(reproduce::Reproduce),
    Report(report::Arguments),
    Claims(claims::Arguments),
    Generate(generate::Arguments),
    Export(javascript::export::Arguments),
    Test(test::Arguments),
    Judge(scratch::judge::Arguments),
    Coverage(coverage::Arguments),
    Mutate(mutate::Arguments),
    Play(scratch::play::Arguments),
    Inspect(inspect::Arguments),
    Worker(worker::Arguments),
    #[command(hide = true)]
    Supervise(programs::Arguments),
    #[command(hide = true)]
    Execute(subjects::execute::Arguments),
    Coordinator(Box<coordinator::Arguments>),
    Submit(studies::Submit),
    Status(studies::Status),
    Watch(studies::Watch),
    /// Pauses a study: current runs are finished, and no others start
    Pause(studies::Change),
    /// Continues a study that was paused or cancelled
    Resume(studies::Change),
    /// Cancels a study: current runs are finished, and records are kept
    Cancel(studies::Change),
    Delete(studies::Delete),
    Share(studies::Share),
    Why(studies::Why),
    /// Drains workers: current runs are finished, and the workers exit
    Drain(studies::Tell),
    /// Blocks workers: they get no further runs, but stay
    Block(studies::Tell),
    /// Readmits workers that were drained or blocked
    Undrain(studies::Tell),
    Results(studies::Results),
    Health(health::Arguments),
    Token(tokens::MakeToken),
    Certs(certificates::MakeCerts),
    #[command(subcommand)]
    Launch(launch::Command),
    Subjects(subjects::Arguments),
    #[command(subcommand)]
    Tool(tools::Command),
    Doctor(tools::Doctor),
    Archive(archive::Arguments),
    Backup(backup::Arguments),
    Prune(prune::Arguments),
    Verify(verify::Arguments),
    Replay(replay::Arguments),
    Stats(stats::Arguments),
    #[command(subcommand)]
    Sequences(sequences::Command),
    #[command(subcommand, name = "javascript")]
    JavaScript(javascript::Command),
    Import(import::Arguments),
    #[command(subcommand)]
    Vm(scratch::vm::Command),
    #[command(subcommand)]
    Dataset(dataset::Command),
    Schema(schema::Arguments),
    Completions(completions::Completions),
    Licences(licences::Arguments),
    #[command(hide = true)]
    Help(help::Arguments),
    #[command(hide = true, subcommand)]
    Dev(dev::Command),
    // A command of version 0.3, which is kept for one more version, and prints the new place of the
    // benchmark.
    #[command(hide = true)]
    Capacity(MovedCapacity),
}

/// Moved: `cargo bench --bench capacity` measures the cost of a coordinator
#[derive(Args)]
struct MovedCapacity {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    _arguments: Vec<OsString>,
}

fn main() -> ExitCode {
    let found = help::grouped(Cli::command()).try_get_matches();
    let cli = match found.and_then(|mut found| Cli::from_arg_matches_mut(&mut found)) {
        Ok(cli) => cli,
        Err(mut refusal) => {
            let words: Vec<String> =
                std::env::args_os().skip(1).map(|word| word.to_string_lossy().into()).collect();
            help::suggest_command(&mut refusal, &Cli::command(), &words);
            // If standard output or error is closed, nothing more can be reported.
            match help::in_plain_words(&refusal) {
                Some(text) => terminal::fail(text.trim_end()),
                None => drop(refusal.print()),
            }
            return if refusal.use_stderr() { Exit::FATAL } else { ExitCode::SUCCESS };
        }
    };
    panic::set_hook(Box::new(|defect| {
        let line = format!("defect in catherd: {defect}");
        let failure = Failure::new(line).hint(
            "report it and the command; finished runs are kept, and the same command continues \
             from there",
        );
        terminal::fail(&failure.to_string());
    }));
    match panic::catch_unwind(|| cli.command.execute()) {
        Ok(Ok(exit)) => exit.into(),
        Ok(Err(failure)) => {
            terminal::fail(&failure.to_string());
            Exit::FATAL
        }
        // The panic hook has printed the defect.
        Err(_) => Exit::FATAL,
    }
}

impl Command {
    fn execute(self) -> Result<Exit, Failure> {
        match self {
            Command::Run(arguments) => run::run(arguments),
            Command::Check(arguments) => check::run(&arguments),
            Command::Init(arguments) => init::run(&arguments),
            Command::Reproduce(arguments) => reproduce::run(&arguments),
            Command::Report(arguments) => report::run(arguments, &subjects::PROGRAM),
            Command::Claims(arguments) => claims::run(&arguments),
            Command::Generate(arguments) => generate::run(arguments),
            Command::Export(arguments) => javascript::export::run(&arguments),
            Command::Test(arguments) => test::run(arguments),
            Command::Judge(arguments) => scratch::judge::run(&arguments),
            Command::Coverage(arguments) => coverage::run(arguments),
            Command::Mutate(arguments) => mutate::run(arguments),
            Command::Play(arguments) => scratch::play::run(&arguments),
            Command::Inspect(arguments) => inspect::run(&arguments),
            Command::Worker(arguments) => worker::run(arguments),
            Command::Supervise(arguments) => programs::run(arguments),
            Command::Execute(arguments) => subjects::execute::run(&arguments),
            Command::Coordinator(arguments) => coordinator::run(*arguments),
            Command::Submit(arguments) => arguments.run(),
            Command::Status(arguments) => arguments.run(),
            Command::Watch(arguments) => arguments.run(),
            Command::Pause(arguments) => arguments.run(v1::StudyState::Paused),
            Command::Resume(arguments) => arguments.run(v1::StudyState::Active),
            Command::Cancel(arguments) => arguments.run(v1::StudyState::Cancelled),
            Command::Delete(arguments) => arguments.run(),
            Command::Share(arguments) => arguments.run(),
            Command::Why(arguments) => arguments.run(),
            Command::Drain(arguments) => arguments.run(v1::WorkerRule::Drain),
            Command::Block(arguments) => arguments.run(v1::WorkerRule::Block),
            Command::Undrain(arguments) => arguments.run(v1::WorkerRule::Admit),
            Command::Results(arguments) => arguments.run(),
            Command::Health(arguments) => health::run(&arguments),
            Command::Token(arguments) => arguments.run(),
            Command::Certs(arguments) => arguments.run(),
            Command::Launch(command) => launch::run(command),
            Command::Subjects(arguments) => subjects::run(&arguments),
            Command::Tool(command) => tools::run(&command),
            Command::Doctor(arguments) => arguments.run(),
            Command::Archive(arguments) => archive::run(&arguments, &subjects::PROGRAM),
            Command::Backup(arguments) => backup::run(&arguments),
            Command::Prune(arguments) => prune::run(&arguments),
            Command::Verify(arguments) => verify::run(&arguments, &subjects::PROGRAM),
            Command::Replay(arguments) => replay::run(&arguments, &subjects::PROGRAM),
            Command::Import(arguments) => import::run(arguments),
            Command::Stats(arguments) => stats::run(arguments),
            Command::Sequences(command) => sequences::run(command),
            Command::JavaScript(command) => javascript::run(command),
            Command::Vm(command) => scratch::vm::run(command),
            Command::Dataset(command) => dataset::run(command),
            Command::Help(arguments) => help::run(&arguments, help::grouped(Cli::command())),
            Command::Schema(arguments) => schema::run(&arguments),
            Command::Completions(arguments) => {
                completions::run(&arguments, help::grouped(Cli::command()))
            }
            Command::Licences(arguments) => licences::run(&arguments),
            Command::Dev(command) => dev::run(command, Cli::command()),
            Command::Capacity(_) => Err(Failure::new("catherd capacity is a benchmark now")
                .hint("execute cargo bench --bench capacity -- --help in the source of catherd")),
        }
    }
}
