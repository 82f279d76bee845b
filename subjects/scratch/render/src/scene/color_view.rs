//! Points at which several drawables show a colour.

use smallvec::SmallVec;

use super::Scene;
use super::point_words::{WordRegion, columns_of, point_of};
use super::query_cache::{Candidate, PointQuery, QueryCache};
use super::sampler::Sampler;
use super::shader::Shader;
use crate::bounds::Rect;
use crate::color::{BACKGROUND_COLOR, Blend, GhostEffect, matches, similar, source_over};

/// A query, row by row, for the points at which several drawables show a colour.
pub(super) struct ColorView<'a> {
    scene: &'a Scene,
    candidates: SmallVec<[Candidate; 16]>,
    rgb: [u8; 3],
    /// Whether colours are computed as on the graphics processor.
    drawn: bool,
    /// Number of drawables, from the front, that can influence the answer.
    relevant_count: usize,
    /// The words in which the colour may show.
    candidate_region: WordRegion,
    row: Option<i32>,
    /// The relevant candidates that may be visible in the row: their words, one bit for each, and
    /// their indices.
    row_candidates: SmallVec<[(u32, u32); 16]>,
    /// The words of the row in which the colour may show.
    row_words: u32,
}

impl Scene {
    /// The view of some drawables within an area. If `drawn` is set, colours are computed as the
    /// graphics processor draws them at the centres of the pixels to the upper right of the points.
    pub(super) fn color_view(
        &self,
        front_to_back: &[u32],
        rgb: [u8; 3],
        drawn: bool,
        area: Rect,
        cache: &mut QueryCache,
    ) -> ColorView<'_> {
        let query = if drawn { PointQuery::DrawnColor(rgb) } else { PointQuery::Color(rgb) };
        let candidate = |&slot| cache.candidate(self, slot as usize, query);
        let candidates: SmallVec<[Candidate; 16]> = front_to_back.iter().map(candidate).collect();
        let area = WordRegion::around(area);
        let (mut relevant_count, mut candidate_region) = (0, WordRegion::EMPTY);
        for (number, candidate) in candidates.iter().enumerate() {
            let visible = candidate.visible_region.intersection(&area);
            if candidate.may_match && !visible.is_empty() {
                (relevant_count, candidate_region) = (number + 1, visible.union(&candidate_region));
            }
        }
        if matches(rgb, BACKGROUND_COLOR) {
            (relevant_count, candidate_region) = (candidates.len(), area);
        }
        for candidate in &candidates[..relevant_count] {
            cache.prepare(candidate, &area);
        }
        let row_candidates = SmallVec::new();
        ColorView {
            scene: self,
            candidates,
            rgb,
            drawn,
            relevant_count,
            candidate_region,
            row: None,
            row_candidates,
            row_words: 0,
        }
    }
}

