//! `package.json` with its members in order, because the order of members in `exports` and
//! `imports` matters.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Entry {
    Null,
    Text(String),
    List(Vec<Entry>),
    Members(Vec<(String, Entry)>),
    /// A number or a boolean.
    Other,
}

impl Entry {
    pub(crate) fn read(bytes: &[u8]) -> Option<Entry> {
        serde_json::from_slice(bytes).ok()
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Entry> {
        self.members().iter().rfind(|(key, _)| key == name).map(|(_, value)| value)
    }

    pub(crate) fn members(&self) -> &[(String, Entry)] {
        if let Entry::Members(members) = self { members } else { &[] }
    }

    pub(crate) fn text(&self) -> Option<&str> {
        if let Entry::Text(text) = self { Some(text) } else { None }
    }
}

impl<'de> Deserialize<'de> for Entry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Entry, D::Error> {
        struct Any;

        impl<'de> Visitor<'de> for Any {
            type Value = Entry;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("JSON")
            }

            fn visit_unit<E>(self) -> Result<Entry, E> {
                Ok(Entry::Null)
            }

            fn visit_bool<E>(self, _: bool) -> Result<Entry, E> {
                Ok(Entry::Other)
            }

            fn visit_i64<E>(self, _: i64) -> Result<Entry, E> {
                Ok(Entry::Other)
            }

            fn visit_u64<E>(self, _: u64) -> Result<Entry, E> {
                Ok(Entry::Other)
            }

            fn visit_f64<E>(self, _: f64) -> Result<Entry, E> {
                Ok(Entry::Other)
            }

            fn visit_str<E>(self, text: &str) -> Result<Entry, E> {
                Ok(Entry::Text(text.to_owned()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Entry, A::Error> {
                let mut items = Vec::new();
                while let Some(item) = list.next_element()? {
                    items.push(item);
                }
                Ok(Entry::List(items))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entry, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Entry::Members(members))
            }
        }

        deserializer.deserialize_any(Any)
    }
}
