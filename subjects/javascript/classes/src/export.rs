//! Suites as code for `node:test`, Jest and Mocha.

mod claims;
mod code;
mod copies;
mod differences;
mod heading;
mod layout;
mod lines;
mod literals;
mod names;
mod observed;
mod phrases;
mod possible;
mod row;
mod test;
mod titles;
mod told;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use catherd_javascript_machine::{Argument, Operation, Statement, TypedFile};

use self::claims::claims;
use self::literals::quoted;
use self::observed::thrown_by;
pub use self::possible::asserted_of;
pub(crate) use self::possible::{Possible, Strength, possible, strength, strength_of};
pub(crate) use self::test::MAX_ASSERTIONS;
use self::test::Test;
pub(crate) use self::told::Tells;
use crate::refining::{Classes, Mentioned, Parameters, Variables};
use crate::suite::{OF_THE_LANGUAGE, Suite, SuiteTest};

/// The test framework that executes the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// The test runner of Node.js, with `node:assert`.
    NodeTest,
    /// Jest, with its own assertions.
    Jest,
    /// Mocha, with `node:assert`.
    Mocha,
}

/// Options of the code.
#[derive(Clone, Debug, PartialEq)]
pub struct Code {
    /// The framework.
    pub style: Style,
    /// The entry of the subject relative to the file of the code, such as `./list.js`.
    pub subject: String,
    /// The folder of the subject relative to the file of the code, such as `./`.
    pub root: String,
    /// Whether the entry is an ES module.
    pub module: bool,
    /// Whether the file of the code is an ES module.
    pub in_module: bool,
    /// The names of members that lead from the exports to the tested object.
    pub namespace: Vec<String>,
    /// Whether the entry is a script whose definitions at the top level count as exported.
    pub script: bool,
    /// Whether all tests that show errors are written, rather than a selection.
    pub all_errors: bool,
    /// Members of classes that are not public, as `C.m`; nothing is asserted about members of
    /// instances with these names.
    pub hidden: BTreeSet<String>,
    /// The TypeScript files that the subject reaches; their paths are relative to `root`.
    pub typed: Vec<TypedFile>,
    /// Whether the suite was confirmed in Node.js.
    pub confirmed: bool,
    /// A line that states whether the suite was confirmed in Node.js; may be empty.
    pub note: String,
    /// The exported classes.
    pub classes: Classes,
    /// A name for the export itself; may be empty.
    pub own_name: String,
    /// Names for variables, by the function, method or class that returns their values.
    pub variables: Variables,
    /// Names of members in the order in which examples mention them.
    pub members: Vec<String>,
    /// Names of parameters that explain their values, by function (`a.b`) or method (`#m`).
    pub parameters: Parameters,
    /// Whether large values are compared with snapshots.
    pub snapshots: bool,
}

/// A suite as code, and the tests that were left out.
#[derive(Clone, Debug, PartialEq)]
pub struct Exported {
    /// The code.
    pub text: String,
    /// Numbers of the tests that were left out, each with the reason.
    pub skipped: Vec<(usize, String)>,
    /// Numbers of the tests in the code, each with its group and title.
    pub titles: Vec<(usize, String, String)>,
}

impl Code {
    /// Options for computing titles only.
    pub(crate) fn for_titles(classes: Classes, own_name: String, names: Mentioned) -> Code {
        Code {
            style: Style::NodeTest,
            subject: String::new(),
            root: String::new(),
            module: false,
            in_module: false,
            namespace: Vec::new(),
            script: false,
            all_errors: true,
            hidden: BTreeSet::new(),
            typed: Vec::new(),
            confirmed: false,
            note: String::new(),
            classes,
            variables: names.variables,
            own_name,
            members: names.members,
            parameters: names.parameters,
            snapshots: false,
        }
    }
}

/// The name of the default export of a module.
const DEFAULT: &str = "default";

/// Maximum length of the longer titles that distinguish tests, in characters.
const LONGEST_TITLE: usize = 104;

/// The function `data`, which converts a value to the data of assertions, as code.
pub const DATA: &str = include_str!("export/data.js");

