//! What a project is made of.

use std::collections::BTreeSet;

use catherd_sb3::{Block, BlockIndex, Opcode, Project, Slot, Warning};
use serde::Serialize;

/// Counts over a project, as a table of subjects shows them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Description {
    /// Sprites, the stage not counted.
    pub sprites: usize,
    /// Scripts that an event, a clone or a call can start.
    pub scripts: usize,
    /// Statement blocks: what a test can execute, hats and custom-block definitions
    /// included; heads of loose scripts are not. An upper bound of the goals, which also
    /// leave out dead code.
    pub statements: usize,
    /// Groups of blocks that lie about: nothing starts them.
    pub loose_scripts: usize,
    /// The blocks of these groups, of every kind.
    pub loose_blocks: usize,
    /// Blocks of every kind, reporters and menus included.
    pub blocks: usize,
    /// Definitions of custom blocks.
    pub custom_blocks: usize,
    /// Blocks of scripts that decide how these go on: branches, loops with an end, and waits
    /// for a condition.
    pub decisions: usize,
    /// Variables of the stage and of sprites.
    pub variables: usize,
    /// Lists of the stage and of sprites.
    pub lists: usize,
    /// Costumes and backdrops.
    pub costumes: usize,
    /// Sounds.
    pub sounds: usize,
    /// Extensions in use, by the prefix of their blocks, sorted.
    pub extensions: Vec<String>,
    /// Blocks with an opcode that is not known.
    pub unknown_blocks: usize,
    /// Costumes and sounds without their file.
    pub missing_media: usize,
}

impl Description {
    /// Mean cyclomatic complexity of the scripts: one more than the decisions of each
    /// (McCabe 1976). None without scripts.
    pub fn mccabe(&self) -> Option<f64> {
        (self.scripts > 0).then(|| 1.0 + self.decisions as f64 / self.scripts as f64)
    }
}

/// Counts what a project is made of.
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
            let group = below(&target.blocks, head);
            if starts_script(&target.blocks[head as usize]) {
                description.decisions += group.filter(|block| decides(block)).count();
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
            if !CORE.contains(&category(block)) {
                extensions.insert(category(block));
            }
        }
    }
    description.extensions = extensions.into_iter().map(str::to_owned).collect();
    let missing = |warning: &&Warning| matches!(warning, Warning::MissingAsset { .. });
    description.missing_media = project.warnings.iter().filter(missing).count();
    description
}

/// Categories of blocks that are part of Scratch itself, and of the menus and literals in them.
const CORE: [&str; 15] = [
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

/// What stands before the first underscore of an opcode.
fn category(block: &Block) -> &str {
    let name = block.opcode_name();
    name.split_once('_').map_or(name, |(category, _)| category)
}

fn starts_script(block: &Block) -> bool {
    let definition = block.opcode == Opcode::ProceduresDefinition;
    block.top_level && (block.opcode.is_hat() || definition)
}

/// The blocks of a group, shadows included; blocks that two places share come twice.
fn below(blocks: &[Block], head: BlockIndex) -> impl Iterator<Item = &Block> {
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

fn decides(block: &Block) -> bool {
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

/// A block that a thread executes as a step of its own, as opposed to one that reports a
/// value or shows a menu (Whisker paper, section 5.1).
fn is_statement(block: &Block) -> bool {
    use Opcode::*;
    let name = block.opcode_name();
    if block.shadow || name.ends_with("_menu") {
        return false;
    }
    let of_kind = match category(block) {
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
    of_kind && !loose
}
