//! Tests of sensing blocks, and of the pen, whose lines are sensed as colours.

use catherd_scratch_vm::Value;

use crate::harness::{Harness, eval};
use crate::sprites::after;

#[test]
fn touching_sprites_edges_and_the_mouse() {
    for (blocks, what, want) in [
        ("(goto-xy 30 25)", "B", true),
        ("(goto-xy 30 15)", "B", false),
        ("(goto-xy 30 40) (hide)", "B", false),
        ("", "nobody", false),
        ("", "A", false),
        ("(goto-xy 231 0)", "_edge_", true),
        ("(goto-xy 229 0)", "_edge_", false),
        ("(goto-xy 0 -171)", "_edge_", true),
        ("", "_mouse_", false),
    ] {
        let harness = after(&format!("{blocks} (log (touching {what}))"));
        assert_eq!(harness.list("log"), [want.to_string()], "{blocks} {what}");
    }
    let mut harness = Harness::flag("(sprite A (flag (forever [(log (touching _mouse_))])))");
    harness.vm.mouse_move(5.0, 5.0);
    assert_eq!(harness.run(1), ["true"]);
    harness.vm.mouse_move(15.0, 5.0);
    assert_eq!(harness.run(1), ["false"]);
    // Clones of the same sprite count, but never the sprite itself.
    let harness = Harness::after(
        2,
        "(sprite A (flag (log (touching A)) (wait 0) (log (touching A)))) (stage (flag (clone A)))",
    );
    assert_eq!(harness.list("log"), ["false", "true"]);
    // Invisible sprites cannot be touched.
    let harness = Harness::after(1, "(sprite A (flag (log (touching B)))) (sprite B hidden)");
    assert_eq!(harness.list("log"), ["false"]);
}

#[test]
fn touching_colours() {
    let sprites = "(sprite B x=30 y=40 (costume green 20 20 \"#00ff00\"))";
    for (blocks, e, want) in [
        ("(goto-xy 30 25)", "(touching-color \"#00ff00\")", true),
        ("(goto-xy 30 10)", "(touching-color \"#00ff00\")", false),
        ("(goto-xy 30 25)", "(touching-color 65280)", true),
        ("", "(touching-color \"#ffffff\")", true),
        ("(goto-xy 30 25)", "(color-touching \"#ff0000\" \"#00ff00\")", true),
        ("(goto-xy 30 25)", "(color-touching \"#0000ff\" \"#00ff00\")", false),
        ("(goto-xy 30 10)", "(color-touching \"#ff0000\" \"#00ff00\")", false),
    ] {
        let harness = Harness::after(1, &format!("(sprite A (flag {blocks} (log {e}))) {sprites}"));
        assert_eq!(harness.list("log"), [want.to_string()], "{blocks} {e}");
    }
}

#[test]
fn distances() {
    for (what, want) in [("B", 50.0), ("nobody", 10000.0), ("_stage_", 10000.0), ("A", 0.0)] {
        let harness = after(&format!("(set v (distance {what}))"));
        assert_eq!(harness.value("A.v"), Value::Number(want), "{what}");
    }
    let harness = Harness::after(1, "(var v) (stage (flag (set v (distance B)))) (sprite B)");
    assert_eq!(harness.value("v"), Value::Number(10000.0));
}

