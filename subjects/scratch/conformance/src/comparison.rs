//! Comparison of the VM's state with a recorded state.

use std::collections::BTreeMap;

use catherd_scratch_sb3::RotationStyle;
use catherd_scratch_vm::{TargetView, Text, Tracer, Value as Scalar, Vm};
use serde::Serialize;
use serde_json::Value;

use crate::trace::Properties;

/// The first difference between a recording and its replay.
#[derive(Clone, Debug, Serialize)]
pub struct Divergence {
    /// Step of the difference; 0 is the state before the first step.
    pub step: u64,
    /// Name of the sprite; `-` if the number of threads or the list of targets differs.
    pub sprite: String,
    /// Position of the target in the recorded state; 0 for `-`.
    pub index: usize,
    /// Name of the property, such as `x`, `direction` or `variable score`.
    pub property: String,
    /// Value in the recording.
    pub expected: String,
    /// Value in the replay.
    pub got: String,
    /// Blocks that the sprite (for `-`, any target) executed in the step, as `OPCODE (ID)`.
    pub blocks: Vec<String>,
}

/// The caller must set the step and the blocks of the divergence.
pub(crate) fn compare<T: Tracer>(
    vm: &Vm<T>,
    threads: u64,
    expected: &[Properties],
) -> Option<Divergence> {
    let differ = |sprite: &str, index, property: &str, expected: String, got: String| {
        let (sprite, property) = (sprite.to_owned(), property.to_owned());
        Some(Divergence { step: 0, sprite, index, property, expected, got, blocks: Vec::new() })
    };
    let views: Vec<_> = vm.targets().filter_map(|id| vm.target(id)).collect();
    let names = |names: &mut dyn Iterator<Item = String>| names.collect::<Vec<_>>().join(", ");
    for (index, (want, view)) in expected.iter().zip(&views).enumerate() {
        let name = want.get("n").and_then(Value::as_str).unwrap_or("");
        if *view.name != *name {
            break;
        }
        for (key, got) in [("x", view.x), ("y", view.y)] {
            if !want.contains_key(key) && !got.is_nan() {
                return differ(name, index, key, "undefined".to_owned(), got.to_string());
            }
        }
        for (key, want) in want {
            if let Err((property, got)) = check_property(view, key, want) {
                return differ(name, index, &property, expected_text(&property, want), got);
            }
        }
    }
    let order_differs = expected.len() != views.len()
        || expected.iter().zip(&views).any(|(want, view)| {
            want.get("n").and_then(Value::as_str).is_none_or(|n| *view.name != *n)
        });
    if order_differs {
        let want = names(
            &mut expected.iter().map(|t| t.get("n").map_or(String::new(), |n| n.to_string())),
        );
        let got = names(&mut views.iter().map(|v| format!("{:?}", v.name.to_str())));
        return differ("-", 0, "targets", want, got);
    }
    if vm.thread_count() as u64 != threads {
        return differ("-", 0, "threads", threads.to_string(), vm.thread_count().to_string());
    }
    None
}

fn expected_text(property: &str, want: &Value) -> String {
    let name = property.split_once(' ').map(|(_, name)| name);
    let inner = name.and_then(|name| match property.split_once(' ')?.0 {
        "variable" => want.get(name),
        "list" => want.get(format!("[]{name}")),
        _ => want.get(name),
    });
    inner.unwrap_or(want).to_string()
}

/// The error contains the name of the property for reports and the value in the replay.
type PropertyCheck = Result<(), (String, String)>;

/// Properties with unknown keys are accepted.
fn check_property(view: &TargetView<'_>, key: &str, want: &Value) -> PropertyCheck {
    let number = |name: &str, got: f64| {
        if same_number(want, got) { Ok(()) } else { Err((name.to_owned(), got.to_string())) }
    };
    match key {
        "x" => number("x", view.x),
        "y" => number("y", view.y),
        "d" => number("direction", view.direction),
        "s" => number("size", view.size),
        "c" => number("costume", view.costume as f64),
        "l" => number("layer", view.layer() as f64),
        "vol" => number("volume", view.volume),
        "v" if want.as_bool() != Some(view.visible) => {
            Err(("visible".to_owned(), view.visible.to_string()))
        }
        "o" if want.as_bool() != Some(view.original) => {
            Err(("original".to_owned(), view.original.to_string()))
        }
        "r" => {
            let got = match view.rotation_style {
                RotationStyle::AllAround => "all around",
                RotationStyle::LeftRight => "left-right",
                RotationStyle::DontRotate => "don't rotate",
            };
            check_text("rotation style", want, got)
        }
        "b" => check_text("bubble", want, &view.bubble.map_or(String::new(), Text::to_string)),
        "e" => check_effects(view, want),
        "vars" => check_variables(view, want),
        _ => Ok(()),
    }
}

