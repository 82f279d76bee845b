//! `catherd dev sequences synth`: writes synthetic models.

use std::fs;

use catherd_cli_console::terminal::{self, bar};
use catherd_cli_console::{Exit, Failure};
use catherd_sequences_testing::{Shape, SyntheticError, synthetic};
use clap::Args;
use serde_json::json;

use crate::write;

/// Writes random models, for studies with many or large models.
///
/// Each model has at least 100 traces that end. The same seed and shape make the same models on
/// every machine.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd dev sequences synth --count 10 -o models
  catherd dev sequences synth --count 3 --threads 4 --events 20 --depth 6 --density 0.5 -o models
  catherd run --subject sequences --projects models --algorithms greedy,ga --executions 1000")]
pub struct Synth {
    /// Number of models
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    count: u64,

    /// Seed of the models
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,

    /// Number of b-threads of a model, 1 to 64
    #[arg(long, value_name = "N", default_value_t = Shape::default().threads)]
    threads: usize,

    /// Number of events of a model, 1 to 1000
    #[arg(long, value_name = "N", default_value_t = Shape::default().events)]
    events: usize,

    /// Number of statements of a b-thread, 1 to 200
    #[arg(long, value_name = "N", default_value_t = Shape::default().depth)]
    depth: usize,

    /// How often statements wait for other b-threads or block their events, 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = Shape::default().density)]
    density: f64,

    /// Folder for the models; it is created
    #[arg(short, long, value_name = "FOLDER")]
    output: String,

    /// Print one JSON object: the files
    #[arg(long)]
    json: bool,
}

pub(crate) fn synth(arguments: &Synth) -> Result<Exit, Failure> {
    let Synth { count, seed, threads, events, depth, density, .. } = *arguments;
    let shape = Shape { threads, events, depth, density };
    let folder = &arguments.output;
    fs::create_dir_all(folder).map_err(|cause| Failure::new(format!("{folder}: {cause}")))?;
    let bar = bar(count as usize);
    let mut files = Vec::new();
    for number in 1..=count {
        let text = synthetic(&shape, seed, number).map_err(|error| {
            let hint = match &error {
                SyntheticError::Range { part, range } => {
                    format!("give --{part} a number from {range}")
                }
                SyntheticError::NoTraces => {
                    "set fewer waits (--density), or more events and statements".to_owned()
                }
            };
            Failure::new(error).hint(hint)
        })?;
        let file = format!("{folder}/synthetic-{seed}-{number}.bp");
        write(&file, &text)?;
        files.push(file);
        bar.inc(1);
    }
    bar.finish_and_clear();
    match arguments.json {
        true => terminal::print(&(json!({"files": files}).to_string() + "\n")),
        false => {
            terminal::print(&format!("{folder}: {}\n", terminal::plural(files.len(), "model")))
        }
    }
    Ok(Exit::Success)
}
