//! Conventional arguments for parameters with usual names or declared types.

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
    (
        "function",
        "fn func f callback cb predicate iteratee mapper reducer accessor valueof cmp compare comparator comparefn \
         iterator handler listener visitor replacer",
    ),
];

/// Names of objects whose members have special meanings.
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

/// Names of arrays whose elements are strings.
const OF_TEXTS: [&str; 6] = ["args", "argv", "words", "lines", "parts", "tokens"];

/// Numbers by position, so that two arguments differ.
const NUMBERS: [f64; 4] = [2.0, 5.0, 10.0, 3.0];

/// Numbers that may be years.
const YEARS: std::ops::RangeInclusive<f64> = 1900.0..=2100.0;

/// Maximum depth to which declared types are followed.
const DEEPEST: usize = 3;

/// Strings that examples of many programs contain.
const TEXTS: [&str; 10] = [
    "hello",
    "hello world",
    "Hello World",
    "foo",
    "foo bar",
    "fooBar",
    "foo-bar",
    "foo_bar",
    "abc",
    "bar",
];

/// Words that examples of many programs contain, with different letters and endings.
const WORDS: [&str; 44] = [
    "apple",
    "banana",
    "cherry",
    "cats",
    "ponies",
    "happy",
    "happiness",
    "running",
    "hopping",
    "falling",
    "agreed",
    "plastered",
    "sky",
    "knight",
    "school",
    "phone",
    "psychology",
    "whale",
    "pizza",
    "judge",
    "cheese",
    "thumb",
    "science",
    "character",
    "quick",
    "rhythm",
    "exact",
    "vision",
    "nation",
    "relational",
    "conditional",
    "electrical",
    "hopeful",
    "goodness",
    "formalize",
    "adjustment",
    "effective",
    "Smith",
    "Schmidt",
    "Thompson",
    "Jackson",
    "Michael",
    "Wright",
    "Caesar",
];

/// Strings in common formats, by parts of the names of functions and parameters that take them.
const FORMATS: [(&str, &[&str]); 11] = [
    ("html", &["<p>Hello <b>world</b></p>", "<br>", "a < b & c"]),
    ("markup", &["<p>Hello <b>world</b></p>"]),
    ("xml", &["<root><a>1</a></root>"]),
    ("json", &["{\"a\":1}", "[1,2,3]"]),
    ("csv", &["a,b,c\n1,2,3"]),
    ("url", &["https://example.com/path?a=1#top", "http://localhost:8080/"]),
    ("uri", &["https://example.com/path?a=1#top"]),
    ("path", &["/foo/bar.txt", "foo/bar"]),
    ("mail", &["user@example.com"]),
    ("version", &["1.2.3", "1.10.0"]),
    ("color", &["#ff0000", "rgb(255, 0, 0)", "red"]),
];

/// Maximum number of values of a type.
const MAX_VALUES: usize = 8;

/// Whether examples of many programs contain a string.
pub(super) fn is_plain(text: &str) -> bool {
    TEXTS.contains(&text) || WORDS.contains(&text)
}

/// Words with which a function of one string may be called.
pub(super) fn words_of_texts() -> impl Iterator<Item = Argument> {
    WORDS.into_iter().map(|word| Argument::String(word.to_owned()))
}

/// Strings in the format that the name of a function or of its parameter mentions.
pub(super) fn formatted(function: &str, parameter: &str) -> impl Iterator<Item = &'static str> {
    let names = [function.to_lowercase(), parameter.to_lowercase()];
    let named = move |format: &str| names.iter().any(|name| name.contains(format));
    let formats = FORMATS.into_iter().filter(move |(format, _)| named(format));
    formats.flat_map(|(_, texts)| texts.iter().copied())
}

