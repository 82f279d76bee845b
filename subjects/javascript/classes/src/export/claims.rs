//! What a test can assert of a value: the whole value if it has a literal, otherwise its public parts.

use serde_json::Value;

use super::layout::{Doc, length};
use super::literals::{is_name, literal, member};

/// Maximum length of an expected value, in characters.
const LARGEST: usize = 400;

/// Maximum number of parts of a value that are asserted.
const MAX_PARTS: usize = 3;

/// An assertion on a value or a part of it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Claim {
    /// What follows the name of the value, such as `.size`; empty for the value itself.
    pub(super) part: String,
    pub(super) expected: Expected,
}

/// What a part of a value is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Expected {
    /// Identical to a primitive value.
    Same(Doc),
    /// Deeply equal to a value.
    Equal(Doc),
    /// Of a type, as `typeof` gives it.
    Type(String),
    /// An array.
    Array,
    /// A promise.
    Promise,
}

impl Claim {
    fn whole(expected: Expected) -> Claim {
        Claim { part: String::new(), expected }
    }

    /// The claim about the same part of a member.
    fn of_member(mut self, name: &str) -> Claim {
        self.part = format!("{name}{}", self.part);
        self
    }

    /// Whether it says everything of the value.
    pub(super) fn is_exact(&self) -> bool {
        self.part.is_empty() && matches!(self.expected, Expected::Same(_) | Expected::Equal(_))
    }
}

/// The claims about a value, the strongest first. Empty if nothing is asserted.
pub(super) fn claims(value: &Value) -> Vec<Claim> {
    if let Some(doc) = literal(value) {
        let primitive = ["array", "object", "map", "set", "date", "regexp"];
        let deep = primitive.iter().any(|kind| value.get(kind).is_some());
        if length(&doc.flat()) <= LARGEST {
            return vec![Claim::whole(if deep {
                Expected::Equal(doc)
            } else {
                Expected::Same(doc)
            })];
        }
    }
    if let Some(kind) = value.get("type").and_then(Value::as_str) {
        return vec![Claim::whole(match kind {
            "array" => Expected::Array,
            "promise" => Expected::Promise,
            kind => Expected::Type(kind.to_owned()),
        })];
    }
    if let Some(items) = value.get("array").and_then(Value::as_array) {
        let count = Expected::Same(Doc::text(items.len().to_string()));
        let mut found = vec![Claim { part: ".length".to_owned(), expected: count }];
        let parts = items
            .iter()
            .enumerate()
            .filter_map(|(number, item)| Some(exact(item)?.of_member(&format!("[{number}]"))));
        found.extend(parts.take(MAX_PARTS - 1));
        return found;
    }
    if let Some(text) = value.get("string").and_then(Value::as_str) {
        let units = text.encode_utf16().count();
        let count = Expected::Same(Doc::text(units.to_string()));
        return vec![Claim { part: ".length".to_owned(), expected: count }];
    }
    for kind in ["map", "set"] {
        if let Some(items) = value.get(kind).and_then(Value::as_array) {
            let count = Expected::Same(Doc::text(items.len().to_string()));
            return vec![Claim { part: ".size".to_owned(), expected: count }];
        }
    }
    if let Some(message) = value.get("message") {
        let expected = literal(&serde_json::json!({"string": message}));
        let expected = expected.filter(|doc| length(&doc.flat()) <= LARGEST);
        return expected
            .map(|doc| Claim { part: ".message".to_owned(), expected: Expected::Same(doc) })
            .into_iter()
            .collect();
    }
    members(value)
}

/// The claims about an object without a literal: its public members, or only its class.
fn members(value: &Value) -> Vec<Claim> {
    let own = value.get("members").or_else(|| value.get("object")).and_then(Value::as_object);
    let public = own.into_iter().flatten().filter(|(name, _)| is_public(name));
    let parts = public.filter_map(|(name, item)| Some(exact(item)?.of_member(&member(name))));
    let found: Vec<Claim> = parts.take(MAX_PARTS).collect();
    if !found.is_empty() {
        return found;
    }
    let class = value.get("object").and_then(Value::as_str).filter(|name| is_name(name));
    let name = |name: &str| Expected::Same(Doc::text(super::literals::quoted(name)));
    class
        .map(|class| Claim { part: ".constructor.name".to_owned(), expected: name(class) })
        .into_iter()
        .collect()
}

/// Whether a member is public by the conventions of the language.
fn is_public(name: &str) -> bool {
    is_name(name) && !name.starts_with('_') && !name.ends_with('_')
}

/// The claim that says everything of a value.
fn exact(value: &Value) -> Option<Claim> {
    claims(value).into_iter().next().filter(Claim::is_exact)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn texts(value: &Value) -> Vec<String> {
        let text = |claim: Claim| match claim.expected {
            Expected::Same(doc) | Expected::Equal(doc) => {
                format!("{} = {}", claim.part, doc.flat())
            }
            Expected::Type(kind) => format!("{} is {kind}", claim.part),
            Expected::Array => format!("{} is an array", claim.part),
            Expected::Promise => format!("{} is a promise", claim.part),
        };
        claims(value).into_iter().map(text).collect()
    }

    #[test]
    fn instances_are_asserted_by_their_public_members() {
        let members = json!({"size": {"number": "2"}, "_head": {"object": "Node"}, "next": {"object": "Node"}});
        assert_eq!(texts(&json!({"object": "List", "members": members})), [".size = 2"]);
        let members = json!({"_root": {"number": "2"}});
        let hidden = json!({"object": "List", "members": members});
        assert_eq!(texts(&hidden), [".constructor.name = 'List'"]);
        let cyclic = json!({"object": {"name": {"string": "a"}, "self": {"same_as": "#0"}}});
        assert_eq!(texts(&cyclic), [".name = 'a'"]);
    }

    #[test]
    fn large_values_are_asserted_by_their_shape() {
        let items: Vec<Value> = (0..150).map(|n| json!({"number": (n * n).to_string()})).collect();
        assert_eq!(texts(&json!({"array": items})), [".length = 150", "[0] = 0", "[1] = 1"]);
        let named = json!({"array": [{"number": "2"}], "named": true});
        assert_eq!(texts(&named), [".length = 1", "[0] = 2"]);
        assert_eq!(texts(&json!({"type": "array"})), [" is an array"]);
        assert_eq!(texts(&json!({"number": "NaN"})), [" = NaN"]);
    }
}
