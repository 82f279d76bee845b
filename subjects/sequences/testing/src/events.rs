//! Events: names, fields and sets.

use std::fmt;

use rustc_hash::FxHashMap;
use serde::{Serialize, Serializer};

/// Number of an event: its position in [`Events`].
pub type EventId = u32;

/// Maximum number of events of a model.
pub const MAX_EVENTS: usize = 1 << 16;

/// The value of an event's field.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(untagged)]
pub enum FieldValue {
    /// A whole number.
    Integer(i32),
    /// `true` or `false`.
    Flag(bool),
    /// A string.
    Text(String),
}

impl fmt::Display for FieldValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FieldValue::Integer(number) => write!(f, "{number}"),
            FieldValue::Flag(flag) => write!(f, "{flag}"),
            FieldValue::Text(text) => f.write_str(text),
        }
    }
}

/// An event: an atomic action with a name and the values of its fields.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Event {
    /// The name, such as `AddQuestion.Submit`.
    pub name: String,
    /// The fields in the order of their declaration.
    pub fields: Vec<(String, FieldValue)>,
}

impl Event {
    /// An event without fields.
    pub fn plain(name: impl Into<String>) -> Event {
        Event { name: name.into(), fields: Vec::new() }
    }

    /// The value of a field, if the event has the field.
    pub fn field(&self, name: &str) -> Option<&FieldValue> {
        self.fields.iter().find(|(field, _)| field == name).map(|(_, value)| value)
    }
}

/// Writes `Name` or `Name(field: value, ...)`.
impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        for (number, (name, value)) in self.fields.iter().enumerate() {
            write!(f, "{}{name}: {value}", if number == 0 { "(" } else { ", " })?;
        }
        if self.fields.is_empty() { Ok(()) } else { f.write_str(")") }
    }
}

impl Serialize for Event {
    /// Writes the name if there are no fields, otherwise an object with `event` and the fields.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeMap;
        if self.fields.is_empty() {
            return serializer.serialize_str(&self.name);
        }
        let mut map = serializer.serialize_map(Some(1 + self.fields.len()))?;
        map.serialize_entry("event", &self.name)?;
        for (name, value) in &self.fields {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

/// The events of a model in the order of their numbers.
#[derive(Clone, Debug, Default)]
pub struct Events {
    list: Vec<Event>,
    labels: FxHashMap<String, EventId>,
    named: FxHashMap<String, Vec<EventId>>,
}

impl Events {
    /// Events without fields.
    pub fn plain<S: Into<String>>(names: impl IntoIterator<Item = S>) -> Events {
        let mut events = Events::default();
        for name in names {
            events.add(Event::plain(name));
        }
        events
    }

    /// Adds an event and returns its number. If there is an event with the same label, returns the
    /// number of that event.
    pub fn add(&mut self, event: Event) -> EventId {
        let label = event.to_string();
        if let Some(&known) = self.labels.get(&label) {
            return known;
        }
        let id = self.list.len() as EventId;
        self.labels.insert(label, id);
        self.named.entry(event.name.clone()).or_default().push(id);
        self.list.push(event);
        id
    }

    /// The number of events.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there is no event.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// All events in the order of their numbers.
    pub fn list(&self) -> &[Event] {
        &self.list
    }

    /// The event with this number.
    ///
    /// # Panics
    ///
    /// If there is no event with this number.
    pub fn get(&self, id: EventId) -> &Event {
        &self.list[id as usize]
    }

    /// The number of the event with this label (see the `Display` of [`Event`]), if there is one.
    pub fn labelled(&self, label: &str) -> Option<EventId> {
        self.labels.get(label).copied()
    }

    /// The numbers of the events with this name, in ascending order.
    pub fn named(&self, name: &str) -> &[EventId] {
        self.named.get(name).map_or(&[], Vec::as_slice)
    }

    /// The names in the order of their first events.
    pub fn names(&self) -> Vec<&str> {
        let first = |event: &&Event| self.named[&event.name][0] == self.labels[&event.to_string()];
        self.list.iter().filter(first).map(|event| event.name.as_str()).collect()
    }
}

/// A set of events as a bit vector.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct EventSet(Vec<u64>);

impl EventSet {
    /// The empty set, for a model with this many events.
    pub fn empty(events: usize) -> EventSet {
        EventSet(vec![0; events.div_ceil(64)])
    }

    /// The set of all events.
    pub fn all(events: usize) -> EventSet {
        let mut set = EventSet(vec![u64::MAX; events.div_ceil(64)]);
        if let Some(last) = set.0.last_mut().filter(|_| !events.is_multiple_of(64)) {
            *last = (1 << (events % 64)) - 1;
        }
        set
    }

    /// Adds an event.
    pub fn insert(&mut self, event: EventId) {
        self.0[event as usize / 64] |= 1 << (event % 64);
    }

    /// Whether the set contains an event.
    pub fn contains(&self, event: EventId) -> bool {
        has(&self.0, event)
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    /// Adds all events of another set.
    pub fn unite(&mut self, other: &EventSet) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a |= b);
    }

    /// Removes all events of another set.
    pub fn remove_all(&mut self, other: &EventSet) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a &= !b);
    }

    /// The events in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = EventId> + '_ {
        ones(&self.0)
    }

    pub(crate) fn words(&self) -> &[u64] {
        &self.0
    }

    pub(crate) fn words_mut(&mut self) -> &mut [u64] {
        &mut self.0
    }
}

pub(crate) fn has(words: &[u64], event: EventId) -> bool {
    words[event as usize / 64] >> (event % 64) & 1 == 1
}

/// The positions of the bits that are set.
pub(crate) fn ones(words: &[u64]) -> impl Iterator<Item = u32> + '_ {
    words.iter().enumerate().flat_map(|(number, &word)| {
        let mut left = word;
        std::iter::from_fn(move || {
            let bit = (left != 0).then(|| left.trailing_zeros())?;
            left &= left - 1;
            Some(64 * number as u32 + bit)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_show_fields_and_names_are_listed_once() {
        let mut events = Events::default();
        let with = |role: &str| Event {
            name: "Enroll".into(),
            fields: vec![("role".into(), FieldValue::Text(role.into()))],
        };
        assert_eq!(events.add(with("Teacher")), 0);
        assert_eq!(events.add(Event::plain("Go")), 1);
        assert_eq!(events.add(with("Student")), 2);
        assert_eq!(events.add(with("Teacher")), 0);
        assert_eq!(events.names(), ["Enroll", "Go"]);
        assert_eq!(events.labelled("Enroll(role: Student)"), Some(2));
        assert_eq!(events.named("Enroll"), [0, 2]);
    }

    #[test]
    fn the_set_of_all_events_has_exactly_that_many_events() {
        for count in [0, 1, 63, 64, 65, 130] {
            assert_eq!(EventSet::all(count).iter().count(), count);
        }
    }
}
