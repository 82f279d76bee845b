//! The static model of a project for plans: blocks and costumes.

use catherd_scratch_sb3::{Block, Literal, Mutation, Opcode, Project, Slot, Target, Value};
use serde_json::{Value as Json, json};

/// A value as JavaScript converts it to a string.
pub(crate) fn text(value: &Value) -> String {
    match value {
        Value::Number(number) => ryu_js::Buffer::new().format(*number).to_owned(),
        Value::Text(text) => text.to_string(),
        Value::Bool(flag) => flag.to_string(),
    }
}

/// The blocks of a target as JSON: an array of objects with the fields of the project format, in
/// which inputs and fields are pairs of name and content.
pub(crate) fn blocks(target: &Target) -> String {
    let blocks: Vec<Json> = target.blocks.iter().map(|block| saved(target, block)).collect();
    json!(blocks).to_string()
}

fn saved(target: &Target, block: &Block) -> Json {
    let id = |index: Option<u32>| index.map(|index| &*target.blocks[index as usize].id);
    // Use pairs instead of an object to keep the order of the file.
    let mut inputs = Vec::new();
    for input in &block.inputs {
        let (content, shadow) = (slot(target, &input.block), slot(target, &input.shadow));
        let saved = match (&input.block, &input.shadow) {
            (block, shadow) if block == shadow => json!([1, content]),
            (_, Slot::Empty) => json!([2, content]),
            _ => json!([3, content, shadow]),
        };
        inputs.push(json!([&*input.name, saved]));
    }
    let field = |field: &catherd_scratch_sb3::Field| {
        json!([&*field.name, [json!(text(&field.value)), json!(field.id.as_deref())]])
    };
    let fields: Vec<Json> = block.fields.iter().map(field).collect();
    let mut saved = json!({
        "id": &*block.id,
        "opcode": block.opcode_name(),
        "next": id(block.next),
        "parent": id(block.parent),
        "inputs": inputs,
        "fields": fields,
        "shadow": block.shadow,
        "topLevel": block.top_level,
    });
    if let Some(mutation) = &block.mutation {
        saved["mutation"] = mutation_of(target, block, mutation);
    }
    saved
}

fn slot(target: &Target, slot: &Slot) -> Json {
    match slot {
        Slot::Empty => Json::Null,
        Slot::Block(index) => json!(&*target.blocks[*index as usize].id),
        Slot::Literal(Literal::Value { value, .. }) => json!([10, text(value)]),
        Slot::Literal(Literal::Broadcast { name, id }) => json!([11, &**name, &**id]),
        Slot::Literal(Literal::Variable { name, id }) => json!([12, &**name, &**id]),
        Slot::Literal(Literal::List { name, id }) => json!([13, &**name, &**id]),
    }
}

fn mutation_of(target: &Target, block: &Block, mutation: &Mutation) -> Json {
    match mutation {
        Mutation::Prototype { proccode, ids, names, warp, .. } => {
            let (ids, names): (Vec<&str>, Vec<&str>) =
                (ids.iter().map(|id| &**id).collect(), names.iter().map(|name| &**name).collect());
            json!({
                "proccode": &**proccode, "argumentids": ids, "argumentnames": names, "warp": warp,
            })
        }
        Mutation::Call { proccode } => {
            // The arguments are in the order of the definition.
            let prototype = target.blocks.iter().find_map(|other| match &other.mutation {
                Some(Mutation::Prototype { proccode: code, ids, .. }) if code == proccode => {
                    Some(ids)
                }
                _ => None,
            });
            let ids: Vec<&str> = match prototype {
                Some(ids) => ids.iter().map(|id| &**id).collect(),
                None => block.inputs.iter().map(|input| &*input.name).collect(),
            };
            json!({ "proccode": &**proccode, "argumentids": ids })
        }
        Mutation::Invalid(_) => json!({}),
    }
}

/// The costumes of a target as JSON: id, name, file, format, resolution, rotation centre.
pub(crate) fn costumes(project: &Project, target: &Target) -> Json {
    let costumes = target.costumes.iter().map(|costume| {
        let asset = costume.asset.and_then(|at| project.assets.get(at as usize));
        let file = asset.map_or("", |asset| &*asset.name);
        let (id, format) = file.rsplit_once('.').unwrap_or((file, ""));
        let (x, y) = costume.rotation_center.unwrap_or((0.0, 0.0));
        let resolution = costume.bitmap_resolution.unwrap_or(1.0);
        json!([id, &*costume.name, file, format, resolution, x, y])
    });
    costumes.collect()
}

/// Turns the *wait* blocks in definitions of custom blocks into blocks without an effect.
pub(crate) fn skip_waits_of_procedures(target: &mut Target) {
    let mut open: Vec<u32> = target
        .scripts()
        .filter(|top| target.blocks[*top as usize].opcode == Opcode::ProceduresDefinition)
        .collect();
    let mut seen = vec![false; target.blocks.len()];
    while let Some(index) = open.pop() {
        let block = &mut target.blocks[index as usize];
        if std::mem::replace(&mut seen[index as usize], true) {
            continue;
        }
        open.extend(block.next);
        open.extend(block.inputs.iter().filter_map(|input| match input.block {
            Slot::Block(inner) => Some(inner),
            _ => None,
        }));
        if block.opcode == Opcode::ControlWait {
            block.opcode = Opcode::Unknown;
            block.inputs.clear();
        }
    }
}
