//! Declarations: constants, events and data.

use crate::events::{Event, FieldValue, MAX_EVENTS};
use crate::program::Environment;

use super::super::error::ModelError;
use super::super::syntax::{self, Argument, Expr, ExprKind, Syntax, TypeSyntax};
use super::{Compiler, Constant, MAX_WORDS, Variable, path};
use crate::types::Type;

impl Compiler {
    pub(super) fn declare(
        &mut self,
        syntax: &Syntax,
        settings: &[(String, i32)],
    ) -> Result<(), ModelError> {
        let mut sets = Vec::new();
        for (name, value) in &syntax.constants {
            if self.constants.contains_key(name) || sets.iter().any(|(known, _)| *known == name) {
                let cause = format!("a second constant `{name}`");
                return Err(ModelError::new(value.span, cause).hint("give it another name"));
            }
            let setting = settings.iter().find(|(setting, _)| setting == name);
            if let Some((_, setting)) = setting {
                let value = Constant::Value(crate::types::INTEGER, vec![*setting]);
                self.constants.insert(name.clone(), value);
                continue;
            }
            let plain = !matches!(
                value.kind,
                ExprKind::Range(..) | ExprKind::Union(..) | ExprKind::All | ExprKind::Call(..)
            );
            match self.constant_value(value) {
                Ok(found) if plain => {
                    self.constants.insert(name.clone(), found);
                }
                // Postpone sets of events and values that cannot be computed yet, because events
                // are declared next.
                _ => sets.push((name, value)),
            }
        }
        if let Some((name, _)) =
            settings.iter().find(|(name, _)| syntax.constants.iter().all(|(own, _)| own != name))
        {
            let span = syntax.constants.first().map(|(_, value)| value.span).unwrap_or_default();
            let cause = format!("there is no constant `{name}` to set");
            return Err(ModelError::new(span, cause));
        }
        for declaration in &syntax.events {
            self.event(declaration)?;
        }
        for variable in &syntax.data {
            self.declare_words(&variable.of);
        }
        self.events_are_there(syntax)?;
        for (name, value) in sets {
            let found = match self.constant_set(value) {
                Ok(set) => Constant::Set(set),
                Err(error) => match self.constant_value(value) {
                    Ok(found) => found,
                    Err(_) => return Err(error),
                },
            };
            self.constants.insert(name.clone(), found);
        }
        Ok(())
    }

    fn events_are_there(&self, syntax: &Syntax) -> Result<(), ModelError> {
        if !self.events.is_empty() {
            return Ok(());
        }
        let span = syntax.threads.first().map(|thread| thread.span).unwrap_or_default();
        Err(ModelError::new(span, "the model has no events")
            .hint("declare them at the top: events login, logout"))
    }

    fn constant_value(&self, value: &syntax::Expr) -> Result<Constant, ModelError> {
        let (expr, of) = self.value(value, None)?;
        let environment = Environment { locals: &[], data: &[], facts: &self.facts };
        let mut words = Vec::new();
        match expr.value(&environment, &mut words) {
            Ok(()) => Ok(Constant::Value(of, words)),
            Err(fault) => Err(ModelError::new(fault.span, fault.cause)),
        }
    }

    pub(super) fn constant_integer(&self, expr: &Expr) -> Result<i32, ModelError> {
        match self.constant_value(expr)? {
            Constant::Value(Type::Integer(..), words) => Ok(words[0]),
            _ => Err(ModelError::new(expr.span, "this is not a number")),
        }
    }

    fn declare_words(&mut self, of: &TypeSyntax) {
        match of {
            TypeSyntax::Words(words) => words.iter().for_each(|word| {
                self.word(word);
            }),
            TypeSyntax::Tuple(fields) => fields.iter().for_each(|(_, of)| self.declare_words(of)),
            TypeSyntax::List(_, of) => self.declare_words(of),
            TypeSyntax::Range(..) | TypeSyntax::Flag => {}
        }
    }

