//! Typed expressions and their values. A value consists of one or more whole numbers (words).

use crate::events::{EventId, EventSet};
use crate::span::Span;

use super::{EventFacts, Fault};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BinaryOp {
    Add,
    Subtract,
    Multiply,
    Modulo,
    Equal,
    Less,
    AtMost,
}

#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) data: bool,
    pub(crate) offset: usize,
    /// Offset and width of the whole variable, for liveness.
    pub(crate) variable: (usize, usize),
    pub(crate) path: Vec<PlaceStep>,
    pub(crate) width: usize,
}

#[derive(Clone, Debug)]
pub(crate) enum PlaceStep {
    Field(usize),
    Index { index: Expr, width: usize, span: Span },
}

#[derive(Clone, Debug)]
pub(crate) enum Expr {
    Constant(Vec<i32>),
    Load(Place),
    Tuple(Vec<Expr>),
    /// A list with a capacity: the number of items, the items, then zeros.
    List {
        items: Vec<Expr>,
        width: usize,
        capacity: usize,
    },
    Not(Box<Expr>),
    And(Box<Expr>, Box<Expr>),
    Or(Box<Expr>, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>, Span),
    /// Whether two values without lists are equal.
    Same(Box<Expr>, Box<Expr>),
    /// Whether two lists, whose items have this many words, are equal.
    SameList(Box<Expr>, Box<Expr>, usize),
    Length(Box<Expr>),
    /// How often a list contains a value.
    Count(Box<Expr>, Box<Expr>),
    EventField(Box<Expr>, u32, Span),
    /// The name of an event as a number.
    EventNumber(Box<Expr>, Span),
    /// The scalar whose index is the value of the first expression.
    Choose(Box<Expr>, Vec<Expr>),
}

#[derive(Clone, Copy)]
pub(crate) struct Environment<'e> {
    pub(crate) locals: &'e [i32],
    pub(crate) data: &'e [i32],
    pub(crate) facts: &'e EventFacts,
}

impl Place {
    pub(crate) fn offset(&self, environment: &Environment<'_>) -> Result<usize, Fault> {
        let mut offset = self.offset;
        for step in &self.path {
            match step {
                PlaceStep::Field(by) => offset += by,
                PlaceStep::Index { index, width, span } => {
                    let index = index.scalar(environment)?;
                    let length = self.words(environment)[offset];
                    if index < 0 || index >= length {
                        let cause =
                            format!("there is no item {index} in a list of length {length}");
                        return Err(Fault::new(*span, cause));
                    }
                    offset += 1 + index as usize * width;
                }
            }
        }
        Ok(offset)
    }

    fn words<'e>(&self, environment: &Environment<'e>) -> &'e [i32] {
        if self.data { environment.data } else { environment.locals }
    }

    fn uses(&self, visit: &mut dyn FnMut(&Place)) {
        visit(self);
        for step in &self.path {
            if let PlaceStep::Index { index, .. } = step {
                index.places(visit);
            }
        }
    }
}

impl Expr {
    pub(crate) fn value(
        &self,
        environment: &Environment<'_>,
        out: &mut Vec<i32>,
    ) -> Result<(), Fault> {
        match self {
            Expr::Constant(words) => out.extend(words),
            Expr::Load(place) => {
                let at = place.offset(environment)?;
                out.extend(&place.words(environment)[at..at + place.width]);
            }
            Expr::Tuple(items) => {
                for item in items {
                    item.value(environment, out)?;
                }
            }
            Expr::List { items, width, capacity } => {
                let start = out.len();
                out.push(items.len() as i32);
                for item in items {
                    item.value(environment, out)?;
                }
                out.resize(start + 1 + width * capacity, 0);
            }
            _ => out.push(self.scalar(environment)?),
        }
        Ok(())
    }

    fn values(&self, environment: &Environment<'_>) -> Result<Vec<i32>, Fault> {
        let mut out = Vec::new();
        self.value(environment, &mut out)?;
        Ok(out)
    }

    /// The first number of the value of an expression, usually of a value that consists of one
    /// number.
    pub(crate) fn scalar(&self, environment: &Environment<'_>) -> Result<i32, Fault> {
        Ok(match self {
            Expr::Constant(words) => words[0],
            Expr::Load(place) => place.words(environment)[place.offset(environment)?],
            Expr::Tuple(_) | Expr::List { .. } => self.values(environment)?[0],
            Expr::Not(of) => i32::from(of.scalar(environment)? == 0),
            Expr::And(a, b) => {
                i32::from(a.scalar(environment)? != 0 && b.scalar(environment)? != 0)
            }
            Expr::Or(a, b) => i32::from(a.scalar(environment)? != 0 || b.scalar(environment)? != 0),
            Expr::Binary(operator, a, b, span) => {
                operator.apply(a.scalar(environment)?, b.scalar(environment)?, *span)?
            }
            Expr::Same(a, b) => i32::from(a.values(environment)? == b.values(environment)?),
            Expr::SameList(a, b, width) => {
                let (a, b) = (a.values(environment)?, b.values(environment)?);
                let end = 1 + a[0] as usize * width;
                i32::from(a[0] == b[0] && a[..end] == b[..end])
            }
            // The number of items is the first word of a list.
            Expr::Length(list) => match &**list {
                Expr::Load(place) => place.words(environment)[place.offset(environment)?],
                list => list.values(environment)?[0],
            },
            Expr::Count(list, value) => {
                let (list, value) = (list.values(environment)?, value.values(environment)?);
                let items = &list[1..1 + list[0] as usize * value.len()];
                items.chunks(value.len()).filter(|item| **item == value).count() as i32
            }
            Expr::EventField(event, field, span) => {
                let event = event.scalar(environment)?;
                let fields = &environment.facts.fields[event as usize];
                match fields.iter().find(|(id, _)| id == field) {
                    Some((_, value)) => *value,
                    None => {
                        let name = &environment.facts.field_names[*field as usize];
                        return Err(Fault::new(*span, format!("the event has no field `{name}`")));
                    }
                }
            }
            Expr::EventNumber(event, span) => {
                let event = event.scalar(environment)?;
                environment.facts.numbers[event as usize]
                    .ok_or_else(|| Fault::new(*span, "the event's name is not a number"))?
            }
            Expr::Choose(number, items) => {
                items[number.scalar(environment)? as usize].scalar(environment)?
            }
        })
    }

