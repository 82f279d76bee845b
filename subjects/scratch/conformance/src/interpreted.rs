//! Counts of blocks in warp that the interpreter executes, with the reasons.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use catherd_scratch_sb3::{BlockIndex, BlockNo, Opcode, Project, Slot, Target};
use catherd_scratch_vm::{Fallback, Program, Tracer};
use rayon::prelude::*;

use crate::bench::ProgramError;
use crate::random_input::RandomInputDriver;

/// Active, so conditions are measured as in test generation.
#[derive(Default)]
struct Untold;

impl Tracer for Untold {
    const ACTIVE: bool = true;
    const MERGES: bool = true;
}

/// Counts of executed blocks in warp, for one or more projects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WarpBlocks {
    /// Number of executed blocks in warp.
    pub executed: u64,
    /// Counts of interpreted blocks by opcode and reason.
    pub interpreted: BTreeMap<String, u64>,
}

impl WarpBlocks {
    /// Adds the counts of another project.
    pub fn add(&mut self, other: &WarpBlocks) {
        self.executed += other.executed;
        for (name, count) in &other.interpreted {
            *self.interpreted.entry(name.clone()).or_default() += count;
        }
    }
}

/// Runs projects, given by name and path, and counts the blocks in warp of each project.
/// `on_project` is called with the name of each finished project.
pub fn warp_blocks(
    projects: &[(String, PathBuf)],
    driver: RandomInputDriver,
    on_project: impl Fn(&str) + Sync,
) -> Vec<Result<(String, WarpBlocks), ProgramError>> {
    let run = |(name, path): &(String, PathBuf)| {
        let counts = of_project(path, driver);
        on_project(name);
        Ok((name.clone(), counts?))
    };
    projects.par_iter().map(run).collect()
}

fn of_project(path: &Path, driver: RandomInputDriver) -> Result<WarpBlocks, String> {
    let project = Project::read(path).map_err(|e| e.to_string())?;
    let program = Program::compile_for(&project, driver.compat);
    let program = program.map_err(|e| format!("{}: {e}", path.display()))?;
    let mut vm = driver.machine(&Arc::new(program), Untold);
    vm.count_interpreted();
    driver.run(&mut vm, |_| {});
    let mut counts = WarpBlocks::default();
    let Some(interpreted) = vm.interpreted() else { return Ok(counts) };
    counts.executed = interpreted.blocks;
    for (&(block, fallback), count) in &interpreted.fallbacks {
        *counts.interpreted.entry(name(&project, block, fallback)).or_default() += count;
    }
    Ok(counts)
}

fn name(project: &Project, block: BlockNo, fallback: Fallback) -> String {
    let (target, index) = project.locate(block);
    let target = &project.targets[target];
    let opcode = target.blocks[index as usize].opcode_name();
    let reason = match fallback {
        Fallback::Outside => return format!("{opcode} (outside)"),
        Fallback::Block => return opcode.to_owned(),
        Fallback::Condition => "condition",
        Fallback::Operand => "operand",
        Fallback::Value => "value",
    };
    let mut reporters = Vec::new();
    add_reporters(target, index, &mut reporters);
    reporters.sort_unstable();
    reporters.dedup();
    format!("{opcode} ({reason}) {}", reporters.join(" "))
}

fn add_reporters<'a>(target: &'a Target, block: BlockIndex, reporters: &mut Vec<&'a str>) {
    use Opcode::*;
    for input in &target.blocks[block as usize].inputs {
        let Slot::Block(inner) = input.block else { continue };
        if input.name.starts_with("SUBSTACK") {
            continue;
        }
        let inner_block = &target.blocks[inner as usize];
        if !matches!(
            inner_block.opcode,
            OperatorAdd
                | OperatorSubtract
                | OperatorMultiply
                | OperatorDivide
                | OperatorLt
                | OperatorGt
                | OperatorEquals
                | OperatorAnd
                | OperatorOr
                | OperatorNot
        ) {
            reporters.push(inner_block.opcode_name());
        }
        add_reporters(target, inner, reporters);
    }
}
