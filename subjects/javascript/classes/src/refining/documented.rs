//! Candidates from the package itself: documented calls, and calls by convention.

use std::collections::BTreeMap;

use catherd_javascript_machine::instrument::{Literal, Parameter};
use catherd_javascript_machine::{Argument, MachineError, Operation, Statement};

use super::plausible::is_optional;
use super::weights::called;
use super::{Candidate, Refiner, conventions, kinds};
use crate::model::{Target, TargetKind};

/// Maximum number of calls of a target that are tried.
const MAX_CALLS: usize = 16;

/// Maximum number of documented and conventional calls that are tried; with variations, twice as
/// many.
const MAX_ALL: usize = 240;

/// Maximum number of calls of a target with another value for one argument.
const MAX_VARIED: usize = 24;

/// Maximum number of functions that are called with words.
const MAX_OF_WORDS: usize = 12;

/// Maximum length of the arguments of a call as JSON, in bytes.
const LONGEST: usize = 800;

/// Calls that return instances, by the name of the class.
pub(super) type Factories = BTreeMap<String, Statement>;

impl Refiner<'_> {
    /// Candidates from documented calls, and from calls by convention.
    pub(super) fn documented(&mut self) -> Result<Vec<Candidate>, MachineError> {
        let mut tests = Vec::new();
        for target in self.usage.targets() {
            for call in self.usage.calls(target).into_iter().take(MAX_CALLS) {
                let Some(arguments) = literals(call) else { continue };
                tests.extend(self.documented_call(target, arguments));
            }
            if target.kind == TargetKind::Method && target.parameters.is_empty() {
                tests.extend(self.documented_call(target, Vec::new()));
            }
            if let Some(arguments) = self.usage.conventional(target) {
                tests.extend(self.documented_call(target, arguments));
            }
        }
        tests.truncate(MAX_ALL);
        for target in self.usage.targets() {
            let varied = self.varied(target).into_iter().take(MAX_VARIED);
            tests.extend(varied.filter_map(|it| self.documented_call(target, it)));
        }
        tests.truncate(2 * MAX_ALL);
        let of_words = self.usage.targets().iter().filter(|target| self.takes_a_word(target));
        for target in of_words.take(MAX_OF_WORDS) {
            let words = conventions::words_of_texts().map(|word| vec![word]);
            tests.extend(words.filter_map(|it| self.documented_call(target, it)));
        }
        tests.extend(self.in_sessions());
        let mut candidates = Vec::new();
        tests.extend(self.filled());
        for (number, statements) in tests.iter().enumerate() {
            if let Some(found) = self.shown(statements)? {
                candidates.push(Candidate { origin: (0, number), ..found });
            }
        }
        Ok(candidates)
    }

    /// Documented or conventional arguments of a call, with another value for one of them.
    fn varied(&self, target: &Target) -> Vec<Vec<Argument>> {
        let calls = self.usage.calls(target).into_iter();
        let mut known: Vec<Vec<Argument>> = calls.filter_map(|call| literals(call)).collect();
        known.sort_by_key(Vec::len);
        let first = known.into_iter().next().or_else(|| self.usage.conventional(target));
        let Some(first) = first else { return Vec::new() };
        let mut varied = Vec::new();
        for position in 0..(first.len() + 1).min(target.parameters.len()) {
            let current = first.get(position).and_then(kinds::kind);
            for value in self.usage.values_for(target, position, current) {
                let mut arguments = first.clone();
                arguments.truncate(position);
                arguments.push(value);
                arguments.extend(first.iter().skip(position + 1).cloned());
                varied.push(arguments);
            }
        }
        varied.retain(|it| *it != first);
        varied
    }

    /// Whether a function or method needs at most one argument, for which examples pass a word.
    fn takes_a_word(&self, target: &Target) -> bool {
        let calls = self.usage.calls(target);
        let mut texts = calls.iter().filter_map(|call| match call.first() {
            Some(Literal::Text(text)) => Some(text),
            _ => None,
        });
        let word = |text: &String| text.len() > 2 && text.chars().all(|c| c.is_ascii_alphabetic());
        let needed = target.parameters.iter().filter(|it| it.default.is_none()).count();
        matches!(target.kind, TargetKind::Function | TargetKind::Method)
            && needed <= 1
            && texts.any(word)
    }

    /// The documented call that returns an instance of the class of a constructor.
    fn factory(&self, maker: &Target) -> Option<&Statement> {
        let names = self.usage.class_of(maker)?;
        names.into_iter().find_map(|name| self.factories.get(name))
    }

    /// The documented call that makes an instance in place of a statement.
    pub(super) fn documented_maker(
        &self,
        statements: &[Statement],
        at: usize,
    ) -> Option<Statement> {
        let statement = statements.get(at).filter(|it| it.operation == Operation::New)?;
        let maker = self.usage.target(statements, at)?;
        let calls = self.usage.calls(maker);
        let may = calls.iter().any(|call| call.is_empty()) || !needs_argument(maker);
        if statement.arguments.is_empty() && may {
            return None;
        }
        let mut known: Vec<Vec<Argument>> =
            calls.into_iter().filter_map(|call| literals(call)).collect();
        if known.contains(&statement.arguments) {
            return None;
        }
        known.sort_by_key(Vec::len);
        let made = known.into_iter().next();
        let made = made.map(|made| self::statement(Operation::New, &maker.path, "", made));
        made.or_else(|| self.factory(maker).cloned())
    }

    /// The first documented calls that return instances, by the name of the class.
    pub(super) fn factories(&mut self) -> Result<Factories, MachineError> {
        let mut tried = Vec::new();
        for target in self.usage.targets().iter().filter(|it| it.kind == TargetKind::Function) {
            let calls = self.usage.calls(target).into_iter();
            let known = calls.filter_map(|call| literals(call));
            let call = |arguments| statement(Operation::Call, &target.path, "", arguments);
            tried.extend(known.take(2).map(call));
        }
        let mut factories = Factories::new();
        for call in tried {
            let Some(found) = self.executed(std::slice::from_ref(&call), None)? else { continue };
            let made = found.test.assertions.last().and_then(|it| it.get("object")?.as_str());
            if let Some(class) = made {
                factories.entry(class.to_owned()).or_insert(call);
            }
        }
        Ok(factories)
    }

    fn documented_call(&self, target: &Target, arguments: Vec<Argument>) -> Option<Vec<Statement>> {
        match target.kind {
            TargetKind::Function => {
                Some(vec![statement(Operation::Call, &target.path, "", arguments)])
            }
            TargetKind::Constructor => {
                Some(vec![statement(Operation::New, &target.path, "", arguments)])
            }
            TargetKind::Method => {
                let maker = self.usage.constructor(target)?;
                let calls = self.usage.calls(maker);
                let mut known: Vec<Vec<Argument>> =
                    calls.into_iter().filter_map(|call| literals(call)).collect();
                known.sort_by_key(Vec::len);
                let made = known.into_iter().next();
                let factory = self.factory(maker);
                let method = statement(Operation::Method, &[], &target.member, arguments);
                if let (None, Some(factory)) = (&made, factory) {
                    return Some(vec![factory.clone(), method]);
                }
                let made = made.or_else(|| (!needs_argument(maker)).then(Vec::new));
                let made = made.or_else(|| self.usage.conventional(maker));
                let made = made.or_else(|| self.made.get(&maker.path).cloned())?;
                Some(vec![statement(Operation::New, &maker.path, "", made), method])
            }
            _ => None,
        }
    }
}