    fn event(&mut self, declaration: &Expr) -> Result<(), ModelError> {
        match &declaration.kind {
            ExprKind::Range(low, high) => {
                let (low, high) = (self.constant_integer(low)?, self.constant_integer(high)?);
                if i64::from(high) - i64::from(low) >= MAX_EVENTS as i64 {
                    return Err(too_many(declaration));
                }
                for number in low..=high {
                    self.add(Event::plain(number.to_string()), declaration)?;
                }
                Ok(())
            }
            ExprKind::Call(name, fields) => self.events_with_fields(declaration, name, fields),
            _ => match path(declaration) {
                Some(name) => self.add(Event::plain(name), declaration),
                None => Err(ModelError::new(declaration.span, "this does not declare an event")
                    .hint("write a name, 1..9, or Name(field: value | value)")),
            },
        }
    }

    fn add(&mut self, event: Event, declaration: &Expr) -> Result<(), ModelError> {
        if self.events.len() == MAX_EVENTS {
            return Err(too_many(declaration));
        }
        if self.events.labelled(&event.to_string()).is_some() {
            let cause = format!("a second event `{event}`");
            return Err(ModelError::new(declaration.span, cause).hint("declare it once"));
        }
        let mut fields = Vec::new();
        for (name, value) in &event.fields {
            let (of, word) = match value {
                FieldValue::Integer(number) => (crate::types::INTEGER, *number),
                FieldValue::Flag(flag) => (Type::Flag, i32::from(*flag)),
                FieldValue::Text(text) => (Type::Text(Vec::new()), self.word(text)),
            };
            let next = self.fields.len() as u32;
            let (id, known) = self.fields.entry(name.clone()).or_insert((next, of.clone()));
            if !known.fits(&of) {
                let (a, b) = (known.shown(), of.shown());
                let cause = format!("field `{name}` is {a} elsewhere and {b} here");
                return Err(ModelError::new(declaration.span, cause).hint("use one type per field"));
            }
            if *id == next {
                self.facts.field_names.push(name.clone());
            }
            fields.push((*id, word));
        }
        self.facts.numbers.push(event.name.parse().ok());
        self.facts.fields.push(fields);
        self.events.add(event);
        Ok(())
    }

    fn events_with_fields(
        &mut self,
        declaration: &Expr,
        name: &Expr,
        fields: &[Argument],
    ) -> Result<(), ModelError> {
        let Some(name) = path(name) else {
            return Err(ModelError::new(declaration.span, "an event without a name"));
        };
        let mut events = vec![Event::plain(name)];
        for field in fields {
            let Argument::Named(field, values) = field else {
                return Err(ModelError::new(declaration.span, "a field without a name")
                    .hint("write Name(field: value)"));
            };
            if events[0].field(field).is_some() {
                let cause = format!("field `{field}` twice");
                return Err(ModelError::new(declaration.span, cause).hint("write it once"));
            }
            let mut found = Vec::new();
            self.field_values(values, &mut found)?;
            if events.len() * found.len() > MAX_EVENTS {
                return Err(too_many(declaration));
            }
            events = events
                .iter()
                .flat_map(|event| {
                    found.iter().map(|value| {
                        let mut event = event.clone();
                        event.fields.push((field.clone(), value.clone()));
                        event
                    })
                })
                .collect();
        }
        events.into_iter().try_for_each(|event| self.add(event, declaration))
    }

