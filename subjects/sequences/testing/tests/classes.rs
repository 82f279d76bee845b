//! Tests of criteria with a relaxation.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use catherd_sequences_testing::{
    Alphabet, Criterion, DirectLimits, Model, Space, direct, shortest_trace, systems,
};

#[test]
fn tests_are_made_for_classes_of_words() {
    let model = Model::open("builtin:abp:1").unwrap();
    let space = &Space::explore(&model.program, 1_000_000).unwrap();
    let alphabet = &Alphabet::names(model.program.events());
    let [a, b, c, d, ..] = alphabet.letters() else { panic!("few letters") };
    let classes = format!("{a} {b}; {b} {a}; {c} {c}\n\n{c} {d}; {d} {a}\n");
    let file = |_: &str| Ok(classes.clone());
    let parse = |text: &str| Criterion::parse(text, alphabet, Some(2), None, &file).unwrap();
    for (words, relaxation) in [
        ("subsequence:2", "by-first"),
        ("subsequence:3 distinct", "by-first"),
        ("subsequence:2", "by-last"),
        ("subsequence:3 distinct", "by-last"),
        ("subsequence:3", "by-set"),
        ("subsequence:2 distinct", "by-set"),
        ("subsequence:2", "classes.txt"),
        ("consecutive:2", "by-first"),
        ("consecutive:2 distinct", "by-last"),
        ("consecutive:3", "by-set"),
        ("consecutive:2", "classes.txt"),
    ] {
        let criterion = parse(&format!("{words} relax={relaxation}"));
        let reachable = criterion.reachable(space, alphabet).unwrap();
        // The shortest trace to a class is the shortest of the traces to its words.
        let single = parse(words);
        let mut shortest = BTreeMap::new();
        for word in single.reachable(space, alphabet).unwrap() {
            let trace = shortest_trace(&single, space, alphabet, word).unwrap();
            for class in criterion.items(&trace, alphabet, None) {
                let length = shortest.entry(class).or_insert(trace.len());
                *length = trace.len().min(*length);
            }
        }
        for &class in &reachable {
            let trace = shortest_trace(&criterion, space, alphabet, class).unwrap();
            assert!(systems::allowed(space, &trace));
            assert!(criterion.items(&trace, alphabet, None).contains(&class), "{criterion}");
            assert_eq!(Some(&trace.len()), shortest.get(&class), "{criterion}: {class}");
        }
        let aim = DirectLimits { size: 1000, length: 200, limit: u64::MAX };
        let suite = direct(&criterion, space, alphabet, &reachable, aim, 1, &mut |_| {
            ControlFlow::Continue(())
        });
        let items = suite.iter().flat_map(|test| criterion.items(test, alphabet, None));
        let covered: BTreeSet<u64> = items.collect();
        assert_eq!(covered.into_iter().collect::<Vec<_>>(), reachable, "{criterion}");
    }
}

#[test]
fn long_traces_do_not_let_words_of_a_set_grow() {
    let text = "events a, b; data n: 0..100 = 0\non a { n = n + 1 }\nrequest a when n < 100\nrequest b when n == 100\n";
    let model = Model::parse("m", text).unwrap();
    let space = &Space::explore(&model.program, 1_000).unwrap();
    let alphabet = &Alphabet::names(model.program.events());
    let file = |_: &str| unreachable!();
    let criterion =
        Criterion::parse("subsequence:2 relax=by-set", alphabet, Some(2), None, &file).unwrap();
    let reachable = criterion.reachable(space, alphabet).unwrap();
    let lengths: Vec<_> = reachable
        .iter()
        .map(|&class| shortest_trace(&criterion, space, alphabet, class).unwrap().len())
        .collect();
    assert_eq!(lengths, [2, 101, 102]);
}
