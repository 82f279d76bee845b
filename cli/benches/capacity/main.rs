//! Measures the cost of a coordinator, and predicts the size of the cluster that it can serve:
//! `cargo bench --bench capacity -- --help`. docs/measurements/scaling.md explains the results.

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
