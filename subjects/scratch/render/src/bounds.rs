//! Axis-aligned boxes in stage coordinates, and the points of hulls.

use crate::rounding::{clamp, floor};

/// Half the width of the stage, in stage units.
pub(crate) const STAGE_X: f64 = 240.0;
/// Half the height of the stage, in stage units.
pub(crate) const STAGE_Y: f64 = 180.0;

/// Hull points in the local coordinates of the model matrix.
pub(crate) type HullPoints = [(f32, f32)];

/// An axis-aligned box in stage units; x grows to the right, y grows upwards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rect {
    /// Smallest x.
    pub left: f64,
    /// Largest x.
    pub right: f64,
    /// Smallest y.
    pub bottom: f64,
    /// Largest y.
    pub top: f64,
}

impl Rect {
    /// The whole stage: 480 by 360 units around the origin.
    pub const STAGE: Self = Self { left: -STAGE_X, right: STAGE_X, bottom: -STAGE_Y, top: STAGE_Y };

    pub(crate) fn around(points: impl IntoIterator<Item = (f64, f64)>) -> Option<Self> {
        points.into_iter().fold(None, |rect, (x, y)| {
            let point = Self { left: x, right: x, bottom: y, top: y };
            Some(rect.map_or(point, |rect: Self| rect.union(point)))
        })
    }

    /// Right minus left.
    pub fn width(&self) -> f64 {
        self.right - self.left
    }

    /// Top minus bottom.
    pub fn height(&self) -> f64 {
        self.top - self.bottom
    }

    pub(crate) fn union(self, other: Self) -> Self {
        Self {
            left: self.left.min(other.left),
            right: self.right.max(other.right),
            bottom: self.bottom.min(other.bottom),
            top: self.top.max(other.top),
        }
    }

    pub(crate) fn intersection(self, other: Self) -> Self {
        Self {
            left: self.left.max(other.left),
            right: self.right.min(other.right),
            bottom: self.bottom.max(other.bottom),
            top: self.top.min(other.top),
        }
    }

    pub(crate) fn intersects(&self, other: &Self) -> bool {
        self.left <= other.right
            && other.left <= self.right
            && self.top >= other.bottom
            && other.top >= self.bottom
    }

    pub(crate) fn contains(&self, (x, y): (f64, f64)) -> bool {
        self.left <= x && x <= self.right && self.bottom <= y && y <= self.top
    }

    pub(crate) fn grown(self, margin: f64) -> Self {
        Self {
            left: self.left - margin,
            right: self.right + margin,
            bottom: self.bottom - margin,
            top: self.top + margin,
        }
    }

    pub(crate) fn snapped(self) -> Self {
        Self {
            left: floor(self.left),
            right: -floor(-self.right),
            bottom: floor(self.bottom),
            top: -floor(-self.top),
        }
    }

    /// The box limited to the stage; a box outside becomes a part of the border of the stage.
    pub(crate) fn on_stage(self) -> Self {
        Self {
            left: clamp(self.left, -STAGE_X, STAGE_X),
            right: clamp(self.right, -STAGE_X, STAGE_X),
            bottom: clamp(self.bottom, -STAGE_Y, STAGE_Y),
            top: clamp(self.top, -STAGE_Y, STAGE_Y),
        }
    }
}
