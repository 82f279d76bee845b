//! Usual values: values that nearly every call of a function shows, so that asserting them does not
//! describe a single call.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::outcomes::is_accidental;
use super::weights::callee;
use super::{Candidate, Classes};
use crate::export::{Possible, Strength, possible, strength_of};
use crate::suite::SuiteTest;

/// Minimum number of calls from which usual values are determined.
const FEWEST: usize = 4;

/// Minimum share of calls that must have the same value in a place for the value to be usual.
const SHARE: f64 = 0.8;

/// A part of a value: the call that a test shows, the call that made the value, and the name of the
/// part.
type Place = (String, String, String);

/// Usual values of parts of values, and the members of instances that may be asserted.
#[derive(Clone, Debug, Default)]
pub(super) struct Usual {
    pub(super) values: BTreeMap<Place, Value>,
    /// The members that the documentation, tests and examples read; `None` if all may be asserted.
    pub(super) read: Option<BTreeSet<String>>,
}

/// The members that documents read, as in `list.size`.
pub(super) fn read_by(texts: &str) -> BTreeSet<String> {
    let letters = |c: char| c.is_ascii_alphanumeric() || "_$".contains(c);
    let after = texts.split('.').skip(1);
    let names = after.map(|rest| &rest[..rest.find(|c| !letters(c)).unwrap_or(rest.len())]);
    names.filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// The call that a test shows, and the call that created a value.
fn calls(test: &SuiteTest, index: usize) -> Option<(String, String)> {
    Some((callee(test.statements.last()?), callee(test.statements.get(index)?)))
}

impl Usual {
    pub(super) fn of(
        candidates: &[Candidate],
        classes: &Classes,
        read: Option<BTreeSet<String>>,
    ) -> Usual {
        let mut counts: BTreeMap<Place, BTreeMap<String, (usize, Value)>> = BTreeMap::new();
        for candidate in candidates {
            for each in possible(&candidate.test, classes) {
                let Some((part, expected)) = each.part() else { continue };
                let Some((shown, made)) = calls(&candidate.test, each.place.index) else {
                    continue;
                };
                let values = counts.entry((shown, made, part.to_owned())).or_default();
                values.entry(expected.to_string()).or_insert((0, expected.clone())).0 += 1;
            }
        }
        let usual = counts.into_iter().filter_map(|(place, values)| {
            let all: usize = values.values().map(|(count, _)| count).sum();
            let (most, value) = values.into_values().max_by_key(|(count, _)| *count)?;
            (all >= FEWEST && most as f64 >= SHARE * all as f64).then_some((place, value))
        });
        Usual { values: usual.collect(), read }
    }

    /// The assertions that a test can have, except those that do not describe its call.
    pub(super) fn possible(&self, test: &SuiteTest, classes: &Classes) -> Vec<Possible> {
        let mut found = possible(test, classes);
        found.retain(|each| {
            let place = each.part().zip(calls(test, each.place.index));
            let usual = |((part, expected), (shown, made)): ((&str, &Value), (String, String))| {
                self.values.get(&(shown, made, part.to_owned())) == Some(expected)
            };
            // A member whose value has many digits is hardly meant for users.
            let accidental = each.is_member()
                && each.part().is_some_and(|(_, expected)| is_accidental(expected, true, 0));
            !place.is_some_and(usual) && !accidental && self.may_be_asserted(test, each)
        });
        found
    }

    /// False for an assertion about a member of an instance that nothing mentions.
    fn may_be_asserted(&self, test: &SuiteTest, each: &Possible) -> bool {
        let (Some(read), Some((part, _))) = (&self.read, each.part()) else { return true };
        let shown = if each.place.at_end { &test.after } else { &test.assertions };
        let value = shown.get(each.place.index);
        let instance = value.is_some_and(|it| it.get("object").is_some_and(Value::is_string));
        let member = part.trim_start_matches('.').split(['.', '[', '(']).next();
        !instance || !each.is_member() || member.is_none_or(|name| read.contains(name))
    }

    /// Leaves out candidates that only show usual values. If all candidates of a function do so,
    /// the one that is easiest to read is kept.
    pub(super) fn without(&mut self, candidates: &mut Vec<Candidate>, classes: &Classes) {
        let says = |usual: &Usual, candidate: &Candidate| {
            let possible = usual.possible(&candidate.test, classes);
            !matches!(strength_of(&candidate.test, &possible), Strength::Nothing | Strength::Type)
                || !matches!(
                    strength_of(&candidate.test, &super::possible(&candidate.test, classes)),
                    Strength::Part
                )
        };
        let shown = |candidate: &Candidate| candidate.test.statements.last().map(callee);
        let telling: BTreeSet<Option<String>> =
            candidates.iter().filter(|it| says(self, it)).map(shown).collect();
        let mut easiest: BTreeMap<Option<String>, (f64, usize)> = BTreeMap::new();
        for (at, candidate) in candidates.iter().enumerate() {
            let name = shown(candidate);
            if !telling.contains(&name) {
                let best = easiest.entry(name).or_insert((candidate.weight, at));
                if candidate.weight < best.0 {
                    *best = (candidate.weight, at);
                }
            }
        }
        let kept: BTreeSet<usize> = easiest.values().map(|(_, at)| *at).collect();
        let mut at = 0;
        candidates.retain(|candidate| {
            at += 1;
            kept.contains(&(at - 1)) || says(self, candidate)
        });
        // The values that these candidates show are not usual, because the function shows no
        // others.
        self.values.retain(|(shown, ..), _| !easiest.contains_key(&Some(shown.clone())));
    }
}
