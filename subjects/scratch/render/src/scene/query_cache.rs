//! Cache of sampled points between queries.
//!
//! Programs often repeat the same queries in every step, while most drawables do not change. A
//! cache entry keeps the answers for one drawable and one query, 64 points of a row in one word.
//! Points are sampled on demand.

use rustc_hash::FxHashMap;

use super::answers::Answers;
use super::fingerprint::Fingerprint;
use super::point_words::{WordRegion, columns_of, first_column, point_of, span};
use super::sampler::{Sampler, SamplingParams};
use super::shader::{Sample, Shader};
use super::{DrawableId, Scene};
use crate::color::{GhostEffect, Shown, color_kind, matches_mask, matches_mask_gpu};

/// Maximum number of entries in the cache, unless a single query uses more.
const CAPACITY: usize = 256;
/// Maximum number of entries that are compared to find an entry to replace. Comparing all entries
/// is slow for programs with many drawables.
const EXAMINED: usize = 8;
/// Approximate number of neighbouring points that can be sampled together in the time that a
/// separate point takes.
const ROW_GAIN: u32 = 3;
/// Maximum number of points that are sampled one by one even if they are near each other.
const FEW_POINTS: u32 = 4;

/// A query about a drawable at a point. The drawn queries are answered as on the graphics
/// processor, at the centre of the pixel to the upper right of the point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum PointQuery {
    Solid,
    Mask([u8; 3]),
    Color([u8; 3]),
    DrawnSolid,
    DrawnMask([u8; 3]),
    DrawnColor([u8; 3]),
}

impl PointQuery {
    fn is_drawn(self) -> bool {
        matches!(self, Self::DrawnSolid | Self::DrawnMask(_) | Self::DrawnColor(_))
    }

    /// Queries with the same number have the same answers.
    fn number(self) -> u32 {
        let word = |kind: u32, [r, g, b]: [u8; 3]| kind << 24 | u32::from_be_bytes([0, r, g, b]);
        match self {
            Self::Solid => 0,
            Self::Mask(mask) => word(1, mask.map(|channel| channel & 0xfc)),
            Self::Color(rgb) => 2 << 24 | color_kind(rgb) as u32,
            Self::DrawnSolid => 3 << 24,
            Self::DrawnMask(mask) => word(4, mask),
            Self::DrawnColor(rgb) => 5 << 24 | color_kind(rgb) as u32,
        }
    }
}

/// Answers for the 64 points of a word, one bit for each.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WordAnswers {
    pub(super) known: u64,
    /// The points at which the answer is yes. For a colour query, also the points at which the
    /// blend with the drawables behind this drawable decides (see `clear`).
    pub(super) yes: u64,
    /// For colour queries, the points at which the answer depends on the drawables behind this
    /// drawable. If the bit in `yes` is not set, the drawable is transparent at the point; if it is
    /// set, the drawable is translucent, and only a blend results in the wanted colour. Neither bit
    /// is set if the drawable is translucent and no blend results in the wanted colour.
    pub(super) clear: u64,
}

impl WordAnswers {
    /// Points at which the answer is yes or not known.
    pub(super) fn possible(&self) -> u64 {
        self.yes | !self.known
    }

    pub(super) fn opaque_matches(&self) -> u64 {
        self.yes & !self.clear
    }

    /// Points at which the drawable is translucent and the drawables behind it decide.
    pub(super) fn blended(&self) -> u64 {
        self.yes & self.clear
    }

    pub(super) fn transparent(&self) -> u64 {
        self.clear & !self.yes
    }
}

type Key = (DrawableId, u32);

#[derive(Debug)]
struct CacheEntry {
    key: Key,
    query: PointQuery,
    /// Fingerprint of the picture of the drawable for which the answers are valid.
    picture: Option<Fingerprint>,
    params: SamplingParams,
    /// Outside this region, the drawable is transparent or, in a query for solid points, not solid,
    /// and no answers are kept.
    visible_region: WordRegion,
    may_match: bool,
    /// The region of `answers`, which are in row-major order.
    cached_region: WordRegion,
    answers: Vec<WordAnswers>,
    /// Number of the last query that used the entry.
    used: u64,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub(super) slot: u32,
    entry: u32,
    /// The region in which the drawable may be visible or, in a query for solid points, solid.
    pub(super) visible_region: WordRegion,
    pub(super) may_match: bool,
}

#[derive(Debug, Default)]
pub(super) struct QueryCache {
    numbers: FxHashMap<Key, usize>,
    entries: Vec<CacheEntry>,
    /// The index at which the search for an entry to replace begins.
    hand: usize,
    query: u64,
    /// Whether drawables touch other drawables or colours.
    pub(super) touching: Answers<bool>,
    /// Whether drawables with effects may show colours.
    shown: Answers<bool>,
    /// The nearest cell of a grid that shows a colour, if there is one.
    pub(super) nearest: Answers<Option<(i32, i32)>>,
}

