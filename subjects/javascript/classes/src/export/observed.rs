//! The observed behaviour of a test that can be asserted.

use catherd_javascript_machine::Operation;
use serde_json::Value;

use crate::suite::SuiteTest;

/// The values of a test that can be asserted, each with the number of its statement and whether it
/// is the state of a variable at the end.
pub(super) fn asserted(test: &SuiteTest) -> impl Iterator<Item = (usize, bool, &Value)> {
    let last = test.statements.len().saturating_sub(1);
    let results = test.assertions.iter().enumerate().filter(move |(index, expected)| {
        let nothing = expected.get("undefined").is_some() && *index != last;
        !expected.is_null()
            && !nothing
            && expected.get("flaky").is_none()
            && thrown_by(expected).is_none()
            && !matches!(test.statements[*index].operation, Operation::Set | Operation::Value)
    });
    let states = test.after.iter().enumerate().filter(|(_, state)| !state.is_null());
    results
        .map(|(index, value)| (index, false, value))
        .chain(states.map(|(index, value)| (index, true, value)))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Thrown {
    Exception,
    Rejection,
}

/// How a statement throws, and the name of the exception.
pub(super) fn thrown_by(expected: &Value) -> Option<(Thrown, &str)> {
    let named = |key: &str, how| Some((how, expected.get(key)?.as_str()?));
    named("throws", Thrown::Exception).or_else(|| named("rejects", Thrown::Rejection))
}