fn check_text(name: &str, want: &Value, got: &str) -> PropertyCheck {
    if want.as_str() == Some(got) { Ok(()) } else { Err((name.to_owned(), format!("{got:?}"))) }
}

const EFFECTS: [&str; 7] =
    ["color", "fisheye", "whirl", "pixelate", "mosaic", "brightness", "ghost"];

fn check_effects(view: &TargetView<'_>, want: &Value) -> PropertyCheck {
    for (name, got) in EFFECTS.iter().zip(view.effects) {
        let zero = Value::from(0);
        if !same_number(want.get(name).unwrap_or(&zero), got) {
            return Err((format!("effect {name}"), got.to_string()));
        }
    }
    Ok(())
}

fn check_variables(view: &TargetView<'_>, want: &Value) -> PropertyCheck {
    let Value::Object(want) = want else { return Ok(()) };
    let scalars: BTreeMap<String, &Scalar> =
        view.variables().map(|(name, value)| (name.to_string(), value)).collect();
    let lists: BTreeMap<String, &[Scalar]> =
        view.lists().map(|(name, items)| (name.to_string(), items)).collect();
    for (name, want) in want {
        match name.strip_prefix("[]") {
            Some(name) => {
                let got = lists.get(name).copied();
                if !got.is_some_and(|items| same_list(want, items)) {
                    let got = got.map_or("absent".to_owned(), |l| {
                        format!("length {}: {:?}", l.len(), &l[..l.len().min(20)])
                    });
                    return Err((format!("list {name}"), got));
                }
            }
            None => {
                let got = scalars.get(name).copied();
                if !got.is_some_and(|got| same_scalar(want, got)) {
                    return Err((format!("variable {name}"), format!("{got:?}")));
                }
            }
        }
    }
    Ok(())
}

/// Equality with a tolerance of 1e-9, relative for numbers with an absolute value above 1.
/// Non-finite numbers are recorded as strings.
fn same_number(want: &Value, got: f64) -> bool {
    match want {
        Value::Number(n) => n.as_f64().is_some_and(|n| (n - got).abs() <= 1e-9 * n.abs().max(1.0)),
        Value::String(s) => match s.as_str() {
            "NaN" => got.is_nan(),
            "Infinity" => got == f64::INFINITY,
            "-Infinity" => got == f64::NEG_INFINITY,
            _ => false,
        },
        _ => false,
    }
}

fn same_scalar(want: &Value, got: &Scalar) -> bool {
    match got {
        Scalar::Number(n) => same_number(want, *n),
        Scalar::Text(t) => want.as_str().is_some_and(|w| *t == *w || t.to_str() == w),
        Scalar::Bool(b) => want.as_bool() == Some(*b),
        Scalar::Undefined => want.is_null(),
    }
}

fn same_list(want: &Value, got: &[Scalar]) -> bool {
    let same = |want: &[Value], got: &[Scalar]| {
        want.len() == got.len() && want.iter().zip(got).all(|(w, g)| same_scalar(w, g))
    };
    match want {
        Value::Array(items) => same(items, got),
        Value::Object(long) => {
            let part = |key: &str| long.get(key).and_then(Value::as_array);
            let (Some(head), Some(tail)) = (part("head"), part("tail")) else { return false };
            long.get("n").and_then(Value::as_u64) == Some(got.len() as u64)
                && got.len() >= head.len().max(tail.len())
                && same(head, &got[..head.len()])
                && same(tail, &got[got.len() - tail.len()..])
        }
        _ => false,
    }
}
