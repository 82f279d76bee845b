//! Whether the result and the title of a test describe its call.

use catherd_javascript_machine::{Argument, Operation, Statement};
use serde_json::Value;

use super::Refiner;
use super::arguments::inlined;
use super::filled;
use super::outcomes::{
    is_accidental, is_internal, is_nothing, is_readable, is_value_of, shows_nothing,
};
use super::usage::Usage;
use crate::export::{Strength, Tells, tells};
use crate::model::{Target, TargetKind};
use crate::suite::{SuiteTest, is_error};

/// Maximum length of an object or a string that an undocumented call returns, in bytes of JSON.
const LARGEST: usize = 240;

/// Maximum number of elements of a list of which only a part is asserted.
const MAX_ELEMENTS: usize = 20;

/// Maximum number of members of an object of which only some are asserted.
const MAX_MEMBERS: usize = 3;

/// Whether a result is probably the state of an instance.
fn is_state(test: &SuiteTest, result: &Value) -> bool {
    let Some(members) = result.get("object").and_then(Value::as_object) else { return false };
    let [made, read] = &test.statements[..] else { return false };
    made.operation != Operation::Value && read.arguments.is_empty() && members.len() > 3
}

impl Refiner<'_> {
    /// Whether the title of a test tells what is tested.
    pub(super) fn tells(&self, test: &SuiteTest) -> bool {
        match self.told(test) {
            Tells::Call => true,
            Tells::Example => self.usage.documents(&test.statements),
            Tells::Nothing => false,
        }
    }

    /// Of which calls the title of a test tells enough. A function without parameters can be called
    /// in one way only, so its result needs no description.
    pub(super) fn told(&self, test: &SuiteTest) -> Tells {
        let target = self.usage.target(&test.statements, 0).filter(|_| test.statements.len() == 1);
        let only =
            target.is_some_and(|it| it.kind == TargetKind::Function && it.parameters.is_empty());
        let fails = |value: &Value| value.get("throws").or(value.get("rejects")).is_some();
        match only && !test.assertions.iter().any(fails) {
            true => Tells::Call,
            false => tells(test, &self.code),
        }
    }
}

impl Usage {
    /// Whether a test shows enough to be worth keeping.
    pub(super) fn says_enough(&self, test: &SuiteTest, says: Strength) -> bool {
        let Some(result) = test.assertions.last() else { return false };
        let documented = self.documents(&test.statements);
        let accidental = is_accidental(result, documented, self.digits);
        let confirmed = || self.is_confirmed(test) || documented && self.writes_numbers(result);
        if says < Strength::Error || accidental && !confirmed() {
            return false;
        }
        let statements = inlined(&test.statements);
        let last = statements.len() - 1;
        let unused = |at: usize| {
            test.statements[at].operation == Operation::Value
                && !test.statements.iter().any(|it| it.variables().contains(&at))
        };
        if (0..statements.len()).any(unused) {
            return false;
        }
        // A part of a long list says little, as does a string of several lines that a reader
        // returns.
        let long = result["array"].as_array().is_some_and(|it| it.len() > MAX_ELEMENTS);
        let lines = result["string"].as_str().is_some_and(|it| it.contains('\n'));
        let blank = |it: &str| !it.is_empty() && it.trim().is_empty();
        if !documented && result["string"].as_str().is_some_and(blank) {
            return false;
        }
        // A function without arguments that returns nothing or a control sequence says little.
        let control = |it: &str| it.chars().any(|c| c.is_control() && !"\n\t".contains(c));
        let empty = result.get("undefined").is_some()
            || result["string"].as_str().is_some_and(|it| it.is_empty() || control(it));
        let bare = statements[last].operation == Operation::Call
            && statements[last].arguments.is_empty()
            && test.after.iter().all(Value::is_null);
        if bare && empty {
            return false;
        }
        let part = long && says < Strength::Whole && !documented;
        if part || lines && test.focus.is_some() {
            return false;
        }
        // Most strings of bytes are hard to read.
        let bytes = |value: &Value| {
            let class = value["object"].as_str().unwrap_or_default();
            class.ends_with("Array") || class.ends_with("Buffer")
        };
        let readable = result["string"].as_str().is_some_and(is_readable);
        if test.focus.is_some_and(|focus| test.assertions.get(focus).is_some_and(bytes))
            && !readable
        {
            return false;
        }
        // A repetition of an earlier call with the same result says little.
        if (0..last).any(|at| {
            let earlier = &statements[at];
            earlier.operation == Operation::Method
                && (earlier.receiver, &earlier.name)
                    == (statements[last].receiver, &statements[last].name)
                && earlier.arguments == statements[last].arguments
                && test.assertions[at] == *result
        }) {
            return false;
        }
        // An empty result for a negative number is hardly the purpose of a call.
        let negative = |it: &Argument| matches!(it, Argument::Number(number) if *number < 0.0);
        if !documented && statements[last].arguments.iter().any(negative) && is_nothing(result) {
            return false;
        }
        // A message that was passed to the call says little about the call.
        let message =
            |it: &Argument| matches!(it, Argument::String(text) if result["message"] == **text);
        if statements[last].arguments.iter().any(message) {
            return false;
        }
        // A first argument that is returned unchanged says little about further arguments.
        let given = &statements[last].arguments;
        let collection = matches!(given.first(), Some(Argument::Array(_) | Argument::Object(_)));
        if !documented && collection && given.len() > 1 && is_value_of(&given[0], result) {
            return false;
        }
        // An empty result for an argument about which nothing is known says little.
        let target = self.target(&test.statements, last);
        let unknown =
            target.is_some_and(|target| (0..given.len()).any(|at| self.is_unknown(target, at)));
        if unknown && is_nothing(result) || self.is_of_new_instance(test, result) {
            return false;
        }
        // A method or property of a built-in type says nothing about the package, unless the
        // receiver was constructed.
        let receiver = test.statements[last].receiver;
        let made = test.statements[receiver].operation == Operation::New;
        let value = test.assertions.get(receiver).filter(|_| !made);
        let of_language = |it: &Value| {
            ["string", "number", "array", "boolean", "regexp", "date", "map", "set"]
                .iter()
                .any(|kind| it.get(kind).is_some())
        };
        let reads = matches!(test.statements[last].operation, Operation::Method | Operation::Get);
        let shows_bytes = test.focus.is_none() && value.is_some_and(bytes);
        if reads && (shows_bytes || value.is_some_and(of_language)) {
            return false;
        }
        // The content of a collection says more than that an element was added.
        let statement = &test.statements[last];
        let adds = filled::is_adder(&statement.name)
            && statement.operation == Operation::Method
            && test.focus.is_none()
            && !statement.arguments.is_empty();
        if adds && (result.get("boolean").is_some() || shows_nothing(test, result)) {
            return false;
        }
        // What a collection finds before elements are added says little.
        let fills =
            |it: &Statement| it.operation == Operation::Method && filled::is_adder(&it.name);
        let before = &statements[1..last.max(1)];
        let unfilled = statement.operation == Operation::Method
            && statements[0].operation == Operation::New
            && statements[0].arguments.is_empty()
            && statement.receiver == 0
            && (!statement.arguments.is_empty() || !before.is_empty())
            && !before.iter().any(fills)
            && !fills(statement);
        let little = is_nothing(result) || result.get("boolean").is_some();
        if unfilled && little && target.is_some_and(|it| self.has_adder(it)) {
            return false;
        }
        // An empty string from a reader says little.
        if test.focus.is_some() && result["string"] == "" {
            return false;
        }
        // A title that counts the members of an object says too little.
        let members = result.get("object").and_then(Value::as_object).map_or(0, |it| it.len());
        if says == Strength::Part && members > MAX_MEMBERS {
            return false;
        }
        let size = result.to_string().len();
        let large = result.get("object").or(result.get("string")).is_some() && size > LARGEST;
        let instance = result.get("object").is_some_and(Value::is_string)
            && says < Strength::Whole
            && matches!(test.statements[last].operation, Operation::Method | Operation::Get);
        if !documented && (large || instance || is_state(test, result) || is_internal(result)) {
            return false;
        }
        // Members that are missing, and options that a call fills in, say little about the call.
        let missing = test.statements[last].operation == Operation::Get
            && (result.get("null").is_some() || result.get("undefined").is_some());
        let completed = |state: &Value| {
            let members = state.get("object").and_then(Value::as_object);
            members.is_some_and(|it| it.values().any(|part| part.get("undefined").is_some()))
        };
        !missing && !test.after.iter().any(completed)
    }

