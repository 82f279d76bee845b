//! `catherd vm conformance`: projects that test the machine that runs them.

use std::fmt::Write as _;
use std::path::PathBuf;

use catherd_datasets::{Entry, find};
use catherd_vm::{Conformance, conformance};
use clap::Args;

use crate::failure::{Exit, Failure};
use crate::terminal;

/// Runs projects that test the machine that runs them.
///
/// Such a project announces in speech bubbles what it is about to show and how that
/// went: `plan N`, `pass ...`, `fail ...`, `end`. It passes with as many passes as
/// planned, no failure and one end. They were written for unmodified Scratch, so several
/// batches of threads run in a step. Where a file does not say in which order its sprites
/// lie, all orders are tried before it fails.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd vm conformance execute/*.sb2
  catherd vm conformance execute

Exit codes: 0 if all pass, 2 if one does not, 1 if a path does not exist.")]
pub(crate) struct Arguments {
    /// Project files, unpacked project folders, or folders of them
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Steps (1/30 s of Scratch time each) after which a project is stopped
    #[arg(long, value_name = "N", default_value_t = 3000)]
    steps: u64,
}

pub(super) fn run(Arguments { files, steps }: Arguments) -> Result<Exit, Failure> {
    let found = find(files)?;
    let mut table = String::new();
    let mut passed = 0;
    for entry in &found.projects {
        let (word, count, cause) = match examine(entry, steps) {
            Ok(report) if report.is_ok() => ("pass", tally(&report), assumption(&report)),
            Ok(report) => ("FAIL", tally(&report), format!("  {}", shortfall(&report, steps))),
            Err(error) => ("FAIL", "-".to_owned(), format!("  {error}")),
        };
        passed += usize::from(word == "pass");
        let _ = writeln!(table, "{word}  {count:>7}  {}{cause}", entry.name);
    }
    for skipped in &found.skipped {
        let _ = writeln!(table, "FAIL  {:>7}  {skipped}", "-");
    }
    let all = found.projects.len() + found.skipped.len();
    let _ = writeln!(table, "\n{passed} of {all} pass");
    terminal::print(&table);
    Ok(if passed == all { Exit::Fine } else { Exit::Incomplete })
}

fn examine(entry: &Entry, steps: u64) -> Result<Conformance, String> {
    let subject = entry.load().map_err(|error| error.reason())?;
    conformance(&subject.project, steps).map_err(|error| error.to_string())
}

fn assumption(report: &Conformance) -> String {
    let layers = report.layers.as_ref();
    layers.map_or(String::new(), |names| {
        format!("  layers not in the file, assumed from the back: {}", names.join(", "))
    })
}

fn tally(report: &Conformance) -> String {
    let planned = report.planned.map_or("?".to_owned(), |planned| planned.to_string());
    format!("{}/{planned}", report.passed)
}

fn shortfall(report: &Conformance, steps: u64) -> String {
    match (&*report.failed, report.planned) {
        ([first, ..], _) => first.replace(char::is_control, " "),
        ([], None) => "announced no plan".to_owned(),
        ([], Some(planned)) if report.passed > planned => "more passes than planned".to_owned(),
        ([], Some(_)) if !report.ended => format!("did not end within {steps} steps"),
        ([], Some(_)) if report.ends != 1 => format!("said `end` {} times", report.ends),
        ([], Some(_)) => "fewer passes than planned".to_owned(),
    }
}
