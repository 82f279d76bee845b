//! Arguments by convention: what parameters with usual names, or with declared types, are given if no example says it.

use catherd_javascript_machine::Argument;
use catherd_javascript_machine::instrument::Shape;

use crate::words;

/// Names of parameters by the kind of their values.
const NAMES: [(&str, &str); 5] = [
    (
        "array",
        "array arr list items values elements data numbers nums args argv words lines parts tokens points",
    ),
    (
        "string",
        "str string text s word line name key prefix suffix separator sep delimiter filename path url",
    ),
    (
        "number",
        "n num number count length len size index min max start stop end step limit width height x y radius depth \
         precision digits decimals ms seconds k p from to offset position pos at",
    ),
    ("object", "obj object source target dest destination"),
    ("function", "fn func f callback cb predicate iteratee mapper reducer accessor valueof"),
];

/// Names of objects whose members have meanings of their own.
const OBJECTS: [&str; 12] = [
    "attributes",
    "attrs",
    "config",
    "env",
    "headers",
    "options",
    "opts",
    "params",
    "props",
    "query",
    "request",
    "settings",
];

/// Names of arrays whose elements are texts.
const OF_TEXTS: [&str; 6] = ["args", "argv", "words", "lines", "parts", "tokens"];

/// Numbers by position, so that two arguments differ.
const NUMBERS: [f64; 4] = [2.0, 5.0, 10.0, 3.0];

/// Maximum depth to which declared types are followed.
const DEEPEST: usize = 3;

/// The kind of values that the name of a parameter suggests; `None` if it suggests none.
pub(super) fn kind_by_name(name: &str) -> Option<&'static str> {
    let name = name.trim_start_matches('_').to_lowercase();
    let known = NAMES.iter().find(|(_, names)| names.split(' ').any(|known| known == name));
    let object = OBJECTS.contains(&&*name).then_some("object");
    known.map(|(kind, _)| *kind).or(object)
}

/// A value for a parameter with a usual name; `None` for other names.
pub(super) fn value_by_name(name: &str, position: usize) -> Option<Argument> {
    let lower = name.trim_start_matches('_').to_lowercase();
    if OBJECTS.contains(&&*lower) {
        return None;
    }
    value_of(kind_by_name(name)?, OF_TEXTS.contains(&lower.as_str()), position)
}

fn value_of(kind: &str, of_texts: bool, position: usize) -> Option<Argument> {
    let text = |text: &str| Argument::String(text.to_owned());
    Some(match kind {
        "string" => text(["abc", "b", "c"][position.min(2)]),
        "number" => Argument::Number(NUMBERS[position % NUMBERS.len()]),
        "boolean" => Argument::Boolean(true),
        "array" if of_texts => Argument::Array(vec![text("a"), text("b")]),
        "array" => Argument::Array([3.0, 1.0, 2.0].map(Argument::Number).to_vec()),
        "object" => {
            let members = [("a", 1.0), ("b", 2.0)];
            let members = members.map(|(name, value)| (name.to_owned(), Argument::Number(value)));
            Argument::Object(members.to_vec())
        }
        "function" => Argument::Function("first".to_owned(), Box::new(Argument::Undefined)),
        _ => return None,
    })
}

/// A value of a declared type; `None` if the type is too large or not known.
pub(super) fn value_of_shape(shape: &Shape, position: usize, depth: usize) -> Option<Argument> {
    if depth > DEEPEST {
        return None;
    }
    match shape {
        Shape::Literal(literal) => words::argument(literal),
        Shape::Union(shapes) => {
            shapes.iter().find_map(|shape| value_of_shape(shape, position, depth + 1))
        }
        Shape::Array(item) => {
            let items = (0..3).map(|at| value_of_shape(item, at, depth + 1));
            items.collect::<Option<_>>().map(Argument::Array)
        }
        Shape::Object(members) => {
            let needed = members.iter().filter(|(.., optional)| !optional).enumerate();
            let members = needed.map(|(at, (name, shape, _))| {
                Some((name.clone(), value_of_shape(shape, at, depth + 1)?))
            });
            let members: Vec<(String, Argument)> = members.collect::<Option<_>>()?;
            (!members.is_empty()).then_some(Argument::Object(members))
        }
        Shape::Function(_) => value_of("function", false, position),
        Shape::Named(name) => value_of(&name.to_lowercase(), false, position),
        Shape::Any => None,
    }
}
