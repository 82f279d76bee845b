//! JSON parser with the number type and the order of members of JavaScript.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::HashMap;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};

use crate::{Cause, Limits, Value};

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Json<'a> {
    Null,
    Bool(bool),
    Number(f64),
    Text(Cow<'a, str>),
    Array(Vec<Json<'a>>),
    /// Members with unique keys, in the order of JavaScript.
    Object(Vec<(Cow<'a, str>, Json<'a>)>),
}

impl<'a> Json<'a> {
    pub(crate) fn get(&self, key: &str) -> Option<&Json<'a>> {
        let Json::Object(members) = self else { return None };
        members.iter().find(|(k, _)| k == key).map(|(_, v)| v)
    }

    pub(crate) fn text(&self) -> Option<&str> {
        if let Json::Text(text) = self { Some(text) } else { None }
    }

    pub(crate) fn number(&self) -> Option<f64> {
        if let Json::Number(number) = self { Some(*number) } else { None }
    }

    pub(crate) fn array(&self) -> Option<&[Json<'a>]> {
        if let Json::Array(items) = self { Some(items) } else { None }
    }

    /// The value as JavaScript converts it to a string.
    pub(crate) fn to_text(&self) -> Cow<'_, str> {
        match self {
            Json::Null => "null".into(),
            Json::Bool(flag) => if *flag { "true" } else { "false" }.into(),
            Json::Number(number) => ryu_js::Buffer::new().format(*number).to_owned().into(),
            Json::Text(text) => (&**text).into(),
            Json::Array(items) => {
                let item = |item: &Json| match item {
                    Json::Null => String::new(),
                    other => other.to_text().into_owned(),
                };
                items.iter().map(item).collect::<Vec<_>>().join(",").into()
            }
            Json::Object(_) => "[object Object]".into(),
        }
    }

    /// Null has no counterpart in the model and becomes the string `null`.
    pub(crate) fn scalar(&self) -> Option<Value> {
        match self {
            Json::Null => Some(Value::Text("null".into())),
            Json::Bool(b) => Some(Value::Bool(*b)),
            Json::Number(n) => Some(Value::Number(*n)),
            Json::Text(t) => Some(Value::Text(t.as_ref().into())),
            Json::Array(_) | Json::Object(_) => None,
        }
    }
}

/// Decodes the bytes of a JSON file, without a byte order mark.
pub(crate) fn decode(bytes: &[u8]) -> Cow<'_, str> {
    let text = String::from_utf8_lossy(bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes));
    let escapes = repaired_escapes(text.as_bytes());
    if escapes.is_empty() {
        return text;
    }
    let mut repaired = String::with_capacity(text.len());
    let mut end = 0;
    for (at, length, replacement) in escapes {
        repaired.push_str(&text[end..at]);
        repaired.push_str(replacement);
        end = at + length;
    }
    repaired.push_str(&text[end..]);
    Cow::Owned(repaired)
}

/// The positions, lengths and replacements of escapes of unpaired surrogates and of backspaces.
/// Unpaired surrogates, such as `\uD83D`, occur in projects that process emoji, because Scratch
/// cuts strings between UTF-16 units.
fn repaired_escapes(text: &[u8]) -> Vec<(usize, usize, &'static str)> {
    let unit = |at: usize| {
        let digits = text.get(at..at + 6)?.strip_prefix(b"\\u")?;
        u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    let mut escapes = Vec::new();
    let mut at = 0;
    while at < text.len() {
        if text[at] != b'\\' {
            at += 1;
            continue;
        }
        match unit(at) {
            Some(0xD800..0xDC00) if matches!(unit(at + 6), Some(0xDC00..0xE000)) => at += 12,
            Some(0xD800..0xE000) => {
                escapes.push((at, 6, "\\ufffd"));
                at += 6;
            }
            Some(0x0008) => {
                escapes.push((at, 6, ""));
                at += 6;
            }
            Some(_) => at += 6,
            None if text.get(at + 1) == Some(&b'b') => {
                escapes.push((at, 2, ""));
                at += 2;
            }
            // Skip both characters of another escape, because the second may be a backslash.
            None => at += 2,
        }
    }
    escapes
}

pub(crate) fn parse<'a>(text: &'a str, limits: &Limits) -> Result<Json<'a>, Cause> {
    let budget =
        Budget { values: Cell::new(limits.json_values), exceeded: Cell::new(None), limits };
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let parsed = Node { budget: &budget, depth: limits.json_depth.min(120) }
        .deserialize(&mut deserializer)
        .and_then(|json| deserializer.end().map(|()| json));
    parsed.map_err(|error| budget.exceeded.take().unwrap_or(Cause::Json(error)))
}

