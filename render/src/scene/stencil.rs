//! What drawables show at whole points, remembered between queries.
//!
//! Programs ask the same question in every step, and most of what it concerns stands still. A
//! stencil keeps the answers for one drawable and one question, 64 points of a row in a word,
//! and forgets them when the drawable looks different. It fills up as points are asked for, so
//! a query that ends early costs no more than its points.

use super::DrawableId;
use super::drawable::Appearance;
use super::probe::Probe;
use crate::bounds::Rect;
use crate::color::{Ghosting, color_kind, matches_mask};

/// Queries reach this far from the origin, in whole words so that rows start at one.
const REACH: i32 = 768;
/// Stencils that are kept when no query needs them.
const CAPACITY: usize = 64;
/// With more points than this to ask for in a word, asking for all of them is faster.
const DENSE: u32 = 20;

/// What is asked of a drawable at a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Question {
    /// Whether it is solid.
    Solid,
    /// Whether its own colour is that of a mask.
    Mask([u8; 3]),
    /// Whether it shows a colour.
    Color([u8; 3]),
}

impl Question {
    /// A number for questions with the same answers.
    fn number(self) -> u32 {
        match self {
            Self::Solid => 0,
            Self::Mask(mask) => {
                let [r, g, b] = mask.map(|channel| u32::from(channel & 0xfc));
                1 << 24 | r << 16 | g << 8 | b
            }
            Self::Color(rgb) => 2 << 24 | color_kind(rgb) as u32,
        }
    }
}

/// Answers for 64 points of a row.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Answers {
    /// The points that were asked for.
    pub(super) known: u64,
    /// Where the answer is yes.
    pub(super) yes: u64,
    /// Where nothing is seen of the drawable. With `yes`: it is seen, and so is what is behind
    /// it; only a blend can tell the colour.
    pub(super) clear: u64,
}

impl Answers {
    /// Points where the drawable is opaque and the answer yes.
    pub(super) fn hits(&self) -> u64 {
        self.yes & !self.clear
    }

    /// Points whose colour depends on what is behind.
    pub(super) fn veiled(&self) -> u64 {
        self.yes & self.clear
    }

    /// Points where only what is behind counts.
    pub(super) fn open(&self) -> u64 {
        self.clear & !self.yes
    }
}

/// Answers of one drawable to one question.
#[derive(Debug)]
struct Stencil {
    /// How the drawable looked; nothing for one whose pixels may have changed.
    appearance: Option<Appearance>,
    region: Region,
    answers: Vec<Answers>,
    /// The query that used it last.
    used: u64,
}

/// A block of words.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Region {
    left: i32,
    bottom: i32,
    /// Words in a row, and rows.
    width: i32,
    height: i32,
}

impl Region {
    /// Around whole points.
    fn around(area: Rect) -> Self {
        let (left, right) = (word_of(area.left as i32), word_of(area.right as i32));
        let (bottom, top) = (area.bottom as i32, area.top as i32);
        Self { left, bottom, width: right - left + 1, height: top - bottom + 1 }
    }

    fn holds(&self, other: &Self) -> bool {
        self.union(other) == *self
    }

    fn union(&self, other: &Self) -> Self {
        let (left, bottom) = (self.left.min(other.left), self.bottom.min(other.bottom));
        let right = (self.left + self.width).max(other.left + other.width);
        let top = (self.bottom + self.height).max(other.bottom + other.height);
        Self { left, bottom, width: right - left, height: top - bottom }
    }
}

/// The word that holds a column of points.
fn word_of(x: i32) -> i32 {
    (x + REACH) >> 6
}

/// The column of a word's first point.
pub(super) fn first_column(word: i32) -> i32 {
    (word << 6) - REACH
}

/// The bit of a column in its word.
pub(super) fn point_of(x: i32) -> u64 {
    1 << ((x + REACH) & 63)
}

/// The words of a row of points with the points that lie between two columns.
pub(super) fn words(left: i32, right: i32) -> impl Iterator<Item = (i32, u64)> {
    let (first, last) = (word_of(left), word_of(right));
    (first..=last).map(move |word| {
        let mut points = u64::MAX;
        if word == first {
            points &= u64::MAX << ((left + REACH) & 63);
        }
        if word == last {
            points &= u64::MAX >> (63 - ((right + REACH) & 63));
        }
        (word, points)
    })
}

/// The columns of a word's points.
pub(super) fn columns_of(word: i32, mut points: u64) -> impl Iterator<Item = i32> {
    std::iter::from_fn(move || {
        let bit = points.trailing_zeros();
        points &= points.checked_sub(1)?;
        Some(first_column(word) + bit as i32)
    })
}

