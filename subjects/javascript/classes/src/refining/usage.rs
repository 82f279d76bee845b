//! How the documentation, the tests and the declarations of a package say that it is called, and how far a test is from
//! this.

use std::collections::BTreeSet;

use catherd_javascript_machine::instrument::{Literal, Shape};
use catherd_javascript_machine::{Argument, Machine, MachineError, Operation, Program, Statement};
use serde_json::Value;

use super::conventions;
use super::weights::is_applied;
use crate::mined::is_example;
use crate::model::{Model, RECEIVER, Target, TargetKind};
use crate::suite::{SuiteTest, is_error};
use crate::words::{self, Words};

/// Maximum length of the texts in which literals are looked up, in bytes.
const MAX_TEXTS: usize = 4 << 20;

/// Maximum depth to which declared types are followed.
const DEEPEST: usize = 6;

/// Weight of an argument of a type that is neither declared nor used in an example, or of one that is missing.
pub(super) const WRONG: f64 = 1.0;

/// Weight of a further argument that is missing.
const FURTHER: f64 = 0.5;

/// Weight of a value that a person would not choose.
const UNUSUAL: f64 = 0.4;

/// The text of an object without a text of its own.
const OBJECT: &str = "[object Object]";

/// How a package is called.
pub(super) struct Usage {
    words: Words,
    model: Model,
    /// Text of the documentation, tests and examples of the package, in which literals are looked up.
    texts: String,
    /// Whether these mention NaN and `[object Object]`.
    writes: [bool; 2],
}

impl Usage {
    pub(super) fn of(program: &Program, machine: &mut Machine) -> Result<Usage, MachineError> {
        let model = Model::of(program, machine)?;
        let words = Words::of(program, &model, &[], true);
        let texts = texts(program);
        let writes = ["NaN", OBJECT].map(|text| texts.contains(text));
        Ok(Usage { words, model, texts, writes })
    }

    /// Whether a text is written between quotes in the documentation, a test or an example.
    pub(super) fn quotes(&self, text: &str) -> bool {
        let between = |quote: char| self.texts.contains(&format!("{quote}{text}{quote}"));
        ['\'', '"', '`'].into_iter().any(between)
    }