impl ColorView<'_> {
    /// Moves to a row. Returns the words in which the colour may show, one bit for each.
    pub(super) fn enter_row(&mut self, row: i32) -> u32 {
        if self.row == Some(row) {
            return self.row_words;
        }
        self.row = Some(row);
        self.row_candidates.clear();
        let within = self.candidate_region.words(row);
        self.row_words = if matches(self.rgb, BACKGROUND_COLOR) { within } else { 0 };
        if within == 0 {
            return 0;
        }
        for (candidate, number) in self.candidates[..self.relevant_count].iter().zip(0..) {
            let words = candidate.visible_region.words(row) & within;
            if words != 0 {
                self.row_candidates.push((words, number));
                self.row_words |= if candidate.may_match { words } else { 0 };
            }
        }
        self.row_words
    }

    /// The given points of a word at which the colour may show, according to the answers in the
    /// cache.
    pub(super) fn possible_points(
        &self,
        cache: &QueryCache,
        word: i32,
        row: i32,
        points: u64,
    ) -> u64 {
        let (mut possible, mut open) = (0, points);
        for candidate in self.candidates_in(word) {
            let answers = cache.known(candidate, word, row);
            if candidate.may_match {
                possible |= open & (answers.yes | !answers.known);
            }
            open &= !answers.known | answers.transparent();
            if open == 0 {
                return possible;
            }
        }
        if matches(self.rgb, BACKGROUND_COLOR) { possible | open } else { possible }
    }

    pub(super) fn matching_points(
        &self,
        cache: &mut QueryCache,
        word: i32,
        row: i32,
        points: u64,
    ) -> u64 {
        let (mut shown, mut blended) = (0, 0);
        let mut open = self.wanted_points(cache, word, row, points);
        for candidate in self.candidates_in(word) {
            if open == 0 {
                break;
            }
            let answers = cache.answers(self.scene, candidate, word, row, open);
            shown |= open & answers.opaque_matches();
            blended |= open & answers.blended();
            open &= answers.transparent();
        }
        if matches(self.rgb, BACKGROUND_COLOR) {
            shown |= open;
        }
        if blended != 0 && self.drawn {
            let shaders = self.shaders(cache, word, row);
            for x in columns_of(word, blended) {
                if is_drawn(&shaders, (x, row), self.rgb) {
                    shown |= point_of(x);
                }
            }
        } else if blended != 0 {
            let mut layers = self.layers(cache, word, row);
            for x in columns_of(word, blended) {
                if is_blended(&mut layers, (x, row), self.rgb) {
                    shown |= point_of(x);
                }
            }
        }
        shown
    }

    /// The given points of a word at which some drawable may show the colour if other drawables do
    /// not hide it. Drawables that can only hide the colour are not sampled.
    fn wanted_points(&self, cache: &mut QueryCache, word: i32, row: i32, points: u64) -> u64 {
        let hiders = self.candidates_in(word).filter(|candidate| !candidate.may_match).count();
        if hiders == 0 || matches(self.rgb, BACKGROUND_COLOR) {
            return points;
        }
        self.candidates_in(word).filter(|candidate| candidate.may_match).fold(
            0,
            |wanted, candidate| {
                let missing = points & !wanted;
                if missing == 0 {
                    return wanted;
                }
                wanted | cache.answers(self.scene, candidate, word, row, missing).yes & missing
            },
        )
    }

    /// The given points of a word at which the frontmost candidate is not transparent.
    pub(super) fn visible_points(
        &mut self,
        cache: &mut QueryCache,
        word: i32,
        row: i32,
        points: u64,
    ) -> u64 {
        self.enter_row(row);
        let Some(candidate) = self.candidates_in(word).next() else { return 0 };
        points & !cache.answers(self.scene, candidate, word, row, points).transparent()
    }

    fn candidates_in(&self, word: i32) -> impl Iterator<Item = &Candidate> {
        let row_candidates =
            self.row_candidates.iter().filter(move |(words, _)| words >> word & 1 == 1);
        row_candidates.map(|&(_, number)| &self.candidates[number as usize])
    }

    fn visible_in(&self, word: i32, row: i32) -> impl Iterator<Item = &Candidate> {
        let visible =
            move |candidate: &&Candidate| candidate.visible_region.words(row) >> word & 1 == 1;
        self.candidates.iter().filter(visible)
    }

    fn layers(&self, cache: &QueryCache, word: i32, row: i32) -> SmallVec<[Layer<'_>; 8]> {
        let layer = |candidate| Layer {
            sampler: cache.sampler(self.scene, candidate),
            last: ([0; 4], [0; 4]),
        };
        self.visible_in(word, row).map(layer).collect()
    }

    fn shaders(&self, cache: &QueryCache, word: i32, row: i32) -> SmallVec<[Shader<'_>; 8]> {
        self.visible_in(word, row).map(|candidate| cache.shader(self.scene, candidate)).collect()
    }
}