    fn field_values(&self, expr: &Expr, out: &mut Vec<FieldValue>) -> Result<(), ModelError> {
        match &expr.kind {
            ExprKind::Union(a, b) => {
                self.field_values(a, out)?;
                self.field_values(b, out)?;
            }
            ExprKind::Range(low, high) => {
                let (low, high) = (self.constant_integer(low)?, self.constant_integer(high)?);
                if i64::from(high) - i64::from(low) >= MAX_EVENTS as i64 {
                    return Err(too_many(expr));
                }
                out.extend((low..=high).map(FieldValue::Integer));
            }
            ExprKind::Text(text) => out.push(FieldValue::Text(text.clone())),
            ExprKind::Name(name) if !self.constants.contains_key(name) => {
                out.push(FieldValue::Text(name.clone()));
            }
            _ => match self.constant_value(expr)? {
                Constant::Value(Type::Integer(..), words) => {
                    out.push(FieldValue::Integer(words[0]));
                }
                Constant::Value(Type::Flag, words) => out.push(FieldValue::Flag(words[0] != 0)),
                Constant::Value(Type::Text(_), words) => {
                    out.push(FieldValue::Text(self.words[words[0] as usize].clone()));
                }
                _ => {
                    return Err(ModelError::new(expr.span, "this is not a value of a field")
                        .hint("write a number, a word, true or false"));
                }
            },
        }
        Ok(())
    }

    fn type_of(&mut self, syntax: &TypeSyntax) -> Result<Type, ModelError> {
        Ok(match syntax {
            TypeSyntax::Flag => Type::Flag,
            TypeSyntax::Range(low, high) => {
                let span = low.span;
                let (low, high) = (self.constant_integer(low)?, self.constant_integer(high)?);
                if low > high {
                    return Err(ModelError::new(span, format!("the range {low}..{high} is empty")));
                }
                Type::Integer(low, high)
            }
            TypeSyntax::Words(words) => {
                Type::Text(words.iter().map(|word| self.word(word)).collect())
            }
            TypeSyntax::Tuple(fields) => {
                let fields = fields.iter();
                let fields = fields.map(|(name, of)| Ok((name.clone(), self.type_of(of)?)));
                Type::Tuple(fields.collect::<Result<_, ModelError>>()?)
            }
            TypeSyntax::List(capacity, of) => {
                let (span, capacity) = (capacity.span, self.constant_integer(capacity)?);
                if !(1..=MAX_WORDS as i32).contains(&capacity) {
                    let cause = format!("a list of {capacity} items");
                    return Err(ModelError::new(span, cause)
                        .hint(format!("write a number from 1 to {MAX_WORDS}")));
                }
                Type::List(Box::new(self.type_of(of)?), capacity as usize)
            }
        })
    }

    /// Returns the initial values.
    pub(super) fn data(&mut self, variables: &[syntax::Variable]) -> Result<Vec<i32>, ModelError> {
        let mut start = Vec::new();
        for variable in variables {
            let (span, name) = (variable.span, &variable.name);
            if self.variable(name).is_some() || self.constants.contains_key(name) {
                let cause = format!("a second meaning of `{name}`");
                return Err(ModelError::new(span, cause).hint("give it another name"));
            }
            let of = self.type_of(&variable.of)?;
            let width = of.width().filter(|width| self.data_words + width <= MAX_WORDS);
            let Some(width) = width else {
                let cause = format!("the data has more than {MAX_WORDS} values");
                return Err(ModelError::new(span, cause).hint("use shorter lists"));
            };
            let expr = self.value_of(&variable.start, &of)?;
            let environment = Environment { locals: &[], data: &[], facts: &self.facts };
            let from = start.len();
            let value = if expr.reads_data() {
                Err("the initial value depends on other data".to_owned())
            } else {
                expr.value(&environment, &mut start).map_err(|fault| fault.cause)
            };
            value
                .and_then(|()| of.check(&start[from..]))
                .map_err(|cause| ModelError::new(variable.start.span, cause))?;
            let offset = self.data_words;
            self.data.push(Variable { name: name.clone(), of, offset });
            self.data_words += width;
        }
        Ok(start)
    }
}

fn too_many(declaration: &Expr) -> ModelError {
    ModelError::new(declaration.span, format!("more than {MAX_EVENTS} events"))
        .hint("use fewer events, or fewer values of fields")
}
