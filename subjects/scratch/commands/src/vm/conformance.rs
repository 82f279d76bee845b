//! `catherd vm conformance`: runs self-testing projects.

use std::fmt::Write as _;
use std::path::PathBuf;

use catherd_cli_console::{Exit, Failure, terminal};
use catherd_scratch_corpora::{ProjectEntry, find};
use catherd_scratch_vm::{Compat, SelfTestReport};
use clap::Args;

use crate::failure::Worded;

/// Runs projects that test the machine that runs them.
///
/// Such a project announces its checks and their results in speech bubbles: `plan N`, `pass ...`,
/// `fail ...`, `end`. It passes with as many passes as planned, no failure and one end. These
/// projects were written for unmodified Scratch, so several batches of threads run in a step. If a
/// file has at most five sprites and does not contain their layers, all orders are tried before the
/// project fails.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd vm conformance execute/*.sb2
  catherd vm conformance execute

Exit codes: 0 if all pass, 2 if at least one does not, 1 if the command failed.")]
pub struct Arguments {
    /// Project files, unpacked project folders, or folders of them
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Maximum number of steps of a project (1/30 s of Scratch time each)
    #[arg(long, value_name = "N", default_value_t = 3000)]
    steps: u64,

    /// The machine: 2022, which is Scratch as Whisker's study changed it, or today
    #[arg(long, value_name = "MACHINE", default_value_t)]
    compat: Compat,
}

pub(super) fn run(Arguments { files, steps, compat }: Arguments) -> Result<Exit, Failure> {
    let found = find(files).map_err(Worded::worded)?;
    let mut table = String::new();
    let mut passed = 0;
    for entry in &found.projects {
        let (word, count, detail) = match run_self_test(entry, steps, compat) {
            Ok(report) if report.is_ok() => ("pass", tally(&report), assumed_layers(&report)),
            Ok(report) => ("FAIL", tally(&report), format!("  {}", shortfall(&report, steps))),
            Err(error) => ("FAIL", "-".to_owned(), format!("  {error}")),
        };
        passed += usize::from(word == "pass");
        let _ = writeln!(table, "{word}  {count:>7}  {}{detail}", entry.name);
    }
    for skipped in &found.skipped {
        let _ = writeln!(table, "FAIL  {:>7}  {skipped}", "-");
    }
    let all = found.projects.len() + found.skipped.len();
    let _ = writeln!(table, "\n{passed} of {all} pass");
    terminal::print(&table);
    Ok(if passed == all { Exit::Success } else { Exit::Incomplete })
}

fn run_self_test(
    entry: &ProjectEntry,
    steps: u64,
    compat: Compat,
) -> Result<SelfTestReport, String> {
    let subject = entry.load().map_err(|error| error.reason())?;
    let report = catherd_scratch_vm::run_self_test(&subject.project, steps, compat);
    report.map_err(|error| error.to_string())
}

fn assumed_layers(report: &SelfTestReport) -> String {
    let layers = report.layers.as_ref();
    layers.map_or(String::new(), |names| {
        format!("  the file has no layers; assumed order, from the back: {}", names.join(", "))
    })
}

fn tally(report: &SelfTestReport) -> String {
    let planned = report.planned.map_or("?".to_owned(), |planned| planned.to_string());
    format!("{}/{planned}", report.passed)
}

fn shortfall(report: &SelfTestReport, steps: u64) -> String {
    match (&*report.failed, report.planned) {
        ([first, ..], _) => first.replace(char::is_control, " "),
        ([], None) => "announced no plan".to_owned(),
        ([], Some(planned)) if report.passed > planned => "more passes than planned".to_owned(),
        ([], Some(_)) if !report.ended => format!("did not end within {steps} steps"),
        ([], Some(_)) if report.ends != 1 => format!("said `end` {} times", report.ends),
        ([], Some(_)) => "fewer passes than planned".to_owned(),
    }
}
