//! Conversion of scripts from nested arrays to linked blocks.

use std::sync::Arc;

use super::signature::parameters;
use super::vocabulary::{ArgumentTarget, look_up};
use super::{NameKind, NameTable};
use crate::json::Json;
use crate::names::Interner;
use crate::{Block, Field, Input, Literal, Mutation, Opcode, Slot, Value, Warning};

pub(super) struct ScriptConverter<'a> {
    pub(super) target: usize,
    pub(super) name: &'a Arc<str>,
    pub(super) interner: &'a mut Interner,
    pub(super) names: &'a mut NameTable,
    pub(super) warnings: &'a mut Vec<Warning>,
    pub(super) blocks: Vec<Block>,
}

impl ScriptConverter<'_> {
    /// Adds a script of the form `[x, y, [block, ...]]`.
    pub(super) fn add(&mut self, script: &Json) {
        let Some([_, _, Json::Array(stack), ..]) = script.array() else { return };
        if let [single] = &stack[..]
            && matches!(opcode(single), Some("readVariable" | "contentsOfList:"))
        {
            return;
        }
        if let Some(head) = self.stack(stack, None, false) {
            self.blocks[head as usize].top_level = true;
        }
    }

    /// Returns the first block. Unknown blocks are skipped.
    fn stack(&mut self, stack: &[Json], parent: Option<u32>, boolean: bool) -> Option<u32> {
        let (mut head, mut above) = (None, parent);
        for json in stack {
            let Some(block) = self.block(json, above, boolean) else { continue };
            if head.is_none() {
                head = Some(block);
            } else if let Some(above) = above {
                self.blocks[above as usize].next = Some(block);
            }
            above = Some(block);
        }
        head
    }

    fn block(&mut self, json: &Json, parent: Option<u32>, boolean: bool) -> Option<u32> {
        let (old, arguments) = (opcode(json)?, &json.array()?[1..]);
        let Some(entry) = look_up(old, arguments.first().and_then(Json::text)) else {
            self.warnings.push(Warning::UnknownBlock {
                target: self.name.clone(),
                block: format!("after {} blocks", self.blocks.len()).into(),
                opcode: old.into(),
            });
            return None;
        };
        let block = self.push(entry.opcode, parent);
        match old {
            "call" => self.call(block, arguments),
            "procDef" => self.definition(block, arguments),
            _ => {
                for (number, target) in entry.targets.iter().enumerate() {
                    self.argument(block, *target, arguments.get(number).unwrap_or(&Json::Null));
                }
            }
        }
        let implied = match old {
            "comeToFront" => Some(("FRONT_BACK", "front")),
            "goBackByLayers:" => Some(("FORWARD_BACKWARD", "backward")),
            "costumeIndex" | "backgroundIndex" => Some(("NUMBER_NAME", "number")),
            "costumeName" | "sceneName" => Some(("NUMBER_NAME", "name")),
            _ => None,
        };
        if let Some((field, value)) = implied {
            let value = Value::Text(self.interner.intern(value));
            self.field(block, field, value, None);
        }
        // A parameter is Boolean if its shape or its position is Boolean.
        let shape = arguments.get(1).and_then(Json::text);
        if old == "getParam" && (boolean || shape == Some("b")) {
            self.blocks[block as usize].opcode = Opcode::ArgumentReporterBoolean;
        }
        Some(block)
    }

    fn argument(&mut self, block: u32, target: ArgumentTarget, argument: &Json) {
        match target {
            ArgumentTarget::Dropped => {}
            ArgumentTarget::Field(name) => self.chosen(block, name, argument),
            ArgumentTarget::Boolean(name) => {
                let slot = self.plugged(block, argument, true).unwrap_or(Slot::Empty);
                self.input(block, name, slot, Slot::Empty);
            }
            ArgumentTarget::Branch(name) => {
                let slot = self.plugged(block, argument, false).unwrap_or(Slot::Empty);
                self.input(block, name, slot, Slot::Empty);
            }
            ArgumentTarget::Literal(opcode, name) => self.literal(block, opcode, name, argument),
            ArgumentTarget::Menu(opcode, name, default) => {
                let cover = self.plugged(block, argument, false);
                let value = match (&cover, literal_value(argument)) {
                    (None, Some(Value::Text(t)))
                        if opcode == Opcode::SensingOfObjectMenu && &*t == "Stage" =>
                    {
                        Value::Text("_stage_".into())
                    }
                    (None, Some(value)) => value,
                    _ => match default.parse() {
                        Ok(number) => Value::Number(number),
                        Err(_) => Value::Text(self.interner.intern(default)),
                    },
                };
                let shadow = self.push(opcode, Some(block));
                self.blocks[shadow as usize].shadow = true;
                self.field(shadow, name, value, None);
                self.input(block, name, cover.unwrap_or(Slot::Block(shadow)), Slot::Block(shadow));
            }
            ArgumentTarget::Message(name) => {
                let cover = self.plugged(block, argument, false);
                let spelled = if cover.is_some() { String::new() } else { text_of(argument) };
                let id = self.interner.intern(&self.names.message(&spelled));
                let message = self.interner.intern(&spelled);
                let shadow = Slot::Literal(Literal::Broadcast { name: message, id });
                self.input(block, name, cover.unwrap_or_else(|| shadow.clone()), shadow);
            }
        }
    }

    fn literal(&mut self, block: u32, opcode: Opcode, name: &str, argument: &Json) {
        let cover = self.plugged(block, argument, false);
        let value = match (&cover, opcode) {
            (None, Opcode::ColourPicker) => colour(argument),
            (None, _) => literal_value(argument),
            _ => None,
        };
        let value = value.unwrap_or_else(|| match opcode {
            Opcode::Text => Value::Text("".into()),
            Opcode::ColourPicker => Value::Text("#990000".into()),
            _ => Value::Number(10.0),
        });
        let shadow = Slot::Literal(Literal::Value { opcode, value });
        self.input(block, name, cover.unwrap_or_else(|| shadow.clone()), shadow);
    }

    fn plugged(&mut self, parent: u32, argument: &Json, boolean: bool) -> Option<Slot> {
        let items = argument.array()?;
        if let Some(Json::Array(_)) = items.first() {
            return self.stack(items, Some(parent), boolean).map(Slot::Block);
        }
        let named = items.get(1).map(text_of).unwrap_or_default();
        match opcode(argument)? {
            "readVariable" => {
                let id = self.names.id(self.target, &named, NameKind::Scalar);
                let (name, id) = (self.interner.intern(&named), self.interner.intern(&id));
                Some(Slot::Literal(Literal::Variable { name, id }))
            }
            "contentsOfList:" => {
                let id = self.names.id(self.target, &named, NameKind::List);
                let (name, id) = (self.interner.intern(&named), self.interner.intern(&id));
                Some(Slot::Literal(Literal::List { name, id }))
            }
            _ => self.block(argument, Some(parent), boolean).map(Slot::Block),
        }
    }

    fn chosen(&mut self, block: u32, name: &str, argument: &Json) {
        let value = literal_value(argument).unwrap_or(Value::Text("".into()));
        let (value, id) = match name {
            "VARIABLE" => {
                (value, Some(self.names.id(self.target, &text_of(argument), NameKind::Scalar)))
            }
            "LIST" => (value, Some(self.names.id(self.target, &text_of(argument), NameKind::List))),
            "BROADCAST_OPTION" => {
                let name = text_of(argument);
                let id = self.names.message(&name);
                (Value::Text(self.interner.intern(&name)), Some(id))
            }
            "CURRENTMENU" => {
                let menu = match &*text_of(argument) {
                    "day of week" => "DAYOFWEEK".to_owned(),
                    other => other.to_uppercase(),
                };
                (Value::Text(menu.into()), None)
            }
            _ => (value, None),
        };
        self.field(block, name, value, id);
    }

    fn call(&mut self, block: u32, arguments: &[Json]) {
        let Some(signature) = arguments.first().and_then(Json::text) else {
            self.blocks[block as usize].mutation = Some(Mutation::Invalid("no signature".into()));
            return;
        };
        let proccode = self.interner.intern(signature);
        self.blocks[block as usize].mutation = Some(Mutation::Call { proccode });
        for (number, kind) in parameters(signature).into_iter().enumerate() {
            let name = format!("input{number}");
            let argument = arguments.get(number + 1).unwrap_or(&Json::Null);
            match kind {
                'n' => self.literal(block, Opcode::MathNumber, &name, argument),
                's' => self.literal(block, Opcode::Text, &name, argument),
                _ => {
                    let slot = self.plugged(block, argument, kind == 'b').unwrap_or(Slot::Empty);
                    self.input(block, &name, slot, Slot::Empty);
                }
            }
        }
    }

    fn definition(&mut self, block: u32, arguments: &[Json]) {
        let prototype = self.push(Opcode::ProceduresPrototype, Some(block));
        let texts =
            |json: &Json| json.array().map(|items| items.iter().map(text_of).collect::<Vec<_>>());
        let mutation = match arguments {
            [Json::Text(signature), names, Json::Array(defaults), rest @ ..] => {
                texts(names).map(|names| {
                    let ids = 0..parameters(signature).len();
                    Mutation::Prototype {
                        proccode: self.interner.intern(signature),
                        ids: ids.map(|n| self.interner.intern(&format!("input{n}"))).collect(),
                        names: names.iter().map(|name| self.interner.intern(name)).collect(),
                        defaults: defaults.iter().filter_map(Json::scalar).collect(),
                        warp: matches!(rest.first(), Some(Json::Bool(true))),
                    }
                })
            }
            _ => None,
        };
        let mutation =
            mutation.unwrap_or(Mutation::Invalid("no signature with names and defaults".into()));
        let shape = &mut self.blocks[prototype as usize];
        (shape.shadow, shape.mutation) = (true, Some(mutation));
        self.input(block, "custom_block", Slot::Block(prototype), Slot::Block(prototype));
    }

    fn push(&mut self, opcode: Opcode, parent: Option<u32>) -> u32 {
        let number = self.blocks.len() as u32;
        self.blocks.push(Block {
            // Scratch 2 has no ids. The letter ensures that the id is not an array index.
            id: format!("b{number}").into(),
            opcode,
            unknown: None,
            next: None,
            parent,
            inputs: Vec::new(),
            fields: Vec::new(),
            shadow: false,
            top_level: false,
            mutation: None,
        });
        number
    }

    fn input(&mut self, owner: u32, name: &str, block: Slot, shadow: Slot) {
        let name = self.interner.intern(name);
        self.blocks[owner as usize].inputs.push(Input { name, block, shadow });
    }

    fn field(&mut self, owner: u32, name: &str, value: Value, id: Option<String>) {
        let name = self.interner.intern(name);
        let id = id.map(|id| self.interner.intern(&id));
        self.blocks[owner as usize].fields.push(Field { name, value, id });
    }
}

fn opcode<'j>(block: &'j Json) -> Option<&'j str> {
    block.array()?.first()?.text()
}

/// An absent argument is the empty string.
fn literal_value(argument: &Json) -> Option<Value> {
    if matches!(argument, Json::Null) { Some(Value::Text("".into())) } else { argument.scalar() }
}

/// Names of variables and messages may be numbers in the file.
pub(super) fn text_of(json: &Json) -> String {
    match json {
        Json::Text(text) => text.to_string(),
        Json::Number(number) => number.to_string(),
        Json::Bool(flag) => flag.to_string(),
        _ => String::new(),
    }
}

/// Scratch 2 writes colours as signed 32-bit numbers with alpha first.
fn colour(json: &Json) -> Option<Value> {
    let number = json.number()? as i64;
    let rgb = if number < 0 { number + 0x100_0000 } else { number };
    Some(Value::Text(format!("#{rgb:06x}").into()))
}
