//! Which blocks are statements, and how control passes them.

use catherd_sb3::{Block, Opcode};

/// Is the block a goal, if it is not dead? Statement blocks of the core and of the pen,
/// music and text-to-speech extensions are; of the blocks on top of scripts only those
/// that can start one.
pub fn is_goal(block: &Block) -> bool {
    !block.shadow && is_statement(block.opcode) && (!block.top_level || can_lead(block.opcode))
}

/// May a block with this opcode stand on top of a script and be a goal?
fn can_lead(opcode: Opcode) -> bool {
    use Opcode::*;
    opcode.name().starts_with("event_")
        || matches!(opcode, ControlStartAsClone | ProceduresDefinition | ProceduresCall)
}

/// Is a block with this opcode a statement: a command, a hat or a custom block's
/// definition or call, but no reporter and no menu?
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

/// Does the block take Scratch time, so that a test may end within it?
pub(crate) fn takes_time(opcode: Opcode) -> bool {
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

/// Does control come back to the block from the end of its branch?
pub(crate) fn is_loop(opcode: Opcode) -> bool {
    use Opcode::*;
    matches!(
        opcode,
        ControlRepeat | ControlRepeatUntil | ControlForever | ControlWhile | ControlForEach
    )
}

/// Has the block exactly one branch, taken or not?
pub(crate) fn has_single_branch(opcode: Opcode) -> bool {
    opcode == Opcode::ControlIf || is_loop(opcode)
}

/// Does an outcome of the block decide where control goes (time aside)?
pub(crate) fn is_branching(opcode: Opcode) -> bool {
    use Opcode::*;
    has_single_branch(opcode) || matches!(opcode, ControlIfElse | ControlWaitUntil)
}
