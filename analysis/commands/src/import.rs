//! `catherd import`: converts results of other tools to tidy tables.

use std::collections::BTreeMap;
use std::path::PathBuf;

use catherd_analysis::import::{Columns, FIELDS, Format, FuzzBench, Pynguin, Whisker, import};
use catherd_cli_console::terminal::{self, plural};
use catherd_cli_console::{Exit, Failure, exit_codes};
use catherd_cli_failures::Worded;
use catherd_experiments::Budget;
use clap::{Args, Subcommand};

/// Converts results of other tools to tidy tables.
///
/// Reports can then compare these tables with studies.
#[derive(Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{}", exit_codes(&[])))]
pub struct Arguments {
    #[command(subcommand)]
    tool: Tool,
}

#[derive(Subcommand)]
enum Tool {
    /// CSV files of Whisker's test generation
    Whisker(Files),
    /// statistics.csv files of Pynguin
    Pynguin {
        #[command(flatten)]
        files: Files,

        /// Time between two columns of a timeline, in milliseconds [default: from
        /// pynguin-config.toml next to a file, otherwise 1000]
        #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
        interval: Option<u64>,
    },
    /// Raw data of FuzzBench experiments: data.csv.gz next to the reports, compressed or not
    Fuzzbench(Files),
    /// Any CSV file with one row per run; columns are mapped by name
    Csv {
        #[command(flatten)]
        files: Files,

        /// Column of a field, such as covered=hit_blocks [default: the column with the name of the
        /// field]. Fields: project, algorithm, seed, goals, covered, coverage, executions, search_ms,
        /// wall_ms, suite_tests, suite_events, minimised_events, outcome
        #[arg(long = "column", value_name = "FIELD=COLUMN", value_parser = column)]
        columns: Vec<(String, String)>,

        /// Read the coverage in the files as a percentage
        #[arg(long)]
        percent: bool,

        /// Name of the tool that executed the runs
        #[arg(long, value_name = "NAME", default_value = "csv")]
        tool: String,
    },
}

#[derive(Args)]
struct Files {
    /// Files to import as one study
    #[arg(value_name = "CSV", required = true)]
    files: Vec<PathBuf>,

    /// Folder of the tables, which must not contain a study
    #[arg(long, short, value_name = "DIR")]
    out: PathBuf,

    /// Label of all runs, in place of the labels in the files
    #[arg(long, value_name = "LABEL")]
    algorithm: Option<String>,

    /// Time budget of every run, shown in reports, in seconds
    #[arg(long, value_name = "SECONDS")]
    budget: Option<u64>,
}

const EXAMPLES: &str = "\
Examples:
  catherd import whisker random1000/*.csv --out whisker --budget 600
  catherd import pynguin statistics.csv --out pynguin
  catherd import fuzzbench data.csv.gz --out fuzzbench
  catherd import csv runs.csv --column project=Subject --column covered=Hit --column goals=Total \\
    --algorithm evosuite --out evosuite";

fn column(text: &str) -> Result<(String, String), String> {
    let (field, column) = text.split_once('=').ok_or("write FIELD=COLUMN")?;
    if FIELDS.contains(&field) {
        Ok((field.to_owned(), column.to_owned()))
    } else {
        Err(format!("unknown field `{field}`; the fields are {}", FIELDS.join(", ")))
    }
}

/// Executes `catherd import`.
///
/// # Errors
/// If a file cannot be imported or the tables cannot be written.
pub fn run(arguments: Arguments) -> Result<Exit, Failure> {
    let (files, format): (Files, Box<dyn Format>) = match arguments.tool {
        Tool::Whisker(files) => {
            let algorithm = files.algorithm.clone();
            (files, Box::new(Whisker { algorithm }))
        }
        Tool::Pynguin { files, interval } => {
            let algorithm = files.algorithm.clone();
            (files, Box::new(Pynguin { algorithm, interval }))
        }
        Tool::Fuzzbench(mut files) => {
            if files.budget.is_none() {
                let longest = FuzzBench::budget(&files.files).map_err(Worded::worded)?;
                files.budget = Some(longest / 1000);
            }
            let algorithm = files.algorithm.clone();
            (files, Box::new(FuzzBench { algorithm }))
        }
        Tool::Csv { files, columns, percent, tool } => {
            let algorithm = files.algorithm.clone();
            let names: BTreeMap<String, String> = columns.into_iter().collect();
            (files, Box::new(Columns { engine: tool, names, algorithm, percent }))
        }
    };
    if files.out.join("study.json").exists() {
        let line = format!("{}: contains a study of catherd", files.out.display());
        return Err(Failure::new(line).hint("name another folder with --out"));
    }
    let wall_ms = files.budget.map(|seconds| seconds.saturating_mul(1_000));
    let budget = Budget { wall_ms, ..Budget::default() };
    let tally = import(&*format, &files.files, budget, &files.out).map_err(Worded::worded)?;
    let mut text = format!(
        "{} of {} with {} in {}\n",
        plural(tally.runs, "run"),
        plural(tally.projects, "project"),
        tally.algorithms.join(", "),
        files.out.display()
    );
    if tally.failed > 0 {
        text.push_str(&format!(
            "{} without coverage: missing in tables, not 0 %\n",
            plural(tally.failed, "run")
        ));
    }
    if tally.uncounted > 0 {
        text.push_str(&format!(
            "{} with a covered share, but without counts of goals\n",
            plural(tally.uncounted, "run")
        ));
    }
    if tally.interpolated > 0 {
        text.push_str(&format!(
            "{} with a timeline that the tool has interpolated: the times at which goals were covered \
             are inexact (pynguin: --timeline-interpolation False)\n",
            plural(tally.interpolated, "run")
        ));
    }
    terminal::print(&text);
    Ok(Exit::Success)
}