/// Code with which Node.js loads all modules of a project again when it loads the entry.
pub const RELOAD: &str = code::RELOAD;

/// Functions that tests use, by the beginning of their calls.
const HELPERS: [(&str, &str); 4] = [
    (
        "rejected()",
        "// A rejected promise that need not be handled.\nfunction rejected() {\n  \
         const promise = Promise.reject(new Error('e'));\n  promise.catch(() => {});\n  \
         return promise;\n}\n\n",
    ),
    (
        "callsBackWith(",
        "// A function that calls its callback, which is the last function that it gets, without an error.\n\
         function callsBackWith(value) {\n  return (...args) => args.findLast(\
         arg => typeof arg === 'function')?.(null, value);\n}\n\n",
    ),
    (
        "passesOn(",
        "// A function that passes a value to the first function that it gets.\n\
         function passesOn(value) {\n  return (...args) => args.find(\
         arg => typeof arg === 'function')?.(value);\n}\n\n",
    ),
    (
        "returns(",
        "// A function that returns the same value from every call.\n\
         function returns(value) {\n  return () => value;\n}\n\n",
    ),
];

/// Writes a suite as code.
pub fn export(suite: &Suite, code: &Code) -> Exported {
    let mut suite = suite.clone();
    let values =
        suite.tests.iter_mut().flat_map(|test| test.assertions.iter_mut().chain(&mut test.after));
    values.for_each(|value| rename(value, code));
    match of_default(&suite, code) {
        Some((suite, code)) => write(&suite, &code),
        None => write(&suite, code),
    }
}

/// Of which calls the title of a test tells enough to distinguish them from other calls of the function.
pub(crate) fn tells(test: &SuiteTest, code: &Code) -> Tells {
    let mut test = test.clone();
    test.assertions.iter_mut().chain(&mut test.after).for_each(|value| rename(value, code));
    Test::new(&test, code).write().tells
}

/// Replaces the names of classes with the names under which they are exported.
fn rename(value: &mut serde_json::Value, code: &Code) {
    match value {
        serde_json::Value::Object(parts) => {
            if let Some(serde_json::Value::String(name)) = parts.get_mut("object")
                && let Some(exported) = code.classes.get(name).and_then(|path| path.last())
                && exported != DEFAULT
                && code.classes.contains_key(exported)
            {
                name.clone_from(exported);
            }
            parts.values_mut().for_each(|part| rename(part, code));
        }
        serde_json::Value::Array(items) => items.iter_mut().for_each(|item| rename(item, code)),
        _ => {}
    }
}

/// The suite and the options with the default export as the subject, if tests use no other export
/// of a module.
fn of_default(suite: &Suite, code: &Code) -> Option<(Suite, Code)> {
    let is_default = |path: &Vec<String>| path.first().is_some_and(|name| name == DEFAULT);
    let (mut suite, mut code) = (suite.clone(), code.clone());
    let uses = |it: &&mut Statement| {
        matches!(it.operation, Operation::New | Operation::Call | Operation::Code)
    };
    let statements = suite.tests.iter_mut().flat_map(|test| &mut test.statements);
    let mut paths: Vec<&mut Vec<String>> =
        statements.filter(uses).map(|statement| &mut statement.path).collect();
    paths.extend(code.classes.values_mut());
    if code.script || paths.is_empty() || !paths.iter().all(|path| is_default(path)) {
        return None;
    }
    paths.into_iter().for_each(|path| drop(path.remove(0)));
    code.namespace.push(DEFAULT.to_owned());
    Some((suite, code))
}

