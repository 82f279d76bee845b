//! Compilation of value expressions.

use crate::program::{BinaryOp, Expr};

use super::super::error::ModelError;
use super::super::syntax::{self, Argument, ExprKind, Operator};
use super::{Compiler, Constant, constant, path};
use crate::span::Span;
use crate::types::{INTEGER, Type};

/// Maximum number of items of a list literal.
const LONGEST: i64 = 4096;

impl Compiler {
    pub(super) fn value_of(&self, expr: &syntax::Expr, of: &Type) -> Result<Expr, ModelError> {
        let (value, found) = self.value(expr, Some(of))?;
        if !of.fits(&found) {
            let cause = format!("expected {}, found {}", of.shown(), found.shown());
            return Err(ModelError::new(expr.span, cause));
        }
        // Lists of the same type may differ in capacity, which is part of the layout.
        match (value, of, &found) {
            (Expr::List { items, width, .. }, &Type::List(_, capacity), _) => {
                if items.len() > capacity {
                    let cause = format!("{} items: at most {capacity} fit", items.len());
                    return Err(ModelError::new(expr.span, cause));
                }
                Ok(Expr::List { items, width, capacity })
            }
            (Expr::Constant(mut words), Type::List(..), Type::List(..)) => {
                let length = of.width().unwrap_or(words.len());
                if words[1..].len() + 1 > length && words[length..].iter().any(|&word| word != 0) {
                    return Err(ModelError::new(expr.span, "the list is too long"));
                }
                words.resize(length, 0);
                Ok(Expr::Constant(words))
            }
            (_, Type::List(_, a), Type::List(_, b)) if a != b => {
                let cause = format!("a list of at most {b} items, where at most {a} fit");
                Err(ModelError::new(expr.span, cause).hint("use lists of the same capacity"))
            }
            (value, _, _) => Ok(value),
        }
    }

    pub(super) fn flag(&self, expr: &syntax::Expr) -> Result<Expr, ModelError> {
        self.value_of(expr, &Type::Flag)
    }

    pub(super) fn integer(&self, expr: &syntax::Expr) -> Result<Expr, ModelError> {
        self.value_of(expr, &INTEGER)
    }

    /// `expected` decides between several meanings of a word.
    pub(super) fn value(
        &self,
        expr: &syntax::Expr,
        expected: Option<&Type>,
    ) -> Result<(Expr, Type), ModelError> {
        let span = expr.span;
        if let Some((place, of)) = self.place(expr)? {
            return Ok((Expr::Load(place), of));
        }
        match &expr.kind {
            ExprKind::Number(_) | ExprKind::Text(_) | ExprKind::Name(_)
                if expected == Some(&Type::Event) =>
            {
                self.event_value(expr)
            }
            ExprKind::Number(number) => Ok((constant([*number]), INTEGER)),
            ExprKind::Flag(flag) => Ok((constant([i32::from(*flag)]), Type::Flag)),
            ExprKind::Text(text) => self.word_value(text, expr),
            ExprKind::Name(name) => match self.constants.get(name) {
                Some(Constant::Value(of, words)) => Ok((constant(words.clone()), of.clone())),
                Some(Constant::Set(_)) => self.event_value(expr),
                None if matches!(expected, Some(Type::Text(_))) => self.word_value(name, expr),
                None if !self.events.named(name).is_empty() => self.event_value(expr),
                None => self.word_value(name, expr),
            },
            ExprKind::Member(of, field) => match self.place(of)? {
                Some((place, Type::Event)) => {
                    let Some((id, of)) = self.fields.get(field) else {
                        let known = self.fields.keys().map(String::as_str);
                        let error =
                            ModelError::new(span, format!("no event has a field `{field}`"));
                        return Err(match super::closest(field, known) {
                            Some(near) => {
                                error.hint(format!("write `{near}`, if that is what you mean"))
                            }
                            None => error.hint("declare the field with the event"),
                        });
                    };
                    let event = Box::new(Expr::Load(place));
                    Ok((Expr::EventField(event, *id, span), of.clone()))
                }
                Some((_, of)) => {
                    Err(ModelError::new(span, format!("{} has no field `{field}`", of.shown())))
                }
                None => self.event_value(expr),
            },
            ExprKind::Call(name, arguments) => self.call(expr, name, arguments),
            ExprKind::Index(..) => Err(self.unknown(expr, "list", [])),
            ExprKind::Tuple(fields) => self.tuple(fields, expected),
            ExprKind::List(items) => self.list_value(items, expected, span),
            ExprKind::Range(..) | ExprKind::Union(..) | ExprKind::All => {
                Err(ModelError::new(span, "a set of events, where a value is expected")
                    .hint("name one event, or put a range into a list: [1..9]"))
            }
            ExprKind::Not(of) => Ok((Expr::Not(Box::new(self.flag(of)?)), Type::Flag)),
            ExprKind::Minus(of) => {
                let (zero, of) = (Box::new(constant([0])), Box::new(self.integer(of)?));
                Ok((Expr::Binary(BinaryOp::Subtract, zero, of, span), INTEGER))
            }
            ExprKind::Binary(operator, a, b) => self.binary(*operator, a, b, span),
        }
    }

