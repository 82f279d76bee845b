//! `catherd tool try`: executes one run of an external tool, and prints the request and the
//! answers.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use catherd_cli_console::terminal::{self, plural};
use catherd_cli_console::{Exit, Failure, exit_codes};
use catherd_experiments::{Budget, Flags, Parameter, ProjectSource, RunRecord, Study};
use catherd_interface::command::{KIND, Tool, Trial, TrialSettings};
use catherd_interface::{FoundProject, RunError};
use clap::Args;
use serde_json::json;

use crate::failure::Worded;
use crate::generate::parameter;
use crate::programs::Isolation;
use crate::{places, subjects};

/// Amount of work of a trial if no budget is given and the tool can limit work.
const EXECUTIONS: u64 = 10;

/// Milliseconds of a trial if no budget is given and the tool limits only real time.
const WALL_MS: u64 = 10_000;

/// Executes one run of a tool, and shows the request and the answer.
///
/// The run is executed as in a study, in a separate folder. The command prints the request, the
/// output of the tool, its result file, and the result as catherd understands it, or the key that
/// is wrong.
#[derive(Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{}", exit_codes(&[NO_RESULT])))]
pub(crate) struct Try {
    /// Folder of the adapter
    #[arg(value_name = "ADAPTER")]
    adapter: PathBuf,

    /// Project, as a study would name it
    #[arg(value_name = "PROJECT")]
    project: PathBuf,

    /// Algorithm of the tool [default: the first of the adapter]
    #[arg(long, value_name = "NAME")]
    algorithm: Option<String>,

    /// Parameter of the tool, named as in study files; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = parameter)]
    parameter: Vec<(String, Parameter)>,

    /// Seed of the run
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Budget: test executions [default: 10, or 10 s for a tool that limits only real time]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    executions: Option<String>,

    /// Budget: real time, such as 10s
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    wall: Option<String>,

    /// Isolation of the tool, as in catherd run
    #[arg(long, value_name = "MODE", default_value = "wanted")]
    isolation: Isolation,

    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  catherd tool try tool modules/math.py
  catherd tool try adapters/pynguin module.project.toml --algorithm DYNAMOSA --wall 30s";

/// The meaning of exit code 2.
const NO_RESULT: (Exit, &str) = (Exit::Incomplete, "the run has failed, or its result is invalid");

pub(super) fn run(arguments: &Try) -> Result<Exit, Failure> {
    places::check(&arguments.adapter, "name a folder with adapter.toml and the executable run")?;
    places::check(&arguments.project, "name a file of a project")?;
    let tool = Tool::open(&arguments.adapter)
        .map_err(|cause| Failure::new(cause).hint(super::adapter_hint(&arguments.adapter)))?;
    let hint = || format!("catherd tool prepare {}", arguments.adapter.display());
    tool.check_prepared().map_err(|cause| Failure::new(cause).hint(hint()))?;
    let project = project(&arguments.project)?;
    let settings = TrialSettings {
        algorithm: arguments.algorithm.clone(),
        parameters: arguments.parameter.iter().cloned().collect(),
        seed: arguments.seed,
        budget: arguments.budget(&tool)?,
    };
    let folder = places::work_folder("catherd-try-")?;
    let programs = arguments.isolation.programs(folder.path(), &[], &[])?;
    let waiting = terminal::spinner(format!("running {}", tool.name()));
    let trial = Trial::execute(&arguments.adapter, &project, settings, &programs);
    waiting.finish_and_clear();
    drop(folder);
    let trial = trial.map_err(Worded::worded)?;
    match arguments.json {
        true => terminal::print(&format!("{:#}\n", as_json(&trial))),
        false => terminal::print(&as_text(&tool.name(), &trial)),
    }
    match &trial.record {
        Ok(record) if record.reason.is_empty() => Ok(Exit::Success),
        _ => Ok(Exit::Incomplete),
    }
}

fn project(path: &Path) -> Result<FoundProject, Failure> {
    let source = ProjectSource::Paths(vec![path.to_owned()]);
    let mut found = subjects::kind(KIND)?.find(&source, &()).map_err(Worded::worded)?.projects;
    let count = plural(found.len(), "project");
    match (found.pop(), found.len()) {
        (Some(only), 0) => Ok(only),
        _ => Err(Failure::new(format_args!("{}: {count}, not one", path.display()))
            .hint("name the file of one project")),
    }
}

impl Try {
    fn budget(&self, tool: &Tool) -> Result<Budget, Failure> {
        let only_wall =
            !tool.budgets().is_empty() && tool.budgets().iter().all(|one| one == "wall");
        if self.executions.is_none() && self.wall.is_none() {
            return Ok(match (only_wall, tool.budgets().first()) {
                (true, _) => Budget::wall_ms(WALL_MS),
                (false, Some(unit)) if unit != "wall" => Budget::of(unit, EXECUTIONS),
                _ => Budget::of("executions", EXECUTIONS),
            });
        }
        // Make a study from the flags to check the budget.
        let work = self.executions.clone().map(|limit| ("executions".to_owned(), limit));
        let flags = Flags {
            projects: vec![self.project.clone()],
            algorithms: Some("any".to_owned()),
            work: work.into_iter().collect::<BTreeMap<_, _>>(),
            wall: self.wall.clone(),
            ..Flags::default()
        };
        Ok(Study::from_flags(&flags).map_err(Worded::worded)?.budget)
    }
}

fn as_text(tool: &str, trial: &Trial) -> String {
    let Trial { spec, exchange, record, time } = trial;
    let mut text =
        format!("{tool}, {}, {}, seed {}\n", spec.algorithm.name, spec.project_name, spec.seed);
    let parts = [
        ("request.json", &exchange.request),
        ("live.jsonl", &exchange.live),
        ("output", &exchange.output),
        ("result.json", &exchange.result),
    ];
    for (name, content) in parts {
        // Writing to a string does not fail.
        let _ = match content.trim() {
            "" if name == "live.jsonl" => Ok(()),
            "" => writeln!(text, "\n{name}: nothing"),
            content => {
                let indented = content.lines().map(|line| format!("  {line}\n"));
                write!(text, "\n{name}:\n{}", indented.collect::<String>())
            }
        };
    }
    let _ = writeln!(text, "\n{}", verdict(record, time.as_millis()));
    text
}

fn verdict(record: &Result<RunRecord, RunError>, ms: u128) -> String {
    match record {
        Ok(record) if record.reason.is_empty() => {
            let work = record.work.iter().map(|(unit, amount)| format!(", {amount} {unit}"));
            format!(
                "understood: {} of {} goals covered{}, {} in the timeline, {} in the suite, {}, {ms} ms",
                record.covered(),
                record.goals(),
                work.collect::<String>(),
                plural(record.timeline.len(), "point"),
                plural(record.suite.tests as usize, "test"),
                plural(record.artifacts.len(), "file"),
            )
        }
        Ok(record) => format!("failed: {}", record.reason),
        Err(error) => format!("failed: {error}"),
    }
}

fn as_json(trial: &Trial) -> serde_json::Value {
    let Trial { spec, exchange, record, time } = trial;
    json!({
        "algorithm": spec.algorithm.name, "project": spec.project_name, "seed": spec.seed,
        "request": serde_json::from_str::<serde_json::Value>(&exchange.request).ok(),
        "output": exchange.output, "live": exchange.live, "result": exchange.result,
        "record": record.as_ref().ok(), "wall_ms": time.as_millis() as u64,
        "error": record.as_ref().err().map(ToString::to_string),
    })
}
