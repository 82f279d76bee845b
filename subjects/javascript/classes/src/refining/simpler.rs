//! Simplifies the statements and arguments of tests.

use catherd_javascript_machine::{Argument, MachineError, Operation, Statement};
use serde_json::Value;

use super::replacing::{instead, replace, replace_all};
use super::slices::renumbered;
use super::weights::is_applied;
use super::{Candidate, Covered, Refiner};
use crate::suite::is_error;

/// Maximum number of changes that are tried for a test.
const MAX_TRIES: usize = 200;

/// Maximum number of passes over all arguments of a test.
const PASSES: usize = 2;

/// Maximum length of a known string that is not shortened, in characters.
const SHORT: usize = 40;

/// Maximum number of values of examples that are tried for an argument.
const MAX_EXAMPLES: usize = 5;

/// Maximum number of usual values that are tried for an argument of a test that a person would not
/// write.
const MAX_USUAL: usize = 16;

/// The condition on the result of a changed test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    /// The same kind of result.
    Alike,
    /// The same result.
    Exactly,
    /// The same result, even if the test becomes more difficult to read.
    Shorter,
}

struct Change {
    argument: Argument,
    how: How,
}

impl Refiner<'_> {
    /// The candidate with as few statements, arguments and parts of arguments as its goals permit.
    pub(super) fn simpler(
        &mut self,
        mut candidate: Candidate,
        own: &Covered,
    ) -> Result<Candidate, MachineError> {
        // Ignore goals that earlier calls reach.
        let statements = &candidate.test.statements;
        let focus = candidate.test.focus.unwrap_or(statements.len() - 1);
        let before = self.before(&statements.clone(), focus)?;
        let own = &mut own.difference(&before).copied().collect();
        let mut tries = MAX_TRIES;
        self.with_documented_makers(&mut candidate, own, &mut tries)?;
        self.without_arguments(&mut candidate, own, &mut tries)?;
        self.without_statements(&mut candidate, own, &mut tries)?;
        self.with_arguments(&mut candidate, own, &mut tries)?;
        for _ in 0..PASSES {
            let before = candidate.test.statements.clone();
            for statement in 0..candidate.test.statements.len() {
                for argument in 0..candidate.test.statements[statement].arguments.len() {
                    self.smaller(&mut candidate, own, (statement, argument), &mut tries)?;
                }
            }
            if candidate.test.statements == before {
                break;
            }
        }
        // Remove statements whose results were arguments before.
        let mut more = candidate.test.statements.len();
        self.without_statements(&mut candidate, own, &mut more)?;
        candidate.test.goals = self.goal_names(own);
        Ok(candidate)
    }

    /// Creates instances with the same calls as the documentation.
    fn with_documented_makers(
        &mut self,
        candidate: &mut Candidate,
        own: &mut Covered,
        tries: &mut usize,
    ) -> Result<(), MachineError> {
        for index in 0..candidate.test.statements.len() - 1 {
            if let Some(maker) = self.documented_maker(&candidate.test.statements, index) {
                let mut other = candidate.test.statements.clone();
                other[index] = maker;
                self.attempt(candidate, own, other, How::Alike, tries)?;
            }
        }
        Ok(())
    }

    fn without_statements(
        &mut self,
        candidate: &mut Candidate,
        own: &mut Covered,
        tries: &mut usize,
    ) -> Result<(), MachineError> {
        let last = candidate.test.statements.len().saturating_sub(1);
        let mut index = candidate.test.focus.unwrap_or(last);
        while index > 0 {
            index -= 1;
            let statements = &candidate.test.statements;
            let uses = |each: &Statement| each.variables().contains(&index);
            if statements[index..].iter().any(uses) {
                // The statement copies another variable, or calls a method of it, so the variable
                // may be used instead.
                let other = match (statements[index].operation, &statements[index].arguments[..]) {
                    (Operation::New, [Argument::Variable(other)]) => Some(*other),
                    (Operation::Method, _) => Some(statements[index].receiver),
                    _ => None,
                };
                if let Some(other) = other {
                    let kept: Vec<usize> =
                        (0..statements.len()).filter(|at| *at != index).collect();
                    let shorter = kept
                        .iter()
                        .map(|at| renumbered(&instead(&statements[*at], index, other), &kept));
                    let shorter = shorter.collect();
                    self.attempt(candidate, own, shorter, How::Alike, tries)?;
                }
                continue;
            }
            let kept: Vec<usize> = (0..statements.len()).filter(|at| *at != index).collect();
            let shorter = kept.iter().map(|at| renumbered(&statements[*at], &kept)).collect();
            self.attempt(candidate, own, shorter, How::Alike, tries)?;
        }
        Ok(())
    }

    fn without_arguments(
        &mut self,
        candidate: &mut Candidate,
        own: &mut Covered,
        tries: &mut usize,
    ) -> Result<(), MachineError> {
        for index in 0..candidate.test.statements.len() {
            while !candidate.test.statements[index].arguments.is_empty() {
                let mut shorter = candidate.test.statements.clone();
                shorter[index].arguments.pop();
                let how = match shorter[index].arguments.is_empty() {
                    true => How::Exactly,
                    false => How::Shorter,
                };
                if !self.attempt(candidate, own, shorter, how, tries)? {
                    break;
                }
            }
        }
        Ok(())
    }

    fn with_arguments(
        &mut self,
        candidate: &mut Candidate,
        own: &mut Covered,
        tries: &mut usize,
    ) -> Result<(), MachineError> {
        let mut index = 0;
        while index < candidate.test.statements.len() {
            let statements = candidate.test.statements.clone();
            let position = statements[index].arguments.len();
            let mut added = false;
            if self.usage.is_missing(&statements, index) {
                let mut values = self.usage.examples(&statements, index, position);
                values.truncate(MAX_EXAMPLES);
                let simple = [Argument::Null, Argument::String("a".to_owned())];
                let simple = simple.into_iter().filter(|_| position == 0);
                for value in values.into_iter().chain(simple) {
                    let mut longer = statements.clone();
                    longer[index].arguments.push(value);
                    added = self.attempt(candidate, own, longer, How::Alike, tries)?;
                    if added {
                        break;
                    }
                }
            }
            index += usize::from(!added);
        }
        Ok(())
    }

    /// Tries simpler values for the parts of an argument. Equal strings of a test are changed
    /// together.
    fn smaller(
        &mut self,
        candidate: &mut Candidate,
        own: &mut Covered,
        (statement, argument): (usize, usize),
        tries: &mut usize,
    ) -> Result<(), MachineError> {
        let mut part = 0;
        loop {
            if statement >= candidate.test.statements.len() {
                return Ok(());
            }
            let receives = argument == 0 && is_applied(&candidate.test, statement);
            let whole = &candidate.test.statements[statement].arguments[argument];
            let mut parts = Vec::new();
            whole.visit(&mut |inner| parts.push(inner.clone()));
            let Some(current) = parts.get(part) else { return Ok(()) };
            let mut changed = false;
            let mut changes = match receives && part == 0 {
                true => vec![Change { argument: Argument::Undefined, how: How::Exactly }],
                false => self.changes(current),
            };
            changes.retain(|change| change.argument != *current);
            if let Argument::String(_) | Argument::Number(_) = current
                && part == 0
                && !receives
            {
                let statements = &candidate.test.statements;
                let examples = self.examples_for(statements, (statement, argument), current);
                changes.splice(0..0, examples);
            }
            if part == 0 && !receives && candidate.faults > 0 {
                let statements = &candidate.test.statements;
                let values = self.usage.usual_values(statements, statement, argument);
                let values = values.into_iter().take(MAX_USUAL).filter(|new| new != current);
                let values = values.map(|argument| Change { argument, how: How::Alike });
                changes.splice(0..0, values.collect::<Vec<_>>());
            } else if candidate.faults > 0 && !self.usage.is_plausible_value(current, 1) {
                changes.extend(plainer(current));
            }
            for Change { argument: new, how } in changes {
                let mut shorter = candidate.test.statements.clone();
                match (current, &new) {
                    // Replace every equal value only if the new value cannot contain it.
                    (
                        Argument::String(_) | Argument::Variable(_),
                        Argument::String(_) | Argument::Number(_),
                    ) => replace_all(&mut shorter, current, &new),
                    _ => replace(&mut shorter[statement].arguments[argument], part, &new),
                }
                if self.attempt(candidate, own, shorter, how, tries)? {
                    changed = true;
                    break;
                }
            }
            if *tries == 0 {
                return Ok(());
            }
            part += usize::from(!changed);
        }
    }

    /// Values of examples that may replace a string that no example contains or an unusual number.
    fn examples_for(
        &self,
        statements: &[Statement],
        (statement, argument): (usize, usize),
        current: &Argument,
    ) -> Vec<Change> {
        let known = match current {
            Argument::String(text) => text.chars().count() > 1 && self.usage.quotes(text),
            _ => !self.usage.is_unusual(current),
        };
        if known {
            return Vec::new();
        }
        let examples = self.usage.examples(statements, statement, argument).into_iter();
        let same = |new: &Argument| std::mem::discriminant(new) == std::mem::discriminant(current);
        let examples = examples.filter(same).take(MAX_EXAMPLES);
        examples.map(|argument| Change { argument, how: How::Alike }).collect()
    }

    /// Simpler values that may replace a part of an argument.
    fn changes(&self, argument: &Argument) -> Vec<Change> {
        let without = |count: usize| (0..count).rev();
        let long = argument.to_json().to_string().len() > 120;
        let how = if long { How::Alike } else { How::Exactly };
        let change = |argument| Change { argument, how };
        match argument {
            Argument::String(text) => {
                let texts = self.shorter_texts(text).into_iter().map(Argument::String);
                texts.map(|argument| Change { argument, how: How::Alike }).collect()
            }
            Argument::Number(number) if self.usage.is_unusual(argument) => {
                let simpler = [number.abs(), number.round(), number.abs().trunc() % 100.0];
                let simpler = simpler.into_iter().chain([1.0, 2.0, 10.0, 100.0, 1000.0]);
                let simpler = simpler.filter(|new| new != number && new.to_string().len() <= 6);
                simpler
                    .map(|new| Change { argument: Argument::Number(new), how: How::Alike })
                    .collect()
            }
            Argument::Array(items) => without(items.len())
                .map(|at| change(Argument::Array(left_out(items, at))))
                .collect(),
            Argument::Set(items) => {
                without(items.len()).map(|at| change(Argument::Set(left_out(items, at)))).collect()
            }
            Argument::Object(members) => {
                let unusual = self.usage.is_unusual(argument) || members.len() > 2;
                let left_out = without(members.len()).map(|at| Change {
                    argument: Argument::Object(left_out(members, at)),
                    how: if long || unusual { How::Alike } else { How::Exactly },
                });
                left_out.chain(self.flags(members)).chain(defined(members)).collect()
            }
            Argument::Map(members) => without(members.len())
                .map(|at| change(Argument::Map(left_out(members, at))))
                .collect(),
            Argument::Function(what, result) => {
                let constant = |result| Argument::Function("constant".to_owned(), Box::new(result));
                let mut simpler = Vec::new();
                if what != "constant" || **result != Argument::Undefined {
                    simpler.push(constant(Argument::Undefined));
                }
                if what != "constant" && what != "first" {
                    let first =
                        Argument::Function("first".to_owned(), Box::new(Argument::Undefined));
                    simpler.extend([first, constant((**result).clone())]);
                }
                if !matches!(**result, Argument::Undefined | Argument::Number(_)) {
                    simpler.push(constant(Argument::Number(1.0)));
                }
                let empty = Change { argument: Argument::Object(Vec::new()), how: How::Alike };
                let others =
                    simpler.into_iter().map(|argument| Change { argument, how: How::Exactly });
                std::iter::once(empty).chain(others).collect()
            }
            Argument::Undefined => {
                let simple = [Argument::String("a".to_owned()), Argument::Number(1.0)];
                simple.into_iter().map(|argument| Change { argument, how: How::Alike }).collect()
            }
            Argument::Variable(_) => {
                let simple = [Argument::String("a".to_owned()), Argument::Number(1.0)];
                simple.into_iter().map(|argument| Change { argument, how: How::Exactly }).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Objects in which one number or function is replaced with `true`.
    fn flags(&self, members: &[(String, Argument)]) -> Vec<Change> {
        let may = |(name, value): &&(String, Argument)| match value {
            Argument::Number(_) => !self.usage.gives(name),
            Argument::Function(..) => true,
            _ => false,
        };
        let flag = |at: usize| {
            let mut members = members.to_vec();
            members[at].1 = Argument::Boolean(true);
            Change { argument: Argument::Object(members), how: How::Exactly }
        };
        (0..members.len()).filter(|at| may(&&members[*at])).map(flag).collect()
    }

    /// Simpler strings; none for a string that is easy to read.
    fn shorter_texts(&self, text: &str) -> Vec<String> {
        let letters: Vec<char> = text.chars().collect();
        // A string between quotes is an example; a string in prose is not.
        let known = letters.len() > 1 && self.usage.quotes(text);
        if letters.is_empty()
            || letters.len() <= SHORT && known
            || letters.len() <= 2 && letters.iter().all(char::is_ascii_lowercase)
        {
            return Vec::new();
        }
        let text_of = |letters: &[char]| letters.iter().collect::<String>();
        let mut shorter = Vec::new();
        if !known {
            shorter.extend(["foo", "abc", "a", "ab"].map(str::to_owned));
            if letters.len() > 8 {
                shorter.push("a".repeat(letters.len()));
            }
        }
        let mut size = letters.len() / 2;
        while size > 0 && shorter.len() < 30 {
            let mut at = 0;
            while at < letters.len() && shorter.len() < 30 {
                let end = (at + size).min(letters.len());
                shorter.push(text_of(&[&letters[..at], &letters[end..]].concat()));
                at = end;
            }
            size /= 2;
        }
        shorter.retain(|new| new != text && !new.is_empty());
        shorter
    }

    /// Returns whether the statements of the candidate were replaced.
    fn attempt(
        &mut self,
        candidate: &mut Candidate,
        own: &mut Covered,
        statements: Vec<Statement>,
        how: How,
        tries: &mut usize,
    ) -> Result<bool, MachineError> {
        if *tries == 0 {
            return Ok(false);
        }
        *tries -= 1;
        let focus = candidate.test.focus.map(|_| statements.len().saturating_sub(2));
        let Some(other) = self.observed(&statements, focus)? else { return Ok(false) };
        let (old, new) = (candidate.test.assertions.last(), other.test.assertions.last());
        let same = match how {
            How::Alike => old.map(kind) == new.map(kind),
            _ => old == new && shows_same_states(&candidate.test.after, &other.test.after),
        };
        // An argument without a visible effect is not kept for a branch without statements; in a
        // test that shows an error, such an argument is not kept for any goal.
        let reaches = own.is_subset(&other.covered)
            || old.is_some_and(is_error) && old == new
            || old == new
                && candidate.test.after == other.test.after
                && candidate.statements.is_subset(&other.statements);
        let better = other.faults < candidate.faults;
        let lighter = better || other.weight <= candidate.weight || how == How::Shorter;
        let written = other.faults <= candidate.faults;
        let shows = lighter && same && reaches && written;
        if shows {
            own.retain(|goal| other.covered.contains(goal));
            let origin = candidate.origin;
            *candidate = Candidate { origin, ..other };
        }
        Ok(shows)
    }
}

/// Whether two tests show the same states. If their numbers of statements differ, only the last
/// states are compared.
pub(super) fn shows_same_states(one: &[Value], other: &[Value]) -> bool {
    if one.len() == other.len() { one == other } else { one.last() == other.last() }
}

/// The kind of a result, with some properties of its value.
fn kind(value: &Value) -> String {
    let Some((name, content)) = value.as_object().and_then(|members| members.iter().next()) else {
        return value.to_string();
    };
    let count = content.as_array().map(Vec::len).or(content.as_str().map(str::len));
    match (name.as_str(), count) {
        ("boolean" | "null" | "undefined" | "throws" | "rejects" | "type", _) => value.to_string(),
        ("number", _) => {
            let number: f64 = content.as_str().and_then(|text| text.parse().ok()).unwrap_or(0.0);
            let whole = number.fract() == 0.0;
            let sign = number.partial_cmp(&0.0).map_or(0, |order| order as i8);
            format!("{name} {sign} {whole} {}", number.is_finite())
        }
        ("object", _) => {
            format!("{name} {}", content.as_object().is_some_and(|all| all.is_empty()))
        }
        (_, count) => format!("{name} {}", count == Some(0)),
    }
}

/// Values that a person might choose instead of a part of an argument.
fn plainer(argument: &Argument) -> Vec<Change> {
    let values = match argument {
        Argument::String(_) => ["foo", "a", "b"].map(|it| Argument::String(it.to_owned())).to_vec(),
        Argument::Number(_) => vec![Argument::Number(2.0), Argument::Number(1.0)],
        Argument::Array(_) | Argument::Object(_) => {
            vec![Argument::Number(1.0), Argument::String("a".to_owned())]
        }
        Argument::Undefined | Argument::Null => vec![Argument::Number(1.0)],
        _ => Vec::new(),
    };
    values.into_iter().map(|argument| Change { argument, how: How::Alike }).collect()
}

/// Objects in which one member has a value instead of `undefined`.
fn defined(members: &[(String, Argument)]) -> impl Iterator<Item = Change> {
    let values = [Argument::String("a".to_owned()), Argument::Number(1.0)];
    (0..members.len())
        .filter(|at| members[*at].1 == Argument::Undefined)
        .flat_map(move |at| values.clone().map(|value| (at, value)))
        .map(|(at, value)| {
            let mut members = members.to_vec();
            members[at].1 = value;
            Change { argument: Argument::Object(members), how: How::Alike }
        })
}

fn left_out<T: Clone>(items: &[T], at: usize) -> Vec<T> {
    let kept = items.iter().enumerate().filter(|(index, _)| *index != at);
    kept.map(|(_, item)| item.clone()).collect()
}
