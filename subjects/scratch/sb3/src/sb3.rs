//! Reader of Scratch 3 projects.

mod blocks;

use std::borrow::Cow;
use std::sync::Arc;

use crate::json::{Json, in_javascript_order};
use crate::names::{Interner, UniqueNames, safe_id};
use crate::source::FileSource;
use crate::{
    Cause, Costume, Limits, List, Monitor, Opcode, Project, ProjectLocation, RotationStyle, Sound,
    Target, Value, Variable, Warning,
};

pub(crate) fn read(json: &Json, source: FileSource, limits: &Limits) -> Result<Project, Cause> {
    if let Some(version) = json.get("meta").and_then(|meta| meta.get("semver")) {
        match version.text() {
            Some(v) if v.starts_with("3.") => {}
            other => {
                return Err(Cause::Version(other.unwrap_or("`semver` is not a string").to_owned()));
            }
        }
    }
    let mut reader = Reader {
        source,
        limits,
        interner: Interner::default(),
        warnings: Vec::new(),
        location: ProjectLocation::Project,
        blocks: 0,
        media: 0,
    };
    let targets = reader.targets(json)?;
    let monitors = reader.monitors(json);
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
    source: FileSource<'a>,
    limits: &'a Limits,
    interner: Interner,
    warnings: Vec<Warning>,
    location: ProjectLocation,
    blocks: usize,
    media: usize,
}

/// Scratch stores variables, lists and messages in one map.
enum NamedEntry {
    Variable { name: Arc<str>, value: Value, cloud: bool },
    List { name: Arc<str>, items: Vec<Value> },
    Broadcast(Arc<str>),
}