impl QueryCache {
    /// Begins a new query, which may replace entries of earlier queries.
    pub(super) fn begin_query(&mut self) {
        self.query += 1;
    }

    pub(super) fn candidate(&mut self, scene: &Scene, slot: usize, query: PointQuery) -> Candidate {
        let number = self.entry_index((scene.ids[slot], query.number()));
        let entry = &mut self.entries[number];
        entry.used = self.query;
        let picture = scene.picture_print(slot);
        if picture.is_none() || entry.picture != picture {
            entry.picture = picture;
            entry.query = query;
            entry.params = scene.params(slot);
            // The box has a margin of one unit, so it contains the centres of the pixels.
            entry.visible_region = WordRegion::around(match query {
                PointQuery::Solid => scene.solid_bounds(slot, &entry.params),
                _ => entry.params.colored_bounds,
            });
            entry.may_match = {
                let known =
                    scene.colors_print(slot).map(|print| print.with(query.number().into(), 0));
                let may_match = || match query {
                    PointQuery::Color(rgb) => scene.may_show(slot, rgb),
                    PointQuery::DrawnColor(rgb) => scene.may_be_drawn(slot, rgb),
                    _ => true,
                };
                match known {
                    None => may_match(),
                    Some(question) => self.shown.get(question).unwrap_or_else(|| {
                        let answer = may_match();
                        self.shown.insert(question, answer);
                        answer
                    }),
                }
            };
            entry.reset(WordRegion::EMPTY);
        }
        let CacheEntry { visible_region, may_match, .. } = *entry;
        Candidate { slot: slot as u32, entry: number as u32, visible_region, may_match }
    }

    /// Makes room for the answers at the points of an area that are in the candidate's
    /// [visible region](Candidate::visible_region).
    pub(super) fn prepare(&mut self, candidate: &Candidate, area: &WordRegion) {
        let entry = &mut self.entries[candidate.entry as usize];
        let wanted = area.intersection(&candidate.visible_region);
        if entry.cached_region.is_empty() {
            // Keep only the requested words, because a drawable that has changed may change again.
            entry.reset(wanted);
        } else if !entry.cached_region.contains(&wanted) {
            let whole = WordRegion::around(entry.params.colored_bounds.on_stage());
            entry.reset(entry.cached_region.union(&whole).union(&wanted));
        }
    }

    fn entry_index(&mut self, key: Key) -> usize {
        if let Some(&found) = self.numbers.get(&key) {
            return found;
        }
        let oldest = if self.entries.len() >= CAPACITY { self.unused_entry() } else { None };
        let index = match oldest {
            Some(index) => {
                self.numbers.remove(&self.entries[index].key);
                self.entries[index].key = key;
                self.entries[index].picture = None;
                index
            }
            None => {
                self.entries.push(CacheEntry {
                    key,
                    query: PointQuery::Solid,
                    picture: None,
                    params: SamplingParams::default(),
                    visible_region: WordRegion::EMPTY,
                    may_match: false,
                    cached_region: WordRegion::EMPTY,
                    answers: Vec::new(),
                    used: self.query,
                });
                self.entries.len() - 1
            }
        };
        self.numbers.insert(key, index);
        index
    }

    /// Finds the least recently used of a few entries that the current query does not use. Each
    /// call begins after the entry that the previous call found.
    fn unused_entry(&mut self) -> Option<usize> {
        let count = self.entries.len();
        let places = (0..count).map(|place| (self.hand + place) % count);
        let unused = places.filter(|place| self.entries[*place].used != self.query);
        let oldest = unused.take(EXAMINED).min_by_key(|place| self.entries[*place].used);
        self.hand = oldest.map_or(0, |place| place + 1);
        oldest
    }

    #[inline]
    pub(super) fn known(&self, candidate: &Candidate, word: i32, row: i32) -> WordAnswers {
        let entry = &self.entries[candidate.entry as usize];
        entry.answers[entry.cached_region.index(word, row)]
    }

    /// The answers for a word, after sampling at least the given points.
    #[inline]
    pub(super) fn answers(
        &mut self,
        scene: &Scene,
        candidate: &Candidate,
        word: i32,
        row: i32,
        points: u64,
    ) -> WordAnswers {
        let entry = &mut self.entries[candidate.entry as usize];
        let answers = &mut entry.answers[entry.cached_region.index(word, row)];
        let missing = points & !answers.known;
        if missing != 0 {
            let slot = candidate.slot as usize;
            if entry.query.is_drawn() {
                let shader = scene.shader_with(slot, &entry.params);
                answers.complete_drawn(&shader, entry.query, word, row, missing);
            } else {
                let sampler = scene.sampler_with(slot, entry.params);
                answers.complete(&sampler, entry.query, word, row, missing);
            }
        }
        *answers
    }

