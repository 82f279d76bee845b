//! The pen layer.

use super::{DrawableId, Scene};

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PenStroke {
    /// Red, green, blue, not multiplied by opacity, and opacity; each from 0 to 1.
    pub rgba: [f64; 4],
    /// Width of the line in stage units, from 1 to 1200.
    pub diameter: f64,
}

impl Scene {
    /// Makes the pen layer transparent.
    pub fn pen_clear(&mut self) {}

    /// Draws a line with round ends; a dot if both ends are equal.
    pub fn pen_line(&mut self, _from: (f64, f64), _to: (f64, f64), _stroke: &PenStroke) {}

    /// Stamps a drawable, hidden or not, onto the pen layer.
    pub fn pen_stamp(&mut self, _id: DrawableId) {}

    /// Adds a speech bubble in front of all sprites.
    pub fn add_bubble(&mut self, _text: &str) -> DrawableId {
        self.add(super::Group::Sprite)
    }

    /// Changes the text of a bubble.
    pub fn set_bubble_text(&mut self, _id: DrawableId, _text: &str) {}

    /// Places a bubble beside its owner and returns its new side.
    pub fn place_bubble(
        &mut self,
        _bubble: DrawableId,
        _owner: DrawableId,
        on_right: bool,
    ) -> bool {
        on_right
    }

    /// Whether a drawable is a speech bubble.
    pub fn is_bubble(&self, _id: DrawableId) -> bool {
        false
    }
}
