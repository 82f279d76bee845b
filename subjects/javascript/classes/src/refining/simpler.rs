//! Simpler arguments: what a call does not read is left out, and literals that are hard to read are shortened.

use catherd_javascript_machine::{Argument, MachineError, Operation, Program, Statement};
use serde_json::Value;

use super::slices::renumbered;
use super::{Candidate, Covered, Refiner};

/// Maximum number of changes that are tried for a test.
const MAX_TRIES: usize = 120;

/// Length up to which a text that the package contains is not shortened, in characters.
const SHORT: usize = 40;

/// Maximum length of the texts in which literals are looked up, in bytes.
const MAX_TEXTS: usize = 4 << 20;

/// The documentation, tests and examples of a package without its dependencies, in one text.
pub(super) fn texts(program: &Program) -> String {
    let package = &program.package;
    let mut texts = String::new();
    let of_program = |path: &str| program.units.files.iter().any(|file| file.path == path);
    let others = package.files.keys().filter(|path| !path.contains("node_modules/"));
    for path in others.filter(|path| !of_program(path)) {
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
        // What only earlier calls reach is no reason to keep them.
        let statements = &candidate.test.statements;
        let focus = candidate.test.focus.unwrap_or(statements.len() - 1);
        let before = self.before(&statements.clone(), focus)?;
        let own = &own.difference(&before).copied().collect();
        let mut tries = MAX_TRIES;
        self.without_arguments(&mut candidate, own, &mut tries)?;
        self.without_statements(&mut candidate, own, &mut tries)?;
        for statement in 0..candidate.test.statements.len() {
            for argument in 0..candidate.test.statements[statement].arguments.len() {
                self.smaller(&mut candidate, own, (statement, argument), &mut tries)?;
            }
        }
        // Statements whose results were arguments before.
        let mut more = candidate.test.statements.len();
        self.without_statements(&mut candidate, own, &mut more)?;
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
        let last = candidate.test.statements.len().saturating_sub(1);
        let mut index = candidate.test.focus.unwrap_or(last);
        while index > 0 {
            index -= 1;
            let statements = &candidate.test.statements;
            let uses = |each: &Statement| each.variables().contains(&index);
            if statements[index..].iter().any(uses) {
                // A copy of another variable, which may be used instead.
                if let (Operation::New, [Argument::Variable(other)]) =
                    (statements[index].operation, &statements[index].arguments[..])
                {
                    let kept: Vec<usize> =
                        (0..statements.len()).filter(|at| *at != index).collect();
                    let other = *other;
                    let shorter = kept
                        .iter()
                        .map(|at| renumbered(&instead(&statements[*at], index, other), &kept));
                    let shorter = shorter.collect();
                    self.attempt(candidate, own, shorter, true, tries)?;
                }
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

    /// Makes the parts of an argument smaller, outer parts first. Equal texts of a test are changed together.
    fn smaller(
        &mut self,
        candidate: &mut Candidate,
        own: &Covered,
        (statement, argument): (usize, usize),
        tries: &mut usize,
    ) -> Result<(), MachineError> {
        let mut part = 0;
        loop {
            if statement >= candidate.test.statements.len() {
                return Ok(());
            }
            let whole = &candidate.test.statements[statement].arguments[argument];
            let mut parts = Vec::new();
            whole.visit(&mut |inner| parts.push(inner.clone()));
            let Some(current) = parts.get(part) else { return Ok(()) };
            let mut changed = false;
            for Change { argument: new, exactly } in self.changes(current) {
                let mut shorter = candidate.test.statements.clone();
                match &current {
                    Argument::String(_) | Argument::Variable(_) => {
                        replace_all(&mut shorter, current, &new)
                    }
                    _ => replace(&mut shorter[statement].arguments[argument], part, &new),
                }
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
                if !matches!(**result, Argument::Undefined | Argument::Number(_)) {
                    simpler.push(constant(Argument::Number(1.0)));
                }
                let empty = Change { argument: Argument::Object(Vec::new()), exactly: false };
                let others = simpler.into_iter().map(|argument| Change { argument, exactly: true });
                std::iter::once(empty).chain(others).collect()
            }
            Argument::Variable(_) => {
                let simple = [Argument::String("a".to_owned()), Argument::Number(1.0)];
                simple.into_iter().map(|argument| Change { argument, exactly: true }).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Shorter texts; none for a text that is easy to read.
    fn shorter_texts(&self, text: &str) -> Vec<String> {
        let letters: Vec<char> = text.chars().collect();
        // A text between quotes is an example; one in prose is not.
        let quoted = |quote: char| self.texts.contains(&format!("{quote}{text}{quote}"));
        let known = letters.len() > 1 && ['\'', '"'].into_iter().any(quoted);
        if letters.is_empty()
            || letters.len() <= SHORT && known
            || letters.len() <= 2 && letters.iter().all(char::is_ascii_alphanumeric)
        {
            return Vec::new();
        }
        let text_of = |letters: &[char]| letters.iter().collect::<String>();
        let mut shorter = Vec::new();
        if !known {
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
        let focus = candidate.test.focus.map(|_| statements.len().saturating_sub(2));
        let Some(other) = self.observed(&statements, focus)? else { return Ok(false) };
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
            let number: f64 = content.as_str().and_then(|text| text.parse().ok()).unwrap_or(0.0);
            let whole = number.fract() == 0.0;
            format!("{name} {} {whole} {}", number.total_cmp(&0.0) as i8, number.is_finite())
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

/// A statement with one variable instead of another.
fn instead(statement: &Statement, old: usize, new: usize) -> Statement {
    let mut statement = statement.clone();
    if statement.receiver == old {
        statement.receiver = new;
    }
    for argument in &mut statement.arguments {
        argument.visit_mut(&mut |inner| {
            if *inner == Argument::Variable(old) {
                *inner = Argument::Variable(new);
            }
        });
    }
    statement
}

/// Replaces all arguments and parts of arguments that equal one, or all variables among them.
fn replace_all(statements: &mut [Statement], old: &Argument, new: &Argument) {
    for argument in statements.iter_mut().flat_map(|statement| &mut statement.arguments) {
        argument.visit_mut(&mut |inner| {
            let variables =
                matches!((&*inner, old), (Argument::Variable(_), Argument::Variable(_)));
            if inner == old || variables {
                *inner = new.clone();
            }
        });
    }
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
