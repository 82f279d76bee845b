//! Whether arguments have the kinds and members that the called function reads.

use std::collections::{BTreeMap, BTreeSet};

use catherd_javascript_machine::Argument;
use catherd_javascript_machine::Program;
use catherd_javascript_machine::instrument::{Example, Function, Literal, Shape};
use serde_json::Value;

use super::arguments::is_options;
use super::conventions;
use super::errors::is_about_arguments;
use super::kinds::{kind, kind_of};
use super::usage::Usage;
use crate::model::{Model, Target};
use crate::suite::{SuiteTest, is_error};
use crate::words::Words;

/// Members of strings, arrays, numbers, functions, regular expressions, dates and promises.
const BUILT_IN: [&str; 76] = [
    "apply",
    "at",
    "bind",
    "call",
    "charAt",
    "charCodeAt",
    "codePointAt",
    "concat",
    "constructor",
    "copyWithin",
    "endsWith",
    "entries",
    "every",
    "exec",
    "fill",
    "filter",
    "find",
    "findIndex",
    "findLast",
    "flat",
    "flatMap",
    "flags",
    "forEach",
    "global",
    "hasOwnProperty",
    "includes",
    "indexOf",
    "join",
    "keys",
    "lastIndexOf",
    "lastIndex",
    "length",
    "localeCompare",
    "map",
    "match",
    "matchAll",
    "name",
    "normalize",
    "padEnd",
    "padStart",
    "pop",
    "prototype",
    "push",
    "reduce",
    "reduceRight",
    "repeat",
    "replace",
    "replaceAll",
    "reverse",
    "search",
    "shift",
    "slice",
    "some",
    "sort",
    "source",
    "splice",
    "split",
    "startsWith",
    "substr",
    "substring",
    "test",
    "then",
    "toExponential",
    "toFixed",
    "toISOString",
    "toLocaleString",
    "toLowerCase",
    "toPrecision",
    "toString",
    "toUpperCase",
    "trim",
    "trimEnd",
    "trimStart",
    "unshift",
    "valueOf",
    "values",
];

/// Members that strings have and arrays lack.
const OF_TEXTS: [&str; 19] = [
    "charAt",
    "charCodeAt",
    "codePointAt",
    "endsWith",
    "localeCompare",
    "match",
    "matchAll",
    "normalize",
    "padEnd",
    "padStart",
    "replace",
    "replaceAll",
    "split",
    "startsWith",
    "substr",
    "substring",
    "toLowerCase",
    "toUpperCase",
    "trim",
];

/// Members that arrays have and strings lack.
const OF_LISTS: [&str; 16] = [
    "every",
    "fill",
    "filter",
    "find",
    "findIndex",
    "flat",
    "flatMap",
    "join",
    "map",
    "pop",
    "push",
    "reduce",
    "shift",
    "some",
    "sort",
    "splice",
];

/// Names of functions that are called with an error first.
const CALLBACKS: [&str; 4] = ["callback", "cb", "done", "next"];

/// Names of parameters that are keys of an object.
const KEYS: [&str; 9] =
    ["attr", "attribute", "column", "field", "key", "keyname", "path", "prop", "property"];

/// Whether a value or a part of it has a member with this name.
fn has_member(value: &Argument, name: &str) -> bool {
    let mut found = false;
    value.visit(&mut |part| {
        if let Argument::Object(members) = part {
            found |= members.iter().any(|(known, _)| known == name);
        }
    });
    found
}

/// Names of functions that make a value.
const SUPPLIERS: [&str; 10] = [
    "create", "creator", "factory", "getter", "init", "loader", "producer", "supplier", "task",
    "thunk",
];

/// Names of functions that test each element, and of parameters for such tests.
const PREDICATES: [&str; 22] = [
    "all",
    "any",
    "detect",
    "dropwhile",
    "every",
    "filter",
    "find",
    "findall",
    "findindex",
    "findkey",
    "findlast",
    "findone",
    "none",
    "partition",
    "pred",
    "predicate",
    "reject",
    "removewhere",
    "some",
    "takewhile",
    "test",
    "where",
];

/// Counts of parameters of the functions that examples pass, by the name of the called function and
/// the position.
pub(super) type Passed = BTreeMap<(String, usize), BTreeSet<usize>>;

