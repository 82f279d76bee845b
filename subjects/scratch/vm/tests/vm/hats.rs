//! Tests of backdrop hats, edge-activated hats and messages.
//!
//! `Mistake N` and `(run)` in comments are explained in `main.rs`.

use crate::harness::{Harness, draws};

fn steps<const N: usize>(source: &str) -> [String; N] {
    Harness::flag(source).run(N).try_into().unwrap()
}

#[test]
fn backdrop_hats_fire_on_every_switch() {
    // Mistake 8: the hats also start if the backdrop has not changed, and for an invalid argument.
    let stage = "(costume one) (costume two)";
    for block in ["(backdrop one)", "(backdrop nonsense)", "(backdrop #1)"] {
        let log: [_; 1] = steps(&format!(
            "{stage} (sprite A (flag {block} (log a)) (shown one (log shown)) (shown two (log no)))"
        ));
        assert_eq!(log, ["a shown"], "{block}");
    }
    // The name is matched case-insensitively.
    let log: [_; 1] =
        steps(&format!("{stage} (sprite A (flag (next-backdrop)) (shown TWO (log two)))"));
    assert_eq!(log, ["two"]);
}

#[test]
fn switch_backdrop_and_wait_does_not_wait() {
    // Mistake 7 (run).
    let log = steps(
        "(costume one) (costume two)
         (sprite A (flag (backdrop-wait two) (log a)) (shown two (log b) (wait 1) (log c)))",
    );
    assert_eq!(log, ["a b", ""]);
}

#[test]
fn edge_hats_fire_when_their_predicate_turns_true() {
    // Mistake 9: no evaluation while the script runs, and the stored value stays true.
    let mut harness =
        Harness::flag("(sprite A (when-greater@hat LOUDNESS 5 (log start) (wait 0.1) (log end)))");
    let loud = |harness: &mut Harness, volume: f64| {
        harness.vm.set_loudness(Some(volume));
        harness.run(1).remove(0)
    };
    assert_eq!(loud(&mut harness, 0.0), "");
    assert_eq!(loud(&mut harness, 9.0), "start");
    // A fall and a rise while the script runs have no effect.
    assert_eq!(loud(&mut harness, 0.0), "");
    assert_eq!(loud(&mut harness, 9.0), "");
    assert_eq!(loud(&mut harness, 9.0), "end");
    // The script ended in the last step, and a predicate that remains true does not start it again.
    assert_eq!(loud(&mut harness, 9.0), "");
    assert_eq!(loud(&mut harness, 0.0), "");
    assert_eq!(loud(&mut harness, 9.0), "start");
    // The hat is covered at each evaluation, in steps 1, 2, 6, 7 and 8, and not while its script
    // runs.
    assert_eq!(harness.covered("hat"), 5);
}

#[test]
fn edge_values_survive_stop_all_but_not_the_flag() {
    // Mistake 10.
    let mut harness =
        Harness::flag("(sprite A (when-greater loudness 5 (log start)) (key s (stop all)))");
    harness.vm.set_loudness(Some(9.0));
    assert_eq!(harness.run(2), ["start", ""]);
    harness.vm.key("s", true);
    assert_eq!(harness.run(2), ["", ""]);
    harness.vm.green_flag();
    harness.vm.set_loudness(Some(9.0));
    assert_eq!(harness.run(2), ["start", ""]);
}

#[test]
fn clones_copy_edge_values() {
    let mut harness = Harness::flag(
        "(sprite A (when-greater loudness 5 (log start)) (flag (wait 0) (clone _myself_)))",
    );
    harness.vm.set_loudness(Some(9.0));
    assert_eq!(harness.run(4), ["start", "", "", ""]);
}

#[test]
fn the_touching_hat_senses_sprites() {
    let log = steps(
        "(sprite A (flag (wait 0) (set-x 200) (wait 0) (set-x 0)) (when-touching B (log b)))
         (sprite B x=200)",
    );
    assert_eq!(log, ["", "", "b", "", ""]);
}

#[test]
fn motion_of_an_absent_camera_is_minus_one() {
    assert_eq!(steps("(sprite A (when-motion -2 (log a)))"), ["a", ""]);
    assert_eq!(steps("(sprite A (when-motion -1 (log a)))"), ["", ""]);
    assert_eq!(steps("(sprite A (when-motion abc (log a)))"), ["", ""]);
}

#[test]
fn edge_hats_of_unknown_kind_never_fire() {
    let mut harness = Harness::flag("(sprite A (when-greater@hat brightness -5 (log a)))");
    assert_eq!(harness.run(3), ["", "", ""]);
    assert_eq!(harness.covered("hat"), 3);
}

#[test]
fn messages_are_found_by_id_or_by_computed_name() {
    let receivers =
        "(sprite B (received go (log go)) (received GO (log GO)) (received other (log no)))";
    for (block, log) in [
        ("(broadcast go/id)", "go GO"),
        ("(broadcast other-name/id)", "go GO"),
        // An unknown id sends nothing, even if the name is known.
        ("(broadcast go/unknown)", ""),
        ("(broadcast (join g O))", "go GO"),
        ("(broadcast (join nothing \"\"))", ""),
        ("(broadcast (join \"\" \"\"))", ""),
    ] {
        let found: [_; 1] =
            steps(&format!("(message go/id) (sprite A (flag {block})) {receivers}"));
        assert_eq!(found, [log], "{block}");
    }
}

#[test]
fn a_computed_message_draws_once() {
    let log = steps(
        "(message m0 m1) (sprite A (flag (broadcast (join m (random 0 1))) (log (random 0.0 1.0))))",
    );
    assert_eq!(log, [draws(2)[1].to_string()]);
}

#[test]
fn broadcast_and_wait_without_receivers_continues() {
    let log = steps(
        "(message m) (sprite A (flag (broadcast-wait m) (log a) (broadcast-wait x) (log b)))",
    );
    assert_eq!(log, ["a b"]);
}

#[test]
fn broadcast_and_wait_waits_for_all_receivers() {
    let log = steps(
        "(message m) (sprite A (flag (broadcast-wait m) (log end)))
         (sprite B (received m (wait 0.1) (log b))) (sprite C (received m (log c)))",
    );
    assert_eq!(log, ["c", "", "", "b", "end"]);
}

#[test]
fn a_restarted_receiver_is_waited_for_no_longer() {
    // (run)
    let log = steps(
        "(message m) (sprite A (flag (broadcast-wait m) (log end)))
         (sprite B (received m (wait 1) (log never))) (sprite C (flag (wait 0) (broadcast m)))",
    );
    // C restarts B in step 2, before A checks.
    assert_eq!(log, ["", "end", ""]);
}

#[test]
fn loose_blocks_and_unknown_hats_never_run() {
    let log = steps(
        "(sprite A (loose (log a)) (loose (+ 1 2)) (wedo2_whenTilted (log b)) (flag (motion_scroll_right)
           (looks_hideallsprites) (ev3_motorSetPower) (log end)))",
    );
    assert_eq!(log, ["end"]);
}
