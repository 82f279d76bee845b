//! Reader of Scratch 2 projects, which converts them to Scratch 3 as Scratch 3 does.

mod scripts;
mod signature;
mod vocabulary;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use scripts::{ScriptConverter, text_of};

use crate::json::Json;
use crate::links;
use crate::names::{Interner, UniqueNames, safe_id};
use crate::source::FileSource;
use crate::{
    Block, Cause, Costume, Limits, List, Literal, Monitor, Opcode, Project, ProjectLocation,
    RotationStyle, Slot, Sound, Target, Value, Variable, Warning,
};

pub(crate) fn read(json: &Json, source: FileSource, limits: &Limits) -> Result<Project, Cause> {
    let children = json.get("children").and_then(Json::array).unwrap_or_default();
    let (sprites, watchers): (Vec<_>, Vec<_>) =
        children.iter().partition(|child: &&Json| child.get("objName").is_some());
    if sprites.len() >= limits.targets {
        return Err(Cause::limit("targets", limits.targets as u64));
    }
    let mut reader = Reader {
        source,
        limits,
        interner: Interner::default(),
        names: NameTable::default(),
        warnings: Vec::new(),
        media: 0,
    };
    let mut targets = Vec::with_capacity(sprites.len() + 1);
    for (layer, object) in std::iter::once(json).chain(sprites).enumerate() {
        targets.push((object, reader.target(object, layer)?));
    }
    let messages = reader.finish_messages(&mut targets);
    targets[0].1.broadcasts = messages;
    // Children are in drawing order, targets in the order of the sprite library.
    let library_index =
        |object: &Json| object.get("indexInLibrary").and_then(Json::number).unwrap_or(0.0);
    targets[1..].sort_by(|(a, _), (b, _)| library_index(a).total_cmp(&library_index(b)));
    let stage_name = json.get("objName").and_then(Json::text).unwrap_or("Stage");
    let mut unique = UniqueNames::default();
    for (_, sprite) in &mut targets[1..] {
        sprite.name = unique.unique_sprite(sprite.name.clone());
    }
    let monitors = reader.monitors(&watchers, stage_name, &targets);

    let mut targets: Vec<Target> = targets.into_iter().map(|(_, target)| target).collect();
    let mut first_block = 0;
    for target in &mut targets {
        target.first_block = first_block as u32;
        first_block += target.blocks.len();
        if first_block > limits.blocks {
            return Err(Cause::limit("blocks", limits.blocks as u64));
        }
        links::check(target, limits)?;
    }
    let extensions = extensions(&targets);
    let assets = reader.source.into_assets();
    Ok(Project { targets, monitors, extensions, assets, warnings: reader.warnings })
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum NameKind {
    Scalar,
    List,
}

/// Scratch 2 refers to variables, lists and messages by name, so ids are made from names.
#[derive(Default)]
struct NameTable {
    /// Names of the variables and lists that the stage has or uses. A sprite that uses such a name
    /// refers to the stage, even if the sprite has a variable or list with the same name.
    global: HashSet<(String, NameKind)>,
    /// Messages in lower case, in order of appearance.
    messages: Vec<String>,
    message_set: HashSet<String>,
}

impl NameTable {
    /// `target` is 0 for the stage.
    fn id(&mut self, target: usize, name: &str, kind: NameKind) -> String {
        let key = (name.to_owned(), kind);
        let owner = if target == 0 {
            self.global.insert(key);
            0
        } else if self.global.contains(&key) {
            0
        } else {
            target
        };
        let suffix = if kind == NameKind::List { "list" } else { "" };
        format!("t{owner}-{}-{suffix}", safe_id(name))
    }

    /// Names that differ only in case denote the same message.
    fn message(&mut self, spelling: &str) -> String {
        let name = spelling.to_lowercase();
        let id = format!("broadcastMsgId-{name}");
        if self.message_set.insert(name.clone()) {
            self.messages.push(name);
        }
        id
    }
}

struct Reader<'a> {
    source: FileSource<'a>,
    limits: &'a Limits,
    interner: Interner,
    names: NameTable,
    warnings: Vec<Warning>,
    media: usize,
}

