//! Writes one test as code.

use std::collections::BTreeSet;

use catherd_javascript_machine::{Argument, Operation, Statement};

use super::Code;
use super::claims::{Claim, Expected, choices, claims};
use super::heading::Heading;
use super::layout::{Doc, length};
use super::lines::line;
use super::literals::{argument, member};
use super::names::{name_of_value, name_of_variable};
use super::observed::{asserted, thrown_by};
use super::told::Tells;
use crate::suite::{ShownValue, SuiteTest};

/// Maximum length, in characters, of names that minifiers give to classes.
const SHORTEST: usize = 2;

/// Maximum number of assertions of a test.
pub(crate) const MAX_ASSERTIONS: usize = 5;

/// Names that the code uses itself, so that no variable may have them.
pub(super) const TAKEN: &str = "subject load rejected assert describe test expect it require module exports \
    process globalThis arguments eval await async beforeEach break case catch class const continue \
    debugger default delete do else enum export extends false finally for function if implements \
    import in instanceof interface let new null package private protected public return static super \
    switch this throw true try typeof var void while with yield undefined NaN Infinity loads files jest thrown t callsBackWith passesOn returns";

pub(super) struct Written {
    /// The class or function under test, which names the group.
    pub(super) group: String,
    pub(super) title: String,
    /// The title without arguments.
    pub(super) brief: String,
    /// Longer titles, the best first, which are used if several tests have the same title.
    pub(super) longer: Vec<String>,
    pub(super) lines: Vec<String>,
    /// Whether more is asserted than that nothing is thrown.
    pub(super) asserts: bool,
    /// Of which calls the title tells enough.
    pub(super) tells: Tells,
    /// Whether the title contains all arguments of the call in full.
    pub(super) complete: bool,
}

pub(super) struct Test<'s> {
    pub(super) test: &'s SuiteTest,
    pub(super) code: &'s Code,
    /// Names of variables by statement.
    pub(super) names: Vec<String>,
    /// Number of the call that the test shows.
    pub(super) focus: usize,
}

/// The claims about the result of a statement, or about the state of a variable at the end.
pub(super) struct Found {
    pub(super) index: usize,
    pub(super) at_end: bool,
    pub(super) claims: Vec<Claim>,
    /// How important the value is in the test; larger is more important.
    weight: usize,
}

/// The name of the class whose instance a statement constructs or returns.
pub(super) fn class_of<'t>(test: &'t SuiteTest, code: &'t Code, index: usize) -> Option<&'t str> {
    let statement = test.statements.get(index)?;
    if statement.operation != Operation::New {
        let name = test.assertions.get(index)?.get("object")?.as_str()?;
        return (name.len() > SHORTEST || code.classes.contains_key(name)).then_some(name);
    }
    let path = &statement.path;
    let own = || test.after.get(index)?.get("object")?.as_str().filter(|it| it.len() > SHORTEST);
    let export = || (!code.own_name.is_empty()).then_some(code.own_name.as_str());
    let last = path.last().map(String::as_str).filter(|name| *name != "default");
    last.or_else(own).or_else(export)
}

/// The name of the function or method that a statement calls, without the names before it.
fn called<'t>(statement: &'t Statement, code: &'t Code) -> &'t str {
    match (statement.operation, statement.path.last()) {
        (Operation::Method, _) => &statement.name,
        (Operation::New | Operation::Call, Some(name)) if name != "default" => name,
        (Operation::New | Operation::Call, _) => &code.own_name,
        _ => "",
    }
}

