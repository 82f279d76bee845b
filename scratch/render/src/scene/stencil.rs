//! What drawables show at whole points, remembered between queries.
//!
//! Programs ask the same question in every step, and most of what it concerns stands still. A
//! stencil keeps the answers for one drawable and one question, 64 points of a row in a word,
//! and forgets them when the drawable looks different. It fills up as points are asked for, so
//! a query that ends early costs no more than its points.

use super::drawable::Appearance;
use super::probe::{Lens, Probe};
use super::{DrawableId, Scene};
use crate::bounds::Rect;
use crate::color::{Ghosting, color_kind, matches_mask};

/// Queries reach this far from the origin, in whole words so that rows start at one.
const REACH: i32 = 768;
/// Words of a row.
pub(super) const WORDS: usize = word_of(REACH) as usize;
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
    question: Question,
    /// How the drawable looked; nothing for one whose pixels may have changed.
    appearance: Option<Appearance>,
    lens: Lens,
    /// Outside of this the answer is "nothing is seen" and not kept.
    place: Region,
    /// Whether any answer could be yes.
    promising: bool,
    region: Region,
    answers: Vec<Answers>,
    /// The query that used it last.
    used: u64,
}

/// A block of words; an empty one has its right or top before its left or bottom.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Region {
    /// The first and the last word of a row.
    left: i32,
    right: i32,
    /// The lowest and the highest row.
    bottom: i32,
    top: i32,
}

impl Region {
    pub(super) const EMPTY: Self = Self { left: 0, right: -1, bottom: 0, top: -1 };
    /// All that queries reach.
    const ALL: Self = Self { left: 0, right: WORDS as i32 - 1, bottom: -REACH, top: REACH };

