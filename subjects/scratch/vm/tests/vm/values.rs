//! Tests of casts, comparison, operators, variables, lists and a few other reporters.
//!
//! `Mistake N` in comments is explained in `main.rs`.

use catherd_scratch_vm::Value;

use crate::harness::{Harness, draws, eval, eval_in, paper};
use crate::language::project;

/// The value of an expression as a string.
fn shown(expression: &str) -> String {
    eval(expression).to_text().to_string()
}

#[test]
fn arithmetic_casts_its_operands() {
    for (e, want) in [
        ("(+ 1 2)", "3"),
        ("(+ 0.1 0.2)", "0.30000000000000004"),
        ("(+ abc 2)", "2"),
        ("(+ \" 12 \" 1)", "13"),
        ("(+ 0x1F 1)", "32"),
        ("(+ -0x1F 1)", "1"),
        ("(+ 1e3 .5)", "1000.5"),
        ("(+ 1_000 1)", "1"),
        ("(+ #t #t)", "2"),
        ("(+ _ 1)", "1"),
        ("(- 5 7)", "-2"),
        ("(* -2 3.5)", "-7"),
        ("(/ 1 0)", "Infinity"),
        ("(/ -1 0)", "-Infinity"),
        ("(/ 0 0)", "NaN"),
        ("(+ (/ 0 0) 1)", "1"),
        ("(/ 1 3)", "0.3333333333333333"),
        ("(mod 7 3)", "1"),
        ("(mod -7 3)", "2"),
        ("(mod 7 -3)", "-2"),
        ("(mod 5 0)", "NaN"),
        ("(mod -5 Infinity)", "-5"),
        ("(mod 5.5 2)", "1.5"),
        ("(round 2.5)", "3"),
        ("(round -2.5)", "-2"),
        ("(round 0.49999999999999994)", "0"),
        ("(/ 1 (round -0.5))", "-Infinity"),
        ("(/ 1 (round -0.2))", "-Infinity"),
    ] {
        assert_eq!(shown(e), want, "{e}");
    }
}

#[test]
fn numbers_print_as_in_javascript() {
    // Mistake 28.
    for (e, want) in [
        ("(join (* 1e20 10) \"\")", "1e+21"),
        ("(join (* 1e20 1) \"\")", "100000000000000000000"),
        ("(join (/ 1 10000000) \"\")", "1e-7"),
        ("(join (/ 1 1000000) \"\")", "0.000001"),
        ("(join (* 0 -1) \"\")", "0"),
        ("(join (/ 5e-324 1) \"\")", "5e-324"),
        ("(join (* 1.5 1e300) \"\")", "1.5e+300"),
        ("(join (= 1 1) (not (= 1 1)))", "truefalse"),
        ("(join _ x)", "undefinedx"),
        ("(join (/ 0 0) (/ -1 0))", "NaN-Infinity"),
    ] {
        assert_eq!(shown(e), want, "{e}");
    }
}

#[test]
fn functions_of_one_number() {
    for (op, n, want) in [
        ("abs", "-3.5", "3.5"),
        ("floor", "-2.5", "-3"),
        ("ceiling", "2.1", "3"),
        ("sqrt", "2", "1.4142135623730951"),
        ("sqrt", "-1", "NaN"),
        ("sin", "30", "0.5"),
        ("sin", "180", "0"),
        ("cos", "90", "0"),
        ("SIN", "90", "1"),
        ("tan", "45", "1"),
        ("tan", "90", "Infinity"),
        ("tan", "-270", "Infinity"),
        ("tan", "270", "-Infinity"),
        ("tan", "-90", "-Infinity"),
        ("tan", "450", "Infinity"),
        ("asin", "1", "90"),
        ("acos", "0", "90"),
        ("acos", "2", "NaN"),
        ("atan", "1", "45"),
        ("ln", "0", "-Infinity"),
        ("log", "1000", "2.9999999999999996"),
        ("log", "100", "2"),
        ("\"e ^\"", "0", "1"),
        ("\"10 ^\"", "3", "1000"),
        ("nonsense", "3", "0"),
    ] {
        assert_eq!(shown(&format!("(math {op} {n})")), want, "{op} {n}");
    }
}