pub(super) fn add_passed(example: &Example, passed: &mut Passed) {
    for (name, position, count) in &example.passed {
        passed.entry((name.clone(), *position)).or_default().insert(*count);
    }
}

/// For each parameter, by its number, the members that its function reads.
pub(super) fn of_parameters(
    program: &Program,
    words: &Words,
    model: &Model,
) -> Vec<BTreeSet<String>> {
    let mut found = vec![BTreeSet::new(); model.parameters];
    for target in &model.targets {
        let Some(function) = target.function.and_then(|f| program.units.functions.get(f as usize))
        else {
            continue;
        };
        for (position, parameter) in target.parameters.iter().enumerate() {
            let names = words.read_of(function, &parameter.name).map(str::to_owned);
            found[target.first_parameter + position].extend(names);
        }
    }
    found
}

/// Code that reads files or the environment of the process.
const ENVIRONMENT: [&str; 11] = [
    "process.env",
    "process.argv",
    "process.cwd(",
    "process.stdout",
    "process.pid",
    "accessSync(",
    "existsSync(",
    "readdirSync(",
    "readFileSync(",
    "lstatSync(",
    "statSync(",
];

/// Code that reads the platform.
const PLATFORM: [&str; 2] = ["process.platform", ".platform()"];

/// Code that reads the platform's end of lines or its separator of paths.
const SEPARATORS: [&str; 2] = ["os.EOL", "path.sep"];

/// Words in messages of errors that depend on files.
const OF_FILES: [&str; 7] =
    ["directory", "environment", "exist", "file", "folder", "not found", "path"];

/// Minimum length of names by which calls of functions are found, in bytes.
const SHORTEST_NAME: usize = 6;

/// The functions that read files or the environment of the process, directly or indirectly.
pub(super) fn of_environment(program: &Program) -> BTreeSet<u32> {
    containing(program, &ENVIRONMENT)
}

/// The functions that read the platform, directly or indirectly.
pub(super) fn of_platform(program: &Program) -> BTreeSet<u32> {
    containing(program, &PLATFORM)
}

/// The functions that read ends of lines or separators of paths, directly or indirectly.
pub(super) fn of_separators(program: &Program) -> BTreeSet<u32> {
    containing(program, &SEPARATORS)
}

/// The functions that contain one of these words, or call such a function.
fn containing(program: &Program, words: &[&str]) -> BTreeSet<u32> {
    let files = program.units.files.iter().map(|file| program.package.text(&file.path));
    let files: Vec<String> = files.map(Option::unwrap_or_default).collect();
    let functions = &program.units.functions;
    let text = |function: &Function| {
        let text = files.get(function.file as usize)?;
        text.get(function.range.0 as usize..function.range.1 as usize)
    };
    let mut words: BTreeSet<String> = words.iter().map(|it| (*it).to_owned()).collect();
    let mut found: BTreeSet<u32> = BTreeSet::new();
    loop {
        let before = found.len();
        let reads = |it: &Function| {
            text(it).is_some_and(|text| words.iter().any(|word| text.contains(word.as_str())))
        };
        let more = (0..).zip(functions).filter(|(_, it)| reads(it));
        found.extend(more.map(|(number, _)| number));
        if found.len() == before {
            return found;
        }
        let named = found.iter().filter_map(|it| functions.get(*it as usize));
        let named = named.filter(|it| it.name.len() >= SHORTEST_NAME);
        words.extend(named.map(|it| format!("{}(", it.name)));
    }
}

/// The kind of the values that have the members that a function reads.
fn kind_of_members(read: &BTreeSet<String>) -> Option<&'static str> {
    let any = |of: &[&str]| read.iter().any(|name| of.contains(&name.as_str()));
    match (any(&OF_TEXTS), any(&OF_LISTS)) {
        (true, false) => Some("string"),
        (false, true) => Some("array"),
        _ => None,
    }
}

