//! Tests of blocks that take time (waits, glides, sounds, music), the timer and the clock.
//!
//! `Mistake N` and `(run)` in comments are explained in `main.rs`.

use catherd_scratch_vm::{Compat, Pace, VmSettings};

use crate::harness::{Harness, draws, eval, steps};

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
            let log = Harness::flag(&source).run(70);
            assert_eq!(log.iter().position(|s| s == "end"), Some(steps), "{wait} {seconds}");
        }
    }
}

#[test]
fn a_sequence_of_keys_counts_as_typed_for_100_ms() {
    let source = "(sprite A (when-typed \"a b\" (log typed)))";
    // A sequence that is typed again while it counts does not start the hat again.
    for (sound_step_ms, times) in [(1000.0 / 30.0, 2), (1000.0 / 60.0, 1)] {
        let pace = Pace { sound_step_ms, ..Pace::default() };
        let settings = VmSettings { pace, ..VmSettings::of(Compat::Today) };
        let mut harness = Harness::with(crate::language::project(source), settings);
        harness.vm.green_flag();
        let mut log = harness.run(1);
        for _ in 0..2 {
            for key in ["a", "b"] {
                harness.vm.key(key, true);
                harness.vm.key(key, false);
            }
            log.extend(harness.run(4));
        }
        let typed = log.iter().filter(|line| *line == "typed").count();
        assert_eq!(typed, times, "{sound_step_ms} ms");
    }
}

#[test]
fn waits_follow_the_pace() {
    let pace = Pace { step_ms: 1000.0 / 60.0, ..Pace::default() };
    let settings = VmSettings { pace, ..crate::harness::paper() };
    let source = "(sprite A (flag (wait 0.5) (log end)))";
    let mut harness = Harness::with(crate::language::project(source), settings);
    harness.vm.green_flag();
    let log = harness.run(40);
    assert_eq!(log.iter().position(|line| line == "end"), Some(30));
}

#[test]
fn waits_take_random_numbers_in_every_step() {
    // Mistake 14: the duration is evaluated again, with its random numbers, although it is not
    // used.
    let mut harness =
        Harness::flag("(sprite A (flag (wait (random 0.1 0.1000001)) (log (random 0.0 1.0))))");
    // The wait takes slightly more than 3 steps, so the block is executed 5 times.
    assert_eq!(harness.run(5)[4], draws(6)[5].to_string());
    let mut harness =
        Harness::flag("(sprite A (flag (say-for (random 1 6) 0.1) (log (random 0.0 1.0))))");
    assert_eq!(harness.run(4)[3], draws(5)[4].to_string());
    let mut harness =
        Harness::flag("(sprite A (flag (glide 0.1 (random 0.0 1.0) 0) (log (random 0.0 1.0))))");
    assert_eq!(harness.run(4)[3], draws(5)[4].to_string());
}

#[test]
fn say_for_clears_unconditionally() {
    let mut harness = Harness::flag(
        "(sprite A (flag (say-for first 0.1) (log end)) (flag (wait 0) (say second)))",
    );
    harness.steps(1);
    assert_eq!(harness.bubble("A").as_deref(), Some("first"));
    harness.steps(1);
    assert_eq!(harness.bubble("A").as_deref(), Some("second"));
    assert_eq!(harness.run(2), ["", "end"]);
    assert_eq!(harness.bubble("A"), None);
}

#[test]
fn glides_start_from_where_they_began() {
    // Mistake 16: no move in the first step, then fractions of the way from the stored start.
    let mut harness = Harness::flag(
        "(sprite A x=10 (flag (glide 0.1 40 30) (log end)) (flag (wait 0) (goto-xy 100 100)))",
    );
    let mut positions = Vec::new();
    for _ in 0..4 {
        harness.steps(1);
        positions.push(harness.position("A"));
    }
    let d = 100.0 / (1000.0 / 30.0);
    let part = |e: f64| (10.0 + e / d * 30.0, e / d * 30.0);
    assert_eq!(positions, [(10.0, 0.0), (100.0, 100.0), part(2.0), (40.0, 30.0)]);
    assert_eq!(harness.logged(), "end");
}

