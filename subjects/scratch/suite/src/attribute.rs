//! Attributes of the stage, sprites and clones of a running program, about which assertions are
//! made (Whisker paper, Table 4).

use std::fmt;

use catherd_scratch_vm::{TargetId, Text, Tracer, Value, Vm};

/// The stage, a sprite or a clone, identified in the same way in every execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Object {
    /// Position in the project's targets.
    pub target: u16,
    /// 0 for the original; living clones are numbered from 1 in the order of their creation.
    pub clone: u32,
}

impl Object {
    /// The id of the object in the VM; `None` if the object does not currently exist.
    pub fn find<T: Tracer>(self, vm: &Vm<T>) -> Option<TargetId> {
        let same = |id: &TargetId| {
            vm.target(*id).is_some_and(|view| view.sprite == usize::from(self.target))
        };
        vm.targets().filter(same).nth(self.clone as usize)
    }
}

/// An attribute of an object. Assertions after the same event are in the order of the variants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Attribute {
    /// The stage's costume, from 0.
    Backdrop,
    /// The costume, from 0.
    Costume,
    /// The number of clones of the sprite, without the original.
    CloneCount,
    /// The direction in degrees.
    Direction,
    /// A graphic effect, by its position in [`Effect::ALL`](crate::Effect::ALL).
    Effect(u8),
    /// The position in the drawing order, counted from the back.
    Layer,
    /// The length of a list, given by its position among the lists of the target in the program.
    List(u32),
    /// The x and y coordinates in stage units.
    Position,
    /// The text of the speech or thought bubble.
    Bubble,
    /// The size in percent, without its fraction.
    Size,
    /// The value of a variable, given by its position among the variables of the target in the
    /// program.
    Variable(u32),
    /// Whether the object is shown.
    Visible,
    /// The volume in percent.
    Volume,
    /// Whether the object touches a sprite, given by its position among the targets.
    Touching(u16),
    /// Whether the object touches the edge of the stage.
    TouchingEdge,
    /// The range of a variable's values after the steps of a policy.
    Range(u32),
}

/// The range of a variable's values after the steps of a policy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// The minimum; NaN if a value is not a number.
    pub least: f64,
    /// The maximum; NaN if a value is not a number.
    pub most: f64,
    /// Whether each value was at least the previous value of the same execution.
    pub rises: bool,
}

impl Range {
    /// Adds a value after the `last` value; `last` is `None` for the first value of an execution.
    pub fn add(&mut self, last: Option<f64>, value: f64) {
        if value.is_nan() {
            (self.least, self.most) = (value, value);
        } else if !self.least.is_nan() {
            self.least = self.least.min(value);
            self.most = self.most.max(value);
        }
        self.rises &= last.is_none_or(|last| value >= last);
    }

    /// Whether both bounds are finite.
    pub fn is_finite(&self) -> bool {
        self.least.is_finite() && self.most.is_finite()
    }

    /// Whether this range contains all values of another range. If the values of this range rise,
    /// the values of the other range must rise, too.
    pub(crate) fn contains(&self, other: &Self) -> bool {
        other.least >= self.least && other.most <= self.most && (other.rises || !self.rises)
    }
}

/// The value of an attribute.
#[derive(Clone, Debug)]
pub enum AttributeValue {
    /// The value of an attribute for which there is no other variant.
    Number(f64),
    /// Coordinates in stage units.
    Position(f64, f64),
    /// A truth value.
    Flag(bool),
    /// The text of a bubble; `None` without a bubble.
    Bubble(Option<Text>),
    /// The value of a variable.
    Value(Value),
    /// The range of a variable's values after the steps of a policy.
    Range(Range),
}

