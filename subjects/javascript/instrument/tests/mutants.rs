//! Tests of mutants of small files.

use std::collections::BTreeMap;

use catherd_javascript_instrument::{
    Build, FileKind, MutationOperator, Units, instrument, mutants,
};

fn counts(source: &str) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for mutant in mutants("a.js", source, FileKind::Script).unwrap() {
        *counts.entry(mutant.operator.name()).or_insert(0) += 1;
    }
    counts
}

#[test]
fn operators_make_the_mutants_of_the_reference() {
    let of = |body: &str| counts(&format!("function f(a, b) {{ {body} }}"));
    // Each body also has the mutant that empties the function (BSR).
    assert_eq!(of("return a % b;"), BTreeMap::from([("AOR", 1), ("BSR", 1)]));
    assert_eq!(of("return a <= b;"), BTreeMap::from([("ROR", 2), ("BSR", 1)]));
    assert_eq!(of("return a && b && f;"), BTreeMap::from([("LCR", 2), ("COR", 3), ("BSR", 1)]));
    assert_eq!(of("while (a) b(); "), BTreeMap::from([("COR", 1), ("SDL", 1), ("BSR", 1)]));
    assert_eq!(of("a = -b; a++;"), BTreeMap::from([("UOI", 2), ("SDL", 2), ("BSR", 1)]));
    assert_eq!(
        of("a();"),
        BTreeMap::from([("BSR", 1)]),
        "deleting the only statement would also empty the body"
    );
    assert_eq!(of("return [true, ''];"), BTreeMap::from([("LIT", 3), ("BSR", 1)]));
    assert_eq!(of("return a?.b?.[0]?.();"), BTreeMap::from([("OCR", 3), ("BSR", 1)]));
    assert_eq!(of("return a.slice(1).max();"), BTreeMap::from([("MER", 2), ("BSR", 1)]));
    assert_eq!(of("return b.map(x => x);"), BTreeMap::from([("ARF", 1), ("BSR", 1)]));
    assert!(counts("module.exports = { a: 1 + 2 };").is_empty(), "only loading executes it");
}

#[test]
fn every_mutant_is_a_program() {
    let source = "
class Chain {
    #first = null;
    add(node, times = 1) {
        'use strict';
        /* a + b */ for (let i = 0; i < times; i++) this.#first ??= node ?? { next: null };
        if (!node||typeof node==='string') { throw new Error(`bad ${node}`); } else this.last = node;
        do { times--; } while (times > 0 && node?.next);
        label: for (const key in node) { if (key in this) continue label; }
        return node instanceof Chain ? -times : times ** 2 / 3 - [1, 2].filter(n => n > 1).length;
    }
    static of(...values) { const text = 'a'+'b'; return values.sort().reverse().some(v => !v)&&text; }
}
module.exports = Chain;
";
    let found = mutants("chain.js", source, FileKind::Script).unwrap();
    for operator in MutationOperator::ALL {
        assert!(found.iter().any(|mutant| mutant.operator == operator), "{}", operator.name());
    }
    for mutant in &found {
        let text = mutant.apply(source);
        assert_ne!(text, source);
        let mut units = Units::default();
        let made = instrument(&mut units, "chain.js", &text, FileKind::Script, Build::Search);
        assert!(made.is_ok(), "{mutant:?}: {made:?}\n{text}");
    }
    let ids: Vec<_> = found.iter().map(|m| (m.range.0, m.operator)).collect();
    assert!(ids.is_sorted(), "in the order of position and operator");
}
