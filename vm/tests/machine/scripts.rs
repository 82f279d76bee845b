//! Events, messages, warp, custom blocks, stopping, clones, the green flag, input.

use catherd_vm::Value;

use crate::rig::{Rig, draws};

fn steps<const N: usize>(source: &str) -> [String; N] {
    Rig::flag(source).run(N).try_into().unwrap()
}

#[test]
fn backdrop_hats_fire_on_every_switch() {
    // Mistake 8: also if nothing changed, also for an invalid argument.
    let stage = "(costume one) (costume two)";
    for block in ["(backdrop one)", "(backdrop nonsense)", "(backdrop #1)"] {
        let log: [_; 1] = steps(&format!(
            "{stage} (sprite A (flag {block} (log a)) (shown one (log shown)) (shown two (log no)))"
        ));
        assert_eq!(log, ["a shown"], "{block}");
    }
    // The name is matched without regard to case.
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
    let mut rig =
        Rig::flag("(sprite A (when-greater@hat LOUDNESS 5 (log start) (wait 0.1) (log end)))");
    let loud = |rig: &mut Rig, volume: f64| {
        rig.vm.sound(Some(volume));
        rig.run(1).remove(0)
    };
    assert_eq!(loud(&mut rig, 0.0), "");
    assert_eq!(loud(&mut rig, 9.0), "start");
    // Falls and rises while the script runs: unseen.
    assert_eq!(loud(&mut rig, 0.0), "");
    assert_eq!(loud(&mut rig, 9.0), "");
    assert_eq!(loud(&mut rig, 9.0), "end");
    // It ended in the last step; a predicate still true does not fire.
    assert_eq!(loud(&mut rig, 9.0), "");
    assert_eq!(loud(&mut rig, 0.0), "");
    assert_eq!(loud(&mut rig, 9.0), "start");
    // Covered at each evaluation, none of them while it ran: steps 1, 2, 6, 7, 8.
    assert_eq!(rig.covered("hat"), 5);
}

#[test]
fn edge_values_survive_stop_all_but_not_the_flag() {
    // Mistake 10.
    let mut rig = Rig::flag("(sprite A (when-greater loudness 5 (log start)) (key s (stop all)))");
    rig.vm.sound(Some(9.0));
    assert_eq!(rig.run(2), ["start", ""]);
    rig.vm.key("s", true);
    assert_eq!(rig.run(2), ["", ""]);
    rig.vm.green_flag();
    rig.vm.sound(Some(9.0));
    assert_eq!(rig.run(2), ["start", ""]);
}

#[test]
fn clones_copy_edge_values() {
    let mut rig = Rig::flag(
        "(sprite A (when-greater loudness 5 (log start)) (flag (wait 0) (clone _myself_)))",
    );
    rig.vm.sound(Some(9.0));
    assert_eq!(rig.run(4), ["start", "", "", ""]);
}

#[test]
fn the_touching_hat_senses_the_edge_and_sprites() {
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
    let mut rig = Rig::flag("(sprite A (when-greater@hat brightness -5 (log a)))");
    assert_eq!(rig.run(3), ["", "", ""]);
    assert_eq!(rig.covered("hat"), 3);
}

#[test]
fn messages_are_found_by_id_or_by_computed_name() {
    let receivers =
        "(sprite B (received go (log go)) (received GO (log GO)) (received other (log no)))";
    for (block, log) in [
        ("(broadcast go/id)", "go GO"),
        ("(broadcast other-name/id)", "go GO"),
        // An unknown id sends nothing, whatever its name.
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
fn broadcast_and_wait_without_receivers_goes_on() {
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
    // C restarts B in step 2, before A looks.
    assert_eq!(log, ["", "end", ""]);
}

#[test]
fn warp_runs_loops_within_a_step() {
    let log = steps(
        "(sprite A (define-warp f () (repeat 3 [(log i)]) (call g)) (define g () (repeat 2 [(log j)]))
           (flag (call f) (log a) (call g) (log b)))",
    );
    // g inherits warp when it is called from f, not otherwise.
    assert_eq!(log, ["i i i j j a j", "j", "b"]);
}

#[test]
fn waits_in_warp_take_their_steps() {
    // (run)
    for (seconds, at) in [("0", 1), ("0.1", 3)] {
        for block in [format!("(wait {seconds})"), format!("(say-for x {seconds})")] {
            let source = format!("(sprite A (define-warp f () {block}) (flag (call f) (log end)))");
            let log = Rig::flag(&source).run(6);
            assert_eq!(log.iter().position(|s| s == "end"), Some(at), "{block}");
        }
    }
    let log = steps(
        "(message m) (sprite A (define-warp f () (broadcast-wait m) (wait-until (= 1 1)) (log w))
           (flag (call f) (log end)) (received m (wait 0) (log r)))",
    );
    assert_eq!(log, ["", "r", "w end"]);
}

