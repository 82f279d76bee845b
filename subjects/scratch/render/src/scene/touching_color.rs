//! Queries for touching colours.

use smallvec::SmallVec;

use super::candidates::rows;
use super::fingerprint::Fingerprint;
use super::point_words::{WordRegion, words};
use super::query_cache::{PointQuery, QueryCache};
use super::{DrawableId, Scene};
use crate::bounds::Rect;
use crate::color::{BACKGROUND_COLOR, color_kind, matches};

/// Budget of a query in the original for sampling on the CPU, in points times drawables.
const ROW_BUDGET: f64 = 40_000.0;

/// Values that distinguish the kinds of yes-or-no queries in fingerprints.
const COLOR_QUESTION: u64 = 1;
pub(super) const OVERLAP_QUESTION: u64 = 2;

/// A query about whether the other drawables show the colour `rgb` at a point at which the tester
/// is solid or, if `mask` is set, has the colour `mask`.
#[derive(Clone, Copy)]
struct ColorQuestion<'a> {
    tester: usize,
    front_to_back: &'a [u32],
    mask: Option<[u8; 3]>,
    rgb: [u8; 3],
}

impl Scene {
    /// Whether a drawable, hidden or not, touches a colour that the other drawables or the
    /// background show.
    pub fn touching_color(&mut self, id: DrawableId, rgb: [u8; 3]) -> bool {
        self.color_query(id, None, rgb)
    }

    /// Whether a part of a drawable, hidden or not, that has the colour `mask` touches the colour
    /// `rgb` of the other drawables or the background.
    pub fn color_touching_color(&mut self, id: DrawableId, mask: [u8; 3], rgb: [u8; 3]) -> bool {
        self.color_query(id, Some(mask), rgb)
    }

    fn color_query(&mut self, id: DrawableId, mask: Option<[u8; 3]>, rgb: [u8; 3]) -> bool {
        let Some(tester) = self.slot(id) else { return false };
        let slots = self.front_to_back();
        let candidates = self.candidates(tester, slots);
        // The background is everywhere, so candidates do not limit the area.
        let area = if matches(rgb, BACKGROUND_COLOR) {
            self.query_bounds(tester)
        } else {
            candidates.area
        };
        let Some(area) = area else { return false };
        self.prepare(tester);
        // Masks are compared with all their bits on the graphics processor.
        let mask_word = mask.map_or(0, |[r, g, b]| u64::from(u32::from_be_bytes([1, r, g, b])));
        let kind = Fingerprint::of(COLOR_QUESTION).with(color_kind(rgb) as u64, mask_word);
        let question = ColorQuestion { tester, front_to_back: &candidates.slots, mask, rgb };
        self.answered(kind, tester, &candidates.slots, area, |scene, cache| {
            scene.color_query_in(question, area, cache)
        })
    }

    /// The cached answer to a query of a tester about other drawables within an area, or else the
    /// result of `ask`. The queue of the pen must have been drawn in the area, and `question` must
    /// contain everything else on which the answer depends.
    pub(super) fn answered(
        &mut self,
        question: Fingerprint,
        tester: usize,
        others: &[u32],
        area: Rect,
        ask: impl FnOnce(&Self, &mut QueryCache) -> bool,
    ) -> bool {
        let question = question.numbers(&[area.left, area.right, area.bottom, area.top]);
        let slots = || [tester].into_iter().chain(others.iter().map(|&slot| slot as usize));
        let question =
            slots().try_fold(question, |question, slot| self.with_print_in(question, slot, area));
        if let Some(known) = question.and_then(|question| self.query_cache.touching.get(question)) {
            return known;
        }
        let mut cache = std::mem::take(&mut self.query_cache);
        let answer = ask(self, &mut cache);
        if let Some(question) = question {
            cache.touching.insert(question, answer);
        }
        self.query_cache = cache;
        answer
    }

    fn color_query_in(
        &self,
        question: ColorQuestion<'_>,
        area: Rect,
        cache: &mut QueryCache,
    ) -> bool {
        // In large areas, the original samples rows from the bottom on the CPU, up to its budget,
        // and the other rows on the graphics processor.
        let row_cost = area.width() * (question.front_to_back.len() + 1) as f64;
        if row_cost * area.height() < ROW_BUDGET {
            return self.color_query_at(question, false, area, cache);
        }
        let on_cpu = (ROW_BUDGET / row_cost).ceil();
        let lower = Rect { top: area.top.min(area.bottom + on_cpu - 1.0), ..area };
        // The graphics processor samples pixels, of which there is one fewer than points in each
        // row and column.
        let Rect { right, top, .. } = area;
        let upper =
            Rect { bottom: area.bottom + on_cpu, right: right - 1.0, top: top - 1.0, ..area };
        self.color_query_at(question, false, lower, cache)
            || upper.bottom <= upper.top && self.color_query_at(question, true, upper, cache)
    }

    /// Executes the query at the points of an area as the original does: on the CPU or, if `drawn`
    /// is set, on the graphics processor, which samples the centres of the pixels to the upper
    /// right of the points.
    fn color_query_at(
        &self,
        question: ColorQuestion<'_>,
        drawn: bool,
        area: Rect,
        cache: &mut QueryCache,
    ) -> bool {
        cache.begin_query();
        let ColorQuestion { tester, front_to_back, mask, rgb } = question;
        let query = match (mask, drawn) {
            (None, false) => PointQuery::Solid,
            (Some(mask), false) => PointQuery::Mask(mask),
            (None, true) => PointQuery::DrawnSolid,
            (Some(mask), true) => PointQuery::DrawnMask(mask),
        };
        let own = cache.candidate(self, tester, query);
        cache.prepare(&own, &WordRegion::around(area));
        let mut others = self.color_view(front_to_back, rgb, drawn, area, cache);
        rows(area).any(|row| {
            let row_words = others.enter_row(row) & own.visible_region.words(row);
            if row_words == 0 {
                return false;
            }
            words(area.left as i32, area.right as i32).any(|(word, points)| {
                if row_words >> word & 1 == 0 {
                    return false;
                }
                let points = others.possible_points(cache, word, row, points);
                if points == 0 {
                    return false;
                }
                let points = cache.answers(self, &own, word, row, points).yes & points;
                points != 0 && others.matching_points(cache, word, row, points) != 0
            })
        })
    }

