//! `catherd inspect` for JavaScript: shows the classes of a project and what their types are inferred to be.

use std::fmt::Write as _;
use std::path::Path;

use catherd_cli_console::{Exit, Failure, terminal};
use clap::Args;
use serde_json::Value;

use crate::apart::execute_apart;
use crate::suites;

/// Flags of `catherd inspect` for JavaScript projects.
#[derive(Args)]
pub struct Flags {
    /// Number of tests with unknown values for each method and function
    #[arg(long, value_name = "N", default_value_t = 20)]
    executions: u64,

    /// Seed of all random numbers
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

/// Shows the classes and inferred types of a project.
///
/// # Errors
///
/// If the project cannot be used.
pub fn run(path: &Path, flags: &Flags, json: bool) -> Result<Exit, Failure> {
    if let Some(ended) = execute_apart(path) {
        return ended;
    }
    let project = suites::open(path)?;
    let spinner = terminal::spinner("type inference");
    let shown = project.inspect(flags.executions, flags.seed);
    spinner.finish_and_clear();
    let shown = shown.map_err(|cause| Failure::new(format!("{}: {cause}", path.display())))?;
    terminal::print(&if json { format!("{shown:#}\n") } else { text(&shown) });
    Ok(Exit::Success)
}

fn names(list: &Value) -> String {
    let names: Vec<&str> =
        list.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    names.join(", ")
}

fn text(shown: &Value) -> String {
    let mut text = format!(
        "entry {}, {} in {}\n",
        shown["entry"].as_str().unwrap_or(""),
        terminal::plural(shown["goals"].as_u64().unwrap_or(0) as usize, "goal"),
        names(&shown["files"])
    );
    for class in shown["classes"].as_array().into_iter().flatten() {
        let crashed = if class["crashed"] == true { " (its constructor throws)" } else { "" };
        let _ = writeln!(text, "class {}{crashed}", class["name"].as_str().unwrap_or(""));
        for (kind, title) in [
            ("methods", "methods"),
            ("accessors", "accessors"),
            ("fields", "fields"),
            ("statics", "static methods"),
        ] {
            let names = names(&class[kind]);
            if !names.is_empty() {
                let _ = writeln!(text, "  {title}: {names}");
            }
        }
    }
    for function in shown["functions"].as_array().into_iter().flatten() {
        let _ = writeln!(text, "function {}", function["name"].as_str().unwrap_or(""));
    }
    for parameter in shown["parameters"].as_array().into_iter().flatten() {
        let scores: Vec<String> = parameter["scores"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, points)| format!("{name} {points}"))
            .collect();
        let members: Vec<&str> = parameter["members"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, _)| name.as_str())
            .collect();
        let _ = writeln!(
            text,
            "{} {}: {}, uses: {}; points: {}; members: {}",
            parameter["target"].as_str().unwrap_or(""),
            parameter["name"].as_str().unwrap_or(""),
            parameter["type"].as_str().unwrap_or("unknown"),
            parameter["uses"],
            if scores.is_empty() { "none".to_owned() } else { scores.join(", ") },
            if members.is_empty() { "none".to_owned() } else { members.join(", ") },
        );
    }
    text.replace(|letter: char| letter.is_control() && letter != '\n', " ")
}