fn write(suite: &Suite, code: &Code) -> Exported {
    let mut groups: BTreeMap<String, String> = BTreeMap::new();
    let (mut skipped, mut titles) = (Vec::new(), Vec::new());
    let mut known: BTreeSet<(String, String)> = BTreeSet::new();
    let word = if code.style == Style::Mocha { "it" } else { "test" };
    let chosen = chosen(suite, code);
    let shown: Vec<(String, &[Argument])> =
        chosen.iter().filter_map(|(_, it)| called(it.as_ref().ok()?)).collect();
    for (number, chosen) in &chosen {
        let number = *number;
        let test = match chosen {
            Ok(test) => test,
            Err(reason) => {
                skipped.push((number, reason.clone()));
                continue;
            }
        };
        let written = Test::new(test, code).write();
        if test.shown.is_some() && !written.asserts {
            skipped.push((number, "nothing of its result can be asserted".to_owned()));
            continue;
        }
        let mut title = written.title;
        if !written.complete
            && let Some(words) = called(test).and_then(|own| decisive_among(&own, &shown))
            && !title.contains(words.splitn(3, ' ').last().unwrap_or_default())
        {
            let longer = format!("{} {words}", written.brief);
            title = if longer.chars().count() <= LONGEST_TITLE { longer } else { title };
        }
        let taken = |title: &String| known.contains(&(written.group.clone(), title.clone()));
        if taken(&title) {
            let fits = |it: &String| it.chars().count() <= LONGEST_TITLE && !taken(it);
            let longer = written.longer.into_iter().find(fits);
            title = longer.unwrap_or(title);
        }
        if taken(&title) {
            let reason = "another test has the same title".to_owned();
            skipped.push((number, reason));
            continue;
        }
        known.insert((written.group.clone(), title.clone()));
        let is_async = written.lines.iter().any(|line| line.contains("await "));
        let t =
            if written.lines.iter().any(|line| line.contains("t.assert.")) { "t" } else { "()" };
        let head = format!("{}{t} => {{", if is_async { "async " } else { "" });
        let body = written.lines.join("\n");
        let group = groups.entry(written.group.clone()).or_default();
        if !group.is_empty() {
            group.push('\n');
        }
        let _ = write!(group, "  {word}({}, {head}\n{body}\n  }});\n", literals::title(&title));
        titles.push((number, written.group, title));
    }
    let mut body = String::new();
    for (group, tests) in &groups {
        let _ = write!(body, "describe({}, () => {{\n{tests}}});\n\n", quoted(group));
    }
    let mut text = code.head(suite);
    for (call, helper) in HELPERS {
        if body.contains(call) {
            text.push_str(helper);
        }
    }
    text.push_str(body.trim_end());
    text.push('\n');
    Exported { text, skipped, titles }
}

/// The call that a test shows, as a key, and its arguments.
fn called(test: &SuiteTest) -> Option<(String, &[Argument])> {
    let last = test.statements.len().checked_sub(1)?;
    let statement = &test.statements[test.focus.unwrap_or(last).min(last)];
    Some((crate::refining::key(statement)?, &statement.arguments))
}

/// Words about the member in which the arguments of a call differ from the arguments of all other
/// calls of the function.
fn decisive_among(own: &(String, &[Argument]), all: &[(String, &[Argument])]) -> Option<String> {
    let others = all.iter().filter(|(key, given)| *key == own.0 && *given != own.1);
    let mut words = others.map(|(_, given)| differences::decisive(own.1, given));
    let first = words.next()??;
    words.all(|it| it.as_ref() == Some(&first)).then_some(first)
}

