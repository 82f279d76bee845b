//! Tests of steps, batches, slices and loops.
//!
//! `Mistake N` and `(run)` in comments are explained in `main.rs`.

use catherd_scratch_sb3::Opcode;
use catherd_scratch_vm::{Pace, StartEvent, TargetId, Value, VmSettings};

use crate::harness::{Harness, draws, steps};

#[test]
fn one_slice_in_each_step() {
    // Mistake 1: a thread runs once in each step, even if it ends quickly.
    let mut harness = Harness::flag("(var n #0) (sprite A (flag (forever [(change n #1)])))");
    harness.steps(10);
    assert_eq!(harness.var("n"), "10");
}

#[test]
fn threads_appended_during_a_batch_run_in_it() {
    // Mistake 1, second half.
    let log =
        steps("(message m) (sprite A (flag (log a) (broadcast m) (log b)) (received m (log r)))");
    assert_eq!(log, ["a b r", ""]);
}

#[test]
fn hats_start_from_the_front_to_the_stage() {
    // Mistake 2: hats start in reverse execution order of targets, and in script order within a
    // target.
    let log = steps(
        "(stage (flag (log stage)))
         (sprite A (flag (log a1)) (flag (log a2)))
         (sprite B (flag (log b)))",
    );
    assert_eq!(log, ["b a1 a2 stage"]);
}

#[test]
fn layer_order_decides_not_file_order() {
    let log = steps("(sprite A layer=2 (flag (log a))) (sprite B layer=1 (flag (log b)))");
    assert_eq!(log, ["a b"]);
}

#[test]
fn a_hat_is_executed_at_once_and_its_body_in_the_next_step() {
    let mut harness = Harness::flag("(sprite A (flag@hat (log a)))");
    assert_eq!((harness.covered("hat"), harness.logged()), (1, String::new()));
    assert_eq!(harness.run(1), ["a"]);
}

#[test]
fn a_hat_with_nothing_below_occupies_the_list_until_the_next_step() {
    let mut harness = Harness::flag("(sprite A (flag))");
    assert_eq!(harness.vm.thread_count(), 1);
    harness.steps(1);
    assert_eq!(harness.vm.thread_count(), 0);
}

