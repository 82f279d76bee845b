//! Tests of the green flag, keys, the mouse and questions.

use crate::harness::Harness;

#[test]
fn the_green_flag_resets_little() {
    let mut harness = Harness::flag(
        "(list items) (var v 0) (costume a) (costume b)
         (sprite A (flag (log (answer)) (log (volume)) (log (tempo)))
           (key k (set v 3) (add items x) (goto-xy 5 6) (point 20) (hide) (set-size 70)
             (style \"don't rotate\") (drag-mode draggable) (set-effect color 9) (next-backdrop)
             (set-tempo 99) (ask q) (set-volume 40)))",
    );
    harness.vm.key("k", true);
    harness.steps(1);
    harness.vm.answer("yes");
    harness.steps(3);
    harness.logged();
    harness.vm.green_flag();
    assert_eq!(harness.vm.steps(), 0);
    assert_eq!(harness.run(1), [" 40 99"]);
    let a = harness.target("A");
    assert_eq!((a.x, a.y, a.direction, a.visible, a.size), (5.0, 6.0, 20.0, false, 70.0));
    assert!(a.draggable && a.effects == [0.0; 7]);
    assert_eq!(
        (harness.var("v"), harness.list("items").len(), harness.target("Stage").costume),
        ("3".to_owned(), 1, 1)
    );
}

#[test]
fn keys_start_scripts_of_the_key_and_then_of_any() {
    let mut harness = Harness::new(
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
        harness.vm.key(key, true);
        assert_eq!(harness.run(1), [log], "{key}");
        harness.vm.key(key, false);
        assert_eq!(harness.run(1), [""], "{key}");
    }
}

#[test]
fn a_held_key_restarts_a_script_only_after_its_end() {
    let mut harness = Harness::new("(sprite A (key a (log s) (wait 0) (log e)))");
    let mut log = Vec::new();
    for _ in 0..4 {
        harness.vm.key("a", true);
        log.extend(harness.run(1));
    }
    assert_eq!(log, ["s", "e", "s", "e"]);
}

#[test]
fn keys_are_sensed_while_they_are_pressed() {
    let mut harness = Harness::new("(sprite A (flag (forever [(log (key? a))])))");
    harness.vm.green_flag();
    harness.vm.key("a", true);
    assert_eq!(harness.run(1), ["true"]);
    harness.vm.key("a", false);
    assert_eq!(harness.run(1), ["false"]);
}

#[test]
fn mouse_coordinates_are_rounded_clamped_and_ignored_at_zero() {
    let mut harness =
        Harness::flag("(sprite A (flag (forever [(log (join (mouse-x) (join / (mouse-y))))])))");
    // The position is undefined before the first event.
    assert_eq!(harness.run(1), ["undefined/undefined"]);
    for (x, y, log) in [
        (10.6, -20.4, "11/-20"),
        (-10.5, 20.25, "-10/20"),
        (300.0, 200.0, "240/180"),
        // Coordinates on the left and the upper border of the canvas are 0 and therefore ignored.
        (-240.0, 180.0, "240/180"),
        (-500.0, -500.0, "-240/-180"),
    ] {
        harness.vm.mouse_move(x, y);
        assert_eq!(harness.run(1), [log], "{x} {y}");
    }
}

#[test]
fn clicks_go_to_the_target_under_the_pointer() {
    let source = "(stage (stage-clicked (log stage)) (clicked (log stage2)))
        (sprite A (clicked (log a))) (sprite B x=5 draggable (clicked (log b)))
        (sprite C hidden (clicked (log c)))";
    let mut harness = Harness::new(source);
    let mut click = |x: f64, y: f64| {
        harness.vm.mouse_move(x, y);
        harness.vm.mouse_button(true);
        let down = harness.run(1).remove(0);
        harness.vm.mouse_button(true);
        assert_eq!(harness.run(1), [""]);
        harness.vm.mouse_button(false);
        (down, harness.run(1).remove(0))
    };
    // Draggable targets are clicked on release, others on press.
    assert_eq!(click(-7.0, 0.0), ("a".to_owned(), String::new()));
    assert_eq!(click(4.0, 0.0), (String::new(), "b".to_owned()));
    assert_eq!(click(100.0, 0.0), ("stage2 stage".to_owned(), String::new()));
    // The point is on the border, which is not inside the stage.
    assert_eq!(click(240.0, 0.0), (String::new(), String::new()));
}

#[test]
fn clicks_restart() {
    let mut harness = Harness::new("(sprite A (clicked (log s) (wait 0) (log e)))");
    let a = harness.id("A");
    harness.vm.click(a);
    assert_eq!(harness.run(1), ["s"]);
    harness.vm.click(a);
    assert_eq!(harness.run(2), ["s", "e"]);
}

#[test]
fn drags_are_fenced_and_do_not_move_the_stage() {
    let mut harness = Harness::new("(sprite A (flag (glide 0.1 60 0) (log end)))");
    let a = harness.id("A");
    harness.vm.drag(a, 30.0, 40.0);
    assert_eq!(harness.position("A"), (30.0, 40.0));
    harness.vm.drag(a, 1000.0, 0.0);
    assert!(harness.position("A").0 < 250.0);
    let stage = harness.id("Stage");
    harness.vm.drag(stage, 10.0, 10.0);
    assert_eq!(harness.position("Stage"), (0.0, 0.0));
}

#[test]
fn questions_are_asked_in_turn() {
    let mut harness = Harness::flag(
        "(sprite A (flag (ask one) (log (answer)))) (sprite B (flag (ask two) (log (answer))))
         (sprite C hidden (flag (ask three) (log (answer))))",
    );
    harness.steps(1);
    assert!(harness.vm.is_asking());
    // C asks first, but without a bubble, because C is hidden.
    assert_eq!((harness.bubble("A"), harness.bubble("B"), harness.bubble("C")), (None, None, None));
    harness.vm.answer("c");
    assert_eq!(harness.bubble("B").as_deref(), Some("two"));
    assert_eq!(harness.run(1), ["c"]);
    harness.vm.answer("b");
    assert_eq!((harness.bubble("A").as_deref(), harness.bubble("B")), (Some("one"), None));
    assert_eq!(harness.run(2), ["b", ""]);
    harness.vm.answer("a");
    assert!(!harness.vm.is_asking());
    assert_eq!(harness.run(1), ["a"]);
}

#[test]
fn questions_are_removed_with_the_threads_of_their_target() {
    let mut harness = Harness::flag(
        "(sprite A (flag (ask one) (log one)) (key s (stop \"other scripts in sprite\")))
         (sprite B (flag (wait 0) (ask two) (log two)) (key x (stop all)))",
    );
    harness.steps(2);
    assert_eq!(harness.bubble("A").as_deref(), Some("one"));
    harness.vm.key("s", true);
    harness.steps(1);
    assert_eq!((harness.bubble("A"), harness.bubble("B").as_deref()), (None, Some("two")));
    harness.vm.key("x", true);
    harness.steps(1);
    assert_eq!((harness.bubble("B"), harness.vm.is_asking()), (None, false));
}

#[test]
fn the_stage_asks_without_a_bubble() {
    let mut harness = Harness::flag("(stage (flag (ask q) (log (answer))))");
    harness.steps(1);
    assert_eq!(harness.bubble("Stage"), None);
    harness.vm.answer("x");
    assert_eq!(harness.run(1), ["x"]);
}

#[test]
fn a_draggable_sprite_is_clicked_when_the_button_is_released() {
    let mut harness = Harness::flag(
        "(sprite A (flag (drag-mode draggable) (wait 0.1) (drag-mode \"not draggable\")) (clicked (log clicked)))",
    );
    let click = |harness: &mut Harness, steps: usize| {
        harness.steps(steps);
        let draggable = harness.target("A").draggable;
        harness.vm.mouse_move(0.0, 0.0);
        let log = [true, false].map(|down| {
            harness.vm.mouse_button(down);
            harness.steps(1);
            harness.logged()
        });
        (draggable, log)
    };
    assert_eq!(click(&mut harness, 1), (true, ["".into(), "clicked".into()]));
    assert_eq!(click(&mut harness, 5), (false, ["clicked".into(), "".into()]));
}
