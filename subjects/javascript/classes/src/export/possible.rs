//! The assertions that a test can have.

use catherd_javascript_machine::Operation;
use serde_json::{Value, json};

use super::Code;
use super::claims::{Claim, Expected, Part, choices, part_of};
use super::observed::{asserted, thrown_by};
use crate::refining::Classes;
use crate::suite::{ShownValue, SuiteTest};

pub(crate) struct Possible {
    /// The value or part that the assertion is about.
    pub(crate) place: ShownValue,
    claim: Claim,
    /// The data of the expected value.
    expected: Value,
}

impl Possible {
    pub(crate) fn is_snapshot(&self) -> bool {
        self.claim.expected == Expected::Snapshot
    }

    pub(crate) fn is_member(&self) -> bool {
        matches!(self.claim.at, Part::Member(_))
    }

    pub(crate) fn is_type(&self) -> bool {
        self.claim.is_type()
    }

    pub(crate) fn is_count(&self) -> bool {
        self.claim.at == Part::Count
    }

    pub(crate) fn is_item(&self) -> bool {
        matches!(self.claim.at, Part::Item(_))
    }

    /// The code that follows the name of the value, and the expected value; `None` if the assertion
    /// is about the whole value.
    pub(crate) fn part(&self) -> Option<(&str, &Value)> {
        let part = self.place.part.as_str();
        (!part.is_empty()).then_some((part, &self.expected))
    }

    pub(crate) fn holds(&self, value: &Value) -> bool {
        let found = part_of(value, &self.claim.at);
        match &self.claim.expected {
            Expected::Instance(_) => found["object"] == self.expected["object"],
            _ => found == self.expected,
        }
    }
}

/// The assertions about the last call of a test, the strongest first.
pub(crate) fn possible(test: &SuiteTest, classes: &Classes) -> Vec<Possible> {
    let last = test.statements.len().saturating_sub(1);
    let receiver = test.statements.last().map_or(last, |statement| statement.receiver);
    let mut found = Vec::new();
    for (index, at_end, value) in asserted(test) {
        if !at_end && index != last {
            continue;
        }
        // Of the variables at the end, keep only the receiver, the result and those with values:
        // effects on others are rarely the purpose of the call.
        let made = test.statements.get(index);
        if at_end
            && index != receiver
            && index != last
            && made.is_none_or(|made| made.operation != Operation::Value)
        {
            continue;
        }
        for claim in choices(value, classes) {
            let place = ShownValue { index, at_end, part: claim.part.clone() };
            let expected = part_of(value, &claim.at);
            // Skip a weaker claim about the same part, because a `ShownValue` cannot tell them
            // apart.
            if found.iter().all(|known: &Possible| known.place != place) {
                found.push(Possible { place, claim, expected });
            }
        }
    }
    let rank = |possible: &Possible| {
        let claim = &possible.claim;
        let nothing = possible.expected.get("undefined").is_some();
        (claim.is_type(), nothing, possible.place.at_end, possible.place.index != receiver)
    };
    found.sort_by_key(rank);
    // A result other than `undefined` describes the call.
    let result = |possible: &Possible| !possible.place.at_end && possible.claim.is_exact();
    let has_result = found.first().is_some_and(|first| {
        result(first)
            && (first.expected.get("undefined").is_none()
                || found[1..].iter().all(|it| it.claim.is_type()))
    });
    if has_result {
        let is_value = |at: usize| test.statements[at].operation == Operation::Value;
        found.retain(|possible| !possible.place.at_end || is_value(possible.place.index));
    }
    found
}

/// The values that the code of a test asserts about an execution, given the results of its
/// statements and the states of its variables at the end.
pub fn asserted_of(test: &SuiteTest, values: &Value, after: &Value, code: &Code) -> Value {
    let Some(shown) = &test.shown else { return json!([values, after]) };
    let results = values.as_array().map_or(&[][..], Vec::as_slice);
    let errors = results.iter().filter(|value| thrown_by(value).is_some());
    let errors: Vec<&Value> = errors.collect();
    let parts = shown.iter().map(|place| {
        let value = if place.at_end { &after[place.index] } else { &values[place.index] };
        let claims = choices(value, &code.classes);
        let claim = claims.into_iter().find(|claim| claim.part == place.part);
        match claim {
            // Only the type or class is asserted.
            Some(claim) if claim.is_type() => json!({"is": value.get("object")}),
            Some(claim) => part_of(value, &claim.at),
            None => value.clone(),
        }
    });
    json!([results.len(), errors, parts.collect::<Vec<_>>()])
}

/// How well the assertions of a test describe its last call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Strength {
    Nothing,
    /// The type or class of the result, or the absence of a result.
    Type,
    /// The error that the call throws.
    Error,
    /// Parts of the result or of the state of a variable.
    Part,
    /// The whole result, or the whole state of a variable.
    Whole,
}

pub(crate) fn strength(test: &SuiteTest, classes: &Classes) -> Strength {
    strength_of(test, &possible(test, classes))
}

pub(crate) fn strength_of(test: &SuiteTest, possible: &[Possible]) -> Strength {
    if test.assertions.last().is_some_and(|last| thrown_by(last).is_some()) {
        return Strength::Error;
    }
    let of = |possible: &Possible| match &possible.claim {
        // The number of elements does not describe the elements.
        claim if claim.at == Part::Count && possible.expected != 0 => Strength::Type,
        claim if possible.expected.get("undefined").is_some() || claim.is_type() => Strength::Type,
        claim if claim.is_exact() => Strength::Whole,
        _ => Strength::Part,
    };
    possible.iter().map(of).max().unwrap_or(Strength::Nothing)
}