#[test]
fn waiting_for_a_draw_in_warp_goes_on_in_the_same_step() {
    let log = steps(
        "(sprite A (define-warp f () (wait-until (= (random 1 50) 7)) (log end)) (flag (call f)))",
    );
    assert_eq!(log, ["end"]);
}

#[test]
fn recursion_without_warp_takes_a_step_a_level() {
    // (run)
    let log = steps(
        "(sprite A (define f (n) (log (arg n)) (if (> (arg n) 1) [(call f (- (arg n) 1))]))
           (flag (call f 3) (log end)))",
    );
    assert_eq!(log, ["3", "2", "1 end"]);
    // Six C-blocks hide the recursion.
    let log = steps(
        "(sprite A (define f (n) (log (arg n)) (if 1 [(if 1 [(if 1 [(if 1 [(if 1 [
             (if (> (arg n) 1) [(call f (- (arg n) 1))])])])])])]))
           (flag (call f 3) (log end)))",
    );
    assert_eq!(log, ["3 2 1 end"]);
    let log = steps(
        "(sprite A (define-warp f (n) (log (arg n)) (if (> (arg n) 1) [(call f (- (arg n) 1))]))
           (flag (call f 3) (log end)))",
    );
    assert_eq!(log, ["3 2 1 end"]);
    // Mutual recursion is recursion.
    let log = steps(
        "(sprite A (define f (n) (log (arg n)) (if (> (arg n) 1) [(call g (- (arg n) 1))]))
           (define g (n) (log g) (call f (arg n))) (flag (call f 2) (log end)))",
    );
    assert_eq!(log, ["2 g", "1 end"]);
}

#[test]
fn parameters_belong_to_the_innermost_call() {
    // Mistake 29: outside a custom block a parameter is the number 0, outer ones are unseen.
    let log = steps(
        "(sprite A (define f (a b) (log (join (arg a) (arg b))) (call g 9) (log (arg a)))
           (define g (c) (log (join (arg a) (arg c))))
           (flag (log (= (arg a) 0)) (call f 1 2) (log (arg a))))",
    );
    assert_eq!(log, ["true 12 09 1 0"]);
    let value = Rig::after(1, "(var v) (sprite A (flag (set v (arg? x))))").value("v");
    assert_eq!(value, Value::Number(0.0));
}

#[test]
fn arguments_fall_back_to_defaults() {
    let f = "(define f ((a 7) (b #f)) (log (join (arg a) (join / (arg? b)))))";
    for (call, log) in [
        ("(call f 1 2)", "1/2"),
        ("(call f _ 2)", "7/2"),
        ("(call f)", "7/false"),
        ("(call f 1=x)", "7/x"),
        ("(call f 1 2 3)", "1/2"),
        ("(call unknown 1)", ""),
    ] {
        assert_eq!(steps(&format!("(sprite A {f} (flag {call}))")), [log], "{call}");
    }
    // Of parameters with the same name the later one wins.
    assert_eq!(steps("(sprite A (define f (a a) (log (arg a))) (flag (call f 1 2)))"), ["2"]);
}

#[test]
fn arguments_see_the_callers_parameters() {
    let log = steps(
        "(sprite A (define f (a b) (if (< (arg a) 3) [(call f (+ (arg a) 1) (arg a))]) (log (join (arg a) (arg b))))
           (define-warp w () (call f 1 0)) (flag (call w)))",
    );
    assert_eq!(log, ["32 21 10"]);
}

#[test]
fn the_first_definition_wins_and_sprites_have_their_own() {
    let log = steps(
        "(sprite A (define f () (log 1)) (define f () (log 2)) (flag (call f)))
         (sprite B (define f () (log b)) (flag (call f)))",
    );
    assert_eq!(log, ["b 1"]);
}

