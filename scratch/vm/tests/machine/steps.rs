//! Steps, the pass, slices, loops, waits, timed blocks.

use catherd_vm::{Settings, Value};

use crate::rig::{Rig, draws, eval};

/// What the scripts of a project log in each of its first steps after the green flag.
fn steps<const N: usize>(source: &str) -> [String; N] {
    Rig::flag(source).run(N).try_into().unwrap()
}

#[test]
fn one_pass_a_step() {
    // Mistake 1: a thread runs once a step, however quick it is.
    let mut rig = Rig::flag("(var n #0) (sprite A (flag (forever [(change n #1)])))");
    rig.steps(10);
    assert_eq!(rig.var("n"), "10");
}

#[test]
fn threads_appended_during_the_pass_run_in_it() {
    // Mistake 1, second half.
    let log =
        steps("(message m) (sprite A (flag (log a) (broadcast m) (log b)) (received m (log r)))");
    assert_eq!(log, ["a b r", ""]);
}

#[test]
fn hats_start_from_the_front_to_the_stage() {
    // Mistake 2: reverse execution order; within a target script order.
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
    let mut rig = Rig::flag("(sprite A (flag@hat (log a)))");
    assert_eq!((rig.covered("hat"), rig.logged()), (1, String::new()));
    assert_eq!(rig.run(1), ["a"]);
}

#[test]
fn a_hat_with_nothing_below_occupies_the_list_until_the_next_pass() {
    let mut rig = Rig::flag("(sprite A (flag))");
    assert_eq!(rig.vm.thread_count(), 1);
    rig.steps(1);
    assert_eq!(rig.vm.thread_count(), 0);
}

#[test]
fn a_restarted_thread_keeps_its_place() {
    // Mistake 3: the new receiver of m stays ahead of the receiver of go.
    let mut rig = Rig::flag(
        "(message m go)
         (sprite A (flag (broadcast m) (broadcast go)) (key k (broadcast m))
           (received m (forever [(log m)])) (received go (forever [(log go)])))",
    );
    assert_eq!(rig.run(2), ["m go", "m go"]);
    rig.vm.key("k", true);
    assert_eq!(rig.run(2), ["m go", "m go"]);
}

#[test]
fn a_restart_behind_the_index_waits_for_the_next_step() {
    // R is listed before S: S's broadcast replaces R in place, R runs in the next step.
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
    // Step 2: the flag thread stands before its receiver, which starts anew at once.
    assert_eq!(log, ["r1", "r1", "r2"]);
}

#[test]
fn resending_to_a_receiver_that_finished_in_this_step_delays_it() {
    // Mistake 3: finished threads still listed are replaced in place (run).
    let log = steps(
        "(message m again)
         (sprite A (flag (broadcast m) (broadcast again)) (received m (log r))
           (received again (log s) (broadcast m)))",
    );
    assert_eq!(log, ["r s", "r", ""]);
    // A receiver that finished in an earlier step is appended and runs at once.
    let log = steps(
        "(message m) (sprite A (flag (broadcast m) (wait 0) (log s) (broadcast m)) (received m (log r)))",
    );
    assert_eq!(log, ["r", "s r", ""]);
}

