//! Damage to `project.json` that knows what one is made of.

use serde_json::{Map, Value, json};

use super::graft::graft;
use crate::dice::Dice;

/// Names that mean something to somebody.
const NAMES: [&str; 12] = [
    "",
    "_myself_",
    "_mouse_",
    "_edge_",
    "_stage_",
    "_random_",
    "__proto__",
    "all",
    "Stage",
    "\0",
    "\u{202e}\u{feff}",
    "../../x",
];

/// Applies a few changes of any kind.
pub(super) fn mutate(project: &mut Value, dice: &mut Dice) {
    // Scratch 2 nests its blocks in arrays.
    let flat = project.get("targets").is_some();
    for _ in 0..dice.magnitude(4) {
        match if flat { dice.below(24) } else { 23 } {
            0..=10 => mutate_blocks(project, dice),
            11..=15 => graft(project, dice),
            16..=18 => mutate_target(project, dice),
            19 | 20 => mutate_media(project, dice),
            21 | 22 => multiply(project, dice),
            _ => mutate_anywhere(project, dice),
        }
    }
}

/// Something that a value may be, or should not.
pub(super) fn scalar(dice: &mut Dice) -> Value {
    match dice.below(22) {
        0 => json!(0),
        1 => json!(-1),
        2 => json!(1e308),
        3 => json!(-1e308),
        4 => json!(5e-324),
        5 => json!(9_007_199_254_740_993_u64),
        6 => json!(u64::MAX),
        7 => json!(i64::MIN),
        8 => json!("Infinity"),
        9 => json!("-Infinity"),
        10 => json!("NaN"),
        11 => json!("0x1f"),
        12 => json!("1e400"),
        13 => json!(true),
        14 => json!(dice.pick(&NAMES)),
        15 => json!("#ff0000"),
        16 => json!("äß😀".repeat(dice.magnitude(12))),
        17 => json!("x".repeat(dice.magnitude(21))),
        18 => json!("9".repeat(dice.magnitude(10))),
        _ => json!((dice.spread() * 500.0).round()),
    }
}

fn anything(dice: &mut Dice) -> Value {
    match dice.below(8) {
        0 => Value::Null,
        1 => json!([]),
        2 => json!({}),
        3 => json!([[scalar(dice)], scalar(dice)]),
        4 => Value::Array(vec![scalar(dice); dice.magnitude(12)]),
        _ => scalar(dice),
    }
}

fn targets(project: &mut Value) -> Option<&mut Vec<Value>> {
    project.get_mut("targets")?.as_array_mut()
}

pub(super) fn any_target<'a>(
    project: &'a mut Value,
    dice: &mut Dice,
) -> Option<&'a mut Map<String, Value>> {
    let targets = targets(project)?;
    let at = dice.below(targets.len());
    targets.get_mut(at)?.as_object_mut()
}

fn any_key(map: &Map<String, Value>, dice: &mut Dice) -> Option<String> {
    map.keys().nth(dice.below(map.len())).cloned()
}

/// Sets a member of what may have been an object before it was damaged.
fn put(value: &mut Value, key: &str, member: Value) {
    if let Some(object) = value.as_object_mut() {
        object.insert(key.to_owned(), member);
    }
}

