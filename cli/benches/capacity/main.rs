//! Measures what a coordinator costs, and predicts the size of the cluster that it can serve:
//! `cargo bench --bench capacity -- --help`. How to read the results: docs/measurements/scaling.md.

#[path = "program.rs"]
mod program;

use std::process::ExitCode;

use catherd_cli_console::{Exit, terminal};
use clap::Parser;

fn main() -> ExitCode {
    match program::Program::parse().execute() {
        Ok(exit) => exit.into(),
        Err(failure) => {
            terminal::fail(&failure.to_string());
            Exit::FATAL
        }
    }
}
