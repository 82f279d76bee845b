//! Reader of blocks.

use std::collections::HashMap;
use std::sync::Arc;

use super::Reader;
use crate::json::{self, Json};
use crate::names::safe_id;
use crate::{
    Block, Cause, Field, Input, Literal, Mutation, Opcode, ProjectLocation, Slot, Value, Warning,
};

const UNDEFINED: &str = "undefined";

impl Reader<'_> {
    pub(super) fn blocks(&mut self, target: &Json, name: &Arc<str>) -> Result<Vec<Block>, Cause> {
        // Arrays are loose variable and list reporters, which never run.
        let objects: Vec<_> = self
            .members(target, "blocks")?
            .iter()
            .filter(|(_, block)| !matches!(block, Json::Array(_)))
            .collect();
        self.blocks += objects.len();
        if self.blocks > self.limits.blocks {
            return Err(Cause::limit("blocks", self.limits.blocks as u64));
        }
        let indices: HashMap<&str, u32> =
            objects.iter().zip(0..).map(|((id, _), index)| (&**id, index)).collect();
        let mut blocks = Vec::with_capacity(objects.len());
        for (id, object) in &objects {
            let of_target = std::mem::replace(
                &mut self.location,
                ProjectLocation::Block { target: name.to_string(), block: id.to_string() },
            );
            blocks.push(self.block(id, object, &indices, name)?);
            self.location = of_target;
        }
        Ok(blocks)
    }

    fn block(
        &mut self,
        id: &str,
        object: &Json,
        indices: &HashMap<&str, u32>,
        target: &Arc<str>,
    ) -> Result<Block, Cause> {
        if !matches!(object, Json::Object(_)) {
            return Err(self.fault("is not an object"));
        }
        let spelled = self.text(object, "opcode")?.ok_or_else(|| self.fault("has no opcode"))?;
        let opcode = Opcode::from_name(spelled);
        let id = self.interner.intern(id);
        let unknown = (opcode == Opcode::Unknown).then(|| self.interner.intern(spelled));
        if let Some(opcode) = &unknown {
            self.warnings.push(Warning::UnknownBlock {
                target: target.clone(),
                block: id.clone(),
                opcode: opcode.clone(),
            });
        }
        let link = |id: Option<&str>| id.and_then(|id| indices.get(id).copied());
        let next = link(self.text(object, "next")?);
        let parent = link(self.text(object, "parent")?);
        let mut inputs = Vec::new();
        for (name, input) in self.members(object, "inputs")? {
            let Json::Array(parts) = input else {
                return Err(self.fault(format!("input {name:?} is not an array")));
            };
            let slot = |reader: &mut Self, part: usize| match parts.get(part) {
                Some(part) => reader.slot(part, indices, name),
                None => Ok(Slot::Empty),
            };
            let block = slot(self, 1)?;
            let shadow = match parts.first().and_then(Json::number) {
                Some(1.0) => block.clone(),
                Some(2.0) => Slot::Empty,
                _ => slot(self, 2)?,
            };
            inputs.push(Input { name: self.interner.intern(name), block, shadow });
        }
        let mut fields = Vec::new();
        for (name, field) in self.members(object, "fields")? {
            let Some(parts) = field.array() else {
                self.repaired(format!("field {name:?} is not an array and is left out"));
                continue;
            };
            let value = self.field_value(name, parts.first());
            let id = parts.get(1).filter(|id| **id != Json::Null).map(Json::to_text);
            let id = match id {
                Some(id) if matches!(&**name, "VARIABLE" | "LIST" | "BROADCAST_OPTION") => {
                    Some(self.interner.intern(&safe_id(&id)))
                }
                Some(id) => Some(self.interner.intern(&id)),
                None => None,
            };
            fields.push(Field { name: self.interner.intern(name), value, id });
        }
        let mutation = match (object.get("mutation"), opcode) {
            (Some(m @ Json::Object(_)), Opcode::ProceduresPrototype) => Some(self.prototype(m)),
            (Some(m @ Json::Object(_)), Opcode::ProceduresCall) => Some(self.call(m)),
            _ => None,
        };
        Ok(Block {
            id,
            opcode,
            unknown,
            next,
            parent,
            inputs,
            fields,
            shadow: self.flag(object, "shadow", false)?,
            top_level: self.flag(object, "topLevel", false)?,
            mutation,
        })
    }

    /// Scratch accepts any JSON value.
    fn field_value(&mut self, field: &str, json: Option<&Json>) -> Value {
        let text = match json {
            Some(json) => match self.scalar(json) {
                Some(value) => return value,
                None => json.to_text(),
            },
            None => UNDEFINED.into(),
        };
        self.repaired(format!(
            "the value of field {field:?} is missing or not a scalar; read as {text:?}"
        ));
        Value::Text(self.interner.intern(&text))
    }

    fn slot(
        &mut self,
        json: &Json,
        indices: &HashMap<&str, u32>,
        input: &str,
    ) -> Result<Slot, Cause> {
        let parts = match json {
            Json::Null => return Ok(Slot::Empty),
            Json::Text(id) => {
                return Ok(indices.get(&**id).map_or(Slot::Empty, |&block| Slot::Block(block)));
            }
            Json::Array(parts) => parts,
            _ => return Err(self.fault(format!("input {input:?} is neither an id nor an array"))),
        };
        let opcode = match parts.first().and_then(Json::number) {
            Some(4.0) => Opcode::MathNumber,
            Some(5.0) => Opcode::MathPositiveNumber,
            Some(6.0) => Opcode::MathWholeNumber,
            Some(7.0) => Opcode::MathInteger,
            Some(8.0) => Opcode::MathAngle,
            Some(9.0) => Opcode::ColourPicker,
            Some(10.0) => Opcode::Text,
            Some(code @ (11.0 | 12.0 | 13.0)) => {
                let [name, id] = [1, 2].map(|at| match parts.get(at) {
                    Some(Json::Text(text)) => Some(&**text),
                    None => Some(UNDEFINED),
                    Some(_) => None,
                });
                let Some((name, id)) = name.zip(id) else {
                    return Err(
                        self.fault(format!("input {input:?}: a name or id is not a string"))
                    );
                };
                let name = self.interner.intern(name);
                let id = self.interner.intern(&safe_id(id));
                return Ok(Slot::Literal(match code {
                    11.0 => Literal::Broadcast { name, id },
                    12.0 => Literal::Variable { name, id },
                    _ => Literal::List { name, id },
                }));
            }
            _ => return Ok(Slot::Empty),
        };
        let value = match parts.get(1) {
            Some(value) => self.scalar(value),
            None => Some(Value::Text(self.interner.intern(UNDEFINED))),
        };
        let value =
            value.ok_or_else(|| self.fault(format!("input {input:?} has no scalar value")))?;
        Ok(Slot::Literal(Literal::Value { opcode, value }))
    }

    fn prototype(&mut self, mutation: &Json) -> Mutation {
        let parts = || -> Result<_, String> {
            let proccode = mutation.get("proccode").and_then(Json::text).ok_or("no `proccode`")?;
            Ok((
                proccode,
                self.texts(mutation, "argumentids")?,
                self.texts(mutation, "argumentnames")?,
                self.json_string(mutation, "argumentdefaults", |items| {
                    items.iter().map(Json::scalar).collect()
                })?,
                self.warp(mutation)?,
            ))
        };
        match parts() {
            Ok((proccode, ids, names, defaults, warp)) => {
                let mut intern = |texts: Vec<String>| {
                    texts.iter().map(|text| self.interner.intern(text)).collect()
                };
                let (ids, names) = (intern(ids), intern(names));
                let proccode = self.interner.intern(proccode);
                Mutation::Prototype { proccode, ids, names, defaults, warp }
            }
            Err(reason) => Mutation::Invalid(reason.into()),
        }
    }

    fn call(&mut self, mutation: &Json) -> Mutation {
        match mutation.get("proccode").and_then(Json::text) {
            Some(proccode) => Mutation::Call { proccode: self.interner.intern(proccode) },
            None => Mutation::Invalid("no `proccode`".into()),
        }
    }

    /// An array that a mutation contains as JSON in a string.
    fn json_string<T>(
        &self,
        mutation: &Json,
        key: &str,
        convert: impl Fn(&[Json]) -> Option<Vec<T>>,
    ) -> Result<Vec<T>, String> {
        let text =
            mutation.get(key).and_then(Json::text).ok_or(format!("`{key}` is not a string"))?;
        let json = json::parse(text, self.limits).map_err(|_| format!("`{key}` is not JSON"))?;
        json.array()
            .and_then(convert)
            .ok_or(format!("`{key}` is not an array, or has an item of a wrong type"))
    }

    fn texts(&self, mutation: &Json, key: &str) -> Result<Vec<String>, String> {
        self.json_string(mutation, key, |items| {
            items.iter().map(|item| item.text().map(str::to_owned)).collect()
        })
    }

    fn warp(&self, mutation: &Json) -> Result<bool, String> {
        match mutation.get("warp") {
            None | Some(Json::Null) => Ok(false),
            Some(Json::Bool(warp)) => Ok(*warp),
            Some(Json::Text(text)) => match text.trim() {
                "true" => Ok(true),
                "false" | "null" => Ok(false),
                _ => Err(format!("`warp` is {text:?}")),
            },
            Some(_) => Err("`warp` is neither true nor false".to_owned()),
        }
    }
}