#[test]
fn glides_without_duration_jump_at_once() {
    let mut harness =
        Harness::flag("(sprite A (flag (glide 0 40 30) (log a) (glide -1 5 6) (log b)))");
    assert_eq!(harness.run(1), ["a b"]);
    assert_eq!(harness.position("A"), (5.0, 6.0));
}

#[test]
fn glide_to_keeps_its_end_and_does_nothing_without_one() {
    let mut harness = Harness::flag(
        "(sprite A (flag (glide-to 0.1 B) (log end)) (flag (glide-to 1 Nobody) (log nobody)))
         (sprite B x=30 (flag (wait 0) (set-x 99)))",
    );
    assert_eq!(harness.run(4), ["nobody", "", "", "end"]);
    assert_eq!(harness.position("A"), (30.0, 0.0));
    // Two random numbers are drawn in every step, and the first pair is used.
    let mut harness =
        Harness::flag("(sprite A (flag (glide-to 0.1 _random_) (log (random 0.0 1.0))))");
    assert_eq!(harness.run(4)[3], draws(9)[8].to_string());
    let round = |x: f64| (x + 0.5).floor();
    let d = draws(2);
    assert_eq!(harness.position("A"), (round(480.0 * (d[0] - 0.5)), round(360.0 * (d[1] - 0.5))));
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
        let log = Harness::flag(&format!("(sprite A (flag (log a) {block} (log b)))")).run(2);
        assert_eq!(log, if ends { ["a", "b"] } else { ["a b", ""] }, "{block}");
    }
    // At the end of a loop body, the block does not change the number of steps; at the end of a
    // script, the thread is listed for one more step.
    assert_eq!(
        steps("(sprite A (flag (repeat 2 [(log i) (set-volume 9)]) (log end)))"),
        ["i", "i", "end"]
    );
    let mut harness = Harness::flag("(sprite A (flag (set-volume 9)))");
    harness.steps(1);
    assert_eq!(harness.vm.thread_count(), 1);
    harness.steps(1);
    assert_eq!(harness.vm.thread_count(), 0);
    // If the block is within an `if`, the blocks after the `if` are executed in the next step.
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
    // In a loop in the body, only the newly pushed frame changes, and the frames below remain in
    // warp.
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
    let end = |block: &str| Harness::flag(&sprite(block)).run(20).iter().position(|s| s == "end");
    assert_eq!(end("(play pop)"), Some(0));
    assert_eq!(end("(play-done pop)"), Some(3));
    // A string is compared with the names first, and then read as a number, which is wrapped; a
    // number never equals a name.
    assert_eq!(end("(play-done 7)"), Some(6));
    assert_eq!(end("(play-done #7)"), Some(3));
    assert_eq!(end("(play-done #2)"), Some(6));
    assert_eq!(end("(play-done \"0 sheep\")"), Some(6));
    // An unknown sound never ends (run).
    assert_eq!(end("(play-done nothing)"), None);
    let mut harness = Harness::flag(
        &sprite("(play-done pop)").replace("(log end)", "(log end)) (flag (stop-sounds)"),
    );
    assert_eq!(harness.run(4)[3], "end");
}

#[test]
fn music_waits_for_beats_at_the_stages_tempo() {
    let end = |blocks: &str| {
        let log = Harness::flag(&format!("(sprite A (flag {blocks} (log end)))")).run(200);
        log.iter().position(|s| s == "end")
    };
    assert_eq!(end("(rest 1)"), Some(30));
    assert_eq!(end("(set-tempo 120) (drum 1 1)"), Some(15));
    assert_eq!(end("(change-tempo 60) (note 60 1)"), Some(15));
    assert_eq!(end("(note 60 0)"), Some(0));
    assert_eq!(end("(drum 1 0)"), Some(1));
    assert_eq!(end("(rest -3)"), Some(1));
    let tempo = |block: &str| {
        Harness::after(1, &format!("(sprite A (flag {block} (log (tempo))))")).list("log")
    };
    assert_eq!(tempo("(set-tempo 5)"), ["20"]);
    assert_eq!(tempo("(set-tempo 501)"), ["500"]);
    assert_eq!(tempo("(change-tempo -10)"), ["50"]);
}