/// Whether calls of a target need a first argument.
fn needs_argument(target: &Target) -> bool {
    let needed = |it: &Parameter| it.default.is_none() && !is_optional(&it.name);
    target.parameters.first().is_some_and(needed)
}

/// Maximum number of documented calls of a function or method that are shown even if they reach
/// nothing new.
const MAX_SHOWN: usize = 4;

/// Further tests of functions and methods from the candidates that were not chosen.
pub(super) fn further(tests: &[Candidate], candidates: Vec<Candidate>) -> Vec<Candidate> {
    let called = |it: &Candidate| called(&it.test);
    let shown = |it: &Candidate| it.test.assertions.last().map(ToString::to_string);
    let mut known: BTreeMap<String, Vec<Option<String>>> = BTreeMap::new();
    for test in tests {
        known.entry(called(test)).or_default().push(shown(test));
    }
    let mut candidates: Vec<Candidate> = candidates
        .into_iter()
        .filter(|it| it.faults == 0 && !it.test.statements.is_empty())
        .collect();
    candidates.sort_by(|a, b| a.weight.total_cmp(&b.weight));
    candidates.retain(|it| {
        let known = known.entry(called(it)).or_default();
        let most = if it.documented { MAX_SHOWN } else { 1 };
        let may = known.len() < most;
        let result = shown(it);
        let is_new = may && !known.contains(&result);
        if is_new {
            known.push(result);
        }
        is_new
    });
    candidates
}

pub(super) fn statement(
    operation: Operation,
    path: &[String],
    name: &str,
    arguments: Vec<Argument>,
) -> Statement {
    let (path, name) = (path.to_vec(), name.to_owned());
    Statement { operation, path, receiver: 0, name, arguments, awaits: true }
}

/// The argument with the value of a literal. Members of objects are left out if their values are
/// not literals.
fn known_part(literal: &Literal) -> Option<Argument> {
    match literal {
        Literal::Array(items) => {
            items.iter().map(known_part).collect::<Option<_>>().map(Argument::Array)
        }
        Literal::Object(members) => {
            let known = members.iter().filter(|(_, it)| *it != Literal::Other);
            let part = |it: &Literal| known_part(it).filter(|_| *it != Literal::Function);
            let known: Vec<(String, Argument)> =
                known.map(|(name, it)| Some((name.clone(), part(it)?))).collect::<Option<_>>()?;
            (!known.is_empty() || members.is_empty()).then_some(Argument::Object(known))
        }
        simple => kinds::argument(simple),
    }
}

/// The arguments of a call that consists of literals and is not long.
fn literals(call: &[Literal]) -> Option<Vec<Argument>> {
    let arguments: Vec<Argument> = call.iter().map(known_part).collect::<Option<_>>()?;
    (!is_long(&arguments) && !arguments.is_empty()).then_some(arguments)
}

/// Whether arguments are too long for a test.
pub(super) fn is_long(arguments: &[Argument]) -> bool {
    let length: usize = arguments.iter().map(|it| it.to_json().to_string().len()).sum();
    length > LONGEST
}
