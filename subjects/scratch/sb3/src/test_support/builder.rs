//! Projects built block by block.

use super::{bare_block, empty_target, project_of};
use crate::{Block, Field, Input, Literal, Mutation, Opcode, Project, Slot, Target, Value};

fn text(text: &str) -> Value {
    Value::Text(text.into())
}

/// Builder of a stage or sprite. The number of a block is its position in [`Target::blocks`].
pub struct TargetBuilder {
    /// The target so far.
    pub target: Target,
}

impl TargetBuilder {
    /// A target without blocks; the stage if it is called `Stage`.
    pub fn new(name: &str) -> Self {
        let target = empty_target(name == "Stage", name);
        Self { target }
    }

    /// Adds a block with named inputs and without links.
    pub fn block(&mut self, opcode: Opcode, inputs: &[(&str, Slot)]) -> u32 {
        let input = |(name, slot): &(&str, Slot)| Input {
            name: (*name).into(),
            block: slot.clone(),
            shadow: Slot::Empty,
        };
        let id = format!("b{}", self.target.blocks.len());
        let inputs = inputs.iter().map(input).collect();
        self.target.blocks.push(Block { inputs, ..bare_block(&id, opcode) });
        self.target.blocks.len() as u32 - 1
    }

    /// A reporter block as the content of an input.
    pub fn value(&mut self, opcode: Opcode, inputs: &[(&str, Slot)]) -> Slot {
        Slot::Block(self.block(opcode, inputs))
    }

    /// Adds a field to a block.
    pub fn field(&mut self, block: u32, name: &str, value: &str) {
        let field = Field { name: name.into(), value: text(value), id: None };
        self.target.blocks[block as usize].fields.push(field);
    }

    /// A menu block as the content of an input.
    pub fn menu(&mut self, opcode: Opcode, name: &str, value: &str) -> Slot {
        let menu = self.block(opcode, &[]);
        self.field(menu, name, value);
        self.target.blocks[menu as usize].shadow = true;
        Slot::Block(menu)
    }

    /// `key [key] pressed?`
    pub fn key_pressed(&mut self, key: &str) -> Slot {
        let menu = self.menu(Opcode::SensingKeyOptions, "KEY_OPTION", key);
        self.value(Opcode::SensingKeyPressed, &[("KEY_OPTION", menu)])
    }

    /// `touching [what]?`
    pub fn touching(&mut self, what: &str) -> Slot {
        let name = "TOUCHINGOBJECTMENU";
        let menu = self.menu(Opcode::SensingTouchingObjectMenu, name, what);
        self.value(Opcode::SensingTouchingObject, &[(name, menu)])
    }

    /// `if [condition] then`, with an empty branch.
    pub fn when(&mut self, condition: Slot) -> u32 {
        self.block(Opcode::ControlIf, &[("CONDITION", condition)])
    }

    /// Puts a stack inside the first branch of a block.
    pub fn hold(&mut self, head: u32, stack: u32) {
        let input =
            Input { name: "SUBSTACK".into(), block: Slot::Block(stack), shadow: Slot::Empty };
        self.target.blocks[head as usize].inputs.push(input);
    }

    /// Links blocks in sequence. Returns the first block.
    pub fn chain(&mut self, blocks: &[u32]) -> u32 {
        for pair in blocks.windows(2) {
            self.target.blocks[pair[0] as usize].next = Some(pair[1]);
        }
        blocks[0]
    }

    /// A call to the custom block with this signature.
    pub fn call(&mut self, code: &str) -> u32 {
        let call = self.block(Opcode::ProceduresCall, &[]);
        self.target.blocks[call as usize].mutation = Some(Mutation::Call { proccode: code.into() });
        call
    }

    /// A script that defines the custom block with this signature.
    pub fn define(&mut self, code: &str, body: &[u32]) {
        let prototype = self.block(Opcode::ProceduresPrototype, &[]);
        self.target.blocks[prototype as usize].mutation = Some(Mutation::Prototype {
            proccode: code.into(),
            ids: Vec::new(),
            names: Vec::new(),
            defaults: Vec::new(),
            warp: false,
        });
        let slot = Slot::Block(prototype);
        let head = self.block(Opcode::ProceduresDefinition, &[("custom_block", slot)]);
        self.script(head, body);
    }

    /// A script below a new hat, which may have a field; returns the hat.
    pub fn hat(&mut self, opcode: Opcode, field: Option<(&str, &str)>, body: &[u32]) -> u32 {
        let hat = self.block(opcode, &[]);
        if let Some((name, value)) = field {
            self.field(hat, name, value);
        }
        self.script(hat, body);
        hat
    }

    /// A script below `when green flag clicked`; returns the hat.
    pub fn flag(&mut self, body: &[u32]) -> u32 {
        self.hat(Opcode::EventWhenFlagClicked, None, body)
    }

    /// Makes a block the top of a script of these blocks.
    pub fn script(&mut self, top: u32, body: &[u32]) {
        self.target.blocks[top as usize].top_level = true;
        let mut last = top;
        for &block in body {
            self.target.blocks[last as usize].next = Some(block);
            last = block;
        }
    }
}

/// A literal as the content of an input.
pub fn number(value: &str) -> Slot {
    Slot::Literal(Literal::Value { opcode: Opcode::Text, value: text(value) })
}

/// The variable `v` as the content of an input.
pub fn variable() -> Slot {
    Slot::Literal(Literal::Variable { name: "v".into(), id: "v".into() })
}

/// The project of these targets.
pub fn project(builders: Vec<TargetBuilder>) -> Project {
    project_of(builders.into_iter().map(|builder| builder.target).collect())
}