    fn word_value(&self, word: &str, expr: &syntax::Expr) -> Result<(Expr, Type), ModelError> {
        if let Some(&id) = self.word_ids.get(word) {
            return Ok((constant([id]), Type::Text(Vec::new())));
        }
        let words = self.words.iter().map(String::as_str);
        let variables = self.locals.iter().chain(&self.data).map(|known| known.name.as_str());
        let constants = self.constants.keys().map(String::as_str);
        let known = words.chain(variables).chain(constants).chain(self.events.names());
        Err(self.unknown(expr, "name", known))
    }

    fn event_value(&self, expr: &syntax::Expr) -> Result<(Expr, Type), ModelError> {
        let set = super::known(self.set(expr)?, expr.span)?;
        let mut events = set.iter();
        match (events.next(), events.next()) {
            (Some(event), None) => Ok((constant([event as i32]), Type::Event)),
            _ => {
                let cause = format!("{} events, where one is expected", set.iter().count());
                Err(ModelError::new(expr.span, cause).hint("name one event, with its fields"))
            }
        }
    }

    fn call(
        &self,
        expr: &syntax::Expr,
        name: &syntax::Expr,
        arguments: &[Argument],
    ) -> Result<(Expr, Type), ModelError> {
        let name = path(name).unwrap_or_default();
        let plain: Option<Vec<_>> = arguments
            .iter()
            .map(|argument| match argument {
                Argument::Plain(value) => Some(value),
                _ => None,
            })
            .collect();
        match (name.as_str(), plain.as_deref()) {
            ("len", Some([list])) => match self.value(list, None)? {
                (list, Type::List(..)) => Ok((Expr::Length(Box::new(list)), INTEGER)),
                (_, of) => Err(ModelError::new(list.span, format!("{} is not a list", of.shown()))),
            },
            ("count", Some([list, value])) => match self.value(list, None)? {
                (items, Type::List(of, _)) => {
                    let value = self.value_of(value, &of)?;
                    Ok((Expr::Count(Box::new(items), Box::new(value)), INTEGER))
                }
                (_, of) => Err(ModelError::new(list.span, format!("{} is not a list", of.shown()))),
            },
            ("len" | "count", _) => Err(ModelError::new(expr.span, "wrong arguments")
                .hint("write len(list) or count(list, value)")),
            _ => self.event_value(expr),
        }
    }

    fn tuple(
        &self,
        fields: &[(Option<String>, syntax::Expr)],
        expected: Option<&Type>,
    ) -> Result<(Expr, Type), ModelError> {
        let wanted = match expected {
            Some(Type::Tuple(wanted)) => wanted.as_slice(),
            _ => &[],
        };
        let (mut values, mut types) = (Vec::new(), Vec::new());
        for (number, (name, value)) in fields.iter().enumerate() {
            let want = wanted.get(number);
            if let (Some(name), Some((wanted, _))) = (name, want)
                && name != wanted
            {
                let cause = format!("field `{name}`, where `{wanted}` is expected");
                return Err(ModelError::new(value.span, cause)
                    .hint("write the fields in the order of the type"));
            }
            let (value, of) = match want {
                Some((_, of)) => (self.value_of(value, of)?, of.clone()),
                None => self.value(value, None)?,
            };
            values.push(value);
            let name = name.clone().or_else(|| want.map(|(name, _)| name.clone()));
            types.push((name.unwrap_or_else(|| number.to_string()), of));
        }
        Ok((Expr::Tuple(values), Type::Tuple(types)))
    }

    /// A range of constant numbers stands for its numbers.
    fn list_value(
        &self,
        items: &[syntax::Expr],
        expected: Option<&Type>,
        span: Span,
    ) -> Result<(Expr, Type), ModelError> {
        let mut of = match expected {
            Some(Type::List(of, _)) => Some((**of).clone()),
            _ => None,
        };
        let mut values = Vec::new();
        for item in items {
            if let ExprKind::Range(low, high) = &item.kind {
                let (low, high) = (self.constant_integer(low)?, self.constant_integer(high)?);
                if i64::from(high) - i64::from(low) + values.len() as i64 >= LONGEST {
                    return Err(ModelError::new(span, "the list is too long"));
                }
                values.extend((low..=high).map(|number| constant([number])));
                of.get_or_insert(INTEGER);
                continue;
            }
            match &of {
                Some(of) => values.push(self.value_of(item, of)?),
                None => {
                    let (value, found) = self.value(item, None)?;
                    values.push(value);
                    of = Some(found);
                }
            }
        }
        let of = of.unwrap_or(INTEGER);
        if values.len() as i64 > LONGEST {
            return Err(ModelError::new(span, "the list is too long"));
        }
        let (width, capacity) = (of.width().unwrap_or(1), values.len().max(1));
        let list = Expr::List { items: values, width, capacity };
        Ok((list, Type::List(Box::new(of), capacity)))
    }

