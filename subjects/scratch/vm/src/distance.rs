//! Branch distances, which measure how far a condition was from its other outcome (Whisker paper,
//! section 5.2.2).

use catherd_scratch_render::ColorOf;
use catherd_scratch_sb3::BlockNo;

use crate::blocks::MISSING_TARGET_DISTANCE;
use crate::code::{Comparison, Expr, ExprId};
use crate::interpreter::Interpreter;
use crate::tracer::Tracer;
use crate::value::{Value, to_rgba};

/// The value of a condition with its branch distances to both outcomes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ConditionDistances {
    pub(crate) value: bool,
    pub(crate) to_true: f64,
    pub(crate) to_false: f64,
}

impl ConditionDistances {
    pub(crate) fn new(value: bool, to_other: f64) -> ConditionDistances {
        let distance = if to_other.is_nan() {
            f64::INFINITY
        } else if to_other > 0.0 {
            to_other
        } else {
            1.0
        };
        if value {
            ConditionDistances { value, to_true: 0.0, to_false: distance }
        } else {
            ConditionDistances { value, to_true: distance, to_false: 0.0 }
        }
    }
}

impl ConditionDistances {
    #[inline]
    pub(crate) fn and(a: ConditionDistances, b: ConditionDistances) -> ConditionDistances {
        let value = a.value && b.value;
        let to_false = a.to_false.min(b.to_false);
        ConditionDistances::new(value, if value { to_false } else { a.to_true + b.to_true })
    }

    #[inline]
    pub(crate) fn or(a: ConditionDistances, b: ConditionDistances) -> ConditionDistances {
        let value = a.value || b.value;
        let to_true = a.to_true.min(b.to_true);
        ConditionDistances::new(value, if value { a.to_false + b.to_false } else { to_true })
    }

    #[inline]
    pub(crate) fn not(a: ConditionDistances) -> ConditionDistances {
        ConditionDistances { value: !a.value, to_true: a.to_false, to_false: a.to_true }
    }
}

/// The formulas of a comparison of numbers: its outcome, the distance from the outcome false to
/// true, and the distance from true to false.
type Formulas = (fn(f64, f64) -> bool, fn(f64, f64) -> f64, fn(f64, f64) -> f64);

const LESS: Formulas = (|a, b| a < b, |a, b| a - b + 1.0, |a, b| b - a);
const GREATER: Formulas = (|a, b| a > b, |a, b| b - a + 1.0, |a, b| a - b);
const EQUALS: Formulas = (|a, b| a == b, |a, b| (a - b).abs(), |_, _| 1.0);

#[inline]
fn of_numbers((outcome, to_true, to_false): Formulas, a: f64, b: f64) -> ConditionDistances {
    let value = outcome(a, b);
    ConditionDistances::new(value, if value { to_false(a, b) } else { to_true(a, b) })
}

/// The distances of a comparison of numbers other than NaN.
#[inline]
pub(crate) fn of_comparison(how: Comparison, a: f64, b: f64) -> ConditionDistances {
    match how {
        Comparison::Less => of_numbers(LESS, a, b),
        Comparison::Equals => of_numbers(EQUALS, a, b),
        Comparison::Greater => of_numbers(GREATER, a, b),
    }
}

fn of_values(formulas: Formulas, value: bool, a: &Value, b: &Value) -> ConditionDistances {
    if a.both_numeric(b) {
        of_numbers(formulas, a.to_number(), b.to_number())
    } else {
        ConditionDistances::new(value, 1.0)
    }
}

pub(crate) fn of_compared_values(how: Comparison, a: &Value, b: &Value) -> ConditionDistances {
    match how {
        Comparison::Less => of_values(LESS, a.compare(b).is_lt(), a, b),
        Comparison::Equals => of_values(EQUALS, a.equals(b), a, b),
        Comparison::Greater => of_values(GREATER, a.compare(b).is_gt(), a, b),
    }
}

/// Length of the stage's diagonal in stage units.
const DIAGONAL: f64 = 600.0;