#[test]
fn who_restarts_itself_finishes_its_slice() {
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
fn finished_threads_stay_until_the_end_of_the_pass() {
    // Mistake 5: sent in s, finished in s, continued in s + 1, wherever the receivers stand.
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
    let mut rig = Rig::flag(
        "(message m)
         (sprite A (flag (log behind) (broadcast m) (wait 0) (log never)) (received m (log late)))
         (sprite B (flag (log b) (stop all) (log not-reached)))",
    );
    // What the old list starts is appended to the new list and begins in the next step.
    assert_eq!(rig.run(3), ["b behind", "late", ""]);
    assert_eq!(rig.vm.thread_count(), 0);
}

#[test]
fn stop_all_resets_bubbles_effects_and_clones_but_no_variables() {
    let mut rig = Rig::flag(
        "(var v 5)
         (sprite A (flag (set v 7) (say hello) (set-effect ghost 50) (set-x 12) (set-volume 20)
           (clone _myself_) (wait 0) (stop all)))",
    );
    rig.steps(2);
    assert_eq!(rig.targets("A").count(), 2);
    rig.steps(2);
    let a = rig.target("A");
    assert_eq!((a.bubble, a.effects, a.x, a.volume), (None, [0.0; 7], 12.0, 20.0));
    assert_eq!((rig.targets("A").count(), rig.var("v")), (1, "7".to_owned()));
}

#[test]
fn stop_this_script_and_stop_other_scripts() {
    let log = steps(
        "(sprite A
           (flag (log 1) (stop \"other scripts in sprite\") (log 2) (stop \"this script\") (log 3))
           (flag (log never)))
         (sprite B (flag (wait 0) (log other)))",
    );
    // B starts first, in front of A; A's second script is killed before its slice.
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
    // Mistake 13 (run): iteration k runs in step s + k - 1, the rest in step s + n.
    assert_eq!(steps("(sprite A (flag (repeat 3 [(log i)]) (log end)))"), ["i", "i", "i", "end"]);
    for none in ["0", "-1", "0.4", "abc", "\"\""] {
        assert_eq!(
            steps(&format!("(sprite A (flag (repeat {none} [(log i)]) (log end)))")),
            ["end", ""]
        );
    }
    // Counts are rounded, halves up (mistake 24).
    for (count, n) in [("2.5", 3), ("1.4", 1), ("0.5", 1), ("-0.5", 0)] {
        let rig = Rig::after(6, &format!("(sprite A (flag (repeat {count} [(log i)])))"));
        assert_eq!(rig.list("log").len(), n, "{count}");
    }
    // Without a body it takes its steps all the same.
    assert_eq!(steps("(sprite A (flag (repeat 2 []) (log end)))"), ["", "", "end"]);
    let mut rig = Rig::flag("(sprite A (flag (repeat Infinity [(log i)]) (log end)))");
    assert!(rig.run(50).iter().all(|s| s == "i"));
}

#[test]
fn repeat_takes_its_count_once_but_evaluates_it_every_time() {
    // Mistake 14: n + 1 executions, as many draws.
    let log = steps("(var n 2) (sprite A (flag (repeat $n [(set n 9) (log i)]) (log end)))");
    assert_eq!(log, ["i", "i", "end"]);
    let mut rig = Rig::flag(
        "(sprite A (flag (repeat (random 3 #3.0) [(log i)]) (repeat (round (random 1.6 2.4)) [(log j)])
           (log (random #0.0 1.0))))",
    );
    rig.steps(6);
    // 3 = 3.0 draws nothing; 2 iterations are 3 executions; then the fourth draw.
    assert_eq!(rig.list("log"), ["i", "i", "i", "j", "j", &draws(4)[3].to_string()]);
}

#[test]
fn nested_loops() {
    let log = steps("(sprite A (flag (repeat 2 [(log o) (repeat 2 [(log i)])]) (log end)))");
    // The inner loop's end and the outer's next iteration each end the slice.
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
    // 2.5: indices 1, 2, 3.
    assert_eq!(
        steps("(var v) (sprite A (flag (for v 2.5 [(log $v)]) (log end)))"),
        ["1", "2", "3", "end"]
    );
    let value = Rig::after(2, "(var v) (sprite A (flag (for v 1 [])))").value("v");
    assert_eq!(value, Value::Number(1.0));
}

#[test]
fn counter_is_one_for_all_and_survives_the_flag() {
    let mut rig = Rig::flag(
        "(sprite A (flag (incr-counter) (incr-counter) (log (counter)))) (sprite B (key c (clear-counter)))",
    );
    assert_eq!(rig.run(1), ["2"]);
    rig.vm.green_flag();
    assert_eq!(rig.run(1), ["4"]);
    rig.vm.key("c", true);
    rig.steps(1);
    rig.vm.green_flag();
    assert_eq!(rig.run(1), ["2"]);
}

#[test]
fn waits_last_max_1_ceil_d_steps() {
    // Mistake 15 (run).
    for (seconds, steps) in [
        ("0", 1),
        ("-3", 1),
        ("abc", 1),
        ("0.01", 1),
        ("0.1", 3),
        ("0.25", 8),
        ("0.5", 15),
        ("1", 30),
        ("2", 60),
    ] {
        for wait in ["(wait S)", "(say-for x S)", "(think-for x S)", "(rest S)"] {
            let source = format!("(sprite A (flag {} (log end)))", wait.replace('S', seconds));
            let log = Rig::flag(&source).run(70);
            assert_eq!(log.iter().position(|s| s == "end"), Some(steps), "{wait} {seconds}");
        }
    }
}

#[test]
fn waits_draw_in_every_step() {
    // Mistake 14: the duration is evaluated, and drawn, again although it is not used.
    let mut rig =
        Rig::flag("(sprite A (flag (wait (random 0.1 0.1000001)) (log (random 0.0 1.0))))");
    // About 3.000003 steps: 4 waits after the start, 5 executions.
    assert_eq!(rig.run(5)[4], draws(6)[5].to_string());
    let mut rig = Rig::flag("(sprite A (flag (say-for (random 1 6) 0.1) (log (random 0.0 1.0))))");
    assert_eq!(rig.run(4)[3], draws(5)[4].to_string());
    let mut rig =
        Rig::flag("(sprite A (flag (glide 0.1 (random 0.0 1.0) 0) (log (random 0.0 1.0))))");
    assert_eq!(rig.run(4)[3], draws(5)[4].to_string());
}

#[test]
fn say_for_clears_unconditionally() {
    let mut rig =
        Rig::flag("(sprite A (flag (say-for first 0.1) (log end)) (flag (wait 0) (say second)))");
    rig.steps(1);
    assert_eq!(rig.bubble("A").as_deref(), Some("first"));
    rig.steps(1);
    assert_eq!(rig.bubble("A").as_deref(), Some("second"));
    assert_eq!(rig.run(2), ["", "end"]);
    assert_eq!(rig.bubble("A"), None);
}

#[test]
fn glides_start_from_where_they_began() {
    // Mistake 16: no move in the first step, then fractions of the way from the stored start.
    let mut rig = Rig::flag(
        "(sprite A x=10 (flag (glide 0.1 40 30) (log end)) (flag (wait 0) (goto-xy 100 100)))",
    );
    let mut positions = Vec::new();
    for _ in 0..4 {
        rig.steps(1);
        positions.push(rig.position("A"));
    }
    let d = 100.0 / (1000.0 / 30.0);
    let part = |e: f64| (10.0 + e / d * 30.0, e / d * 30.0);
    assert_eq!(positions, [(10.0, 0.0), (100.0, 100.0), part(2.0), (40.0, 30.0)]);
    assert_eq!(rig.logged(), "end");
}

#[test]
fn glides_without_duration_jump_at_once() {
    let mut rig = Rig::flag("(sprite A (flag (glide 0 40 30) (log a) (glide -1 5 6) (log b)))");
    assert_eq!(rig.run(1), ["a b"]);
    assert_eq!(rig.position("A"), (5.0, 6.0));
}

#[test]
fn glide_to_fixes_its_end_and_gives_up_without_one() {
    let mut rig = Rig::flag(
        "(sprite A (flag (glide-to 0.1 B) (log end)) (flag (glide-to 1 Nobody) (log nobody)))
         (sprite B x=30 (flag (wait 0) (set-x 99)))",
    );
    assert_eq!(rig.run(4), ["nobody", "", "", "end"]);
    assert_eq!(rig.position("A"), (30.0, 0.0));
    // Two draws in every step, the first pair counts.
    let mut rig = Rig::flag("(sprite A (flag (glide-to 0.1 _random_) (log (random 0.0 1.0))))");
    assert_eq!(rig.run(4)[3], draws(9)[8].to_string());
    let round = |x: f64| (x + 0.5).floor();
    let d = draws(2);
    assert_eq!(rig.position("A"), (round(480.0 * (d[0] - 0.5)), round(360.0 * (d[1] - 0.5))));
}

#[test]
fn volume_and_known_sound_effects_end_the_slice() {
    // Mistake 17.
    for (block, ends) in [
        ("(set-volume 50)", true),
        ("(change-volume -5)", true),
        ("(set-sound PITCH 10)", true),
        ("(change-sound pan 10)", true),
        ("(set-sound echo 10)", false),
        ("(clear-sound)", false),
        ("(stop-sounds)", false),
        ("(set-tempo 90)", false),
    ] {
        let log = Rig::flag(&format!("(sprite A (flag (log a) {block} (log b)))")).run(2);
        assert_eq!(log, if ends { ["a", "b"] } else { ["a b", ""] }, "{block}");
    }
    // Last in a loop body: as many steps as without; last in a script: listed a step longer.
    assert_eq!(
        steps("(sprite A (flag (repeat 2 [(log i) (set-volume 9)]) (log end)))"),
        ["i", "i", "end"]
    );
    let mut rig = Rig::flag("(sprite A (flag (set-volume 9)))");
    rig.steps(1);
    assert_eq!(rig.vm.thread_count(), 1);
    rig.steps(1);
    assert_eq!(rig.vm.thread_count(), 0);
    // Within an if: the blocks after the if come in the next step.
    let log = steps("(sprite A (flag (if 1 [(set-volume 9)]) (log end)))");
    assert_eq!(log, ["", "end"]);
}

#[test]
fn volume_ends_warp_for_the_rest_of_the_body() {
    // Mistake 17, second half (run).
    let log = steps(
        "(sprite A (define-warp f () (repeat 2 [(log w)]) (set-volume 9) (repeat 2 [(log n)]))
           (flag (call f) (log end)))",
    );
    assert_eq!(log, ["w w", "n", "n", "end"]);
    // In a loop of the body only the frame that is pushed anew changes, below it stays warp.
    let log = steps(
        "(sprite A (define-warp f () (repeat 2 [(set-volume 9) (log n)]) (repeat 2 [(log w)]))
           (flag (call f) (log end)))",
    );
    assert_eq!(log, ["", "n", "n w w end"]);
}

#[test]
fn sounds_play_for_their_length() {
    let sprite =
        |block: &str| format!("(sprite A (sound pop 0.1) (sound 7 0.2) (flag {block} (log end)))");
    let end = |block: &str| Rig::flag(&sprite(block)).run(20).iter().position(|s| s == "end");
    assert_eq!(end("(play pop)"), Some(0));
    assert_eq!(end("(play-done pop)"), Some(3));
    // Names first, then numbers, wrapped; a number never equals a name.
    assert_eq!(end("(play-done 7)"), Some(6));
    assert_eq!(end("(play-done #7)"), Some(3));
    assert_eq!(end("(play-done #2)"), Some(6));
    assert_eq!(end("(play-done \"0 sheep\")"), Some(6));
    // An unknown sound hangs (run).
    assert_eq!(end("(play-done nothing)"), None);
    let mut rig = Rig::flag(
        &sprite("(play-done pop)").replace("(log end)", "(log end)) (flag (stop-sounds)"),
    );
    assert_eq!(rig.run(4)[3], "end");
}

#[test]
fn music_waits_for_beats_at_the_stages_tempo() {
    let end = |blocks: &str| {
        let log = Rig::flag(&format!("(sprite A (flag {blocks} (log end)))")).run(200);
        log.iter().position(|s| s == "end")
    };
    assert_eq!(end("(rest 1)"), Some(30));
    assert_eq!(end("(set-tempo 120) (drum 1 1)"), Some(15));
    assert_eq!(end("(change-tempo 60) (note 60 1)"), Some(15));
    assert_eq!(end("(note 60 0)"), Some(0));
    assert_eq!(end("(drum 1 0)"), Some(1));
    assert_eq!(end("(rest -3)"), Some(1));
    let tempo = |block: &str| {
        Rig::after(1, &format!("(sprite A (flag {block} (log (tempo))))")).list("log")
    };
    assert_eq!(tempo("(set-tempo 5)"), ["20"]);
    assert_eq!(tempo("(set-tempo 501)"), ["500"]);
    assert_eq!(tempo("(change-tempo -10)"), ["50"]);
}

#[test]
fn batches_follow_until_something_is_drawn_or_all_wait() {
    let settings = || Settings { batches: 5, ..crate::rig::paper() };
    let first_step = |script: &str| {
        let source = format!("(var n #0) (message m) (sprite A {script})");
        let mut rig = Rig::with(crate::language::project(&source), settings());
        rig.vm.green_flag();
        rig.steps(1);
        rig.var("n")
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
fn one_timer_for_the_reporter_and_the_hat() {
    let source = "(sprite A (flag (wait 1) (reset-timer)) (when-greater TIMER 0.5 (log late)))";
    let late = |one_timer| {
        let settings = Settings { one_timer, ..Settings::default() };
        let mut rig = Rig::with(crate::language::project(source), settings);
        rig.vm.green_flag();
        rig.steps(60);
        rig.list("log").len()
    };
    assert_eq!((late(false), late(true)), (1, 2));
}

#[test]
fn absent_hardware_takes_its_time() {
    let end = |block: &str| {
        let log = Rig::flag(&format!("(sprite A (flag ({block}) (log end)))")).run(200);
        log.iter().position(|s| s == "end")
    };
    // 120 ms for each of six columns a letter and six more.
    assert_eq!(end("microbit_displayText TEXT=10"), Some(65));
    assert_eq!(end("microbit_displayClear"), Some(3));
    assert_eq!(end("ev3_motorTurnClockwise TIME=2"), Some(60));
    assert_eq!(end("boost_motorOnFor DURATION=-1"), Some(1));
    assert_eq!(end("ev3_beep TIME=0"), Some(0));
    assert_eq!(end("ev3_motorSetPower POWER=50"), Some(0));
    // A condition that is false; a block that no Scratch defines reports nothing.
    let pressed = "(microbit_isButtonPressed BTN=(microbit_menu_buttons .buttons=any))";
    assert_eq!(eval(pressed).to_text(), *"false");
    assert_eq!(eval("(sensing_xposition)").to_number(), 0.0);
}

#[test]
fn the_clock_advances_with_the_steps_unless_it_is_set() {
    let mut rig = Rig::flag(
        "(var d 0) (var s 0) (sprite A
           (flag (forever [(set d (days)) (set s (current SECOND))])) (flag (rest 1) (log rest))
           (when-greater TIMER 1.5 (log late)))",
    );
    rig.steps(16);
    let days = |rig: &Rig| rig.value("d").to_number();
    assert_eq!(((days(&rig) - 8766.5) * 86_400_000.0).round(), 500.0);
    assert_eq!(rig.logged(), "");
    rig.vm.set_clock(1999.0);
    assert_eq!(rig.run(1), ["rest late"]);
    assert_eq!(rig.var("s"), "1");
    rig.steps(1);
    assert_eq!(rig.var("s"), "2");
    rig.vm.green_flag();
    rig.steps(1);
    assert_eq!(days(&rig), 8766.5);
}

#[test]
fn the_timer_is_a_sum() {
    // Mistake 12 (run).
    let mut rig = Rig::flag("(sprite A (flag (forever [(log (timer))])))");
    let log = rig.run(5);
    assert_eq!(log[..4], ["0", "0.075", "0.15", "0.22499999999999998"]);
}

#[test]
fn the_timers_are_two() {
    // Mistake 11: `reset timer` is for the reporter only, `when timer >` has its own clock.
    let log = steps(
        "(sprite A (flag (wait 0) (reset-timer) (log (timer)) (wait 0) (log (timer)))
           (when-greater TIMER 0.1 (log late)))",
    );
    assert_eq!(log, ["", "0", "0.075", "", "late", ""]);
}

#[test]
fn threads_of_keys_run_before_those_of_edge_hats() {
    let mut rig = Rig::new("(sprite A (when-greater loudness 5 (log loud)) (key a (log key)))");
    rig.steps(1);
    rig.vm.set_loudness(Some(10.0));
    rig.vm.key("a", true);
    assert_eq!(rig.run(2), ["key loud", ""]);
}

#[test]
fn run_status_follows_the_threads() {
    let mut rig = Rig::flag("(sprite A (flag (wait 0)))");
    assert!(rig.vm.is_running());
    rig.steps(2);
    assert!(rig.vm.is_running());
    rig.steps(1);
    assert!(!rig.vm.is_running());
    // Any edge hat keeps a project running for ever (run).
    let mut rig = Rig::after(9, "(sprite A (when-greater loudness 50))");
    assert!(rig.vm.is_running());
    rig.steps(9);
    assert!(rig.vm.is_running());
}