    /// Whether the documentation, a test or an example contains all numbers with a fraction in a
    /// value, and these are not inexact.
    fn writes_numbers(&self, value: &Value) -> bool {
        let inexact = |text: &str| ["0000000", "9999999"].iter().any(|it| text.contains(it));
        let written = |text: &str| !inexact(text) && self.texts_contain(text);
        let only = |name: &str, text: &str| serde_json::json!({ name: text });
        match value {
            Value::Object(parts) => parts.iter().all(|(name, part)| match part.as_str() {
                Some(text) if name == "number" && text.contains('.') => written(text),
                Some(text) => !is_accidental(&only(name, text), true, self.digits),
                None => self.writes_numbers(part),
            }),
            Value::Array(items) => items.iter().all(|item| self.writes_numbers(item)),
            _ => true,
        }
    }

    /// Whether the class of a method also has a method that adds an element.
    pub(super) fn has_adder(&self, method: &Target) -> bool {
        let mut targets = self.targets().iter();
        targets.any(|it| {
            it.kind == TargetKind::Method
                && it.class == method.class
                && filled::is_adder(&it.member)
        })
    }

    /// Whether a test only shows that an instance can be constructed, or that a new instance is
    /// empty.
    fn is_of_new_instance(&self, test: &SuiteTest, result: &Value) -> bool {
        if let [made] = &test.statements[..] {
            return made.operation == Operation::New
                && made.arguments.is_empty()
                && !is_error(result);
        }
        let [made, calls @ .., read] = &test.statements[..] else { return false };
        let bare = |it: &Statement| it.operation == Operation::Method && it.arguments.is_empty();
        let no_letters = |it: &str| !it.chars().any(char::is_alphanumeric);
        let no_letters_at_all = result["string"].as_str().is_some_and(no_letters);
        let nothing = shows_nothing(test, result) || no_letters_at_all;
        // An empty value does not show the effects of options.
        let options = made.arguments.iter().all(|it| matches!(it, Argument::Object(_)));
        let no_effect = nothing && options && result.get("boolean").is_none();
        made.operation == Operation::New
            && matches!(read.operation, Operation::Method | Operation::Get)
            && read.arguments.is_empty()
            && calls.iter().all(bare)
            && (no_letters_at_all || nothing && !self.documents(&test.statements) || no_effect)
    }
}
