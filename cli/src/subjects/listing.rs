//! `catherd subjects`: the subject kinds with their algorithms and parameters.

use std::fmt::Write as _;

use catherd_cli_console::{Exit, Failure, terminal};
use catherd_experiments::{Parameter, SubjectInfo};
use catherd_interface::{ANY_ALGORITHM, AlgorithmInfo, ParameterInfo, SubjectKind};
use clap::Args;
use serde_json::{Value, json};

use super::{kind, kinds};

/// Lists the subject kinds, or describes one.
///
/// The description contains units of work, criteria, and algorithms with the defaults and ranges of
/// their parameters.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd subjects
  catherd subjects scratch
  catherd subjects command --json")]
pub(crate) struct Arguments {
    /// Name of the kind to describe [default: all kinds are listed]
    #[arg(value_name = "KIND")]
    kind: Option<String>,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let named = arguments.kind.as_deref().map(kind).transpose()?;
    let text = match (named, arguments.json) {
        (Some(kind), true) => format!("{:#}\n", in_json(kind)),
        (Some(kind), false) => description(kind),
        (None, true) => format!("{:#}\n", kinds().iter().map(in_json).collect::<Value>()),
        (None, false) => list(),
    };
    terminal::print(&text);
    Ok(Exit::Success)
}

fn in_json(kind: &dyn SubjectKind) -> Value {
    json!({
        "subject": kind.info(),
        "aliases": kind.aliases(),
        "summary": kind.summary(),
        "default": kind.name() == kinds().default_kind().name(),
        "algorithms": kind.algorithms(),
    })
}

fn list() -> String {
    let mut text = String::new();
    for kind in kinds().iter() {
        let SubjectInfo { kind: name, units, criteria, .. } = kind.info();
        let default = if name == kinds().default_kind().name() { " (default)" } else { "" };
        let units: Vec<_> = units.into_iter().map(|unit| unit.name).collect();
        let criteria: Vec<_> = criteria.into_iter().map(|criterion| criterion.name).collect();
        let algorithms: Vec<_> = kind.algorithms().iter().map(display_name).collect();
        // Writing to a string does not fail.
        let _ = write!(
            text,
            "{name}{default}\n  {}\n  units: {}; criteria: {}\n  algorithms: {}\n\n",
            kind.summary(),
            units.join(", "),
            criteria.join(", "),
            algorithms.join(", ")
        );
    }
    text + "catherd subjects KIND lists parameters with defaults and ranges.\n"
}

fn description(kind: &dyn SubjectKind) -> String {
    let SubjectInfo { kind: name, engine, units, criteria, mutant_levels, .. } = kind.info();
    let mut text = format!("{name}: {}\nengine {engine}\n", kind.summary());
    if !kind.aliases().is_empty() {
        let _ = writeln!(text, "earlier names: {}", kind.aliases().join(", "));
    }
    let units = units.into_iter().map(|unit| (unit.name, unit.meaning));
    section(&mut text, "units of work", units);
    let criteria = criteria.into_iter().map(|one| (one.name, format!("sets of {}", one.goals)));
    section(&mut text, "criteria", criteria);
    let levels = match &mutant_levels[..] {
        [] => "none".to_owned(),
        levels => format!("mutants are located by {}", levels.join(", ")),
    };
    let _ = writeln!(text, "\nmutation analysis: {levels}");
    let algorithms = kind.algorithms();
    let summaries = algorithms.iter().map(|one| (display_name(one), one.summary.clone()));
    section(&mut text, "algorithms", summaries);
    let rows = parameters(&algorithms).into_iter().map(|(parameter, of)| {
        let ParameterInfo { name, default, values, meaning } = parameter;
        let default = default.as_ref().map_or("has to be set".to_owned(), value);
        let of =
            if of.len() == algorithms.len() { "all algorithms".to_owned() } else { of.join(", ") };
        (name.clone(), format!("{default} ({values}); for {of}\n{meaning}"))
    });
    section(&mut text, "parameters: default (allowed values)", rows);
    text
}

fn display_name(algorithm: &AlgorithmInfo) -> String {
    match &*algorithm.name {
        ANY_ALGORITHM => "any name".to_owned(),
        name => name.to_owned(),
    }
}

fn value(parameter: &Parameter) -> String {
    match parameter {
        Parameter::Bool(flag) => flag.to_string(),
        Parameter::Integer(number) => number.to_string(),
        Parameter::Number(number) => number.to_string(),
        Parameter::Text(text) => text.clone(),
    }
}

/// A parameter is listed several times if its default, values or meaning differ between algorithms.
fn parameters(algorithms: &[AlgorithmInfo]) -> Vec<(&ParameterInfo, Vec<&str>)> {
    let mut all: Vec<(&ParameterInfo, Vec<&str>)> = Vec::new();
    for algorithm in algorithms {
        for parameter in &algorithm.parameters {
            match all.iter_mut().find(|(known, _)| *known == parameter) {
                Some((_, of)) => of.push(&algorithm.name),
                None => all.push((parameter, vec![&algorithm.name])),
            }
        }
    }
    all
}

fn section(text: &mut String, heading: &str, rows: impl Iterator<Item = (String, String)>) {
    let rows: Vec<_> = rows.collect();
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let _ = writeln!(text, "\n{heading}");
    for (name, lines) in rows {
        let mut lines = lines.lines();
        let _ = writeln!(text, "  {name:width$}  {}", lines.next().unwrap_or_default());
        for line in lines {
            let _ = writeln!(text, "  {:width$}  {line}", "");
        }
    }
}
