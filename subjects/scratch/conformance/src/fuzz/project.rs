//! Structure-aware mutation of `project.json`.

use serde_json::{Value, json};

use super::inject::inject_script;
use super::values::{any_key, any_target, any_value, scalar, set_member, targets};
use crate::rng::Rng;

pub(super) fn mutate(project: &mut Value, rng: &mut Rng) {
    // Scratch 2 nests its blocks in arrays.
    let flat = project.get("targets").is_some();
    for _ in 0..rng.log_uniform(4) {
        match if flat { rng.below(24) } else { 23 } {
            0..=10 => mutate_blocks(project, rng),
            11..=15 => inject_script(project, rng),
            16..=18 => mutate_target(project, rng),
            19 | 20 => mutate_media(project, rng),
            21 | 22 => duplicate(project, rng),
            _ => mutate_anywhere(project, rng),
        }
    }
}

fn mutate_blocks(project: &mut Value, rng: &mut Rng) {
    let Some(target) = any_target(project, rng) else { return };
    let Some(blocks) = target.get_mut("blocks").and_then(Value::as_object_mut) else { return };
    let (Some(a), Some(b)) = (any_key(blocks, rng), any_key(blocks, rng)) else { return };
    match rng.below(8) {
        0 => drop(blocks.remove(&a)),
        1 => {
            let copy = blocks[&a].clone();
            blocks.insert(format!("{a}{}", rng.below(1000)), copy);
        }
        2 => {
            let (x, y) = (blocks[&a].clone(), blocks[&b].clone());
            blocks.insert(a, y);
            blocks.insert(b, x);
        }
        3 => {
            let opcode = blocks[&b].get("opcode").cloned().unwrap_or(Value::Null);
            let opcode = match rng.below(4) {
                0 => json!(rng.pick(&OPCODES)),
                1 => json!("nowhere_unknown"),
                _ => opcode,
            };
            set_member(&mut blocks[&a], "opcode", opcode);
        }
        4 => rewire(&mut blocks[&a], &b, rng),
        5 => {
            let fields = ["inputs", "fields", "mutation", "next", "parent", "topLevel"];
            let field = fields[rng.below(fields.len())];
            if let Some(object) = blocks[&a].as_object_mut() {
                object.insert(field.to_owned(), any_value(rng));
            }
        }
        6 => {
            let Some(mutation) = blocks[&a].get_mut("mutation").and_then(Value::as_object_mut)
            else {
                return rewire(&mut blocks[&a], &b, rng);
            };
            let Some(key) = any_key(mutation, rng) else { return };
            let warp = key == "warp";
            mutation.insert(key, if warp { json!("true") } else { any_value(rng) });
        }
        _ => {
            let Some(inputs) = blocks[&a].get_mut("inputs").and_then(Value::as_object_mut) else {
                return;
            };
            let Some(key) = any_key(inputs, rng) else { return };
            let kind = 4 + rng.below(12);
            inputs.insert(key, json!([1 + rng.below(4), [kind, scalar(rng), scalar(rng)]]));
        }
    }
}

fn rewire(block: &mut Value, to: &str, rng: &mut Rng) {
    let inputs = block.get("inputs").and_then(Value::as_object);
    let input = inputs.and_then(|inputs| any_key(inputs, rng));
    match (rng.below(3), input) {
        (0, _) | (_, None) => set_member(block, "next", json!(to)),
        (1, _) => set_member(block, "parent", json!(to)),
        (_, Some(input)) => set_member(&mut block["inputs"], &input, json!([2, to])),
    }
}

/// Many of these opcodes may cause endless or expensive execution.
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

fn mutate_target(project: &mut Value, rng: &mut Rng) {
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
    let key = keys[rng.below(keys.len())];
    let value = if rng.one_in(4) { any_value(rng) } else { scalar(rng) };
    let Some(target) = any_target(project, rng) else { return };
    match (rng.below(4), target.get_mut(key)) {
        (0, Some(Value::Object(map))) => {
            if let Some(inner) = any_key(map, rng) {
                let value = json!([scalar(rng), any_value(rng)]);
                map.insert(inner, value);
            }
        }
        (1, Some(Value::Object(map))) => {
            for i in 0..rng.log_uniform(12) {
                let value = if key == "lists" { json!([i, [i]]) } else { json!([i, 0]) };
                map.insert(format!("many{i}"), value);
            }
        }
        (2, Some(Value::Object(map))) if key == "lists" => {
            if let Some(inner) = any_key(map, rng) {
                let items = Value::Array(vec![scalar(rng); rng.log_uniform(18)]);
                map.insert(inner, json!(["long", items]));
            }
        }
        (3, _) => drop(target.remove(key)),
        _ => drop(target.insert(key.to_owned(), value)),
    }
}