/// Values of a kind, as in examples of many programs.
pub(super) fn plain(kind: &str) -> Vec<Argument> {
    let text = |text: &str| Argument::String(text.to_owned());
    let numbers = |numbers: &[f64]| numbers.iter().copied().map(Argument::Number).collect();
    let object = |members: &[(&str, f64)]| {
        let members = members.iter();
        Argument::Object(
            members.map(|(name, it)| ((*name).to_owned(), Argument::Number(*it))).collect(),
        )
    };
    match kind {
        "string" => TEXTS.into_iter().map(text).collect(),
        "number" => numbers(&[2.0, 1.0, 0.0, 5.0, 10.0, 100.0, 3.0, 1.5, -5.0, 1000.0]),
        "boolean" => vec![Argument::Boolean(true), Argument::Boolean(false)],
        "array" => vec![
            Argument::Array(numbers(&[1.0, 2.0, 3.0])),
            Argument::Array(["a", "b", "c"].map(text).to_vec()),
            Argument::Array(vec![object(&[("a", 1.0)]), object(&[("a", 2.0)])]),
            Argument::Array(numbers(&[3.0, 1.0, 2.0])),
        ],
        "object" => vec![
            object(&[("a", 1.0)]),
            object(&[("a", 1.0), ("b", 2.0)]),
            Argument::Object(vec![("a".to_owned(), object(&[("b", 1.0)]))]),
        ],
        _ => Vec::new(),
    }
}

/// Values of a declared type.
pub(super) fn values_of_shape(shape: &Shape, position: usize) -> Vec<Argument> {
    let mut values: Vec<Argument> = match shape {
        Shape::Union(shapes) => {
            shapes.iter().flat_map(|shape| values_of_shape(shape, position)).collect()
        }
        Shape::Object(members) => {
            let needed: Option<Vec<(String, Argument)>> = members
                .iter()
                .filter(|(.., optional)| !optional)
                .map(|(name, shape, _)| Some((name.clone(), value_of_shape(shape, 0, 1)?)))
                .collect();
            let Some(needed) = needed else { return Vec::new() };
            let with = |(name, shape, optional): &(String, Shape, bool)| {
                let value = value_of_shape(shape, 0, 1).filter(|_| *optional)?;
                let mut members = needed.clone();
                members.push((name.clone(), value));
                Some(Argument::Object(members))
            };
            let whole = (!needed.is_empty()).then(|| Argument::Object(needed.clone()));
            whole.into_iter().chain(members.iter().filter_map(with)).collect()
        }
        Shape::Named(name) => plain(&name.to_lowercase()),
        _ => value_of_shape(shape, position, 0).into_iter().collect(),
    };
    values.truncate(MAX_VALUES);
    values
}

/// The kind of values that the name of a parameter suggests.
pub(super) fn kind_by_name(name: &str) -> Option<&'static str> {
    let name = name.trim_start_matches('_').to_lowercase();
    let known = NAMES.iter().find(|(_, names)| names.split(' ').any(|known| known == name));
    let object = OBJECTS.contains(&&*name).then_some("object");
    known.map(|(kind, _)| *kind).or(object)
}

pub(super) fn is_year(name: &str) -> bool {
    let name = name.trim_start_matches('_').to_lowercase();
    ["year", "fullyear", "startyear", "endyear", "yyyy"].contains(&name.as_str())
}

pub(super) fn may_be_a_year(number: f64) -> bool {
    YEARS.contains(&number) && number.fract() == 0.0
}

/// A value for a parameter with a usual name.
pub(super) fn value_by_name(name: &str, position: usize) -> Option<Argument> {
    let lower = name.trim_start_matches('_').to_lowercase();
    if OBJECTS.contains(&&*lower) {
        return None;
    }
    if is_year(name) {
        return Some(Argument::Number(2020.0));
    }
    value_of(kind_by_name(name)?, OF_TEXTS.contains(&lower.as_str()), position)
}

fn value_of(kind: &str, of_texts: bool, position: usize) -> Option<Argument> {
    let text = |text: &str| Argument::String(text.to_owned());
    Some(match kind {
        "string" => text(["hello", "foo", "bar"][position.min(2)]),
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

/// A value of a declared type.
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