    pub(crate) fn places(&self, visit: &mut dyn FnMut(&Place)) {
        match self {
            Expr::Constant(_) => {}
            Expr::Load(place) => place.uses(visit),
            Expr::Tuple(items) | Expr::List { items, .. } => {
                items.iter().for_each(|item| item.places(visit));
            }
            Expr::Choose(number, items) => {
                number.places(visit);
                items.iter().for_each(|item| item.places(visit));
            }
            Expr::Not(of)
            | Expr::Length(of)
            | Expr::EventField(of, ..)
            | Expr::EventNumber(of, _) => {
                of.places(visit);
            }
            Expr::And(a, b)
            | Expr::Or(a, b)
            | Expr::Binary(_, a, b, _)
            | Expr::Same(a, b)
            | Expr::SameList(a, b, _)
            | Expr::Count(a, b) => {
                a.places(visit);
                b.places(visit);
            }
        }
    }

    pub(crate) fn reads_data(&self) -> bool {
        let mut found = false;
        self.places(&mut |place| found |= place.data);
        found
    }
}

impl BinaryOp {
    fn apply(self, a: i32, b: i32, span: Span) -> Result<i32, Fault> {
        let whole = |result: Option<i32>| {
            result.ok_or_else(|| Fault::new(span, format!("{a} and {b}: the result is too large")))
        };
        Ok(match self {
            BinaryOp::Add => whole(a.checked_add(b))?,
            BinaryOp::Subtract => whole(a.checked_sub(b))?,
            BinaryOp::Multiply => whole(a.checked_mul(b))?,
            BinaryOp::Modulo => a
                .checked_rem_euclid(b)
                .ok_or_else(|| Fault::new(span, format!("{a} mod {b} has no value")))?,
            BinaryOp::Equal => i32::from(a == b),
            BinaryOp::Less => i32::from(a < b),
            BinaryOp::AtMost => i32::from(a <= b),
        })
    }
}

/// A set of events that may depend on variables of a thread.
#[derive(Clone, Debug)]
pub(crate) enum SetExpr {
    Constant(EventSet),
    /// The event that is the value of an expression.
    Event(Expr),
    /// The events of a set whose fields have given values.
    Pattern(EventSet, Vec<(u32, Expr)>),
    Union(Box<SetExpr>, Box<SetExpr>),
    Not(Box<SetExpr>),
}

impl SetExpr {
    pub(crate) fn value(
        &self,
        environment: &Environment<'_>,
        events: usize,
    ) -> Result<EventSet, Fault> {
        Ok(match self {
            SetExpr::Constant(set) => set.clone(),
            SetExpr::Event(event) => {
                let mut set = EventSet::empty(events);
                set.insert(event.scalar(environment)? as EventId);
                set
            }
            SetExpr::Pattern(among, fields) => {
                let values: Vec<(u32, i32)> = fields
                    .iter()
                    .map(|(field, value)| Ok((*field, value.scalar(environment)?)))
                    .collect::<Result<_, Fault>>()?;
                let mut set = EventSet::empty(events);
                for event in among.iter() {
                    let own = &environment.facts.fields[event as usize];
                    if values.iter().all(|value| own.contains(value)) {
                        set.insert(event);
                    }
                }
                set
            }
            SetExpr::Union(a, b) => {
                let mut set = a.value(environment, events)?;
                set.unite(&b.value(environment, events)?);
                set
            }
            SetExpr::Not(of) => {
                let mut set = EventSet::all(events);
                set.remove_all(&of.value(environment, events)?);
                set
            }
        })
    }

    pub(crate) fn expressions(&mut self, visit: &mut dyn FnMut(&mut Expr)) {
        match self {
            SetExpr::Constant(_) => {}
            SetExpr::Event(event) => visit(event),
            SetExpr::Pattern(_, fields) => fields.iter_mut().for_each(|(_, value)| visit(value)),
            SetExpr::Union(a, b) => {
                a.expressions(visit);
                b.expressions(visit);
            }
            SetExpr::Not(of) => of.expressions(visit),
        }
    }
}