impl Reader<'_> {
    fn fault(&self, fault: impl Into<String>) -> Cause {
        self.location.fault(fault)
    }

    fn repaired(&mut self, what: impl std::fmt::Display) {
        let warning = format!("{}: {what}", self.location);
        self.warnings.push(Warning::Other(warning.into()));
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
                self.fault(format!("the name of `targets[{position}]` is not a string"))
            })?;
            self.location = ProjectLocation::Target(name.to_owned());
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
            self.location = ProjectLocation::Project;
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
        // Scratch checks the members of sprites only in sprites, and the members of the stage only
        // in the stage.
        let of_sprite = |key, absent| match is_stage {
            true => Ok(0.0),
            false => self.number(object, key, absent),
        };
        let tempo = if is_stage { self.number(object, "tempo", 60.0)? } else { 60.0 };
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
            tempo,
            x: of_sprite("x", 0.0)?,
            y: of_sprite("y", 0.0)?,
            size: of_sprite("size", 100.0)?,
            direction: of_sprite("direction", 90.0)?,
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

    // Null is treated as absent, because JSON writers use it for NaN and infinite numbers.

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

    fn text<'j>(&self, object: &'j Json, key: &str) -> Result<Option<&'j str>, Cause> {
        match object.get(key) {
            None | Some(Json::Null) => Ok(None),
            Some(Json::Text(text)) => Ok(Some(text)),
            Some(_) => Err(self.fault(format!("`{key}` is not a string"))),
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

    fn scalar(&mut self, json: &Json) -> Option<Value> {
        match json {
            Json::Text(text) => Some(Value::Text(self.interner.intern(text))),
            other => other.scalar(),
        }
    }

    #[allow(clippy::type_complexity)] // Three lists, which the caller destructures at once.
    fn named(
        &mut self,
        object: &Json,
    ) -> Result<(Vec<Variable>, Vec<List>, Vec<(Arc<str>, Arc<str>)>), Cause> {
        let mut all = Vec::new();
        for (id, entry) in self.members(object, "variables")? {
            let (name, value) = self.name_and_value(entry).ok_or_else(|| {
                self.fault(format!("variable {id:?} is not a pair of name and value"))
            })?;
            let cloud = entry.array().and_then(|parts| parts.get(2)) == Some(&Json::Bool(true));
            let value = match value {
                Some(value) => self.scalar(value),
                None => Some(Value::Text(self.interner.intern("undefined"))),
            };
            let value = value.ok_or_else(|| {
                self.fault(format!("the value of variable {id:?} is not a scalar"))
            })?;
            all.push((Cow::Borrowed(&**id), NamedEntry::Variable { name, value, cloud }));
        }
        for (id, entry) in self.members(object, "lists")? {
            let (name, items) = match self.name_and_value(entry) {
                Some((name, Some(Json::Array(items)))) => (name, &items[..]),
                Some((name, None)) => (name, &[][..]),
                _ => {
                    return Err(self.fault(format!("list {id:?} is not a pair of name and items")));
                }
            };
            let items: Option<_> = items.iter().map(Json::scalar).collect();
            let items = items.ok_or_else(|| {
                self.fault(format!("list {id:?} contains a value that is not a scalar"))
            })?;
            all.push((Cow::Borrowed(&**id), NamedEntry::List { name, items }));
        }
        for (id, name) in self.members(object, "broadcasts")? {
            let name = name
                .text()
                .ok_or_else(|| self.fault(format!("the name of message {id:?} is not a string")))?;
            all.push((Cow::Borrowed(&**id), NamedEntry::Broadcast(self.interner.intern(name))));
        }
        // Variables, lists and messages share one map. Scratch removes entries with unsafe ids and
        // adds them again after the others.
        let (safe, mut renamed): (Vec<_>, Vec<_>) =
            in_javascript_order(all).into_iter().partition(|(id, _)| safe_id(id) == **id);
        for (id, _) in &mut renamed {
            *id = Cow::Owned(safe_id(id));
        }
        let (mut variables, mut lists, mut broadcasts) = (Vec::new(), Vec::new(), Vec::new());
        for (id, entry) in in_javascript_order(safe.into_iter().chain(renamed).collect()) {
            let id = self.interner.intern(&id);
            match entry {
                NamedEntry::Variable { name, value, cloud } => {
                    variables.push(Variable { id, name, value, cloud })
                }
                NamedEntry::List { name, items } => lists.push(List { id, name, items }),
                NamedEntry::Broadcast(name) => broadcasts.push((id, name)),
            }
        }
        Ok((variables, lists, broadcasts))
    }

    /// Scratch treats a missing name or value as undefined.
    fn name_and_value<'j, 'a>(
        &mut self,
        entry: &'j Json<'a>,
    ) -> Option<(Arc<str>, Option<&'j Json<'a>>)> {
        let parts = entry.array()?;
        let name = match parts.first() {
            Some(name) => name.text()?,
            None => "undefined",
        };
        if parts.len() < 2 {
            self.repaired(format!("the variable or list {name:?} has no value"));
        }
        Some((self.interner.intern(name), parts.get(1)))
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

    /// The file name of a costume or sound: `assetId.dataFormat`, or else `md5ext`.
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

    fn monitors(&mut self, json: &Json) -> Vec<Monitor> {
        let mut monitors = Vec::new();
        let items = match json.get("monitors") {
            None | Some(Json::Null) => &[][..],
            Some(Json::Array(items)) => items,
            Some(_) => {
                self.repaired("`monitors` is not an array and is left out");
                &[]
            }
        };
        for (position, item) in items.iter().enumerate() {
            let text = |key| item.get(key).and_then(Json::text);
            let (Some(id), Some(opcode)) = (text("id"), text("opcode")) else {
                self.repaired(format!("`monitors[{position}]` is not a monitor and is left out"));
                continue;
            };
            let params = match item.get("params") {
                Some(Json::Object(params)) => &params[..],
                _ => &[],
            };
            let params = params
                .iter()
                .filter_map(|(name, value)| {
                    Some((self.interner.intern(name), self.interner.intern(value.text()?)))
                })
                .collect();
            let sprite = text("spriteName").filter(|name| !name.is_empty());
            let hidden = [None, Some(&Json::Null), Some(&Json::Bool(false))];
            let visible = !hidden.contains(&item.get("visible"));
            monitors.push(Monitor {
                id: self.interner.intern(&safe_id(id)),
                opcode: Opcode::from_name(opcode),
                sprite: sprite.map(|name| self.interner.intern(name)),
                params,
                visible,
            });
        }
        monitors
    }
}

fn extension(file: &str) -> &str {
    file.rsplit_once('.').map_or("", |(_, extension)| extension)
}
