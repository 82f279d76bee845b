//! Chooses the tests of a refined suite that are needed.

use std::collections::{BTreeMap, BTreeSet};

use super::Candidate;
use super::usage::WRONG;
use super::weights::callee;

/// Minimum unusualness of a test that is removed if other tests execute the same statements.
const USUAL: f64 = 0.3;

/// Minimum unusualness of a test that is removed even if no other test calls the same function.
const NONSENSE: f64 = 2.0 * WRONG;

/// Removes tests that are unusual or have lost their goals, unless the tests are needed. At least
/// one test remains.
pub(super) fn of(tests: Vec<Candidate>) -> Vec<Candidate> {
    let mut times: BTreeMap<u32, usize> = BTreeMap::new();
    for counter in tests.iter().flat_map(|test| &test.statements) {
        *times.entry(*counter).or_default() += 1;
    }
    let mut order: Vec<usize> = (0..tests.len()).collect();
    order.sort_by(|a, b| tests[*b].unusual.total_cmp(&tests[*a].unusual).then(a.cmp(b)));
    let calls = |at: usize| {
        let test = &tests[at].test;
        let last = test.statements.len().saturating_sub(1);
        test.statements.get(test.focus.unwrap_or(last)).map(callee)
    };
    let right: BTreeSet<Option<String>> =
        (0..tests.len()).filter(|at| tests[*at].unusual < WRONG).map(calls).collect();
    let mut kept = vec![true; tests.len()];
    let mut count = tests.len();
    for at in order {
        let test = &tests[at];
        let may = test.unusual >= USUAL || test.test.goals.is_empty();
        let others = test.statements.iter().all(|counter| times[counter] > 1);
        let wrong = test.unusual >= NONSENSE || test.unusual >= WRONG && right.contains(&calls(at));
        if may && (others || wrong) && count > 1 {
            kept[at] = false;
            count -= 1;
            for counter in &test.statements {
                times.entry(*counter).and_modify(|times| *times -= 1);
            }
        }
    }
    let kept = tests.into_iter().zip(kept).filter(|(_, kept)| *kept);
    kept.map(|(test, _)| test).collect()
}
