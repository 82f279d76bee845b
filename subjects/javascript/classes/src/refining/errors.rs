//! Errors that tests show: what they are about, and whether they are justified.

use catherd_javascript_machine::{Argument, Statement};

use super::kinds::kind;
use super::plausible::is_optional;
use super::usage::{OBJECT, Usage};
use super::worth::is_empty;
use crate::model::Target;
use crate::suite::SuiteTest;

/// Words in messages of errors about a missing argument or an argument of the wrong kind.
const ABOUT_ARGUMENTS: [&str; 16] = [
    "argument",
    "expect",
    "must",
    "need",
    "requir",
    "should",
    "provide",
    "not a",
    "a string",
    "a number",
    "an object",
    "an array",
    "a function",
    "type",
    "invalid",
    "missing",
];

/// The words among these that may also refer to the content of an argument.
const AMBIGUOUS: [&str; 2] = ["invalid", "missing"];

/// Whether the error of a test is about a missing argument or an argument of the wrong kind.
pub(super) fn is_about_arguments(test: &SuiteTest) -> bool {
    let last = test.assertions.last();
    let message = last.and_then(|it| it["message"].as_str()).unwrap_or_default().to_lowercase();
    // In a long sentence, such words are hardly the topic.
    let short = message.split_whitespace().count() <= 5;
    ABOUT_ARGUMENTS
        .iter()
        .any(|word| message.contains(word) && (short || !AMBIGUOUS.contains(word)))
}

/// Whether the error of a test is about an argument that is left out.
pub(super) fn is_about_omission(test: &SuiteTest) -> bool {
    let last = test.assertions.last();
    let message = last.and_then(|it| it["message"].as_str()).unwrap_or_default().to_lowercase();
    ["missing", "provide", "requir", "undefined"].iter().any(|word| message.contains(word))
}

impl Usage {
    /// Whether calls may leave out the argument after the given arguments.
    pub(super) fn may_omit(&self, target: &Target, statement: &Statement) -> bool {
        let given = statement.arguments.iter().rev().skip_while(|it| **it == Argument::Undefined);
        let given = given.count();
        let omitted = target.parameters.get(given);
        let shorter = || self.calls(target).iter().any(|call| call.len() <= given);
        omitted.is_some_and(|it| it.default.is_some() || is_optional(&it.name) || shorter())
    }

    /// Whether the arrays and objects of a failing call have kinds and members that its function
    /// reads.
    pub(super) fn has_read_collections(&self, target: &Target, statement: &Statement) -> bool {
        let read = |(position, it): (usize, &Argument)| match it {
            Argument::Array(items) if items.len() == 1 => {
                self.is_documented(Some(target), position, it)
            }
            Argument::Array(_) | Argument::Object(_) if !is_empty(it) || position > 0 => {
                self.is_as_read(target, position, it)
                    && kind(it).is_some_and(|of| self.is_given(target, position, of))
            }
            _ => true,
        };
        statement.arguments.iter().enumerate().all(read)
    }

    /// Whether the message of an error is about files, or contains a value that only wrong
    /// arguments cause.
    pub(super) fn has_odd_message(&self, test: &SuiteTest) -> bool {
        let last = test.assertions.last();
        let message = last.and_then(|it| it["message"].as_str()).unwrap_or_default();
        let odd = ["undefined", "NaN", OBJECT];
        let files = ["ENOENT", "EACCES", "EISDIR"].iter().any(|it| message.contains(it));
        files || odd.iter().any(|it| message.contains(it)) && !self.texts.contains(message)
    }
}
