//! Scratch 3: from `project.json` to the model.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use crate::json::{self, Json, in_javascript_order};
use crate::names::{Interner, UniqueNames, safe_id};
use crate::source::Source;
use crate::{
    Block, Cause, Costume, Field, Input, Limits, List, Literal, Monitor, Mutation, Opcode, Place,
    Project, RotationStyle, Slot, Sound, Target, Value, Variable, Warning,
};

/// Reads a version 3 project.
pub(crate) fn read(json: &Json, source: Source, limits: &Limits) -> Result<Project, Cause> {
    if let Some(version) = json.get("meta").and_then(|meta| meta.get("semver")) {
        match version.text() {
            Some(v) if v.starts_with("3.") => {}
            other => return Err(Cause::Version(other.unwrap_or("not a text").to_owned())),
        }
    }
    let mut reader = Reader {
        source,
        limits,
        interner: Interner::default(),
        warnings: Vec::new(),
        place: Place::Project,
        blocks: 0,
        media: 0,
    };
    let targets = reader.targets(json)?;
    let monitors = reader.monitors(json)?;
    let extensions = match json.get("extensions") {
        Some(Json::Array(ids)) => {
            ids.iter().filter_map(Json::text).map(|id| reader.interner.intern(id)).collect()
        }
        _ => Vec::new(),
    };
    let assets = reader.source.into_assets();
    Ok(Project { targets, monitors, extensions, assets, warnings: reader.warnings })
}

struct Reader<'a> {
    source: Source<'a>,
    limits: &'a Limits,
    interner: Interner,
    warnings: Vec<Warning>,
    /// Where the reader is, for errors.
    place: Place,
    blocks: usize,
    media: usize,
}

/// What shares one map of ids in Scratch.
enum Named {
    Variable { name: Arc<str>, value: Value, cloud: bool },
    List { name: Arc<str>, items: Vec<Value> },
    Broadcast(Arc<str>),
}

