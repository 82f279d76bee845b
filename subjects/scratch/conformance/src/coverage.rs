//! Comparison of the statement blocks that a recording and its replay covered.

use std::collections::{BTreeMap, BTreeSet};

use catherd_scratch_sb3::{BlockNo, Project, Target};
use catherd_scratch_vm::{Compat, Program};

use crate::trace::Trace;

/// Differences in coverage: statement blocks, as `SPRITE: OPCODE (ID)`.
#[derive(Default)]
pub(crate) struct CoverageDifference {
    pub(crate) missed: Vec<String>,
    pub(crate) extra: Vec<String>,
}

/// For projects of Scratch 2, the recorder created random ids, which cannot be compared.
pub(crate) fn compare_coverage(
    covered: &BTreeSet<BlockNo>,
    program: &Program,
    trace: &Trace,
    project: &Project,
) -> CoverageDifference {
    let mut difference = CoverageDifference::default();
    // Recordings of today's Scratch do not contain the covered blocks.
    if trace.covered.is_empty() && program.compat() == Compat::Today {
        return difference;
    }
    let recorded: BTreeSet<&str> = trace.covered.iter().map(String::as_str).collect();
    let recorded = |id: &str, target: &str| is_recorded(&recorded, id, target);
    let is_known = |t: &Target| t.blocks.iter().any(|b| recorded(&b.id, &t.name));
    if !trace.covered.is_empty() && !project.targets.iter().any(is_known) {
        return difference;
    }
    let mut sprites_of: BTreeMap<&str, usize> = BTreeMap::new();
    for block in project.targets.iter().flat_map(|t| &t.blocks) {
        *sprites_of.entry(&block.id).or_default() += 1;
    }
    for no in program.commands() {
        let (target, index) = project.locate(no);
        let target = &project.targets[target];
        let block = &target.blocks[index as usize];
        // The recorder attributes some blocks to the sprite whose script they started. This can be
        // recognised if only one sprite has a block with the id.
        let recorded_elsewhere = || {
            sprites_of.get(&*block.id) == Some(&1)
                && project.targets.iter().any(|t| recorded(&block.id, &t.name))
        };
        let want = recorded(&block.id, &target.name) || recorded_elsewhere();
        let got = covered.contains(&no);
        let name = || format!("{}: {} ({})", target.name, block.opcode_name(), block.id);
        match (want, got) {
            (true, false) => difference.missed.push(name()),
            (false, true) => difference.extra.push(name()),
            _ => {}
        }
    }
    difference
}

/// The recorder writes a block that clones a sprite with existing clones as `ID-NAME,NAME,...`.
fn is_recorded(recorded: &BTreeSet<&str>, id: &str, target: &str) -> bool {
    let name = format!("{id}-{target}");
    let mut with_name =
        recorded.range(name.as_str()..).map_while(|entry| entry.strip_prefix(&name));
    with_name.any(|mut rest| {
        while let Some(more) = rest.strip_prefix(',').and_then(|rest| rest.strip_prefix(target)) {
            rest = more;
        }
        rest.is_empty()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_may_be_repeated() {
        let recorded =
            BTreeSet::from(["a-Cat", "b-Cat,Cat,Cat", "c-Cat,Dog", "d-Cats", "e-A,B,A,B"]);
        let has = |id, target| is_recorded(&recorded, id, target);
        assert!(has("a", "Cat") && has("b", "Cat") && has("d", "Cats") && has("e", "A,B"));
        assert!(!has("c", "Cat") && !has("d", "Cat") && !has("b", "Dog") && !has("e", "A"));
    }
}
