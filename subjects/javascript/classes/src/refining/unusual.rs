//! How much the calls of a test differ from calls in the documentation, the tests and the examples.

use std::collections::BTreeSet;

use catherd_javascript_machine::{Argument, Operation, Statement};
use serde_json::Value;

use super::arguments::inlined;
use super::conventions;
use super::kinds::{differs, kind, kind_of};
use super::usage::{OBJECT, Usage, WITHOUT, WRONG};
use super::weights::is_applied;
use crate::model::{RECEIVER, Target, TargetKind};
use crate::suite::{SuiteTest, is_error};

/// Weight of a further missing argument.
const FURTHER: f64 = 0.5;

/// Weight of a value that a person would not choose.
const UNUSUAL: f64 = 0.4;

impl Usage {
    /// How much the calls of a test differ from usual calls. The last call of a test that ends with
    /// an exception may have wrong arguments.
    pub(super) fn unusual(&self, test: &SuiteTest) -> f64 {
        let error = test.assertions.last().is_some_and(is_error);
        let last = test.statements.len().saturating_sub(1);
        let mut sum = 0.0;
        let statements = inlined(&test.statements);
        let calls = statements.iter().enumerate();
        for (at, statement) in calls.filter(|(_, it)| it.operation != Operation::Value) {
            let unchecked = at != last || !error;
            if statement.operation == Operation::Set {
                let nothing = statement.arguments.iter().all(|it| *it == Argument::Undefined);
                sum += f64::from(u8::from(nothing)) * WRONG;
            }
            if let Some(target) = self.target(&test.statements, at)
                && unchecked
            {
                sum += self.unusual_call(target, statement);
            }
            // Ignore the receiver of functions that calls return, because most of them do not read
            // `this`.
            let receiver = usize::from(is_applied(test, at));
            for argument in statement.arguments.iter().skip(receiver) {
                argument.visit(&mut |part| sum += self.unusual_value(part));
                if unchecked && *argument == Argument::Undefined {
                    sum += WRONG;
                }
            }
        }
        let states = test.after.iter().chain(test.assertions.last());
        let nonsense = states.into_iter().any(|value| self.is_nonsense(value));
        sum + f64::from(u8::from(nonsense)) * 2.0 * WRONG
    }

    /// Whether a value is or contains a typical result of wrong arguments, such as NaN or
    /// `[object Object]`.
    fn is_nonsense(&self, value: &Value) -> bool {
        match value {
            Value::Object(members) => {
                let is = |key: &str, wrong: fn(&str) -> bool| {
                    members.get(key).and_then(Value::as_str).is_some_and(wrong)
                };
                ["number", "date"].iter().any(|key| is(key, |it| it == "NaN")) && !self.writes[0]
                    || is("string", |text| text.contains(OBJECT)) && !self.writes[1]
                    || is("string", |text| text.contains("undefined")) && !self.writes[2]
                    || is("string", |text| text.contains("NaN")) && !self.writes[0]
                    || members.get("array").and_then(Value::as_array).is_some_and(|items| {
                        items.iter().any(|it| it.get("undefined").is_some()) && !self.writes[3]
                    })
                    || ["object", "members"].iter().any(|key| {
                        let has =
                            |name: &str| members.get(*key).is_some_and(|it| it.get(name).is_some());
                        has("") && !self.texts.contains("'':")
                            || has("undefined") && !self.texts.contains("undefined:")
                            || has("NaN")
                            || has(OBJECT)
                    })
                    || members.values().any(|it| self.is_nonsense(it))
            }
            Value::Array(items) => items.iter().any(|it| self.is_nonsense(it)),
            _ => false,
        }
    }

