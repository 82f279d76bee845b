//! Alphabets: the letters over which criteria are defined, and the letter of each event.

use rustc_hash::FxHashMap;

use crate::events::{EventId, Events};

/// Number of a letter.
pub type Letter = u32;

/// Letters, and the letter of each event. Events without a letter are left out of projected tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alphabet {
    letters: Vec<String>,
    of_event: Vec<Option<Letter>>,
}

/// The error for a name or label that no event has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("alphabet: unknown event `{0}`")]
pub struct UnknownEvent(pub String);

impl Alphabet {
    /// The alphabet whose letters are the names of events, without fields.
    pub fn names(events: &Events) -> Alphabet {
        let letters: Vec<String> = events.names().into_iter().map(str::to_owned).collect();
        let by_name: FxHashMap<&str, Letter> = number(&letters);
        let of_event = events.list().iter().map(|event| by_name.get(&*event.name).copied());
        Alphabet { of_event: of_event.collect(), letters }
    }

    /// The alphabet whose letters are the events, with fields.
    pub fn events(events: &Events) -> Alphabet {
        let letters: Vec<String> = events.list().iter().map(ToString::to_string).collect();
        Alphabet { of_event: (0..letters.len() as Letter).map(Some).collect(), letters }
    }

    /// The alphabet of a map from events, by name or label, to letters. Events that are not in the
    /// map have no letter, and a label has precedence over a name. Letters are ordered by their
    /// first event.
    ///
    /// # Errors
    ///
    /// If a key of the map is neither the name nor the label of an event.
    pub fn mapped(events: &Events, map: &[(String, String)]) -> Result<Alphabet, UnknownEvent> {
        let mut names: Vec<Option<&String>> = vec![None; events.len()];
        // Apply labels after names, because labels are more specific.
        for labels in [false, true] {
            for (from, to) in map {
                match events.labelled(from) {
                    Some(event) => names[event as usize] = Some(to),
                    None if labels => {}
                    None if events.named(from).is_empty() => {
                        return Err(UnknownEvent(from.clone()));
                    }
                    None => {
                        events.named(from).iter().for_each(|&e| names[e as usize] = Some(to));
                    }
                }
            }
        }
        let mut letters: Vec<String> = Vec::new();
        let of_event = names.into_iter().map(|name| {
            let name = name?;
            let known = letters.iter().position(|letter| letter == name);
            Some(known.unwrap_or_else(|| {
                letters.push(name.clone());
                letters.len() - 1
            }) as Letter)
        });
        Ok(Alphabet { of_event: of_event.collect(), letters })
    }

    /// The names of the letters in the order of their numbers.
    pub fn letters(&self) -> &[String] {
        &self.letters
    }

    /// The number of letters.
    pub fn len(&self) -> usize {
        self.letters.len()
    }

    /// Whether there is no letter.
    pub fn is_empty(&self) -> bool {
        self.letters.is_empty()
    }

    /// The letter of an event, if the event has a letter.
    pub fn letter(&self, event: EventId) -> Option<Letter> {
        self.of_event[event as usize]
    }

    /// The letter with this name, if there is one.
    pub fn find(&self, name: &str) -> Option<Letter> {
        self.letters.iter().position(|letter| letter == name).map(|found| found as Letter)
    }

    /// Replaces `letters` with the letters of a test, without events that have no letter.
    pub fn project(&self, test: &[EventId], letters: &mut Vec<Letter>) {
        letters.clear();
        letters.extend(test.iter().filter_map(|&event| self.letter(event)));
    }
}

fn number(letters: &[String]) -> FxHashMap<&str, Letter> {
    letters.iter().enumerate().map(|(number, name)| (name.as_str(), number as Letter)).collect()
}
