//! Injection of hostile scripts.

use serde_json::{Map, Value, json};

use super::values::{any_target, scalar};
use crate::rng::Rng;

pub(super) fn inject_script(project: &mut Value, rng: &mut Rng) {
    let tag = format!("f{}", rng.below(1_000_000));
    let message = format!("{tag}m");
    let script = match rng.below(12) {
        0 => endless_doubling(rng),
        1 => vec![statement(
            "control_create_clone_of",
            json!({ "CLONE_OPTION": [1, [10, "_myself_"]] }),
        )],
        2 => nest(rng.log_uniform(8), "control_forever"),
        3 => nest(rng.log_uniform(9), "control_if"),
        4 => vec![nested_reporters(rng.log_uniform(9))],
        5 => vec![statement(
            "event_broadcast",
            json!({ "BROADCAST_INPUT": [1, [11, message, message]] }),
        )],
        6 => (0..rng.log_uniform(12)).map(|_| statement("pen_stamp", json!({}))).collect(),
        7 => long_list(rng),
        8 => vec![statement("control_delete_this_clone", json!({}))],
        9 => expensive_rendering(rng),
        10 => vec![statement("sensing_askandwait", json!({ "QUESTION": [1, [10, scalar(rng)]] }))],
        _ => vec![statement("control_stop", json!({}))],
    };
    let hats = [
        json!({ "opcode": "event_whenflagclicked" }),
        json!({ "opcode": "control_start_as_clone" }),
        json!({ "opcode": "event_whenbroadcastreceived",
            "fields": { "BROADCAST_OPTION": [message, message] } }),
        json!({ "opcode": "event_whenkeypressed", "fields": { "KEY_OPTION": ["any", null] } }),
        json!({ "opcode": "event_whengreaterthan", "fields": { "WHENGREATERTHANMENU": ["TIMER", null] },
            "inputs": { "VALUE": [1, [4, 0]] } }),
    ];
    let hat = hats[rng.below(hats.len())].clone();
    let (wrapped, warp) = (rng.one_in(2), rng.one_in(2));
    let Some(target) = any_target(project, rng) else { return };
    let variable = json!([format!("{tag}v"), "x"]);
    let list = json!([format!("{tag}l"), []]);
    for (kind, id, value) in [("variables", "v", variable), ("lists", "l", list)] {
        if let Some(map) = target.get_mut(kind).and_then(Value::as_object_mut) {
            map.insert(format!("{tag}{id}"), value);
        }
    }
    let Some(blocks) = target.get_mut("blocks").and_then(Value::as_object_mut) else { return };
    let mut writer = ScriptWriter { blocks, tag, count: 0 };
    if wrapped {
        writer.add_recursive_block(hat, script, warp);
    } else {
        writer.add_script(hat, script);
    }
}

/// Inputs may contain blocks as `{"opcode": ...}` and branches as arrays.
fn statement(opcode: &str, inputs: Value) -> Value {
    json!({ "opcode": opcode, "inputs": inputs })
}

/// `forever [set v to join v v]`
fn endless_doubling(rng: &mut Rng) -> Vec<Value> {
    let twice = json!({ "opcode": "operator_join", "inputs": {
        "STRING1": [3, [12, "V", "V"]], "STRING2": [3, [12, "V", "V"]] } });
    let set = json!({ "opcode": "data_setvariableto", "fields": { "VARIABLE": ["V", "V"] },
        "inputs": { "VALUE": [3, twice] } });
    let say = statement("looks_say", json!({ "MESSAGE": [3, [12, "V", "V"]] }));
    let body = if rng.one_in(3) { json!([set, say]) } else { json!([set]) };
    vec![statement("control_forever", json!({ "SUBSTACK": [2, body] }))]
}

/// `repeat 300000 [add ITEM to l]`, where the item may be the list itself.
fn long_list(rng: &mut Rng) -> Vec<Value> {
    let item = if rng.one_in(2) { json!([13, "L", "L"]) } else { json!([10, "item"]) };
    let add = json!({ "opcode": "data_addtolist", "fields": { "LIST": ["L", "L"] },
        "inputs": { "ITEM": [3, item] } });
    let times = json!([1, [4, 300_000]]);
    vec![statement("control_repeat", json!({ "TIMES": times, "SUBSTACK": [2, [add]] }))]
}