#[test]
fn pick_random_follows_the_generator() {
    // Mistake 23: a string with a "." is fractional; for numbers, the value decides.
    let d = draws(1)[0];
    let integer = |low: f64, high: f64| low + (d * (high + 1.0 - low)).floor();
    let real = |low: f64, high: f64| d * (high - low) + low;
    for (from, to, want) in [
        ("1", "10", integer(1.0, 10.0)),
        ("10", "1", integer(1.0, 10.0)),
        ("1.0", "10", real(1.0, 10.0)),
        ("#1.0", "10", integer(1.0, 10.0)),
        ("#1.5", "10", real(1.5, 10.0)),
        ("1e-1", "10", integer(0.1, 10.0)),
        ("abc", "10", integer(0.0, 10.0)),
        ("#t", "10", integer(1.0, 10.0)),
        ("(/ 2 1)", "(* 5 2)", integer(2.0, 10.0)),
        ("#1e-7", "10", real(1e-7, 10.0)),
        ("#1e21", "#1e22", real(1e21, 1e22)),
        ("-5", "5", integer(-5.0, 5.0)),
    ] {
        assert_eq!(eval(&format!("(random {from} {to})")), Value::Number(want), "{from} {to}");
    }
}

#[test]
fn comparison_is_scratchs() {
    // Mistake 22: strings are compared in lower case without trimming, and a blank string is not 0.
    for (a, b, order) in [
        ("1", "1.0", "="),
        ("\"\"", "0", "<"),
        ("\" \"", "0", "<"),
        ("\" 1\"", "1", "="),
        ("0x10", "16", "="),
        ("#t", "1", "="),
        ("true", "1", ">"),
        ("abc", "ABC", "="),
        ("a", "\"a \"", "<"),
        ("10", "9", ">"),
        ("10", "9a", "<"),
        ("(/ 0 0)", "nan", "="),
        ("Infinity", "Infinity", "="),
        ("(/ 1 0)", "infinity", "="),
        ("-Infinity", "Infinity", "<"),
        ("_", "undefined", "="),
        ("\"\"", "\"\"", "="),
        ("#0", "#-0", "="),
        ("é", "É", "="),
        ("😀", "ﬀ", "<"),
        ("ß", "SS", ">"),
    ] {
        let holds = |op: &str| eval(&format!("({op} {a} {b})")) == Value::Bool(true);
        for op in ["<", "=", ">"] {
            assert_eq!(holds(op), op == order, "{a} {op} {b}");
        }
    }
}

#[test]
fn truth() {
    for (value, want) in [
        ("\"\"", false),
        ("0", false),
        ("False", false),
        ("#0", false),
        ("(/ 0 0)", false),
        ("#f", false),
        ("_", false),
        ("0.0", true),
        ("\" \"", true),
        ("no", true),
        ("#-1", true),
        ("#t", true),
    ] {
        assert_eq!(eval(&format!("(not {value})")), Value::Bool(!want), "{value}");
        assert_eq!(eval(&format!("(and {value} 1)")), Value::Bool(want), "{value}");
        assert_eq!(eval(&format!("(or 0 {value})")), Value::Bool(want), "{value}");
    }
}