    /// Whether a number is written in the documentation, a test or an example.
    fn writes(&self, number: f64) -> bool {
        let written = number.to_string();
        let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit() || c == '.');
        self.texts.match_indices(&written).any(|(at, _)| {
            let after = self.texts[at + written.len()..].chars().next();
            !digit(self.texts[..at].chars().next_back()) && !digit(after)
        })
    }

    /// What a statement calls; `None` if this is not known.
    pub(super) fn target(&self, statements: &[Statement], at: usize) -> Option<&Target> {
        let statement = statements.get(at)?;
        let targets = self.model.targets.iter();
        match statement.operation {
            Operation::New => targets
                .filter(|target| target.kind == TargetKind::Constructor)
                .find(|target| target.path == statement.path),
            Operation::Call => targets
                .filter(|target| target.kind == TargetKind::Function)
                .find(|target| target.path == statement.path),
            Operation::Method => {
                let made = statements.get(statement.receiver)?;
                let of_class = |target: &&Target| {
                    target.kind == TargetKind::Method && target.member == statement.name
                };
                let known: Vec<&Target> = targets.filter(of_class).collect();
                let class =
                    self.model.classes.iter().position(|class| {
                        made.operation == Operation::New && class.path == made.path
                    });
                let own = known.iter().find(|target| class.is_some() && target.class == class);
                own.or(known.first().filter(|_| known.len() == 1)).copied()
            }
            _ => None,
        }
    }

    /// The arguments of the calls of a target that the package contains.
    pub(super) fn calls<'u>(&'u self, target: &Target) -> Vec<&'u Vec<Literal>> {
        let names = self.words.names(target, &self.model);
        let calls = names.iter().flat_map(|name| self.words.calls.get(name).into_iter().flatten());
        calls.collect()
    }

    /// The targets that tests call.
    pub(super) fn targets(&self) -> &[Target] {
        &self.model.targets
    }

    /// The constructor of the class whose instances a target needs; `None` if there is none.
    pub(super) fn constructor(&self, target: &Target) -> Option<&Target> {
        self.model.constructor(target.class?)
    }

    /// Values that examples pass as an argument of a statement, the shortest first.
    pub(super) fn examples(
        &self,
        statements: &[Statement],
        at: usize,
        position: usize,
    ) -> Vec<Argument> {
        let Some(target) = self.target(statements, at) else { return Vec::new() };
        let calls = self.calls(target).into_iter();
        let mut found: Vec<Argument> = Vec::new();
        for value in calls.filter_map(|call| argument(call.get(position)?)) {
            if !found.contains(&value) && value != Argument::Undefined {
                found.push(value);
            }
        }
        found.sort_by_key(|value| value.to_json().to_string().len());
        found
    }

    /// How unusual the calls of a test are: 0 for calls as in the documentation. A test of an error that the program
    /// throws itself may have wrong arguments.
    pub(super) fn unusual(&self, test: &SuiteTest) -> f64 {
        let error = test.assertions.last().is_some_and(is_error);
        let last = test.statements.len().saturating_sub(1);
        let mut sum = 0.0;
        for (at, statement) in test.statements.iter().enumerate() {
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
            // Most functions that calls return do not read `this`.
            let receiver = usize::from(is_applied(test, at));
            for argument in statement.arguments.iter().skip(receiver) {
                argument.visit(&mut |part| sum += self.unusual_value(part));
                if unchecked && *argument == Argument::Undefined {
                    sum += WRONG;
                }
            }
        }
        let nonsense = test.assertions.last().is_some_and(|last| self.is_nonsense(last));
        sum + f64::from(u8::from(nonsense)) * 2.0 * WRONG
    }

    /// Whether a value is or contains what wrong arguments lead to: NaN, or a text with
    /// `[object Object]`, unless the documentation mentions it.
    fn is_nonsense(&self, value: &Value) -> bool {
        match value {
            Value::Object(members) => {
                let is = |key: &str, wrong: fn(&str) -> bool| {
                    members.get(key).and_then(Value::as_str).is_some_and(wrong)
                };
                ["number", "date"].iter().any(|key| is(key, |it| it == "NaN")) && !self.writes[0]
                    || is("string", |text| text.contains(OBJECT)) && !self.writes[1]
                    || members.values().any(|it| self.is_nonsense(it))
            }
            Value::Array(items) => items.iter().any(|it| self.is_nonsense(it)),
            _ => false,
        }
    }

    /// Arguments of a target of which no example has literals, by the types and the names of its parameters; `None` if
    /// these say too little.
    pub(super) fn conventional(&self, target: &Target) -> Option<Vec<Argument>> {
        let whole = |call: &&Vec<Literal>| call.iter().all(|it| argument(it).is_some());
        if self.calls(target).iter().any(whole) {
            return None;
        }
        let needed = target.parameters.iter().take_while(|it| {
            it.default.is_none() && !it.name.starts_with("...") && it.name != RECEIVER
        });
        let mut arguments = Vec::new();
        for (position, parameter) in needed.enumerate() {
            let shape = self.words.shape(target.first_parameter + position);
            let named = shape.and_then(|shape| match shape {
                Shape::Named(name) => self.words.type_of(name).or(Some(shape)),
                shape => Some(shape),
            });
            let value = named.and_then(|it| conventions::value_of_shape(it, position, 0));
            let value = value.or_else(|| conventions::value_by_name(&parameter.name, position));
            match value {
                Some(value) => arguments.push(value),
                // Further parameters may be optional.
                None if position > 0 => break,
                None => return None,
            }
        }
        (!arguments.is_empty()).then_some(arguments)
    }

    /// Whether the arguments of all calls are those of an example, or parts of them.
    pub(super) fn documents(&self, statements: &[Statement]) -> bool {
        let mut any = false;
        for (at, statement) in statements.iter().enumerate() {
            if statement.arguments.is_empty() {
                continue;
            }
            let Some(target) = self.target(statements, at) else { return false };
            let calls = self.calls(target);
            let given = &statement.arguments;
            let same = |call: &&Vec<Literal>| {
                call.len() >= given.len()
                    && given
                        .iter()
                        .zip(*call)
                        .all(|(it, literal)| argument(literal).is_some_and(|known| known == *it))
            };
            if !calls.iter().any(same) {
                return false;
            }
            any = true;
        }
        any
    }

    /// Whether a member has a number or a text in the documentation, a test or an example.
    pub(super) fn gives(&self, member: &str) -> bool {
        let value = |text: &str| {
            let rest = text.trim_start_matches(['\'', '"']).strip_prefix(':');
            rest.is_some_and(|rest| {
                let first = rest.trim_start().chars().next();
                first.is_some_and(|c| c.is_ascii_digit() || "-'\"`".contains(c))
            })
        };
        !member.is_empty()
            && self
                .texts
                .match_indices(member)
                .any(|(at, _)| value(&self.texts[at + member.len()..]))
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
            let shape = self.words.shape(target.first_parameter + position);
            let shape = shape.filter(|_| position < target.parameters.len());
            let wrong = match shape {
                Some(shape) => !self.fits(shape, argument, 0),
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

    /// Whether a call has fewer arguments than all calls in the package.
    pub(super) fn is_missing(&self, statements: &[Statement], at: usize) -> bool {
        let Some(target) = self.target(statements, at) else { return false };
        self.missing(target, statements[at].arguments.len()) > 0
    }

    fn missing(&self, target: &Target, given: usize) -> usize {
        let needed = target.parameters.iter().take_while(|it| {
            it.default.is_none() && !it.name.starts_with("...") && it.name != RECEIVER
        });
        let fewest = self.calls(target).iter().map(|call| call.len()).min().unwrap_or(1);
        needed.count().min(fewest).saturating_sub(given)
    }

    /// Whether a person would not choose a value.
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
                let plain = (0.0..=100.0).contains(number) && number.fract() == 0.0;
                (!plain || number.is_sign_negative()) && !self.writes(*number)
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

    /// Whether an argument has a declared type, as far as this is known.
    fn fits(&self, shape: &Shape, argument: &Argument, depth: usize) -> bool {
        if depth > DEEPEST || matches!(argument, Argument::Variable(_)) {
            return true;
        }
        match shape {
            Shape::Any => true,
            Shape::Literal(literal) => words::argument(literal).is_none_or(|it| it == *argument),
            Shape::Union(shapes) => {
                shapes.is_empty()
                    || shapes.iter().any(|shape| self.fits(shape, argument, depth + 1))
            }
            Shape::Array(item) => match argument {
                Argument::Array(items) => items.iter().all(|it| self.fits(item, it, depth + 1)),
                _ => false,
            },
            Shape::Object(declared) => match argument {
                Argument::Object(members) => {
                    let of = |name: &String| declared.iter().find(|(known, ..)| known == name);
                    let fit = |(name, value): &(String, Argument)| {
                        of(name).is_some_and(|(_, shape, _)| self.fits(shape, value, depth + 1))
                    };
                    let given = |name: &String| members.iter().any(|(known, _)| known == name);
                    members.iter().all(fit)
                        && declared.iter().all(|(name, _, optional)| *optional || given(name))
                }
                _ => declared.is_empty(),
            },
            Shape::Function(_) => kind(argument) == Some("function"),
            Shape::Named(name) => {
                let kinds = ["string", "number", "boolean", "null", "undefined", "function"];
                let lower = name.to_lowercase();
                if let Some(known) = self.words.type_of(name) {
                    return self.fits(known, argument, depth + 1);
                }
                match kinds.into_iter().find(|known| *known == lower) {
                    Some(known) => kind(argument) == Some(known),
                    None if ["object", "record", "array", "regexp", "date"].contains(&&*lower) => {
                        kind(argument).is_some_and(|kind| kind == lower)
                            || lower == "object" && kind(argument) == Some("array")
                            || lower == "record" && kind(argument) == Some("object")
                    }
                    None => true,
                }
            }
        }
    }
}

/// Whether a member of an object has another kind than in all examples of an argument that have the member.
fn differs(argument: &Argument, calls: &[&Vec<Literal>], position: usize) -> bool {
    let Argument::Object(members) = argument else { return false };
    let objects: Vec<&Vec<(String, Literal)>> = calls
        .iter()
        .filter_map(|call| match call.get(position)? {
            Literal::Object(members) => Some(members),
            _ => None,
        })
        .collect();
    members.iter().any(|(name, value)| {
        let known = objects.iter().flat_map(|members| members.iter());
        let known = known.filter(|(member, _)| member == name);
        let kinds: BTreeSet<&str> = known.filter_map(|(_, literal)| kind_of(literal)).collect();
        !kinds.is_empty() && kind(value).is_some_and(|kind| !kinds.contains(kind))
    })
}

/// The kind of an argument; `None` if it can be of several kinds.
fn kind(argument: &Argument) -> Option<&'static str> {
    Some(match argument {
        Argument::String(_) => "string",
        Argument::Number(_) => "number",
        Argument::Boolean(_) => "boolean",
        Argument::Null => "null",
        Argument::Undefined => "undefined",
        Argument::BigInt(_) => "bigint",
        Argument::Symbol(_) => "symbol",
        Argument::RegExp(..) => "regexp",
        Argument::Date(_) => "date",
        Argument::Array(_) => "array",
        Argument::Object(_) => "object",
        Argument::Function(..) => "function",
        Argument::Map(_) => "map",
        Argument::Set(_) => "set",
        Argument::Promise(..) => "promise",
        Argument::Variable(_) | Argument::Unknown(_) => return None,
    })
}