    fn binary(
        &self,
        operator: Operator,
        a: &syntax::Expr,
        b: &syntax::Expr,
        span: Span,
    ) -> Result<(Expr, Type), ModelError> {
        let arithmetic = |operator| {
            let (a, b) = (Box::new(self.integer(a)?), Box::new(self.integer(b)?));
            Ok(Expr::Binary(operator, a, b, span))
        };
        match operator {
            Operator::Add => Ok((arithmetic(BinaryOp::Add)?, INTEGER)),
            Operator::Subtract => Ok((arithmetic(BinaryOp::Subtract)?, INTEGER)),
            Operator::Multiply => Ok((arithmetic(BinaryOp::Multiply)?, INTEGER)),
            Operator::Modulo => Ok((arithmetic(BinaryOp::Modulo)?, INTEGER)),
            Operator::And => {
                let (a, b) = (Box::new(self.flag(a)?), Box::new(self.flag(b)?));
                Ok((Expr::And(a, b), Type::Flag))
            }
            Operator::Or => {
                let (a, b) = (Box::new(self.flag(a)?), Box::new(self.flag(b)?));
                Ok((Expr::Or(a, b), Type::Flag))
            }
            Operator::Equal => Ok((self.equal(a, b, span)?, Type::Flag)),
            Operator::Unequal => Ok((Expr::Not(Box::new(self.equal(a, b, span)?)), Type::Flag)),
            _ => {
                let (a, b) = (self.number_like(a)?, self.number_like(b)?);
                let (operator, a, b) = match operator {
                    Operator::Less => (BinaryOp::Less, a, b),
                    Operator::AtMost => (BinaryOp::AtMost, a, b),
                    Operator::Greater => (BinaryOp::Less, b, a),
                    _ => (BinaryOp::AtMost, b, a),
                };
                Ok((Expr::Binary(operator, Box::new(a), Box::new(b), span), Type::Flag))
            }
        }
    }

    /// Compiles a number, or an event whose name is a number.
    fn number_like(&self, expr: &syntax::Expr) -> Result<Expr, ModelError> {
        match self.value(expr, None)? {
            (value, Type::Integer(..)) => Ok(value),
            (value, Type::Event) => Ok(Expr::EventNumber(Box::new(value), expr.span)),
            (_, of) => {
                Err(ModelError::new(expr.span, format!("expected a number, found {}", of.shown())))
            }
        }
    }

    /// A word gets the meaning that can be compared with the other side.
    fn equal(&self, a: &syntax::Expr, b: &syntax::Expr, span: Span) -> Result<Expr, ModelError> {
        let plain = |expr: &syntax::Expr| match &expr.kind {
            ExprKind::Name(name) => self.variable(name).is_none(),
            ExprKind::Text(_) | ExprKind::List(_) | ExprKind::Tuple(_) => true,
            _ => false,
        };
        let (a, b) = if plain(a) { (b, a) } else { (a, b) };
        let (left, left_type) = self.value(a, None)?;
        let (right, right_type) =
            if left_type == Type::Event && matches!(b.kind, ExprKind::Number(_)) {
                (constant([self.constant_integer(b)?]), INTEGER)
            } else {
                self.value(b, Some(&left_type))?
            };
        let number = |event, span| Expr::EventNumber(Box::new(event), span);
        let (left, right) = match (&left_type, &right_type) {
            (Type::Event, Type::Integer(..)) => (number(left, a.span), right),
            (Type::Integer(..), Type::Event) => (left, number(right, b.span)),
            _ if left_type.fits(&right_type) => (left, right),
            _ => {
                let (a, b) = (left_type.shown(), right_type.shown());
                return Err(ModelError::new(span, format!("{a} is never equal to {b}")));
            }
        };
        let (left, right) = (Box::new(left), Box::new(right));
        match &left_type {
            Type::List(of, _) if of.has_list() => {
                Err(ModelError::new(span, "lists of lists cannot be compared")
                    .hint("compare their items"))
            }
            Type::List(of, _) => Ok(Expr::SameList(left, right, of.width().unwrap_or(1))),
            Type::Tuple(_) => Ok(Expr::Same(left, right)),
            _ => Ok(Expr::Binary(BinaryOp::Equal, left, right, span)),
        }
    }
}
