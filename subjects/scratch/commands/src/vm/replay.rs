//! `catherd vm replay`: replays one recording of the original Scratch.

use std::path::PathBuf;

use catherd_cli_console::{Exit, Failure, places, terminal};
use catherd_scratch_conformance::{Replay, Trace, device_states, replay_indexed, trace_files};
use catherd_scratch_vm::Compat;
use clap::Args;

use super::project_index;

/// Replays a reference trace and shows the first divergence.
///
/// The project is found in the corpus by the SHA-256 in the trace. A trace does not contain the
/// state of keyboard and mouse at its beginning, so the states in which the other traces of its
/// folder end are tried until one agrees. Nor does it contain the recorder's clock: if a project
/// uses the clock, its readings are inferred from the recording, and nothing else may differ. Nor
/// does a recording of today's machine say whether the recorder executed one batch per step, so
/// both possibilities are tried.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd vm replay corpus/traces/game.json.gz
  catherd vm replay game.json.gz --corpus corpus
  catherd vm replay game.json.gz --compat today

Exit codes: 0 if the replay is identical, 2 if it diverges, 1 if it cannot be done.")]
pub struct Arguments {
    /// Trace: JSON, plain or gzipped
    #[arg(value_name = "TRACE")]
    trace: PathBuf,

    /// Folder of the projects [default: the parent of the trace's folder]
    #[arg(long, value_name = "DIR")]
    corpus: Option<PathBuf>,

    /// The machine: 2022, which is Scratch as Whisker's study changed it, or today
    #[arg(long, value_name = "MACHINE", default_value_t)]
    compat: Compat,
}

pub(super) fn run(Arguments { trace: path, corpus, compat }: Arguments) -> Result<Exit, Failure> {
    let hint = "name a recording of the original machine (docs/explanation/conformance.md)";
    places::check(&path, hint)?;
    let trace = Trace::read(&path).map_err(|error| Failure::new(error).hint(hint))?;
    let folder = path.parent().unwrap_or(&path);
    let index = project_index(corpus.as_deref(), folder)?;
    let siblings: Vec<Trace> = trace_files(folder)
        .unwrap_or_default()
        .iter()
        .filter_map(|sibling| Trace::read(sibling).ok())
        .collect();
    let replay = replay_indexed(&trace, &index, &device_states(&siblings), compat)
        .map_err(|error| Failure::new(format!("{}: {error}", path.display())))?;
    terminal::print(&describe(&trace, &replay));
    Ok(if replay.is_identical() { Exit::Success } else { Exit::Incomplete })
}

fn describe(trace: &Trace, replay: &Replay) -> String {
    let steps = terminal::plural(trace.steps as usize, "step");
    let mut text = format!("{}: {steps}\n", trace.project);
    if replay.is_identical() {
        text += "identical";
        if !replay.environment.is_default() {
            text += &format!(" assuming {}", replay.environment);
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
    for (side, blocks) in [("recording", &replay.missed), ("replay", &replay.extra)] {
        for block in blocks {
            text += &format!("  covered only in the {side}: {block}\n");
        }
    }
    text
}
