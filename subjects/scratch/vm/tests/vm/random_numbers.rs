//! Tests of random numbers and the order in which inputs take them, and of the duration of speech.
//!
//! `Mistake N` in comments is explained in `main.rs`.

use crate::harness::{Harness, draws};

#[test]
fn every_block_takes_as_many_random_numbers_as_in_the_original() {
    // Counts of the random numbers that the blocks take before the logged number is drawn.
    for (blocks, n) in [
        ("(set v (random 1 6))", 1),
        ("(set v (random 3 3))", 0),
        ("(set v (random 3 \"3.0\"))", 0),
        ("(goto _random_)", 2),
        ("(towards _random_)", 1),
        ("(backdrop \"random backdrop\")", 1),
        ("(costume \"random backdrop\")", 0),
        ("(set v (item l random))", 1),
        ("(set v (item l any))", 1),
        ("(set v (item l last))", 0),
        ("(set v (item empty random))", 0),
        ("(insert empty x random)", 1),
        ("(delete l any)", 1),
        ("(replace l any x)", 1),
        ("(replace empty any x)", 0),
        ("(set v (and (= (random 1 2) 3) (= (random 1 2) 3)))", 2),
        ("(set v (or (> (random 1 2) 0) (= (random 1 2) 3)))", 2),
        // Inputs are evaluated even if the block does not use them.
        ("(set-effect nothing (random 1 2))", 1),
        ("(change-sound nothing (random 1 2))", 1),
        ("(unknown_block A=(random 1 2) B=(random 1 2))", 2),
        ("(play (random 1 2))", 1),
        ("(call nothing (random 1 2))", 1),
        ("(set v (unknown_reporter A=(random 1 2)))", 1),
        ("(set v (translate (random 1 2) (random 1 2)))", 2),
        ("(stop nonsense)", 0),
    ] {
        let source = format!(
            "(var v) (list l a b) (list empty) (costume a) (costume b)
             (sprite A (flag {blocks} (log (random 0.0 1.0))))"
        );
        let log = Harness::flag(&source).run(1);
        assert_eq!(log, [draws(n + 1)[n].to_string()], "{blocks}");
    }
}

#[test]
fn inputs_are_evaluated_in_file_order() {
    // Mistake 19.
    let d = draws(3);
    let value = |block: &str| Harness::after(1, &format!("(var v) (sprite A (flag {block}))"));
    let r = "(random 0.0 1.0)";
    let harness = value(&format!("(motion_gotoxy Y={r} X={r})"));
    assert_eq!(harness.position("A"), (d[1], d[0]));
    let harness = value(&format!("(goto-xy {r} {r})"));
    assert_eq!(harness.position("A"), (d[0], d[1]));
    let harness = value(&format!("(set v (operator_subtract NUM2={r} NUM1={r}))"));
    assert_eq!(harness.var("v"), (d[1] - d[0]).to_string());
    let nested = format!("(operator_subtract NUM2={r} NUM1={r})");
    let harness = value(&format!("(set v (operator_subtract NUM2={nested} NUM1={r}))"));
    assert_eq!(harness.var("v"), (d[2] - (d[1] - d[0])).to_string());
    let harness = value(&format!("(motion_glidesecstoxy Y={r} SECS=0 X={r})"));
    assert_eq!(harness.position("A"), (d[1], d[0]));
    let harness = value(&format!("(set v (operator_random TO=(+ {r} 9) FROM={r}))"));
    assert_eq!(harness.var("v"), (d[2] * (d[0] + 9.0 - d[1]) + d[1]).to_string());
}

#[test]
fn speech_takes_time_by_its_length() {
    // Speech takes one second for 15 characters, because there is no synthesiser.
    let log = Harness::flag("(sprite A (flag (speak 123) (log end)))").run(8);
    assert_eq!(log.iter().position(|s| s == "end"), Some(6));
}
