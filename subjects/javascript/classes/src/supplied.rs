//! Arguments made from the program's own words.

use catherd_javascript_machine::instrument::{Literal, Shape};
use catherd_javascript_machine::{Argument, Evidence};

use crate::building::{Building, DEEPEST};
use crate::model::RECEIVER;
use crate::types::{self, Type};
use crate::values;
use crate::words::{self, Words};

/// Probability that an argument is one of the examples of its parameter, if there are any.
const EXAMPLE: f64 = 0.3;
/// Probability that an argument has the declared type of its parameter, if there is one.
const DECLARED: f64 = 0.6;
/// Probability that an argument is a value with which a variable that has the parameter's name is
/// compared.
const COMPARED: f64 = 0.2;
/// Probability that a member of an object is a value with which a property of the same name is
/// compared.
const COMPARED_MEMBER: f64 = 0.6;
/// Probability that an optional member is present.
const OPTIONAL: f64 = 0.3;

impl<'m> Building<'m, '_> {
    pub(crate) fn receivers(&self, class: usize) -> Vec<usize> {
        match self.maker.model.constructor(class) {
            Some(_) => self.instances(class),
            None => self.values_of(class),
        }
    }

    pub(crate) fn receiver(&mut self, class: usize, depth: usize) -> Option<usize> {
        match self.maker.model.constructor(class) {
            Some(_) => self.declare(class, depth),
            None => self.returned(class, depth),
        }
    }

    fn function(&self) -> Option<u32> {
        self.maker.model.parameter(self.parameter?)?.0.function
    }

    pub(crate) fn supplied(
        &mut self,
        words: &'m Words,
        parameter: usize,
        depth: usize,
    ) -> Argument {
        let outer = self.parameter.replace(parameter);
        let value = self.supplied_inner(words, parameter, depth);
        self.parameter = outer;
        value
    }

    fn supplied_inner(&mut self, words: &'m Words, parameter: usize, depth: usize) -> Argument {
        let target = self.maker.model.parameter(parameter);
        let name = target.map_or("", |(target, index)| target.parameters[index].name.as_str());
        if name == RECEIVER {
            return Argument::Undefined;
        }
        if self.rng.chance(EXAMPLE)
            && let Some(example) = words.seed(parameter, self.rng)
        {
            return self.of_literal(example, depth);
        }
        if let Some(shape) = words.shape(parameter)
            && self.rng.chance(DECLARED)
        {
            return self.of_shape(words, shape, depth);
        }
        if self.rng.chance(COMPARED)
            && let Some(value) = words.value(name.trim_start_matches('.'), self.rng)
        {
            return self.of_literal(value, depth);
        }
        let knowledge = &self.maker.knowledge[parameter];
        self.of_points(&knowledge.scored(self.maker.model), &knowledge.evidence, depth)
    }

    fn of_literal(&mut self, literal: &'m Literal, depth: usize) -> Argument {
        match literal {
            Literal::Array(items) => {
                Argument::Array(items.iter().map(|item| self.of_literal(item, depth + 1)).collect())
            }
            Literal::Object(members) => {
                let members = members
                    .iter()
                    .map(|(name, value)| (name.clone(), self.of_literal(value, depth + 1)));
                Argument::Object(members.collect())
            }
            Literal::Function => self.value(&Type::Function, None, depth + 1),
            Literal::Other => self.any(depth + 1),
            simple => words::argument(simple).unwrap_or(Argument::Undefined),
        }
    }

    fn of_shape(&mut self, words: &'m Words, shape: &'m Shape, depth: usize) -> Argument {
        if depth > DEEPEST {
            return Argument::Undefined;
        }
        match shape {
            Shape::Any => self.any(depth + 1),
            Shape::Literal(literal) => self.of_literal(literal, depth),
            Shape::Named(name) => {
                if let Some(type_) = types::named(name, self.maker.model) {
                    return self.value(&type_, None, depth);
                }
                match words.type_of(name) {
                    Some(known) => self.of_shape(words, known, depth + 1),
                    None => self.any(depth + 1),
                }
            }
            Shape::Union(shapes) => match shapes.is_empty() {
                true => Argument::Undefined,
                false => {
                    let shape = &shapes[self.rng.index(shapes.len())];
                    self.of_shape(words, shape, depth)
                }
            },
            Shape::Array(element) => {
                let count = self.rng.index(4);
                let items = (0..count).map(|_| self.of_shape(words, element, depth + 1));
                Argument::Array(items.collect())
            }
            Shape::Object(members) => {
                let mut made = Vec::new();
                for (name, shape, optional) in members.iter().take(40) {
                    if self.rng.chance(if *optional { OPTIONAL } else { 0.95 }) {
                        let value = match words.value(name, self.rng) {
                            Some(value) if self.rng.chance(0.3) => {
                                self.of_literal(value, depth + 1)
                            }
                            _ => self.of_shape(words, shape, depth + 1),
                        };
                        made.push((name.clone(), value));
                    }
                }
                Argument::Object(made)
            }
            Shape::Function(result) => {
                let what = self.kind_of_function();
                let result = self.of_shape(words, result, depth + 2);
                Argument::Function(what.to_owned(), Box::new(result))
            }
        }
    }

    pub(crate) fn kind_of_function(&mut self) -> &'static str {
        const KINDS: [&str; 8] =
            ["constant", "constant", "constant", "first", "throws", "writes", "calls", "passes"];
        KINDS[self.rng.index(KINDS.len())]
    }

    /// A plain object with some of the member names that are known for the parameter.
    pub(crate) fn object(
        &mut self,
        words: &'m Words,
        mut names: Vec<&'m str>,
        evidence: Option<&'m Evidence>,
        depth: usize,
    ) -> Argument {
        let target = self.parameter.and_then(|parameter| self.maker.model.parameter(parameter));
        let known = !names.is_empty();
        if !known || self.rng.chance(0.3) {
            let name = target.map_or("", |(target, index)| target.parameters[index].name.as_str());
            let function = target.and_then(|(target, _)| target.function);
            let unit = function.and_then(|function| self.maker.functions.get(function as usize));
            names.extend(words.members(function, unit.map(|unit| unit.range), name, self.rng));
            names.sort_unstable();
            names.dedup();
        }
        let share = *self.rng.pick(&[0.3, 0.6, 0.9]);
        let mut members = Vec::new();
        for name in names.into_iter().take(20) {
            if self.rng.chance(share) {
                members.push((name.to_owned(), self.member(words, name, evidence, depth)));
            }
        }
        Argument::Object(members)
    }

    fn member(
        &mut self,
        words: &'m Words,
        name: &str,
        evidence: Option<&'m Evidence>,
        depth: usize,
    ) -> Argument {
        if self.rng.chance(COMPARED_MEMBER)
            && let Some(value) = words.value(name, self.rng)
        {
            return self.of_literal(value, depth + 1);
        }
        let path = format!(".{name}");
        let inner = evidence.and_then(|evidence| evidence.paths.get(&path));
        if evidence.is_some_and(|evidence| evidence.called.contains_key(name)) {
            return self.value(&Type::Function, inner, depth + 1);
        }
        match inner {
            Some(_) => self.of_path(evidence, &path, depth + 1),
            None if self.rng.chance(0.5) => Argument::Boolean(self.rng.chance(0.7)),
            None => self.any(depth + 1),
        }
    }

    /// `None` if another value should be made.
    pub(crate) fn word(&mut self, type_: &Type) -> Option<Argument> {
        let words = self.maker.words?;
        let function = self.function();
        match type_ {
            Type::Number => words.number(function, self.rng).map(Argument::Number),
            _ => words.text(function, self.rng).map(Argument::String),
        }
    }

    /// A value near another value.
    pub(crate) fn varied(
        &mut self,
        words: &'m Words,
        function: Option<u32>,
        value: &Argument,
        depth: usize,
    ) -> Option<Argument> {
        let share = self.maker.settings.constants;
        Some(match value {
            Argument::String(text) if self.rng.chance(0.6) => {
                Argument::String(words.varied(text, function, self.maker.constants, self.rng))
            }
            Argument::Object(members) => {
                let mut members = members.clone();
                let index = self.rng.index(members.len().max(1));
                match self.rng.index(4) {
                    0 if !members.is_empty() => {
                        members.remove(index);
                    }
                    1 | 2 if !members.is_empty() => {
                        let name = members[index].0.clone();
                        let inner = self.varied(words, function, &members[index].1, depth + 1);
                        members[index].1 = match inner.filter(|_| self.rng.chance(0.6)) {
                            Some(inner) => inner,
                            None => self.member(words, &name, None, depth + 1),
                        };
                    }
                    _ => {
                        let Argument::Object(more) = self.object(words, Vec::new(), None, depth)
                        else {
                            return None;
                        };
                        for (name, value) in more {
                            members.retain(|(known, _)| *known != name);
                            members.push((name, value));
                        }
                    }
                }
                Argument::Object(members)
            }
            Argument::Array(items) => {
                let mut items = items.clone();
                let index = self.rng.index(items.len().max(1));
                match self.rng.index(4) {
                    0 if !items.is_empty() => {
                        items.remove(index);
                    }
                    1 if !items.is_empty() && items.len() < 20 => {
                        items.insert(index, items[index].clone());
                    }
                    2 if !items.is_empty() => {
                        let inner = self.varied(words, function, &items[index], depth + 1);
                        items[index] = inner.unwrap_or(Argument::Undefined);
                    }
                    _ => items.push(self.any(depth + 1)),
                }
                Argument::Array(items)
            }
            other => values::neighbour(other, self.maker.constants, share, self.rng)?,
        })
    }
}
