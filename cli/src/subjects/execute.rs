//! `catherd execute`: the process in which a worker executes runs whose subjects could end the
//! process.

use std::path::PathBuf;

use catherd_cli_console::{Exit, Failure, terminal};
use catherd_interface::RunnerContext;
use catherd_worker::serve_subject;
use clap::Args;

/// Executes the runs that a worker passes on through standard input.
#[derive(Args)]
pub(crate) struct Arguments {
    /// The kind of the runs
    #[arg(long)]
    kind: String,

    /// File that is written if the system refuses memory
    #[arg(long, value_name = "FILE")]
    mark: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    terminal::log("warn");
    let runner = super::kind(&arguments.kind)?.runner(&RunnerContext::default());
    let runner = runner.ok_or_else(|| {
        Failure::new(format_args!("runs of `{}` need a worker", arguments.kind))
            .hint("start a worker with --programs")
    })?;
    serve_subject(runner, arguments.mark.as_deref())
        .map(|()| Exit::Success)
        .map_err(|cause| Failure::new(format_args!("cannot serve the worker: {cause}")))
}
