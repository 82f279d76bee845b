//! Which colour shows where, of several drawables.

use smallvec::SmallVec;

use super::Scene;
use super::stencil::{Memory, Question, Region, Sight, columns_of, point_of};
use crate::bounds::Rect;
use crate::color::{Blend, Ghosting, PAPER, matches};

/// Drawables from front to back, asked for one colour row by row.
pub(super) struct View<'a> {
    scene: &'a Scene,
    sights: SmallVec<[Sight; 16]>,
    rgb: [u8; 3],
    /// So many of them, from the front, decide where the colour shows. Whoever is behind can
    /// neither have it nor hide it.
    deciding: usize,
    /// Where the colour may show.
    promising: Region,
    row: Option<i32>,
    /// Those of the deciding ones that may be seen in the row: their words, one a bit, and
    /// their numbers.
    here: SmallVec<[(u32, u32); 16]>,
    /// The words of the row in which the colour may show.
    words: u32,
}

impl Scene {
    pub(super) fn view(
        &self,
        front_to_back: &[u32],
        rgb: [u8; 3],
        area: Rect,
        memory: &mut Memory,
    ) -> View<'_> {
        let look = |&slot| memory.look(self, slot as usize, Question::Color(rgb));
        let sights: SmallVec<[Sight; 16]> = front_to_back.iter().map(look).collect();
        let area = Region::around(area);
        let (mut deciding, mut promising) = (0, Region::EMPTY);
        for (number, sight) in sights.iter().enumerate() {
            let place = sight.place.intersection(&area);
            if sight.promising && !place.is_empty() {
                (deciding, promising) = (number + 1, place.union(&promising));
            }
        }
        if matches(rgb, PAPER) {
            (deciding, promising) = (sights.len(), area);
        }
        for sight in &sights[..deciding] {
            memory.open(sight, &area);
        }
        let here = SmallVec::new();
        View { scene: self, sights, rgb, deciding, promising, row: None, here, words: 0 }
    }
}