#[test]
fn text_is_counted_in_units() {
    // Mistake 28.
    for (e, want) in [
        ("(length abc)", "3"),
        ("(length 😀)", "2"),
        ("(length \"\")", "0"),
        ("(length #12.5)", "4"),
        ("(letter 1 abc)", "a"),
        ("(letter 0 abc)", ""),
        ("(letter 4 abc)", ""),
        ("(letter 2.9 abc)", "b"),
        ("(letter 0.5 abc)", ""),
        ("(letter abc abc)", ""),
        ("(letter Infinity abc)", ""),
        ("(length (letter 1 😀))", "1"),
        ("(join (letter 1 😀) (letter 2 😀))", "😀"),
        ("(join a 1)", "a1"),
        ("(contains Hello ELL)", "true"),
        ("(contains Hello x)", "false"),
        ("(contains abc \"\")", "true"),
        ("(contains ÄB äb)", "true"),
        ("(contains #123 2)", "true"),
    ] {
        assert_eq!(shown(e), want, "{e}");
    }
}

#[test]
fn literals_keep_their_type() {
    assert_eq!(eval("10"), Value::from("10"));
    assert_eq!(eval("#10"), Value::Number(10.0));
    assert_eq!(eval("#t"), Value::Bool(true));
    // The value of a menu, or of any unknown reporter with one field and no input, is the value of
    // its field.
    assert_eq!(eval("(motion_goto_menu .TO=_random_)"), Value::from("_random_"));
    assert_eq!(eval("(wedo2_menu .X=#5)"), Value::Number(5.0));
    assert_eq!(eval("(wedo2_menu .X=5 .Y=6)"), Value::Undefined);
    assert_eq!(eval("(sound_sounds_menu .SOUND_MENU=pop)"), Value::from("pop"));
    // Hats and obsolete reporters have no value.
    assert_eq!(eval("(flag)"), Value::Undefined);
    assert_eq!(eval("(motion_xscroll)"), Value::Undefined);
    assert_eq!(eval("(sensing_userid)"), Value::Undefined);
}

#[test]
fn variables_are_found_by_id_then_name() {
    let log = |own: &str, block: &str| {
        let source = format!("(var v/sid stage) (sprite A {own} (flag (log {block})))");
        Harness::after(1, &source).list("log").join(" ")
    };
    let own = "(var v/own mine)";
    assert_eq!(log(own, "$v/own"), "mine");
    assert_eq!(log(own, "$v/sid"), "stage");
    assert_eq!(log(own, "$v/unknown"), "mine");
    assert_eq!(log("", "$v/unknown"), "stage");
    assert_eq!(log("(var other/sid shadow)", "$v/sid"), "shadow");
    assert_eq!(log("", "(data_variable .VARIABLE=v/sid)"), "stage");
    // An unknown id and name result in a new variable of the sprite, with the number 0.
    assert_eq!(log("", "(= $new 0)"), "true");
}

#[test]
fn variables_come_into_being_with_the_first_block() {
    let mut harness = Harness::flag("(sprite A (flag (wait 0) (change new 2) (set v $new)))");
    harness.steps(1);
    assert_eq!(harness.target("A").variables().count(), 0);
    harness.steps(1);
    assert_eq!(
        (harness.value("A.new"), harness.value("A.v")),
        (Value::Number(2.0), Value::Number(2.0))
    );
    let mut harness = Harness::flag("(sprite A (flag (wait 0) (add new x)))");
    harness.steps(1);
    assert_eq!(harness.target("A").lists().count(), 0);
    harness.steps(1);
    assert_eq!(harness.list("A.new"), ["x"]);
}

#[test]
fn changing_a_variable_makes_it_a_number() {
    let harness = Harness::after(
        1,
        "(var a 5) (var b abc) (var c #t) (var d) (sprite A (flag (change a 2) (change b x) (change c 1.5) (set d 007)))",
    );
    assert_eq!(["a", "b", "c"].map(|v| harness.value(v)), [7.0, 0.0, 2.5].map(Value::Number));
    assert_eq!(harness.value("d"), Value::from("007"));
}

