//! Inputs to which the blocks of a project react, for `detectRandomInputs`.

use catherd_scratch_sb3::{Block, Literal, Opcode, Project, Slot, Target, Value};

const MOUSE: &str = "_mouse_";

/// The inputs to which the blocks of a project react, in the order of its targets and blocks: the
/// kind of input, and its key, target or answer.
pub fn detected_inputs(project: &Project) -> Vec<(&'static str, String)> {
    let blocks = project
        .targets
        .iter()
        .flat_map(|target| target.blocks.iter().filter_map(|block| detected(target, block)));
    blocks.collect()
}

fn detected(target: &Target, block: &Block) -> Option<(&'static str, String)> {
    let field = |name: &str| block.field(name).map(|field| text(&field.value));
    let is_mouse = |name: &str| field(name).is_some_and(|value| value == MOUSE);
    let of = |kind: &'static str| Some((kind, target.name.to_string()));
    match block.opcode {
        Opcode::EventWhenKeyPressed | Opcode::SensingKeyOptions => {
            // A block for any key also reacts to the space key.
            let key = field("KEY_OPTION")?;
            Some(("key", if key == "any" { "space".to_owned() } else { key }))
        }
        Opcode::SensingMouseX | Opcode::SensingMouseY => of("mouse"),
        Opcode::SensingDistanceToMenu if is_mouse("DISTANCETOMENU") => of("mouse"),
        Opcode::MotionPointTowardsMenu if is_mouse("TOWARDS") => of("mouse"),
        Opcode::SensingTouchingObjectMenu if is_mouse("TOUCHINGOBJECTMENU") => of("touch mouse"),
        Opcode::EventWhenThisSpriteClicked if target.is_stage => of("click"),
        Opcode::EventWhenThisSpriteClicked => of("click sprite"),
        Opcode::EventWhenStageClicked | Opcode::SensingMouseDown => of("click"),
        Opcode::SensingAskAndWait => of("text"),
        Opcode::OperatorEquals => {
            let [a, b] = ["OPERAND1", "OPERAND2"].map(|name| operand(target, block, name));
            match (a, b) {
                (Operand::Answer, Operand::Literal(answer))
                | (Operand::Literal(answer), Operand::Answer) => Some(("answer", answer)),
                _ => None,
            }
        }
        _ => None,
    }
}

enum Operand {
    Answer,
    Literal(String),
    Other,
}

fn operand(target: &Target, block: &Block, name: &str) -> Operand {
    match block.input(name).map(|input| &input.block) {
        Some(Slot::Block(at)) => match target.blocks.get(*at as usize) {
            Some(block) if block.opcode == Opcode::SensingAnswer => Operand::Answer,
            _ => Operand::Other,
        },
        Some(Slot::Literal(Literal::Value { value, .. })) => Operand::Literal(text(value)),
        _ => Operand::Other,
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::Text(text) => text.to_string(),
        Value::Number(number) => number.to_string(),
        Value::Bool(flag) => flag.to_string(),
    }
}