    pub(super) fn shader<'a>(&self, scene: &'a Scene, candidate: &Candidate) -> Shader<'a> {
        scene.shader_with(candidate.slot as usize, &self.entries[candidate.entry as usize].params)
    }

    pub(super) fn sampler<'a>(&self, scene: &'a Scene, candidate: &Candidate) -> Sampler<'a> {
        scene.sampler_with(candidate.slot as usize, self.entries[candidate.entry as usize].params)
    }
}

/// The bits `yes` and `clear` of [`WordAnswers`] for a point.
#[inline]
fn answer_to(shown: Shown) -> (bool, bool) {
    match shown {
        Shown::Nothing => (false, true),
        Shown::Wanted => (true, false),
        Shown::Other => (false, false),
        Shown::Blend => (true, true),
    }
}

impl CacheEntry {
    fn reset(&mut self, region: WordRegion) {
        self.cached_region = region;
        self.answers.clear();
        self.answers.resize(region.len(), WordAnswers::default());
    }
}

impl WordAnswers {
    /// Like [`complete`](Self::complete), for a query that is computed as on the graphics
    /// processor.
    #[inline(never)]
    fn complete_drawn(
        &mut self,
        shader: &Shader<'_>,
        query: PointQuery,
        word: i32,
        row: i32,
        missing: u64,
    ) {
        self.known |= missing;
        if query == PointQuery::DrawnSolid {
            for x in columns_of(word, missing) {
                let point = (f64::from(x) + 0.5, f64::from(row) + 0.5);
                self.yes |= u64::from(shader.is_solid(point)) * point_of(x);
            }
            return;
        }
        let judge = |sample: Sample| match query {
            PointQuery::DrawnMask(mask) => {
                (matches_mask_gpu(shader.shaded(sample, GhostEffect::Ignore), mask), false)
            }
            PointQuery::DrawnColor(rgb) => {
                answer_to(Shown::drawn(shader.shaded(sample, GhostEffect::Apply), rgb))
            }
            _ => (false, false),
        };
        let outside = (false, matches!(query, PointQuery::DrawnColor(_)));
        // Neighbours often have the same colour.
        let mut last = None;
        for x in columns_of(word, missing) {
            let point = (f64::from(x) + 0.5, f64::from(row) + 0.5);
            let (yes, clear) = match (shader.sample(point), last) {
                (None, _) => outside,
                (Some(sample), Some((known, answer))) if known == sample => answer,
                (Some(sample), _) => {
                    let answer = judge(sample);
                    last = Some((sample, answer));
                    answer
                }
            };
            self.yes |= u64::from(yes) * point_of(x);
            self.clear |= u64::from(clear) * point_of(x);
        }
    }

    #[inline(never)]
    fn complete(
        &mut self,
        sampler: &Sampler<'_>,
        query: PointQuery,
        word: i32,
        row: i32,
        missing: u64,
    ) {
        self.known |= missing;
        let columns = span(missing);
        let count = missing.count_ones();
        let dense = count > FEW_POINTS && ROW_GAIN * count > columns.end - columns.start;
        if query == PointQuery::Solid && dense {
            self.yes |= missing & sampler.solid_row(first_column(word), row, missing);
            return;
        }
        let judge = |plain: [u8; 4]| match query {
            // Answered without colours.
            PointQuery::Solid => (false, false),
            // Answered by `complete_drawn`.
            PointQuery::DrawnSolid | PointQuery::DrawnMask(_) | PointQuery::DrawnColor(_) => {
                (false, false)
            }
            PointQuery::Mask(mask) => {
                (matches_mask(sampler.with_effects(plain, GhostEffect::Ignore), mask), false)
            }
            PointQuery::Color(rgb) => {
                answer_to(Shown::of(sampler.with_effects(plain, GhostEffect::Apply), rgb))
            }
        };
        // Neighbours often have the same colour.
        let mut last = ([0; 4], judge([0; 4]));
        let mut answer = |bit: u64, plain: [u8; 4]| {
            if plain != last.0 {
                last = (plain, judge(plain));
            }
            let (yes, clear) = last.1;
            self.yes |= u64::from(yes) * bit;
            self.clear |= u64::from(clear) * bit;
        };
        if query == PointQuery::Solid {
            for x in columns_of(word, missing) {
                let touches = sampler.touches((f64::from(x), f64::from(row)));
                self.yes |= u64::from(touches) * point_of(x);
            }
        } else if dense && sampler.samples_rows() {
            sampler.plain_color_row(first_column(word), row, missing, answer);
        } else {
            for x in columns_of(word, missing) {
                answer(point_of(x), sampler.plain_color((f64::from(x), f64::from(row))));
            }
        }
    }
}
