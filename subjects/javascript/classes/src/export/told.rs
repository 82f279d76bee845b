//! What a title tells about the call of a test.

use catherd_javascript_machine::Argument;
use serde_json::Value;

use super::claims::{Claim, Expected, Part};
use super::layout::length;
use super::titles::Shown;
use crate::suite::is_error;

/// Of which calls a title tells enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tells {
    /// Of none.
    Nothing,
    /// Of a call that a reader may know, because it is in the documentation.
    Example,
    /// Of any call.
    Call,
}

/// How much a title tells about the effect of the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Said {
    /// Only what many calls have in common, such as the kind of the result.
    Kind,
    /// A part of the effect, such as the class of an error.
    Part,
    /// The whole effect.
    Whole,
}

/// A title, and what it tells.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Title {
    pub(super) text: String,
    /// Whether it contains all arguments in full.
    pub(super) arguments: bool,
    /// Whether it contains all options and flags of the call.
    pub(super) options: bool,
    pub(super) said: Said,
}

impl Title {
    /// Whether the title contains all options, and a whole result that shows by itself what the call
    /// did.
    fn has_result(&self, shown: &Shown<'_>) -> bool {
        self.options && self.said == Said::Whole && is_rich(shown.expected)
    }

    /// Whether the title contains the arguments in full and at least a part of a rich result.
    pub(super) fn is_whole_call(&self, shown: &Shown<'_>) -> bool {
        let given = shown.statement.arguments.len() > shown.left_out;
        self.arguments && given && self.said > Said::Kind && is_rich(shown.expected)
    }

    /// Whether the title distinguishes the call from other calls of the function. `others` tells
    /// whether it also describes the receiver and earlier calls.
    pub(super) fn tells(&self, shown: &Shown<'_>, others: bool) -> bool {
        self.arguments && others && self.said > Said::Kind || self.has_result(shown)
    }

    /// Whether the title suffices for a call of the documentation: it shows a part of a rich
    /// result, or all arguments if the result is not a line.
    pub(super) fn tells_example(&self, shown: &Shown<'_>, others: bool) -> bool {
        let given = shown.statement.arguments.len() > shown.left_out;
        let part = self.options && self.said > Said::Kind;
        let line = shown.expected["string"].as_str().is_some_and(|it| !it.contains('\n'));
        others && is_rich(shown.expected) && (part || self.arguments && given && !line)
    }
}

/// Minimum length of a rich string, in characters.
const RICH: usize = 6;

/// Whether a result shows by itself what the call did, unlike a flag or a number.
fn is_rich(value: &Value) -> bool {
    let text = value.get("string").and_then(Value::as_str);
    let items = value.get("array").and_then(Value::as_array).map(Vec::len);
    let members = value.get("object").and_then(Value::as_object).map(|it| it.len());
    text.is_some_and(|text| length(text) >= RICH)
        || is_error(value) && value.get("message").is_some()
        || items.or(members).is_some_and(|count| count > 0)
        || ["date", "regexp", "map", "set"].iter().any(|kind| value.get(kind).is_some())
}

/// Whether there are options or flags. The first argument counts only for constructors.
pub(super) fn has_options(arguments: &[Argument], made: bool) -> bool {
    let flag = |it: &Argument| matches!(it, Argument::Boolean(_) | Argument::Object(_));
    arguments.iter().skip(usize::from(!made)).any(flag)
}

/// Whether the shortened result in an outcome says something, unlike the beginning of a URL.
fn is_telling_part(outcome: &str) -> bool {
    let Some((_, text)) = outcome.split_once('\'') else { return true };
    let of_text = outcome.contains("…'");
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    !of_text || letters >= FEWEST && !text.starts_with("http")
}

/// Minimum number of letters in the beginning of a string that says something.
const FEWEST: usize = 8;

/// How much an outcome tells about the effect of the call.
pub(super) fn said(shown: &Shown<'_>, outcome: &str) -> Said {
    let has = |claim: &Claim| match &claim.expected {
        Expected::Same(doc) | Expected::Equal(doc) => outcome.ends_with(&doc.flat()),
        _ => false,
    };
    let state = shown.state.filter(|_| shown.claims.is_empty() || outcome.starts_with("leaves"));
    let claim = state.or(shown.claims.first());
    match claim {
        // The outcome says nothing about the thrown value.
        _ if outcome.ends_with(" a value") && is_error(shown.expected) => Said::Kind,
        _ if is_error(shown.expected) => Said::Part,
        Some(claim) if claim.at == Part::Count => Said::Kind,
        Some(claim) if has(claim) || state.is_some_and(has) => match claim.at == Part::Whole {
            true => Said::Whole,
            false => Said::Part,
        },
        Some(_) if shown.changed.is_some() && state.is_some() => Said::Part,
        _ if outcome.contains('…') && is_telling_part(outcome) => Said::Part,
        _ => Said::Kind,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn some_results_show_by_themselves_what_a_call_has_done() {
        assert!(
            is_rich(&json!({"string": "a-b-c-d"})) && is_rich(&json!({"array": [{"null": true}]}))
        );
        assert!(is_rich(&json!({"object": {"a": {"number": "1"}}})));
        for value in [
            json!({"number": "5"}),
            json!({"boolean": true}),
            json!({"array": []}),
            json!({"string": "ab"}),
        ] {
            assert!(!is_rich(&value), "{value}");
        }
    }

    #[test]
    fn options_are_objects_and_flags_after_other_arguments() {
        let object = Argument::Object(Vec::new());
        let text = Argument::String("a".to_owned());
        assert!(has_options(&[text.clone(), object.clone()], false));
        assert!(has_options(&[text.clone(), Argument::Boolean(true)], false));
        let only = [object];
        assert!(!has_options(&only, false) && has_options(&only, true));
        assert!(!has_options(&[text.clone(), text], false));
    }

    #[test]
    fn beginnings_of_texts_must_have_letters() {
        assert!(is_telling_part("returns { a: 1, … }"));
        assert!(
            is_telling_part("returns 'Lorem ipsum dolor…'")
                && is_telling_part("has url() '…/b?c=d'")
        );
        assert!(!is_telling_part("returns '+------+----…'"));
        assert!(!is_telling_part("returns 'https://example.com/some/pa…'"));
    }
}
