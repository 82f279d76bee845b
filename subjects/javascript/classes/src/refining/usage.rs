//! How a package is called according to its documentation, tests and declarations.

use std::collections::{BTreeMap, BTreeSet};

use catherd_javascript_machine::instrument::{
    self, Example, Literal, OF_RESULT, Shape, Shown, Step, Words as Found, sessions,
};
use catherd_javascript_machine::{Argument, Machine, MachineError, Operation, Program, Statement};

use super::arguments::inlined;
use super::comments;
use super::conventions;
use super::examples;
use super::files::{is_documentation, is_example_code, is_test_at_root, texts};
use super::kinds::argument;
use super::outcomes::digits_in;
use super::plausible;
use super::{accidents, domains, reads};
use crate::mined::is_generated;
use crate::model::{Model, RECEIVER, Target, TargetKind};
use crate::words::Words;

/// Weight of a wrong or missing argument.
pub(super) const WRONG: f64 = 1.0;

/// Methods that are usually called without arguments.
pub(super) const WITHOUT: [&str; 4] = ["toString", "toJSON", "valueOf", "inspect"];

/// Objects of the language and of tests whose methods may have the same names as methods of a
/// package.
const OF_LANGUAGE: [&str; 15] = [
    "Array", "Buffer", "Date", "JSON", "Math", "Number", "Object", "Promise", "RegExp", "String",
    "assert", "console", "expect", "path", "process",
];

/// The default string of an object.
pub(super) const OBJECT: &str = "[object Object]";

/// How users call a package.
pub(super) struct Usage {
    pub(super) words: Words,
    pub(super) model: Model,
    /// The documentation, tests and examples of the package.
    pub(super) texts: String,
    /// Whether `texts` contains NaN, `[object Object]`, the string `undefined`, and a list with
    /// undefined.
    pub(super) writes: [bool; 4],
    /// The result of [`digits_in`] for `texts`.
    pub(super) digits: usize,
    /// The words of `texts` and of names of members, in lower case.
    known: BTreeSet<String>,
    /// The identifiers in `texts`.
    pub(super) identifiers: BTreeSet<String>,
    /// The kinds of options by name, according to the documentation.
    pub(super) kinds: BTreeMap<String, &'static str>,
    /// Sequences of calls in the documentation, tests and examples.
    pub(super) sessions: Vec<Vec<Step>>,
    /// The results that comments in examples show.
    pub(super) shown: Vec<Shown>,
    /// The functions that the documentation, tests and examples pass.
    pub(super) passed: reads::Passed,
    /// For each parameter, by its number, the members that its function reads.
    pub(super) reads: Vec<BTreeSet<String>>,
    /// The functions that read files or the environment of the process, directly or indirectly.
    pub(super) environment: BTreeSet<u32>,
    /// The functions that read the platform, directly or indirectly.
    pub(super) platform: BTreeSet<u32>,
    pub(super) separators: BTreeSet<u32>,
    /// The ranges of numbers that comments and documentation state.
    pub(super) ranges: domains::Ranges,
    /// The types of results that comments declare, by the name of the function.
    pub(super) returned: BTreeMap<String, String>,
}

