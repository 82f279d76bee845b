//! The green flag, keys, the mouse, questions.

use crate::rig::Rig;

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
fn a_draggable_sprite_is_clicked_when_the_button_is_released() {
    let mut rig = Rig::flag(
        "(sprite A (flag (drag-mode draggable) (wait 0.1) (drag-mode \"not draggable\")) (clicked (log clicked)))",
    );
    let click = |rig: &mut Rig, steps: usize| {
        rig.steps(steps);
        let draggable = rig.target("A").draggable;
        rig.vm.mouse_move(0.0, 0.0);
        let log = [true, false].map(|down| {
            rig.vm.mouse_button(down);
            rig.steps(1);
            rig.logged()
        });
        (draggable, log)
    };
    assert_eq!(click(&mut rig, 1), (true, ["".into(), "clicked".into()]));
    assert_eq!(click(&mut rig, 5), (false, ["clicked".into(), "".into()]));
}