/// Deletes, copies, exchanges and rewires blocks.
fn mutate_blocks(project: &mut Value, dice: &mut Dice) {
    let Some(target) = any_target(project, dice) else { return };
    let Some(blocks) = target.get_mut("blocks").and_then(Value::as_object_mut) else { return };
    let (Some(a), Some(b)) = (any_key(blocks, dice), any_key(blocks, dice)) else { return };
    match dice.below(8) {
        0 => drop(blocks.remove(&a)),
        1 => {
            let copy = blocks[&a].clone();
            blocks.insert(format!("{a}{}", dice.below(1000)), copy);
        }
        2 => {
            let (x, y) = (blocks[&a].clone(), blocks[&b].clone());
            blocks.insert(a, y);
            blocks.insert(b, x);
        }
        3 => {
            let opcode = blocks[&b].get("opcode").cloned().unwrap_or(Value::Null);
            let opcode = match dice.below(4) {
                0 => json!(dice.pick(&OPCODES)),
                1 => json!("nowhere_unknown"),
                _ => opcode,
            };
            put(&mut blocks[&a], "opcode", opcode);
        }
        4 => rewire(&mut blocks[&a], &b, dice),
        5 => {
            let fields = ["inputs", "fields", "mutation", "next", "parent", "topLevel"];
            let field = fields[dice.below(fields.len())];
            if let Some(object) = blocks[&a].as_object_mut() {
                object.insert(field.to_owned(), anything(dice));
            }
        }
        6 => {
            let Some(mutation) = blocks[&a].get_mut("mutation").and_then(Value::as_object_mut)
            else {
                return rewire(&mut blocks[&a], &b, dice);
            };
            let Some(key) = any_key(mutation, dice) else { return };
            let warp = key == "warp";
            mutation.insert(key, if warp { json!("true") } else { anything(dice) });
        }
        _ => {
            let Some(inputs) = blocks[&a].get_mut("inputs").and_then(Value::as_object_mut) else {
                return;
            };
            let Some(key) = any_key(inputs, dice) else { return };
            let kind = 4 + dice.below(12);
            inputs.insert(key, json!([1 + dice.below(4), [kind, scalar(dice), scalar(dice)]]));
        }
    }
}

/// Points a link of a block at another block.
fn rewire(block: &mut Value, to: &str, dice: &mut Dice) {
    let inputs = block.get("inputs").and_then(Value::as_object);
    let input = inputs.and_then(|inputs| any_key(inputs, dice));
    match (dice.below(3), input) {
        (0, _) | (_, None) => put(block, "next", json!(to)),
        (1, _) => put(block, "parent", json!(to)),
        (_, Some(input)) => put(&mut block["inputs"], &input, json!([2, to])),
    }
}

const OPCODES: [&str; 32] = [
    "control_forever",
    "control_repeat",
    "control_create_clone_of",
    "control_delete_this_clone",
    "control_stop",
    "control_wait_until",
    "control_while",
    "control_for_each",
    "control_all_at_once",
    "data_addtolist",
    "data_insertatlist",
    "data_deleteoflist",
    "data_setvariableto",
    "operator_join",
    "operator_contains",
    "operator_mathop",
    "operator_letter_of",
    "sensing_touchingcolor",
    "sensing_coloristouchingcolor",
    "sensing_of",
    "sensing_askandwait",
    "looks_say",
    "looks_switchbackdropto",
    "looks_seteffectto",
    "looks_setsizeto",
    "motion_ifonedgebounce",
    "motion_glidesecstoxy",
    "pen_stamp",
    "pen_setPenSizeTo",
    "event_broadcastandwait",
    "procedures_call",
    "event_whengreaterthan",
];

/// Properties of a stage or sprite.
fn mutate_target(project: &mut Value, dice: &mut Dice) {
    let keys = [
        "x",
        "y",
        "size",
        "direction",
        "visible",
        "currentCostume",
        "layerOrder",
        "volume",
        "rotationStyle",
        "name",
        "isStage",
        "tempo",
        "draggable",
        "variables",
        "lists",
        "broadcasts",
        "blocks",
        "costumes",
        "sounds",
        "comments",
    ];
    let key = keys[dice.below(keys.len())];
    let absurd = if dice.one_in(4) { anything(dice) } else { scalar(dice) };
    let Some(target) = any_target(project, dice) else { return };
    match (dice.below(4), target.get_mut(key)) {
        (0, Some(Value::Object(map))) => {
            if let Some(inner) = any_key(map, dice) {
                let value = json!([scalar(dice), anything(dice)]);
                map.insert(inner, value);
            }
        }
        (1, Some(Value::Object(map))) => {
            for i in 0..dice.magnitude(12) {
                let value = if key == "lists" { json!([i, [i]]) } else { json!([i, 0]) };
                map.insert(format!("many{i}"), value);
            }
        }
        (2, Some(Value::Object(map))) if key == "lists" => {
            if let Some(inner) = any_key(map, dice) {
                let items = Value::Array(vec![scalar(dice); dice.magnitude(18)]);
                map.insert(inner, json!(["long", items]));
            }
        }
        (3, _) => drop(target.remove(key)),
        _ => drop(target.insert(key.to_owned(), absurd)),
    }
}

