//! What tests assert of a running program: reading attributes of stage, sprites and
//! clones, and comparing them (Whisker paper, Table 4).

mod observer;
mod regression;

pub(crate) use observer::Observer;
pub use regression::Assertions;
pub(crate) use regression::{Deviations, assert_changes};

use catherd_vm::{TargetId, Text, Tracer, Value, Vm};

use crate::suite::Tolerances;

/// A stage, sprite or clone, as it is named from one execution to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Object {
    /// Position in the project's targets.
    pub(crate) target: u16,
    /// 0 is the original; living clones count from 1 in the order of their creation.
    pub(crate) clone: u32,
}

impl Object {
    /// The object among the living ones.
    pub(crate) fn find<T: Tracer>(self, vm: &Vm<T>) -> Option<TargetId> {
        let same = |id: &TargetId| {
            vm.target(*id).is_some_and(|view| view.sprite == usize::from(self.target))
        };
        vm.targets().filter(same).nth(self.clone as usize)
    }
}

/// An attribute of an object; the order is that of assertions about one moment. Numbers
/// are positions: of effects in the machine's list, of lists and variables in the
/// program's tables of the target, of sprites among the targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Aspect {
    Backdrop,
    Costume,
    CloneCount,
    Direction,
    Effect(u8),
    Layer,
    List(u32),
    Position,
    Bubble,
    Size,
    Variable(u32),
    Visible,
    Volume,
    Touching(u16),
    TouchingEdge,
}

/// The value of an aspect.
#[derive(Clone, Debug)]
pub(crate) enum Seen {
    Number(f64),
    Place(f64, f64),
    Flag(bool),
    Bubble(Option<Text>),
    Value(Value),
}

impl Aspect {
    /// The value now; none if there is no such thing (yet, or any more).
    pub(crate) fn read<T: Tracer>(self, id: TargetId, vm: &mut Vm<T>) -> Option<Seen> {
        if let Aspect::Touching(other) = self {
            let name = vm.program().targets().nth(usize::from(other))?.to_str().into_owned();
            return Some(Seen::Flag(undisturbed(vm, |vm| vm.is_touching(id, &name))));
        }
        if self == Aspect::TouchingEdge {
            return Some(Seen::Flag(undisturbed(vm, |vm| vm.is_touching_edge(id))));
        }
        let view = vm.target(id)?;
        Some(match self {
            Aspect::Backdrop | Aspect::Costume => Seen::Number(view.costume as f64),
            Aspect::CloneCount => {
                let of_it = |id: &TargetId| vm.target(*id).is_some_and(|v| v.sprite == view.sprite);
                Seen::Number(vm.targets().filter(of_it).count() as f64 - 1.0)
            }
            Aspect::Direction => Seen::Number(view.direction),
            Aspect::Effect(effect) => Seen::Number(*view.effects.get(usize::from(effect))?),
            Aspect::Layer => Seen::Number(view.order() as f64),
            Aspect::List(list) => Seen::Number(view.list(list as usize)?.len() as f64),
            Aspect::Position => Seen::Place(view.x, view.y),
            Aspect::Bubble => Seen::Bubble(view.bubble.cloned()),
            Aspect::Size => Seen::Number(view.size.trunc()),
            Aspect::Variable(variable) => Seen::Value(view.variable(variable as usize)?.clone()),
            Aspect::Visible => Seen::Flag(view.visible),
            Aspect::Volume => Seen::Number(view.volume),
            Aspect::Touching(_) | Aspect::TouchingEdge => return None,
        })
    }

    /// Is it about what touches what?
    fn is_about_touching(self) -> bool {
        matches!(self, Aspect::Touching(_) | Aspect::TouchingEdge)
    }

    fn tolerance(self, tolerances: &Tolerances) -> f64 {
        match self {
            Aspect::Position => tolerances.position,
            Aspect::Direction => tolerances.direction,
            Aspect::Size => tolerances.size,
            _ => 0.0,
        }
    }
}

/// Asks the renderer something that later answers may depend on (it keeps the outlines that
/// it computes), and lets it forget that it was asked.
fn undisturbed<T: Tracer, R>(vm: &mut Vm<T>, ask: impl FnOnce(&mut Vm<T>) -> R) -> R {
    let before = vm.snapshot();
    let answer = ask(vm);
    vm.restore(&before);
    answer
}

/// How expected and actual values are compared.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Comparison {
    pub(crate) tolerances: Tolerances,
    pub(crate) nan_equal: bool,
}

impl Comparison {
    /// Does the value fulfil the expectation?
    pub(crate) fn agree(&self, aspect: Aspect, expected: &Seen, actual: &Seen) -> bool {
        let near = |a: f64, b: f64| {
            a == b || a.is_nan() && b.is_nan() || {
                let tolerance = aspect.tolerance(&self.tolerances);
                tolerance > 0.0 && (a - b).abs() <= tolerance
            }
        };
        match (expected, actual) {
            (Seen::Number(a), Seen::Number(b)) => near(*a, *b),
            (Seen::Place(x, y), Seen::Place(to_x, to_y)) => near(*x, *to_x) && near(*y, *to_y),
            (Seen::Bubble(Some(a)), Seen::Bubble(Some(b))) => {
                self.loosely(&Value::Text(a.clone()), &Value::Text(b.clone()))
            }
            (Seen::Value(a), Seen::Value(b)) => self.loosely(a, b),
            (a, b) => a.is(b),
        }
    }

    /// JavaScript's `==`, but that NaN is NaN and texts are compared with what a truth
    /// value is called.
    fn loosely(&self, a: &Value, b: &Value) -> bool {
        if self.nan_equal && a.js_number().is_nan() && b.js_number().is_nan() {
            return true;
        }
        let numeric = matches!(a, Value::Number(_)) || matches!(b, Value::Number(_));
        numeric && a.js_number() == b.js_number() || a.to_text() == b.to_text()
    }
}

impl Seen {
    /// Are these exactly the same value? Variables are compared as texts.
    pub(crate) fn is(&self, other: &Seen) -> bool {
        let same = |a: f64, b: f64| a == b || a.is_nan() && b.is_nan();
        match (self, other) {
            (Seen::Number(a), Seen::Number(b)) => same(*a, *b),
            (Seen::Place(x, y), Seen::Place(to_x, to_y)) => same(*x, *to_x) && same(*y, *to_y),
            (Seen::Flag(a), Seen::Flag(b)) => a == b,
            (Seen::Bubble(a), Seen::Bubble(b)) => a == b,
            (Seen::Value(a), Seen::Value(b)) => match (a, b) {
                (Value::Number(a), Value::Number(b)) => same(*a, *b),
                _ => a.to_text() == b.to_text(),
            },
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests;
