//! `catherd vm replay`: one recording of the original machine, run again.

use std::path::PathBuf;

use catherd_conformance::{Replay, Trace, device_states, examine, traces};
use clap::Args;

use super::corpus;
use crate::failure::{Exit, Failure};
use crate::terminal;

/// Replays a reference trace and shows where it first diverges.
///
/// The trace says which project it was recorded from by a SHA-256, by which the project is
/// found in the corpus. It does not say which keys were down and where the mouse was when
/// the recording began; the states in which the other traces of its folder end are tried
/// until one agrees. Nor does it say what the recorder's clock showed: where a project goes
/// by it, its readings are taken from the recording, and nothing else may differ.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd vm replay corpus/traces/game.json.gz
  catherd vm replay game.json.gz --corpus corpus

Exit codes: 0 if the replay is identical, 2 if it diverges, 1 if it cannot be done.")]
pub(crate) struct Arguments {
    /// The trace: JSON, gzipped or not
    #[arg(value_name = "TRACE")]
    trace: PathBuf,

    /// Folder with the projects; by default the parent of the trace's folder
    #[arg(long, value_name = "DIR")]
    corpus: Option<PathBuf>,
}

pub(super) fn run(Arguments { trace: path, corpus: named }: Arguments) -> Result<Exit, Failure> {
    let trace = Trace::read(&path).map_err(Failure::new)?;
    let folder = path.parent().unwrap_or(&path);
    let corpus = corpus(named.as_deref(), folder)?;
    let siblings: Vec<Trace> = traces(folder)
        .unwrap_or_default()
        .iter()
        .filter_map(|sibling| Trace::read(sibling).ok())
        .collect();
    let replay = examine(&trace, &corpus, &device_states(&siblings))
        .map_err(|error| Failure::new(format!("{}: {error}", path.display())))?;
    terminal::print(&describe(&trace, &replay));
    Ok(if replay.is_identical() { Exit::Fine } else { Exit::Incomplete })
}

fn describe(trace: &Trace, replay: &Replay) -> String {
    let mut text = format!("{}: {} steps\n", trace.project, trace.steps);
    if replay.is_identical() {
        text += "identical";
        if !replay.surroundings.is_default() {
            text += &format!(" assuming {}", replay.surroundings);
        }
        text.push('\n');
        return text;
    }
    if let Some(d) = &replay.divergence {
        text += &format!("diverges in step {}\n", d.step);
        text += &format!("  sprite    {} (target {})\n", d.sprite, d.index);
        text += &format!("  property  {}\n", d.property);
        text += &format!("  expected  {}\n", d.expected);
        text += &format!("  got       {}\n", d.got);
        text += "  blocks that ran in this sprite during this step:\n";
        for block in &d.blocks {
            text += &format!("    {block}\n");
        }
    }
    for (what, blocks) in [("only recorded", &replay.missed), ("only replayed", &replay.extra)] {
        for block in blocks {
            text += &format!("  covered {what}: {block}\n");
        }
    }
    text
}