/// Whether the graphics processor draws a colour at the centre of the pixel to the upper right of a
/// point.
fn is_drawn(shaders: &[Shader<'_>], (x, row): (i32, i32), rgb: [u8; 3]) -> bool {
    let point = (f64::from(x) + 0.5, f64::from(row) + 0.5);
    let wanted = similar(rgb).map(|(least, most)| (f64::from(least), f64::from(most)));
    let mut seen: SmallVec<[[f64; 4]; 16]> = SmallVec::new();
    // The sum of the channels so far, and how much of the drawables behind shows through.
    let (mut sum, mut through) = ([0.0; 3], 255.0);
    for shader in shaders {
        let Some(over) = shader.fragment(point, GhostEffect::Apply) else { continue };
        seen.push(over);
        // Drawables behind the first opaque drawable make no difference.
        if over[3] == 1.0 {
            break;
        }
        // Further drawables make no difference either if the drawables so far are already too
        // bright, or too dark even in front of white. For each drawable, rounding changes a channel
        // by at most 0.5, and a channel exceeds alpha by at most 1.
        let rounding = 2.0 * seen.len() as f64;
        for (sum, over) in sum.iter_mut().zip(over) {
            *sum += through * over;
        }
        through *= 1.0 - over[3];
        let is_beyond = |(&sum, &(least, most)): (&f64, &(f64, f64))| {
            most < 255.0 && sum - rounding > most || sum + through + rounding < least
        };
        if sum.iter().zip(&wanted).any(is_beyond) {
            return false;
        }
    }
    let color = seen.iter().rev().fold(BACKGROUND_COLOR, |under, &over| source_over(under, over));
    matches(color, rgb)
}

/// A drawable of a blend, with its last colour before and after effects, because neighbouring
/// points often have the same colour.
struct Layer<'a> {
    sampler: Sampler<'a>,
    last: ([u8; 4], [u8; 4]),
}

impl Layer<'_> {
    fn color(&mut self, point: (f64, f64)) -> [u8; 4] {
        let plain = self.sampler.plain_color(point);
        if plain != self.last.0 {
            self.last = (plain, self.sampler.with_effects(plain, GhostEffect::Apply));
        }
        self.last.1
    }
}