#[test]
fn list_indices() {
    // Mistake 23, second half: words are case-sensitive.
    for (index, want) in [
        ("1", "a"),
        ("1.9", "a"),
        ("3", "c"),
        ("4", ""),
        ("0", ""),
        ("-1", ""),
        ("\"\"", ""),
        ("last", "c"),
        ("Last", ""),
        ("all", ""),
        ("#t", "a"),
        ("\" 2 \"", "b"),
        ("Infinity", ""),
        ("(/ 0 0)", ""),
    ] {
        let value = eval_in("(list l a b c)", &format!("(item l {index})"));
        assert_eq!(value, Value::from(want), "{index}");
    }
    let at = |draw: f64, n: f64| ["a", "b", "c"][(draw * n) as usize];
    assert_eq!(eval_in("(list l a b c)", "(item l random)"), Value::from(at(draws(1)[0], 3.0)));
}

#[test]
fn list_blocks() {
    for (blocks, want) in [
        ("(add l x)", "a b c x"),
        ("(delete l 2)", "a c"),
        ("(delete l last)", "a b"),
        ("(delete l all)", ""),
        ("(delete l ALL)", "a b c"),
        ("(delete l 9)", "a b c"),
        ("(delete-all l)", ""),
        ("(insert l x 1)", "x a b c"),
        ("(insert l x 4)", "a b c x"),
        ("(insert l x 5)", "a b c"),
        ("(insert l x last)", "a b c x"),
        ("(insert l x 0)", "a b c"),
        ("(insert l x all)", "a b c"),
        ("(replace l 2 x)", "a x c"),
        ("(replace l last x)", "a b x"),
        ("(replace l 4 x)", "a b c"),
        ("(replace l all x)", "a b c"),
        ("(show-list l) (hide-list l) (show-var v) (hide-var v)", "a b c"),
    ] {
        let harness =
            Harness::after(1, &format!("(var v) (list l a b c) (sprite A (flag {blocks}))"));
        assert_eq!(harness.list("l").join(" "), want, "{blocks}");
    }
}

#[test]
fn list_reporters() {
    let l = "(list l a B 1.0 \"\" #5)";
    for (e, want) in [
        ("(items l)", Value::Number(5.0)),
        ("(item# l b)", Value::Number(2.0)),
        ("(item# l 1)", Value::Number(3.0)),
        ("(item# l 0)", Value::Number(0.0)),
        ("(has l A)", Value::Bool(true)),
        ("(has l \"\")", Value::Bool(true)),
        ("(has l 05)", Value::Bool(true)),
        ("(has l x)", Value::Bool(false)),
        ("(item l 5)", Value::Number(5.0)),
        ("(contents l)", Value::from("a B 1.0  5")),
        ("%l", Value::from("a B 1.0  5")),
    ] {
        assert_eq!(eval_in(l, e), want, "{e}");
    }
    assert_eq!(eval_in("(list l a b c)", "%l"), Value::from("abc"));
    // The number 1 is not a string of length 1.
    assert_eq!(eval_in("(list l a #1 c)", "%l"), Value::from("a 1 c"));
    assert_eq!(eval_in("(list l)", "%l"), Value::from(""));
    // A list with NaN contains NaN.
    let harness =
        Harness::after(1, "(list l) (sprite A (flag (add l (/ 0 0)) (log (has l (/ 0 0)))))");
    assert_eq!(harness.list("log"), ["true"]);
}

