//! Compression (RFC 1951) with the same output, byte for byte, as the library zlib of Node.js.
//!
//! The search for earlier occurrences is the same as in zlib, with the hash of four bytes that the
//! copy of zlib in Node.js 20 uses.

use super::trees::{MAX_MATCH, MIN_MATCH, Trees};

/// Number of bytes from the current position on that the search needs, unless the input ends.
const MIN_LOOKAHEAD: usize = MAX_MATCH + MIN_MATCH + 1;
/// The lazy search does not use matches of the minimum length that are farther away than this.
const TOO_FAR: usize = 4096;
/// Minimum number of bits of the hash of four bytes.
const HASH_BITS: u32 = 15;
/// The value in the table for no position.
const NONE: u16 = 0;

struct Effort {
    /// The search is shortened if the previous match has at least this length.
    good: usize,
    /// The lazy search does not search for a better match if the current match has at least this
    /// length. The fast search does not enter the positions in longer matches.
    lazy: usize,
    /// The search ends at a match of at least this length.
    nice: usize,
    /// Maximum number of earlier positions that are compared.
    chain: usize,
    /// Whether a match is used although the next position may have a longer one.
    fast: bool,
}

const fn effort(good: usize, lazy: usize, nice: usize, chain: usize, fast: bool) -> Effort {
    Effort { good, lazy, nice, chain, fast }
}

