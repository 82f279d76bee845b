//! Tests of functions that copy: the copy must be a separate object.

use catherd_javascript_machine::{Argument, Operation, Statement};

use super::Style;
use super::claims::{Claim, Expected};
use super::layout::{Doc, length};
use super::lines::line;
use super::literals::{argument, member};
use super::test::{Found, TAKEN, Test};
use super::titles::LONGEST_OF_LINE;

const NAMES: [&str; 2] = ["original", "copy"];

/// A call of a function that copies its first argument.
pub(super) struct Copy<'t> {
    statement: &'t Statement,
    claim: &'t Claim,
    /// The copied value as code.
    value: Doc,
    /// The access to a collection in the value that is copied as well, such as `.b`.
    inner: Option<String>,
}

/// Whether the name of a function mentions copying, and whether it mentions depth.
fn copies(name: &str) -> (bool, bool) {
    let lower = name.to_lowercase();
    (["copy", "clone"].iter().any(|word| lower.contains(word)), lower.contains("deep"))
}

/// The access to the first member or element that is an array or an object.
fn inner(value: &Argument) -> Option<String> {
    let is_collection = |it: &Argument| matches!(it, Argument::Object(_) | Argument::Array(_));
    match value {
        Argument::Object(members) => {
            members.iter().find(|(_, it)| is_collection(it)).map(|(name, _)| member(name))
        }
        Argument::Array(items) => items.iter().position(is_collection).map(|at| format!("[{at}]")),
        _ => None,
    }
}

impl Test<'_> {
    /// The copying call, if it is all that the test shows. Only Node.js shows whether the copy is a
    /// separate object.
    pub(super) fn copy<'t>(&'t self, found: &'t [Found]) -> Option<Copy<'t>> {
        let ([statement], [each]) = (&self.test.statements[..], found) else { return None };
        let [claim] = &each.claims[..] else { return None };
        let name = statement.path.iter().rev().find(|name| *name != "default");
        let (copies, deep) = copies(name.unwrap_or(&self.code.own_name));
        let (value, others) = statement.arguments.split_first()?;
        let collection = matches!(value, Argument::Object(_) | Argument::Array(_));
        let doc = argument(value, &[]);
        let same = matches!(&claim.expected, Expected::Equal(it) if it.flat() == doc.flat());
        let taken = |name: &&str| {
            *name == self.code.name_of_subject() || TAKEN.split_whitespace().any(|it| it == *name)
        };
        let fits = self.code.confirmed && copies && collection && same && !each.at_end;
        if statement.operation != Operation::Call || !fits || NAMES.iter().any(taken) {
            return None;
        }
        let inner = inner(value).filter(|_| deep && others.is_empty());
        Some(Copy { statement, claim, value: doc, inner })
    }

    pub(super) fn lines_of_copy(&self, copy: &Copy<'_>) -> Vec<String> {
        let [original, name] = NAMES;
        let define = |name: &str, value: Doc| {
            let open = Doc::text(format!("const {name} = "));
            line(Doc::Row(vec![open, value, Doc::text(";")]))
        };
        let mut call = copy.statement.clone();
        call.arguments[0] = Argument::Variable(0);
        let names = [original.to_owned()];
        let mut lines = vec![
            define(original, copy.value.clone()),
            define(name, self.expression_with(&call, &names)),
            self.assertion(Doc::text(name), copy.claim),
            self.differs(name, original),
        ];
        if let Some(inner) = &copy.inner {
            lines.push(self.differs(&format!("{name}{inner}"), &format!("{original}{inner}")));
        }
        lines
    }

    pub(super) fn title_of_copy(&self, copy: &Copy<'_>, name: &str) -> Option<String> {
        let title = format!("{name} returns a separate copy of {}", copy.value.flat());
        let fits = copy.statement.arguments.len() == 1 && length(&title) <= LONGEST_OF_LINE;
        fits.then_some(title)
    }

    /// The assertion that two values are not the same object.
    fn differs(&self, one: &str, other: &str) -> String {
        line(match self.code.style {
            Style::Jest => Doc::text(format!("expect({one}).not.toBe({other});")),
            _ => Doc::text(format!("assert.notEqual({one}, {other});")),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_which_functions_copy() {
        assert_eq!(copies("cloneDeep"), (true, true));
        assert_eq!(copies("fastCopy"), (true, false));
        assert_eq!(copies("merge"), (false, false));
        let list = Argument::Array(vec![Argument::Null, Argument::Array(Vec::new())]);
        assert_eq!(inner(&list).as_deref(), Some("[1]"));
        assert_eq!(inner(&Argument::Object(vec![("a".to_owned(), list)])).as_deref(), Some(".a"));
        assert_eq!(inner(&Argument::Null), None);
    }
}