struct Budget<'l> {
    values: Cell<usize>,
    exceeded: Cell<Option<Cause>>,
    limits: &'l Limits,
}

impl Budget<'_> {
    fn spend<E: serde::de::Error>(&self) -> Result<(), E> {
        match self.values.get().checked_sub(1) {
            Some(rest) => {
                self.values.set(rest);
                Ok(())
            }
            None => Err(self.exceed("values in project.json", self.limits.json_values)),
        }
    }

    fn exceed<E: serde::de::Error>(&self, unit: &'static str, most: usize) -> E {
        self.exceeded.set(Some(Cause::limit(unit, most)));
        E::custom(unit)
    }
}

#[derive(Clone, Copy)]
struct Node<'b> {
    budget: &'b Budget<'b>,
    depth: usize,
}

impl Node<'_> {
    fn deeper<E: serde::de::Error>(self) -> Result<Self, E> {
        match self.depth.checked_sub(1) {
            Some(depth) => Ok(Node { depth, ..self }),
            None => {
                let most = self.budget.limits.json_depth.min(120);
                Err(self.budget.exceed("levels of nesting in project.json", most))
            }
        }
    }
}

impl<'de> DeserializeSeed<'de> for Node<'_> {
    type Value = Json<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json<'de>, D::Error> {
        self.budget.spend()?;
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Node<'_> {
    type Value = Json<'de>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Json<'de>, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json<'de>, E> {
        Ok(Json::Bool(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json<'de>, E> {
        Ok(Json::Number(value as f64))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json<'de>, E> {
        Ok(Json::Number(value as f64))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json<'de>, E> {
        Ok(Json::Number(value))
    }

    fn visit_borrowed_str<E>(self, value: &'de str) -> Result<Json<'de>, E> {
        Ok(Json::Text(Cow::Borrowed(value)))
    }

    fn visit_str<E>(self, value: &str) -> Result<Json<'de>, E> {
        Ok(Json::Text(Cow::Owned(value.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Json<'de>, A::Error> {
        let inner = self.deeper()?;
        let mut items = Vec::new();
        while let Some(item) = seq.next_element_seed(inner)? {
            items.push(item);
        }
        Ok(Json::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json<'de>, A::Error> {
        let inner = self.deeper()?;
        let mut members = Vec::new();
        while let Some(key) = map.next_key_seed(Node { depth: 0, ..self })? {
            let Json::Text(key) = key else {
                return Err(A::Error::custom("a key is not a string"));
            };
            members.push((key, map.next_value_seed(inner)?));
        }
        Ok(Json::Object(in_javascript_order(members)))
    }
}

/// Orders members as JavaScript enumerates the properties of an object.
pub(crate) fn in_javascript_order<V>(members: Vec<(Cow<'_, str>, V)>) -> Vec<(Cow<'_, str>, V)> {
    let mut members = without_repetition(members);
    if members.iter().any(|(key, _)| array_index(key).is_some()) {
        // The sort is stable, and no index equals the value used for other keys.
        members.sort_by_key(|(key, _)| array_index(key).unwrap_or(u32::MAX));
    }
    members
}

fn without_repetition<V>(members: Vec<(Cow<'_, str>, V)>) -> Vec<(Cow<'_, str>, V)> {
    let repeats = if members.len() <= 12 {
        members.iter().enumerate().any(|(i, (key, _))| members[..i].iter().any(|(k, _)| k == key))
    } else {
        let keys: std::collections::HashSet<_> = members.iter().map(|(key, _)| key).collect();
        keys.len() < members.len()
    };
    if !repeats {
        return members;
    }
    let mut positions = HashMap::new();
    let mut unique: Vec<(Cow<'_, str>, V)> = Vec::new();
    for (key, value) in members {
        let position = *positions.entry(key.clone()).or_insert(unique.len());
        match unique.get_mut(position) {
            Some((_, old)) => *old = value,
            None => unique.push((key, value)),
        }
    }
    unique
}

/// Array indices are canonical and less than 2^32 - 1.
fn array_index(key: &str) -> Option<u32> {
    let canonical = key == "0" || key.starts_with(|c: char| ('1'..='9').contains(&c));
    let index = if canonical && key.bytes().all(|b| b.is_ascii_digit()) {
        key.parse().ok()?
    } else {
        return None;
    };
    (index != u32::MAX).then_some(index)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(text: &str) -> Vec<String> {
        match parse(text, &Limits::default()).unwrap() {
            Json::Object(members) => members.into_iter().map(|(k, _)| k.into_owned()).collect(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn keys_come_in_javascript_order() {
        let text = r#"{"b":1, "10":1, "a":1, "2":1, "01":1, "4294967295":1, "0":1, "-1":1}"#;
        assert_eq!(keys(text), ["0", "2", "10", "b", "a", "01", "4294967295", "-1"]);
    }

    #[test]
    fn a_repeated_key_keeps_its_first_position_and_last_value() {
        let text = r#"{"a":1, "b":2, "a":3}"#;
        let json = parse(text, &Limits::default()).unwrap();
        assert_eq!(keys(text), ["a", "b"]);
        assert_eq!(json.get("a"), Some(&Json::Number(3.0)));
    }

    #[test]
    fn many_repeated_keys_keep_their_last_values() {
        let text: Vec<_> = (0..40).map(|i| format!(r#""k{}":{i}"#, i % 20)).collect();
        let text = format!("{{{}}}", text.join(","));
        assert_eq!(keys(&text).len(), 20);
        let json = parse(&text, &Limits::default()).unwrap();
        assert_eq!(json.get("k3"), Some(&Json::Number(23.0)));
    }

    #[test]
    fn halves_of_surrogate_pairs_are_replaced() {
        let decoded = decode(br#"["\ud83d\ude00", "\ud83d", "\\ud83d", "\ude00\ud83d"]"#);
        assert_eq!(decoded, r#"["\ud83d\ude00", "\ufffd", "\\ud83d", "\ufffd\ufffd"]"#);
        assert!(parse(&decoded, &Limits::default()).is_ok());
    }

    #[test]
    fn escapes_of_backspaces_are_removed() {
        let decoded = decode(br#"["a\bc", "a\\bc", "\\\bx", "\u0008y", "\\u0008"]"#);
        assert_eq!(decoded, r#"["ac", "a\\bc", "\\x", "y", "\\u0008"]"#);
    }

    #[test]
    fn values_become_strings_as_in_javascript() {
        let json = parse(r#"["getParam", null, [1.5, 1e21], {"a": 1}, true]"#, &Limits::default());
        assert_eq!(json.unwrap().to_text(), "getParam,,1.5,1e+21,[object Object],true");
    }

    #[test]
    fn limits_are_distinguished_from_invalid_json() {
        let deep = "[".repeat(100_000);
        assert!(matches!(parse(&deep, &Limits::default()), Err(Cause::Limit { most: 120, .. })));
        let few = Limits { json_values: 3, ..Limits::default() };
        assert!(parse("[1,2]", &few).is_ok());
        assert!(matches!(parse("[1,2,3]", &few), Err(Cause::Limit { most: 3, .. })));
        let Err(Cause::Json(error)) = parse("{\n \"a\": 1,,}", &few) else { panic!() };
        assert_eq!((error.line(), error.column()), (2, 9));
    }

    #[test]
    fn floats_are_exact() {
        let json = parse("[36.678235294117654, 1e23]", &Limits::default()).unwrap();
        let exact = [Json::Number(36.678235294117654), Json::Number(1e23)];
        assert_eq!(json, Json::Array(exact.to_vec()));
    }
}