const EFFORTS: [Effort; 10] = [
    effort(0, 0, 0, 0, true),
    effort(4, 4, 8, 4, true),
    effort(4, 5, 16, 8, true),
    effort(4, 6, 32, 32, true),
    effort(4, 4, 16, 16, false),
    effort(8, 16, 32, 32, false),
    effort(8, 16, 128, 128, false),
    effort(8, 32, 128, 256, false),
    effort(32, 128, 258, 1024, false),
    effort(32, 258, 258, 4096, false),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strategy {
    /// Usual data.
    Usual,
    /// The lazy search does not use short matches.
    Filtered,
    /// No matches.
    Huffman,
    /// Only matches with the previous byte are used.
    Runs,
    /// Dynamic codes are not used.
    Fixed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flush {
    /// More input follows. The output for the input so far may be incomplete.
    None,
    /// An empty block with the fixed code follows.
    Partial,
    /// The output so far is completed and ends at a byte boundary.
    Sync,
    /// Like `Sync`, and later parts do not refer to this part.
    Full,
    /// The input ends.
    Finish,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct DeflateSettings {
    /// Level of compression, 0 to 9.
    pub(crate) level: usize,
    /// The binary logarithm of the window's size, 9 to 15.
    pub(crate) window_bits: u32,
    /// Amount of memory, 1 to 9 (`memLevel` of zlib).
    pub(crate) memory: u32,
    pub(crate) strategy: Strategy,
}

/// Maximum length of the input for level 0, in bytes. With longer input, the result depends on the
/// size of the output buffer.
const MAX_STORED: usize = 16_000;

/// Compresses the parts of an input without header and checksum; `None` if the result would depend
/// on more than the input.
pub(crate) fn deflate(parts: &[(&[u8], Flush)], settings: DeflateSettings) -> Option<Vec<u8>> {
    if settings.level == 0 {
        return match parts {
            [(_, Flush::None)] => Some(Vec::new()),
            [(bytes, Flush::Finish)] if bytes.len() <= MAX_STORED => {
                let mut trees = Trees::new(settings.memory, false);
                trees.stored_block(bytes, true);
                Some(trees.into_bytes())
            }
            _ => None,
        };
    }
    let mut search = Search::new(settings);
    for (bytes, flush) in parts {
        search.input = bytes;
        search.waits_for_more = *flush == Flush::None;
        let ends = *flush == Flush::Finish;
        match settings.strategy {
            Strategy::Huffman => search.literals(ends),
            Strategy::Runs => search.runs(ends),
            _ if search.effort.fast => search.fast(ends),
            _ => search.lazy(ends),
        }
        match flush {
            Flush::None | Flush::Finish => {}
            Flush::Partial => search.trees.align(),
            Flush::Sync | Flush::Full => {
                search.trees.stored_block(&[], false);
                if *flush == Flush::Full {
                    search.head.fill(NONE);
                    if search.lookahead == 0 {
                        search.start = 0;
                        search.block = 0;
                        search.insert = 0;
                    }
                }
            }
        }
    }
    Some(search.trees.into_bytes())
}

struct Search<'a> {
    input: &'a [u8],
    window: Vec<u8>,
    size: usize,
    head: Vec<u16>,
    previous: Vec<u16>,
    effort: &'static Effort,
    strategy: Strategy,
    /// The position of the next byte.
    start: usize,
    /// Number of known bytes from `start` on.
    lookahead: usize,
    /// The beginning of the current block.
    block: isize,
    match_start: usize,
    /// The length of the match at the previous position.
    before: usize,
    /// The length of the current match of the lazy search.
    length: usize,
    /// Whether the lazy search has yet to write the byte before the current position.
    waits: bool,
    /// Whether the search stops when it cannot look ahead far enough.
    waits_for_more: bool,
    /// Number of positions at the end of the input that are not in the table yet.
    insert: usize,
    /// The end of the part of the window that was written or cleared.
    high_water: usize,
    trees: Trees,
}

impl Search<'_> {
    fn new(settings: DeflateSettings) -> Self {
        let size = 1_usize << settings.window_bits;
        let bits = (settings.memory + 7).max(HASH_BITS);
        Search {
            input: &[],
            window: vec![0; 2 * size + 8],
            size,
            head: vec![NONE; 1 << bits],
            previous: vec![NONE; size],
            effort: &EFFORTS[settings.level],
            strategy: settings.strategy,
            start: 0,
            lookahead: 0,
            block: 0,
            match_start: 0,
            before: MIN_MATCH - 1,
            length: MIN_MATCH - 1,
            waits: false,
            waits_for_more: false,
            insert: 0,
            high_water: 0,
            trees: Trees::new(settings.memory, settings.strategy == Strategy::Fixed),
        }
    }

    fn far(&self) -> usize {
        self.size - MIN_LOOKAHEAD
    }

    fn fill(&mut self) {
        loop {
            if self.start >= self.size + self.far() {
                self.window.copy_within(self.size..2 * self.size, 0);
                self.match_start = self.match_start.wrapping_sub(self.size);
                self.start -= self.size;
                self.block -= self.size as isize;
                self.insert = self.insert.min(self.start);
                let size = self.size as u16;
                for place in self.head.iter_mut().chain(&mut self.previous) {
                    *place = place.saturating_sub(size);
                }
            }
            if self.input.is_empty() {
                break;
            }
            let end = self.start + self.lookahead;
            let count = (2 * self.size - end).min(self.input.len());
            let (read, rest) = self.input.split_at(count);
            self.window[end..end + count].copy_from_slice(read);
            self.input = rest;
            self.lookahead += count;
            let mut place = self.start - self.insert;
            while self.insert > 0 && self.lookahead + self.insert > MIN_MATCH {
                self.remember(place);
                place += 1;
                self.insert -= 1;
            }
            if self.lookahead >= MIN_LOOKAHEAD || self.input.is_empty() {
                break;
            }
        }
        let end = self.start + self.lookahead;
        let clear = (end + MAX_MATCH).min(2 * self.size);
        if self.high_water < clear {
            let from = self.high_water.max(end);
            self.window[from..clear].fill(0);
            self.high_water = clear;
        }
    }

    /// Returns the previous position whose four bytes have the same hash.
    fn remember(&mut self, place: usize) -> u16 {
        let bytes = [0, 1, 2, 3].map(|index| self.window[place + index]);
        let hash = hash(u32::from_le_bytes(bytes)) as usize & (self.head.len() - 1);
        let known = self.head[hash];
        self.head[hash] = place as u16;
        self.previous[place & (self.size - 1)] = known;
        known
    }

    /// Returns the length of the longest match, but not more than the number of known bytes.
    fn longest(&mut self, first: u16) -> usize {
        let mut chain = self.effort.chain;
        if self.before >= self.effort.good {
            chain >>= 2;
        }
        let nice = self.effort.nice.min(self.lookahead);
        let limit = self.start.saturating_sub(self.far());
        let mut best = self.before;
        let mut place = usize::from(first);
        let scan = self.start;
        loop {
            let window = &self.window;
            if window[place + best] == window[scan + best]
                && window[place + best - 1] == window[scan + best - 1]
            {
                let most = MAX_MATCH.min(2 * self.size - scan);
                let same = (0..most).take_while(|i| window[place + i] == window[scan + i]).count();
                if same > best {
                    self.match_start = place;
                    best = same;
                    if same >= nice {
                        break;
                    }
                }
            }
            place = usize::from(self.previous[place & (self.size - 1)]);
            chain -= 1;
            if place <= limit || chain == 0 {
                break;
            }
        }
        best.min(self.lookahead)
    }

    fn end_block(&mut self, last: bool) {
        let begin = usize::try_from(self.block).ok();
        let bytes = begin.map(|begin| &self.window[begin..self.start]);
        let length = (self.start as isize - self.block) as usize;
        self.trees.end_block(bytes, length, last);
        self.block = self.start as isize;
    }

    fn end_part(&mut self, ends: bool) {
        if self.waits_for_more {
            return;
        }
        if ends || !self.trees.is_empty() {
            self.end_block(ends);
        }
    }

    /// If more input follows, at least `needed` bytes must be known.
    fn more(&mut self, needed: usize) -> bool {
        if self.lookahead < needed {
            self.fill();
        }
        self.lookahead > 0 && !(self.waits_for_more && self.lookahead < needed)
    }

    fn lookup(&mut self) -> Option<u16> {
        let known = if self.lookahead >= MIN_MATCH { self.remember(self.start) } else { NONE };
        (known != NONE && self.start - usize::from(known) <= self.far()).then_some(known)
    }

    fn literal(&mut self, place: usize) -> bool {
        self.trees.literal(self.window[place])
    }

    fn fast(&mut self, ends: bool) {
        while self.more(MIN_LOOKAHEAD) {
            let mut length = MIN_MATCH - 1;
            if let Some(known) = self.lookup() {
                length = self.longest(known);
            }
            let full;
            if length >= MIN_MATCH {
                full = self.trees.reference(self.start - self.match_start, length);
                self.lookahead -= length;
                let places = length <= self.effort.lazy && self.lookahead >= MIN_MATCH;
                for place in self.start + 1..self.start + length {
                    if places {
                        self.remember(place);
                    }
                }
                self.start += length;
            } else {
                full = self.literal(self.start);
                self.lookahead -= 1;
                self.start += 1;
            }
            if full {
                self.end_block(false);
            }
        }
        if self.waits_for_more {
            return;
        }
        self.insert = self.start.min(MIN_MATCH - 1);
        self.end_part(ends);
    }

    fn lazy(&mut self, ends: bool) {
        while self.more(MIN_LOOKAHEAD) {
            let known = self.lookup();
            self.before = self.length;
            let before_start = self.match_start;
            self.length = MIN_MATCH - 1;
            if let Some(known) = known
                && self.before < self.effort.lazy
            {
                self.length = self.longest(known);
                let far = self.length == MIN_MATCH && self.start - self.match_start > TOO_FAR;
                if self.length <= 5 && (self.strategy == Strategy::Filtered || far) {
                    self.length = MIN_MATCH - 1;
                }
            }
            if self.before >= MIN_MATCH && self.length <= self.before {
                let last = (self.start + self.lookahead).saturating_sub(MIN_MATCH);
                let full = self.trees.reference(self.start - 1 - before_start, self.before);
                let end = self.start + self.before - 1;
                for place in self.start + 1..end {
                    if place <= last {
                        self.remember(place);
                    }
                }
                self.lookahead -= self.before - 1;
                self.start = end;
                self.waits = false;
                self.length = MIN_MATCH - 1;
                self.before = 0;
                if full {
                    self.end_block(false);
                }
                continue;
            }
            if self.waits && self.literal(self.start - 1) {
                self.end_block(false);
            }
            self.waits = true;
            self.start += 1;
            self.lookahead -= 1;
        }
        if self.waits_for_more {
            return;
        }
        if self.waits {
            self.literal(self.start - 1);
            self.waits = false;
        }
        self.insert = self.start.min(MIN_MATCH - 1);
        self.before = MIN_MATCH - 1;
        self.end_part(ends);
    }

    fn runs(&mut self, ends: bool) {
        while self.more(MAX_MATCH + 1) {
            let mut length = 0;
            if self.lookahead >= MIN_MATCH && self.start > 0 {
                let byte = self.window[self.start - 1];
                let most = MAX_MATCH.min(self.lookahead);
                let ahead = &self.window[self.start..self.start + most];
                length = ahead.iter().take_while(|next| **next == byte).count();
            }
            let full = if length >= MIN_MATCH {
                self.lookahead -= length;
                self.start += length;
                self.trees.reference(1, length)
            } else {
                let full = self.literal(self.start);
                self.lookahead -= 1;
                self.start += 1;
                full
            };
            if full {
                self.end_block(false);
            }
        }
        self.insert = 0;
        self.end_part(ends);
    }

    fn literals(&mut self, ends: bool) {
        while self.more(1) {
            let full = self.literal(self.start);
            self.lookahead -= 1;
            self.start += 1;
            if full {
                self.end_block(false);
            }
        }
        self.insert = 0;
        self.end_part(ends);
    }
}

fn hash(value: u32) -> u32 {
    value.wrapping_mul(66_521).wrapping_add(66_521) >> 16
}
