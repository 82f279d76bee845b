//! Tests that repeat what other tests of the same call show.

use std::collections::BTreeSet;

use serde_json::Value;

use super::outcomes::is_value_of;
use super::weights::callee;
use crate::suite::SuiteTest;

/// Leaves out tests that show the same as another test of the same function: tests whose additional
/// arguments have no effect, and tests with the same small result as two others. Returns their
/// number.
pub(super) fn without_repetitions(tests: &mut Vec<super::Candidate>) -> usize {
    let before = tests.len();
    let call = |test: &SuiteTest| {
        let at = test.focus.unwrap_or(test.statements.len() - 1);
        test.statements.get(at).map(|it| (callee(it), it.arguments.clone()))
    };
    let shown: Vec<_> = tests
        .iter()
        .map(|it| (call(&it.test), it.test.assertions.last().cloned(), it.test.statements.len()))
        .collect();
    let shorter = |at: usize| {
        let (Some((callee, arguments)), result, count) = &shown[at] else { return false };
        shown.iter().any(|other| match other {
            (Some((same, fewer)), value, statements) => {
                same == callee
                    && value == result
                    && statements <= count
                    && fewer.len() < arguments.len()
                    && !fewer.is_empty()
                    && arguments.starts_with(fewer)
            }
            _ => false,
        })
    };
    let small = |value: &Value| {
        ["boolean", "null", "undefined"].iter().any(|key| value.get(key).is_some())
            || ["string", "array", "object"].iter().any(|key| {
                let part = &value[key];
                part == ""
                    || part.as_array().is_some_and(Vec::is_empty)
                    || part.as_object().is_some_and(serde_json::Map::is_empty)
            })
    };
    let mut order: Vec<usize> = (0..tests.len()).collect();
    order.sort_by(|a, b| tests[*a].weight.total_cmp(&tests[*b].weight).then(a.cmp(b)));
    let mut counts = std::collections::BTreeMap::new();
    let mut kept = vec![true; tests.len()];
    let mut returned = BTreeSet::new();
    let mut changing = BTreeSet::new();
    for (call, result, _) in &shown {
        if let (Some((callee, given)), Some(result)) = (call, result)
            && !(given.len() == 1 && is_value_of(&given[0], result))
        {
            changing.insert(callee.clone());
        }
    }
    for at in order {
        let (call, result, _) = &shown[at];
        let key = (
            call.as_ref().map(|(callee, _)| callee.clone()),
            result.as_ref().map(ToString::to_string),
        );
        let count = counts.entry(key).or_insert(0);
        let again = result.as_ref().is_some_and(small) && *count >= MAX_ALIKE;
        let (same, name) = match (call, result) {
            (Some((callee, given)), Some(result)) => {
                (given.len() == 1 && is_value_of(&given[0], result), callee.clone())
            }
            _ => (false, String::new()),
        };
        // Keep one test in which a function returns its argument unchanged, in addition to a test
        // of its other behaviour.
        let unchanged = same && (!changing.contains(&name) || !returned.insert(name));
        kept[at] = !again && !unchanged && !shorter(at);
        *count += usize::from(kept[at]);
    }
    let mut kept = kept.into_iter();
    tests.retain(|_| kept.next() == Some(true));
    before - tests.len()
}

/// Maximum number of tests of a function with the same small result, such as `false`.
const MAX_ALIKE: usize = 2;
