//! Tests of the units and goals of small files.

use catherd_javascript_instrument::{Build, FileKind, GoalKind, Hit, Units, instrument};

fn units(source: &str) -> Units {
    let mut units = Units::default();
    instrument(&mut units, "a.js", source, FileKind::Unknown, Build::Search).unwrap();
    units
}

fn text(source: &str, build: Build) -> String {
    instrument(&mut Units::default(), "a.js", source, FileKind::Unknown, build).unwrap().text
}

/// Counts of statements, functions, locations of branches, lines, goals of loops, and goals of
/// optional chaining and logical assignments.
fn counts(source: &str) -> [usize; 6] {
    let units = units(source);
    let goals = |kind| units.goals.iter().filter(|goal| goal.kind == kind).count();
    [
        units.statements.len(),
        units.functions.iter().filter(|function| function.counted).count(),
        units.branches.iter().map(|branch| branch.locations.len()).sum(),
        units.lines(0).len(),
        goals(GoalKind::Loop),
        goals(GoalKind::Optional),
    ]
}

#[test]
fn functions_have_the_comment_before_them() {
    for code in [
        "D function f(a) {}",
        "D const f = (a) => a;",
        "D let f=a => a;",
        "D exports.f = a => a;",
        "D export const f = async a => a;",
        "class A { D f(a) {} }",
        "({ D f: a => a, g: 1 });",
    ] {
        let units = units(&code.replacen('D', "/** @param {string} a */", 1));
        let function = units.functions.iter().find(|function| function.name == "f").unwrap();
        assert_eq!(function.comment, "/** @param {string} a */", "{code}");
    }
    let apart = units("/** @param {string} a */\nlet g = 1; const f = a => a;");
    assert_eq!(apart.functions[0].comment, "");
}

#[test]
fn units_equal_those_of_istanbul() {
    // The expected counts, except for goals, are from istanbul-lib-instrument 6.0.3.
    for (source, expected) in [
        ("let x = 1, y = 2, z;", [2, 0, 0, 1, 0, 0]),
        ("a: for (const x of xs) { if (x) continue a; }", [4, 0, 2, 1, 2, 0]),
        ("switch (f()) { case 1: g(); break; default: h(); }", [4, 0, 2, 1, 0, 0]),
        ("const f = (x = 1) => x && (y || z);", [2, 1, 4, 1, 0, 0]),
        ("class A { #m() { return 1; } x = 2; y; static { go(); } }", [3, 0, 0, 1, 0, 0]),
        ("o?.p?.q; o.f?.(1); v ??= 2;", [3, 0, 0, 1, 0, 8]),
        ("do x++; while (x < 3)\nfor (;;) { break; }", [4, 0, 0, 2, 2, 0]),
        ("\"use strict\";\nexport default 5;\nexport const one = 1;", [1, 0, 0, 1, 0, 0]),
    ] {
        assert_eq!(counts(source), expected, "{source}");
    }
}

#[test]
fn comments_that_istanbul_obeys_are_obeyed() {
    // `@` stands for the comment `istanbul ignore next`. The expected counts, except for
    // goals, are from istanbul-lib-instrument 6.0.3.
    for (source, expected) in [
        ("@ f(); @ for (const a of b) { c(); } g();", [1, 0, 0, 1, 0, 0]),
        ("x = a || @ b || c; y = d ? @ e?.() : f;", [2, 0, 3, 1, 0, 2]),
        ("x = a || @ (() => b);", [1, 0, 1, 1, 0, 0]),
        ("x = a || @ f(() => b);", [2, 1, 1, 1, 0, 0]),
        ("const f = @ () => g(), h = 1;", [2, 0, 0, 1, 0, 0]),
        ("const x = @ a || b; class A { y = @ () => 1; }", [3, 1, 2, 1, 0, 0]),
        (
            "class A { @ m() { f(); } n(@ a = 1, b = @ 2) { g(); } @ #p() { h(); } }",
            [2, 1, 1, 1, 0, 0],
        ),
        ("switch (a) { case 1: b(); break; @ default: c(); }", [3, 0, 1, 1, 0, 0]),
        ("if (a) { b(); } @ else { c(); } () => @ (a || b);", [5, 1, 2, 1, 0, 0]),
        (
            "x = { @ m() { f(); }, @ n: () => g() }; @ 'text'; /** istanbul ignore next */ h();",
            [3, 1, 0, 1, 0, 0],
        ),
        ("/* istanbul ignore if */ if (a) { b(); } else { c(); }", [2, 0, 1, 1, 0, 0]),
        ("// istanbul ignore else\nif (a) b(); else while (c) d();", [2, 0, 1, 1, 0, 0]),
        ("f(); /* istanbul ignore file */", [0, 0, 0, 0, 0, 0]),
    ] {
        let source = source.replace('@', "/* istanbul ignore next */");
        assert_eq!(counts(&source), expected, "{source}");
    }
}

#[test]
fn functions_keep_names_and_return_values() {
    let named = text("const f = () => 1; let g; g ||= function () {};", Build::Search);
    assert!(named.contains("const f = (/*$c_F0*/) =>"), "{named}");
    assert!(named.contains("{\"g\":function (/*$c_F1*/) {"), "{named}");
    let plain = text("f(a < 3)", Build::Search);
    assert!(!plain.contains("a,3"), "no decision, no probe: {plain}");
    let traced = text("f(a < 3)", Build::Inference);
    // The code consists of the operator, the kind of the literal on its right, and the number of
    // the first line.
    let code = 4 + 128 + 512;
    assert!(traced.contains(&format!("$c_p({code},a,3)")), "{traced}");
}

#[test]
fn code_after_a_return_depends_on_the_condition() {
    let units = units("function f(a) { if (a) return 1; if (a > 2) return 2; return 3; }");
    let second = &units.goals[3];
    assert_eq!(units.goal_name(second), "a.js:1:34 if true");
    let Hit::Outcome { site, .. } = units.goals[1].hit else { panic!("{:?}", units.goals[1]) };
    assert_eq!((second.control[0].site, second.control[0].outcome), (site, false));
    assert_eq!(second.control.len(), 2);
}

#[test]
fn modules_become_functions() {
    let source = "import a, { b as c } from './x.js';\nexport { c, a as d };\nexport function f() { return { c, a: a(1) }; }";
    let text = text(source, Build::Plain);
    assert!(text.starts_with("\"use strict\";$c_E({\"c\":()=>$c_m0[\"b\"],"), "{text}");
    assert!(text.contains("return { c:$c_m0[\"b\"], a: (0,$c_m0.default)(1) };"), "{text}");
    assert!(text.contains("\"f\":()=>f"), "{text}");
}

#[test]
fn bad_files_are_refused_with_their_line() {
    let refuse = |source: &str| {
        let units = &mut Units::default();
        instrument(units, "a.js", source, FileKind::Unknown, Build::Search).unwrap_err().to_string()
    };
    assert!(refuse("let a = 1;\nlet b = ;").starts_with("a.js:2: "), "{}", refuse("let b = ;"));
    assert!(refuse("let a: number = 1;").starts_with("a.js:1: "));
    assert!(refuse("const a = <b/>;").starts_with("a.js:1: "));
    assert!(refuse(&"(".repeat(100_000)).contains("nested"));
    assert!(refuse("export const a = await f();").contains("await"));
}