#[test]
fn stop_this_script_leaves_the_custom_block_only() {
    let log = steps(
        "(sprite A (define f () (log 1) (stop \"this script\") (log 2)) (flag (call f) (log 3)))",
    );
    assert_eq!(log, ["1 3"]);
    // The call is executed once more: its arguments are drawn again (run).
    let log = steps(
        "(sprite A (define f (a) (stop \"this script\")) (flag (call@call f (random 0.0 1.0)) (log (random 0.0 1.0))))",
    );
    assert_eq!(log, [draws(3)[2].to_string()]);
    // Out of a loop in a custom block.
    let log = steps(
        "(sprite A (define f () (forever [(log i) (stop \"this script\")])) (flag (call f) (log end)))",
    );
    assert_eq!(log, ["i end"]);
}

#[test]
fn definitions_and_calls_are_covered() {
    let rig = Rig::after(
        1,
        "(sprite A (define f (a) (stop@stop \"this script\")) (flag@hat (call@call f 1)))",
    );
    let counts = ["hat", "call", "n0", "stop"].map(|id| rig.covered(id));
    assert_eq!(counts, [1, 2, 1, 1]);
}

#[test]
fn clones_start_in_the_same_pass() {
    let log = steps("(sprite A (flag (log a) (clone _myself_) (log b)) (cloned (log c)))");
    assert_eq!(log, ["a b c", ""]);
    // A clone of a clone runs its hats too.
    let log = steps(
        "(sprite A (var n #0) (flag (clone _myself_)) (cloned (change n #1) (log $n) (if (< $n 3) [(clone _myself_)])))",
    );
    assert_eq!(log, ["1 2 3", ""]);
}

#[test]
fn clones_copy_their_source() {
    // Mistake 20: volume is not copied; pen and sound state come from the original.
    let rig = Rig::after(
        1,
        "(sprite A (costume a 10 10) (costume b 10 10) (var own 1) (list items x)
           (flag (goto-xy 30 40) (point 45) (set-size 50) (hide) (costume b) (set own 5) (add items y)
             (style left-right) (drag-mode draggable) (set-effect ghost 30) (say hi)
             (clone _myself_) (set own 6) (add items z) (set-volume 20)))",
    );
    let clone = rig.targets("A").nth(1).unwrap();
    assert!(!clone.original && !clone.visible && clone.draggable);
    assert_eq!((clone.x, clone.y, clone.direction, clone.size), (30.0, 40.0, 45.0, 50.0));
    assert_eq!(
        (clone.costume, clone.effects[6], clone.bubble, clone.volume),
        (1, 30.0, None, 100.0)
    );
    assert_eq!(clone.rotation_style, catherd_sb3::RotationStyle::LeftRight);
    let own = clone.variables().next().unwrap().1.to_text();
    assert_eq!((own.to_string(), clone.lists().next().unwrap().1.len()), ("5".to_owned(), 2));
    assert_eq!(rig.list("A.items"), ["x", "y", "z"]);
}

#[test]
fn clone_volume_is_full() {
    let rig = Rig::after(2, "(sprite A volume=30 (flag (clone _myself_)) (cloned (log (volume))))");
    assert_eq!(rig.list("log"), ["100"]);
}

#[test]
fn create_clone_finds_originals_by_name() {
    for (what, count) in
        [("_myself_", 2), ("A", 2), ("a", 1), ("Stage", 1), ("_stage_", 1), ("nobody", 1)]
    {
        let rig = Rig::after(1, &format!("(sprite A (flag (clone {what})))"));
        assert_eq!(rig.vm.targets().count() - 1, count, "{what}");
    }
    let rig = Rig::after(1, "(stage (flag (clone _myself_) (clone Stage))) (sprite A)");
    assert_eq!(rig.vm.targets().count(), 2);
}

