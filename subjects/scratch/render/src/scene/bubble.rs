//! The appearance of speech bubbles: size, and the outline that catches clicks.

use std::sync::OnceLock;

use super::fingerprint::Fingerprint;
use crate::rounding::clamp;
use crate::silhouette::{Alpha, Silhouette};

/// Width at which lines are broken, in stage units.
const LINE_WIDTH: f64 = 170.0;
const MIN_WIDTH: f64 = 50.0;
const LINE_HEIGHT: f64 = 16.0;
const PADDING: f64 = 10.0;
const OUTLINE: f64 = 4.0;
const TAIL: f64 = 12.0;
const CORNER: f64 = 16.0;
const FONT_SIZE: f64 = 14.0;
/// Maximum number of characters that Scratch shows in a bubble.
const MAX_TEXT: usize = 330;
#[derive(Debug)]
pub(super) struct Bubble {
    size: (f64, f64),
    pub(super) on_right: bool,
    silhouette: OnceLock<Silhouette>,
}

impl PartialEq for Bubble {
    fn eq(&self, other: &Self) -> bool {
        self.size == other.size && self.on_right == other.on_right
    }
}

impl Bubble {
    pub(super) fn new(size: (f64, f64), on_right: bool) -> Self {
        Self { size, on_right, silhouette: OnceLock::new() }
    }

    pub(super) fn print(&self) -> Fingerprint {
        Fingerprint::of(self.on_right.into()).numbers(&[self.size.0, self.size.1])
    }

    pub(super) fn size(&self) -> (f64, f64) {
        self.size
    }

    pub(super) fn silhouette(&self) -> &Silhouette {
        self.silhouette.get_or_init(|| {
            let (width, height) = (self.size.0.ceil() as usize, self.size.1.ceil() as usize);
            let pixels = (0..width * height)
                .map(|index| {
                    let x = (index % width) as f64 + 0.5;
                    let y = (index / width) as f64 + 0.5;
                    // The outline has its tail on the right; a bubble on the right is mirrored.
                    let x = if self.on_right { self.size.0 - x } else { x };
                    if outline_contains(self.size, (x, y)) { [255; 4] } else { [0; 4] }
                })
                .collect();
            Silhouette::new(width, height, pixels, Alpha::Premultiplied)
        })
    }
}

/// Whether the outline of a bubble contains a point: a box with round corners above a tail that
/// leans to the right.
fn outline_contains((width, height): (f64, f64), (x, y): (f64, f64)) -> bool {
    let body = height - TAIL;
    if y > body {
        let depth = (y - body) / TAIL;
        let corner = width - CORNER;
        return x >= corner - CORNER + depth * (CORNER + 2.0) && x <= corner + depth * OUTLINE;
    }
    let radius = CORNER + OUTLINE / 2.0;
    let beyond = |t: f64, length: f64| (radius - t).max(t - (length - radius)).max(0.0);
    let (dx, dy) = (beyond(x, width), beyond(y, body));
    dx * dx + dy * dy <= radius * radius
}

/// Width and height of a bubble with this text, in stage units.
pub(super) fn text_size(text: &str) -> (f64, f64) {
    let (mut lines, mut longest) = (0, 0.0_f64);
    for paragraph in clipped(text).split('\n') {
        let mut width = 0.0;
        lines += 1;
        for word in paragraph.split_inclusive([' ', '\t', '-']) {
            let word_width: f64 = word.chars().map(letter_width).sum();
            if width + word_width <= LINE_WIDTH {
                width += word_width;
            } else if word_width <= LINE_WIDTH {
                lines += usize::from(width > 0.0);
                longest = longest.max(width);
                width = word_width;
            } else {
                for letter in word.chars().map(letter_width) {
                    if width > 0.0 && width + letter > LINE_WIDTH {
                        lines += 1;
                        longest = longest.max(width);
                        width = 0.0;
                    }
                    width += letter;
                }
            }
        }
        longest = longest.max(width);
    }
    let frame = 2.0 * PADDING + OUTLINE;
    (
        clamp(longest, MIN_WIDTH, LINE_WIDTH) + frame,
        LINE_HEIGHT * f64::from(lines as u32) + frame + TAIL,
    )
}

fn clipped(text: &str) -> &str {
    let end = text.char_indices().nth(MAX_TEXT).map_or(text.len(), |(index, _)| index);
    &text[..end]
}

/// Advance widths of Helvetica from space to tilde, in thousandths of the font size.
const WIDTHS: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];

fn letter_width(letter: char) -> f64 {
    let thousandths = match letter {
        ' '..='~' => WIDTHS[letter as usize - ' ' as usize],
        '\0'..'\x20' => 0,
        // Most East Asian characters and pictographs are square.
        '\u{1100}'..='\u{115f}' | '\u{2e80}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}' => 1000,
        '\u{ff00}'..='\u{ff60}' | '\u{1f000}'..='\u{3ffff}' => 1000,
        _ => 556,
    };
    f64::from(thousandths) / 1000.0 * FONT_SIZE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_text_has_the_least_width() {
        assert_eq!(text_size("Hi"), (74.0, 52.0));
        assert_eq!(text_size(""), (74.0, 52.0));
        assert_eq!(text_size("a\nb"), (74.0, 68.0));
    }

    #[test]
    fn long_texts_are_broken() {
        let (width, height) = text_size(&"word ".repeat(20));
        assert!(width <= 194.0 && height > 52.0);
        let (width, height) = text_size(&"m".repeat(2000));
        // A line has room for 14 of these letters, and the bubble shows 330 letters.
        assert!((width - 24.0 - 14.0 * 11.662).abs() < 1e-9, "{width}");
        assert_eq!(height, 24.0 * 16.0 + 36.0);
    }

    #[test]
    fn the_tail_points_to_the_owner() {
        let size = (74.0, 52.0);
        let right = Bubble::new(size, true);
        let left = Bubble::new(size, false);
        assert!(right.silhouette().solid(18, 41) && !right.silhouette().solid(55, 41));
        assert!(left.silhouette().solid(55, 41) && !left.silhouette().solid(18, 41));
        for bubble in [right, left] {
            assert!(bubble.silhouette().solid(37, 20));
            assert!(!bubble.silhouette().solid(0, 0));
        }
    }
}