impl Reader<'_> {
    fn fault(&self, fault: impl Into<String>) -> Cause {
        self.place.fault(fault)
    }

    fn targets(&mut self, json: &Json) -> Result<Vec<Target>, Cause> {
        let objects = json
            .get("targets")
            .and_then(Json::array)
            .ok_or_else(|| self.fault("`targets` is not an array"))?;
        if objects.len() > self.limits.targets {
            return Err(Cause::limit("targets", self.limits.targets as u64));
        }
        let mut names = UniqueNames::default();
        let mut targets: Vec<Target> = Vec::with_capacity(objects.len());
        for (position, object) in objects.iter().enumerate() {
            if !matches!(object, Json::Object(_)) {
                return Err(self.fault(format!("`targets[{position}]` is not an object")));
            }
            let Some(name) = object.get("name") else { continue };
            let name = name.text().ok_or_else(|| {
                self.fault(format!("the name of `targets[{position}]` is no text"))
            })?;
            self.place = Place::Target(name.to_owned());
            let first_block = self.blocks as u32;
            let mut target = self.target(object, name, first_block)?;
            if target.is_stage {
                if targets.iter().any(|t| t.is_stage) {
                    return Err(self.fault("is a second stage"));
                }
            } else {
                target.name = names.unique_sprite(target.name);
            }
            crate::links::check(&target, self.limits)?;
            targets.push(target);
            self.place = Place::Project;
        }
        if !targets.iter().any(|t| t.is_stage) {
            return Err(self.fault("there is no stage"));
        }
        Ok(targets)
    }

    fn target(&mut self, object: &Json, name: &str, first_block: u32) -> Result<Target, Cause> {
        let name = self.interner.intern(name);
        let is_stage = self.flag(object, "isStage", false)?;
        let (variables, lists, broadcasts) = self.named(object)?;
        let blocks = self.blocks(object, &name)?;
        let costumes = self.costumes(object, &name)?;
        let sounds = self.sounds(object, &name)?;
        let last = costumes.len().saturating_sub(1) as f64;
        let current_costume = self.number(object, "currentCostume", 0.0)?.max(0.0).min(last);
        let sprite = |value: f64| if is_stage { 0.0 } else { value };
        Ok(Target {
            is_stage,
            variables,
            lists,
            broadcasts,
            blocks,
            first_block,
            current_costume,
            costumes,
            sounds,
            volume: self.number(object, "volume", 100.0)?,
            layer_order: self.number(object, "layerOrder", 0.0)?,
            tempo: self.number(object, "tempo", 60.0)?,
            x: sprite(self.number(object, "x", 0.0)?),
            y: sprite(self.number(object, "y", 0.0)?),
            size: sprite(self.number(object, "size", 100.0)?),
            direction: sprite(self.number(object, "direction", 90.0)?),
            visible: !is_stage && self.flag(object, "visible", true)?,
            draggable: !is_stage && self.flag(object, "draggable", false)?,
            rotation_style: match object.get("rotationStyle").and_then(Json::text) {
                Some("left-right") if !is_stage => RotationStyle::LeftRight,
                Some("don't rotate") if !is_stage => RotationStyle::DontRotate,
                _ => RotationStyle::AllAround,
            },
            name,
        })
    }

    // Scalars of an object. Null counts as absent: JSON writes it for what is not a number.

    fn number(&self, object: &Json, key: &str, absent: f64) -> Result<f64, Cause> {
        match object.get(key) {
            None | Some(Json::Null) => Ok(absent),
            Some(Json::Number(number)) => Ok(*number),
            Some(_) => Err(self.fault(format!("`{key}` is not a number"))),
        }
    }

    fn flag(&self, object: &Json, key: &str, absent: bool) -> Result<bool, Cause> {
        match object.get(key) {
            None | Some(Json::Null) => Ok(absent),
            Some(Json::Bool(flag)) => Ok(*flag),
            Some(_) => Err(self.fault(format!("`{key}` is neither true nor false"))),
        }
    }

    /// A text or null; anything else is a fault.
    fn text<'j>(&self, object: &'j Json, key: &str) -> Result<Option<&'j str>, Cause> {
        match object.get(key) {
            None | Some(Json::Null) => Ok(None),
            Some(Json::Text(text)) => Ok(Some(text)),
            Some(_) => Err(self.fault(format!("`{key}` is not a text"))),
        }
    }

    fn members<'j, 'a>(
        &self,
        object: &'j Json<'a>,
        key: &str,
    ) -> Result<&'j [(Cow<'a, str>, Json<'a>)], Cause> {
        match object.get(key) {
            None | Some(Json::Null) => Ok(&[]),
            Some(Json::Object(members)) => Ok(members),
            Some(_) => Err(self.fault(format!("`{key}` is not an object"))),
        }
    }

    fn items<'j, 'a>(&self, object: &'j Json<'a>, key: &str) -> Result<&'j [Json<'a>], Cause> {
        match object.get(key) {
            None | Some(Json::Null) => Ok(&[]),
            Some(Json::Array(items)) => Ok(items),
            Some(_) => Err(self.fault(format!("`{key}` is not an array"))),
        }
    }

    /// A scalar whose text is kept once.
    fn scalar(&mut self, json: &Json) -> Option<Value> {
        match json {
            Json::Text(text) => Some(Value::Text(self.interner.intern(text))),
            other => other.scalar(),
        }
    }

    #[allow(clippy::type_complexity)] // Three lists, taken apart at once.
    fn named(
        &mut self,
        object: &Json,
    ) -> Result<(Vec<Variable>, Vec<List>, Vec<(Arc<str>, Arc<str>)>), Cause> {
        let mut all = Vec::new();
        for (id, entry) in self.members(object, "variables")? {
            let [Json::Text(name), value, rest @ ..] = entry.array().unwrap_or_default() else {
                return Err(self.fault(format!("variable {id:?} is not a pair of name and value")));
            };
            let cloud = matches!(rest, [Json::Bool(true), ..]);
            let value = self
                .scalar(value)
                .ok_or_else(|| self.fault(format!("variable {id:?} holds more than a scalar")))?;
            let name = self.interner.intern(name);
            all.push((Cow::Borrowed(&**id), Named::Variable { name, value, cloud }));
        }
        for (id, entry) in self.members(object, "lists")? {
            let [Json::Text(name), Json::Array(items), ..] = entry.array().unwrap_or_default()
            else {
                return Err(self.fault(format!("list {id:?} is not a pair of name and items")));
            };
            let items: Option<_> = items.iter().map(Json::scalar).collect();
            let items =
                items.ok_or_else(|| self.fault(format!("list {id:?} holds more than scalars")))?;
            let name = self.interner.intern(name);
            all.push((Cow::Borrowed(&**id), Named::List { name, items }));
        }
        for (id, name) in self.members(object, "broadcasts")? {
            let name =
                name.text().ok_or_else(|| self.fault(format!("message {id:?} has no name")))?;
            all.push((Cow::Borrowed(&**id), Named::Broadcast(self.interner.intern(name))));
        }
        // One map holds all three kinds; entries with unsafe ids leave it and come back last.
        let (safe, mut renamed): (Vec<_>, Vec<_>) =
            in_javascript_order(all).into_iter().partition(|(id, _)| safe_id(id) == **id);
        for (id, _) in &mut renamed {
            *id = Cow::Owned(safe_id(id));
        }
        let (mut variables, mut lists, mut broadcasts) = (Vec::new(), Vec::new(), Vec::new());
        for (id, entry) in in_javascript_order(safe.into_iter().chain(renamed).collect()) {
            let id = self.interner.intern(&id);
            match entry {
                Named::Variable { name, value, cloud } => {
                    variables.push(Variable { id, name, value, cloud })
                }
                Named::List { name, items } => lists.push(List { id, name, items }),
                Named::Broadcast(name) => broadcasts.push((id, name)),
            }
        }
        Ok((variables, lists, broadcasts))
    }

    fn blocks(&mut self, target: &Json, name: &Arc<str>) -> Result<Vec<Block>, Cause> {
        // Arrays are loose variable and list reporters: nothing ever runs them.
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
                &mut self.place,
                Place::Block { target: name.to_string(), block: id.to_string() },
            );
            blocks.push(self.block(id, object, &indices, name)?);
            self.place = of_target;
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
            let parts = field.array().unwrap_or_default();
            let value = parts.first().and_then(|value| self.scalar(value));
            let value = value
                .ok_or_else(|| self.fault(format!("field {name:?} is not an array of scalars")))?;
            let id = match parts.get(1).and_then(Json::text) {
                Some(id) if matches!(&**name, "VARIABLE" | "LIST" | "BROADCAST_OPTION") => {
                    Some(self.interner.intern(&safe_id(id)))
                }
                Some(id) => Some(self.interner.intern(id)),
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
            _ => return Err(self.fault(format!("input {input:?} holds neither id nor array"))),
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
                let [_, Json::Text(name), Json::Text(id), ..] = &parts[..] else {
                    return Err(self.fault(format!("input {input:?} lacks a name and an id")));
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
        let value = parts.get(1).and_then(|value| self.scalar(value));
        let value =
            value.ok_or_else(|| self.fault(format!("input {input:?} holds no scalar value")))?;
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

    /// An array that a mutation holds as JSON in a string.
    fn json_string<T>(
        &self,
        mutation: &Json,
        key: &str,
        convert: impl Fn(&[Json]) -> Option<Vec<T>>,
    ) -> Result<Vec<T>, String> {
        let text = mutation.get(key).and_then(Json::text).ok_or(format!("`{key}` is no text"))?;
        let json = json::parse(text, self.limits).map_err(|_| format!("`{key}` is not JSON"))?;
        json.array().and_then(convert).ok_or(format!("`{key}` is not an array of scalars"))
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

    fn costumes(&mut self, target: &Json, owner: &Arc<str>) -> Result<Vec<Costume>, Cause> {
        let items = self.items(target, "costumes")?;
        self.count_media(items.len())?;
        let mut names = UniqueNames::default();
        let mut costumes = Vec::with_capacity(items.len());
        for item in items {
            let name = self.interner.intern(self.text(item, "name")?.unwrap_or(""));
            let name = names.unique(name);
            let file = self.file_name(item, "png")?;
            let shown = self.text(item, "md5ext")?.unwrap_or(&file);
            let vector = extension(shown).eq_ignore_ascii_case("svg");
            let asset = self.source.asset(&file, (owner, &name), &mut self.warnings)?;
            let coordinate = |key| item.get(key).and_then(Json::number);
            costumes.push(Costume {
                asset,
                vector,
                bitmap_resolution: coordinate("bitmapResolution"),
                rotation_center: coordinate("rotationCenterX").zip(coordinate("rotationCenterY")),
                name,
            });
        }
        Ok(costumes)
    }

    fn sounds(&mut self, target: &Json, owner: &Arc<str>) -> Result<Vec<Sound>, Cause> {
        let items = self.items(target, "sounds")?;
        self.count_media(items.len())?;
        let mut sounds = Vec::with_capacity(items.len());
        for item in items {
            let name = self.interner.intern(self.text(item, "name")?.unwrap_or(""));
            let file = self.file_name(item, "wav")?;
            let asset = self.source.asset(&file, (owner, &name), &mut self.warnings)?;
            sounds.push(Sound {
                name,
                asset,
                rate: self.number(item, "rate", 0.0)?,
                sample_count: self.number(item, "sampleCount", 0.0)?,
            });
        }
        Ok(sounds)
    }

    fn count_media(&mut self, more: usize) -> Result<(), Cause> {
        self.media += more;
        if self.media > self.limits.media {
            return Err(Cause::limit("costumes and sounds", self.limits.media as u64));
        }
        Ok(())
    }

    /// The file of a costume or sound: `assetId.dataFormat`, else what `md5ext` says.
    fn file_name(&mut self, item: &Json, absent: &str) -> Result<Arc<str>, Cause> {
        if !matches!(item, Json::Object(_)) {
            return Err(self.fault("a costume or sound is not an object"));
        }
        let format = self.text(item, "dataFormat")?.unwrap_or(absent);
        Ok(match (self.text(item, "assetId")?, self.text(item, "md5ext")?) {
            (Some(id), _) => self.interner.intern(&format!("{id}.{format}")),
            (None, Some(file)) => self.interner.intern(file),
            (None, None) => return Err(self.fault("a costume or sound names no file")),
        })
    }

    fn monitors(&mut self, json: &Json) -> Result<Vec<Monitor>, Cause> {
        let mut monitors = Vec::new();
        for item in self.items(json, "monitors")? {
            let (Some(id), Some(opcode)) = (self.text(item, "id")?, self.text(item, "opcode")?)
            else {
                continue;
            };
            let params = self.members(item, "params")?;
            let params = params
                .iter()
                .filter_map(|(name, value)| {
                    Some((self.interner.intern(name), self.interner.intern(value.text()?)))
                })
                .collect();
            let sprite = self.text(item, "spriteName")?.filter(|name| !name.is_empty());
            monitors.push(Monitor {
                id: self.interner.intern(&safe_id(id)),
                opcode: Opcode::from_name(opcode),
                sprite: sprite.map(|name| self.interner.intern(name)),
                params,
                visible: self.flag(item, "visible", true)?,
            });
        }
        Ok(monitors)
    }
}

fn extension(file: &str) -> &str {
    file.rsplit_once('.').map_or("", |(_, extension)| extension)
}
