//! The assertions that a test can make about a value.

use serde_json::{Value, json};

use super::layout::{Doc, length};
use super::literals::{is_name, literal, member, quoted};
use crate::refining::Classes;

/// Maximum length of an expected value, in characters.
const LARGEST: usize = 400;

/// Length of an expected value above which parts of it may be asserted instead, in characters.
const LARGE: usize = 120;

/// Maximum number of parts of a value that are asserted if nothing is known about their use.
const MAX_PARTS: usize = 3;

/// Maximum number of parts of a value from which assertions are chosen.
const MAX_CHOICES: usize = 16;

/// An assertion about a value or a part of it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Claim {
    /// The code that follows the name of the value, such as `.size`; empty for the value itself.
    pub(super) part: String,
    pub(super) at: Part,
    pub(super) expected: Expected,
}

/// A part of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Whole,
    /// The number of elements, or of UTF-16 units.
    Count,
    Message,
    Item(usize),
    Member(String),
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Expected {
    /// The value is identical to this primitive value.
    Same(Doc),
    /// The value is deeply equal to this value.
    Equal(Doc),
    /// The part has this type, as `typeof` returns it.
    Type(String),
    Array,
    Promise,
    /// An instance of an exported class. The string is the code that follows the exports to access
    /// the constructor, such as `.List`.
    Instance(String),
    /// The value equals the content of a snapshot.
    Snapshot,
}

impl Claim {
    fn whole(expected: Expected) -> Claim {
        Claim { part: String::new(), at: Part::Whole, expected }
    }

    fn count(name: &str, count: usize) -> Claim {
        let expected = Expected::Same(Doc::text(count.to_string()));
        Claim { part: format!(".{name}"), at: Part::Count, expected }
    }

    fn of(self, at: Part, access: String) -> Claim {
        Claim { part: access, at, ..self }
    }

    /// Whether the claim describes the value completely.
    pub(super) fn is_exact(&self) -> bool {
        self.at == Part::Whole && matches!(self.expected, Expected::Same(_) | Expected::Equal(_))
    }

    /// Whether the claim only states the type or class of the value.
    pub(super) fn is_type(&self) -> bool {
        use Expected as E;
        matches!(self.expected, E::Type(_) | E::Array | E::Promise | E::Instance(_))
    }
}

/// The data of a part of an observed value; null if it has no such part.
pub(super) fn part_of(value: &Value, part: &Part) -> Value {
    let items = |kind: &str| value.get(kind).and_then(Value::as_array);
    let found = match part {
        Part::Whole => Some(value.clone()),
        Part::Count => {
            let count = ["array", "map", "set"].iter().find_map(|kind| items(kind)).map(Vec::len);
            let text = value.get("string").and_then(Value::as_str);
            let units = || text.map(|text| text.encode_utf16().count());
            count.or_else(units).map(|count| json!(count))
        }
        Part::Message => value.get("message").cloned(),
        Part::Item(number) => items("array").and_then(|items| items.get(*number)).cloned(),
        Part::Member(name) => own_members(value).and_then(|members| members.get(name)).cloned(),
    };
    found.unwrap_or(Value::Null)
}

fn own_members(value: &Value) -> Option<&serde_json::Map<String, Value>> {
    value.get("members").or_else(|| value.get("object")).and_then(Value::as_object)
}

/// The claims about a value if nothing is known about the use of its parts, the strongest first.
pub(super) fn claims(value: &Value, classes: &Classes) -> Vec<Claim> {
    let mut found = choices(value, classes);
    let exact = found.first().is_some_and(Claim::is_exact);
    found.truncate(if exact { 1 } else { MAX_PARTS });
    if found.iter().any(|claim| !claim.is_type()) {
        found.retain(|claim| !claim.is_type());
    }
    found
}

/// The claims about a value from which assertions are chosen, the strongest first.
pub(super) fn choices(value: &Value, classes: &Classes) -> Vec<Claim> {
    let mut found = Vec::new();
    let whole = literal(value);
    let size = whole.as_ref().map(|doc| length(&doc.flat()));
    if let (Some(doc), Some(size)) = (whole, size)
        && size <= LARGEST
    {
        let kinds = ["array", "object", "map", "set", "date", "regexp"];
        let deep = kinds.iter().any(|kind| value.get(kind).is_some());
        found.push(Claim::whole(if deep { Expected::Equal(doc) } else { Expected::Same(doc) }));
        if size <= LARGE {
            return found;
        }
    } else if size.is_some() {
        found.push(Claim::whole(Expected::Snapshot));
    }
    if let Some(kind) = value.get("type").and_then(Value::as_str) {
        found.push(Claim::whole(match kind {
            "array" => Expected::Array,
            "promise" => Expected::Promise,
            kind => Expected::Type(kind.to_owned()),
        }));
        return found;
    }
    found.extend(parts(value));
    if let Some(name) = value.get("object").and_then(Value::as_str)
        && let Some(path) = classes.get(name)
    {
        let access: String = path.iter().map(|name| member(name)).collect();
        found.push(Claim::whole(Expected::Instance(access)));
    }
    found
}

