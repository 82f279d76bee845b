//! Speech bubbles in the scene. Programs can sense bubbles: bubbles catch clicks and count as
//! layers, and placing a bubble computes hulls.

use std::sync::Arc;

use super::bubble::{Bubble, text_size};
use super::drawable::Look;
use super::{DrawableId, Group, Scene};
use crate::bounds::{Rect, STAGE_X, STAGE_Y};

/// Height of the upper part of an owner, in stage units. Only hull points in this part influence
/// the position of the bubble.
const UPPER_PART: f64 = 8.0;

impl Scene {
    /// Adds a speech bubble in front of all sprites, at the origin.
    ///
    /// The size of the bubble is estimated from Helvetica's letter widths.
    pub fn add_bubble(&mut self, text: &str) -> DrawableId {
        let id = self.add(Group::Sprite);
        self.set_bubble(id, Bubble::new(text_size(text), true));
        id
    }

    /// Changes the text of a bubble, which keeps its layer. Has no effect if the drawable is not a
    /// bubble.
    pub fn set_bubble_text(&mut self, id: DrawableId, text: &str) {
        if let Some(on_right) = self.bubble(id).map(|bubble| bubble.on_right) {
            self.set_bubble(id, Bubble::new(text_size(text), on_right));
            // Setting the text invalidates the hull even if the size stays the same.
            if let Some(drawable) = self.get_mut(id) {
                drawable.forget_hull();
            }
        }
    }

    /// Places a bubble next to the upper part of its owner, preferably on the right if `on_right`
    /// is set and otherwise on the left. Returns whether the right side was chosen, or `on_right`
    /// if there is no such bubble or owner.
    ///
    /// The call may compute the hull of the owner.
    pub fn place_bubble(&mut self, bubble: DrawableId, owner: DrawableId, on_right: bool) -> bool {
        let Some((width, height)) = self.bubble(bubble).map(Bubble::size) else { return on_right };
        let Some(slot) = self.slot(owner) else { return on_right };
        let hull = self.upper_hull_bounds(slot);
        let fits_right = hull.right + width;
        let fits_left = hull.left - width;
        let on_right = if on_right {
            !(fits_right > STAGE_X && fits_left > -STAGE_X)
        } else {
            fits_left < -STAGE_X && fits_right < STAGE_X
        };
        if self.bubble(bubble).is_some_and(|bubble| bubble.on_right != on_right) {
            self.set_bubble(bubble, Bubble::new((width, height), on_right));
        }
        let x = if on_right {
            hull.right.min(STAGE_X - width).max(-STAGE_X)
        } else {
            fits_left.max(-STAGE_X).min(STAGE_X - width)
        };
        self.set_position(bubble, x, STAGE_Y.min(hull.bottom + height));
        on_right
    }

    /// Whether a drawable is a speech bubble.
    pub fn is_bubble(&self, id: DrawableId) -> bool {
        self.bubble(id).is_some()
    }

    fn bubble(&self, id: DrawableId) -> Option<&Bubble> {
        match &self.get(id)?.look {
            Look::Bubble(bubble) => Some(bubble),
            _ => None,
        }
    }

    fn set_bubble(&mut self, id: DrawableId, bubble: Bubble) {
        if let Some((drawable, skins)) = self.get_with_skins(id) {
            drawable.set_look(Look::Bubble(Arc::new(bubble)), skins);
        }
    }

    /// The box around the hull points in the upper part of a drawable.
    fn upper_hull_bounds(&mut self, slot: usize) -> Rect {
        self.ensure_hull(slot);
        let drawable = &self.drawables[slot];
        let points = || {
            let hull = drawable.hull_points().iter();
            hull.map(|&point| drawable.model.apply(point))
        };
        let top = points().fold(f64::NEG_INFINITY, |top, (_, y)| top.max(y));
        Rect::around(points().filter(|&(_, y)| y > top - UPPER_PART)).unwrap_or_else(|| {
            let (x, y) = drawable.position();
            Rect { left: x, right: x, bottom: y, top: y }
        })
    }
}