fn is_blended(layers: &mut [Layer<'_>], (x, row): (i32, i32), rgb: [u8; 3]) -> bool {
    let point = (f64::from(x), f64::from(row));
    let wanted = similar(rgb);
    let mut blend = Blend::new();
    for layer in layers {
        // Layers behind can only increase the channels.
        if blend.is_opaque() || blend.exceeds(wanted.map(|(_, most)| most)) {
            break;
        }
        blend.add_behind(layer.color(point));
    }
    matches(blend.over_background(), rgb)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::color::matches_mask;
    use crate::effect::Effect;
    use crate::limits::Limits;
    use crate::scene::candidates::rows;
    use crate::scene::{ColorOf, DrawableId, Group, PenStroke};
    use crate::skin::{SkinId, SkinSetBuilder};

    fn scene() -> (Scene, Vec<DrawableId>) {
        let mut skins = SkinSetBuilder::new(Limits::default());
        let costumes = [
            (
                480,
                360,
                "<path fill='#808080' d='M0 0h480v360h-480z'/><path fill='#f00' d='M99 9h9v300h-9z'/>",
            ),
            (40, 30, "<circle cx='15' cy='15' r='15' fill='#00f'/>"),
            (50, 50, "<path fill='#0f0' fill-opacity='.5' d='M0 0h50v50z'/>"),
            (90, 20, "<path fill='#f00' d='M0 0h9v9h-9zM80 9h9v9h-9z'/>"),
        ];
        for (width, height, body) in costumes {
            let svg = format!(
                "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}'>{body}</svg>"
            );
            skins.add_svg(svg.as_bytes().into(), None).unwrap();
        }
        let mut scene = Scene::new(Arc::new(skins.build()));
        let groups = [Group::Background, Group::Sprite, Group::Sprite, Group::Sprite];
        let ids: Vec<_> = groups.map(|group| scene.add(group)).into();
        for (&id, skin) in ids.iter().zip(0..) {
            scene.set_skin(id, SkinId(skin));
        }
        (scene, ids)
    }

    #[derive(Clone, Copy, Debug)]
    enum Ink {
        None,
        Line,
        Stamp,
        Clear,
    }

    fn color(sampler: &Sampler<'_>, point: (f64, f64), ghost: GhostEffect) -> [u8; 4] {
        sampler.with_effects(sampler.plain_color(point), ghost)
    }

    fn points(area: Rect) -> impl Iterator<Item = (f64, f64)> {
        let columns = area.left as i32..=area.right as i32;
        rows(area).flat_map(move |y| columns.clone().map(move |x| (f64::from(x), f64::from(y))))
    }

    impl Scene {
        fn uncached(&mut self, tester: usize, mask: Option<[u8; 3]>, rgb: [u8; 3]) -> bool {
            let slots = self.front_to_back();
            let candidates = self.candidates(tester, slots);
            let whole = self.query_bounds(tester);
            let area = if matches(rgb, BACKGROUND_COLOR) { whole } else { candidates.area };
            self.prepare(tester);
            let own = self.sampler(tester);
            area.is_some_and(|area| {
                points(area).any(|point| {
                    let inside = match mask {
                        Some(mask) => matches_mask(color(&own, point, GhostEffect::Ignore), mask),
                        None => own.touches(point),
                    };
                    let mut blend = Blend::new();
                    for &slot in &candidates.slots {
                        let sampler = self.sampler(slot as usize);
                        blend.add_behind(color(&sampler, point, GhostEffect::Apply));
                    }
                    inside && matches(blend.over_background(), rgb)
                })
            })
        }

        fn uncached_overlap(&mut self, tester: usize, other: usize) -> bool {
            let Some(area) = self.candidates(tester, [other as u32]).area else { return false };
            self.prepare(tester);
            let (own, other) = (self.sampler(tester), self.sampler(other));
            points(area).any(|point| own.touches(point) && other.touches(point))
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]
        #[test]
        #[ignore = "slow"]
        fn caching_changes_no_answer(
            moves in prop::collection::vec(
                (
                    1_usize..4,
                    (-260_i16..260, -190_i16..190),
                    prop::sample::select(vec![90.0, 90.0, 0.0, 33.0]),
                    prop::sample::select(vec![100.0, 100.0, 60.0, 120.0]),
                    prop::sample::select(vec![
                        (Effect::Ghost, 0.0),
                        (Effect::Ghost, 30.0),
                        (Effect::Whirl, 90.0),
                        (Effect::Brightness, 20.0),
                    ]),
                    prop::sample::select(vec![Ink::None, Ink::None, Ink::Line, Ink::Stamp, Ink::Clear]),
                ),
                1..12,
            ),
        ) {
            let (mut scene, ids) = scene();
            let start = scene.clone();
            let count = moves.len();
            // Repeat the moves, so that queries are repeated, but with different marks of the pen.
            let twice = moves.iter().chain(&moves).cloned().enumerate();
            for (index, (sprite, (x, y), direction, size, (effect, value), ink)) in twice {
                if index == count {
                    scene.clone_from(&start);
                }
                let id = ids[sprite];
                let to = (f64::from(x), f64::from(y));
                match ink {
                    Ink::None => {}
                    Ink::Line => scene.pen_line((0.0, 0.0), to, &PenStroke {
                        rgba: [1.0, 0.0, 0.0, 0.5 + 0.5 * f64::from(u8::from(index < count + 2))],
                        diameter: 9.0,
                    }),
                    Ink::Stamp => scene.pen_stamp(id),
                    Ink::Clear => scene.pen_clear(),
                }
                scene.set_position(id, f64::from(x), f64::from(y));
                scene.set_direction_scale(id, direction, size, size);
                scene.set_effect(id, effect, value);
                for tester in 1..4 {
                    for other in (1..4).filter(|other| *other != tester) {
                        let touching = scene.touching_drawables(ids[tester], &[ids[other]]);
                        prop_assert_eq!(touching, scene.uncached_overlap(tester, other));
                    }
                    for rgb in [[255, 0, 0], [0, 0, 255], [128; 3], [255; 3], [64, 192, 64]] {
                        let touching = scene.touching_color(ids[tester], rgb);
                        prop_assert_eq!(touching, scene.uncached(tester, None, rgb));
                        for mask in [[255, 0, 0], [0, 0, 255]] {
                            let touching = scene.color_touching_color(ids[tester], mask, rgb);
                            prop_assert_eq!(touching, scene.uncached(tester, Some(mask), rgb));
                        }
                    }
                    for rgb in [[255, 0, 0], [0, 0, 255], [64, 192, 64]] {
                        for of in [ColorOf::AllBut(ids[tester]), ColorOf::Only(ids[tester])] {
                            let search = |scene: &mut Scene, max_distance| {
                                let start = (f64::from(x), 0.5 * f64::from(y));
                                scene.find_color(start, Rect::STAGE, rgb, of, max_distance)
                            };
                            for max_distance in [f64::INFINITY, 60.0] {
                                // A copy has no cache.
                                let fresh = search(&mut scene.clone(), max_distance);
                                prop_assert_eq!(search(&mut scene, max_distance), fresh);
                            }
                        }
                    }
                }
                if index % count == 5 {
                    scene.clone_from(&start);
                }
            }
        }
    }
}
