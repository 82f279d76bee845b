//! The lines of a test: calls, and assertions in the form of its framework.

use catherd_javascript_machine::{Operation, Statement};
use serde_json::Value;

use super::Style;
use super::claims::{Claim, Expected, Part};
use super::layout::Doc;
use super::literals::{literal, quoted, string};
use super::observed::Thrown;
use super::test::Test;

/// Indentation of the lines of a test.
const INDENT: usize = 4;

impl Test<'_> {
    pub(super) fn assertion(&self, value: Doc, claim: &Claim) -> String {
        let bare = value.clone();
        let value = match claim.part.as_str() {
            "" => value,
            part => Doc::Row(vec![value, Doc::text(part)]),
        };
        let around = |before: &str, value: Doc, after: &str| {
            Doc::Row(vec![Doc::text(before), value, Doc::text(after)])
        };
        let (value, expected, deep) = match &claim.expected {
            Expected::Same(expected) => (value, expected.clone(), false),
            Expected::Equal(expected) => (value, expected.clone(), true),
            Expected::Type(kind) => (around("typeof ", value, ""), Doc::text(quoted(kind)), false),
            Expected::Array => (around("Array.isArray(", value, ")"), Doc::text("true"), false),
            Expected::Promise => return self.instance(value, "Promise"),
            Expected::Instance(access) => {
                let class = format!("{}{access}", self.code.name_of_subject());
                return self.instance(value, &class);
            }
            Expected::Snapshot => {
                return line(match self.code.style {
                    Style::Jest => Doc::Row(vec![
                        Doc::list("expect(", vec![value], ")"),
                        Doc::text(".toMatchSnapshot();"),
                    ]),
                    _ => Doc::list("t.assert.snapshot(", vec![value], ");"),
                });
            }
        };
        let whole = value.clone();
        line(match self.code.style {
            Style::Jest => {
                let flat = expected.flat();
                let value = |value| Doc::list("expect(", vec![value], ")");
                match (flat.as_str(), claim.at.clone()) {
                    ("undefined", _) => {
                        Doc::Row(vec![value(whole), Doc::text(".toBeUndefined();")])
                    }
                    ("null", _) => Doc::Row(vec![value(whole), Doc::text(".toBeNull();")]),
                    (_, Part::Count) if claim.part == ".length" => Doc::Row(vec![
                        value(bare),
                        Doc::list(".toHaveLength(", vec![expected], ");"),
                    ]),
                    _ => {
                        let word = if deep { ".toStrictEqual(" } else { ".toBe(" };
                        Doc::Row(vec![value(whole), Doc::list(word, vec![expected], ");")])
                    }
                }
            }
            _ => {
                let word = if deep { "assert.deepEqual(" } else { "assert.equal(" };
                Doc::list(word, vec![value, expected], ");")
            }
        })
    }

    fn instance(&self, value: Doc, class: &str) -> String {
        line(match self.code.style {
            Style::Jest => Doc::Row(vec![
                Doc::list("expect(", vec![value], ")"),
                Doc::text(format!(".toBeInstanceOf({class});")),
            ]),
            _ => {
                let is = Doc::Row(vec![value, Doc::text(format!(" instanceof {class}"))]);
                Doc::list("assert.ok(", vec![is], ");")
            }
        })
    }

    /// The assertion that a statement throws nothing.
    pub(super) fn completes(&self, statement: &Statement, expression: Doc) -> String {
        if statement.operation == Operation::Set {
            return line(Doc::Row(vec![expression, Doc::text(";")]));
        }
        let body = Doc::Row(vec![Doc::text("() => "), expression]);
        line(match self.code.style {
            Style::Jest => {
                Doc::Row(vec![Doc::list("expect(", vec![body], ")"), Doc::text(".not.toThrow();")])
            }
            _ => Doc::list("assert.doesNotThrow(", vec![body], ");"),
        })
    }

    /// The assertion that a statement throws an exception or that its promise is rejected.
    pub(super) fn throws(
        &self,
        how: Thrown,
        name: &str,
        expression: Doc,
        expected: &Value,
    ) -> String {
        let entry =
            |key: &str, text: &str| Doc::Row(vec![Doc::text(format!("{key}: ")), string(text)]);
        let mut members = vec![entry("name", name)];
        if let Some(message) = expected.get("message").and_then(Value::as_str) {
            members.push(entry("message", message));
        }
        let is_error = !name.is_empty();
        let value = expected.get("value").and_then(literal);
        let rejects = how == Thrown::Rejection;
        let called = Doc::Row(vec![Doc::text("() => "), expression.clone()]);
        let argument = if rejects { expression } else { called };
        let mut items = vec![argument.clone()];
        let text = match (self.code.style, rejects) {
            (Style::Jest, _) => {
                let matcher = match (is_error, value, rejects) {
                    (true, ..) => Doc::Row(vec![
                        Doc::text(if rejects { ".rejects.toEqual(" } else { ".toThrow(" }),
                        Doc::list("expect.objectContaining(", vec![Doc::object(members)], ")"),
                        Doc::text(");"),
                    ]),
                    (_, Some(value), true) => {
                        Doc::list(".rejects.toStrictEqual(", vec![value], ");")
                    }
                    (_, None, true) => Doc::text(".rejects.toBeDefined();"),
                    _ => Doc::text(".toThrow();"),
                };
                let before = Doc::text(if rejects { "await " } else { "" });
                Doc::Row(vec![before, Doc::list("expect(", vec![argument], ")"), matcher])
            }
            (_, rejects) => {
                if is_error {
                    items.push(Doc::object(members));
                } else if let Some(value) = value {
                    let body =
                        Doc::list("Object.is(", vec![Doc::text("thrown"), value.clone()], ")");
                    if !value.flat().starts_with(['[', '{', 'n']) {
                        items.push(Doc::Row(vec![Doc::text("thrown => "), body]));
                    }
                }
                let word = if rejects { "await assert.rejects(" } else { "assert.throws(" };
                Doc::list(word, items, ");")
            }
        };
        line(text)
    }
}

pub(super) fn line(doc: Doc) -> String {
    format!("{}{}", " ".repeat(INDENT), doc.write(INDENT, INDENT))
}
