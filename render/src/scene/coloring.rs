//! Touching colours.

use smallvec::SmallVec;

use super::axes::Texel;
use super::candidates::{Probe, columns, rows, tabulate};
use super::shading::Shader;
use super::{DrawableId, Scene};
use crate::bounds::Rect;
use crate::color::{Blend, Ghosting, matches, matches_mask, matches_mask_drawn, painted};

const PAPER: [u8; 3] = [255; 3];

/// Points times drawables that the original samples on the processor in one query.
const ROW_BUDGET: f64 = 40_000.0;

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
        let mut texels = std::mem::take(&mut self.texels);
        let found = self.scan(tester, &candidates.slots, mask, rgb, area, &mut texels);
        self.texels = texels;
        found
    }

    fn scan(
        &self,
        tester: usize,
        front_to_back: &[u32],
        mask: Option<[u8; 3]>,
        rgb: [u8; 3],
        area: Rect,
        texels: &mut Vec<Texel>,
    ) -> bool {
        let mut own = self.probe(tester);
        let mut others = self.probes(front_to_back);
        tabulate(std::iter::once(&mut own).chain(&mut others), area, texels);
        let found_at = |y: f64| {
            columns(area).any(|x| {
                let point = (x, y);
                let inside = match mask {
                    Some(mask) => matches_mask(own.color(point, Ghosting::Ignored), mask),
                    None => own.touches(point),
                };
                inside && matches(blend(&others, point), rgb)
            })
        };
        // Large areas are finished by the graphics processor, from the top down, after the
        // processor has done as many rows from the bottom as it may.
        let row_cost = area.width() * (others.len() + 1) as f64;
        if row_cost * area.height() < ROW_BUDGET {
            return rows(area).any(found_at);
        }
        let lower_rows = (ROW_BUDGET / row_cost).ceil();
        rows(area).take(lower_rows as usize).any(found_at)
            || self.drawn_color_query(
                tester,
                front_to_back,
                mask,
                rgb,
                Rect { bottom: area.bottom + lower_rows, ..area },
            )
    }

    /// The same question answered by drawing: one sample in the middle of every pixel of the
    /// area, through the rasters of the drawables' own scales, blended from back to front.
    fn drawn_color_query(
        &self,
        tester: usize,
        front_to_back: &[u32],
        mask: Option<[u8; 3]>,
        rgb: [u8; 3],
        area: Rect,
    ) -> bool {
        let own = self.shader(tester);
        let others: SmallVec<[Shader<'_>; 8]> =
            front_to_back.iter().rev().map(|&slot| self.shader(slot as usize)).collect();
        let pixels =
            |from: f64, to: f64| (from as i32..to as i32).map(|pixel| f64::from(pixel) + 0.5);
        pixels(area.bottom, area.top).any(|y| {
            pixels(area.left, area.right).any(|x| {
                let inside =
                    own.fragment((x, y), Ghosting::Ignored).is_some_and(|drawn| match mask {
                        Some(mask) => matches_mask_drawn(drawn, mask),
                        None => drawn[3] != 0.0,
                    });
                inside && {
                    let drawn = others.iter().fold(PAPER, |paper, other| {
                        other
                            .fragment((x, y), Ghosting::Seen)
                            .map_or(paper, |over| painted(paper, over))
                    });
                    matches(drawn, rgb)
                }
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