    pub(super) fn front_to_back(&self) -> SmallVec<[u32; 64]> {
        let slot = |&id: &DrawableId| self.slot(id).map(|slot| slot as u32);
        self.layers.list().iter().rev().filter_map(slot).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::color::{GhostEffect, matches_mask_gpu, source_over};
    use crate::effect::Effect;
    use crate::limits::Limits;
    use crate::picture::Picture;
    use crate::scene::Group;
    use crate::skin::{SkinId, SkinSetBuilder};

    const PICTURE: &str = "<path fill='#f00' d='M0 0h9v9h-9z'/><path fill='#00f' d='M9 9h40v3h-40z'/>\
        <path fill='#0f0' fill-opacity='.5' d='M20 0h20v40z'/><path fill='#000' d='M40 30l9 9h-9z'/>";

    fn scene() -> (Scene, [DrawableId; 4]) {
        let mut skins = SkinSetBuilder::new(Limits::default());
        let back =
            "<path fill='#808080' d='M0 0h480v170h-480z'/><path fill='#f00' d='M99 9h3v99h-3z'/>";
        for (width, height, body) in [(480, 360, back), (50, 40, PICTURE)] {
            let svg = format!(
                "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}'>{body}</svg>"
            );
            skins.add_svg(svg.as_bytes().into(), None).unwrap();
        }
        let bitmap = Picture::from_fn(30, 20, |x, y| {
            let blue = if x > y { 255 } else { 0 };
            [(x * 8) as u8, 0, blue, if y < 4 { 128 } else { 255 * u8::from(x % 5 > 1) }]
        });
        skins.add_bitmap(bitmap.to_png().into(), Some(1.0), None).unwrap();
        let mut scene = Scene::new(Arc::new(skins.build()));
        let groups = [Group::Background, Group::Sprite, Group::Sprite, Group::Sprite];
        let ids = groups.map(|group| scene.add(group));
        for (&id, skin) in ids.iter().zip([0, 1, 2, 1]) {
            scene.set_skin(id, SkinId(skin));
        }
        (scene, ids)
    }

    /// The answer of the graphics processor, computed pixel by pixel with all drawables.
    fn plain(scene: &Scene, question: ColorQuestion<'_>, area: Rect) -> bool {
        let own = scene.shader(question.tester);
        let others: Vec<_> =
            question.front_to_back.iter().map(|&slot| scene.shader(slot as usize)).collect();
        (area.bottom as i32..=area.top as i32).any(|row| {
            (area.left as i32..=area.right as i32).any(|column| {
                let point = (f64::from(column) + 0.5, f64::from(row) + 0.5);
                let inside = own.fragment(point, GhostEffect::Ignore).is_some_and(|color| {
                    match question.mask {
                        Some(mask) => matches_mask_gpu(color, mask),
                        None => color[3] != 0.0,
                    }
                });
                inside
                    && matches(
                        others
                            .iter()
                            .rev()
                            .filter_map(|other| other.fragment(point, GhostEffect::Apply))
                            .fold(BACKGROUND_COLOR, source_over),
                        question.rgb,
                    )
            })
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]
        #[test]
        #[ignore = "slow"]
        fn caching_changes_no_answer_of_the_graphics_processor(
            moves in prop::collection::vec(
                (
                    1_usize..4,
                    (-200_i16..200, -150_i16..150),
                    prop::sample::select(vec![90.0, 90.0, 33.0]),
                    prop::sample::select(vec![100.0, 400.0, 750.0]),
                    prop::sample::select(vec![
                        (Effect::Ghost, 0.0),
                        (Effect::Ghost, 30.0),
                        (Effect::Ghost, 100.0),
                        (Effect::Whirl, 90.0),
                        (Effect::Color, 60.0),
                        (Effect::Brightness, 50.0),
                        (Effect::Brightness, -30.0),
                    ]),
                ),
                1..6,
            ),
        ) {
            let (mut scene, ids) = scene();
            let mut cache = QueryCache::default();
            for (sprite, (x, y), direction, size, (effect, value)) in moves {
                let id = ids[sprite];
                scene.set_position(id, f64::from(x), f64::from(y));
                scene.set_direction_scale(id, direction, size, size);
                scene.set_effect(id, effect, value);
                let slots = scene.front_to_back();
                for tester in 1..4 {
                    let candidates = scene.candidates(tester, slots.iter().copied());
                    let Some(area) = candidates.area else { continue };
                    for rgb in [[255, 0, 0], [0, 0, 255], [128; 3], [255; 3], [64, 192, 64], [120, 0, 0]] {
                        for mask in [None, Some([255, 0, 0]), Some([0, 0, 255]), Some([0; 3])] {
                            let front_to_back = &candidates.slots;
                            let question = ColorQuestion { tester, front_to_back, mask, rgb };
                            let found = scene.color_query_at(question, true, area, &mut cache);
                            prop_assert_eq!(found, plain(&scene, question, area));
                        }
                    }
                }
            }
        }
    }
}