#[test]
fn a_clone_comes_directly_before_its_source_in_the_order() {
    // Mistake 21: hats of the source start before those of its clones.
    let mut rig = Rig::flag(
        "(message m) (sprite A (flag (clone _myself_) (wait 0) (broadcast m)) (received m (log a)))
         (sprite B (flag (clone _myself_) (wait 0)) (received m (log b)))",
    );
    rig.steps(1);
    let names: Vec<_> = rig
        .vm
        .execution_order()
        .map(|id| {
            let t = rig.vm.target(id).unwrap();
            format!("{}{}", t.name, if t.original { "" } else { "'" })
        })
        .collect();
    assert_eq!(names, ["Stage", "A'", "A", "B'", "B"]);
    let mut rig = Rig::flag(
        "(message m) (sprite A (var id o) (flag (clone _myself_) (wait 0) (broadcast m)) (cloned (set id c))
           (received m (log $id)))",
    );
    assert_eq!(rig.run(2), ["", "o c"]);
}

#[test]
fn three_hundred_clones_at_most() {
    let rig = Rig::after(
        1,
        "(sprite A (define-warp f () (repeat 310 [(clone _myself_)])) (flag (call f)))",
    );
    assert_eq!(rig.targets("A").count(), 301);
    // Deleting makes room.
    let rig = Rig::after(
        3,
        "(var n #0) (sprite A (define-warp f () (repeat 310 [(clone _myself_)]))
           (flag (call f) (wait 0) (call f)) (cloned (change n #1) (delete-clone)))",
    );
    assert_eq!((rig.var("n"), rig.targets("A").count()), ("600".to_owned(), 1));
}

#[test]
fn only_clones_can_be_deleted() {
    let log = steps(
        "(sprite A (flag (delete-clone) (log still) (clone _myself_)) (cloned (log c) (delete-clone) (log no)))
         (stage (flag (delete-clone) (log stage)))",
    );
    assert_eq!(log, ["still stage c"]);
}

#[test]
fn deleting_a_clone_kills_all_its_threads() {
    let log = steps(
        "(message m) (sprite A (var c #0) (flag (clone _myself_) (wait 0) (broadcast m))
           (cloned (set c 1) (wait 0) (wait 0) (delete-clone))
           (received m (forever [(log $c)])))",
    );
    assert_eq!(log, ["", "0 1", "0", "0"]);
}

#[test]
fn clones_and_bubbles_draw_nothing() {
    // Mistake 18 does not apply: ids are no part of the project's randomness here, nor are
    // they in the recordings.
    let log = steps("(sprite A (flag (clone _myself_) (say a) (say \"\") (log (random 0.0 1.0))))");
    assert_eq!(log, [draws(1)[0].to_string()]);
}

#[test]
fn every_random_block_draws_as_the_original() {
    // Number of draws before the one that is logged.
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
        // Inputs are evaluated even if the block does nothing with them.
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
        let log = Rig::flag(&source).run(1);
        assert_eq!(log, [draws(n + 1)[n].to_string()], "{blocks}");
    }
}

#[test]
fn inputs_are_evaluated_in_file_order() {
    // Mistake 19.
    let d = draws(3);
    let value = |block: &str| Rig::after(1, &format!("(var v) (sprite A (flag {block}))"));
    let r = "(random 0.0 1.0)";
    let rig = value(&format!("(motion_gotoxy Y={r} X={r})"));
    assert_eq!(rig.position("A"), (d[1], d[0]));
    let rig = value(&format!("(goto-xy {r} {r})"));
    assert_eq!(rig.position("A"), (d[0], d[1]));
    let rig = value(&format!("(set v (operator_subtract NUM2={r} NUM1={r}))"));
    assert_eq!(rig.var("v"), (d[1] - d[0]).to_string());
    let nested = format!("(operator_subtract NUM2={r} NUM1={r})");
    let rig = value(&format!("(set v (operator_subtract NUM2={nested} NUM1={r}))"));
    assert_eq!(rig.var("v"), (d[2] - (d[1] - d[0])).to_string());
    let rig = value(&format!("(motion_glidesecstoxy Y={r} SECS=0 X={r})"));
    assert_eq!(rig.position("A"), (d[1], d[0]));
    let rig = value(&format!("(set v (operator_random TO=(+ {r} 9) FROM={r}))"));
    assert_eq!(rig.var("v"), (d[2] * (d[0] + 9.0 - d[1]) + d[1]).to_string());
}

