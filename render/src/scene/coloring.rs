//! Touching colours.

use smallvec::SmallVec;

use super::candidates::{Probe, columns, rows};
use super::{DrawableId, Scene};
use crate::color::{Blend, Ghosting, matches, matches_mask};

const PAPER: [u8; 3] = [255; 3];

impl Scene {
    /// Whether a drawable, hidden or not, is solid at a whole point of the stage where the
    /// others show a colour.
    pub fn touching_color(&mut self, id: DrawableId, rgb: [u8; 3]) -> bool {
        self.color_query(id, None, rgb)
    }

    /// Whether a drawable, hidden or not, has the colour `mask` at a whole point of the stage
    /// where the others show the colour `rgb`.
    pub fn color_touching_color(&mut self, id: DrawableId, mask: [u8; 3], rgb: [u8; 3]) -> bool {
        self.color_query(id, Some(mask), rgb)
    }

    fn color_query(&mut self, id: DrawableId, mask: Option<[u8; 3]>, rgb: [u8; 3]) -> bool {
        let Some(tester) = self.slot(id) else { return false };
        let slots = self.front_to_back();
        let candidates = self.candidates(tester, slots);
        // White paper is everywhere, so no candidate limits where it may be found.
        let area = if matches(rgb, PAPER) { self.query_bounds(tester) } else { candidates.area };
        let Some(area) = area else { return false };
        self.prepare(tester);
        let own = self.probe(tester);
        let others = self.probes(&candidates.slots);
        rows(area).any(|y| {
            columns(area).any(|x| {
                let point = (x, y);
                let inside = match mask {
                    Some(mask) => matches_mask(own.color(point, Ghosting::Ignored), mask),
                    None => own.touches(point),
                };
                inside && matches(blend(&others, point), rgb)
            })
        })
    }

    /// Slots of the whole draw list.
    pub(super) fn front_to_back(&self) -> SmallVec<[usize; 32]> {
        self.layers.list().iter().rev().filter_map(|&id| self.slot(id)).collect()
    }
}

/// What drawables, given front to back, show at a point.
pub(super) fn blend(probes: &[Probe<'_>], point: (f64, f64)) -> [u8; 3] {
    let mut blend = Blend::new();
    for probe in probes {
        if blend.opaque() {
            break;
        }
        blend.behind(probe.color(point, Ghosting::Seen));
    }
    blend.on_paper()
}