fn mutate_media(project: &mut Value, dice: &mut Dice) {
    let kind = if dice.one_in(4) { "sounds" } else { "costumes" };
    let other = any_target(project, dice)
        .and_then(|t| t.get("costumes")?.get(0)?.get("md5ext").cloned())
        .unwrap_or(json!("missing.svg"));
    let Some(target) = any_target(project, dice) else { return };
    let Some(media) = target.get_mut(kind).and_then(Value::as_array_mut) else { return };
    let at = dice.below(media.len());
    let Some(entry) = media.get_mut(at).and_then(Value::as_object_mut) else { return };
    match dice.below(6) {
        0 => entry.insert("md5ext".to_owned(), other),
        1 => {
            let formats = ["svg", "png", "jpg", "gif", "bmp", "wav", "mp3", "", "exe"];
            entry.insert("dataFormat".to_owned(), json!(formats[dice.below(formats.len())]))
        }
        2 => entry.insert("bitmapResolution".to_owned(), scalar(dice)),
        3 => entry.insert("rotationCenterX".to_owned(), scalar(dice)),
        4 => entry.insert("rate".to_owned(), scalar(dice)),
        _ => entry.insert("sampleCount".to_owned(), scalar(dice)),
    };
}

/// Many of what there was one of.
fn multiply(project: &mut Value, dice: &mut Dice) {
    let stage = dice.one_in(10);
    let Some(targets) = targets(project) else { return };
    let at = dice.below(targets.len());
    // Damage done before may have left anything in the place of a target.
    let Some(target) = targets.get(at).filter(|target| target.is_object()).cloned() else { return };
    if dice.one_in(2) {
        for i in 0..dice.magnitude(7) {
            let mut copy = target.clone();
            copy["isStage"] = json!(stage);
            copy["name"] = if dice.one_in(3) { json!("same") } else { json!(format!("copy {i}")) };
            targets.push(copy);
        }
    } else if let Some(costumes) = targets[at].get_mut("costumes").and_then(Value::as_array_mut)
        && let Some(first) = costumes.first().cloned()
    {
        costumes.extend(vec![first; dice.magnitude(10)]);
    }
}

/// Replaces, removes or repeats whatever lies at the end of a random walk down the tree.
fn mutate_anywhere(project: &mut Value, dice: &mut Dice) {
    let mut place = project;
    for _ in 0..1 + dice.below(9) {
        let inner = match &*place {
            Value::Array(items) => items.len(),
            Value::Object(map) => map.len(),
            _ => 0,
        };
        if inner == 0 {
            break;
        }
        let at = dice.below(inner);
        place = match place {
            Value::Array(items) => &mut items[at],
            Value::Object(map) => match map.values_mut().nth(at) {
                Some(value) => value,
                None => return,
            },
            _ => return,
        };
    }
    match (dice.below(3), &mut *place) {
        (0, Value::Array(items)) if !items.is_empty() => {
            let copy = items[dice.below(items.len())].clone();
            let at = dice.below(items.len());
            items.insert(at, copy);
        }
        (0, Value::Object(map)) => {
            if let Some(key) = any_key(map, dice) {
                map.remove(&key);
            }
        }
        _ => *place = anything(dice),
    }
}

/// Damage that only text can have.
pub(super) fn mutate_text(text: &mut Vec<u8>, dice: &mut Dice) {
    let at = dice.below(text.len());
    match dice.below(5) {
        0 => text.truncate(at),
        1 => {
            let open = if dice.one_in(2) { &b"["[..] } else { &b"{\"a\":"[..] };
            text.splice(at..at, open.repeat(dice.magnitude(18)));
        }
        2 => {
            let bytes: Vec<u8> = (0..dice.magnitude(6)).map(|_| dice.below(256) as u8).collect();
            text.splice(at..at, bytes);
        }
        3 => text.splice(0..0, *b"\xef\xbb\xbf").for_each(drop),
        _ => {
            let end = (at + dice.magnitude(10)).min(text.len());
            let piece = text[at..end].to_vec();
            let to = dice.below(text.len());
            text.splice(to..to, piece);
        }
    }
}