impl Reader<'_> {
    fn target(&mut self, object: &Json, layer: usize) -> Result<Target, Cause> {
        let is_stage = layer == 0;
        let name = match object.get("objName").and_then(Json::text) {
            Some(_) if is_stage => "Stage",
            Some(name) => name,
            None => {
                return Err(ProjectLocation::Project.fault("an `objName` is not a string"));
            }
        };
        let name = self.interner.intern(name);
        let variables = self.variables(object, layer);
        let lists = self.lists(object, layer);
        let mut scripts = ScriptConverter {
            target: layer,
            name: &name,
            interner: &mut self.interner,
            names: &mut self.names,
            warnings: &mut self.warnings,
            blocks: Vec::new(),
        };
        for script in items(object, "scripts") {
            scripts.add(script);
            if scripts.blocks.len() > self.limits.blocks {
                return Err(Cause::limit("blocks", self.limits.blocks as u64));
            }
        }
        let mut blocks = scripts.blocks;
        if is_stage {
            for block in &mut blocks {
                if block.opcode == Opcode::EventWhenThisSpriteClicked {
                    block.opcode = Opcode::EventWhenStageClicked;
                }
            }
        }
        let costumes = self.costumes(object, &name, is_stage)?;
        let sounds = self.sounds(object, &name)?;
        let number = |key, absent| object.get(key).and_then(Json::number).unwrap_or(absent);
        let last = costumes.len().saturating_sub(1) as f64;
        let sprite = |value: f64| if is_stage { 0.0 } else { value };
        let flag = |key, absent| matches!(object.get(key).unwrap_or(&absent), Json::Bool(true));
        Ok(Target {
            is_stage,
            variables,
            lists,
            broadcasts: Vec::new(),
            blocks,
            first_block: 0,
            current_costume: number("currentCostumeIndex", 0.0).floor().max(0.0).min(last),
            costumes,
            sounds,
            volume: 100.0,
            layer_order: layer as f64,
            tempo: number("tempoBPM", 60.0),
            x: sprite(number("scratchX", 0.0)),
            y: sprite(number("scratchY", 0.0)),
            size: sprite(number("scale", 1.0) * 100.0),
            direction: sprite(number("direction", 90.0)),
            visible: !is_stage && flag("visible", Json::Bool(true)),
            draggable: !is_stage && flag("isDraggable", Json::Bool(false)),
            rotation_style: match object.get("rotationStyle").and_then(Json::text) {
                Some("leftRight") => RotationStyle::LeftRight,
                Some("none") => RotationStyle::DontRotate,
                _ => RotationStyle::AllAround,
            },
            name,
        })
    }

    fn variables(&mut self, object: &Json, layer: usize) -> Vec<Variable> {
        let mut variables = Keyed::default();
        for item in items(object, "variables") {
            let name = item.get("name").map(text_of).unwrap_or_default();
            let id = self.interner.intern(&self.names.id(layer, &name, NameKind::Scalar));
            let value = item.get("value").and_then(Json::scalar).unwrap_or(Value::Number(0.0));
            let cloud = layer == 0 && matches!(item.get("isPersistent"), Some(Json::Bool(true)));
            let name = self.interner.intern(&name);
            variables.set(id.clone(), Variable { id, name, value, cloud });
        }
        variables.values
    }

    fn lists(&mut self, object: &Json, layer: usize) -> Vec<List> {
        let mut lists = Keyed::default();
        for item in items(object, "lists") {
            let name = item.get("listName").map(text_of).unwrap_or_default();
            let id = self.interner.intern(&self.names.id(layer, &name, NameKind::List));
            let contents = items(item, "contents").iter().filter_map(Json::scalar).collect();
            let name = self.interner.intern(&name);
            lists.set(id.clone(), List { id, name, items: contents });
        }
        lists.values
    }

    fn costumes(
        &mut self,
        object: &Json,
        owner: &Arc<str>,
        stage: bool,
    ) -> Result<Vec<Costume>, Cause> {
        let mut names = UniqueNames::default();
        let mut costumes = Vec::new();
        for item in items(object, "costumes") {
            self.count_media()?;
            let name = item.get("costumeName").and_then(Json::text).unwrap_or("");
            let name = names.unique(self.interner.intern(name));
            let (file, extension) = self.file(item, "baseLayerID", "baseLayerMD5", "png");
            let asset = self.source.asset(&file, (owner, &name), &mut self.warnings)?;
            if item.get("textLayerMD5").and_then(Json::text).is_some() {
                let warning =
                    format!("target {owner:?}, costume {name:?}: its text layer is not drawn");
                self.warnings.push(Warning::Other(warning.into()));
            }
            let number = |key| item.get(key).and_then(Json::number);
            let resolution = number("bitmapResolution").filter(|r| *r != 0.0).unwrap_or(1.0);
            let own = number("rotationCenterX").zip(number("rotationCenterY"));
            let middle = (240.0 * resolution, 180.0 * resolution);
            costumes.push(Costume {
                name,
                asset,
                vector: extension.eq_ignore_ascii_case("svg"),
                bitmap_resolution: Some(resolution),
                rotation_center: if stage { Some(middle) } else { own },
            });
        }
        Ok(costumes)
    }

    fn sounds(&mut self, object: &Json, owner: &Arc<str>) -> Result<Vec<Sound>, Cause> {
        let mut sounds = Vec::new();
        for item in items(object, "sounds") {
            self.count_media()?;
            let name = item.get("soundName").and_then(Json::text).unwrap_or("");
            let name = self.interner.intern(name);
            let (file, _) = self.file(item, "soundID", "md5", "wav");
            let asset = self.source.asset(&file, (owner, &name), &mut self.warnings)?;
            let number = |key| item.get(key).and_then(Json::number).unwrap_or(0.0);
            let (rate, sample_count) = (number("rate"), number("sampleCount"));
            sounds.push(Sound { name, asset, rate, sample_count });
        }
        Ok(sounds)
    }

    fn count_media(&mut self) -> Result<(), Cause> {
        self.media += 1;
        if self.media > self.limits.media {
            return Err(Cause::limit("costumes and sounds", self.limits.media as u64));
        }
        Ok(())
    }

    fn file(&mut self, item: &Json, id: &str, md5: &str, absent: &str) -> (Arc<str>, String) {
        let md5 = item.get(md5).and_then(Json::text).unwrap_or("");
        let extension = md5.split_once('.').map_or("", |(_, e)| e);
        let extension = if extension.is_empty() { absent } else { extension };
        let id = item.get(id).map(text_of).unwrap_or_default();
        (self.interner.intern(&format!("{id}.{extension}")), extension.to_owned())
    }

    /// Returns the messages. A message with an empty name is renamed in all targets.
    fn finish_messages(&mut self, targets: &mut [(&Json, Target)]) -> Vec<(Arc<str>, Arc<str>)> {
        let names = &mut self.names;
        if names.message_set.contains("") {
            let free =
                (1..).map(|n| format!("message{n}")).find(|m| !names.message_set.contains(m));
            let free: Arc<str> = free.expect("the set is finite").into();
            for (_, target) in targets {
                target.blocks.iter_mut().for_each(|block| name_empty_message(block, &free));
            }
            names.messages.retain(|name| !name.is_empty());
            let mut messages = self.messages();
            messages.push((self.interner.intern("broadcastMsgId-"), free));
            return messages;
        }
        self.messages()
    }

    fn messages(&mut self) -> Vec<(Arc<str>, Arc<str>)> {
        let (names, interner) = (&self.names, &mut self.interner);
        names
            .messages
            .iter()
            .map(|name| (interner.intern(&format!("broadcastMsgId-{name}")), interner.intern(name)))
            .collect()
    }

    fn monitors(
        &mut self,
        watchers: &[&Json],
        stage_name: &str,
        targets: &[(&Json, Target)],
    ) -> Vec<Monitor> {
        let mut monitors = Vec::new();
        for watcher in watchers {
            let list = watcher.get("listName").and_then(Json::text);
            let command = if list.is_some() { "contentsOfList:" } else { text(watcher, "cmd") };
            let Some(entry) = vocabulary::look_up(command, None) else { continue };
            let param = list.unwrap_or_else(|| text(watcher, "param"));
            // If a watcher does not name its owner, as some watchers of lists do not, use the last
            // target with a list of this name.
            let owner = match watcher.get("target").and_then(Json::text) {
                Some(name) if name == stage_name => 0,
                Some(name) => targets.iter().position(|(_, t)| *t.name == *name).unwrap_or(0),
                None => targets
                    .iter()
                    .rposition(|(_, t)| t.lists.iter().any(|l| *l.name == *param))
                    .unwrap_or(0),
            };
            let target = &targets[owner].1;
            let named =
                |kind, reader: &mut Self| reader.names.id(target.layer_order as usize, param, kind);
            let (id, key) = match entry.opcode {
                Opcode::DataVariable => (named(NameKind::Scalar, self), Some("VARIABLE")),
                Opcode::DataListContents => (named(NameKind::List, self), Some("LIST")),
                opcode => (
                    format!("t{}_{}", target.layer_order, opcode.name()),
                    match command {
                        "timeAndDate" => Some("CURRENTMENU"),
                        "costumeIndex" | "backgroundIndex" | "sceneName" => Some("NUMBER_NAME"),
                        _ => None,
                    },
                ),
            };
            let value = match command {
                "timeAndDate" if param == "day of week" => "DAYOFWEEK".to_owned(),
                "timeAndDate" => param.to_uppercase(),
                "costumeIndex" | "backgroundIndex" => "number".to_owned(),
                "sceneName" => "name".to_owned(),
                _ => param.to_owned(),
            };
            monitors.push(Monitor {
                id: self.interner.intern(&id),
                opcode: entry.opcode,
                sprite: (!target.is_stage).then(|| target.name.clone()),
                params: key
                    .map(|key| (self.interner.intern(key), self.interner.intern(&value)))
                    .into_iter()
                    .collect(),
                visible: matches!(watcher.get("visible"), Some(Json::Bool(true))),
            });
        }
        monitors
    }
}

