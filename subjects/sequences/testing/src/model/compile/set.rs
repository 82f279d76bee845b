//! Compilation of sets of events.

use crate::events::{EventId, EventSet};
use crate::program::{Environment, Expr, SetExpr};

use super::super::error::ModelError;
use super::super::syntax::{self, Argument, ExprKind};
use super::{Compiler, Constant, known, path};
use crate::types::Type;

impl Compiler {
    pub(super) fn constant_set(&self, expr: &syntax::Expr) -> Result<EventSet, ModelError> {
        known(self.set(expr)?, expr.span)
    }

    pub(super) fn set(&self, expr: &syntax::Expr) -> Result<SetExpr, ModelError> {
        let set = match &expr.kind {
            ExprKind::All => SetExpr::Constant(EventSet::all(self.events.len())),
            ExprKind::Not(of) => SetExpr::Not(Box::new(self.set(of)?)),
            ExprKind::Union(a, b) => SetExpr::Union(Box::new(self.set(a)?), Box::new(self.set(b)?)),
            ExprKind::Range(low, high) => {
                let (low, high) = (self.constant_integer(low)?, self.constant_integer(high)?);
                let mut set = EventSet::empty(self.events.len());
                for number in low..=high {
                    match self.events.named(&number.to_string()) {
                        [] => {
                            let cause = format!("unknown event `{number}`");
                            return Err(ModelError::new(expr.span, cause)
                                .hint("declare it, as in `events 1..9`"));
                        }
                        events => events.iter().for_each(|&event| set.insert(event)),
                    }
                }
                SetExpr::Constant(set)
            }
            ExprKind::Call(name, fields) => self.pattern(expr, name, fields)?,
            _ => self.named_set(expr)?,
        };
        self.fold(set)
    }

    /// Evaluates a set if it does not depend on variables.
    fn fold(&self, set: SetExpr) -> Result<SetExpr, ModelError> {
        let constant = match &set {
            SetExpr::Union(a, b) => {
                matches!((&**a, &**b), (SetExpr::Constant(_), SetExpr::Constant(_)))
            }
            SetExpr::Not(of) => matches!(**of, SetExpr::Constant(_)),
            SetExpr::Pattern(_, fields) => {
                fields.iter().all(|(_, value)| matches!(value, Expr::Constant(_)))
            }
            SetExpr::Event(event) => matches!(event, Expr::Constant(_)),
            SetExpr::Constant(_) => false,
        };
        if !constant {
            return Ok(set);
        }
        let environment = Environment { locals: &[], data: &[], facts: &self.facts };
        let value = set.value(&environment, self.events.len());
        let value = value.map_err(|fault| ModelError::new(fault.span, fault.cause))?;
        Ok(SetExpr::Constant(value))
    }

    fn of(&self, events: &[EventId]) -> EventSet {
        let mut set = EventSet::empty(self.events.len());
        events.iter().for_each(|&event| set.insert(event));
        set
    }

    fn named_set(&self, expr: &syntax::Expr) -> Result<SetExpr, ModelError> {
        if let Some((place, of)) = self.place(expr)? {
            return match of {
                Type::Event => Ok(SetExpr::Event(Expr::Load(place))),
                of => Err(ModelError::new(expr.span, format!("{} is not an event", of.shown()))),
            };
        }
        let Some(name) = path(expr) else {
            return Err(ModelError::new(expr.span, "this is not a set of events")
                .hint("write `all`, `not SET`, or event names joined by `|`"));
        };
        if let Some(Constant::Set(set)) = self.constants.get(&name) {
            return Ok(SetExpr::Constant(set.clone()));
        }
        if let Some(Constant::Value(Type::Integer(..), words)) = self.constants.get(&name) {
            let events = self.events.named(&words[0].to_string());
            if !events.is_empty() {
                return Ok(SetExpr::Constant(self.of(events)));
            }
        }
        let events = self.events.named(&name);
        if !events.is_empty() {
            return Ok(SetExpr::Constant(self.of(events)));
        }
        if let Some(event) = self.events.labelled(&name) {
            return Ok(SetExpr::Constant(self.of(&[event])));
        }
        let constants = self.constants.keys().map(String::as_str);
        Err(self.unknown(expr, "event", self.events.names().into_iter().chain(constants)))
    }

    /// Compiles a pattern `Name(field: value, *)`.
    fn pattern(
        &self,
        expr: &syntax::Expr,
        name: &syntax::Expr,
        arguments: &[Argument],
    ) -> Result<SetExpr, ModelError> {
        let text = path(name).unwrap_or_default();
        let events = self.events.named(&text);
        if events.is_empty() {
            return Err(self.unknown(name, "event", self.events.names()));
        }
        let (mut fields, mut rest) = (Vec::new(), false);
        for argument in arguments {
            match argument {
                Argument::Rest => rest = true,
                Argument::Named(field, value) => {
                    let found = self.fields.get(field);
                    let has = |id: u32| {
                        let own = |event: &EventId| &self.facts.fields[*event as usize];
                        events.iter().any(|event| own(event).iter().any(|(own, _)| *own == id))
                    };
                    let Some((id, of)) = found.filter(|(id, _)| has(*id)) else {
                        let cause = format!("event `{text}` has no field `{field}`");
                        return Err(ModelError::new(expr.span, cause)
                            .hint("use a field that is declared with the event"));
                    };
                    fields.push((*id, self.value_of(value, of)?));
                }
                Argument::Plain(value) => {
                    return Err(ModelError::new(value.span, "a field without a name").hint(
                        "write Name(field: value), or Name(*) for all events with this name",
                    ));
                }
            }
        }
        let missing = events.iter().flat_map(|&event| &self.facts.fields[event as usize]);
        let mut missing = missing.filter(|(id, _)| fields.iter().all(|(named, _)| named != id));
        if let Some((id, _)) = missing.next().filter(|_| !rest) {
            let field = &self.facts.field_names[*id as usize];
            let cause = format!("field `{field}` of `{text}` is not named");
            return Err(ModelError::new(expr.span, cause)
                .hint(format!("add {field}: VALUE, or `*` for any value of the other fields")));
        }
        Ok(SetExpr::Pattern(self.of(events), fields))
    }
}