fn expensive_rendering(rng: &mut Rng) -> Vec<Value> {
    let number = |rng: &mut Rng| json!([1, [4, scalar(rng)]]);
    let effects = ["COLOR", "FISHEYE", "WHIRL", "PIXELATE", "MOSAIC", "BRIGHTNESS", "GHOST"];
    let effect = effects[rng.below(effects.len())];
    let color =
        json!({ "opcode": "sensing_touchingcolor", "inputs": { "COLOR": [1, [9, "#12ab34"]] } });
    let set = json!({ "opcode": "looks_seteffectto", "fields": { "EFFECT": [effect, null] },
        "inputs": { "VALUE": number(rng) } });
    let body = json!([
        statement("looks_setsizeto", json!({ "SIZE": number(rng) })),
        set,
        statement("pen_setPenSizeTo", json!({ "SIZE": number(rng) })),
        statement("pen_penDown", json!({})),
        statement("motion_movesteps", json!({ "STEPS": number(rng) })),
        statement("pen_stamp", json!({})),
        statement("looks_nextcostume", json!({})),
        statement("motion_ifonedgebounce", json!({})),
        statement("control_if", json!({ "CONDITION": [2, color] })),
    ]);
    vec![statement("control_forever", json!({ "SUBSTACK": [2, body] }))]
}

fn nest(depth: usize, opcode: &str) -> Vec<Value> {
    let mut inner = vec![statement("looks_show", json!({}))];
    for _ in 0..depth {
        inner = vec![statement(opcode, json!({ "SUBSTACK": [2, inner] }))];
    }
    inner
}

fn nested_reporters(depth: usize) -> Value {
    let mut inner = json!([4, 1]);
    for _ in 0..depth {
        inner = json!({ "opcode": "operator_add", "inputs": { "NUM1": [3, inner], "NUM2": [1, [4, 1]] } });
    }
    statement("motion_movesteps", json!({ "STEPS": [3, inner] }))
}

struct ScriptWriter<'a> {
    blocks: &'a mut Map<String, Value>,
    tag: String,
    count: usize,
}

impl ScriptWriter<'_> {
    fn new_id(&mut self) -> String {
        self.count += 1;
        format!("{}-{}", self.tag, self.count)
    }

    fn add_script(&mut self, mut hat: Value, script: Vec<Value>) {
        let id = self.new_id();
        hat["topLevel"] = json!(true);
        hat["next"] = self.add_chain(script);
        self.blocks.insert(id, hat);
    }

    fn add_recursive_block(&mut self, hat: Value, mut script: Vec<Value>, warp: bool) {
        let code = format!("{}p", self.tag);
        let mutation = json!({ "tagName": "mutation", "children": [], "proccode": code,
            "argumentids": "[]", "argumentnames": "[]", "argumentdefaults": "[]",
            "warp": warp.to_string() });
        let call = json!({ "opcode": "procedures_call", "mutation": mutation });
        script.push(call.clone());
        let prototype =
            json!({ "opcode": "procedures_prototype", "mutation": mutation, "shadow": true });
        let definition = json!({ "opcode": "procedures_definition",
            "inputs": { "custom_block": [1, prototype] } });
        let definition = self.resolve_inputs(definition);
        self.add_script(definition, script);
        self.add_script(hat, vec![call]);
    }

    fn add_chain(&mut self, script: Vec<Value>) -> Value {
        let mut next = Value::Null;
        for block in script.into_iter().rev() {
            let id = self.new_id();
            let mut block = self.resolve_inputs(block);
            block["next"] = next;
            self.blocks.insert(id.clone(), block);
            next = json!(id);
        }
        next
    }

    /// Replaces blocks in inputs with their ids, and the placeholders `V` and `L` with the
    /// names of the script's variable and list.
    fn resolve_inputs(&mut self, mut block: Value) -> Value {
        let resolve_name = |value: &mut Value, tag: &str| {
            if let Some(Value::String(kind)) = value.get(1).cloned().as_ref()
                && matches!(&**kind, "V" | "L")
            {
                let name = json!(format!("{tag}{}", kind.to_lowercase()));
                for item in value.as_array_mut().into_iter().flatten().skip(1) {
                    *item = name.clone();
                }
            }
        };
        for field in block.get_mut("fields").and_then(Value::as_object_mut).into_iter().flatten() {
            if let Some(Value::String(kind)) = field.1.get(0).cloned().as_ref()
                && matches!(&**kind, "V" | "L")
            {
                let name = format!("{}{}", self.tag, kind.to_lowercase());
                *field.1 = json!([name, name]);
            }
        }
        let Some(inputs) = block.get_mut("inputs").map(Value::take) else { return block };
        let Value::Object(mut inputs) = inputs else { return block };
        for value in inputs.values_mut() {
            let inner = value.get_mut(1).map(Value::take).unwrap_or_default();
            value[1] = match inner {
                Value::Object(_) => {
                    let id = self.new_id();
                    let inner = self.resolve_inputs(inner);
                    self.blocks.insert(id.clone(), inner);
                    json!(id)
                }
                Value::Array(script) if script.first().is_some_and(Value::is_object) => {
                    self.add_chain(script)
                }
                mut other => {
                    resolve_name(&mut other, &self.tag);
                    other
                }
            };
        }
        block["inputs"] = Value::Object(inputs);
        block
    }
}
