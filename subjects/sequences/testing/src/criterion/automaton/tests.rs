//! Tests of automata and expressions.

use super::*;

fn matches(expression: &str, test: &str) -> bool {
    let test: Vec<String> = test.split_whitespace().map(str::to_owned).collect();
    Expression::parse(expression).unwrap().matches(&test).unwrap()
}

#[test]
fn the_whole_test_must_match() {
    assert!(matches(". * log.in .*", "x log.in y"));
    assert!(!matches("a b", "a b c"));
    assert!(matches("(a | b c){2,3} \"d e\"?", "a b c"));
    assert!(!matches("[^a b]* c", "a c"));
    assert!(!matches("[^ab]* c", "a b c"));
    assert!(matches("", ""));
    assert!(matches("a{0,2}", "") && matches("a+", "a a") && !matches("a+", ""));
}

#[test]
fn errors_name_the_column() {
    let cause = |text: &str| Expression::parse(text).unwrap_err().to_string();
    assert_eq!(cause("a (b"), "expression, column 5: a parenthesis is never closed");
    assert_eq!(cause("a ) b"), "expression, column 3: unmatched `)`");
    assert_eq!(cause("* a"), "expression, column 1: `*` is not a letter: write it as \"*\"");
    assert_eq!(
        cause("a{3,2}"),
        "expression, column 2: write {n}, {n,} or {n,m} with numbers up to 1000"
    );
    assert!(cause(&"(".repeat(100_000)).contains("100 levels"));
}

#[test]
fn automata_are_minimal_and_bounded() {
    let alphabet = Alphabet::names(&crate::events::Events::plain(["a", "b"]));
    let automaton = |text: &str| Expression::parse(text).unwrap().automaton(&alphabet);
    assert_eq!(automaton(".* a .* | .* a").unwrap().accepts.len(), 2);
    // The automaton would have to remember which of the last 21 letters are `a`, in 2^21 states.
    assert!(automaton(".* a .{20}").unwrap_err().cause.contains("10000 states"));
    assert!(automaton("(((a{1000}){1000}){1000}){1000}").is_err());
    assert_eq!(automaton("c").unwrap_err().to_string(), "expression, column 1: unknown event `c`");
}