fn name_empty_message(block: &mut Block, name: &Arc<str>) {
    let slots = block.inputs.iter_mut().flat_map(|input| [&mut input.block, &mut input.shadow]);
    for slot in slots {
        if let Slot::Literal(Literal::Broadcast { name: empty, .. }) = slot
            && empty.is_empty()
        {
            *empty = name.clone();
        }
    }
    for field in block.fields.iter_mut().filter(|field| &*field.name == "BROADCAST_OPTION") {
        if field.text().is_empty() {
            field.value = Value::Text(name.clone());
        }
    }
}

struct Keyed<T> {
    positions: HashMap<Arc<str>, usize>,
    values: Vec<T>,
}

impl<T> Default for Keyed<T> {
    fn default() -> Keyed<T> {
        Keyed { positions: HashMap::new(), values: Vec::new() }
    }
}

impl<T> Keyed<T> {
    fn set(&mut self, id: Arc<str>, value: T) {
        let position = *self.positions.entry(id).or_insert(self.values.len());
        match self.values.get_mut(position) {
            Some(old) => *old = value,
            None => self.values.push(value),
        }
    }
}

fn extensions(targets: &[Target]) -> Vec<Arc<str>> {
    const EXTENSIONS: [&str; 3] = ["pen", "music", "videoSensing"];
    let mut used: Vec<Arc<str>> = Vec::new();
    for block in targets.iter().flat_map(|target| &target.blocks) {
        let family = block.opcode.name().split('_').next().unwrap_or("");
        if EXTENSIONS.contains(&family) && !used.iter().any(|known| **known == *family) {
            used.push(family.into());
        }
    }
    used
}

fn items<'j, 'a>(object: &'j Json<'a>, key: &str) -> &'j [Json<'a>] {
    object.get(key).and_then(Json::array).unwrap_or_default()
}

fn text<'j>(object: &'j Json, key: &str) -> &'j str {
    object.get(key).and_then(Json::text).unwrap_or("")
}
