//! Removal of tests that repeat what other tests of the same function show.

use std::collections::BTreeSet;

use catherd_javascript_machine::Argument;
use serde_json::Value;

use super::outcomes::{is_value_of, shows_nothing};
use super::weights::called;
use crate::suite::SuiteTest;

/// Leaves out tests that show the same as other tests of the same function. Returns the number of
/// these tests.
pub(super) fn without_repetitions(tests: &mut Vec<super::Candidate>) -> usize {
    let before = tests.len();
    let call = |test: &SuiteTest| {
        let at = test.focus.unwrap_or(test.statements.len() - 1);
        test.statements.get(at).map(|it| (called(test), it.arguments.clone()))
    };
    let shown: Vec<Shown> = tests
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
    leave_negative(tests, &shown, &mut kept);
    let mut kept = kept.into_iter();
    tests.retain(|_| kept.next() == Some(true));
    before - tests.len()
}

/// A call by its name and arguments, its result, and the number of statements.
type Shown = (Option<(String, Vec<Argument>)>, Option<Value>, usize);

/// Leaves out most tests of calls that find or change nothing.
fn leave_negative(tests: &[super::Candidate], shown: &[Shown], kept: &mut [bool]) {
    let negative = |at: usize| match &shown[at] {
        (Some((_, given)), Some(result), _) => {
            shows_nothing(&tests[at].test, result)
                || given.first().is_some_and(|it| is_value_of(it, result))
        }
        _ => false,
    };
    let callee = |at: usize| shown[at].0.as_ref().map(|(callee, _)| callee);
    let mut order: Vec<usize> = (0..tests.len()).filter(|at| kept[*at] && negative(*at)).collect();
    // Documented calls come first.
    order.sort_by(|a, b| {
        let key = |at: usize| !tests[at].documented;
        key(*a).cmp(&key(*b)).then(tests[*a].weight.total_cmp(&tests[*b].weight)).then(a.cmp(b))
    });
    let telling: BTreeSet<_> =
        (0..tests.len()).filter(|at| kept[*at] && !negative(*at)).map(callee).collect();
    let mut counts = std::collections::BTreeMap::new();
    for at in order {
        let count = counts.entry(callee(at)).or_insert(0);
        let is_telling = telling.contains(&callee(at));
        // An example that finds nothing says little if no test of the function shows anything else.
        let nothing = shown[at].1.as_ref().is_some_and(|it| {
            it["string"] == "" || it.get("undefined").is_some() || it.get("null").is_some()
        });
        let documented = tests[at].documented && (is_telling || !nothing);
        kept[at] = documented || *count == 0 && is_telling;
        *count += usize::from(kept[at]);
    }
}

/// Maximum number of tests of a function with the same small result, such as `false`.
const MAX_ALIKE: usize = 2;
