//! Structural digest of a project, to find near-duplicates.

use catherd_scratch_sb3::{BlockIndex, Project, Slot, Target};
use sha2::{Digest, Sha256};

use crate::corpus::Sha;

/// A digest of the opcodes, sequence and nesting of the blocks of a project.
pub fn structure(project: &Project) -> Sha {
    let mut sprites: Vec<Sha> = project.targets.iter().map(target_digest).collect();
    sprites.sort_unstable();
    combined(&sprites)
}

fn target_digest(target: &Target) -> Sha {
    let mut scripts: Vec<Sha> = target.scripts().map(|head| script_digest(target, head)).collect();
    scripts.sort_unstable();
    combined(&scripts)
}

fn combined(parts: &[Sha]) -> Sha {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part.0);
    }
    Sha(hash.finalize().into())
}

/// Brackets distinguish nesting from sequence.
fn script_digest(target: &Target, head: BlockIndex) -> Sha {
    enum Step {
        Block(BlockIndex),
        Input(String),
        End,
    }
    let mut hash = Sha256::new();
    let mut open = vec![Step::Block(head)];
    while let Some(step) = open.pop() {
        match step {
            Step::Input(name) => hash.update(format!("({name} ")),
            Step::End => hash.update(")"),
            Step::Block(index) => {
                let block = &target.blocks[index as usize];
                hash.update(format!("{};", block.opcode_name()));
                open.extend(block.next.map(Step::Block));
                let mut inputs: Vec<_> = block.inputs.iter().collect();
                inputs.sort_by(|a, b| b.name.cmp(&a.name));
                for input in inputs {
                    if let Slot::Block(inner) = input.block {
                        open.push(Step::End);
                        open.push(Step::Block(inner));
                        open.push(Step::Input(input.name.to_string()));
                    }
                }
            }
        }
    }
    Sha(hash.finalize().into())
}