#[test]
fn one_timer_for_the_reporter_and_the_hat() {
    let source = "(sprite A (flag (wait 1) (reset-timer)) (when-greater TIMER 0.5 (log late)))";
    let late = |one_timer| {
        let settings = VmSettings { one_timer, ..VmSettings::default() };
        let mut harness = Harness::with(crate::language::project(source), settings);
        harness.vm.green_flag();
        harness.steps(60);
        harness.list("log").len()
    };
    assert_eq!((late(false), late(true)), (1, 2));
}

#[test]
fn blocks_of_missing_hardware_take_their_time() {
    let end = |block: &str| {
        let log = Harness::flag(&format!("(sprite A (flag ({block}) (log end)))")).run(200);
        log.iter().position(|s| s == "end")
    };
    // 120 ms for each column: six for each letter and six more.
    assert_eq!(end("microbit_displayText TEXT=10"), Some(65));
    assert_eq!(end("microbit_displayClear"), Some(3));
    assert_eq!(end("ev3_motorTurnClockwise TIME=2"), Some(60));
    assert_eq!(end("boost_motorOnFor DURATION=-1"), Some(1));
    assert_eq!(end("ev3_beep TIME=0"), Some(0));
    assert_eq!(end("ev3_motorSetPower POWER=50"), Some(0));
    // Conditions of missing hardware are false; unknown reporters have no value.
    let pressed = "(microbit_isButtonPressed BTN=(microbit_menu_buttons .buttons=any))";
    assert_eq!(eval(pressed).to_text(), *"false");
    assert_eq!(eval("(sensing_xposition)").to_number(), 0.0);
}

#[test]
fn the_clock_advances_with_the_steps_unless_it_is_set() {
    let mut harness = Harness::flag(
        "(var d 0) (var s 0) (sprite A
           (flag (forever [(set d (days)) (set s (current SECOND))])) (flag (rest 1) (log rest))
           (when-greater TIMER 1.5 (log late)))",
    );
    harness.steps(16);
    let days = |harness: &Harness| harness.value("d").to_number();
    assert_eq!(((days(&harness) - 8766.5) * 86_400_000.0).round(), 500.0);
    assert_eq!(harness.logged(), "");
    harness.vm.set_clock(1999.0);
    assert_eq!(harness.run(1), ["rest late"]);
    assert_eq!(harness.var("s"), "1");
    harness.steps(1);
    assert_eq!(harness.var("s"), "2");
    harness.vm.green_flag();
    harness.steps(1);
    assert_eq!(days(&harness), 8766.5);
}

#[test]
fn the_timer_is_a_sum() {
    // Mistake 12 (run).
    let mut harness = Harness::flag("(sprite A (flag (forever [(log (timer))])))");
    let log = harness.run(5);
    assert_eq!(log[..4], ["0", "0.075", "0.15", "0.22499999999999998"]);
}

#[test]
fn the_reporter_and_the_hat_have_different_timers() {
    // Mistake 11: `reset timer` affects only the reporter; `when timer >` has a separate clock.
    let log = steps(
        "(sprite A (flag (wait 0) (reset-timer) (log (timer)) (wait 0) (log (timer)))
           (when-greater TIMER 0.1 (log late)))",
    );
    assert_eq!(log, ["", "0", "0.075", "", "late", ""]);
}

#[test]
fn dates_have_the_whole_milliseconds_that_have_passed() {
    let mut harness = Harness::flag("(var d 0) (sprite A (flag (forever [(set d (days))])))");
    let milliseconds =
        |harness: &Harness| ((harness.value("d").to_number() - 8766.5) * 86_400_000.0).round();
    // A step takes 1000/30 ms.
    for passed in [0.0, 33.0, 66.0, 100.0] {
        harness.steps(1);
        assert_eq!(milliseconds(&harness), passed);
    }
    harness.vm.set_clock(67.0);
    harness.steps(1);
    assert_eq!(milliseconds(&harness), 67.0);
}
