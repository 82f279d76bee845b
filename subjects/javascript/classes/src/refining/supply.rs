//! Values that a person might pass as an argument.

use std::collections::BTreeSet;

use catherd_javascript_machine::instrument::{Literal, Shape};
use catherd_javascript_machine::{Argument, Statement};

use super::conventions;
use super::kinds::{argument, kind, kind_of};
use super::usage::Usage;
use crate::model::Target;

impl Usage {
    /// Values that examples pass as an argument of a statement, the shortest first.
    pub(super) fn examples(
        &self,
        statements: &[Statement],
        at: usize,
        position: usize,
    ) -> Vec<Argument> {
        let Some(target) = self.target(statements, at) else { return Vec::new() };
        let calls = self.calls(target).into_iter();
        let mut found: Vec<Argument> = Vec::new();
        for value in calls.filter_map(|call| argument(call.get(position)?)) {
            if !found.contains(&value) && value != Argument::Undefined {
                found.push(value);
            }
        }
        found.sort_by_key(|value| value.to_json().to_string().len());
        found
    }

    /// Values that a person might pass as an argument of a statement, the most suitable first.
    pub(super) fn usual_values(
        &self,
        statements: &[Statement],
        at: usize,
        position: usize,
    ) -> Vec<Argument> {
        let mut values = self.examples(statements, at, position);
        values.truncate(4);
        let current = statements[at].arguments.get(position).and_then(kind);
        let Some(target) = self.target(statements, at) else {
            values.extend(current.map(conventions::plain).unwrap_or_default());
            return values;
        };
        values.extend(self.values_for(target, position, current));
        values
    }

    /// Values for a parameter from its type, its name and the words of the function, and common
    /// values of the kind `of`.
    pub(super) fn values_for(
        &self,
        target: &Target,
        position: usize,
        of: Option<&str>,
    ) -> Vec<Argument> {
        let mut values = Vec::new();
        let shape = self.shape_of(target, position);
        let named = shape.map(|shape| match shape {
            Shape::Named(name) => self.words.type_of(name).unwrap_or(shape),
            shape => shape,
        });
        values
            .extend(named.map(|it| conventions::values_of_shape(it, position)).unwrap_or_default());
        let parameter = target.parameters.get(position);
        values.extend(parameter.and_then(|it| conventions::value_by_name(&it.name, position)));
        let calls = self.calls(target);
        let kinds: BTreeSet<&str> =
            calls.iter().filter_map(|call| kind_of(call.get(position)?)).collect();
        let by_name = parameter.and_then(|it| conventions::kind_by_name(&it.name));
        if parameter.is_some_and(|it| conventions::is_year(&it.name)) {
            values.extend([2020.0, 2021.0, 2000.0, 2026.0].map(Argument::Number));
        } else if let Some(of) = of.or(by_name)
            && (kinds.is_empty() || kinds.contains(of))
        {
            if of == "string" {
                let formatted = self.formatted(target, position);
                values.extend(formatted.map(|it| Argument::String(it.to_owned())));
                values.extend(
                    self.own_words(target, position).map(|it| Argument::String(it.to_owned())),
                );
            }
            values.extend(conventions::plain(of));
        }
        let mut known = Vec::new();
        values.retain(|value| {
            let fits = named.is_none_or(|shape| self.fits(shape, value, 0));
            let new = fits && !known.contains(value);
            known.extend(new.then(|| value.clone()));
            new
        });
        values
    }

    /// Strings in the format that the names of a function and of a parameter mention.
    fn formatted(&self, target: &Target, position: usize) -> impl Iterator<Item = &'static str> {
        let name = match target.member.as_str() {
            "" => target.path.last().filter(|it| *it != "default").unwrap_or(&target.name),
            member => member,
        };
        let parameter = target.parameters.get(position).map_or("", |it| it.name.as_str());
        conventions::formatted(name, parameter)
    }

    pub(super) fn is_formatted(&self, target: &Target, position: usize, text: &str) -> bool {
        self.formatted(target, position).any(|it| it == text)
    }

    /// The strings with which the program compares variables that have the name of a parameter.
    pub(super) fn own_words(&self, target: &Target, position: usize) -> impl Iterator<Item = &str> {
        let name = target.parameters.get(position).map_or("", |it| it.name.as_str());
        self.words.compared(name).iter().filter_map(|it| match it {
            Literal::Text(text) if text.chars().count() > 1 => Some(text.as_str()),
            _ => None,
        })
    }
}
