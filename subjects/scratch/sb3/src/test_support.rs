//! Projects for the tests of other crates, built in code or written as text. Available only with
//! the feature `test-support`.

mod builder;
mod labelled;

use crate::{Block, Opcode, Project, RotationStyle, Target};

pub use builder::{TargetBuilder, number, project, variable};
pub use labelled::LabelledProject;

/// Creates a project of these targets.
pub fn project_of(mut targets: Vec<Target>) -> Project {
    let mut first = 0;
    for target in &mut targets {
        target.first_block = first;
        first += target.blocks.len() as u32;
    }
    Project {
        targets,
        monitors: Vec::new(),
        extensions: Vec::new(),
        assets: Vec::new().into(),
        warnings: Vec::new(),
    }
}

/// An empty target.
pub fn empty_target(is_stage: bool, name: &str) -> Target {
    Target {
        is_stage,
        name: name.into(),
        variables: Vec::new(),
        lists: Vec::new(),
        broadcasts: Vec::new(),
        blocks: Vec::new(),
        first_block: 0,
        current_costume: 0.0,
        costumes: Vec::new(),
        sounds: Vec::new(),
        volume: 100.0,
        layer_order: 0.0,
        tempo: 60.0,
        x: 0.0,
        y: 0.0,
        size: 100.0,
        direction: 90.0,
        visible: true,
        draggable: false,
        rotation_style: RotationStyle::AllAround,
    }
}

/// A block without links to other blocks.
pub fn bare_block(id: &str, opcode: Opcode) -> Block {
    Block {
        id: id.into(),
        opcode,
        unknown: None,
        next: None,
        parent: None,
        inputs: Vec::new(),
        fields: Vec::new(),
        shadow: false,
        top_level: false,
        mutation: None,
    }
}
