//! `catherd javascript methods`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use catherd_cli_console::{Exit, Failure, exit_codes, terminal};
use clap::Args;
use serde_json::{Map, Value};

const EXAMPLES: &str = "\
Examples:
  catherd run experiments/javascript-flycatcher.toml
  catherd javascript methods results/javascript-flycatcher";

/// Shows the mean coverage of each method by configuration, how many methods are fully covered, and
/// for how many parameters the type remained uncertain, as tables in Markdown.
///
/// The study must have algorithms with the parameter goals = "mut"; a configuration covers a method
/// fully if all runs of the configuration do.
#[derive(Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{}", exit_codes(&[])))]
pub struct Arguments {
    /// Folder of results
    #[arg(value_name = "RESULTS")]
    results: PathBuf,
}

#[derive(Clone, Copy, Default)]
struct Cell {
    sum: f64,
    runs: u32,
}

impl Cell {
    fn add(&mut self, value: f64) {
        self.sum += value;
        self.runs += 1;
    }

    fn mean(self) -> Option<f64> {
        (self.runs > 0).then(|| self.sum / f64::from(self.runs))
    }
}

#[derive(Default)]
struct Table {
    cells: BTreeMap<(String, String), Cell>,
    rows: BTreeSet<String>,
}

impl Table {
    fn add(&mut self, row: &str, configuration: &str, value: f64) {
        self.rows.insert(row.to_owned());
        self.cells.entry((row.to_owned(), configuration.to_owned())).or_default().add(value);
    }

    fn mean(&self, row: &str, configuration: &str) -> Option<f64> {
        self.cells.get(&(row.to_owned(), configuration.to_owned()))?.mean()
    }
}

#[derive(Default)]
struct Measured {
    configurations: Vec<String>,
    coverage: Table,
    unsure: Table,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let measured = read(&arguments.results)?;
    if measured.configurations.is_empty() {
        let error = format!("{}: no runs of the kind javascript", arguments.results.display());
        return Err(Failure::new(error).hint("name the results of a study of JavaScript projects"));
    }
    terminal::print(&text(&measured));
    Ok(Exit::Success)
}

fn read(folder: &Path) -> Result<Measured, Failure> {
    let path = folder.join("runs.csv");
    let unreadable = |error: &dyn std::fmt::Display| {
        Failure::new(format!("{}: {error}", path.display()))
            .hint("name the folder that catherd run wrote")
    };
    let mut reader = csv::Reader::from_path(&path).map_err(|error| unreadable(&error))?;
    let header = reader.headers().map_err(|error| unreadable(&error))?.clone();
    let column = |name: &str| {
        let found = header.iter().position(|each| each == name);
        found.ok_or_else(|| unreadable(&format!("no column {name}")))
    };
    let [subject, project, algorithm, metrics] =
        [column("subject")?, column("project")?, column("algorithm")?, column("metrics")?];
    let mut measured = Measured::default();
    for row in reader.records() {
        let row = row.map_err(|error| unreadable(&error))?;
        let cell = |at: usize| row.get(at).unwrap_or("");
        let Ok(numbers) = serde_json::from_str::<Map<String, Value>>(cell(metrics)) else {
            continue;
        };
        if cell(subject) != "javascript" {
            continue;
        }
        let (project, configuration) = (cell(project), cell(algorithm));
        if !measured.configurations.iter().any(|known| known == configuration) {
            measured.configurations.push(configuration.to_owned());
        }
        for (name, covered) in &numbers {
            let method = name.strip_prefix("method.").and_then(|n| n.strip_suffix(".covered"));
            let Some(method) = method else { continue };
            let all = numbers.get(&format!("method.{method}.all")).and_then(Value::as_f64);
            if let (Some(covered), Some(all)) = (covered.as_f64(), all.filter(|all| *all > 0.0)) {
                let row = format!("{project} {method}");
                measured.coverage.add(&row, configuration, covered / all);
            }
        }
        if let Some(unsure) = numbers.get("parameters.unsure").and_then(Value::as_f64) {
            measured.unsure.add(project, configuration, unsure);
        }
    }
    Ok(measured)
}

fn head(first: &str, configurations: &[String]) -> String {
    let names: Vec<String> = configurations.iter().map(|name| format!(" {name} |")).collect();
    let lines = " --- |".repeat(configurations.len());
    format!("| {first} |{}\n| --- |{lines}\n", names.concat())
}

fn row(name: &str, cells: impl Iterator<Item = Option<String>>) -> String {
    let cells: Vec<String> =
        cells.map(|cell| format!(" {} |", cell.unwrap_or_else(|| "-".to_owned()))).collect();
    format!("| {name} |{}\n", cells.concat())
}

fn text(measured: &Measured) -> String {
    let Measured { configurations, coverage, unsure } = measured;
    let mut text = String::new();
    if !coverage.rows.is_empty() {
        text += "Coverage of methods, in percent\n\n";
        text += &head("method", configurations);
        for method in &coverage.rows {
            let cells = configurations.iter().map(|name| coverage.mean(method, name));
            let cells = cells.map(|mean| mean.map(|mean| format!("{:.1}", 100.0 * mean)));
            text += &row(method, cells);
        }
        let of = |name: &String| -> Vec<f64> {
            coverage.rows.iter().filter_map(|method| coverage.mean(method, name)).collect()
        };
        let means = configurations.iter().map(|name| {
            let cells = of(name);
            let mean = cells.iter().sum::<f64>() / cells.len().max(1) as f64;
            (!cells.is_empty()).then(|| format!("{:.1}", 100.0 * mean))
        });
        text += &row("mean", means);
        let full = configurations.iter().map(|name| {
            let cells = of(name);
            let full = cells.iter().filter(|mean| **mean >= 1.0).count();
            Some(format!("{full} of {}", cells.len()))
        });
        text += &row("fully covered", full);
        let best = coverage.rows.iter().filter(|method| {
            configurations.iter().any(|name| coverage.mean(method, name) >= Some(1.0))
        });
        let _ = writeln!(
            text,
            "\n{} of {} methods are fully covered by some configuration.\n",
            best.count(),
            coverage.rows.len()
        );
    }
    text += "Parameters whose type remained uncertain, mean of the runs\n\n";
    text += &head("project", configurations);
    for project in &unsure.rows {
        let cells = configurations.iter().map(|name| unsure.mean(project, name));
        text += &row(project, cells.map(|mean| mean.map(|mean| format!("{mean:.2}"))));
    }
    text
}