/// The tests that are written, shortened if necessary, and the reasons why the others are left out.
fn chosen(suite: &Suite, code: &Code) -> Vec<(usize, Result<SuiteTest, String>)> {
    let mut chosen: Vec<(usize, Result<SuiteTest, String>)> = Vec::new();
    let mut errors = Vec::new();
    for (number, test) in suite.tests.iter().enumerate() {
        if !test.limit.is_empty() {
            let reason = match test.limit.as_str() {
                "rejection" => "it leaves a rejection that nothing handles".to_owned(),
                "timer" => {
                    "a callback that runs after it, such as a timer, throws an exception".to_owned()
                }
                limit => format!("the limit `{limit}` is reached after its last statement"),
            };
            chosen.push((number, Err(reason)));
            continue;
        }
        let mut test = test.clone();
        test.assertions.iter_mut().chain(&mut test.after).for_each(|value| hide(value, code));
        let thrown = test.assertions.last().and_then(thrown_by).map(|(_, name)| name.to_owned());
        if let Some(name) = thrown.filter(|_| !code.all_errors) {
            let own = test.assertions.last().is_some_and(|last| last.get("message").is_some())
                || !OF_THE_LANGUAGE.contains(&&*name);
            if own {
                errors.push(chosen.len());
            } else if !shortened(&mut test, code) {
                let reason =
                    format!("it only shows a {name} of the language; --all-errors writes all");
                chosen.push((number, Err(reason)));
                continue;
            }
        }
        chosen.push((number, Ok(test)));
    }
    let written = chosen.iter().filter(|(_, test)| test.is_ok()).count();
    let others = written - errors.len();
    // At most a tenth of all tests, but at least one.
    let most = (others / 9).max(1);
    let mut seen = BTreeSet::new();
    let mut kept = 0;
    // Different errors come first.
    let (first, again): (Vec<usize>, Vec<usize>) = errors.into_iter().partition(|at| {
        let test = chosen[*at].1.as_ref().ok();
        let last = test.and_then(|test| Some((test.statements.last()?, test.assertions.last()?)));
        last.is_some_and(|(statement, thrown)| {
            seen.insert((statement.path.clone(), statement.name.clone(), thrown.to_string()))
        })
    });
    for at in first.into_iter().chain(again) {
        kept += 1;
        if kept > most
            && let Ok(test) = &mut chosen[at].1
            && !shortened(test, code)
        {
            let reason =
                "enough other tests show errors; --all-errors writes all of them".to_owned();
            chosen[at].1 = Err(reason);
        }
    }
    chosen
}

fn hide(value: &mut serde_json::Value, code: &Code) {
    if code.hidden.is_empty() {
        return;
    }
    match value {
        serde_json::Value::Object(parts) => {
            if let Some(members) = parts.get_mut("members").and_then(|it| it.as_object_mut()) {
                let is_hidden = |name: &str| {
                    code.hidden.iter().any(|known| known.rsplit('.').next() == Some(name))
                };
                members.retain(|name, _| !is_hidden(name));
            }
            parts.values_mut().for_each(|part| hide(part, code));
        }
        serde_json::Value::Array(items) => items.iter_mut().for_each(|item| hide(item, code)),
        _ => {}
    }
}

/// Removes the last statement of a test that is not refined, if results of earlier statements can
/// be asserted. Returns whether the statement was removed.
fn shortened(test: &mut SuiteTest, code: &Code) -> bool {
    if test.shown.is_some() {
        return false;
    }
    let count = test.statements.len().saturating_sub(1);
    let asserts = |value: &serde_json::Value| {
        value.get("undefined").is_none()
            && value.get("flaky").is_none()
            && !claims(value, &code.classes).is_empty()
    };
    if !test.assertions[..count].iter().any(asserts) {
        return false;
    }
    test.statements.truncate(count);
    test.assertions.truncate(count);
    // The states were observed after the removed statement, so only the classes are known.
    test.after.truncate(count);
    for state in test.after.iter_mut().filter(|state| !state.is_null()) {
        *state = serde_json::json!({"object": state["object"]});
    }
    true
}

/// The code of a function that returns a simple constant; `None` for other arguments.
pub fn code_of_constant(argument: &Argument) -> Option<String> {
    match argument {
        Argument::Function(what, result) => {
            let other = ["first", "throws", "writes", "calls", "passes"].contains(&what.as_str());
            let open = literals::is_object(result) || matches!(**result, Argument::Variable(_));
            (!other && !open).then(|| literals::argument(argument, &[]).flat())
        }
        _ => None,
    }
}

/// Names of the definitions of a script that a suite uses.
pub fn names_of_script(suite: &Suite) -> Vec<&str> {
    let statements = suite.tests.iter().flat_map(|test| &test.statements);
    let names: BTreeSet<&str> =
        statements.filter_map(|each| each.path.first().map(String::as_str)).collect();
    names.into_iter().collect()
}

#[cfg(test)]
mod tests;
