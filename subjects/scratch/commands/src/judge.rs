//! `catherd judge`: judges one submission for a grading platform.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use catherd_cli_console::{Exit, Failure, terminal};
use catherd_scratch_grading_report::dodona;
use catherd_scratch_grading_whisker::SuiteKind;
use catherd_scratch_grading_whisker::whisker::{Limits, SuiteOptions};
use clap::Args;
use serde::Deserialize;
use serde_json::json;

use crate::project;
use crate::test::itch::PlanTests;
use crate::test::javascript::whisker_suite;
use crate::test::suite::{LoadedSuite, Tests};

/// Judges a submission for the platform Dodona.
///
/// The command reads one JSON object from standard input and writes the judgement to standard
/// output, one command of Dodona on each line.
///
/// In the object, `resources` is the folder of the exercise with a suite for Whisker or a plan for
/// Itch (suite.js, or the only JavaScript file there), and `source` is the submission, an .sb3 or
/// .sb2 file. The template of a plan is template.sb3 in the folder; without it the submission is
/// compared with itself. With a plan, `natural_language` is the language of the sentences that the
/// judge adds, Dutch for `nl` and otherwise English. `memory_limit` in bytes, but at least 4 MiB,
/// bounds the scripts of the suite. `time_limit` is not used, because the limits count operations
/// and steps instead of time.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd judge < config.json
  echo '{\"resources\": \"exercise\", \"source\": \"homework.sb3\"}' | catherd judge

Exit codes: 0 if the submission was judged, 1 if the input or the exercise cannot be used.")]
pub struct Arguments {}

#[derive(Deserialize)]
struct Configuration {
    resources: PathBuf,
    source: PathBuf,
    /// In bytes.
    memory_limit: Option<u64>,
    /// A language code, such as `nl`.
    natural_language: Option<String>,
}

const MAX_CONFIGURATION: u64 = 1 << 20;

const MIN_MEMORY: usize = 4 << 20;

/// Executes `catherd judge`.
///
/// # Errors
///
/// If the input or the exercise cannot be used.
pub fn run(_: &Arguments) -> Result<Exit, Failure> {
    let mut text = String::new();
    let input = std::io::stdin().lock().take(MAX_CONFIGURATION).read_to_string(&mut text);
    let refused = |error: &dyn std::fmt::Display| {
        Failure::new(format!("standard input: {error}"))
            .hint("write a JSON object with `resources` and `source` to standard input")
    };
    input.map_err(|error| refused(&error))?;
    let configuration: Configuration =
        serde_json::from_str(&text).map_err(|error| refused(&error))?;
    let path = suite_in(&configuration.resources)?;
    let unreadable = |error: &std::io::Error| {
        Failure::new(format!("{}: {error}", path.display()))
            .hint("check the folder of the exercise")
    };
    let text = fs::read_to_string(&path).map_err(|error| unreadable(&error))?;
    let tests = match SuiteKind::of(&text) {
        Ok(SuiteKind::Itch) => Tests::Plan(Box::new(plan(&configuration, &path, &text)?)),
        _ => {
            let limits = limited(Limits::default(), &configuration);
            whisker_suite(&path, &text, SuiteOptions { limits, ..SuiteOptions::default() })?
        }
    };
    let suite = LoadedSuite::new(&path, &text, tests);
    // Errors in the submission are reported to the pupil, and errors in the suite to the teacher.
    let subject = match project::open(&configuration.source) {
        Ok(subject) => subject,
        Err(failure) => {
            terminal::print(&unusable(failure.cause()));
            return Ok(Exit::Success);
        }
    };
    let report = suite.execute(&configuration.source, &subject).map_err(|cause| {
        Failure::new(format!("{}: {cause}", path.display())).hint("correct the suite")
    })?;
    terminal::print(&dodona(&report));
    Ok(Exit::Success)
}

fn plan(configuration: &Configuration, path: &Path, text: &str) -> Result<PlanTests, Failure> {
    let mut options = catherd_scratch_grading_itch::JudgeOptions::default();
    options.limits = limited(options.limits, configuration);
    let code = configuration.natural_language.as_deref().unwrap_or_default();
    options.language = if code.starts_with("nl") { "nl" } else { "en" }.to_owned();
    let template = configuration.resources.join("template.sb3");
    PlanTests::for_platform(path, text, template.is_file().then_some(&*template), options)
}

fn limited(mut limits: Limits, configuration: &Configuration) -> Limits {
    if let Some(bytes) = configuration.memory_limit {
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        limits.memory = limits.memory.min(bytes.max(MIN_MEMORY));
    }
    limits
}

fn suite_in(folder: &Path) -> Result<PathBuf, Failure> {
    let named = folder.join("suite.js");
    if named.is_file() {
        return Ok(named);
    }
    let failed = |cause: &dyn std::fmt::Display| {
        Failure::new(format!("{}: {cause}", folder.display()))
            .hint("put the suite into the folder as suite.js")
    };
    let entries = fs::read_dir(folder).map_err(|error| failed(&error))?;
    let paths = entries.flatten().map(|entry| entry.path());
    let scripts: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|extension| extension == "js")).collect();
    match &scripts[..] {
        [only] => Ok(only.clone()),
        [] => Err(failed(&"no JavaScript file")),
        _ => Err(failed(&"several JavaScript files, none of which is suite.js")),
    }
}

fn unusable(cause: &str) -> String {
    let status = json!({ "enum": "compilation error", "human": "not a readable Scratch project" });
    let message = json!({ "format": "plain", "description": cause, "permission": "student" });
    let commands = [
        json!({ "command": "start-judgement" }),
        json!({ "command": "append-message", "message": message }),
        json!({ "command": "close-judgement", "accepted": false, "status": status }),
    ];
    commands.iter().map(|command| format!("{command}\n")).collect()
}
