//! The outcome of a stretch.

use std::sync::Arc;

use catherd_scratch_render::{DrawableCopy, Rasters};
use catherd_scratch_sb3::RotationStyle;

use super::End;
use crate::limits::Hits;
use crate::random::Random;
use crate::target::Pen;
use crate::thread::Frame;
use crate::tracer::Traced;
use crate::value::Value;

/// Estimated bytes of an outcome and its key, without the data to which it points.
const OUTCOME_BYTES: usize = 512;

/// Estimated bytes of the stored state of the target of the stretch.
const OWN_BYTES: usize = 640;

pub(super) struct Outcome {
    /// The fuel of the slice at the beginning, if the stretch ended because this fuel was used up.
    pub(super) budget: Option<u32>,
    /// Fuel that the stretch consumed from the slice and from the step.
    pub(super) blocks: (u32, u64),
    /// Frames in warp, and their parameters; unused unless the budget ended the stretch.
    pub(super) frames: Vec<Frame>,
    pub(super) parameters: Vec<Value>,
    /// The values of the variables in [`super::Reach::set`], in the same order.
    pub(super) variables: Vec<Value>,
    /// The items of the lists in [`super::Reach::changed`], in the same order.
    pub(super) lists: Vec<Arc<Vec<Value>>>,
    /// Whether each of [`super::Reach::lists`] exists.
    pub(super) exist: Vec<bool>,
    pub(super) own: Option<Box<Own>>,
    /// The random stream, if random numbers were drawn.
    pub(super) random: Option<Random>,
    pub(super) messages: Vec<u32>,
    pub(super) hits: Hits,
    pub(super) redraw: bool,
    pub(super) traced: Traced,
}

pub(super) struct Own {
    pub(super) position: (f64, f64),
    pub(super) direction: f64,
    pub(super) size: f64,
    pub(super) rotation_style: RotationStyle,
    pub(super) costume: usize,
    pub(super) effects: [f64; 7],
    pub(super) pen: Pen,
    pub(super) drawable: DrawableCopy,
    pub(super) rasters: Option<Rasters>,
    /// Whether a pen block was executed, and none had been executed before the stretch.
    pub(super) makes_pen: bool,
}

impl Outcome {
    pub(super) fn end(&self) -> End {
        if self.budget.is_some() { End::Budget } else { End::Block }
    }

    pub(super) fn fits(&self, slice_fuel: u32, step_fuel: u64) -> bool {
        // Blocks behave in the same way for all amounts of fuel that are not used up.
        let slice = self.budget.map_or(slice_fuel > self.blocks.0, |budget| budget == slice_fuel);
        slice && step_fuel > self.blocks.1
    }

    /// Estimated; shared data count for each outcome.
    pub(super) fn bytes(&self) -> usize {
        let text = |value: &Value| match value {
            Value::Text(text) => 2 * text.len(),
            _ => 0,
        };
        let values =
            |values: &[Value]| size_of_val(values) + values.iter().map(text).sum::<usize>();
        let lists = self.lists.iter().map(|list| values(list)).sum::<usize>();
        let own = self.own.as_ref().map_or(0, |own| {
            OWN_BYTES + own.drawable.bytes() + own.rasters.as_ref().map_or(0, Rasters::bytes)
        });
        OUTCOME_BYTES
            + size_of_val(&*self.frames)
            + values(&self.parameters)
            + values(&self.variables)
            + lists
            + self.exist.len()
            + size_of_val(&*self.messages)
            + own
            + self.traced.bytes()
    }
}
