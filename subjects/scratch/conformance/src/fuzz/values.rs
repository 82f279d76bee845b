//! Random values for `project.json`, and random choices among its parts.

use serde_json::{Map, Value, json};

use crate::rng::Rng;

/// Names with a special meaning in Scratch, JavaScript, paths or text rendering.
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

pub(super) fn scalar(rng: &mut Rng) -> Value {
    match rng.below(22) {
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
        14 => json!(rng.pick(&NAMES)),
        15 => json!("#ff0000"),
        16 => json!("äß😀".repeat(rng.log_uniform(12))),
        17 => json!("x".repeat(rng.log_uniform(21))),
        18 => json!("9".repeat(rng.log_uniform(10))),
        _ => json!((rng.signed_unit() * 500.0).round()),
    }
}

pub(super) fn any_value(rng: &mut Rng) -> Value {
    match rng.below(8) {
        0 => Value::Null,
        1 => json!([]),
        2 => json!({}),
        3 => json!([[scalar(rng)], scalar(rng)]),
        4 => Value::Array(vec![scalar(rng); rng.log_uniform(12)]),
        _ => scalar(rng),
    }
}

pub(super) fn targets(project: &mut Value) -> Option<&mut Vec<Value>> {
    project.get_mut("targets")?.as_array_mut()
}

pub(super) fn any_target<'a>(
    project: &'a mut Value,
    rng: &mut Rng,
) -> Option<&'a mut Map<String, Value>> {
    let targets = targets(project)?;
    let at = rng.below(targets.len());
    targets.get_mut(at)?.as_object_mut()
}

pub(super) fn any_key(map: &Map<String, Value>, rng: &mut Rng) -> Option<String> {
    map.keys().nth(rng.below(map.len())).cloned()
}

/// Earlier damage may have replaced the object with another value.
pub(super) fn set_member(value: &mut Value, key: &str, member: Value) {
    if let Some(object) = value.as_object_mut() {
        object.insert(key.to_owned(), member);
    }
}