/// A drawable with a question and the place of its answers.
pub(super) struct Sight<'a> {
    pub(super) probe: Probe<'a>,
    question: Question,
    stencil: usize,
}

/// Everything remembered.
#[derive(Debug, Default)]
pub(super) struct Memory {
    /// Whose stencil is where; apart from them, to be searched fast.
    names: Vec<(DrawableId, u32)>,
    stencils: Vec<Stencil>,
    query: u64,
}

impl Memory {
    /// A new query begins: the stencils of others may be used for other things.
    pub(super) fn begin(&mut self) {
        self.query += 1;
    }

    /// Gets ready to ask a drawable about points of an area, whole ones within three stages.
    pub(super) fn look<'a>(
        &mut self,
        id: DrawableId,
        probe: Probe<'a>,
        question: Question,
        area: Rect,
    ) -> Sight<'a> {
        let stencil = self.find((id, question.number()));
        let wanted = Region::around(area);
        let entry = &mut self.stencils[stencil];
        entry.used = self.query;
        let appearance = probe.appearance();
        if appearance.is_none() || entry.appearance != appearance {
            // What has changed may change again: no more than is asked for.
            entry.appearance = appearance;
            entry.start(wanted);
        } else if !entry.region.holds(&wanted) {
            let whole = probe.reach().map_or(wanted, |reach| Region::around(reach).union(&wanted));
            entry.start(entry.region.union(&whole));
        }
        Sight { probe, question, stencil }
    }

    fn find(&mut self, name: (DrawableId, u32)) -> usize {
        if let Some(found) = self.names.iter().position(|other| *other == name) {
            return found;
        }
        let unused = |stencil: &Stencil| stencil.used != self.query;
        let oldest = self.stencils.iter().enumerate().filter(|(_, stencil)| unused(stencil));
        match oldest.min_by_key(|(_, stencil)| stencil.used).map(|(place, _)| place) {
            Some(place) if self.stencils.len() >= CAPACITY => {
                self.names[place] = name;
                self.stencils[place].appearance = None;
                place
            }
            _ => {
                self.names.push(name);
                self.stencils.push(Stencil {
                    appearance: None,
                    region: Region::default(),
                    answers: Vec::new(),
                    used: self.query,
                });
                self.stencils.len() - 1
            }
        }
    }

    /// What is known of a word.
    pub(super) fn known(&self, sight: &Sight<'_>, word: i32, row: i32) -> Answers {
        let stencil = &self.stencils[sight.stencil];
        stencil.answers[stencil.index(word, row)]
    }

    /// Answers for some points of a word at least.
    pub(super) fn ask(&mut self, sight: &Sight<'_>, word: i32, row: i32, points: u64) -> Answers {
        let stencil = &mut self.stencils[sight.stencil];
        let index = stencil.index(word, row);
        let answers = &mut stencil.answers[index];
        let missing = points & !answers.known;
        if missing != 0 {
            sight.answer(answers, word, row, missing);
        }
        *answers
    }
}

impl Stencil {
    fn start(&mut self, region: Region) {
        self.region = region;
        self.answers.clear();
        self.answers.resize((region.width * region.height) as usize, Answers::default());
    }

    fn index(&self, word: i32, row: i32) -> usize {
        let Region { left, bottom, width, .. } = self.region;
        ((row - bottom) * width + word - left) as usize
    }
}

impl Sight<'_> {
    #[inline(never)]
    fn answer(&self, answers: &mut Answers, word: i32, row: i32, missing: u64) {
        answers.known |= missing;
        if self.question == Question::Solid && missing.count_ones() > DENSE {
            answers.yes |= missing & self.probe.solid_row(first_column(word), row, missing);
            return;
        }
        for x in columns_of(word, missing) {
            let bit = point_of(x);
            let point = (f64::from(x), f64::from(row));
            let (yes, clear) = match self.question {
                Question::Solid => (self.probe.touches(point), false),
                Question::Mask(mask) => {
                    (matches_mask(self.probe.color(point, Ghosting::Ignored), mask), false)
                }
                Question::Color(rgb) => match self.probe.color(point, Ghosting::Seen) {
                    [0, 0, 0, 0] => (false, true),
                    [r, g, b, 255] => (color_kind([r, g, b]) == color_kind(rgb), false),
                    _ => (true, true),
                },
            };
            answers.yes |= u64::from(yes) * bit;
            answers.clear |= u64::from(clear) * bit;
        }
    }
}