fn parts(value: &Value) -> Vec<Claim> {
    if let Some(items) = value.get("array").and_then(Value::as_array) {
        let item =
            |(number, item)| Some(exact(item)?.of(Part::Item(number), format!("[{number}]")));
        let items_of = items.iter().enumerate().filter_map(item);
        return std::iter::once(Claim::count("length", items.len()))
            .chain(items_of)
            .take(MAX_CHOICES)
            .collect();
    }
    if let Some(text) = value.get("string").and_then(Value::as_str) {
        return vec![Claim::count("length", text.encode_utf16().count())];
    }
    for kind in ["map", "set"] {
        if let Some(items) = value.get(kind).and_then(Value::as_array) {
            return vec![Claim::count("size", items.len())];
        }
    }
    let message = value.get("message").and_then(Value::as_str);
    let message = message.filter(|message| length(message) <= LARGEST).map(|message| {
        let expected = Expected::Same(Doc::text(quoted(message)));
        Claim { part: ".message".to_owned(), at: Part::Message, expected }
    });
    let public = own_members(value).into_iter().flatten().filter(|(name, _)| is_public(name));
    // Leave out members that are `undefined`, because assertions about them say little.
    let public = public.filter(|(_, item)| item.get("undefined").is_none());
    // Use only the simple parts of an instance, because other parts are rarely public.
    let is_instance =
        value.get("object").is_some_and(Value::is_string) || value.get("error").is_some();
    let simple = |claim: &Claim| matches!(claim.expected, Expected::Same(_));
    let part = |(name, item): (&String, &Value)| {
        let claim = exact(item).filter(|claim| !is_instance || simple(claim))?;
        Some(claim.of(Part::Member(name.clone()), member(name)))
    };
    message.into_iter().chain(public.filter_map(part)).take(MAX_CHOICES).collect()
}

/// Whether a member is public by the conventions of the language.
fn is_public(name: &str) -> bool {
    is_name(name) && !name.starts_with('_') && !name.ends_with('_')
}

/// The claim that describes a value completely, if it is short.
fn exact(value: &Value) -> Option<Claim> {
    let claim = choices(value, &Classes::new()).into_iter().next().filter(Claim::is_exact)?;
    let short = match &claim.expected {
        Expected::Same(doc) | Expected::Equal(doc) => length(&doc.flat()) <= LARGE,
        _ => false,
    };
    short.then_some(claim)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(claim: Claim) -> String {
        match claim.expected {
            Expected::Same(doc) | Expected::Equal(doc) => {
                format!("{} = {}", claim.part, doc.flat())
            }
            Expected::Type(kind) => format!("{} is {kind}", claim.part),
            Expected::Array => format!("{} is an array", claim.part),
            Expected::Promise => format!("{} is a promise", claim.part),
            Expected::Instance(class) => format!("{} is an instance of {class}", claim.part),
            Expected::Snapshot => format!("{} is as in the snapshot", claim.part),
        }
    }

    fn texts(value: &Value) -> Vec<String> {
        let classes = Classes::from([("List".to_owned(), vec!["List".to_owned()])]);
        claims(value, &classes).into_iter().map(text).collect()
    }

    #[test]
    fn instances_are_asserted_by_their_public_members() {
        let members = json!({"size": {"number": "2"}, "_head": {"object": "Node"}, "next": {"object": "Node"}});
        assert_eq!(texts(&json!({"object": "List", "members": members})), [".size = 2"]);
        let members = json!({"_root": {"number": "2"}});
        let hidden = json!({"object": "List", "members": members});
        assert_eq!(texts(&hidden), [" is an instance of .List"]);
        assert_eq!(texts(&json!({"object": "Other", "members": members})), [""; 0]);
        let error = json!({"error": "NotFoundError", "message": "no", "members": {"status": {"number": "404"}}});
        assert_eq!(texts(&error), [".message = 'no'", ".status = 404"]);
        let cyclic = json!({"object": {"name": {"string": "a"}, "self": {"same_as": "#0"}}});
        assert_eq!(texts(&cyclic), [".name = 'a'"]);
    }

    #[test]
    fn large_values_are_asserted_by_their_shape() {
        let items: Vec<Value> = (0..150).map(|n| json!({"number": (n * n).to_string()})).collect();
        let named = json!({"array": items, "named": true});
        assert_eq!(texts(&named), [".length = 150", "[0] = 0", "[1] = 1"]);
        let named = json!({"array": [{"number": "2"}], "named": true});
        assert_eq!(texts(&named), [".length = 1", "[0] = 2"]);
        assert_eq!(texts(&json!({"type": "array"})), [" is an array"]);
        assert_eq!(texts(&json!({"number": "NaN"})), [" = NaN"]);
    }

    #[test]
    fn assertions_are_chosen_from_a_long_value_and_its_parts() {
        let items: Vec<Value> = (0..40).map(|n| json!({"number": (n * n).to_string()})).collect();
        let value = json!({"array": items});
        let found: Vec<String> = choices(&value, &Classes::new()).into_iter().map(text).collect();
        assert!(found[0].starts_with(" = [0, 1, 4") && found[1] == ".length = 40", "{found:?}");
        assert_eq!(part_of(&value, &Part::Item(3)), json!({"number": "9"}));
        assert_eq!(part_of(&value, &Part::Count), json!(40));
        assert_eq!(part_of(&value, &Part::Member("a".to_owned())), Value::Null);
    }
}