#[test]
fn keys_are_sensed_by_name_character_or_code() {
    let mut harness = Harness::flag(
        "(sprite A (flag (forever [
           (log (join (key? a) (join (key? apple) (join (key? #65) (join (key? #65.9) (key? any))))))
           (log (join (key? space) (join (key? \" \") (join (key? #32) (key? spaceship)))))
           (log (join (key? \"left arrow\") (join (key? #37) (key? \"LEFT ARROW\"))))])))",
    );
    let f = "false";
    assert_eq!(harness.run(1), [format!("{} {} {}", f.repeat(5), f.repeat(4), f.repeat(3))]);
    harness.vm.key("a", true);
    assert_eq!(harness.run(1), [format!("{} {} {}", "true".repeat(5), f.repeat(4), f.repeat(3))]);
    harness.vm.key("a", false);
    harness.vm.key("space", true);
    let t = "true".repeat(3);
    assert_eq!(harness.run(1), [format!("{f}{f}{f}{f}true {t}{f} {f}{f}{f}")]);
    harness.vm.key("space", false);
    harness.vm.key("left arrow", true);
    assert_eq!(harness.run(1), [format!("{f}{f}{f}{f}true {f}{f}{f}{f} truetrue{f}")]);
}

#[test]
fn loudness_without_a_microphone_is_minus_one() {
    let mut harness = Harness::flag("(sprite A (flag (forever [(log (loudness)) (log (loud))])))");
    for (sound, log) in [
        (None, "-1 false"),
        (Some(0.0), "-1 false"),
        (Some(10.0), "10 false"),
        (Some(11.5), "11.5 true"),
        (Some(200.0), "100 true"),
    ] {
        harness.vm.set_loudness(sound);
        assert_eq!(harness.run(1), [log]);
    }
}

#[test]
fn mouse_button_and_video() {
    let mut harness = Harness::flag("(sprite A (flag (forever [(log (mouse-down))])))");
    assert_eq!(harness.run(1), ["false"]);
    harness.vm.mouse_button(true);
    assert_eq!(harness.run(1), ["true"]);
    harness.vm.mouse_button(false);
    assert_eq!(harness.run(1), ["false"]);
    assert_eq!(eval("(videoSensing_videoOn ATTRIBUTE=motion SUBJECT=Stage)"), Value::Number(-1.0));
}

#[test]
fn the_pen_draws_lines_points_and_stamps() {
    // Lines are sensed as a colour. The pen colour is set first.
    for (blocks, want) in [
        ("(pen-down) (move 60) (pen-up) (move -60)", true),
        ("(pen-down) (pen-up) (move 60)", false),
        ("(goto-xy 60 0) (pen-down) (pen-up) (goto-xy 55 0)", true),
        ("(move 60) (stamp) (pen-clear) (move -60)", false),
        ("(pen-down) (move 100) (pen-clear) (pen-up) (move -40)", false),
    ] {
        // The sensing sprite moves to (60, 0) in the second step.
        let source = format!(
            "(sprite A (costume dot 2 2 \"#ffff00\") (flag (pen-color \"#0000ff\") (pen-size 5) {blocks}))
             (sprite F (flag (wait 0) (goto-xy 60 0) (log (touching-color \"#0000ff\"))))"
        );
        assert_eq!(Harness::after(2, &source).list("log"), [want.to_string()], "{blocks}");
    }
    let source = "(sprite A (costume dot 8 8 \"#00ff00\") (flag (goto-xy 60 0) (hide) (stamp)))
        (sprite F (flag (wait 0) (goto-xy 60 0) (log (touching-color \"#00ff00\"))))";
    assert_eq!(Harness::after(2, source).list("log"), ["true"]);
}

#[test]
fn pen_colours_follow_their_parameters() {
    let feel = |blocks: &str, color: &str| {
        let source = format!(
            "(sprite A hidden (flag (pen-size 10) {blocks} (pen-down)))
             (sprite F (flag (wait 0) (log (touching-color \"{color}\"))))"
        );
        Harness::after(2, &source).list("log").join("") == "true"
    };
    for (blocks, color) in [
        ("", "#0000ff"),
        ("(pen-set color 0)", "#ff0000"),
        // The colour wheel has 101 positions.
        ("(pen-set color 101)", "#ff0000"),
        ("(pen-set color 33.34)", "#00ff00"),
        ("(pen-set color 0) (pen-change color 33.34)", "#00ff00"),
        ("(pen-set saturation 0)", "#ffffff"),
        ("(pen-set saturation -50)", "#ffffff"),
        ("(pen-set brightness 0)", "#000000"),
        ("(pen-change brightness -1000)", "#000000"),
        ("(pen-set nonsense 5)", "#0000ff"),
        ("(pen-color \"#ff00ff\")", "#ff00ff"),
        ("(pen-color 65280)", "#00ff00"),
        ("(pen_setPenHueToNumber HUE=0)", "#ff0000"),
        ("(pen_setPenHueToNumber HUE=0) (pen_setPenShadeToNumber SHADE=100)", "#ffd4d4"),
        ("(pen_setPenShadeToNumber SHADE=0)", "#00002a"),
    ] {
        assert!(feel(blocks, color), "{blocks} {color}");
    }
    assert!(!feel("(pen-set transparency 100)", "#0000ff"));
}
