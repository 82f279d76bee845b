//! How a package is called according to its documentation, tests and declarations, and how much a
//! test differs from this.

use std::collections::{BTreeMap, BTreeSet};

use catherd_javascript_machine::instrument::{
    self, Literal, Shape, Step, Words as Found, sessions,
};
use catherd_javascript_machine::{Argument, Machine, MachineError, Operation, Program, Statement};
use serde_json::Value;

use super::arguments::inlined;
use super::comments;
use super::conventions;
use super::examples;
use super::files::{is_documentation, is_example_code, is_test_at_root, texts};
use super::kinds::{argument, differs, kind, kind_of};
use super::plausible;
use super::weights::is_applied;
use crate::mined::is_generated;
use crate::model::{Model, RECEIVER, Target, TargetKind};
use crate::suite::{SuiteTest, is_error};
use crate::words::Words;

/// Weight of an argument of a type that is neither declared nor used in an example, or of one that is missing.
pub(super) const WRONG: f64 = 1.0;

/// Weight of a further argument that is missing.
const FURTHER: f64 = 0.5;

/// Weight of a value that a person would not choose.
const UNUSUAL: f64 = 0.4;

/// Methods that are called without arguments.
pub(super) const WITHOUT: [&str; 4] = ["toString", "toJSON", "valueOf", "inspect"];

/// Objects of the language and of tests whose methods may have the names of those of a package.
const OF_LANGUAGE: [&str; 14] = [
    "Array", "Buffer", "Date", "JSON", "Math", "Number", "Object", "Promise", "String", "assert",
    "console", "expect", "path", "process",
];

/// The default text of an object.
const OBJECT: &str = "[object Object]";

/// How users call a package.
pub(super) struct Usage {
    pub(super) words: Words,
    pub(super) model: Model,
    /// Text of the documentation, tests and examples of the package, in which literals are looked up.
    pub(super) texts: String,
    /// Whether these texts mention NaN, `[object Object]`, the text `undefined` and lists with
    /// undefined.
    writes: [bool; 4],
    /// The words of these texts and of the names in the program, in lower case.
    known: BTreeSet<String>,
    /// The identifiers in these texts.
    pub(super) identifiers: BTreeSet<String>,
    /// The kinds of options by name, according to the documentation.
    pub(super) kinds: BTreeMap<String, &'static str>,
    /// Sequences of calls in the documentation, tests and examples.
    pub(super) sessions: Vec<Vec<Step>>,
}

impl Usage {
    pub(super) fn of(program: &Program, machine: &mut Machine) -> Result<Usage, MachineError> {
        let model = Model::of(program, machine)?;
        let mut words = Words::of(program, &model, &[], true);
        let mut texts = texts(program);
        texts.push_str(&comments::read(&program.package, &mut words));
        let mut found: Vec<Vec<Step>> = Vec::new();
        for path in program.package.files.keys() {
            let text = || program.package.text(path).unwrap_or_default();
            if is_documentation(path) {
                words.take(&examples::calls(&text()));
                found.extend(examples::code(&text()).iter().flat_map(|code| sessions(code)));
            } else if is_example_code(path) && !is_generated(&text()) {
                found.extend(sessions(&text()));
            } else if is_test_at_root(program, path) && !is_generated(&text()) {
                found.extend(sessions(&text()));
                let Found { calls, owners, .. } = instrument::words(path, &text());
                words.take(&Found { calls, owners, ..Found::default() });
            }
        }
        found.extend(comments::all(&program.package).flat_map(|code| sessions(&code)));
        for name in comments::bindings(&texts, &words.own_names) {
            if !words.own_names.contains(&name) {
                words.own_names.push(name);
            }
        }
        let kinds = comments::kinds(&texts);
        let lists = texts.contains("undefined,") || texts.contains("undefined]");
        let writes = [
            texts.contains("NaN"),
            texts.contains(OBJECT),
            texts.contains("'undefined'") || texts.contains("\"undefined\""),
            lists,
        ];
        let mut known = plausible::known_words(&texts);
        known.extend(plausible::known_words(&words.names_of_members().join(" ")));
        let letters = |c: char| c.is_ascii_alphanumeric() || "_$".contains(c);
        let identifiers = texts.split(|c| !letters(c)).filter(|it| !it.is_empty());
        let identifiers = identifiers.map(str::to_owned).collect();
        Ok(Usage { words, model, texts, writes, known, identifiers, kinds, sessions: found })
    }

    /// Whether a text is written between quotes in the documentation, a test or an example.
    pub(super) fn quotes(&self, text: &str) -> bool {
        let between = |quote: char| self.texts.contains(&format!("{quote}{text}{quote}"));
        ['\'', '"', '`'].into_iter().any(between)
    }

    /// Whether a text is between quotes of JavaScript in the documentation, a test or an example. A
    /// text between backticks is often a name.
    pub(super) fn is_text(&self, text: &str) -> bool {
        let own = self.words.own_names.iter().any(|name| name == text);
        !own && ['\'', '"'].iter().any(|quote| {
            let quoted = format!("{quote}{text}{quote}");
            let loads = |at: usize| {
                let before = self.texts[..at].trim_end();
                before.ends_with("require(")
                    || before.ends_with("from")
                    || before.ends_with("import")
            };
            self.texts.match_indices(&quoted).any(|(at, _)| !loads(at))
        })
    }

    /// Whether the export at a path is a class, of which instances are made.
    pub(super) fn is_class(&self, path: &[String]) -> bool {
        let mut targets = self.model.targets.iter();
        targets.any(|it| it.kind == TargetKind::Constructor && it.path == path)
    }