    fn unusual_call(&self, target: &Target, statement: &Statement) -> f64 {
        let calls = self.calls(target);
        let given = statement.arguments.len();
        let missing = self.missing(target, given);
        // The first argument is hardly ever optional.
        let missing = match given {
            0 => missing as f64 * FURTHER + f64::from(u8::from(missing > 0)) * (WRONG - FURTHER),
            _ => missing as f64 * FURTHER,
        };
        let lower = target.path.last().is_some_and(|name| name.starts_with(char::is_lowercase));
        let made = statement.operation == Operation::New && lower;
        let mut sum = missing + f64::from(u8::from(made)) * WRONG;
        for (position, argument) in statement.arguments.iter().enumerate() {
            let shape = self.shape_of(target, position);
            let wrong = match shape {
                Some(shape) => {
                    !self.fits(shape, argument, 0)
                        && !self.is_documented(Some(target), position, argument)
                }
                None => {
                    let kinds: BTreeSet<&str> =
                        calls.iter().filter_map(|call| kind_of(call.get(position)?)).collect();
                    let kind = kind(argument);
                    let named = target.parameters.get(position);
                    let named = named
                        .and_then(|it| conventions::kind_by_name(&it.name))
                        .filter(|_| kinds.is_empty());
                    named.zip(kind).is_some_and(|(named, kind)| named != kind)
                        || !kinds.is_empty() && kind.is_some_and(|kind| !kinds.contains(kind))
                        || differs(argument, &calls, position)
                }
            };
            let nothing = matches!(argument, Argument::Null | Argument::Undefined);
            if nothing && position == 0 && shape.is_none() {
                // A first argument is hardly ever null or undefined.
                sum += UNUSUAL;
            }
            sum += f64::from(u8::from(wrong)) * if nothing { UNUSUAL } else { WRONG };
        }
        sum
    }

    /// Whether a call lacks an argument that its target requires (see [`missing`](Self::missing)).
    pub(super) fn is_missing(&self, statements: &[Statement], at: usize) -> bool {
        let Some(target) = self.target(statements, at) else { return false };
        self.missing(target, statements[at].arguments.len()) > 0
    }

    /// Number of required arguments that a call with `given` arguments lacks.
    pub(super) fn missing(&self, target: &Target, given: usize) -> usize {
        let needed = target.parameters.iter().take_while(|it| {
            it.default.is_none() && !it.name.starts_with("...") && it.name != RECEIVER
        });
        if target.kind == TargetKind::Method && WITHOUT.contains(&target.member.as_str()) {
            return 0;
        }
        let fewest = self.calls(target).iter().map(|call| call.len()).min().unwrap_or(1);
        needed.count().min(fewest).saturating_sub(given)
    }

    /// Whether a person would be unlikely to choose this value.
    pub(super) fn is_unusual(&self, value: &Argument) -> bool {
        self.unusual_value(value) > 0.0
    }

    fn unusual_value(&self, value: &Argument) -> f64 {
        let unusual = match value {
            Argument::String(text) => {
                let control = |c: char| c.is_control() && !"\n\t".contains(c);
                let odd = text.chars().any(|c| control(c) || c == '\u{feff}');
                let mark = |c: &char| !c.is_alphanumeric() && !c.is_whitespace();
                let marks = text.chars().filter(mark).count();
                (odd || marks > 1 || text.chars().count() > 60) && !self.quotes(text)
            }
            Argument::Number(number) => {
                let plain = (-10.0..=100.0).contains(number) && number.fract() == 0.0;
                let zero = *number == 0.0 && number.is_sign_negative();
                (!plain || zero) && !self.writes(*number)
            }
            Argument::Object(members) => members.iter().any(|(name, value)| {
                let letters = |c: char| c.is_ascii_alphanumeric() || "_$-".contains(c);
                *value == Argument::Undefined
                    || (name.is_empty() || !name.chars().all(letters)) && !self.quotes(name)
            }),
            Argument::Array(items) => {
                let kinds: BTreeSet<Option<&str>> = items.iter().map(kind).collect();
                kinds.len() > 1 || kinds.contains(&Some("function"))
            }
            Argument::Symbol(_) | Argument::BigInt(_) | Argument::Promise(_, true) => true,
            _ => false,
        };
        f64::from(u8::from(unusual)) * UNUSUAL
    }
}
