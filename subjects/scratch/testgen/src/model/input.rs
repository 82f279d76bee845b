//! Input to which a project reacts.

use catherd_scratch_sb3::{Opcode, Project, Slot, Target};

pub(super) fn has_any_input_event(project: &Project) -> bool {
    use Opcode::*;
    project.targets.iter().any(|target| {
        target.blocks.iter().any(|block| match block.opcode {
            EventWhenFlagClicked
            | EventWhenKeyPressed
            | EventWhenThisSpriteClicked
            | EventWhenStageClicked
            | EventWhenGreaterThan
            | SensingMouseX
            | SensingMouseY
            | SensingMouseDown
            | SensingKeyPressed
            | SensingAskAndWait => true,
            SensingTouchingObject | SensingDistanceTo => block
                .inputs
                .iter()
                .any(|input| matches!(input.block, Slot::Block(menu) if names_mouse(target, menu))),
            _ => false,
        })
    })
}

fn names_mouse(target: &Target, menu: u32) -> bool {
    target.blocks[menu as usize].fields.iter().any(|field| field.text() == "_mouse_")
}
