//! Hints for keys that are unknown or in the wrong table.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{MUTATION_KEYS, RACE_KEYS, STOP_KEYS, STUDY_KEYS, Source, Value, algorithms, line_at};
use crate::study::StudyError;
use crate::study::check::Flaw;
use crate::{instead, nearest};

/// Common keys of budgets.
const BUDGET_KEYS: &[&str] = &["executions", "steps", "wall", "wall_ms"];

/// A hint about what to write instead of an unknown key. `prefix` is the name of the table with a
/// dot.
pub(super) fn advice(key: &str, value: Option<&Value<'_>>, prefix: &str, known: &[&str]) -> String {
    let near = nearest(key, known.iter().copied());
    // The parameter `mutation` of some algorithms is a probability.
    let is_number = value
        .is_some_and(|value| matches!(value.get_ref(), DeValue::Integer(_) | DeValue::Float(_)));
    let is_probability = prefix == "algorithms." && key == "mutation" && is_number;
    if let Some(home) = home(key).filter(|_| near.is_none() && !is_probability) {
        return format!("it belongs {home}");
    }
    let is_table = value.is_some_and(|value| matches!(value.get_ref(), DeValue::Table(_)));
    let instead = instead(key, known);
    match (prefix, near) {
        ("algorithms.", None) => format!(
            "a parameter of the algorithm belongs in parameters = {{ {key} = ... }}; {instead}"
        ),
        ("", None) if is_table => format!(
            "{instead}; a table of default parameters is named after the subject kind: set \
            subject = \"{key}\""
        ),
        _ => instead,
    }
}

/// Where a key belongs.
fn home(key: &str) -> Option<&'static str> {
    let homes: [(&[&str], &str); 6] = [
        (STUDY_KEYS, "at the top of the file, above the first table"),
        (BUDGET_KEYS, "in [budget]"),
        (MUTATION_KEYS, "in [mutation]"),
        (RACE_KEYS, "in [race]"),
        (STOP_KEYS, "in [stop]"),
        (algorithms::ALGORITHM_KEYS, "in an entry of algorithms"),
    ];
    homes.into_iter().find(|(keys, _)| keys.contains(&key)).map(|(_, home)| home)
}

impl Source<'_> {
    /// Finds a key of the study that is written in one of the tables.
    pub(super) fn misplaced(&self, root: &DeTable<'_>, key: &str) -> Option<(Range<usize>, Flaw)> {
        root.iter().find_map(|(table, value)| {
            let tables: Vec<&DeTable<'_>> = match value.get_ref() {
                DeValue::Table(table) => vec![table],
                DeValue::Array(entries) => {
                    entries.iter().filter_map(|entry| entry.get_ref().as_table()).collect()
                }
                _ => Vec::new(),
            };
            let (place, _) = tables.into_iter().find_map(|table| table.get_key_value(key))?;
            Some((place.span(), self.below(table)))
        })
    }

    pub(super) fn no_study_key(
        &self,
        root: &DeTable<'_>,
        name: &str,
        table: &DeTable<'_>,
    ) -> Result<(), StudyError> {
        let wrong = table.keys().find(|key| STUDY_KEYS.contains(&&**key.get_ref()));
        let Some((wrong, (heading, _))) = wrong.zip(root.get_key_value(name)) else {
            return Ok(());
        };
        Err(self.error(wrong.span(), wrong.get_ref(), self.below(heading)))
    }

    fn below(&self, heading: &Spanned<std::borrow::Cow<'_, str>>) -> Flaw {
        let (name, line) = (heading.get_ref(), line_at(self.text, heading.span().start));
        Flaw {
            problem: format!("is in the table `{name}`, which begins on line {line}"),
            advice: format!("move it above line {line}"),
        }
    }
}
