//! Changes that today's Scratch makes to a project when loading it, and blocks whose operations
//! differ.

use std::sync::Arc;

use catherd_scratch_sb3::{self as sb3, Field, List, Literal, Opcode, Project, Slot, Variable};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::code::Op;
use crate::compile::commands::Constructor;
use crate::value::wrap;

/// Length in seconds of the sound that replaces a sound that cannot be loaded: one sample.
const DEFAULT_SOUND: f64 = 1.0 / 22_050.0;

/// Side of the picture that replaces a costume that cannot be loaded, in units of an SVG image or
/// in pixels.
const SIDE: usize = 128;

/// The question mark in the picture, in cells of 8 units.
const MARK: [&str; 16] = [
    "................",
    ".....######.....",
    "....########....",
    "...###....###...",
    "...###....###...",
    "..........###...",
    ".........###....",
    "........###.....",
    ".......###......",
    ".......##.......",
    ".......##.......",
    "................",
    ".......##.......",
    ".......##.......",
    "................",
    "................",
];

pub(super) fn repaired(project: &Project) -> Project {
    let mut project = project.clone();
    for target in project.targets.iter_mut().filter(|target| !target.is_stage) {
        if target.direction.is_finite() {
            target.direction = wrap(target.direction, -179.0, 180.0);
        }
    }
    for target in 0..project.targets.len() {
        define_references(&mut project, target);
    }
    let assets = Arc::clone(&project.assets);
    for sound in project.targets.iter_mut().flat_map(|target| &mut target.sounds) {
        let asset = sound.asset.and_then(|asset| assets.get(asset as usize));
        if asset.is_none() {
            (sound.sample_count, sound.rate) = (DEFAULT_SOUND, 1.0);
        }
    }
    project
}

/// The kinds of named data to which blocks refer; an id belongs to data of only one kind.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    Scalar,
    List,
    Message,
}

/// A block's reference to named data: kind, id and name.
type Reference = (Kind, Arc<str>, Arc<str>);

/// Defines the variables, lists and messages to which blocks of a target refer by unknown ids. If
/// the stage has such data with the same name, the references are changed instead.
fn define_references(project: &mut Project, number: usize) {
    let stage = project.stage();
    let mut seen = FxHashSet::default();
    let mut references: Vec<Reference> = Vec::new();
    for block in &project.targets[number].blocks {
        let literals = block.inputs.iter().flat_map(|input| [&input.block, &input.shadow]);
        let found = literals.filter_map(of_literal).chain(block.fields.iter().filter_map(of_field));
        references.extend(found.filter(|(_, id, _)| seen.insert(Arc::clone(id))));
    }
    let mut renamed: FxHashMap<Arc<str>, Arc<str>> = FxHashMap::default();
    for (kind, id, name) in references {
        let defined = |target: &sb3::Target| {
            target.variables.iter().any(|it| it.id == id)
                || target.lists.iter().any(|it| it.id == id)
                || target.broadcasts.iter().any(|(known, _)| *known == id)
        };
        if defined(&project.targets[number]) || defined(&project.targets[stage]) {
            continue;
        }
        if let Some(known) = id_of(&project.targets[stage], kind, &name) {
            renamed.insert(id, known);
            continue;
        }
        let fresh = unused(project, kind, &name);
        let stage = &mut project.targets[stage];
        match kind {
            Kind::Scalar => {
                let value = sb3::Value::Number(0.0);
                stage.variables.push(Variable { id, name: fresh, value, cloud: false });
            }
            Kind::List => stage.lists.push(List { id, name: fresh, items: Vec::new() }),
            Kind::Message => stage.broadcasts.push((id, fresh)),
        }
    }
    if !renamed.is_empty() {
        rename(&mut project.targets[number], &renamed);
    }
}

fn of_literal(slot: &Slot) -> Option<Reference> {
    let Slot::Literal(literal) = slot else { return None };
    let (kind, id, name) = match literal {
        Literal::Variable { name, id } => (Kind::Scalar, id, name),
        Literal::List { name, id } => (Kind::List, id, name),
        Literal::Broadcast { name, id } => (Kind::Message, id, name),
        Literal::Value { .. } => return None,
    };
    Some((kind, Arc::clone(id), Arc::clone(name)))
}

fn of_field(field: &Field) -> Option<Reference> {
    let kind = match &*field.name {
        "VARIABLE" => Kind::Scalar,
        "LIST" => Kind::List,
        "BROADCAST_OPTION" => Kind::Message,
        _ => return None,
    };
    let sb3::Value::Text(name) = &field.value else { return None };
    Some((kind, field.id.clone()?, Arc::clone(name)))
}