impl<T: Tracer> Interpreter<'_, T> {
    /// Distances are not measured if the tracer already knows distances of 0 to both outcomes.
    pub(crate) fn condition(&mut self, no: BlockNo, condition: ExprId) -> bool {
        if !T::ACTIVE {
            return self.truth(condition);
        }
        let known = self.tracer.known_distances(no);
        if known.0 <= 0.0 && known.1 <= 0.0 {
            return self.truth(condition);
        }
        let measure = self.measure(condition, known);
        self.tracer.distance(no, measure.to_true, measure.to_false);
        measure.value
    }

    /// Distances that are not below the known distances may be overestimated: all combinations of
    /// distances increase with their parts, so a bound for the combination is a bound for every
    /// part.
    fn measure(&mut self, e: ExprId, known: (f64, f64)) -> ConditionDistances {
        match self.program.exprs[e.0 as usize] {
            Expr::Less(a, b) => self.measure_comparison(a, b, LESS, |a, b| a.compare(b).is_lt()),
            Expr::Greater(a, b) => {
                self.measure_comparison(a, b, GREATER, |a, b| a.compare(b).is_gt())
            }
            Expr::Equals(a, b) => self.measure_comparison(a, b, EQUALS, Value::equals),
            Expr::And(a, b) => {
                ConditionDistances::and(self.measure(a, known), self.measure(b, known))
            }
            Expr::Or(a, b) => {
                ConditionDistances::or(self.measure(a, known), self.measure(b, known))
            }
            Expr::Not(a) => ConditionDistances::not(self.measure(a, (known.1, known.0))),
            Expr::Reversed { first, node } => {
                let value = self.value(first);
                self.buffers.deferred_operands.push(value);
                self.measure(node, known)
            }
            Expr::Then { first, node } => {
                self.value(first);
                self.measure(node, known)
            }
            Expr::Touching(what) => {
                let what = self.value(what);
                let touching = self.touching(&what);
                let needed = !touching && known.0 > 0.0;
                let distance = if needed { self.distance_of_touching(&what) } else { 1.0 };
                ConditionDistances::new(touching, distance)
            }
            Expr::TouchingColor(color) => {
                let color = self.value(color);
                let touching = self.touching_color(&color);
                let distance = if touching { 1.0 } else { self.distance_of_color(&color, known.0) };
                ConditionDistances::new(touching, distance)
            }
            Expr::ColorTouchingColor(own, other) => {
                let (own, other) = (self.value(own), self.value(other));
                let touching = self.color_touching_color(&own, &other);
                let distance =
                    if touching { 1.0 } else { self.distance_of_colors(&own, &other, known.0) };
                ConditionDistances::new(touching, distance)
            }
            _ => ConditionDistances::new(self.truth(e), 1.0),
        }
    }

    #[inline]
    fn measure_comparison(
        &mut self,
        a: ExprId,
        b: ExprId,
        formulas: Formulas,
        outcome: impl FnOnce(&Value, &Value) -> bool,
    ) -> ConditionDistances {
        let numbers = |a, b| of_numbers(formulas, a, b);
        self.with_operands(a, b, numbers, |a, b| of_values(formulas, outcome(a, b), a, b))
    }

    fn distance_of_touching(&self, what: &Value) -> f64 {
        let own = &self.state.targets[self.target];
        let to = |x: f64, y: f64| {
            let (dx, dy) = (own.x - x, own.y - y);
            let distance = (dx * dx + dy * dy).sqrt();
            if distance.is_nan() { MISSING_TARGET_DISTANCE } else { distance }
        };
        let name = what.text();
        if *name == *"_mouse_" {
            let (x, y) = self.mouse_position();
            return to(x, y);
        }
        if *name == *"_edge_" {
            return (240.0 + own.x).min(180.0 + own.y).min(240.0 - own.x).min(180.0 - own.y);
        }
        let Some(sprite) = self.program.sprite_named(&name) else { return MISSING_TARGET_DISTANCE };
        // Use the nearest instance that can be touched, or else the original.
        let mut nearest = f64::INFINITY;
        for live in self.state.live_targets.iter().filter(|live| live.sprite as usize == sprite) {
            let other = &self.state.targets[live.id.0 as usize];
            if other.visible && live.id.0 as usize != self.target {
                nearest = nearest.min(to(other.x, other.y));
            }
        }
        if nearest.is_finite() {
            return nearest;
        }
        let original = &self.state.targets[sprite];
        to(original.x, original.y)
    }

    fn distance_of_color(&mut self, color: &Value, known: f64) -> f64 {
        let own = &self.state.targets[self.target];
        let (x, y) = (own.x, own.y);
        self.search_color((x, y), color, known).unwrap_or(1.0)
    }

    fn distance_of_colors(&mut self, own: &Value, other: &Value, known: f64) -> f64 {
        if known <= 0.0 {
            return 1.0;
        }
        let target = &self.state.targets[self.target];
        let (drawable, start) = (target.drawable, (target.x, target.y));
        let bounds = self.state.scene.fast_bounds(drawable);
        let (rgb, of) = (to_rgba(own).0, ColorOf::Only(drawable));
        match self.state.scene.find_color(start, bounds, rgb, of, f64::INFINITY) {
            Some(sample) => self.search_color(sample, other, known).unwrap_or(1.0),
            None => 1.0,
        }
    }

    /// The distance, as a fraction of the stage's diagonal, from `start` to a sample at which the
    /// stage without the executing target shows a colour; `None` beyond the known distance.
    fn search_color(&mut self, start: (f64, f64), color: &Value, known: f64) -> Option<f64> {
        if known <= 0.0 {
            return None;
        }
        let drawable = self.state.targets[self.target].drawable;
        let (rgb, of) = (to_rgba(color).0, ColorOf::AllBut(drawable));
        let (x, y) =
            self.state.scene.find_color(start, crate::view::STAGE, rgb, of, known * DIAGONAL)?;
        let (dx, dy) = (start.0 - x, start.1 - y);
        Some((dx * dx + dy * dy).sqrt() / DIAGONAL)
    }
}