fn mutate_media(project: &mut Value, rng: &mut Rng) {
    let kind = if rng.one_in(4) { "sounds" } else { "costumes" };
    let other = any_target(project, rng)
        .and_then(|t| t.get("costumes")?.get(0)?.get("md5ext").cloned())
        .unwrap_or(json!("missing.svg"));
    let Some(target) = any_target(project, rng) else { return };
    let Some(media) = target.get_mut(kind).and_then(Value::as_array_mut) else { return };
    let at = rng.below(media.len());
    let Some(entry) = media.get_mut(at).and_then(Value::as_object_mut) else { return };
    match rng.below(6) {
        0 => entry.insert("md5ext".to_owned(), other),
        1 => {
            let formats = ["svg", "png", "jpg", "gif", "bmp", "wav", "mp3", "", "exe"];
            entry.insert("dataFormat".to_owned(), json!(formats[rng.below(formats.len())]))
        }
        2 => entry.insert("bitmapResolution".to_owned(), scalar(rng)),
        3 => entry.insert("rotationCenterX".to_owned(), scalar(rng)),
        4 => entry.insert("rate".to_owned(), scalar(rng)),
        _ => entry.insert("sampleCount".to_owned(), scalar(rng)),
    };
}

fn duplicate(project: &mut Value, rng: &mut Rng) {
    let stage = rng.one_in(10);
    let Some(targets) = targets(project) else { return };
    let at = rng.below(targets.len());
    // Earlier damage may have replaced the target with any value.
    let Some(target) = targets.get(at).filter(|target| target.is_object()).cloned() else { return };
    if rng.one_in(2) {
        for i in 0..rng.log_uniform(7) {
            let mut copy = target.clone();
            copy["isStage"] = json!(stage);
            copy["name"] = if rng.one_in(3) { json!("same") } else { json!(format!("copy {i}")) };
            targets.push(copy);
        }
    } else if let Some(costumes) = targets[at].get_mut("costumes").and_then(Value::as_array_mut)
        && let Some(first) = costumes.first().cloned()
    {
        costumes.extend(vec![first; rng.log_uniform(10)]);
    }
}

fn mutate_anywhere(project: &mut Value, rng: &mut Rng) {
    let mut place = project;
    for _ in 0..1 + rng.below(9) {
        let inner = match &*place {
            Value::Array(items) => items.len(),
            Value::Object(map) => map.len(),
            _ => 0,
        };
        if inner == 0 {
            break;
        }
        let at = rng.below(inner);
        place = match place {
            Value::Array(items) => &mut items[at],
            Value::Object(map) => match map.values_mut().nth(at) {
                Some(value) => value,
                None => return,
            },
            _ => return,
        };
    }
    match (rng.below(3), &mut *place) {
        (0, Value::Array(items)) if !items.is_empty() => {
            let copy = items[rng.below(items.len())].clone();
            let at = rng.below(items.len());
            items.insert(at, copy);
        }
        (0, Value::Object(map)) => {
            if let Some(key) = any_key(map, rng) {
                map.remove(&key);
            }
        }
        _ => *place = any_value(rng),
    }
}

pub(super) fn mutate_text(text: &mut Vec<u8>, rng: &mut Rng) {
    let at = rng.below(text.len());
    match rng.below(5) {
        0 => text.truncate(at),
        1 => {
            let open = if rng.one_in(2) { &b"["[..] } else { &b"{\"a\":"[..] };
            text.splice(at..at, open.repeat(rng.log_uniform(18)));
        }
        2 => {
            let bytes: Vec<u8> = (0..rng.log_uniform(6)).map(|_| rng.below(256) as u8).collect();
            text.splice(at..at, bytes);
        }
        3 => text.splice(0..0, *b"\xef\xbb\xbf").for_each(drop),
        _ => {
            let end = (at + rng.log_uniform(10)).min(text.len());
            let piece = text[at..end].to_vec();
            let to = rng.below(text.len());
            text.splice(to..to, piece);
        }
    }
}
