//! Layout of charts: widths of figures, and the positions of frame, subtitle, legend and labels.
//!
//! Lengths are in pixels of 2/3 pt, so text of 12 pixels has a size of 8 pt.

use super::axis::{Axis, truncated};
use super::font;

/// Size of all text in pixels: 8 pt.
pub(super) const FONT_SIZE: f64 = 12.0;
/// Distance between the baselines of lines of text.
pub(super) const LINE_HEIGHT: f64 = 15.0;
/// Distance between the baselines of rows of the legend.
const LEGEND_ROW: f64 = 18.0;
/// Width of the symbol of a legend entry.
const KEY: f64 = 30.0;
/// Gap after the text of a legend entry.
const LEGEND_GAP: f64 = 14.0;
/// Width of the space between the frame and the labels to its right, which connecting lines cross.
const CONNECTOR: f64 = 39.0;
const PIXELS_PER_MM: f64 = 1.5 * 72.0 / 25.4;

pub(super) fn width_of(text: &str) -> f64 {
    font::width(text, FONT_SIZE)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Width {
    /// A column of a page with two columns: 84 mm.
    Column,
    /// A page: 174 mm.
    Page,
}

impl Width {
    pub(super) fn mm(self) -> f64 {
        match self {
            Width::Column => 84.0,
            Width::Page => 174.0,
        }
    }

    pub(super) fn pixels(self) -> f64 {
        self.mm() * PIXELS_PER_MM
    }

    /// The width of a column, or of a page if names next to the frame would occupy too much of a
    /// column.
    pub(crate) fn with_names_at_the_side<'a>(names: impl IntoIterator<Item = &'a str>) -> Width {
        let longest = names.into_iter().map(|name| width_of(&truncated(name))).fold(0.0, f64::max);
        if longest <= 130.0 { Width::Column } else { Width::Page }
    }

    /// The width of a column for at most four names below the frame, otherwise the width of a page.
    pub(crate) fn above(names: usize) -> Width {
        if names <= 4 { Width::Column } else { Width::Page }
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Height {
    /// In pixels.
    Pixels(f64),
    /// The same as the width of the frame.
    Square,
}

/// Everything around the frame of a chart.
pub(crate) struct Layout<'a> {
    pub(crate) width: Width,
    pub(crate) height: Height,
    /// Entries of the legend, which is above the frame.
    pub(crate) legend: &'a [String],
    /// Labels to the right of the frame.
    pub(crate) right: &'a [String],
    /// The text above the legend.
    pub(crate) subtitle: &'a str,
}

impl<'a> Layout<'a> {
    /// A layout without a legend and without labels to the right.
    pub(crate) fn new(width: Width, height: f64, subtitle: &'a str) -> Layout<'a> {
        Layout { width, height: Height::Pixels(height), legend: &[], right: &[], subtitle }
    }
}

/// Positions in pixels.
#[derive(Clone, Debug, Default)]
pub(super) struct Places {
    /// Left, top, right and bottom of the frame.
    pub(super) frame: (f64, f64, f64, f64),
    pub(super) height: f64,
    /// Lines of the subtitle and of the label of the horizontal axis.
    pub(super) subtitle: Vec<String>,
    pub(super) label: Vec<String>,
    /// The baseline of the first line of the label of the horizontal axis.
    pub(super) label_top: f64,
    /// The middle of the symbol of each legend entry. The text begins [`Places::KEY_TEXT`] to the
    /// right of the middle.
    pub(super) legend: Vec<(f64, f64)>,
    /// Whether the names below the frame are rotated.
    pub(super) turned: bool,
}

impl Places {
    /// Distance from the middle of a symbol to its text.
    pub(super) const KEY_TEXT: f64 = 18.0;

    pub(super) fn new(x: &Axis, y: &Axis, layout: &Layout<'_>) -> Places {
        let whole = layout.width.pixels();
        let longest = |axis: &Axis| axis.ticks.iter().map(|t| width_of(&t.1)).fold(0.0, f64::max);
        let left = longest(y) + if y.label.is_empty() { 12.0 } else { 32.0 };
        let labels =
            layout.right.iter().map(|label| width_of(&truncated(label))).fold(0.0, f64::max);
        // Leave room for the label of the last horizontal tick, which extends beyond the frame.
        let right = if layout.right.is_empty() {
            if x.has_names() { 8.0 } else { (longest(x) / 2.0 + 4.0).max(10.0) }
        } else {
            labels + CONNECTOR + 4.0
        };
        // Names that are wider than their slot are rotated.
        let slot = |left: f64| (whole - left - right) / x.ticks.len().max(1) as f64;
        let turned = x.has_names() && longest(x) > slot(left) - 4.0;
        // Leave room for the first rotated name, which extends to the left of the frame.
        let overhang = longest(x) * 0.82 - slot(left) / 2.0 + 4.0;
        let left = if turned { left.max(overhang) } else { left };
        let frame_width = whole - left - right;
        let subtitle = font::lines(layout.subtitle, FONT_SIZE, whole - 8.0);
        let label = font::lines(&x.label, FONT_SIZE, whole - 8.0);

        let mut y_at = 4.0 + LINE_HEIGHT * subtitle.len() as f64;
        let mut legend = Vec::new();
        let mut x_at = 4.0;
        for (number, entry) in layout.legend.iter().enumerate() {
            let wide = KEY + width_of(&truncated(entry)) + LEGEND_GAP;
            if number == 0 {
                y_at += LEGEND_ROW - 2.0;
            } else if x_at + wide - LEGEND_GAP > whole - 4.0 {
                (x_at, y_at) = (4.0, y_at + LEGEND_ROW);
            }
            legend.push((x_at + KEY - Places::KEY_TEXT, y_at - 4.0));
            x_at += wide;
        }
        let top = y_at + 10.0;
        let height = match layout.height {
            Height::Pixels(height) => height,
            Height::Square => frame_width,
        };
        let bottom = top + height;
        let below = if turned { 16.0 + longest(x) * 0.6 } else { 20.0 };
        let label_top = bottom + below + 15.0;
        let end = match label.len() {
            0 => bottom + below + 4.0,
            lines => label_top + LINE_HEIGHT * (lines - 1) as f64 + 6.0,
        };
        let frame = (left, top, left + frame_width, bottom);
        Places { frame, height: end, subtitle, label, label_top, legend, turned }
    }
}