fn kind_of(literal: &Literal) -> Option<&'static str> {
    match literal {
        Literal::Other => None,
        Literal::Array(_) => Some("array"),
        Literal::Object(_) => Some("object"),
        Literal::Function => Some("function"),
        simple => kind(&words::argument(simple)?),
    }
}

/// The argument with the value of a literal; `None` if it has parts that are not literals.
pub(super) fn argument(literal: &Literal) -> Option<Argument> {
    match literal {
        Literal::Array(items) => {
            items.iter().map(argument).collect::<Option<_>>().map(Argument::Array)
        }
        Literal::Object(members) => {
            let members = members.iter().map(|(name, it)| Some((name.clone(), argument(it)?)));
            members.collect::<Option<_>>().map(Argument::Object)
        }
        Literal::Function => {
            Some(Argument::Function("first".to_owned(), Box::new(Argument::Undefined)))
        }
        simple => words::argument(simple),
    }
}

/// The documentation, tests and examples of a package without its dependencies, in one text.
fn texts(program: &Program) -> String {
    let package = &program.package;
    let mut texts = String::new();
    let others = package.files.keys().filter(|path| !path.contains("node_modules/"));
    for path in others {
        let lower = path.to_lowercase();
        let ends = |list: &[&str]| list.iter().any(|end| lower.ends_with(end));
        let documents = ends(&[".md", ".markdown"]) && !lower.contains("changelog");
        let shows = documents || is_example(&lower) && ends(&[".js", ".mjs", ".cjs", ".ts"]);
        if shows && texts.len() < MAX_TEXTS {
            texts.push_str(&package.text(path).unwrap_or_default());
            texts.push('\n');
        }
    }
    texts
}
