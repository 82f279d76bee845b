//! Description of a project: counts of its parts.

use std::collections::BTreeSet;

use catherd_scratch_sb3::{Block, BlockIndex, Opcode, Project, Slot, Warning};
use serde::Serialize;

/// Counts of the parts of a project, for tables of projects.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Description {
    /// Number of sprites, without the stage.
    pub sprites: usize,
    /// Number of scripts that an event, a clone or a call can start.
    pub scripts: usize,
    /// Number of blocks that count as statements.
    pub statements: usize,
    /// Number of groups of blocks that no event, clone or call can start.
    pub loose_scripts: usize,
    /// Number of blocks of all kinds in loose scripts.
    pub loose_blocks: usize,
    /// Number of blocks of all kinds.
    pub blocks: usize,
    /// Number of definitions of custom blocks.
    pub custom_blocks: usize,
    /// Number of branches, loops that can end, and waits for a condition in scripts.
    pub decisions: usize,
    /// Number of variables of the stage and the sprites.
    pub variables: usize,
    /// Number of lists of the stage and the sprites.
    pub lists: usize,
    /// Number of costumes and backdrops.
    pub costumes: usize,
    /// Number of sounds.
    pub sounds: usize,
    /// Extensions in use, as prefixes of the names of their blocks, sorted.
    pub extensions: Vec<String>,
    /// Number of blocks with an unknown opcode.
    pub unknown_blocks: usize,
    /// Number of costumes and sounds whose file is missing or damaged.
    pub missing_media: usize,
}

impl Description {
    /// Mean cyclomatic complexity of the scripts (McCabe 1976): one plus the mean number of
    /// decisions; `None` if there are no scripts.
    pub fn mccabe(&self) -> Option<f64> {
        (self.scripts > 0).then(|| 1.0 + self.decisions as f64 / self.scripts as f64)
    }
}

/// Counts the parts of a project.
pub fn describe(project: &Project) -> Description {
    let mut description = Description { blocks: project.block_count(), ..Description::default() };
    let mut extensions = BTreeSet::new();
    for target in &project.targets {
        description.sprites += usize::from(!target.is_stage);
        description.variables += target.variables.len();
        description.lists += target.lists.len();
        description.costumes += target.costumes.len();
        description.sounds += target.sounds.len();
        for head in target.scripts() {
            let group = blocks_below(&target.blocks, head);
            if starts_script(&target.blocks[head as usize]) {
                description.decisions += group.filter(|block| is_decision(block)).count();
            } else {
                description.loose_scripts += 1;
                description.loose_blocks += group.count();
            }
        }
        for block in &target.blocks {
            description.scripts += usize::from(starts_script(block));
            description.statements += usize::from(is_statement(block));
            let definition = block.opcode == Opcode::ProceduresDefinition && block.top_level;
            description.custom_blocks += usize::from(definition);
            description.unknown_blocks += usize::from(block.opcode == Opcode::Unknown);
            if !CORE_CATEGORIES.contains(&category(block)) {
                extensions.insert(category(block));
            }
        }
    }
    description.extensions = extensions.into_iter().map(str::to_owned).collect();
    let missing = |warning: &&Warning| matches!(warning, Warning::MissingAsset { .. });
    description.missing_media = project.warnings.iter().filter(missing).count();
    description
}

const CORE_CATEGORIES: [&str; 15] = [
    "motion",
    "looks",
    "sound",
    "event",
    "control",
    "sensing",
    "operator",
    "data",
    "procedures",
    "argument",
    "math",
    "text",
    "colour",
    "note",
    "matrix",
];

fn category(block: &Block) -> &str {
    let name = block.opcode_name();
    name.split_once('_').map_or(name, |(category, _)| category)
}

fn starts_script(block: &Block) -> bool {
    let definition = block.opcode == Opcode::ProceduresDefinition;
    block.top_level && (block.opcode.is_hat() || definition)
}

fn blocks_below(blocks: &[Block], head: BlockIndex) -> impl Iterator<Item = &Block> {
    let mut open = vec![head];
    std::iter::from_fn(move || {
        let block = &blocks[open.pop()? as usize];
        open.extend(block.next);
        for input in &block.inputs {
            let covered = (input.shadow != input.block).then_some(&input.shadow);
            for slot in std::iter::once(&input.block).chain(covered) {
                if let Slot::Block(inner) = slot {
                    open.push(*inner);
                }
            }
        }
        Some(block)
    })
}

fn is_decision(block: &Block) -> bool {
    use Opcode::*;
    matches!(
        block.opcode,
        ControlIf
            | ControlIfElse
            | ControlRepeat
            | ControlRepeatUntil
            | ControlWhile
            | ControlForEach
            | ControlWaitUntil
    )
}

fn is_statement(block: &Block) -> bool {
    use Opcode::*;
    let name = block.opcode_name();
    if block.shadow || name.ends_with("_menu") {
        return false;
    }
    let executable = match category(block) {
        "motion" => !matches!(
            block.opcode,
            MotionXPosition | MotionYPosition | MotionDirection | MotionXScroll | MotionYScroll
        ),
        "looks" => {
            !matches!(block.opcode, LooksBackdropNumberName | LooksCostumeNumberName | LooksSize)
        }
        "sound" => block.opcode != SoundVolume,
        "control" => block.opcode != ControlGetCounter,
        "music" => block.opcode != MusicGetTempo,
        "sensing" => {
            matches!(block.opcode, SensingAskAndWait | SensingSetDragMode | SensingResetTimer)
        }
        "data" => !matches!(
            block.opcode,
            DataVariable
                | DataListContents
                | DataItemOfList
                | DataItemNumOfList
                | DataLengthOfList
                | DataListContainsItem
        ),
        "event" | "pen" | "text2speech" => true,
        "procedures" => matches!(block.opcode, ProceduresDefinition | ProceduresCall),
        _ => false,
    };
    let loose = block.top_level
        && block.opcode != ControlStartAsClone
        && !matches!(category(block), "event" | "procedures");
    executable && !loose
}
