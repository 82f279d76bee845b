//! Computes how close the suites of runs came to items that they do not cover.

use std::collections::BTreeMap;

use catherd_experiments::RunRecord;
use catherd_interface::{Approach, OpenGoals};
use serde::Deserialize;
use serde_json::Value;

use crate::info::SUITE;

#[derive(Deserialize)]
struct Suite {
    alphabet: Letters,
    tests: Vec<Vec<Value>>,
}

/// The alphabet of a suite: `names`, `events`, or the letters of events by name or label.
#[derive(Deserialize)]
#[serde(untagged)]
enum Letters {
    Word(String),
    Mapped(BTreeMap<String, String>),
}

impl Letters {
    fn of(&self, event: &Value) -> Option<String> {
        let (name, label) = match event {
            Value::Object(fields) => {
                let name = fields.get("event")?.as_str()?.to_owned();
                let own = fields.iter().filter(|(key, _)| *key != "event");
                let own = own.map(|(key, value)| format!("{key}: {}", plain(value)));
                let label = format!("{name}({})", own.collect::<Vec<_>>().join(", "));
                (name, label)
            }
            name => (name.as_str()?.to_owned(), name.as_str()?.to_owned()),
        };
        match self {
            Letters::Word(word) if word == "events" => Some(label),
            Letters::Word(_) => Some(name),
            Letters::Mapped(map) => map.get(&label).or_else(|| map.get(&name)).cloned(),
        }
    }
}

/// A value of a field as in the label of an event.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// How the events of an item follow one another in a test.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Consecutive,
    Subsequence,
}

/// The order and the length of the words of a criterion.
fn words(criterion: &str) -> Option<(Order, usize)> {
    let (name, strength) = criterion.split_once(':')?;
    let order = match name.trim() {
        "consecutive" => Order::Consecutive,
        "subsequence" => Order::Subsequence,
        _ => return None,
    };
    // Skip criteria with options such as a relaxation, whose items may not be words.
    Some((order, strength.trim().parse().ok()?))
}

/// The distance of an approach is the number of letters that are missing after the longest
/// beginning of the item in a test.
pub(crate) fn of(goals: &OpenGoals<'_>, record: &RunRecord) -> Vec<Option<Approach>> {
    let none = || vec![None; goals.open.len()];
    let Some((order, strength)) = words(goals.criterion) else { return none() };
    let suite = record.artifacts.get(SUITE).and_then(|text| serde_json::from_str(text).ok());
    let Some(Suite { alphabet, tests }) = suite else { return none() };
    let tests: Vec<Vec<String>> = tests
        .iter()
        .map(|test| test.iter().filter_map(|event| alphabet.of(event)).collect())
        .collect();
    let approach = |&goal: &u32| {
        let item: Vec<&str> = goals.names.get(goal as usize)?.split(", ").collect();
        // Skip items with labels that have several fields, because these contain the separator.
        (item.len() == strength).then(|| closest(order, &item, &tests))?
    };
    goals.open.iter().map(approach).collect()
}

fn closest(order: Order, item: &[&str], tests: &[Vec<String>]) -> Option<Approach> {
    let (mut length, mut instead) = (0, None);
    for test in tests {
        match order {
            Order::Consecutive => {
                for start in 0..test.len() {
                    let pairs = item.iter().zip(&test[start..]);
                    let own = pairs.take_while(|(event, letter)| **event == **letter).count();
                    if own > length {
                        (length, instead) = (own, Some(test.get(start + own)));
                    }
                }
            }
            Order::Subsequence => {
                let mut rest = item;
                for letter in test {
                    if rest.first().is_some_and(|next| *next == letter.as_str()) {
                        rest = &rest[1..];
                    }
                }
                length = length.max(item.len() - rest.len());
            }
        }
    }
    let missing = item.len().checked_sub(length).filter(|missing| *missing > 0 && length > 0)?;
    let way = item[..length].join(", ");
    let turned_off = match instead {
        Some(Some(other)) => format!("{way}, then {other}"),
        Some(None) => format!("{way}, then the end of the test"),
        None => way,
    };
    Some(Approach { distance: missing as u32, turned_off })
}

#[cfg(test)]
mod tests {
    use catherd_experiments::{Algorithm, Budget, Digest, RunSpec};
    use serde_json::json;

    use super::*;

    fn record(alphabet: &Value, tests: &Value) -> RunRecord {
        let spec = RunSpec {
            project: Digest::of(b""),
            project_name: "tap".to_owned(),
            subject: crate::KIND.to_owned(),
            algorithm: Algorithm::plain("ga"),
            seed: 1,
            budget: Budget::default(),
            engine: String::new(),
            mutation: None,
        };
        let suite =
            json!({ "format": "catherd-sequences/1", "alphabet": alphabet, "tests": tests });
        let artifacts = BTreeMap::from([(SUITE.to_owned(), suite.to_string())]);
        RunRecord { artifacts, ..RunRecord::new(&spec, Vec::new()) }
    }

    fn ways(criterion: &str, names: &[&str], record: &RunRecord) -> Vec<Option<(u32, String)>> {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let open: Vec<u32> = (0..names.len() as u32).collect();
        let goals = OpenGoals { criterion, names: &names, open: &open };
        let found = of(&goals, record).into_iter();
        found
            .map(|one| one.map(|Approach { distance, turned_off }| (distance, turned_off)))
            .collect()
    }

    #[test]
    fn the_longest_beginning_of_an_item_is_found() {
        let record =
            record(&json!("names"), &json!([["cold", "hot"], ["cold", "off", "hot", "off"]]));
        let way = |distance, turned_off: &str| Some((distance, turned_off.to_owned()));
        let found = ways(
            "consecutive:3",
            &["cold, hot, off", "cold, off, off", "hot, hot, hot", "boil, off, hot"],
            &record,
        );
        let expected = [
            way(1, "cold, hot, then the end of the test"),
            way(1, "cold, off, then hot"),
            way(2, "hot, then the end of the test"),
            None,
        ];
        assert_eq!(found, expected);
        let found = ways("subsequence:3", &["off, off, hot", "hot, cold, off"], &record);
        assert_eq!(found, [way(1, "off, off"), way(2, "hot")]);
        assert_eq!(ways("states", &["state 1"], &record), [None]);
    }

    #[test]
    fn events_are_letters_as_the_suite_says() {
        let tests = json!([[{ "event": "put", "at": 1, "by": "x" }, "end"]]);
        let found = |alphabet: Value, names: &[&str]| {
            ways("consecutive:2", names, &record(&alphabet, &tests)).remove(0).map(|way| way.1)
        };
        assert_eq!(found(json!("names"), &["put, put"]).unwrap(), "put, then end");
        assert_eq!(
            found(json!({ "put(at: 1, by: x)": "P" }), &["P, P"]).unwrap(),
            "P, then the end of the test"
        );
        assert_eq!(
            found(json!({ "put": "Q" }), &["Q, end"]).unwrap(),
            "Q, then the end of the test"
        );
        assert_eq!(found(json!("events"), &["end, end"]).unwrap(), "end, then the end of the test");
    }
}
