//! Projects for tests, built by hand.

use std::sync::Arc;

use catherd_sb3::{
    Block, Field, Input, Literal, Mutation, Opcode, Project, RotationStyle, Slot, Target, Value,
};

fn text(text: &str) -> Value {
    Value::Text(text.into())
}

/// A target under construction; blocks know each other by position.
pub(crate) struct Draft(pub(crate) Target);

impl Draft {
    pub(crate) fn new(name: &str) -> Self {
        Self(Target {
            is_stage: name == "Stage",
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
        })
    }

    pub(crate) fn block(&mut self, opcode: Opcode, inputs: &[(&str, Slot)]) -> u32 {
        let input = |(name, slot): &(&str, Slot)| Input {
            name: (*name).into(),
            block: slot.clone(),
            shadow: Slot::Empty,
        };
        self.0.blocks.push(Block {
            id: format!("b{}", self.0.blocks.len()).as_str().into(),
            opcode,
            unknown: None,
            next: None,
            parent: None,
            inputs: inputs.iter().map(input).collect(),
            fields: Vec::new(),
            shadow: false,
            top_level: false,
            mutation: None,
        });
        self.0.blocks.len() as u32 - 1
    }

    pub(crate) fn value(&mut self, opcode: Opcode, inputs: &[(&str, Slot)]) -> Slot {
        Slot::Block(self.block(opcode, inputs))
    }

    pub(crate) fn field(&mut self, block: u32, name: &str, value: &str) {
        let field = Field { name: name.into(), value: text(value), id: None };
        self.0.blocks[block as usize].fields.push(field);
    }

    pub(crate) fn menu(&mut self, opcode: Opcode, name: &str, value: &str) -> Slot {
        let menu = self.block(opcode, &[]);
        self.field(menu, name, value);
        self.0.blocks[menu as usize].shadow = true;
        Slot::Block(menu)
    }

    pub(crate) fn key_pressed(&mut self, key: &str) -> Slot {
        let menu = self.menu(Opcode::SensingKeyOptions, "KEY_OPTION", key);
        self.value(Opcode::SensingKeyPressed, &[("KEY_OPTION", menu)])
    }

    pub(crate) fn touching(&mut self, what: &str) -> Slot {
        let name = "TOUCHINGOBJECTMENU";
        let menu = self.menu(Opcode::SensingTouchingObjectMenu, name, what);
        self.value(Opcode::SensingTouchingObject, &[(name, menu)])
    }

    pub(crate) fn when(&mut self, condition: Slot) -> u32 {
        self.block(Opcode::ControlIf, &[("CONDITION", condition)])
    }

    /// Puts a stack inside a C-shaped block.
    pub(crate) fn hold(&mut self, head: u32, stack: u32) {
        let input =
            Input { name: "SUBSTACK".into(), block: Slot::Block(stack), shadow: Slot::Empty };
        self.0.blocks[head as usize].inputs.push(input);
    }

    /// Links blocks below each other; the first of them.
    pub(crate) fn chain(&mut self, blocks: &[u32]) -> u32 {
        for pair in blocks.windows(2) {
            self.0.blocks[pair[0] as usize].next = Some(pair[1]);
        }
        blocks[0]
    }

    pub(crate) fn call(&mut self, code: &str) -> u32 {
        let call = self.block(Opcode::ProceduresCall, &[]);
        self.0.blocks[call as usize].mutation = Some(Mutation::Call { proccode: code.into() });
        call
    }

    pub(crate) fn define(&mut self, code: &str, body: &[u32]) {
        let prototype = self.block(Opcode::ProceduresPrototype, &[]);
        self.0.blocks[prototype as usize].mutation = Some(Mutation::Prototype {
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

    pub(crate) fn hat(&mut self, opcode: Opcode, field: Option<(&str, &str)>, body: &[u32]) -> u32 {
        let hat = self.block(opcode, &[]);
        if let Some((name, value)) = field {
            self.field(hat, name, value);
        }
        self.script(hat, body);
        hat
    }

    pub(crate) fn flag(&mut self, body: &[u32]) -> u32 {
        self.hat(Opcode::EventWhenFlagClicked, None, body)
    }

    pub(crate) fn script(&mut self, top: u32, body: &[u32]) {
        self.0.blocks[top as usize].top_level = true;
        let mut last = top;
        for &block in body {
            self.0.blocks[last as usize].next = Some(block);
            last = block;
        }
    }
}

pub(crate) fn number(value: &str) -> Slot {
    Slot::Literal(Literal::Value { opcode: Opcode::Text, value: text(value) })
}

pub(crate) fn variable() -> Slot {
    Slot::Literal(Literal::Variable { name: "v".into(), id: "v".into() })
}

pub(crate) fn project(drafts: Vec<Draft>) -> Project {
    let mut targets: Vec<Target> = drafts.into_iter().map(|draft| draft.0).collect();
    let mut first = 0;
    for target in &mut targets {
        target.first_block = first;
        first += target.blocks.len() as u32;
    }
    Project {
        targets,
        monitors: Vec::new(),
        extensions: Vec::new(),
        assets: Arc::new([]),
        warnings: Vec::new(),
    }
}