/// A script in A, started by a message, that a later script in A stops when the key `k` is pressed.
/// No other script ends earlier, so no batch meets an ended thread.
const STOPPED: &str = "(message m) (var v #0) (sprite A
       (received m (forever [(change v #1)]))
       (key k (stop \"other scripts in sprite\") (forever [])))
     (sprite B (flag (broadcast-wait m) (log end)))";

#[test]
fn a_thread_that_a_later_one_stops_is_listed_until_the_next_step() {
    let mut harness = Harness::after(2, STOPPED);
    assert_eq!(harness.vm.thread_count(), 2);
    harness.vm.key("k", true);
    // In the step in which the key is pressed, the stopped receiver still counts, and B waits for
    // it.
    assert_eq!(harness.run(1), [""]);
    assert_eq!((harness.vm.thread_count(), harness.var("v")), (3, "3".into()));
    assert_eq!(harness.run(2), ["end", ""]);
    assert_eq!(harness.vm.thread_count(), 1);
}

#[test]
fn a_visible_monitor_ends_a_thread_in_each_batch() {
    let monitor = |id: &str, visible| catherd_scratch_sb3::Monitor {
        id: id.into(),
        opcode: catherd_scratch_sb3::Opcode::DataVariable,
        sprite: None,
        params: Vec::new(),
        visible,
    };
    let threads = |monitors: Vec<_>, source: &str| {
        let mut project = crate::language::project(source);
        project.monitors = monitors;
        let mut harness = Harness::with(project, crate::harness::paper());
        harness.vm.green_flag();
        harness.steps(2);
        harness.vm.key("k", true);
        harness.steps(1);
        harness.vm.thread_count()
    };
    let shown = STOPPED.replace("(change v #1)", "(show-var v)");
    let hidden = STOPPED.replace("(change v #1)", "(hide-var v)");
    let id = &*crate::language::project(STOPPED).targets[0].variables[0].id.clone();
    assert_eq!(threads(vec![monitor(id, true)], STOPPED), 2);
    assert_eq!(threads(vec![monitor(id, false)], STOPPED), 3);
    assert_eq!(threads(vec![monitor(id, false)], &shown), 2);
    assert_eq!(threads(vec![monitor(id, true)], &hidden), 3);
    assert_eq!(threads(vec![monitor("another", true)], &hidden), 2);
    assert_eq!(threads(vec![monitor("another", false)], &shown), 3);
}

#[test]
fn a_restarted_thread_keeps_its_place() {
    // Mistake 3: the new receiver of m remains before the receiver of go.
    let mut harness = Harness::flag(
        "(message m go)
         (sprite A (flag (broadcast m) (broadcast go)) (key k (broadcast m))
           (received m (forever [(log m)])) (received go (forever [(log go)])))",
    );
    assert_eq!(harness.run(2), ["m go", "m go"]);
    harness.vm.key("k", true);
    assert_eq!(harness.run(2), ["m go", "m go"]);
}

#[test]
fn a_restart_behind_the_index_waits_for_the_next_step() {
    // R is listed before S. The message that S sends restarts R at its position, so R runs in the
    // next step.
    let log = steps(
        "(message m go)
         (sprite A (flag (broadcast m) (broadcast go)) (received m (forever [(log r)]))
           (received go (log s) (broadcast m) (log t)))",
    );
    assert_eq!(log, ["r s t", "r", "r"]);
}

#[test]
fn a_restart_ahead_of_the_index_runs_in_this_step() {
    let log = steps(
        "(message m)
         (sprite A (received m (log r1) (wait 0) (log r2)) (flag (broadcast m) (wait 0) (broadcast m)))",
    );
    // In step 2, the flag thread is before its receiver, which restarts immediately.
    assert_eq!(log, ["r1", "r1", "r2"]);
}

#[test]
fn resending_to_a_receiver_that_finished_in_this_step_delays_it() {
    // Mistake 3: finished threads that are still listed are replaced in place (run).
    let log = steps(
        "(message m again)
         (sprite A (flag (broadcast m) (broadcast again)) (received m (log r))
           (received again (log s) (broadcast m)))",
    );
    assert_eq!(log, ["r s", "r", ""]);
    // A receiver that finished in an earlier step is appended and runs immediately.
    let log = steps(
        "(message m) (sprite A (flag (broadcast m) (wait 0) (log s) (broadcast m)) (received m (log r)))",
    );
    assert_eq!(log, ["r", "s r", ""]);
}

#[test]
fn a_thread_that_restarts_itself_finishes_its_slice() {
    // Mistake 4.
    let log = steps(
        "(message m) (var n #0)
         (sprite A (flag (broadcast m))
           (received m (change n #1) (log (join a $n))
             (if (< $n #3) [(broadcast m) (log (join b $n)) (wait 0) (log lost)])))",
    );
    assert_eq!(log, ["a1 b1", "a2 b2", "a3", ""]);
}

#[test]
fn finished_threads_stay_until_the_end_of_the_batch() {
    // Mistake 5: if the receivers of a message that is sent in step s also finish in step s, the
    // sender continues in step s + 1, regardless of the order of the receivers.
    for sprites in [
        "(sprite A (flag (broadcast-wait m) (log w))) (sprite B (received m (log r)))",
        "(sprite B (received m (log r))) (sprite A (flag (broadcast-wait m) (log w)))",
    ] {
        assert_eq!(steps(&format!("(message m) {sprites}")), ["r", "w", ""]);
    }
}

#[test]
fn stop_all_lets_the_others_finish_their_slices() {
    // Mistake 6 (run).
    let mut harness = Harness::flag(
        "(message m)
         (sprite A (flag (log behind) (broadcast m) (wait 0) (log never)) (received m (log late)))
         (sprite B (flag (log b) (stop all) (log not-reached)))",
    );
    // Threads that scripts of the old list start are appended to the new list and begin in the next
    // step.
    assert_eq!(harness.run(3), ["b behind", "late", ""]);
    assert_eq!(harness.vm.thread_count(), 0);
}

#[test]
fn stop_all_resets_bubbles_effects_and_clones_but_no_variables() {
    let mut harness = Harness::flag(
        "(var v 5)
         (sprite A (flag (set v 7) (say hello) (set-effect ghost 50) (set-x 12) (set-volume 20)
           (clone _myself_) (wait 0) (stop all)))",
    );
    harness.steps(2);
    assert_eq!(harness.targets("A").count(), 2);
    harness.steps(2);
    let a = harness.target("A");
    assert_eq!((a.bubble, a.effects, a.x, a.volume), (None, [0.0; 7], 12.0, 20.0));
    assert_eq!((harness.targets("A").count(), harness.var("v")), (1, "7".to_owned()));
}

#[test]
fn stop_this_script_and_stop_other_scripts() {
    let log = steps(
        "(sprite A
           (flag (log 1) (stop \"other scripts in sprite\") (log 2) (stop \"this script\") (log 3))
           (flag (log never)))
         (sprite B (flag (wait 0) (log other)))",
    );
    // B starts first, because it is in front of A. The second script of A is stopped before its
    // first slice.
    assert_eq!(log, ["1 2", "other", ""]);
    let log = steps("(sprite A (flag (stop nonsense) (log on)))");
    assert_eq!(log, ["on"]);
}

#[test]
fn a_clone_is_a_target_of_its_own_for_stop_other_scripts() {
    let log = steps(
        "(sprite A (flag (clone _myself_) (wait 0) (stop \"other scripts in sprite\") (log o))
           (flag (wait 0.1) (log never)) (cloned (wait 0) (log c)))",
    );
    assert_eq!(log, ["", "o c", "", ""]);
}

#[test]
fn repeat_ends_its_slice_after_every_iteration() {
    // Mistake 13 (run): if a loop of n iterations begins in step s, iteration k runs in step
    // s + k - 1, and the blocks after the loop run in step s + n.
    assert_eq!(steps("(sprite A (flag (repeat 3 [(log i)]) (log end)))"), ["i", "i", "i", "end"]);
    for none in ["0", "-1", "0.4", "abc", "\"\""] {
        assert_eq!(
            steps(&format!("(sprite A (flag (repeat {none} [(log i)]) (log end)))")),
            ["end", ""]
        );
    }
    // Counts are rounded, halves up (mistake 24).
    for (count, n) in [("2.5", 3), ("1.4", 1), ("0.5", 1), ("-0.5", 0)] {
        let harness = Harness::after(6, &format!("(sprite A (flag (repeat {count} [(log i)])))"));
        assert_eq!(harness.list("log").len(), n, "{count}");
    }
    // A loop without a body takes the same number of steps.
    assert_eq!(steps("(sprite A (flag (repeat 2 []) (log end)))"), ["", "", "end"]);
    let mut harness = Harness::flag("(sprite A (flag (repeat Infinity [(log i)]) (log end)))");
    assert!(harness.run(50).iter().all(|s| s == "i"));
}

#[test]
fn repeat_takes_its_count_once_but_evaluates_it_every_time() {
    // Mistake 14: for n iterations, the block is executed n + 1 times, and evaluates its count each
    // time.
    let log = steps("(var n 2) (sprite A (flag (repeat $n [(set n 9) (log i)]) (log end)))");
    assert_eq!(log, ["i", "i", "end"]);
    let mut harness = Harness::flag(
        "(sprite A (flag (repeat (random 3 #3.0) [(log i)]) (repeat (round (random 1.6 2.4)) [(log j)])
           (log (random #0.0 1.0))))",
    );
    harness.steps(6);
    // A random number between the equal bounds 3 and 3.0 needs no draw. The second loop has 2
    // iterations, so its block draws 3 times, and the last block draws the fourth number.
    assert_eq!(harness.list("log"), ["i", "i", "i", "j", "j", &draws(4)[3].to_string()]);
}

#[test]
fn nested_loops() {
    let log = steps("(sprite A (flag (repeat 2 [(log o) (repeat 2 [(log i)])]) (log end)))");
    // The end of the inner loop and the next iteration of the outer loop each end the slice.
    assert_eq!(log, ["o i", "i", "", "o i", "i", "", "end"]);
}

#[test]
fn conditions_are_tested_at_the_start_of_each_slice() {
    let log =
        steps("(var n #0) (sprite A (flag (until (= $n 2) [(change n #1) (log $n)]) (log end)))");
    assert_eq!(log, ["1", "2", "end"]);
    let log =
        steps("(var n #0) (sprite A (flag (while (< $n 2) [(change n #1) (log $n)]) (log end)))");
    assert_eq!(log, ["1", "2", "end"]);
    assert_eq!(steps("(sprite A (flag (until (= 1 1) [(log i)]) (log end)))"), ["end"]);
    assert_eq!(steps("(sprite A (flag (while _ [(log i)]) (log end)))"), ["end"]);
    let log = steps(
        "(var n #0) (sprite A (flag (wait-until (= $n 2)) (log end)) (flag (repeat 2 [(change n #1)])))",
    );
    assert_eq!(log, ["", "", "end"]);
}

#[test]
fn if_and_if_else() {
    let log = steps(
        "(sprite A (flag (if (= 1 1) [(log a)]) (if _ [(log b)]) (if-else _ [(log c)] [(log d)])
           (if-else 1 [] [(log e)]) (if-else 0 [(log f)] []) (at-once [(log g)]) (log h)))",
    );
    assert_eq!(log, ["a d g h"]);
}

#[test]
fn for_each_counts_into_its_variable() {
    let log = steps(
        "(var v) (sprite A (flag (for v 2 [(log $v)]) (for v abc [(log x)]) (for v _ [(log x)]) (log $v)))",
    );
    assert_eq!(log, ["1", "2", "2", ""]);
    // The indices for 2.5 are 1, 2 and 3.
    assert_eq!(
        steps("(var v) (sprite A (flag (for v 2.5 [(log $v)]) (log end)))"),
        ["1", "2", "3", "end"]
    );
    let value = Harness::after(2, "(var v) (sprite A (flag (for v 1 [])))").value("v");
    assert_eq!(value, Value::Number(1.0));
}

#[test]
fn counter_is_one_for_all_and_survives_the_flag() {
    let mut harness = Harness::flag(
        "(sprite A (flag (incr-counter) (incr-counter) (log (counter)))) (sprite B (key c (clear-counter)))",
    );
    assert_eq!(harness.run(1), ["2"]);
    harness.vm.green_flag();
    assert_eq!(harness.run(1), ["4"]);
    harness.vm.key("c", true);
    harness.steps(1);
    harness.vm.green_flag();
    assert_eq!(harness.run(1), ["2"]);
}

#[test]
fn batches_follow_until_something_is_drawn_or_all_wait() {
    let settings = || VmSettings { batches: 5, ..crate::harness::paper() };
    let first_step = |script: &str| {
        let source = format!("(var n #0) (message m) (sprite A {script})");
        let mut harness = Harness::with(crate::language::project(&source), settings());
        harness.vm.green_flag();
        harness.steps(1);
        harness.var("n")
    };
    assert_eq!(first_step("(flag (forever [(change n #1)]))"), "5");
    assert_eq!(first_step("(flag (forever [(change n #1) (move 1)]))"), "1");
    assert_eq!(first_step("(flag (hide) (forever [(change n #1) (move 1)]))"), "5");
    assert_eq!(first_step("(flag (forever [(change n #1) (wait 0)]))"), "1");
    assert_eq!(first_step("(flag (repeat 2 [(change n #1)]) (stop all))"), "2");
    let waits = "(flag (broadcast-wait m) (change n #10)) (received m (repeat 2 [(change n #1)]))";
    assert_eq!(first_step(waits), "12", "receivers end in the same step");
}

#[test]
fn turbo_mode_continues_although_something_is_drawn() {
    let first_step = |turbo: bool| {
        let pace = Pace { turbo, ..Pace::default() };
        let settings = VmSettings { batches: 5, pace, ..crate::harness::paper() };
        let source = "(var n #0) (sprite A (flag (forever [(change n #1) (move 1)])))";
        let mut harness = Harness::with(crate::language::project(source), settings);
        harness.vm.green_flag();
        harness.steps(1);
        harness.var("n")
    };
    assert_eq!((first_step(false), first_step(true)), ("1".to_owned(), "5".to_owned()));
}

#[test]
fn callers_start_the_threads_of_events() {
    let source = "(var n #0) (message m) (sprite A (received m (change n #1)) (key a (wait 1)) \
        (clicked (change n #10)))";
    let mut harness = Harness::new(source);
    let sprite = harness.vm.targets().nth(1);
    assert_eq!(harness.vm.start(StartEvent::Message("M", None)).len(), 1);
    assert!(harness.vm.start(StartEvent::Message("m", Some(TargetId(99)))).is_empty());
    assert!(harness.vm.start(StartEvent::Message("other", None)).is_empty());
    assert_eq!(harness.vm.start(StartEvent::Click(sprite.unwrap())).len(), 1);
    assert_eq!(harness.vm.start(StartEvent::ClickSprites).len(), 1);
    assert_eq!(harness.vm.start(StartEvent::Key("a")).len(), 1);
    assert!(!harness.vm.is_key_down("a"));
    harness.steps(1);
    assert_eq!(harness.var("n"), "11");
}

#[test]
fn callers_start_only_the_scripts_of_a_hat() {
    let source = "(var n #0) (message m) (sprite A (flag (forever [(change n #1)])) \
        (received m (change n #10)) (key a (change n #100)) (clicked (change n #1000)))";
    let mut harness = Harness::new(source);
    let sprite = harness.vm.targets().nth(1);
    let mut start =
        |hat, option, only| harness.vm.start(StartEvent::Hat { hat, option, only }).len();
    assert_eq!(start(Opcode::EventWhenBroadcastReceived, "M", None), 1);
    assert_eq!(start(Opcode::EventWhenKeyPressed, "A", None), 1);
    assert_eq!(start(Opcode::EventWhenKeyPressed, "b", None), 0);
    assert_eq!(start(Opcode::EventWhenBroadcastReceived, "", None), 0);
    assert_eq!(start(Opcode::EventWhenThisSpriteClicked, "", sprite), 1);
    assert_eq!(start(Opcode::EventWhenThisSpriteClicked, "", Some(TargetId(99))), 0);
    assert_eq!(start(Opcode::MotionMoveSteps, "", None), 0);
    harness.steps(1);
    assert_eq!(harness.var("n"), "1110");
    // The threads of other hats continue, unlike after a click on the green flag.
    harness.vm.start(StartEvent::Hat { hat: Opcode::EventWhenFlagClicked, option: "", only: None });
    harness.vm.start(StartEvent::Message("m", None));
    harness.steps(1);
    assert_eq!(harness.var("n"), "1121");
}

#[test]
fn what_a_pen_has_drawn_outlasts_a_restore_of_fields() {
    let source = "(var v #0) (sprite A (flag (pen-size 9) (pen-down) (move 50) \
        (set v (touching-color \"#123456\"))))";
    let mut harness = Harness::new(source);
    let start = harness.vm.snapshot();
    harness.vm.green_flag();
    harness.steps(1);
    let sprite = harness.vm.targets().nth(1).unwrap();
    let state = |harness: &Harness| {
        let blue = harness.vm.picture().iter().filter(|pixel| **pixel == [0, 0, 255]).count();
        (harness.vm.target(sprite).unwrap().x, blue > 100)
    };
    assert_eq!(state(&harness), (50.0, true));
    harness.vm.restore_fields(&start);
    assert_eq!(state(&harness), (0.0, true));
    harness.vm.restore(&start);
    assert_eq!(state(&harness), (0.0, false));
}

#[test]
fn threads_of_keys_run_before_those_of_edge_hats() {
    let mut harness =
        Harness::new("(sprite A (when-greater loudness 5 (log loud)) (key a (log key)))");
    harness.steps(1);
    harness.vm.set_loudness(Some(10.0));
    harness.vm.key("a", true);
    assert_eq!(harness.run(2), ["key loud", ""]);
}

#[test]
fn run_status_follows_the_threads() {
    let mut harness = Harness::flag("(sprite A (flag (wait 0)))");
    assert!(harness.vm.is_running());
    harness.steps(2);
    assert!(harness.vm.is_running());
    harness.steps(1);
    assert!(!harness.vm.is_running());
    // A project with an edge-activated hat runs forever (run).
    let mut harness = Harness::after(9, "(sprite A (when-greater loudness 50))");
    assert!(harness.vm.is_running());
    harness.steps(9);
    assert!(harness.vm.is_running());
}