impl View<'_> {
    /// Goes on to a row: the words in which the colour may show, one a bit.
    pub(super) fn enter(&mut self, row: i32) -> u32 {
        if self.row == Some(row) {
            return self.words;
        }
        self.row = Some(row);
        self.here.clear();
        let within = self.promising.words(row);
        self.words = if matches(self.rgb, PAPER) { within } else { 0 };
        if within == 0 {
            return 0;
        }
        for (sight, number) in self.sights[..self.deciding].iter().zip(0..) {
            let words = sight.place.words(row) & within;
            if words != 0 {
                self.here.push((words, number));
                self.words |= if sight.promising { words } else { 0 };
            }
        }
        self.words
    }

    /// Those of some points of a word of the row at which the colour may show, as far as is
    /// known.
    pub(super) fn possible(&self, memory: &Memory, word: i32, row: i32, points: u64) -> u64 {
        let (mut possible, mut open) = (0, points);
        for sight in self.sights_of(word) {
            let answers = memory.known(sight, word, row);
            possible |= open & (answers.yes | !answers.known);
            open &= answers.known & answers.open();
            if open == 0 {
                return possible;
            }
        }
        if matches(self.rgb, PAPER) { possible | open } else { possible }
    }

    /// Those of some points of a word of the row at which the colour shows.
    pub(super) fn shows(&self, memory: &mut Memory, word: i32, row: i32, points: u64) -> u64 {
        let (mut shown, mut veiled, mut open) = (0, 0, points);
        for sight in self.sights_of(word) {
            if open == 0 {
                break;
            }
            let answers = memory.ask(self.scene, sight, word, row, open);
            shown |= open & answers.hits();
            veiled |= open & answers.veiled();
            open &= answers.open();
        }
        if matches(self.rgb, PAPER) {
            shown |= open;
        }
        for x in columns_of(word, veiled) {
            if matches(self.blend(memory, word, (x, row)), self.rgb) {
                shown |= point_of(x);
            }
        }
        shown
    }

    /// Those of some points of a word at which the frontmost drawable is not entirely
    /// transparent.
    pub(super) fn present(&mut self, memory: &mut Memory, word: i32, row: i32, points: u64) -> u64 {
        self.enter(row);
        let Some(sight) = self.sights_of(word).next() else { return 0 };
        points & !memory.ask(self.scene, sight, word, row, points).open()
    }

    /// The drawables that may show in a word of the row.
    fn sights_of(&self, word: i32) -> impl Iterator<Item = &Sight> {
        let here = self.here.iter().filter(move |(words, _)| words >> word & 1 == 1);
        here.map(|&(_, number)| &self.sights[number as usize])
    }

    fn blend(&self, memory: &Memory, word: i32, (x, row): (i32, i32)) -> [u8; 3] {
        let point = (f64::from(x), f64::from(row));
        let mut blend = Blend::new();
        for sight in &self.sights {
            if blend.opaque() {
                break;
            }
            if sight.place.words(row) >> word & 1 == 1 {
                blend.behind(memory.probe(self.scene, sight).color(point, Ghosting::Seen));
            }
        }
        blend.on_paper()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::color::matches_mask;
    use crate::effect::Effect;
    use crate::scene::candidates::rows;
    use crate::scene::{ColorOf, DrawableId, Group};
    use crate::skin::{Limits, SkinId, SkinSetBuilder};

    /// A backdrop and three sprites: opaque, translucent and full of holes.
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

    fn points(area: Rect) -> impl Iterator<Item = (f64, f64)> {
        let columns = area.left as i32..=area.right as i32;
        rows(area).flat_map(move |y| columns.clone().map(move |x| (f64::from(x), f64::from(y))))
    }

    impl Scene {
        /// Answers point by point, without memory.
        fn plain(&mut self, tester: usize, mask: Option<[u8; 3]>, rgb: [u8; 3]) -> bool {
            let slots = self.front_to_back();
            let candidates = self.candidates(tester, slots);
            let whole = self.query_bounds(tester);
            let area = if matches(rgb, PAPER) { whole } else { candidates.area };
            self.prepare(tester);
            let own = self.probe(tester);
            area.is_some_and(|area| {
                points(area).any(|point| {
                    let inside = match mask {
                        Some(mask) => matches_mask(own.color(point, Ghosting::Ignored), mask),
                        None => own.touches(point),
                    };
                    let mut blend = Blend::new();
                    for &slot in &candidates.slots {
                        blend.behind(self.probe(slot as usize).color(point, Ghosting::Seen));
                    }
                    inside && matches(blend.on_paper(), rgb)
                })
            })
        }

        fn plain_overlap(&mut self, tester: usize, other: usize) -> bool {
            let Some(area) = self.candidates(tester, [other as u32]).area else { return false };
            self.prepare(tester);
            let (own, other) = (self.probe(tester), self.probe(other));
            points(area).any(|point| own.touches(point) && other.touches(point))
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn memory_changes_no_answer(
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
                ),
                1..12,
            ),
        ) {
            let (mut scene, ids) = scene();
            let start = scene.clone();
            for (index, (sprite, (x, y), direction, size, (effect, value))) in moves.into_iter().enumerate() {
                let id = ids[sprite];
                scene.set_position(id, f64::from(x), f64::from(y));
                scene.set_direction_scale(id, direction, size, size);
                scene.set_effect(id, effect, value);
                for tester in 1..4 {
                    for other in (1..4).filter(|other| *other != tester) {
                        let touching = scene.touching_drawables(ids[tester], &[ids[other]]);
                        prop_assert_eq!(touching, scene.plain_overlap(tester, other));
                    }
                    for rgb in [[255, 0, 0], [0, 0, 255], [128; 3], [255; 3], [64, 192, 64]] {
                        let touching = scene.touching_color(ids[tester], rgb);
                        prop_assert_eq!(touching, scene.plain(tester, None, rgb));
                        for mask in [[255, 0, 0], [0, 0, 255]] {
                            let touching = scene.color_touching_color(ids[tester], mask, rgb);
                            prop_assert_eq!(touching, scene.plain(tester, Some(mask), rgb));
                        }
                    }
                    for rgb in [[255, 0, 0], [0, 0, 255], [64, 192, 64]] {
                        for of in [ColorOf::AllBut(ids[tester]), ColorOf::Only(ids[tester])] {
                            let search = |scene: &mut Scene, horizon| {
                                let start = (f64::from(x), 0.5 * f64::from(y));
                                scene.find_color(start, Rect::STAGE, rgb, of, horizon)
                            };
                            for horizon in [f64::INFINITY, 60.0] {
                                // A copy has no memory.
                                let fresh = search(&mut scene.clone(), horizon);
                                prop_assert_eq!(search(&mut scene, horizon), fresh);
                            }
                        }
                    }
                }
                if index == 5 {
                    scene.clone_from(&start);
                }
            }
        }
    }
}
