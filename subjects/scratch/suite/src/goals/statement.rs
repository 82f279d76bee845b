//! Properties of blocks: which blocks are statements, and how they influence the control flow.

use catherd_scratch_sb3::{Block, Opcode};

/// Whether the block is a goal unless it is dead. Goals are statement blocks of the core and of the
/// extensions for pen, music and text-to-speech. Blocks on top of scripts are goals only if they
/// are event blocks, "when I start as a clone", definitions of custom blocks or calls to them.
pub fn is_goal(block: &Block) -> bool {
    !block.shadow && is_statement(block.opcode) && (!block.top_level || can_lead(block.opcode))
}

/// Whether a block with this opcode can be a goal on top of a script.
fn can_lead(opcode: Opcode) -> bool {
    use Opcode::*;
    opcode.name().starts_with("event_")
        || matches!(opcode, ControlStartAsClone | ProceduresDefinition | ProceduresCall)
}

/// Whether a block with this opcode is a statement of the core or of the extensions for pen, music
/// and text-to-speech, for example a command or a hat, but neither a reporter nor a menu.
pub fn is_statement(opcode: Opcode) -> bool {
    use Opcode::*;
    let Some((category, name)) = opcode.name().split_once('_') else { return false };
    let reporter = match category {
        "motion" => matches!(
            opcode,
            MotionXPosition | MotionYPosition | MotionDirection | MotionXScroll | MotionYScroll
        ),
        "looks" => matches!(
            opcode,
            LooksCostumeNumberName
                | LooksBackdropNumberName
                | LooksSize
                | LooksCostume
                | LooksBackdrops
        ),
        "sound" => opcode == SoundVolume,
        "event" => opcode == EventTouchingObjectMenu,
        "control" => opcode == ControlGetCounter,
        "sensing" => {
            return matches!(opcode, SensingAskAndWait | SensingSetDragMode | SensingResetTimer);
        }
        "data" => matches!(
            opcode,
            DataVariable
                | DataListContents
                | DataItemOfList
                | DataItemNumOfList
                | DataLengthOfList
                | DataListContainsItem
        ),
        "procedures" => opcode == ProceduresPrototype,
        "pen" => opcode == PenMenuColorParam,
        "music" => matches!(opcode, MusicGetTempo | MusicMenuDrum | MusicMenuInstrument),
        "text2speech" => {
            matches!(opcode, Text2SpeechMenuVoices | Text2SpeechMenuLanguages)
        }
        _ => return false,
    };
    !reporter && !name.ends_with("_menu")
}

/// Whether the block counts as taking time. A test may end within such a block.
pub fn takes_time(opcode: Opcode) -> bool {
    use Opcode::*;
    matches!(
        opcode,
        ControlWait
            | LooksSayForSecs
            | LooksThinkForSecs
            | MotionGlideTo
            | MotionGlideSecsToXY
            | SoundPlayUntilDone
            | Text2SpeechSpeakAndWait
    )
}

/// Whether control returns to the block from the end of its branch.
pub fn is_loop(opcode: Opcode) -> bool {
    use Opcode::*;
    matches!(
        opcode,
        ControlRepeat | ControlRepeatUntil | ControlForever | ControlWhile | ControlForEach
    )
}

/// Whether the block is a loop or an `if` without `else`.
pub fn has_single_branch(opcode: Opcode) -> bool {
    opcode == Opcode::ControlIf || is_loop(opcode)
}

/// Whether control can go to different targets after the block, depending on a condition or a loop.
/// Blocks that only take time do not count.
pub fn is_branching(opcode: Opcode) -> bool {
    use Opcode::*;
    has_single_branch(opcode) || matches!(opcode, ControlIfElse | ControlWaitUntil)
}
