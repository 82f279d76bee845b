//! Candidates by convention: calls of methods of collections with two elements.

use catherd_javascript_machine::instrument::{Parameter, Shape};
use catherd_javascript_machine::{Argument, Operation, Statement};

use super::documented::statement;
use super::plausible::is_optional;
use super::{Refiner, conventions, kinds};
use crate::model::{Target, TargetKind};

/// Names of methods that add an element, or a value for a key.
const ADDERS: [&str; 14] = [
    "add", "addlast", "append", "enq", "enqueue", "insert", "offer", "push", "pushback", "put",
    "set", "setvalue", "store", "unshift",
];

/// Maximum number of tests of a class.
const MAX_TESTS: usize = 60;

/// Whether a method adds to a collection, according to its name.
pub(super) fn is_adder(name: &str) -> bool {
    ADDERS.contains(&&*name.to_lowercase())
}

fn needed(target: &Target) -> impl Iterator<Item = &Parameter> {
    let parameters = target.parameters.iter();
    parameters.take_while(|it| {
        it.default.is_none() && !it.name.starts_with("...") && !is_optional(&it.name)
    })
}

impl Refiner<'_> {
    /// The statements of tests of the methods of collections with two elements.
    pub(super) fn filled(&self) -> Vec<Vec<Statement>> {
        let methods = || self.usage.targets().iter().filter(|it| it.kind == TargetKind::Method);
        let mut found = Vec::new();
        for maker in self.usage.targets().iter().filter(|it| it.kind == TargetKind::Constructor) {
            let of_class = |it: &&Target| it.class == maker.class && it.class.is_some();
            let adders = methods().filter(of_class).filter(|it| is_adder(&it.member));
            let adder = adders.filter_map(|it| Some((it, self.elements(it)?))).next();
            let Some((adder, added)) = adder else { continue };
            let Some(made) = self.made_with(maker) else { continue };
            let adds = added.iter().map(|it| method(adder, it.clone()));
            let filled: Vec<Statement> = std::iter::once(made).chain(adds).collect();
            let before = found.len();
            for other in methods().filter(of_class) {
                let tests = self.given_to(other, &added).into_iter();
                let tests = tests.map(|it| [&filled[..], &[method(other, it)]].concat());
                found.extend(tests);
            }
            found.truncate(before + MAX_TESTS);
        }
        found
    }

    fn made_with(&self, maker: &Target) -> Option<Statement> {
        let made = match needed(maker).next() {
            None => Vec::new(),
            Some(_) => {
                let calls = self.usage.calls(maker).into_iter();
                let known = calls.filter_map(|call| call.iter().map(kinds::argument).collect());
                let shortest = known.min_by_key(Vec::len);
                shortest.or_else(|| self.usage.conventional(maker))?
            }
        };
        Some(statement(Operation::New, &maker.path, "", made))
    }

    /// The arguments of two calls that add an element.
    fn elements(&self, adder: &Target) -> Option<[Vec<Argument>; 2]> {
        let count = needed(adder).count();
        let calls = self.usage.calls(adder).into_iter();
        let known = calls.filter_map(|call| call.iter().map(kinds::argument).collect());
        let mut known: Vec<Vec<Argument>> = known.collect();
        known.retain(|it| it.len() == count);
        known.dedup();
        if let [one, other, ..] = &known[..] {
            return Some([one.clone(), other.clone()]);
        }
        let calls = self.usage.calls(adder);
        let kinds = |position: usize| -> Vec<&str> {
            calls.iter().filter_map(|call| kinds::kind_of(call.get(position)?)).collect()
        };
        let texts = |position| match self.usage.shape_of(adder, position) {
            _ if !kinds(position).is_empty() => match kinds(position)[0] {
                "string" => Some(true),
                "number" => Some(false),
                _ => None,
            },
            Some(Shape::Named(name)) if name == "string" => Some(true),
            Some(Shape::Named(name)) if name == "number" || name.len() <= 2 => Some(false),
            Some(_) => None,
            None => {
                let name = adder.parameters.get(position).map_or("", |it| it.name.as_str());
                match conventions::kind_by_name(name) {
                    Some("string") => Some(true),
                    Some("number") | None => Some(false),
                    Some(_) => (name == "element" || name == "item").then_some(false),
                }
            }
        };
        let of = |texts: bool, number: usize| match texts {
            true => Argument::String(["foo", "bar"][number].to_owned()),
            false => Argument::Number([1.0, 2.0][number]),
        };
        match count {
            1 => {
                let texts = texts(0)?;
                Some([0, 1].map(|number| vec![of(texts, number)]))
            }
            // A key is more often a string.
            2 => {
                let value = texts(1)?;
                let key = texts(0)? || kinds(0).is_empty();
                Some([0, 1].map(|number| vec![of(key, number), of(value, number)]))
            }
            _ => None,
        }
    }

    fn given_to(&self, target: &Target, added: &[Vec<Argument>; 2]) -> Vec<Vec<Argument>> {
        let needed: Vec<&Parameter> = needed(target).collect();
        let names = |it: &Parameter| conventions::kind_by_name(&it.name);
        match needed[..] {
            [] => vec![Vec::new()],
            [one] => match names(one) {
                Some("function") => {
                    let first =
                        Argument::Function("first".to_owned(), Box::new(Argument::Undefined));
                    vec![vec![first]]
                }
                Some("number") => vec![vec![Argument::Number(1.0)]],
                _ => vec![vec![added[0][0].clone()]],
            },
            _ if needed.len() == added[0].len() && is_adder(&target.member) => {
                vec![added[0].clone()]
            }
            // Pass the first and the second element.
            [_, _] if !needed.iter().any(|it| names(it) == Some("function")) => {
                vec![vec![added[0][0].clone(), added[1][0].clone()]]
            }
            _ => Vec::new(),
        }
    }
}

fn method(target: &Target, arguments: Vec<Argument>) -> Statement {
    statement(Operation::Method, &[], &target.member, arguments)
}
