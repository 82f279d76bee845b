//! The kinds of values.

use std::collections::BTreeSet;

use catherd_javascript_machine::Argument;
use catherd_javascript_machine::instrument::{Literal, Shape};

use super::conventions;
use super::usage::Usage;
use crate::words;

/// Maximum depth to which declared types are followed.
const DEEPEST: usize = 6;

impl Usage {
    /// The kinds of values that members of this name have in the documentation, tests and examples.
    pub(super) fn kinds_of_member(&self, name: &str) -> BTreeSet<&'static str> {
        let kind = |(at, _): (usize, &str)| {
            let before = self.texts[..at].chars().next_back();
            let quote = |c: char| "'\"".contains(c);
            if before.is_some_and(|c| c.is_alphanumeric() || "_$-.".contains(c)) {
                return None;
            }
            let rest = &self.texts[at + name.len()..];
            let rest = rest.strip_prefix(quote).unwrap_or(rest).strip_prefix(':')?.trim_start();
            let begins = |words: &[&str]| words.iter().any(|word| rest.starts_with(word));
            match rest.chars().next()? {
                '[' => Some("array"),
                '{' => Some("object"),
                '\'' | '"' | '`' => Some("string"),
                c if c.is_ascii_digit() || c == '-' => Some("number"),
                _ if begins(&["true", "false"]) => Some("boolean"),
                _ if begins(&["function", "(", "async"]) => Some("function"),
                _ => None,
            }
        };
        match name.is_empty() {
            true => BTreeSet::new(),
            false => self.texts.match_indices(name).filter_map(kind).collect(),
        }
    }

    /// The kind of an option according to the documentation, or the usual kind for its name.
    pub(super) fn kind_of_option(&self, name: &str) -> Option<&'static str> {
        self.kinds.get(name).copied().or_else(|| conventions::kind_by_name(name))
    }

    /// Whether an argument fits a declared type; true if this is not known.
    pub(super) fn fits(&self, shape: &Shape, argument: &Argument, depth: usize) -> bool {
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
                    // A short name is a type parameter.
                    None if name.len() <= 2 => {
                        !matches!(argument, Argument::Boolean(_) | Argument::Null)
                    }
                    // Other types are rarely simple values.
                    None => matches!(kind(argument), None | Some("object" | "map" | "set")),
                }
            }
        }
    }
}

/// Whether a part of an argument has a kind or a length that it has in no example.
pub(super) fn differs(argument: &Argument, calls: &[&Vec<Literal>], position: usize) -> bool {
    if let Argument::Array(items) = argument {
        let lists = calls.iter().filter_map(|call| match call.get(position)? {
            Literal::Array(items) => Some(items),
            _ => None,
        });
        // Lists in a list, such as points, must be as long as in examples.
        let inner = lists.clone().flatten().filter_map(|it| match it {
            Literal::Array(items) => Some(items.len()),
            _ => None,
        });
        let inner: BTreeSet<usize> = inner.collect();
        let of_other_length =
            |it: &Argument| matches!(it, Argument::Array(items) if !inner.contains(&items.len()));
        if inner.len() == 1 && items.iter().any(of_other_length) {
            return true;
        }
        let kinds: BTreeSet<&str> = lists.flatten().filter_map(kind_of).collect();
        let other = |it: &Argument| kind(it).is_some_and(|kind| !kinds.contains(kind));
        return !kinds.is_empty() && items.iter().any(other);
    }
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

/// The kind of an argument; `None` if the kind is not known.
pub(super) fn kind(argument: &Argument) -> Option<&'static str> {
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

pub(super) fn kind_of(literal: &Literal) -> Option<&'static str> {
    match literal {
        Literal::Other => None,
        Literal::Array(_) => Some("array"),
        Literal::Object(_) => Some("object"),
        Literal::Function => Some("function"),
        simple => kind(&words::argument(simple)?),
    }
}

/// The argument with the value of a literal.
pub(super) fn argument(literal: &Literal) -> Option<Argument> {
    match literal {
        Literal::Array(items) => {
            items.iter().map(argument).collect::<Option<_>>().map(Argument::Array)
        }
        Literal::Object(members) => {
            // The behaviour of a function in an object is not known.
            let part = |it| argument(it).filter(|_| *it != Literal::Function);
            let members = members.iter().map(|(name, it)| Some((name.clone(), part(it)?)));
            members.collect::<Option<_>>().map(Argument::Object)
        }
        Literal::Function => {
            Some(Argument::Function("first".to_owned(), Box::new(Argument::Undefined)))
        }
        simple => words::argument(simple),
    }
}