fn members_of<'s>(usage: &'s Usage, shape: &'s Shape) -> Vec<&'s str> {
    match shape {
        Shape::Object(members) => members.iter().map(|(name, ..)| name.as_str()).collect(),
        Shape::Named(name) => match usage.words.type_of(name) {
            Some(Shape::Object(members)) => {
                members.iter().map(|(name, ..)| name.as_str()).collect()
            }
            _ => Vec::new(),
        },
        Shape::Union(shapes) => shapes.iter().flat_map(|it| members_of(usage, it)).collect(),
        _ => Vec::new(),
    }
}

/// Whether a value has a string with an end of a line or a separator of paths.
fn is_platform_like(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains(['\n', '\r', '\\', '/']),
        Value::Array(items) => items.iter().any(is_platform_like),
        Value::Object(members) => members.values().any(is_platform_like),
        _ => false,
    }
}

impl Usage {
    fn read_of(&self, target: &Target, position: usize) -> Option<&BTreeSet<String>> {
        let number = target.first_parameter + position;
        self.reads.get(number).filter(|_| position < target.parameters.len())
    }

    /// Whether the result of a test may depend on files or on the environment of the process.
    pub(super) fn depends_on_environment(&self, test: &SuiteTest) -> bool {
        let last = test.assertions.last();
        let message = last.and_then(|it| it["message"].as_str()).unwrap_or_default().to_lowercase();
        // The name of the package does not count.
        let own = self.words.own_names.iter().map(|name| name.to_lowercase());
        let about = own.fold(message.clone(), |message, name| message.replace(&name, ""));
        // Wrong arguments are refused in any environment.
        let refused = last.is_some_and(is_error)
            && is_about_arguments(test)
            && self.names_parameter(test, &about)
            && !OF_FILES.iter().any(|word| about.contains(word));
        let reads = |found: &BTreeSet<u32>, at: usize| {
            let function = self.target(&test.statements, at).and_then(|target| target.function);
            function.is_some_and(|function| found.contains(&function))
        };
        let count = test.statements.len();
        message.contains("environment variable")
            || (0..count).any(|at| reads(&self.environment, at)) && !refused
            || count.checked_sub(1).is_some_and(|at| reads(&self.platform, at))
            || (0..count).any(|at| reads(&self.platform, at) || reads(&self.separators, at))
                && last.is_some_and(is_platform_like)
    }

    /// Whether a message has the name of a parameter of the function that a test calls last, or of an
    /// option that the function reads.
    fn names_parameter(&self, test: &SuiteTest, message: &str) -> bool {
        let at = test.statements.len().wrapping_sub(1);
        let Some(target) = self.target(&test.statements, at) else { return false };
        let words: Vec<&str> = message.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        let is_named = |name: &str| words.contains(&name.to_lowercase().as_str());
        target.parameters.iter().enumerate().any(|(position, parameter)| {
            let options = self.read_of(target, position);
            is_named(&parameter.name) || options.is_some_and(|it| it.iter().any(|it| is_named(it)))
        })
    }

    /// Whether the program compares a member with a boolean.
    pub(super) fn is_flag(&self, name: &str) -> bool {
        self.words.compared(name).iter().any(|it| matches!(it, Literal::Boolean(_)))
    }

    /// Whether a call has a key that neither an example nor an argument of the call has.
    pub(super) fn is_unknown_key(&self, target: &Target, given: &[Argument]) -> bool {
        let is_key = |(position, it): (usize, &Argument)| {
            let name = target.parameters.get(position).map_or("", |it| it.name.as_str());
            let Argument::String(text) = it else { return false };
            KEYS.contains(&name.to_lowercase().as_str())
                && !self.is_documented(Some(target), position, it)
                && !given.iter().any(|it| has_member(it, text))
        };
        !self.has_adder(target) && given.iter().enumerate().any(is_key)
    }