fn id_of(target: &sb3::Target, kind: Kind, name: &str) -> Option<Arc<str>> {
    let of = |found: Option<&Arc<str>>| found.map(Arc::clone);
    match kind {
        Kind::Scalar => of(target.variables.iter().find(|it| *it.name == *name).map(|it| &it.id)),
        Kind::List => of(target.lists.iter().find(|it| *it.name == *name).map(|it| &it.id)),
        Kind::Message => {
            of(target.broadcasts.iter().find(|(_, known)| **known == *name).map(|(id, _)| id))
        }
    }
}

/// A name that is already used gets a new number at its end.
fn unused(project: &Project, kind: Kind, name: &Arc<str>) -> Arc<str> {
    let taken = |name: &str| project.targets.iter().any(|it| id_of(it, kind, name).is_some());
    if !taken(name) {
        return Arc::clone(name);
    }
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let numbered = (2_u32..).map(|number| format!("{stem}{number}"));
    let free = numbered.into_iter().find(|name| !taken(name));
    free.map_or_else(|| Arc::clone(name), Arc::from)
}

fn rename(target: &mut sb3::Target, ids: &FxHashMap<Arc<str>, Arc<str>>) {
    for block in &mut target.blocks {
        for field in &mut block.fields {
            if of_field(field).is_some()
                && let Some(id) = field.id.as_ref().and_then(|id| ids.get(id))
            {
                field.id = Some(Arc::clone(id));
            }
        }
        for slot in block.inputs.iter_mut().flat_map(|it| [&mut it.block, &mut it.shadow]) {
            if let Slot::Literal(
                Literal::Variable { id, .. }
                | Literal::List { id, .. }
                | Literal::Broadcast { id, .. },
            ) = slot
                && let Some(known) = ids.get(&*id)
            {
                *id = Arc::clone(known);
            }
        }
    }
}

pub(super) fn operands(opcode: Opcode) -> Option<(&'static [&'static str], Constructor)> {
    use Constructor::{Fixed, Unary};
    Some(match opcode {
        Opcode::LooksSwitchBackdropToAndWait => (&["BACKDROP"], Unary(Op::SwitchBackdropAndWait)),
        Opcode::SoundPlay => (&["SOUND_MENU"], Unary(Op::PlaySound)),
        Opcode::SoundStopAllSounds => (&[], Fixed(Op::StopAllSounds)),
        Opcode::MakeyMakeyWhenMakeyKeyPressed => (&["KEY"], Unary(Op::HatMakeyKey)),
        Opcode::MakeyMakeyWhenCodePressed => (&["SEQUENCE"], Unary(Op::HatMakeyCode)),
        _ => return None,
    })
}

/// The picture of a vector costume that cannot be loaded: a grey square with a question mark.
pub(super) fn default_vector() -> Arc<[u8]> {
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{SIDE}\" height=\"{SIDE}\">\
         <rect width=\"{SIDE}\" height=\"{SIDE}\" fill=\"#cccccc\"/>"
    );
    let cell = SIDE / MARK.len();
    for (row, line) in MARK.iter().enumerate() {
        for (column, _) in line.match_indices('#') {
            let (x, y) = (column * cell, row * cell);
            svg += &format!("<rect x=\"{x}\" y=\"{y}\" width=\"{cell}\" height=\"{cell}\"/>");
        }
    }
    (svg + "</svg>").into_bytes().into()
}

/// The picture of a bitmap costume that cannot be loaded, in BMP format.
pub(super) fn default_bitmap() -> Arc<[u8]> {
    let pixels = SIDE * SIDE * 3;
    let mut file = Vec::with_capacity(54 + pixels);
    file.extend(b"BM");
    for word in [54 + pixels as u32, 0, 54, 40, SIDE as u32, SIDE as u32] {
        file.extend(word.to_le_bytes());
    }
    // The bitmap has one plane and 24 bits per pixel.
    file.extend([1, 0, 24, 0]);
    for word in [0, pixels as u32, 2835, 2835, 0, 0] {
        file.extend(u32::to_le_bytes(word));
    }
    let cell = SIDE / MARK.len();
    // In a BMP file, the bottom row comes first.
    for y in (0..SIDE).rev() {
        let line = MARK[y / cell].as_bytes();
        for x in 0..SIDE {
            file.extend([if line[x / cell] == b'#' { 0 } else { 0xCC_u8 }; 3]);
        }
    }
    file.into()
}
