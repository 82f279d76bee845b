//! Scripts that are up to no good.

use serde_json::{Map, Value, json};

use super::project::{any_target, scalar};
use crate::dice::Dice;

/// Plants a script that is up to no good, with names of its own.
pub(super) fn graft(project: &mut Value, dice: &mut Dice) {
    let tag = format!("f{}", dice.below(1_000_000));
    let message = format!("{tag}m");
    let script = match dice.below(12) {
        0 => doubling(dice),
        1 => vec![statement(
            "control_create_clone_of",
            json!({ "CLONE_OPTION": [1, [10, "_myself_"]] }),
        )],
        2 => nest(dice.magnitude(8), "control_forever"),
        3 => nest(dice.magnitude(9), "control_if"),
        4 => vec![reporters(dice.magnitude(9))],
        5 => vec![statement(
            "event_broadcast",
            json!({ "BROADCAST_INPUT": [1, [11, message, message]] }),
        )],
        6 => (0..dice.magnitude(12)).map(|_| statement("pen_stamp", json!({}))).collect(),
        7 => filling(dice),
        8 => vec![statement("control_delete_this_clone", json!({}))],
        9 => sensing(dice),
        10 => vec![statement("sensing_askandwait", json!({ "QUESTION": [1, [10, scalar(dice)]] }))],
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
    let hat = hats[dice.below(hats.len())].clone();
    let (wrapped, warp) = (dice.one_in(2), dice.one_in(2));
    let Some(target) = any_target(project, dice) else { return };
    let variable = json!([format!("{tag}v"), "x"]);
    let list = json!([format!("{tag}l"), []]);
    for (kind, id, value) in [("variables", "v", variable), ("lists", "l", list)] {
        if let Some(map) = target.get_mut(kind).and_then(Value::as_object_mut) {
            map.insert(format!("{tag}{id}"), value);
        }
    }
    let Some(blocks) = target.get_mut("blocks").and_then(Value::as_object_mut) else { return };
    let mut planter = Planter { blocks, tag, count: 0 };
    if wrapped {
        planter.call(hat, script, warp);
    } else {
        planter.plant(hat, script);
    }
}

/// A statement whose inputs may hold further blocks as `{"opcode": ...}` and branches as arrays.
fn statement(opcode: &str, inputs: Value) -> Value {
    json!({ "opcode": opcode, "inputs": inputs })
}

/// `forever [set v to join v v]`, or the same with a list.
fn doubling(dice: &mut Dice) -> Vec<Value> {
    let twice = json!({ "opcode": "operator_join", "inputs": {
        "STRING1": [3, [12, "V", "V"]], "STRING2": [3, [12, "V", "V"]] } });
    let set = json!({ "opcode": "data_setvariableto", "fields": { "VARIABLE": ["V", "V"] },
        "inputs": { "VALUE": [3, twice] } });
    let say = statement("looks_say", json!({ "MESSAGE": [3, [12, "V", "V"]] }));
    let body = if dice.one_in(3) { json!([set, say]) } else { json!([set]) };
    vec![statement("control_forever", json!({ "SUBSTACK": [2, body] }))]
}

/// `repeat 300000 [add something to l]`, perhaps the list itself.
fn filling(dice: &mut Dice) -> Vec<Value> {
    let item = if dice.one_in(2) { json!([13, "L", "L"]) } else { json!([10, "item"]) };
    let add = json!({ "opcode": "data_addtolist", "fields": { "LIST": ["L", "L"] },
        "inputs": { "ITEM": [3, item] } });
    let times = json!([1, [4, 300_000]]);
    vec![statement("control_repeat", json!({ "TIMES": times, "SUBSTACK": [2, [add]] }))]
}

/// Everything that costs pixels.
fn sensing(dice: &mut Dice) -> Vec<Value> {
    let number = |dice: &mut Dice| json!([1, [4, scalar(dice)]]);
    let effects = ["COLOR", "FISHEYE", "WHIRL", "PIXELATE", "MOSAIC", "BRIGHTNESS", "GHOST"];
    let effect = effects[dice.below(effects.len())];
    let color =
        json!({ "opcode": "sensing_touchingcolor", "inputs": { "COLOR": [1, [9, "#12ab34"]] } });
    let set = json!({ "opcode": "looks_seteffectto", "fields": { "EFFECT": [effect, null] },
        "inputs": { "VALUE": number(dice) } });
    let body = json!([
        statement("looks_setsizeto", json!({ "SIZE": number(dice) })),
        set,
        statement("pen_setPenSizeTo", json!({ "SIZE": number(dice) })),
        statement("pen_penDown", json!({})),
        statement("motion_movesteps", json!({ "STEPS": number(dice) })),
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

fn reporters(depth: usize) -> Value {
    let mut inner = json!([4, 1]);
    for _ in 0..depth {
        inner = json!({ "opcode": "operator_add", "inputs": { "NUM1": [3, inner], "NUM2": [1, [4, 1]] } });
    }
    statement("motion_movesteps", json!({ "STEPS": [3, inner] }))
}

/// Turns trees of blocks into entries of a target's `blocks`.
struct Planter<'a> {
    blocks: &'a mut Map<String, Value>,
    tag: String,
    count: usize,
}

impl Planter<'_> {
    fn id(&mut self) -> String {
        self.count += 1;
        format!("{}-{}", self.tag, self.count)
    }

    fn plant(&mut self, mut hat: Value, script: Vec<Value>) {
        let id = self.id();
        hat["topLevel"] = json!(true);
        hat["next"] = self.chain(script);
        self.blocks.insert(id, hat);
    }

    /// The script as the body of a custom block that calls itself at the end.
    fn call(&mut self, hat: Value, mut script: Vec<Value>, warp: bool) {
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
        let definition = self.inputs(definition);
        self.plant(definition, script);
        self.plant(hat, vec![call]);
    }

    fn chain(&mut self, script: Vec<Value>) -> Value {
        let mut next = Value::Null;
        for block in script.into_iter().rev() {
            let id = self.id();
            let mut block = self.inputs(block);
            block["next"] = next;
            self.blocks.insert(id.clone(), block);
            next = json!(id);
        }
        next
    }

    /// Replaces blocks in inputs by their ids, and `V` and `L` by the names of the script's own.
    fn inputs(&mut self, mut block: Value) -> Value {
        let names = |value: &mut Value, tag: &str| {
            if let Some(Value::String(kind)) = value.get(1).cloned().as_ref()
                && matches!(&**kind, "V" | "L")
            {
                let name = json!(format!("{tag}{}", kind.to_lowercase()));
                for place in value.as_array_mut().into_iter().flatten().skip(1) {
                    *place = name.clone();
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
                    let id = self.id();
                    let inner = self.inputs(inner);
                    self.blocks.insert(id.clone(), inner);
                    json!(id)
                }
                Value::Array(script) if script.first().is_some_and(Value::is_object) => {
                    self.chain(script)
                }
                mut other => {
                    names(&mut other, &self.tag);
                    other
                }
            };
        }
        block["inputs"] = Value::Object(inputs);
        block
    }
}