#[test]
fn properties_of_others() {
    let others = "(var g 1) (costume one) (costume two)
        (sprite B x=10.0000000001 y=-20 direction=45 size=80 volume=30 (costume red 9 9) (var own 7) (var volume 5))
        (sprite Nobody)";
    for (property, object, want) in [
        ("\"x position\"", "B", "10.0000000001"),
        ("\"y position\"", "B", "-20"),
        ("direction", "B", "45"),
        ("\"costume #\"", "B", "1"),
        ("\"costume name\"", "B", "red"),
        ("size", "B", "80"),
        ("volume", "B", "30"),
        ("own", "B", "7"),
        ("nothing", "B", "0"),
        ("\"backdrop #\"", "_stage_", "1"),
        ("\"background #\"", "_stage_", "1"),
        ("\"backdrop name\"", "_stage_", "one"),
        ("volume", "_stage_", "100"),
        ("g", "_stage_", "1"),
        ("\"x position\"", "_stage_", "0"),
        ("g", "B", "0"),
        ("g", "Stage", "0"),
        ("\"x position\"", "b", "0"),
    ] {
        let e = format!("(of {property} {object})");
        assert_eq!(eval_in(others, &e).to_text().to_string(), want, "{e}");
    }
    // A variable that no block has created yet is read as 0.
    let source =
        "(var result) (sprite A (flag (set result (of late B)))) (sprite B (key k (set late 1)))";
    assert_eq!(Harness::after(1, source).value("result"), Value::Number(0.0));
}

#[test]
fn the_calendar_is_set() {
    // Noon on 2024-01-01, a Monday.
    for (field, want) in [
        ("YEAR", 2024.0),
        ("month", 1.0),
        ("Date", 1.0),
        ("DAYOFWEEK", 2.0),
        ("hour", 12.0),
        ("minute", 0.0),
        ("second", 0.0),
        ("century", 0.0),
    ] {
        assert_eq!(eval(&format!("(current {field})")), Value::Number(want), "{field}");
    }
    assert_eq!(eval("(days)"), Value::Number(8766.5));
    assert_eq!(eval("(username)"), Value::from(""));
    assert_eq!(eval("(answer)"), Value::from(""));
    assert_eq!(eval("(translate_getViewerLanguage)"), Value::from("English"));
}

#[test]
fn showing_and_hiding_monitors_changes_no_value() {
    let harness = Harness::after(
        2,
        "(var v #3) (list l a b) (sprite A (var own #5) (list things c)
           (flag (hide-var v) (show-var v) (hide-var own) (show-list l) (hide-list things)
             (log end)))",
    );
    assert_eq!((harness.var("v"), harness.var("A.own")), ("3".into(), "5".into()));
    assert_eq!(
        (harness.list("l").join(" "), harness.list("A.things").join(" ")),
        ("a b".into(), "c".into())
    );
    assert_eq!(harness.list("log"), ["end"]);
}

#[test]
fn cloud_variables_are_variables_of_the_stage() {
    let mut project = project(
        "(var \"☁ best\" #7) (sprite A (flag (change \"☁ best\" 1)) (clicked (set \"☁ best\" words)))",
    );
    for variable in &mut project.targets[0].variables {
        variable.cloud = true;
    }
    let mut harness = Harness::with(project, paper());
    harness.vm.green_flag();
    harness.steps(1);
    assert_eq!(harness.var("☁ best"), "8");
    // The original's server accepts only numbers; without the server, all values are accepted.
    let sprite = harness.id("A");
    harness.vm.click(sprite);
    harness.steps(1);
    assert_eq!(harness.var("☁ best"), "words");
}

#[test]
fn a_comparison_does_not_depend_on_where_its_operands_are_stored() {
    let values = ["1", "1.0", "#1", "#-0", "abc", "ABC", "\"\"", "NaN", "#t"];
    for a in values {
        for b in values {
            let globals = format!("(var a {a}) (var b {b}) (list la {a}) (list lb {b})");
            for operator in ["<", "=", ">"] {
                let of = |a: &str, b: &str| eval_in(&globals, &format!("({operator} {a} {b})"));
                // The items are computed; the other operands are borrowed.
                let computed = of("(item la 1)", "(item lb 1)");
                for (x, y) in [("$a", "$b"), ("$a", b), ("(item la 1)", "$b"), (a, "(item lb 1)")] {
                    assert_eq!(of(x, y), computed, "{a} {operator} {b} as {x} and {y}");
                }
            }
        }
    }
}