    /// Whether the kind and members of an argument suit what the called function reads, or occur in
    /// examples or declarations.
    pub(super) fn is_as_read(&self, target: &Target, position: usize, value: &Argument) -> bool {
        let function = matches!(value, Argument::Function(..));
        if !function && self.is_documented(Some(target), position, value) {
            return true;
        }
        let Some(parameter) = target.parameters.get(position) else { return true };
        let calls = self.calls(target);
        let examples = || calls.iter().filter_map(|call| call.get(position));
        let declared = self.shape_of(target, position);
        let none = BTreeSet::new();
        let all = self.read_of(target, position).unwrap_or(&none);
        let own = all.iter().map(String::as_str).filter(|name| !BUILT_IN.contains(name));
        let read: BTreeSet<&str> = own.collect();
        let of = kind(value);
        if let Argument::Object(members) = value {
            // The arguments of functions in an object are not known.
            if members.iter().any(|(_, it)| matches!(it, Argument::Function(..))) {
                return false;
            }
            // If no example has a literal for a member, the member is hardly a literal.
            let other = |(name, _): &(String, Argument)| {
                let of_examples = examples().filter_map(|it| match it {
                    Literal::Object(members) => members.iter().find(|(known, _)| known == name),
                    _ => None,
                });
                let mut literals = of_examples.map(|(_, it)| *it != Literal::Other).peekable();
                literals.peek().is_some() && !literals.any(|it| it)
            };
            if members.iter().any(other) {
                return false;
            }
            let mut known = read.clone();
            for example in examples() {
                if let Literal::Object(members) = example {
                    known.extend(members.iter().map(|(name, _)| name.as_str()));
                }
            }
            known.extend(declared.map(|it| members_of(self, it)).unwrap_or_default());
            let options = is_options(&parameter.name);
            let named = |name: &str| {
                options
                    && name.len() > 1
                    && (self.kinds.contains_key(name) || self.words.is_option(name))
            };
            let is_known = |name: &str| known.contains(name) || named(name);
            let literals = examples().any(|it| *it != Literal::Other);
            let free = read.is_empty() && !options;
            if free && declared.is_none() && !literals && examples().next().is_some() {
                return false;
            }
            return free || members.iter().all(|(name, _)| is_known(name));
        }
        if let Argument::Function(what, _) = value {
            let names = self.words.names(target, &self.model);
            let passed = |name: &String| self.passed.get(&(name.clone(), position));
            let counts: BTreeSet<usize> =
                names.iter().filter_map(passed).flatten().copied().collect();
            let asks = |name: &String| PREDICATES.contains(&name.to_lowercase().as_str());
            if names.iter().any(asks) || asks(&parameter.name) {
                return false;
            }
            let name = parameter.name.to_lowercase();
            return match what.as_str() {
                // A function without parameters must be known from examples or by its name.
                "constant" => counts.contains(&0) || SUPPLIERS.contains(&name.as_str()),
                _ if counts.is_empty() => !CALLBACKS.contains(&name.as_str()),
                _ => counts.contains(&1),
            };
        }
        // Strings and numbers do not have members of other objects.
        let simple = matches!(of, Some("string" | "number" | "boolean" | "bigint"));
        let used = || examples().filter_map(kind_of).any(|it| Some(it) == of);
        let compared = || {
            let compared = self.words.compared(&parameter.name);
            compared.iter().filter_map(kind_of).any(|it| Some(it) == of)
        };
        let fits = || declared.is_some_and(|shape| self.fits(shape, value, 0));
        let pattern = parameter.name == "{}" || parameter.name == "[]" && of != Some("string");
        if simple && (pattern || !read.is_empty()) && !used() && !compared() {
            return fits();
        }
        // A string that examples of many programs contain is hardly meant for a further argument
        // about which nothing is known.
        if let Argument::String(text) = value
            && position > 0
            && conventions::is_plain(text)
            && !used()
            && conventions::kind_by_name(&parameter.name) != Some("string")
        {
            return false;
        }
        if declared.is_some() || of.is_none() {
            return true;
        }
        // If no example has a literal, the members that the function reads show the kind.
        let by_members = kind_of_members(all);
        let literals = examples().any(|it| *it != Literal::Other);
        let unknown = !literals && calls.iter().any(|call| call.len() > position);
        match by_members {
            Some(by_members) if !literals => of == Some(by_members) || compared(),
            _ => !unknown || self.says(target, position) && !matches!(of, Some("array" | "object")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_tell_texts_from_lists() {
        let of = |names: &[&str]| {
            kind_of_members(&names.iter().map(|name| (*name).to_owned()).collect())
        };
        assert_eq!(of(&["length", "replace"]), Some("string"));
        assert_eq!(of(&["length", "map"]), Some("array"));
        assert!(of(&["length"]).is_none() && of(&["split", "join"]).is_none());
    }
}