impl Usage {
    pub(super) fn of(program: &Program, machine: &mut Machine) -> Result<Usage, MachineError> {
        let mut model = Model::of(program, machine)?;
        let mut words = Words::of(program, &model, &[], true);
        words.complete(program, &mut model);
        let mut texts = texts(program);
        texts.push_str(&comments::read(&program.package, &mut words));
        let mut found: Vec<Vec<Step>> = Vec::new();
        let (mut shown, mut passed) = (Vec::new(), reads::Passed::new());
        let mut ranges = domains::Ranges::new();
        let mut show = |example: Example| {
            reads::add_passed(&example, &mut passed);
            shown.extend(example.shown);
        };
        for path in program.package.files.keys() {
            let text = || program.package.text(path).unwrap_or_default();
            if is_documentation(path) {
                words.take(&examples::calls(&text()));
                let code = examples::code(&text());
                code.iter().for_each(|code| show(instrument::example(code)));
                found.extend(code.iter().flat_map(|code| sessions(code)));
                domains::of_documentation(&text(), &mut ranges);
            } else if is_example_code(path) && !is_generated(&text()) {
                show(Example { shown: Vec::new(), ..instrument::example(&text()) });
                found.extend(sessions(&text()));
            } else if is_test_at_root(program, path) && !is_generated(&text()) {
                show(Example { shown: Vec::new(), ..instrument::example(&text()) });
                found.extend(sessions(&text()));
                let Found { calls, owners, .. } = instrument::words(path, &text());
                words.take(&Found { calls, owners, ..Found::default() });
            }
        }
        for code in comments::all(&program.package) {
            show(instrument::example(&code));
            found.extend(sessions(&code));
        }
        let mut returned = BTreeMap::new();
        for source in comments::sources(&program.package) {
            domains::of_comments(&source, &mut ranges);
            accidents::returned(&source, &mut returned);
        }
        let direct = examples::direct_calls(&texts, &words.own_names);
        words.take(&direct);
        for name in comments::bindings(&texts, &words.own_names) {
            if !words.own_names.contains(&name) {
                words.own_names.push(name);
            }
        }
        let of_export = |it: &Target| {
            it.kind == TargetKind::Function && it.path.iter().all(|name| name == "default")
        };
        if model.targets.iter().any(of_export) {
            let names = model.targets.iter().flat_map(|it| it.path.iter().chain([&it.member]));
            let names: Vec<&str> = names.map(String::as_str).collect();
            words.own_names.extend(comments::former_name(&texts, &words, &names));
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
        let digits = digits_in(&texts);
        let reads = reads::of_parameters(program, &words, &model);
        Ok(Usage {
            words,
            model,
            texts,
            writes,
            digits,
            known,
            identifiers,
            kinds,
            sessions: found,
            shown,
            passed,
            reads,
            environment: reads::of_environment(program),
            platform: reads::of_platform(program),
            separators: reads::of_separators(program),
            ranges,
            returned,
        })
    }

    /// Whether a string is between quotes or backticks in the documentation, a test or an example.
    pub(super) fn quotes(&self, text: &str) -> bool {
        let between = |quote: char| self.texts.contains(&format!("{quote}{text}{quote}"));
        ['\'', '"', '`'].into_iter().any(between)
    }

    /// Like [`quotes`](Self::quotes), without backticks, which often contain names, and without
    /// names of modules.
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

    /// Whether the export at a path is a class.
    pub(super) fn is_class(&self, path: &[String]) -> bool {
        let mut targets = self.model.targets.iter();
        targets.any(|it| it.kind == TargetKind::Constructor && it.path == path)
    }

    /// Whether a function has the name of a class.
    pub(super) fn is_name_of_class(&self, target: &Target) -> bool {
        let name = last_name(target);
        self.model.classes.iter().any(|class| class.name == *name || class.own == *name)
    }

    pub(super) fn texts_contain(&self, text: &str) -> bool {
        self.texts.contains(text)
    }

    /// Whether the documentation, the tests, the examples or names of members contain a word.
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

    /// The target that a statement calls, if it is known.
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

    /// The arguments of the calls of a target in the documentation, tests and examples.
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
                if owner == OF_RESULT && target.kind != TargetKind::Method {
                    return false;
                }
                let elsewhere = others.contains(&lower) || another && !owner.is_empty();
                own.contains(&lower) || !elsewhere
            };
            found.extend(calls.zip(owners).filter(|(_, it)| of_this(it)).map(|(call, _)| call));
        }
        found
    }

    /// The names, in lower case, before the member in calls of a target; the empty string if no
    /// name is needed.
    pub(super) fn owners(&self, target: &Target) -> BTreeSet<String> {
        let path: Vec<&String> = target.path.iter().filter(|it| *it != "default").collect();
        let names: Vec<&str> = match (self.class_of(target), &path[..]) {
            (Some(names), _) if !target.member.is_empty() => names.to_vec(),
            (_, [.., owner, _]) => vec![owner],
            _ => [""].into_iter().chain(self.words.own_names.iter().map(String::as_str)).collect(),
        };
        names.into_iter().map(str::to_lowercase).collect()
    }

    /// The name of a parameter of the function that the last statement calls; empty unless the name
    /// consists of at least two ASCII letters.
    pub(super) fn name_of_parameter(&self, statements: &[Statement], position: usize) -> String {
        let target = self.target(statements, statements.len().saturating_sub(1));
        let parameter = target.and_then(|target| target.parameters.get(position));
        let name = parameter.map_or("", |parameter| parameter.name.as_str());
        let plain = name.chars().count() > 1 && name.chars().all(|c| c.is_ascii_alphabetic());
        if plain { name.to_owned() } else { String::new() }
    }

    pub(super) fn targets(&self) -> &[Target] {
        &self.model.targets
    }

    /// The exported name and the own name of the class of a target.
    pub(super) fn class_of(&self, target: &Target) -> Option<[&str; 2]> {
        self.model.classes.get(target.class?).map(|class| [&*class.name, &*class.own])
    }

    /// The constructor of the class whose instances a target needs.
    pub(super) fn constructor(&self, target: &Target) -> Option<&Target> {
        self.model.constructor(target.class?)
    }

    /// Conventional arguments for a target for which no example has literals.
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

    /// Whether the arguments of all calls occur in examples; false if no call has arguments.
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

    /// Whether a member has a number or a string as its value in the documentation, a test or an
    /// example.
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
}

/// The name of a target in calls, without the names before it.
fn last_name(target: &Target) -> &String {
    match target.kind {
        TargetKind::Method => &target.member,
        _ => target.path.last().unwrap_or(&target.name),
    }
}
