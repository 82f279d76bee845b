//! Tests of sequential analyses.

use super::*;

fn looks(margin: f64, seeds: usize) -> Looks {
    Looks { gives_up: true, ..Looks::at_any_time(margin, seeds) }
}

fn round(seed: usize) -> Round {
    let noise = [0.0, 0.01, -0.01, 0.005, -0.004][seed % 5];
    vec![
        vec![Some(0.5 + noise), Some(0.7)],
        vec![Some(0.8), Some(0.9 - noise)],
        vec![Some(0.5 + noise * 0.5), Some(0.7001)],
    ]
}

#[test]
fn pairs_are_decided_when_the_differences_are_clear() {
    let mut all = Sequential::new(3, looks(0.02, 30));
    (0..4).for_each(|seed| all.push(&round(seed)));
    assert_eq!(all.pair(1, 0).unwrap().verdict, Verdict::TooFew);
    assert!(!all.is_decided() && all.active() == [0, 1, 2]);
    (4..12).for_each(|seed| all.push(&round(seed)));
    assert!(all.is_decided() && all.active().is_empty());
    let verdict = |first, second| all.pair(first, second).unwrap().verdict;
    assert_eq!(verdict(1, 0), Verdict::Better);
    assert_eq!(verdict(2, 0), Verdict::Equivalent);
    assert_eq!(verdict(2, 1), Verdict::Worse);
    assert!(all.pair(1, 0).unwrap().rounds <= 12);
}

/// A run without a coverage is left out, as is the run of the other algorithm with the same seed.
#[test]
fn runs_without_a_coverage_are_left_out() {
    let mut all = Sequential::new(3, looks(0.02, 30));
    for seed in 0..5 {
        let mut gap = round(seed);
        gap[1][0] = gap[1][0].filter(|_| seed != 3);
        all.push(&gap);
    }
    let found = all.pair(2, 1).unwrap();
    assert!((found.difference + 0.2).abs() < 0.01, "{found:?}");
}

#[test]
fn a_pair_that_seeds_will_not_decide_ends_undecided() {
    let mut all = Sequential::new(2, looks(0.001, 30));
    // The runs vary by much more than the margin, and the mean difference is 0.
    for seed in 0..20 {
        let value = if seed % 2 == 0 { 0.4 } else { 0.6 };
        all.push(&vec![vec![Some(value)], vec![Some(1.0 - value)]]);
    }
    let found = all.pair(1, 0).unwrap();
    assert_eq!((found.verdict, found.has_ended), (Verdict::Undecided, true));
    assert!(found.rounds < 20 && all.is_decided());
    let mut all = Sequential::new(2, Looks::at_any_time(0.001, 30));
    (0..30).for_each(|seed| all.push(&round(seed)[..2].to_vec()));
    assert!(all.is_decided());
}

/// With one planned look, the rule is an ordinary t test.
#[test]
fn one_look_has_the_interval_of_the_t_test() {
    let one = Looks { margin: 0.001, after: vec![6], gives_up: false };
    let mut all = Sequential::new(2, one);
    let values = [0.01, 0.03, -0.02, 0.05, 0.02, -0.01];
    values.iter().for_each(|value| all.push(&vec![vec![Some(0.0)], vec![Some(*value)]]));
    let (mean, expected) = crate::stats::t_interval(&values, 0.95).unwrap();
    let found = all.pair(1, 0).unwrap();
    let interval = found.interval().unwrap();
    assert!((found.difference - mean).abs() < 1e-12);
    assert!((interval.low - expected.low).abs() < 1e-9, "{interval:?} {expected:?}");
}

#[test]
fn groups_of_equal_algorithms_have_these_numbers_of_pairs() {
    let numbers = |k| equal_pairs(k).into_iter().collect::<Vec<_>>();
    assert_eq!(numbers(3), [0, 1, 3]);
    assert_eq!(numbers(4), [0, 1, 2, 3, 6]);
    assert_eq!(numbers(5), [0, 1, 2, 3, 4, 6, 10]);
}
