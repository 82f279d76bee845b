//! Sets of whole stage points, 64 points of a row in one word.

use std::ops::{Range, RangeInclusive};

use crate::bounds::Rect;

/// Maximum distance of a point from the origin on either axis. It is a multiple of the word size,
/// so every row begins with a whole word.
const REACH: i32 = 768;
/// Number of words in a row.
pub(super) const WORDS: usize = word_of(REACH) as usize;
/// A rectangle of words. It is empty if `left > right` or `bottom > top`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct WordRegion {
    left: i32,
    right: i32,
    bottom: i32,
    top: i32,
}

impl WordRegion {
    pub(super) const EMPTY: Self = Self { left: 0, right: -1, bottom: 0, top: -1 };
    /// The words that cover the whole points of a box after its sides are clamped to [`REACH`].
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

    pub(super) fn rows(&self) -> RangeInclusive<i32> {
        self.bottom..=self.top
    }

    /// The columns of the words.
    pub(super) fn columns(&self) -> Range<i32> {
        first_column(self.left)..first_column(self.right + 1)
    }

    pub(super) fn contains(&self, other: &Self) -> bool {
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

    /// The words of a row, one bit for each.
    pub(super) fn words(&self, row: i32) -> u32 {
        if row < self.bottom || row > self.top || self.left > self.right {
            return 0;
        }
        u32::MAX << self.left & u32::MAX >> (31 - self.right)
    }

    pub(super) fn len(&self) -> usize {
        if self.is_empty() {
            return 0;
        }
        ((self.right - self.left + 1) * (self.top - self.bottom + 1)) as usize
    }

    pub(super) fn index(&self, word: i32, row: i32) -> usize {
        ((row - self.bottom) * (self.right - self.left + 1) + word - self.left) as usize
    }
}

pub(super) const fn word_of(x: i32) -> i32 {
    (x + REACH) >> 6
}

pub(super) fn first_column(word: i32) -> i32 {
    (word << 6) - REACH
}

pub(super) fn point_of(x: i32) -> u64 {
    1 << ((x + REACH) & 63)
}

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

/// The bits from the first to the last point of a word.
pub(super) fn span(points: u64) -> Range<u32> {
    // Without points, the start is 64 and the end is 0.
    points.trailing_zeros()..64 - points.leading_zeros()
}

pub(super) fn columns_of(word: i32, mut points: u64) -> impl Iterator<Item = i32> {
    std::iter::from_fn(move || {
        let bit = points.trailing_zeros();
        points &= points.checked_sub(1)?;
        Some(first_column(word) + bit as i32)
    })
}
