//! `catherd vm replay-all`: replays all recordings of a folder.

use std::collections::BTreeMap;
use std::path::PathBuf;

use catherd_cli_console::{Exit, Failure, terminal};
use catherd_scratch_conformance::{ReplayOutcome, TraceVerdict, replay_all, trace_files};
use catherd_scratch_vm::Compat;
use clap::Args;

use super::project_index;

/// Replays all reference traces of a folder and counts those that agree.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd vm replay-all corpus/traces
  catherd vm replay-all corpus/today/traces --compat today
  catherd vm replay-all traces --corpus projects --json > conformance.json

Exit codes: 0 if all are identical, 2 if at least one is not, 1 if the command failed.")]
pub struct Arguments {
    /// Folder of the traces
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// Folder of the projects, which are found by the SHA-256 in the traces [default: the parent of
    /// DIR]
    #[arg(long, value_name = "DIR")]
    corpus: Option<PathBuf>,

    /// The machine: 2022, which is Scratch as Whisker's study changed it, or today
    #[arg(long, value_name = "MACHINE", default_value_t)]
    compat: Compat,

    /// Print one JSON object instead of tables
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: Arguments) -> Result<Exit, Failure> {
    let Arguments { folder, corpus, compat, json } = arguments;
    let files = trace_files(&folder)
        .map_err(|error| Failure::new(format!("{}: {error}", folder.display())))?;
    if files.is_empty() {
        return Err(Failure::new(format!("{}: no traces in this folder", folder.display()))
            .hint("give a folder with traces, which are files named *.json or *.json.gz"));
    }
    let index = project_index(corpus.as_deref(), &folder)?;
    let bar = terminal::bar(files.len());
    let verdicts = replay_all(&files, &index, compat, |_| bar.inc(1));
    bar.finish_and_clear();
    let identical = verdicts.iter().filter(|v| v.is_identical()).count();
    if json {
        let report = serde_json::json!({
            "traces": verdicts.len(),
            "identical": identical,
            "groups": groups(&verdicts).iter().map(|(group, (same, all))| {
                serde_json::json!({ "group": group, "traces": all, "identical": same })
            }).collect::<Vec<_>>(),
            "verdicts": verdicts,
        });
        terminal::print(&format!("{report}\n"));
    } else {
        terminal::print(&(group_table(&verdicts) + &divergences(&verdicts)));
    }
    Ok(if identical == verdicts.len() { Exit::Success } else { Exit::Incomplete })
}

fn groups(verdicts: &[TraceVerdict]) -> BTreeMap<&str, (usize, usize)> {
    let mut groups: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for verdict in verdicts {
        let (same, all) = groups.entry(&verdict.group).or_default();
        *same += usize::from(verdict.is_identical());
        *all += 1;
    }
    groups
}

fn group_table(verdicts: &[TraceVerdict]) -> String {
    let mut text = format!("{:<24} {:>6} {:>9}\n", "group", "traces", "identical");
    let mut row = |group: &str, same: usize, all: usize| {
        let percent = 100.0 * same as f64 / all.max(1) as f64;
        text += &format!("{group:<24} {all:>6} {same:>9}  {percent:5.1} %\n");
    };
    let mut total = (0, 0);
    for (group, (same, all)) in groups(verdicts) {
        row(group, same, all);
        total = (total.0 + same, total.1 + all);
    }
    row("all", total.0, total.1);
    let assumed = verdicts.iter().filter(|v| v.is_identical() && v.is_assumed()).count();
    if assumed > 0 {
        text += &format!("\nidentical with an assumed environment: {assumed}\n");
    }
    text
}

fn divergences(verdicts: &[TraceVerdict]) -> String {
    let mut by_property: BTreeMap<&str, usize> = BTreeMap::new();
    let mut by_opcode: BTreeMap<&str, usize> = BTreeMap::new();
    let mut details = String::new();
    for verdict in verdicts.iter().filter(|v| !v.is_identical()) {
        match &verdict.outcome {
            ReplayOutcome::Failed(reason) => {
                *by_property.entry("(not replayed)").or_default() += 1;
                details += &format!("{}: {reason}\n", verdict.trace);
            }
            ReplayOutcome::Replayed(replay) => match &replay.divergence {
                Some(d) => {
                    *by_property.entry(first_word(&d.property)).or_default() += 1;
                    // The sprite's last block is the most likely cause.
                    let last = d.blocks.last().map_or("(nothing ran)", |b| first_word(b));
                    *by_opcode.entry(last).or_default() += 1;
                    details += &format!(
                        "{}: step {}, {} {}: expected {}, got {}\n",
                        verdict.trace,
                        d.step,
                        d.sprite,
                        d.property,
                        shortened(&d.expected),
                        shortened(&d.got)
                    );
                }
                None => {
                    *by_property.entry("coverage").or_default() += 1;
                    let blocks = replay.missed.iter().chain(&replay.extra);
                    let blocks: Vec<&str> = blocks.take(3).map(String::as_str).collect();
                    details += &format!("{}: coverage: {}\n", verdict.trace, blocks.join("; "));
                }
            },
        }
    }
    let mut text = String::new();
    for (title, counts) in [("property", by_property), ("last opcode", by_opcode)] {
        if !counts.is_empty() {
            text += &format!("\nfirst divergence by {title}\n");
            for (name, count) in counts {
                text += &format!("  {count:>4}  {name}\n");
            }
        }
    }
    if !details.is_empty() {
        text += &format!("\n{details}");
    }
    text
}

fn first_word(text: &str) -> &str {
    text.split(' ').next().unwrap_or(text)
}

fn shortened(text: &str) -> String {
    if text.chars().count() > 60 {
        text.chars().take(60).chain("...".chars()).collect()
    } else {
        text.to_owned()
    }
}
