//! Layout of charts: widths of figures, and the positions of frame, subtitle, legend and labels.
//!
//! Lengths are in pixels of 2/3 pt, so text of 12 pixels has a size of 8 pt.

use super::axis::{Axis, truncated};
use super::font;

/// Size of all text in pixels: 8 pt.
pub(super) const FONT_SIZE: f64 = 12.0;
pub(super) const LINE_HEIGHT: f64 = 15.0;
const LEGEND_ROW: f64 = 18.0;
const KEY: f64 = 30.0;
const LEGEND_GAP: f64 = 14.0;
/// Connecting lines cross this space.
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

    pub(crate) fn with_names_at_the_side<'a>(names: impl IntoIterator<Item = &'a str>) -> Width {
        let longest = names.into_iter().map(|name| width_of(&truncated(name))).fold(0.0, f64::max);
        if longest <= 130.0 { Width::Column } else { Width::Page }
    }

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

pub(crate) struct Layout<'a> {
    pub(crate) width: Width,
    pub(crate) height: Height,
    pub(crate) legend: &'a [String],
    pub(crate) right: &'a [String],
    pub(crate) subtitle: &'a str,
}

impl<'a> Layout<'a> {
    pub(crate) fn new(width: Width, height: f64, subtitle: &'a str) -> Layout<'a> {
        Layout { width, height: Height::Pixels(height), legend: &[], right: &[], subtitle }
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Places {
    /// Left, top, right and bottom of the frame.
    pub(super) frame: (f64, f64, f64, f64),
    pub(super) height: f64,
    /// Lines of the subtitle and of the label of the horizontal axis.
    pub(super) subtitle: Vec<String>,
    pub(super) label: Vec<String>,
    pub(super) label_top: f64,
    pub(super) legend: Vec<(f64, f64)>,
    pub(super) turned: bool,
}

impl Places {
    pub(super) const KEY_TEXT: f64 = 18.0;

    pub(super) fn new(x: &Axis, y: &Axis, layout: &Layout<'_>) -> Places {
        let whole = layout.width.pixels();
        let longest = |axis: &Axis| axis.ticks.iter().map(|t| width_of(&t.1)).fold(0.0, f64::max);
        let left = longest(y) + if y.label.is_empty() { 12.0 } else { 32.0 };
        let labels =
            layout.right.iter().map(|label| width_of(&truncated(label))).fold(0.0, f64::max);
        let right = if layout.right.is_empty() {
            if x.has_names() { 8.0 } else { (longest(x) / 2.0 + 4.0).max(10.0) }
        } else {
            labels + CONNECTOR + 4.0
        };
        let slot = |left: f64| (whole - left - right) / x.ticks.len().max(1) as f64;
        let turned = x.has_names() && longest(x) > slot(left) - 4.0;
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