impl Attribute {
    /// The current value; `None` if there is none, as for [`Attribute::Range`].
    pub fn read<T: Tracer>(self, id: TargetId, vm: &mut Vm<T>) -> Option<AttributeValue> {
        if let Attribute::Touching(other) = self {
            let name = vm.program().targets().nth(usize::from(other))?.to_str().into_owned();
            return Some(AttributeValue::Flag(without_side_effects(vm, |vm| {
                vm.is_touching(id, &name)
            })));
        }
        if self == Attribute::TouchingEdge {
            return Some(AttributeValue::Flag(without_side_effects(vm, |vm| {
                vm.is_touching_edge(id)
            })));
        }
        let view = vm.target(id)?;
        Some(match self {
            Attribute::Backdrop | Attribute::Costume => AttributeValue::Number(view.costume as f64),
            Attribute::CloneCount => {
                let of_it = |id: &TargetId| vm.target(*id).is_some_and(|v| v.sprite == view.sprite);
                AttributeValue::Number(vm.targets().filter(of_it).count() as f64 - 1.0)
            }
            Attribute::Direction => AttributeValue::Number(view.direction),
            Attribute::Effect(effect) => {
                AttributeValue::Number(*view.effects.get(usize::from(effect))?)
            }
            Attribute::Layer => AttributeValue::Number(view.order() as f64),
            Attribute::List(list) => AttributeValue::Number(view.list(list as usize)?.len() as f64),
            Attribute::Position => AttributeValue::Position(view.x, view.y),
            Attribute::Bubble => AttributeValue::Bubble(view.bubble.cloned()),
            Attribute::Size => AttributeValue::Number(view.size.trunc()),
            Attribute::Variable(variable) => {
                AttributeValue::Value(view.variable(variable as usize)?.clone())
            }
            Attribute::Visible => AttributeValue::Flag(view.visible),
            Attribute::Volume => AttributeValue::Number(view.volume),
            // The runner collects ranges while a policy is executed; touching is handled above.
            Attribute::Touching(_) | Attribute::TouchingEdge | Attribute::Range(_) => return None,
        })
    }

    /// Whether the attribute is about touching.
    pub fn is_about_touching(self) -> bool {
        matches!(self, Attribute::Touching(_) | Attribute::TouchingEdge)
    }
}

/// The result of a query to the renderer, without side effects. The renderer keeps the outlines
/// that it computes for a query, and later results may depend on them.
fn without_side_effects<T: Tracer, R>(vm: &mut Vm<T>, ask: impl FnOnce(&mut Vm<T>) -> R) -> R {
    let before = vm.snapshot();
    let answer = ask(vm);
    vm.restore(&before);
    answer
}

impl AttributeValue {
    /// Whether both are the same value. Numbers are the same if they are equal or, outside of
    /// ranges, both NaN; other values of variables are compared as strings.
    pub fn is_same(&self, other: &Self) -> bool {
        let same = |a: f64, b: f64| a == b || a.is_nan() && b.is_nan();
        match (self, other) {
            (Self::Number(a), Self::Number(b)) => same(*a, *b),
            (Self::Position(x, y), Self::Position(to_x, to_y)) => {
                same(*x, *to_x) && same(*y, *to_y)
            }
            (Self::Flag(a), Self::Flag(b)) => a == b,
            (Self::Bubble(a), Self::Bubble(b)) => a == b,
            (Self::Value(a), Self::Value(b)) => match (a, b) {
                (Value::Number(a), Value::Number(b)) => same(*a, *b),
                _ => a.to_text() == b.to_text(),
            },
            (Self::Range(a), Self::Range(b)) => a == b,
            _ => false,
        }
    }
}

impl fmt::Display for AttributeValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Position(x, y) => write!(f, "({x}, {y})"),
            Self::Flag(flag) => write!(f, "{flag}"),
            Self::Bubble(None) => f.write_str("no bubble"),
            Self::Bubble(Some(text)) => write!(f, "{:?}", text.to_str()),
            Self::Value(value) => write!(f, "{:?}", value.to_text().to_str()),
            Self::Range(Range { least, most, rises }) => {
                write!(
                    f,
                    "{least} to {most}, {}",
                    if *rises { "never decreasing" } else { "decreasing at times" }
                )
            }
        }
    }
}
