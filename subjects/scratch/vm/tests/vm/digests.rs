//! Tests of digests of states.

use std::collections::HashMap;

use catherd_scratch_vm::{Compat, DigestScope, Random, VmSettings};
use proptest::prelude::*;

use crate::harness::{Harness, Logging, paper};
use crate::states::{Input, apply, input, play, projects};

fn future(vm: &Logging) -> u128 {
    vm.state_digest(DigestScope::Future)
}

fn timeless(vm: &Logging) -> u128 {
    vm.state_digest(DigestScope::Timeless)
}

/// A VM with examples of many parts of a state.
fn full() -> Harness {
    Harness::after(
        2,
        "(var n 1) (list items a b) (message go)
         (sprite A (costume a 30 30) (costume b 20 40)
           (flag (glide 2 90 90)) (flag (ask q)) (flag (say hi)) (flag (wait 5) (set n 9))
           (flag (repeat 99 [(change n 0)])) (flag (broadcast-wait go) (set n 8))
           (flag (clone B)) (key space (wait 3)) (key a (stop all)) (received go (wait 4)))
         (sprite B (costume c 20 20) (costume d 30 30)
           (flag (set n (touching-color \"#00ff00\"))) (cloned (forever [(wait 1)]))
           (key b (delete-clone)) (key c (set-effect color 7)) (key d (next-costume))
           (key e (pen-down) (move 9)) (key f (add items x)) (key g (hide))
           (key h (clone _myself_)) (key k (set-volume 9)) (key l (reset-timer))
           (key m (pen-size 4)) (key n (set-tempo 9)) (key o (say x)))",
    )
}

#[test]
fn what_decides_the_future_changes_the_digest() {
    let mut seen = HashMap::from([(future(&full().vm), "nothing")]);
    let mut check = |what: &'static str, change: &dyn Fn(&mut Logging)| {
        let mut harness = full();
        change(&mut harness.vm);
        assert_eq!(seen.insert(future(&harness.vm), what), None, "{what}");
    };
    check("a step", &|vm| vm.step());
    check("a key", &|vm| vm.key("space", true));
    check("the mouse", &|vm| vm.mouse_move(3.0, 4.0));
    check("the button", &|vm| vm.mouse_button(true));
    check("an answer", &|vm| vm.answer("yes"));
    check("loudness", &|vm| vm.set_loudness(Some(5.0)));
    check("a seed", &|vm| vm.set_random(Random::reference(77)));
    check("another stream", &|vm| vm.set_random(Random::portable(1)));
    check("the clock", &|vm| vm.set_clock(77.0));
    check("fuel", &|vm| vm.set_fuel(1000));
    let a = full().id("A");
    check("a place", &|vm| vm.drag(a, 50.0, 60.0));
    check("the flag", &|vm| vm.green_flag());
    // The effects of scripts, each after the same steps.
    let mut seen = HashMap::new();
    for key in ["z", "a", "b", "c", "d", "e", "f", "g", "h", "k", "l", "m", "n", "o"] {
        let mut harness = full();
        harness.vm.key(key, true);
        harness.vm.key(key, false);
        harness.steps(1);
        assert_eq!(seen.insert(future(&harness.vm), key), None, "{key}");
    }
}

#[test]
fn time_and_chance_are_left_out_on_request() {
    let mut harness = Harness::after(1, "(sprite A (flag (wait 60)))");
    let untimed = |vm: &Logging| vm.state_digest(DigestScope::Untimed);
    let first = (future(&harness.vm), timeless(&harness.vm));
    let before = untimed(&harness.vm);
    harness.steps(1);
    assert_eq!(untimed(&harness.vm), before);
    assert_ne!(future(&harness.vm), first.0);
    harness.vm.set_random(Random::reference(5));
    let second = (future(&harness.vm), timeless(&harness.vm));
    assert_eq!((first.0 == second.0, first.1 == second.1), (false, true));
    assert_ne!(untimed(&harness.vm), before);
    harness.vm.key("space", true);
    assert_ne!(timeless(&harness.vm), second.1);
}

#[test]
fn digests_distinguish_the_sequences_of_keys_for_which_hats_wait() {
    let source = "(var s \"\") (sprite A (when-typed $s)
        (key a (set s \"l r\")) (key b (set s \"r l\")) (key x (set s \"u d\")) (key z (stop all)))";
    let digest = |keys: [&str; 3]| {
        let settings = VmSettings::of(Compat::Today);
        let mut harness = Harness::with(crate::language::project(source), settings);
        harness.vm.green_flag();
        for key in keys {
            harness.vm.key(key, true);
            harness.vm.key(key, false);
            harness.steps(2);
        }
        (future(&harness.vm), timeless(&harness.vm))
    };
    let (one, other) = (digest(["a", "x", "z"]), digest(["b", "x", "z"]));
    assert_eq!(one.1, other.1);
    assert_ne!(one.0, other.0);
}

#[test]
fn numbers_of_clones_threads_and_texts_do_not_count() {
    // A clone that reads the signal resets the signal and deletes itself.
    let project = "(var signal 0) (sprite A (key a (clone B)) (key x (set signal 1)))
         (sprite B (cloned (forever [(if (= $signal 1) [(set signal 0) (delete-clone)])])))";
    let after = |keys: &[&str]| {
        let mut harness = Harness::flag(project);
        for key in keys {
            harness.vm.key(key, true);
            harness.vm.key(key, false);
            harness.steps(3);
        }
        (harness.vm.targets().collect::<Vec<_>>(), timeless(&harness.vm))
    };
    let (one, other) = (after(&["a", "x", "a", "a"]), after(&["a", "a", "x", "a"]));
    assert_eq!(one.1, other.1);
    assert_ne!(one.0, other.0, "the clones have other numbers");
    assert_ne!(one.1, after(&["a", "a", "x"]).1);
    // Equal strings that were joined from different parts have the same digest.
    let joined = |source: &str| timeless(&Harness::after(1, source).vm);
    assert_eq!(
        joined("(var n 0) (sprite A (flag (set n (join ab cd))))"),
        joined("(var n 0) (sprite A (flag (set n (join abc d))))")
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn vms_with_equal_digests_continue_equally(
        which in 0_usize..2,
        before in prop::collection::vec(input(), 0..25),
        detour in prop::collection::vec(input(), 1..25),
        after in prop::collection::vec(input(), 1..25),
    ) {
        let mut harness = Harness::with(projects().swap_remove(which), paper());
        harness.vm.green_flag();
        play(&mut harness.vm, &before);
        let (snapshot, here) = (harness.vm.snapshot(), future(&harness.vm));
        let states = |vm: &mut Logging| -> Vec<_> {
            after.iter().map(|input: &Input| { apply(vm, input); future(vm) }).collect()
        };
        let followed = states(&mut harness.vm);
        // Neither taking snapshots nor computing digests changes the state.
        let mut other = Harness::with(projects().swap_remove(which), paper());
        other.vm.green_flag();
        play(&mut other.vm, &before);
        prop_assert_eq!(here, future(&other.vm));
        play(&mut other.vm, &detour);
        other.vm.restore(&snapshot);
        prop_assert_eq!(here, future(&other.vm));
        prop_assert_eq!(states(&mut other.vm), followed);
    }

    #[test]
    fn states_with_equal_digests_are_equal(
        which in 0_usize..2,
        inputs in prop::collection::vec(input(), 1..60),
    ) {
        let mut harness = Harness::with(projects().swap_remove(which), paper());
        harness.vm.green_flag();
        // Neither the digest nor the comparison contains the step counter.
        let mut seen: HashMap<u128, String> = HashMap::new();
        let mut snapshots = Vec::new();
        for input in &inputs {
            apply(&mut harness.vm, input);
            let (digest, text) = (future(&harness.vm), crate::states::state(&harness.vm));
            let text = text.split_once(' ').map_or(String::new(), |(_, rest)| rest.to_owned());
            if let Some(known) = seen.get(&digest) {
                prop_assert_eq!(known, &text);
            }
            seen.insert(digest, text);
            snapshots.push((digest, harness.vm.snapshot()));
        }
        for (digest, snapshot) in &snapshots {
            harness.vm.restore(snapshot);
            prop_assert_eq!(future(&harness.vm), *digest);
        }
    }
}