impl<'s> Test<'s> {
    pub(super) fn new(test: &'s SuiteTest, code: &'s Code) -> Test<'s> {
        let last = test.statements.len().saturating_sub(1);
        let receives = |index: usize| {
            test.statements.iter().any(|each| each.variables().contains(&index)) || index == last
        };
        let (mut names, mut used): (Vec<String>, Vec<String>) = Default::default();
        for (index, statement) in test.statements.iter().enumerate() {
            let base = match statement.operation {
                Operation::New => class_of(test, code, index).unwrap_or("instance"),
                Operation::Value => name_of_value(statement),
                _ if index != last => class_of(test, code, index).unwrap_or("result"),
                _ => "result",
            };
            let usual = code.variables.get(called(statement, code));
            let usual = usual.filter(|_| statement.operation == Operation::New || index != last);
            let free = |name: &str| {
                name != code.name_of_subject() && !TAKEN.split_whitespace().any(|it| it == name)
            };
            let usual = usual.filter(|name| free(name)).cloned();
            let mut name = usual.unwrap_or_else(|| name_of_variable(base));
            if !free(&name) {
                name = if statement.operation == Operation::New { "instance" } else { "value" }
                    .to_owned();
            }
            // Results that nothing uses have no variable.
            if receives(index) {
                let same = |known: &String| used.contains(known);
                let numbered = (2..).map(|number| format!("{name}{number}"));
                let other = format!("other{}{}", name[..1].to_ascii_uppercase(), &name[1..]);
                let mut tried = [name.clone(), other].into_iter().chain(numbered);
                name = tried.find(|known| !same(known)).unwrap_or_default();
                used.push(name.clone());
            }
            names.push(name);
        }
        let focus = test.focus.filter(|focus| *focus < last).unwrap_or(last);
        Test { test, code, names, focus }
    }

    pub(super) fn write(self) -> Written {
        let found = self.chosen(self.found());
        let copy = self.copy(&found);
        let lines = copy.as_ref().map_or_else(|| self.lines(&found), |it| self.lines_of_copy(it));
        let throws = self.test.assertions.last().is_some_and(|last| thrown_by(last).is_some());
        let asserts = throws || found.iter().any(|each| !each.claims.is_empty());
        let target = self.target(self.focus);
        let (group, name) = match target.split_once('.') {
            Some((group, name)) => (group.to_owned(), name.to_owned()),
            None => (target.clone(), target.clone()),
        };
        let Some(heading) = self.heading(&name, &found) else {
            let brief = name.clone();
            let longer = Vec::new();
            let (tells, complete) = (Tells::Nothing, false);
            return Written { group, title: name, brief, longer, lines, asserts, tells, complete };
        };
        let group = if group.is_empty() { "subject".to_owned() } else { group };
        let Heading { title, brief, longer, tells, complete } = heading;
        let title = copy.and_then(|it| self.title_of_copy(&it, &name)).unwrap_or(title);
        Written { group, title, brief, longer, lines, asserts, tells, complete }
    }

    /// The claims about the values of the test: the chosen claims, or else all claims.
    fn found(&self) -> Vec<Found> {
        let test = self.test;
        let last = test.statements.len().saturating_sub(1);
        let receiver = test.statements.last().map(|statement| statement.receiver);
        let mut found = Vec::new();
        // Members are in the order of the arguments or of examples.
        let mut order: Vec<String> = Vec::new();
        for argument in test.statements.iter().flat_map(|statement| &statement.arguments) {
            argument.visit(&mut |part| {
                if let Argument::Object(members) = part {
                    order.extend(members.iter().map(|(name, _)| name.clone()));
                }
            });
        }
        order.extend(self.code.members.iter().cloned());
        for (index, at_end, value) in asserted(test) {
            let mut claims = claims(value, &self.code.classes);
            if let Some(shown) = &test.shown {
                let of_value = |each: &&ShownValue| (each.index, each.at_end) == (index, at_end);
                let parts: Vec<&str> =
                    shown.iter().filter(of_value).map(|each| each.part.as_str()).collect();
                let chosen = choices(value, &self.code.classes);
                let chosen = chosen.into_iter().filter(|claim| parts.contains(&&*claim.part));
                // Keep only the first claim about each part, which is the strongest.
                let mut chosen: Vec<Claim> = chosen.collect();
                let mut known = BTreeSet::new();
                chosen.retain(|claim| known.insert(claim.part.clone()));
                match (parts.is_empty(), chosen.is_empty()) {
                    (true, _) => continue,
                    // The value has changed since the assertions were chosen.
                    (_, true) => {}
                    _ => claims = chosen,
                }
            }
            if !self.code.snapshots {
                claims.retain(|claim| claim.expected != Expected::Snapshot);
            }
            for claim in &mut claims {
                claim.expected = match claim.expected.clone() {
                    Expected::Equal(doc) => Expected::Equal(doc.ordered(&order)),
                    other => other,
                };
            }
            let weight = match (at_end, index == last, Some(index) == receiver) {
                (false, true, _) => 1_000,
                (true, _, true) => 500,
                (false, ..) => 100 + index,
                (true, ..) => 50,
            };
            found.push(Found { index, at_end, claims, weight });
        }
        found
    }

    /// The claims about the most important values.
    fn chosen(&self, mut found: Vec<Found>) -> Vec<Found> {
        // Assert that nothing is returned only if there are no other assertions.
        let nothing = |each: &Found| {
            !each.at_end && self.test.assertions[each.index].get("undefined").is_some()
        };
        if found.iter().any(|each| !nothing(each) && !each.claims.is_empty()) {
            found.retain(|each| !nothing(each));
        }
        found.sort_by_key(|each| std::cmp::Reverse(each.weight));
        let throws = self.test.assertions.last().is_some_and(|last| thrown_by(last).is_some());
        let mut left = MAX_ASSERTIONS - usize::from(throws);
        if throws && self.test.shown.is_some() {
            // A refined test shows one call. If the call throws, the results of earlier calls are
            // not asserted, because they do not describe the error.
            found.clear();
        } else if throws {
            // Leave out types and classes, because they do not describe the error.
            found.iter_mut().for_each(|each| each.claims.retain(|claim| !claim.is_type()));
        }
        for each in &mut found {
            each.claims.truncate(left);
            left -= each.claims.len();
        }
        found.retain(|each| !each.claims.is_empty());
        found.sort_by_key(|each| (each.at_end, each.index));
        found
    }

    fn lines(&self, found: &[Found]) -> Vec<String> {
        let test = self.test;
        let mut used = vec![false; test.statements.len()];
        for statement in &test.statements {
            for variable in statement.variables() {
                if let Some(used) = used.get_mut(variable) {
                    *used = true;
                }
            }
        }
        for each in found {
            used[each.index] |= each.at_end || each.claims.len() > 1;
        }
        let mut lines = Vec::new();
        let count = test.statements.len();
        for (index, statement) in test.statements.iter().enumerate() {
            let expected = &test.assertions[index];
            let expression = self.expression(statement);
            if let Some((how, name)) = thrown_by(expected) {
                lines.push(self.throws(how, name, expression, expected));
                continue;
            }
            let pending = expected.get("type").is_some_and(|kind| kind == "promise");
            let awaits = statement.awaits && !pending;
            let expression = match awaits {
                true => Doc::Row(vec![Doc::text("await "), expression]),
                false => expression,
            };
            let claims = found.iter().find(|each| each.index == index && !each.at_end);
            let claims = claims.map_or(&[][..], |each| &each.claims);
            let name = &self.names[index];
            if used[index] {
                lines.push(line(Doc::Row(vec![
                    Doc::text(format!("const {name} = ")),
                    expression,
                    Doc::text(";"),
                ])));
                lines.extend(claims.iter().map(|claim| self.assertion(Doc::text(name), claim)));
            } else if let [claim] = claims {
                let expression = match (awaits, claim.part.is_empty()) {
                    (true, false) => Doc::Row(vec![Doc::text("("), expression, Doc::text(")")]),
                    _ => expression,
                };
                lines.push(self.assertion(expression, claim));
            } else if found.is_empty() && index + 1 == count && !awaits {
                lines.push(self.completes(statement, expression));
            } else {
                lines.push(line(Doc::Row(vec![expression, Doc::text(";")])));
            }
        }
        for each in found.iter().filter(|each| each.at_end) {
            let name = Doc::text(&self.names[each.index]);
            lines.extend(each.claims.iter().map(|claim| self.assertion(name.clone(), claim)));
        }
        lines
    }

    pub(super) fn is_value(&self, index: usize) -> bool {
        self.test.statements[index].operation == Operation::Value
    }

    /// Whether a statement calls a function that another statement returned, without a receiver.
    pub(super) fn applies(&self, statement: &Statement) -> bool {
        let function = self.test.assertions.get(statement.receiver);
        statement.operation == Operation::Method
            && statement.name == "call"
            && function.is_some_and(|value| value["type"] == "function")
            && matches!(statement.arguments.first(), None | Some(Argument::Undefined))
    }

    /// The name of the called function or method, such as `Chain.add`.
    fn target(&self, index: usize) -> String {
        let Some(statement) = self.test.statements.get(index) else { return String::new() };
        match statement.operation {
            Operation::New | Operation::Call | Operation::Code
                if !statement.path.is_empty() && statement.path != ["default"] =>
            {
                statement.path.join(".")
            }
            Operation::New => class_of(self.test, self.code, index).unwrap_or("exports").to_owned(),
            Operation::Call | Operation::Code if self.code.own_name.is_empty() => {
                "exports".to_owned()
            }
            Operation::Call | Operation::Code => self.code.own_name.clone(),
            _ if self.applies(statement) => {
                let mut origin = statement.receiver;
                while self.test.statements.get(origin).is_some_and(|each| self.applies(each)) {
                    origin = self.test.statements[origin].receiver;
                }
                let path = self.test.statements.get(origin).and_then(|it| it.path.last());
                let class = path.map(String::as_str);
                let class = class.or_else(|| class_of(self.test, self.code, origin));
                let own = (!self.code.own_name.is_empty()).then_some(self.code.own_name.as_str());
                let class = class.or(own).unwrap_or("exports");
                let made = &self.test.statements[origin].arguments;
                let made = made.iter().map(|value| argument(value, &self.names).flat());
                let made = made.collect::<Vec<_>>().join(", ");
                match made.is_empty() || length(&made) > 24 {
                    true => format!("{class}.the returned function"),
                    // The call that returned the function identifies it.
                    false => format!("{class}.{class}({made})"),
                }
            }
            _ => {
                let class = class_of(self.test, self.code, statement.receiver);
                // Plain objects are named after the function that returned them.
                let made = self.test.statements.get(statement.receiver);
                let made = made.map(|made| called(made, self.code)).filter(|name| !name.is_empty());
                format!("{}.{}", class.or(made).unwrap_or("exports"), statement.name)
            }
        }
    }

    pub(super) fn expression(&self, statement: &Statement) -> Doc {
        self.expression_with(statement, &self.names)
    }

    /// `names` are the names of the variables.
    pub(super) fn expression_with(&self, statement: &Statement, names: &[String]) -> Doc {
        let arguments = statement.arguments.iter().map(|value| argument(value, names));
        let arguments: Vec<Doc> = arguments.collect();
        let path: String = statement.path.iter().map(|name| member(name)).collect();
        let subject = self.code.name_of_subject();
        let receiver = names.get(statement.receiver).map_or(subject, String::as_str);
        let name = member(&statement.name);
        match statement.operation {
            Operation::New => Doc::list(format!("new {subject}{path}("), arguments, ")"),
            Operation::Call | Operation::Code => {
                Doc::list(format!("{subject}{path}("), arguments, ")")
            }
            Operation::Method if self.applies(statement) => {
                let arguments = arguments.into_iter().skip(1).collect();
                Doc::list(format!("{receiver}("), arguments, ")")
            }
            Operation::Method => Doc::list(format!("{receiver}{name}("), arguments, ")"),
            Operation::Value => Doc::Row(arguments),
            Operation::Get => Doc::text(format!("{receiver}{name}")),
            Operation::Set => {
                let mut parts = vec![Doc::text(format!("{receiver}{name} = "))];
                parts.extend(arguments);
                Doc::Row(parts)
            }
        }
    }
}