#[test]
fn the_green_flag_resets_little() {
    let mut rig = Rig::flag(
        "(list items) (var v 0) (costume a) (costume b)
         (sprite A (flag (log (answer)) (log (volume)) (log (tempo)))
           (key k (set v 3) (add items x) (goto-xy 5 6) (point 20) (hide) (set-size 70)
             (style \"don't rotate\") (drag-mode draggable) (set-effect color 9) (next-backdrop)
             (set-tempo 99) (ask q) (set-volume 40)))",
    );
    rig.vm.key("k", true);
    rig.steps(1);
    rig.vm.answer("yes");
    rig.steps(3);
    rig.logged();
    rig.vm.green_flag();
    assert_eq!(rig.vm.steps(), 0);
    assert_eq!(rig.run(1), [" 40 99"]);
    let a = rig.target("A");
    assert_eq!((a.x, a.y, a.direction, a.visible, a.size), (5.0, 6.0, 20.0, false, 70.0));
    assert!(a.draggable && a.effects == [0.0; 7]);
    assert_eq!(
        (rig.var("v"), rig.list("items").len(), rig.target("Stage").costume),
        ("3".to_owned(), 1, 1)
    );
}

#[test]
fn keys_start_scripts_of_the_key_and_then_of_any() {
    let mut rig = Rig::new(
        "(sprite A (key any (log any)) (key a (log a)) (key \"left arrow\" (log left)) (key space (log space))
           (key ENTER (log enter)))",
    );
    for (key, log) in [
        ("a", "a any"),
        ("A", "a any"),
        ("left arrow", "left any"),
        ("space", "space any"),
        ("enter", "enter any"),
        ("b", "any"),
        ("F1", ""),
    ] {
        rig.vm.key(key, true);
        assert_eq!(rig.run(1), [log], "{key}");
        rig.vm.key(key, false);
        assert_eq!(rig.run(1), [""], "{key}");
    }
}

#[test]
fn a_held_key_restarts_a_script_only_after_its_end() {
    let mut rig = Rig::new("(sprite A (key a (log s) (wait 0) (log e)))");
    let mut log = Vec::new();
    for _ in 0..4 {
        rig.vm.key("a", true);
        log.extend(rig.run(1));
    }
    assert_eq!(log, ["s", "e", "s", "e"]);
}

#[test]
fn keys_join_the_pressed_after_their_hats() {
    let mut rig = Rig::new("(sprite A (flag (forever [(log (key? a))])))");
    rig.vm.green_flag();
    rig.vm.key("a", true);
    assert_eq!(rig.run(1), ["true"]);
    rig.vm.key("a", false);
    assert_eq!(rig.run(1), ["false"]);
}

#[test]
fn mouse_coordinates_are_rounded_clamped_and_ignored_at_zero() {
    let mut rig =
        Rig::flag("(sprite A (flag (forever [(log (join (mouse-x) (join / (mouse-y))))])))");
    // Undefined before the first event.
    assert_eq!(rig.run(1), ["undefined/undefined"]);
    for (x, y, log) in [
        (10.6, -20.4, "11/-20"),
        (-10.5, 20.25, "-10/20"),
        (300.0, 200.0, "240/180"),
        // The left border and the upper one are 0 on the canvas and get lost.
        (-240.0, 180.0, "240/180"),
        (-500.0, -500.0, "-240/-180"),
    ] {
        rig.vm.mouse_move(x, y);
        assert_eq!(rig.run(1), [log], "{x} {y}");
    }
}

#[test]
fn clicks_go_to_the_target_under_the_pointer() {
    let source = "(stage (stage-clicked (log stage)) (clicked (log stage2)))
        (sprite A (clicked (log a))) (sprite B x=5 draggable (clicked (log b)))
        (sprite C hidden (clicked (log c)))";
    let mut rig = Rig::new(source);
    let mut click = |x: f64, y: f64| {
        rig.vm.mouse_move(x, y);
        rig.vm.mouse_button(true);
        let down = rig.run(1).remove(0);
        rig.vm.mouse_button(true);
        assert_eq!(rig.run(1), [""]);
        rig.vm.mouse_button(false);
        (down, rig.run(1).remove(0))
    };
    // Draggable targets are clicked on release, others on press.
    assert_eq!(click(-7.0, 0.0), ("a".to_owned(), String::new()));
    assert_eq!(click(4.0, 0.0), (String::new(), "b".to_owned()));
    assert_eq!(click(100.0, 0.0), ("stage2 stage".to_owned(), String::new()));
    // Not strictly inside.
    assert_eq!(click(240.0, 0.0), (String::new(), String::new()));
}