    /// Around the whole points of a box, those within three stages.
    pub(super) fn around(area: Rect) -> Self {
        // Casts saturate.
        let column = |x: f64| (x as i32).clamp(-REACH, REACH - 1);
        let row = |y: f64| (y as i32).clamp(-REACH, REACH);
        Self {
            left: word_of(column(area.left.ceil())),
            right: word_of(column(area.right.floor())),
            bottom: row(area.bottom.ceil()),
            top: row(area.top.floor()),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.left > self.right || self.bottom > self.top
    }

    fn holds(&self, other: &Self) -> bool {
        other.is_empty() || self.union(other) == *self
    }

    pub(super) fn intersection(&self, other: &Self) -> Self {
        Self {
            left: self.left.max(other.left),
            right: self.right.min(other.right),
            bottom: self.bottom.max(other.bottom),
            top: self.top.min(other.top),
        }
    }

    pub(super) fn union(&self, other: &Self) -> Self {
        if self.is_empty() {
            return *other;
        }
        Self {
            left: self.left.min(other.left),
            right: self.right.max(other.right),
            bottom: self.bottom.min(other.bottom),
            top: self.top.max(other.top),
        }
    }

    /// The words of a row, one a bit.
    pub(super) fn words(&self, row: i32) -> u32 {
        if row < self.bottom || row > self.top || self.left > self.right {
            return 0;
        }
        u32::MAX << self.left & u32::MAX >> (31 - self.right)
    }

    fn len(&self) -> usize {
        if self.is_empty() {
            return 0;
        }
        ((self.right - self.left + 1) * (self.top - self.bottom + 1)) as usize
    }

    fn index(&self, word: i32, row: i32) -> usize {
        ((row - self.bottom) * (self.right - self.left + 1) + word - self.left) as usize
    }
}

/// The word that holds a column of points.
pub(super) const fn word_of(x: i32) -> i32 {
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

/// A drawable and where the answers to a question are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sight {
    pub(super) slot: u32,
    stencil: u32,
    /// Where it may be seen, if the question is about what shows.
    pub(super) place: Region,
    /// Whether any answer could be yes.
    pub(super) promising: bool,
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

    /// Finds out where a drawable can be asked.
    pub(super) fn look(&mut self, scene: &Scene, slot: usize, question: Question) -> Sight {
        let drawable = &scene.drawables[slot];
        let number = self.find((drawable.id, question.number()));
        let stencil = &mut self.stencils[number];
        stencil.used = self.query;
        let appearance = drawable.appearance(&scene.levels);
        if appearance.is_none() || stencil.appearance != appearance {
            stencil.appearance = appearance;
            stencil.question = question;
            stencil.lens = scene.lens(slot);
            (stencil.place, stencil.promising) = match question {
                Question::Color(rgb) => {
                    (Region::around(stencil.lens.colored), scene.may_show(slot, rgb))
                }
                Question::Solid | Question::Mask(_) => (Region::ALL, true),
            };
            stencil.start(Region::EMPTY);
        }
        let Stencil { place, promising, .. } = *stencil;
        Sight { slot: slot as u32, stencil: number as u32, place, promising }
    }

    /// Gets ready to ask a drawable about points of an area that lie in its
    /// [place](Sight::place).
    pub(super) fn open(&mut self, sight: &Sight, area: &Region) {
        let stencil = &mut self.stencils[sight.stencil as usize];
        let wanted = area.intersection(&sight.place);
        if stencil.region.is_empty() {
            // What has changed may change again: no more than is asked for.
            stencil.start(wanted);
        } else if !stencil.region.holds(&wanted) {
            let whole = Region::around(stencil.lens.colored.on_stage());
            stencil.start(stencil.region.union(&whole).union(&wanted));
        }
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
                    question: Question::Solid,
                    appearance: None,
                    lens: Lens::default(),
                    place: Region::EMPTY,
                    promising: false,
                    region: Region::EMPTY,
                    answers: Vec::new(),
                    used: self.query,
                });
                self.stencils.len() - 1
            }
        }
    }

    /// What is known of a word.
    #[inline]
    pub(super) fn known(&self, sight: &Sight, word: i32, row: i32) -> Answers {
        let stencil = &self.stencils[sight.stencil as usize];
        stencil.answers[stencil.region.index(word, row)]
    }

    /// Answers for some points of a word at least.
    #[inline]
    pub(super) fn ask(
        &mut self,
        scene: &Scene,
        sight: &Sight,
        word: i32,
        row: i32,
        points: u64,
    ) -> Answers {
        let stencil = &mut self.stencils[sight.stencil as usize];
        let answers = &mut stencil.answers[stencil.region.index(word, row)];
        let missing = points & !answers.known;
        if missing != 0 {
            let probe = scene.probe_through(sight.slot as usize, stencil.lens);
            answers.complete(&probe, stencil.question, word, row, missing);
        }
        *answers
    }

    /// What a drawable is sampled with.
    pub(super) fn probe<'a>(&self, scene: &'a Scene, sight: &Sight) -> Probe<'a> {
        scene.probe_through(sight.slot as usize, self.stencils[sight.stencil as usize].lens)
    }
}

impl Stencil {
    fn start(&mut self, region: Region) {
        self.region = region;
        self.answers.clear();
        self.answers.resize(region.len(), Answers::default());
    }
}

impl Answers {
    #[inline(never)]
    fn complete(
        &mut self,
        probe: &Probe<'_>,
        question: Question,
        word: i32,
        row: i32,
        missing: u64,
    ) {
        self.known |= missing;
        if question == Question::Solid && missing.count_ones() > DENSE {
            self.yes |= missing & probe.solid_row(first_column(word), row, missing);
            return;
        }
        for x in columns_of(word, missing) {
            let bit = point_of(x);
            let point = (f64::from(x), f64::from(row));
            let (yes, clear) = match question {
                Question::Solid => (probe.touches(point), false),
                Question::Mask(mask) => {
                    (matches_mask(probe.color(point, Ghosting::Ignored), mask), false)
                }
                Question::Color(rgb) => match probe.color(point, Ghosting::Seen) {
                    [0, 0, 0, 0] => (false, true),
                    [r, g, b, 255] => (color_kind([r, g, b]) == color_kind(rgb), false),
                    _ => (true, true),
                },
            };
            self.yes |= u64::from(yes) * bit;
            self.clear |= u64::from(clear) * bit;
        }
    }
}
