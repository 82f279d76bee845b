//! Tests of motion, looks and sound blocks.
//!
//! `Mistake N` and `(run)` in comments are explained in `main.rs`.

use catherd_scratch_vm::{TargetView, Value};

use crate::harness::{Harness, draws, eval_in};

/// A VM after one step of a script of the sprite A.
pub(crate) fn after(blocks: &str) -> Harness {
    Harness::after(1, &format!("(sprite A (flag {blocks})) (sprite B x=30 y=40)"))
}

/// The number that `of` reads from the sprite A after one step of a script.
fn number(blocks: &str, of: fn(&TargetView<'_>) -> f64) -> f64 {
    of(&after(blocks).target("A"))
}

#[test]
fn moving() {
    for (blocks, x, y) in [
        ("(goto-xy 10 -20)", 10.0, -20.0),
        ("(goto-xy 1.5 abc)", 1.5, 0.0),
        ("(goto-xy 5 6) (set-x 9)", 9.0, 6.0),
        ("(goto-xy 5 6) (set-y 9)", 5.0, 9.0),
        ("(goto-xy 5 6) (change-x -2) (change-y 3)", 3.0, 9.0),
        ("(goto B)", 30.0, 40.0),
        ("(goto nobody)", 0.0, 0.0),
        ("(goto Stage)", 0.0, 0.0),
        ("(move 10)", 10.0, 0.0),
        ("(point 180) (move 10)", 10.0 * 6.123_233_995_736_766e-17, -10.0),
        ("(point -90) (move 10)", -10.0, 10.0 * 1.224_646_799_147_353_2e-16),
    ] {
        assert_eq!(after(blocks).position("A"), (x, y), "{blocks}");
    }
}

#[test]
fn positions_are_clamped_to_the_stage() {
    // About 10 units of a square of 20 units remain on the stage.
    for (blocks, x, y) in [
        ("(goto-xy 1000 0)", 240.0, 0.0),
        ("(goto-xy -1000 0)", -240.0, 0.0),
        ("(goto-xy 0 1000)", 0.0, 180.0),
        ("(goto-xy 0 -1000)", 0.0, -180.0),
        ("(goto-xy 239.5 0)", 239.5, 0.0),
    ] {
        let found = after(blocks).position("A");
        assert!((found.0 - x).abs() <= 1.0 && (found.1 - y).abs() <= 1.0, "{blocks} {found:?}");
    }
    assert_eq!(after("(goto-xy 230.25 0)").position("A"), (230.25, 0.0));
}

#[test]
fn the_stage_does_not_move() {
    let harness = Harness::after(
        1,
        "(stage (flag (goto-xy 10 10) (move 5) (point 30) (set-size 50) (hide) (change-x 3) (bounce) (log on)))",
    );
    let stage = harness.target("Stage");
    assert_eq!((stage.x, stage.y, stage.direction, stage.size), (0.0, 0.0, 90.0, 100.0));
    assert!(stage.visible && harness.list("log") == ["on"]);
}

#[test]
fn directions_wrap_into_minus_179_to_180() {
    // Mistake 27: the range is -179 to 181 without 181, and fractions are kept.
    for (direction, want) in [
        ("180", 180.0),
        ("-180", 180.0),
        ("181", -179.0),
        ("180.5", 180.5),
        ("-179.5", 180.5),
        ("450", 90.0),
        ("-1000", 80.0),
        ("Infinity", 90.0),
        ("abc", 0.0),
    ] {
        assert_eq!(number(&format!("(point {direction})"), |t| t.direction), want, "{direction}");
    }
    assert_eq!(number("(right 100)", |t| t.direction), -170.0);
    assert_eq!(number("(left 100)", |t| t.direction), -10.0);
    // The direction in a file is not wrapped.
    assert_eq!(Harness::new("(sprite A direction=450)").target("A").direction, 450.0);
}

#[test]
fn pointing_towards() {
    assert_eq!(number("(goto-xy 30 0) (towards B)", |t| t.direction), 0.0);
    assert_eq!(number("(goto-xy 0 40) (towards B)", |t| t.direction), 90.0);
    // Both sprites are at the same point, and the angle atan2(0, 0) = 0 corresponds to the
    // direction 90.
    assert_eq!(number("(goto B) (point 7) (towards B)", |t| t.direction), 90.0);
    assert_eq!(number("(point 7) (towards nobody)", |t| t.direction), 7.0);
    let random = (draws(1)[0] * 360.0 + 0.5).floor() - 180.0;
    assert_eq!(number("(towards _random_)", |t| t.direction), random);
    let mut harness = Harness::flag("(sprite A (flag (goto _mouse_) (set-x 0) (towards _mouse_)))");
    harness.vm.mouse_move(50.0, 20.0);
    harness.steps(1);
    assert_eq!((harness.position("A"), harness.target("A").direction), ((0.0, 20.0), 90.0));
}

#[test]
fn the_mouse_has_no_position_before_it_moves() {
    assert_eq!(number("(point 7) (towards _mouse_)", |t| t.direction), 7.0);
    assert!(number("(goto _mouse_)", |t| t.x).is_nan());
    assert_eq!(after("(goto-xy 5 5) (glide-to 0 _mouse_)").position("A"), (0.0, 0.0));
    let harness = after("(goto _mouse_) (goto-xy 30 20)");
    assert_eq!(harness.position("A"), (30.0, 20.0));
    let logged = |e: &str| after(&format!("(log {e})")).list("log");
    assert_eq!(logged("(distance _mouse_)"), ["NaN"]);
    assert_eq!(logged("(> (distance _mouse_) 20000)"), ["true"], "compared as strings");
    assert_eq!(logged("(touching _mouse_)"), ["false"]);
    assert_eq!(logged("(+ (mouse-x) 1)"), ["1"]);
}

#[test]
fn a_sprite_without_a_position_touches_nothing() {
    let mut harness = Harness::flag(
        "(sprite B (costume c 20 20 \"#ff0000\"))
         (sprite A (costume c 20 20 \"#00ff00\") (flag (goto _mouse_) (log (touching B))
           (log (touching _edge_)) (log (touching-color \"#ff0000\"))
           (log (color-touching \"#00ff00\" \"#ff0000\")) (pen-down) (bounce) (move 10) (stamp)
           (set-effect whirl 50) (say hello) (log (touching B)) (goto-xy 0 0)
           (clear-effects) (log (touching B))))",
    );
    harness.steps(1);
    assert_eq!(harness.list("log"), ["false", "false", "false", "false", "false", "true"]);
    assert_eq!(harness.target("B").x, 0.0);
}

#[test]
fn random_positions_take_x_first() {
    let round = |x: f64| (x + 0.5).floor();
    let d = draws(2);
    let place = (round(480.0 * (d[0] - 0.5)), round(360.0 * (d[1] - 0.5)));
    assert_eq!(after("(goto _random_)").position("A"), place);
}

#[test]
fn coordinates_are_snapped_when_reported() {
    assert_eq!(eval_in("", "(x)"), Value::Number(0.0));
    let harness = after("(goto-xy 5.0000000001 -2.5) (log (x)) (log (y)) (log (direction))");
    assert_eq!(harness.list("log"), ["5", "-2.5", "90"]);
    assert_eq!(harness.position("A").0, 5.000_000_000_1);
}

#[test]
fn bouncing_turns_and_comes_back() {
    // A sprite that is not at the edge does not bounce.
    assert_eq!(number("(point 45) (bounce)", |t| t.direction), 45.0);
    let harness = after("(goto-xy 238 0) (bounce)");
    let a = harness.target("A");
    assert!((a.direction - -90.0).abs() < 1e-9 && a.x <= 230.5, "{} {}", a.direction, a.x);
    let harness = after("(goto-xy 0 178) (point 0) (bounce)");
    assert!(
        (harness.target("A").direction.abs() - 180.0).abs() < 1e-9
            && harness.position("A").1 <= 170.5
    );
    // A sprite that moves almost along the edge leaves it at a steeper angle.
    let harness = after("(goto-xy 238 0) (point 1) (bounce)");
    let dx: f64 = -0.2;
    let dy = -(89.0_f64.to_radians().sin());
    let want = dy.atan2(dx).to_degrees() + 90.0;
    let found = harness.target("A").direction;
    assert!((found - want).abs() < 1e-9 || (found - want).abs() - 360.0 < 1e-9, "{found} {want}");
}

#[test]
fn rotation_styles() {
    use catherd_scratch_sb3::RotationStyle::*;
    for (style, want) in [
        ("left-right", LeftRight),
        ("\"don't rotate\"", DontRotate),
        ("\"all around\"", AllAround),
        ("nonsense", AllAround),
    ] {
        let harness = after(&format!("(style {style}) (point -45)"));
        let a = harness.target("A");
        assert_eq!((a.rotation_style, a.direction), (want, -45.0), "{style}");
    }
    // Mistake 27: a costume is mirrored only for negative directions, which is seen if the costume
    // is to the right of its rotation centre.
    let touches = |direction: &str| {
        Harness::after(
            1,
            &format!(
                "(sprite A style=left-right (costume flag 20 4 \"#ff0000\" 0 2)
                   (flag (point {direction}) (log (touching B))))
                 (sprite B x=12 y=0 (costume b 6 6))"
            ),
        )
        .list("log")
        .join("")
    };
    for (direction, want) in [("0", true), ("180", true), ("90", true), ("-90", false)] {
        assert_eq!(touches(direction), want.to_string(), "{direction}");
    }
}

#[test]
fn saying_rounds_numbers_and_truncates_text() {
    for (value, bubble) in [
        ("hello", Some("hello".to_owned())),
        ("\"\"", None),
        ("1.2345", Some("1.2345".to_owned())),
        ("#1.2345", Some("1.23".to_owned())),
        ("#1.005", Some("1.00".to_owned())),
        ("#-2.675", Some("-2.67".to_owned())),
        ("#0.125", Some("0.13".to_owned())),
        ("#0.001", Some("0.001".to_owned())),
        ("#3", Some("3".to_owned())),
        ("(/ 1 0)", Some("Infinity".to_owned())),
        ("(/ 0 0)", Some("NaN".to_owned())),
        ("#t", Some("true".to_owned())),
    ] {
        assert_eq!(after(&format!("(say {value})")).bubble("A"), bubble, "{value}");
        assert_eq!(after(&format!("(think {value})")).bubble("A"), bubble, "{value}");
    }
    let long = "x".repeat(400);
    assert_eq!(after(&format!("(say {long})")).bubble("A").unwrap().len(), 330);
}

#[test]
fn a_hidden_sprite_keeps_its_bubbles_text() {
    let mut harness = Harness::flag("(sprite A (flag (say hi) (hide) (wait 0) (show)))");
    harness.steps(1);
    assert_eq!((harness.bubble("A").as_deref(), harness.target("A").visible), (Some("hi"), false));
    harness.steps(1);
    assert_eq!((harness.bubble("A").as_deref(), harness.target("A").visible), (Some("hi"), true));
}

#[test]
fn everything_said_is_reported() {
    let mut harness = Harness::flag("(sprite A (flag (say a) (say \"\") (think b) (ask q)))");
    harness.steps(1);
    assert_eq!(harness.log().said, ["a", "", "b", "q"]);
}

/// The number (from 0) of the costume of A after a block, or of the backdrop after a block about
/// backdrops. The costumes are `one`, `3` and `three`, and the backdrops are `b1`, `3` and `b3`.
fn selected(block: &str) -> usize {
    let source = format!(
        "(costume b1) (costume 3) (costume b3)
         (sprite A (costume one 9 9) (costume 3 9 9) (costume three 9 9) (flag {block}))"
    );
    let harness = Harness::after(1, &source);
    if block.contains("backdrop") {
        harness.target("Stage").costume
    } else {
        harness.target("A").costume
    }
}

#[test]
fn costumes_are_selected_by_number_name_word_or_numeral() {
    // Mistakes 24 and 25.
    for (value, want) in [
        ("#1", 0),
        ("#3", 2),
        ("#0", 2),
        ("#-1", 1),
        ("#4", 0),
        ("#2.5", 2),
        ("#2.4", 1),
        ("#1.5", 1),
        ("(/ 1 0)", 0),
        ("(/ 0 0)", 0),
        ("three", 2),
        ("Three", 0),
        // The name "3" takes precedence over the number.
        ("3", 1),
        ("2", 1),
        ("0", 2),
        ("\" 2 \"", 1),
        ("\" \"", 0),
        ("\"\"", 0),
        ("\"next costume\"", 1),
        ("\"previous costume\"", 2),
        ("\"next backdrop\"", 0),
        ("#t", 0),
        ("#f", 2),
        ("_", 0),
    ] {
        if value.contains("backdrop") {
            continue;
        }
        assert_eq!(selected(&format!("(costume {value})")), want, "{value}");
    }
    for (value, want) in [
        ("b3", 2),
        ("3", 1),
        ("#3", 2),
        ("\"next backdrop\"", 1),
        ("\"previous backdrop\"", 2),
        ("\"next costume\"", 0),
        ("nonsense", 0),
    ] {
        assert_eq!(selected(&format!("(backdrop {value})")), want, "{value}");
    }
    assert_eq!(selected("(next-costume) (next-costume) (next-costume) (next-costume)"), 1);
    assert_eq!(selected("(next-backdrop)"), 1);
    // The random backdrop is never the current backdrop.
    let k = (draws(1)[0] * 2.0).floor() as usize;
    assert_eq!(selected("(backdrop \"random backdrop\")"), k + 1);
}

#[test]
fn the_stage_selects_among_its_own() {
    let mut harness = Harness::flag(
        "(costume b1) (costume b2)
         (stage (flag (costume b2) (log (costume-of number)) (log (backdrop-of name)))
                (shown b2 (log shown)))",
    );
    assert_eq!(harness.run(2), ["2 b2", ""]);
    let harness = after(
        "(log (costume-of number)) (log (costume-of name)) (log (backdrop-of number)) (log (backdrop-of x))",
    );
    assert_eq!(harness.list("log"), ["1", "square", "1", "backdrop"]);
}

#[test]
fn effects_are_clamped_or_not() {
    // Mistake 26.
    for (effect, value, want) in [
        ("GHOST", "150", 100.0),
        ("ghost", "-5", 0.0),
        ("BRIGHTNESS", "-150", -100.0),
        ("brightness", "150", 100.0),
        ("COLOR", "1000", 1000.0),
        ("FISHEYE", "-500", -500.0),
        ("WHIRL", "720", 720.0),
        ("PIXELATE", "-10", -10.0),
        ("MOSAIC", "12345", 12345.0),
    ] {
        let sum = |blocks: &str| after(blocks).target("A").effects.iter().sum::<f64>();
        assert_eq!(sum(&format!("(set-effect {effect} {value})")), want, "{effect} {value}");
        let twice = format!("(set-effect {effect} 5) (change-effect {effect} 5)");
        assert_eq!(sum(&twice), 10.0, "{effect}");
        assert_eq!(sum(&format!("{twice} (clear-effects)")), 0.0);
    }
    assert_eq!(after("(set-effect nonsense 5)").target("A").effects, [0.0; 7]);
    let harness = Harness::after(1, "(stage (flag (set-effect ghost 40)))");
    assert_eq!(harness.target("Stage").effects[6], 40.0);
}

#[test]
fn sizes_depend_on_the_costume() {
    // Mistake 26: the size of a costume of 20 x 20 is between 5/20 and 540/20, with the rounding
    // errors of the division.
    for (size, want) in [
        ("50", 50.0),
        ("29", 28.999_999_999_999_996),
        ("1", 25.0),
        ("-50", 25.0),
        ("100000", 2700.0),
        ("abc", 25.0),
        ("Infinity", 2700.0),
    ] {
        assert_eq!(number(&format!("(set-size {size})"), |t| t.size), want, "{size}");
    }
    assert_eq!(number("(change-size -40)", |t| t.size), 60.0);
    // A tiny costume cannot shrink. A change of the costume does not clamp the size again.
    let harness = Harness::after(
        1,
        "(sprite A (costume tiny 4 4) (costume big 400 300)
           (flag (set-size 50) (log (size)) (set-size 99999) (log (size)) (costume big) (log (size))
             (set-size 9999) (log (size))))",
    );
    assert_eq!(harness.list("log"), ["100", "13500", "13500", "180"]);
    // The reported size is the rounded size in the file.
    let harness = Harness::after(1, "(sprite A size=33.4 (flag (log (size))))");
    assert_eq!((harness.target("A").size, harness.list("log")), (33.4, vec!["33".to_owned()]));
}

fn order(harness: &Harness) -> String {
    harness.vm.execution_order().map(|id| harness.vm.target(id).unwrap().name.to_string()).collect()
}

#[test]
fn layers_move_draw_and_execution_order() {
    for (block, want, layer) in [
        ("(layer front)", "StageBCDA", 4),
        ("(layer back)", "StageABCD", 1),
        ("(layer anything)", "StageABCD", 1),
        ("(layers forward 1)", "StageBACD", 2),
        ("(layers forward 2)", "StageBCAD", 3),
        ("(layers forward 99)", "StageBCDA", 4),
        ("(layers backward 1)", "StageABCD", 1),
        ("(layers backward -2)", "StageBCAD", 3),
        ("(layers forward 1.7)", "StageBACD", 2),
    ] {
        let harness = Harness::after(
            1,
            &format!("(sprite A (flag {block})) (sprite B) (sprite C) (sprite D)"),
        );
        assert_eq!(order(&harness), want, "{block}");
        assert_eq!(harness.target("A").layer(), layer, "{block}");
    }
    // A position between 0 and 1 is before the stage (run).
    let harness = Harness::after(1, "(sprite A (flag (layers backward 0.5))) (sprite B)");
    assert_eq!(order(&harness), "AStageB");
    let harness = Harness::after(1, "(stage (flag (layer front) (layers forward 1))) (sprite A)");
    assert_eq!(order(&harness), "StageA");
}

#[test]
fn volumes_are_clamped() {
    for (block, want) in [
        ("(set-volume 50)", 50.0),
        ("(set-volume 150)", 100.0),
        ("(set-volume -1)", 0.0),
        ("(change-volume -30)", 70.0),
        ("(change-volume 5)", 100.0),
    ] {
        assert_eq!(number(block, |t| t.volume), want, "{block}");
    }
}
