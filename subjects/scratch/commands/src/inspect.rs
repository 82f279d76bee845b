//! `catherd inspect` for a Scratch project: blocks that the VM executes differently from Scratch.

use std::collections::BTreeMap;
use std::path::Path;

use catherd_cli_console::terminal::{self, plural};
use catherd_cli_console::{Exit, Failure};
use catherd_scratch_sb3::{BlockIndex, Project, Warning};
use catherd_scratch_vm::{Compat, unsupported};
use clap::Args;
use serde_json::json;

use crate::project;

/// Flags of `catherd inspect` for Scratch projects.
// `catherd inspect` has the flags of several kinds, whose groups need different names.
#[derive(Args)]
#[group(id = "scratch-flags")]
pub struct Flags {
    /// The machine of a Scratch project: 2022, which is Scratch as Whisker's study changed it, or
    /// today
    #[arg(long, value_name = "MACHINE", default_value_t = Compat::Today)]
    compat: Compat,
}

#[derive(Default)]
struct Uses {
    instead: &'static str,
    sprites: Vec<(String, Vec<String>)>,
}

/// Prints the blocks of a project that the VM executes differently from Scratch, and the defects of
/// the project.
///
/// # Errors
///
/// If the project cannot be read or compiled.
pub fn run(path: &Path, flags: &Flags, as_json: bool) -> Result<Exit, Failure> {
    let subject = project::open(path)?;
    project::compile(path, &subject, flags.compat)?;
    let found = found(&subject.project, flags.compat);
    let warnings: Vec<String> = subject.project.warnings.iter().filter_map(defect).collect();
    let text = if as_json {
        let blocks = found.iter().map(|(opcode, uses)| {
            let sprites: BTreeMap<_, _> = uses.sprites.iter().cloned().collect();
            json!({ "opcode": opcode, "instead": uses.instead, "blocks": sprites })
        });
        let report = json!({
            "compat": flags.compat.name(),
            "blocks": subject.project.block_count(),
            "unsupported": blocks.collect::<Vec<_>>(),
            "warnings": warnings,
        });
        format!("{report:#}\n")
    } else {
        text(path, flags.compat, &subject.project, &found, &warnings)
    };
    terminal::print(&text);
    Ok(Exit::Success)
}

/// Single loose blocks are left out.
fn found(project: &Project, compat: Compat) -> BTreeMap<String, Uses> {
    let mut found: BTreeMap<String, Uses> = BTreeMap::new();
    for target in &project.targets {
        for (block, number) in target.blocks.iter().zip(0 as BlockIndex..) {
            let Some(instead) = unsupported(block.opcode, compat) else { continue };
            if block.top_level && block.next.is_none() && !block.opcode.is_hat() {
                continue;
            }
            let uses = found.entry(block.opcode_name().to_owned()).or_default();
            uses.instead = instead;
            let id = target.blocks[number as usize].id.to_string();
            match uses.sprites.last_mut().filter(|(name, _)| **name == *target.name) {
                Some((_, ids)) => ids.push(id),
                None => uses.sprites.push((target.name.to_string(), vec![id])),
            }
        }
    }
    found
}

/// Unknown blocks are listed separately.
fn defect(warning: &Warning) -> Option<String> {
    match warning {
        Warning::UnknownBlock { .. } => None,
        Warning::MissingAsset { target, name, file } => {
            Some(format!("{target}: the file {file} of `{name}` is missing or damaged"))
        }
        Warning::Other(words) => Some(words.to_string()),
    }
}

fn text(
    path: &Path,
    compat: Compat,
    project: &Project,
    found: &BTreeMap<String, Uses>,
    warnings: &[String],
) -> String {
    let mut text = format!(
        "{}: {}, {}; machine: {compat}\n",
        path.display(),
        plural(project.targets.len().saturating_sub(1), "sprite"),
        plural(project.block_count(), "block")
    );
    if found.is_empty() {
        text += "all blocks are supported\n";
    }
    for (opcode, uses) in found {
        text += &format!("{opcode}: {}\n", uses.instead);
        for (sprite, ids) in &uses.sprites {
            text += &format!("  {sprite}: {}\n", plural(ids.len(), "block"));
        }
    }
    warnings.iter().for_each(|warning| text += &format!("warning: {warning}\n"));
    text
}
