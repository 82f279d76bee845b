//! Which tests of a refined suite are needed: unusual ones only if they execute statements that no other test executes.

use std::collections::BTreeMap;

use super::Candidate;

/// How unusual the calls of a test may be.
const USUAL: f64 = 0.3;

/// Leaves out tests with unusual calls, and those that lost their goals, whose statements others execute, the most
/// unusual ones first. At least one test remains.
pub(super) fn of(tests: Vec<Candidate>) -> Vec<Candidate> {
    let mut times: BTreeMap<u32, usize> = BTreeMap::new();
    for counter in tests.iter().flat_map(|test| &test.statements) {
        *times.entry(*counter).or_default() += 1;
    }
    let mut order: Vec<usize> = (0..tests.len()).collect();
    order.sort_by(|a, b| tests[*b].unusual.total_cmp(&tests[*a].unusual).then(a.cmp(b)));
    let mut kept = vec![true; tests.len()];
    let mut count = tests.len();
    for at in order {
        let test = &tests[at];
        let may = test.unusual >= USUAL || test.test.goals.is_empty();
        let others = test.statements.iter().all(|counter| times[counter] > 1);
        if may && others && count > 1 {
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
