//! Simpler arguments: what a call does not read is left out, and literals that are hard to read are shortened.

use catherd_javascript_machine::{Argument, MachineError, Program, Statement};
use serde_json::Value;

use super::slices::renumbered;
use super::{Candidate, Covered, Refiner};

/// Maximum number of changes that are tried for a test.
const MAX_TRIES: usize = 60;

/// Length up to which a text that the package contains is not shortened, in characters.
const SHORT: usize = 40;

/// Maximum length of the texts in which literals are looked up, in bytes.
const MAX_TEXTS: usize = 4 << 20;

/// The documentation, tests and sources of a package without its dependencies, in one text.
pub(super) fn texts(program: &Program) -> String {
    let package = &program.package;
    let mut texts = String::new();
    for path in package.files.keys().filter(|path| !path.contains("node_modules/")) {
        let is_text = [".js", ".mjs", ".cjs", ".ts", ".md"].iter().any(|end| path.ends_with(end));
        if is_text && texts.len() < MAX_TEXTS {
            texts.push_str(&package.text(path).unwrap_or_default());
            texts.push('\n');
        }
    }
    texts
}

/// A change of one argument, and whether the call must show exactly the same after it.
struct Change {
    argument: Argument,
    exactly: bool,
}

impl Refiner<'_> {
    /// The candidate with as few statements, arguments and parts of arguments as its goals permit.
    pub(super) fn simpler(
        &mut self,
        mut candidate: Candidate,
        own: &Covered,
    ) -> Result<Candidate, MachineError> {
        let mut tries = MAX_TRIES;
        self.without_statements(&mut candidate, own, &mut tries)?;
        self.without_arguments(&mut candidate, own, &mut tries)?;
        for statement in 0..candidate.test.statements.len() {
            for argument in 0..candidate.test.statements[statement].arguments.len() {
                self.smaller(&mut candidate, own, (statement, argument), &mut tries)?;
            }
        }
        candidate.test.goals = self.goal_names(own);
        Ok(candidate)
    }

    /// Leaves out statements before the last one.
    fn without_statements(
        &mut self,
        candidate: &mut Candidate,
        own: &Covered,
        tries: &mut usize,
    ) -> Result<(), MachineError> {
        let mut index = candidate.test.statements.len().saturating_sub(1);
        while index > 0 {
            index -= 1;
            let statements = &candidate.test.statements;
            let is_used = statements[index..].iter().any(|each| each.variables().contains(&index));
            if is_used {
                continue;
            }
            let kept: Vec<usize> = (0..statements.len()).filter(|at| *at != index).collect();
            let shorter = kept.iter().map(|at| renumbered(&statements[*at], &kept)).collect();
            self.attempt(candidate, own, shorter, false, tries)?;
        }
        Ok(())
    }

    /// Leaves out the last arguments of calls that show the same without them.
    fn without_arguments(
        &mut self,
        candidate: &mut Candidate,
        own: &Covered,
        tries: &mut usize,
    ) -> Result<(), MachineError> {
        for index in 0..candidate.test.statements.len() {
            while !candidate.test.statements[index].arguments.is_empty() {
                let mut shorter = candidate.test.statements.clone();
                shorter[index].arguments.pop();
                if !self.attempt(candidate, own, shorter, true, tries)? {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Makes the parts of an argument smaller, outer parts first.
    fn smaller(
        &mut self,
        candidate: &mut Candidate,
        own: &Covered,
        (statement, argument): (usize, usize),
        tries: &mut usize,
    ) -> Result<(), MachineError> {
        let mut part = 0;
        loop {
            let whole = &candidate.test.statements[statement].arguments[argument];
            let mut parts = Vec::new();
            whole.visit(&mut |inner| parts.push(inner.clone()));
            let Some(current) = parts.get(part) else { return Ok(()) };
            let mut changed = false;
            for Change { argument: new, exactly } in self.changes(current) {
                let mut shorter = candidate.test.statements.clone();
                replace(&mut shorter[statement].arguments[argument], part, &new);
                if self.attempt(candidate, own, shorter, exactly, tries)? {
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

    /// Simpler values that may replace a part of an argument.
    fn changes(&self, argument: &Argument) -> Vec<Change> {
        let without = |count: usize| (0..count).rev();
        let long = argument.to_json().to_string().len() > 120;
        let change = |argument| Change { argument, exactly: !long };
        match argument {
            Argument::String(text) => {
                let texts = self.shorter_texts(text).into_iter().map(Argument::String);
                texts.map(|argument| Change { argument, exactly: false }).collect()
            }
            Argument::Number(number) => {
                let rounded = [number.round(), number.trunc() % 100.0, 1.0];
                let is_long = number.is_finite() && number.to_string().len() > 6;
                let simpler = rounded.into_iter().filter(|new| is_long && new != number);
                let simpler = simpler.filter(|new| new.to_string().len() <= 6);
                simpler
                    .map(|new| Change { argument: Argument::Number(new), exactly: false })
                    .collect()
            }
            Argument::Array(items) => without(items.len())
                .map(|at| change(Argument::Array(left_out(items, at))))
                .collect(),
            Argument::Set(items) => {
                without(items.len()).map(|at| change(Argument::Set(left_out(items, at)))).collect()
            }
            Argument::Object(members) => without(members.len())
                .map(|at| change(Argument::Object(left_out(members, at))))
                .collect(),
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
                simpler.into_iter().map(|argument| Change { argument, exactly: true }).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Shorter texts; none for a text that is easy to read.
    fn shorter_texts(&self, text: &str) -> Vec<String> {
        let letters: Vec<char> = text.chars().collect();
        let known = letters.len() > 2 && self.texts.contains(text);
        let plain = letters.iter().all(|letter| (' '..='~').contains(letter));
        if letters.is_empty() || letters.len() <= SHORT && known || letters.len() <= 2 && plain {
            return Vec::new();
        }
        let text_of = |letters: &[char]| letters.iter().collect::<String>();
        let mut shorter = Vec::new();
        if !known && plain && letters.len() <= 12 {
            shorter.extend(["a".to_owned(), "ab".to_owned()]);
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

    /// Takes other statements for a candidate if it still covers its own goals and shows the same, or at least the
    /// same kind of result. Returns whether it does.
    fn attempt(
        &mut self,
        candidate: &mut Candidate,
        own: &Covered,
        statements: Vec<Statement>,
        exactly: bool,
        tries: &mut usize,
    ) -> Result<bool, MachineError> {
        if *tries == 0 {
            return Ok(false);
        }
        *tries -= 1;
        let Some(other) = self.observed(&statements)? else { return Ok(false) };
        let (old, new) = (candidate.test.assertions.last(), other.test.assertions.last());
        let same = match exactly {
            true => old == new && candidate.test.after.last() == other.test.after.last(),
            false => old.map(kind) == new.map(kind),
        };
        let shows = other.weight <= candidate.weight && same && own.is_subset(&other.covered);
        if shows {
            let origin = candidate.origin;
            *candidate = Candidate { origin, ..other };
        }
        Ok(shows)
    }
}

/// The kind of a result: of small values the value itself, of texts and collections whether they are empty.
fn kind(value: &Value) -> String {
    let Some((name, content)) = value.as_object().and_then(|members| members.iter().next()) else {
        return value.to_string();
    };
    let count = content.as_array().map(Vec::len).or(content.as_str().map(str::len));
    match (name.as_str(), count) {
        ("boolean" | "null" | "undefined" | "throws" | "rejects" | "type", _) => value.to_string(),
        ("number", _) => {
            let small = content.as_str().filter(|text| text.trim_start_matches('-').len() <= 1);
            format!("{name} {}", small.unwrap_or(""))
        }
        ("object", _) => {
            format!("{name} {}", content.as_object().is_some_and(|all| all.is_empty()))
        }
        (_, count) => format!("{name} {}", count == Some(0)),
    }
}

fn left_out<T: Clone>(items: &[T], at: usize) -> Vec<T> {
    let kept = items.iter().enumerate().filter(|(index, _)| *index != at);
    kept.map(|(_, item)| item.clone()).collect()
}

/// Replaces the part with a number, counted from outside to inside.
fn replace(whole: &mut Argument, part: usize, new: &Argument) {
    let mut number = 0;
    whole.visit_mut(&mut |inner| {
        if number == part {
            *inner = new.clone();
        }
        number += 1;
    });
}