    /// Whether the documentation, a test or an example contains a text.
    pub(super) fn texts_contain(&self, text: &str) -> bool {
        self.texts.contains(text)
    }

    /// Whether a word is one of the documentation, the tests, the examples or the names of members.
    pub(super) fn knows(&self, word: &str) -> bool {
        self.known.contains(&word.to_lowercase())
    }

    /// Whether a name consists of known words.
    pub(super) fn names(&self, name: &str) -> bool {
        let letters = |c: char| c.is_ascii_alphanumeric() || "_$".contains(c);
        !name.is_empty()
            && name.chars().all(letters)
            && plausible::known_words(name).iter().all(|it| self.knows(it))
    }

    /// The declared type of an argument.
    pub(super) fn shape_of(&self, target: &Target, position: usize) -> Option<&Shape> {
        let shape = self.words.shape(target.first_parameter + position);
        shape.filter(|_| position < target.parameters.len())
    }

    /// Whether a number is written in the documentation, a test or an example.
    pub(super) fn writes(&self, number: f64) -> bool {
        let written = number.to_string();
        let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit() || c == '.');
        self.texts.match_indices(&written).any(|(at, _)| {
            let after = self.texts[at + written.len()..].chars().next();
            let before = self.texts[..at].chars().next_back();
            let joined = number < 0.0 && before.is_some_and(char::is_alphanumeric);
            !digit(before) && !joined && !digit(after)
        })
    }

    /// The target that a statement calls; `None` if it is not known.
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
        let own = self.owners(target);
        let same = |it: &&Target| *it != target && names.contains(last_name(it));
        let alike: Vec<&Target> = self.model.targets.iter().filter(same).collect();
        let others: BTreeSet<String> = alike.iter().flat_map(|it| self.owners(it)).collect();
        let others: BTreeSet<&String> = others.difference(&own).collect();
        let mut found = Vec::new();
        for name in &names {
            let calls = self.words.calls.get(name).into_iter().flatten();
            let owners = self.words.owners.get(name).into_iter().flatten();
            let inherited = WITHOUT.contains(&name.as_str());
            let of_this = |owner: &String| {
                let lower = owner.to_lowercase();
                let another = inherited || OF_LANGUAGE.contains(&owner.as_str());
                let elsewhere = others.contains(&lower) || another && !owner.is_empty();
                own.contains(&lower) || !elsewhere
            };
            found.extend(calls.zip(owners).filter(|(_, it)| of_this(it)).map(|(call, _)| call));
        }
        found
    }

    /// What a target is a member of, by the names that calls of it may have, in lower case. What is called without a
    /// name before it is a member of the exports.
    pub(super) fn owners(&self, target: &Target) -> BTreeSet<String> {
        let path: Vec<&String> = target.path.iter().filter(|it| *it != "default").collect();
        let names: Vec<&str> = match (self.class_of(target), &path[..]) {
            (Some(names), _) if !target.member.is_empty() => names.to_vec(),
            (_, [.., owner, _]) => vec![owner],
            _ => [""].into_iter().chain(self.words.own_names.iter().map(String::as_str)).collect(),
        };
        names.into_iter().map(str::to_lowercase).collect()
    }

    /// The name of a parameter of the function that the last statement calls, as a name of a
    /// variable; empty if it has none.
    pub(super) fn name_of_parameter(&self, statements: &[Statement], position: usize) -> String {
        let target = self.target(statements, statements.len().saturating_sub(1));
        let parameter = target.and_then(|target| target.parameters.get(position));
        let name = parameter.map_or("", |parameter| parameter.name.as_str());
        let plain = name.chars().count() > 1 && name.chars().all(|c| c.is_ascii_alphabetic());
        if plain { name.to_owned() } else { String::new() }
    }

    /// The targets that tests call.
    pub(super) fn targets(&self) -> &[Target] {
        &self.model.targets
    }

    /// The exported and the own name of the class of a target; `None` if the target has no class.
    pub(super) fn class_of(&self, target: &Target) -> Option<[&str; 2]> {
        self.model.classes.get(target.class?).map(|class| [&*class.name, &*class.own])
    }

    /// The constructor of the class whose instances a target needs; `None` if there is none.
    pub(super) fn constructor(&self, target: &Target) -> Option<&Target> {
        self.model.constructor(target.class?)
    }

    /// How much the calls of a test differ from the usual: 0 for calls as in the documentation. A
    /// test of an error that the program itself throws may have wrong arguments.
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

    /// Whether a value is or contains a typical result of wrong arguments: NaN, a text with
    /// `[object Object]` or `undefined`, or a list with undefined, unless the documentation
    /// mentions it.
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

    /// Conventional arguments, by the types and names of the parameters, for a target for which no
    /// example has literals; `None` if types and names are not enough.
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

    /// Whether the arguments of all calls are equal to the arguments of an example, or parts of
    /// them.
    pub(super) fn documents(&self, statements: &[Statement]) -> bool {
        let mut any = false;
        let statements = &inlined(statements)[..];
        // The behaviour of a function in an example is not known.
        let function = |it: &Argument| matches!(it, Argument::Function(..));
        if statements.iter().flat_map(|it| &it.arguments).any(function) {
            return false;
        }
        let calls = statements.iter().enumerate();
        for (at, statement) in calls.filter(|(_, it)| it.operation != Operation::Value) {
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
            let shape = self.shape_of(target, position);
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
}

/// The name by which a target is called last.
fn last_name(target: &Target) -> &String {
    match target.kind {
        TargetKind::Method => &target.member,
        _ => target.path.last().unwrap_or(&target.name),
    }
}