#[test]
fn clicks_restart() {
    let mut rig = Rig::new("(sprite A (clicked (log s) (wait 0) (log e)))");
    let a = rig.id("A");
    rig.vm.click(a);
    assert_eq!(rig.run(1), ["s"]);
    rig.vm.click(a);
    assert_eq!(rig.run(2), ["s", "e"]);
}

#[test]
fn drags_are_fenced_and_draw_no_line() {
    let mut rig = Rig::new("(sprite A (flag (glide 0.1 60 0) (log end)))");
    let a = rig.id("A");
    rig.vm.drag(a, 30.0, 40.0);
    assert_eq!(rig.position("A"), (30.0, 40.0));
    rig.vm.drag(a, 1000.0, 0.0);
    assert!(rig.position("A").0 < 250.0);
    let stage = rig.id("Stage");
    rig.vm.drag(stage, 10.0, 10.0);
    assert_eq!(rig.position("Stage"), (0.0, 0.0));
}

#[test]
fn questions_are_asked_in_turn() {
    let mut rig = Rig::flag(
        "(sprite A (flag (ask one) (log (answer)))) (sprite B (flag (ask two) (log (answer))))
         (sprite C hidden (flag (ask three) (log (answer))))",
    );
    rig.steps(1);
    assert!(rig.vm.is_asking());
    // C asks first, without a bubble since it is hidden.
    assert_eq!((rig.bubble("A"), rig.bubble("B"), rig.bubble("C")), (None, None, None));
    rig.vm.answer("c");
    assert_eq!(rig.bubble("B").as_deref(), Some("two"));
    assert_eq!(rig.run(1), ["c"]);
    rig.vm.answer("b");
    assert_eq!((rig.bubble("A").as_deref(), rig.bubble("B")), (Some("one"), None));
    assert_eq!(rig.run(2), ["b", ""]);
    rig.vm.answer("a");
    assert!(!rig.vm.is_asking());
    assert_eq!(rig.run(1), ["a"]);
}

#[test]
fn questions_die_with_their_targets_threads() {
    let mut rig = Rig::flag(
        "(sprite A (flag (ask one) (log one)) (key s (stop \"other scripts in sprite\")))
         (sprite B (flag (wait 0) (ask two) (log two)) (key x (stop all)))",
    );
    rig.steps(2);
    assert_eq!(rig.bubble("A").as_deref(), Some("one"));
    rig.vm.key("s", true);
    rig.steps(1);
    assert_eq!((rig.bubble("A"), rig.bubble("B").as_deref()), (None, Some("two")));
    rig.vm.key("x", true);
    rig.steps(1);
    assert_eq!((rig.bubble("B"), rig.vm.is_asking()), (None, false));
}

#[test]
fn the_stage_asks_without_a_bubble() {
    let mut rig = Rig::flag("(stage (flag (ask q) (log (answer))))");
    rig.steps(1);
    assert_eq!(rig.bubble("Stage"), None);
    rig.vm.answer("x");
    assert_eq!(rig.run(1), ["x"]);
}

#[test]
fn loose_blocks_and_unknown_hats_never_run() {
    let log = steps(
        "(sprite A (loose (log a)) (loose (+ 1 2)) (wedo2_whenTilted (log b)) (flag (motion_scroll_right)
           (looks_hideallsprites) (ev3_motorSetPower) (log end)))",
    );
    assert_eq!(log, ["end"]);
}

#[test]
fn speech_takes_time_by_its_length() {
    // 15 characters a second, in place of a synthesiser.
    let log = Rig::flag("(sprite A (flag (speak 123) (log end)))").run(8);
    assert_eq!(log.iter().position(|s| s == "end"), Some(6));
}

#[test]
fn a_prototype_with_more_ids_than_names_is_no_crash() {
    let mut project = crate::language::project(
        "(sprite A (define f (a b) (log (arg a)) (log (arg b))) (flag (call f 1 2)))",
    );
    for block in &mut project.targets[1].blocks {
        if let Some(catherd_sb3::Mutation::Prototype { names, .. }) = &mut block.mutation {
            names.pop();
        }
    }
    let mut rig = Rig::with(project, crate::rig::paper());
    rig.vm.green_flag();
    assert_eq!(rig.run(1), ["1 0"]);
}
