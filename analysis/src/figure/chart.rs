//! Charts: a frame with two axes, and shapes in the units of these axes.

use super::axis::{Axis, truncated};
use super::svg::{Anchor, Canvas, Fill, Label, Stroke, Svg};
use super::{Style, style};

/// Size of all text in pixels.
const FONT_SIZE: f64 = 12.0;
/// The colour of text, frames and outlines.
pub(crate) const INK: &str = "#222222";
const GRID: &str = "#e4e4e4";
/// Upper bound of the mean width of a glyph, as a share of the font size.
const GLYPH: f64 = 0.56;
/// Least distance between the baselines of labels, in pixels.
const LINE_HEIGHT: f64 = 17.0;
/// Room above the frame, in pixels, in which the subtitle stands.
const TOP: f64 = 34.0;

/// An upper bound of the width of a text in pixels.
fn width_of(text: &str) -> f64 {
    text.chars().count() as f64 * FONT_SIZE * GLYPH
}

/// A chart being drawn.
pub(crate) struct Chart {
    canvas: Canvas,
    x: Axis,
    y: Axis,
    left: f64,
    top: f64,
    width: f64,
    height: f64,
}

impl Chart {
    /// An empty frame of this size in pixels, with room to its right for labels as long as those
    /// of `legend`. `subtitle` is the line above the frame.
    pub(crate) fn new(
        x: Axis,
        y: Axis,
        (width, height): (f64, f64),
        legend: &[String],
        subtitle: &str,
    ) -> Chart {
        let longest = |axis: &Axis| axis.ticks.iter().map(|t| width_of(&t.1)).fold(0.0, f64::max);
        let left = longest(&y) + if y.label.is_empty() { 16.0 } else { 36.0 };
        // Names that are wider than their slot are turned.
        let slot = width / x.ticks.len().max(1) as f64;
        let turned = x.has_names() && longest(&x) > slot - 4.0;
        // The first turned name extends to the left of the frame.
        let overhang = longest(&x) * 0.82 - slot / 2.0 + 4.0;
        let left = if turned { left.max(overhang) } else { left };
        let below = if turned { 16.0 + longest(&x) * 0.6 } else { 20.0 };
        let bottom = below + if x.label.is_empty() { 10.0 } else { 28.0 };
        let entries = legend.iter().map(|entry| width_of(&truncated(entry))).fold(0.0, f64::max);
        let right = if legend.is_empty() { 30.0 } else { entries + 62.0 };
        // The subtitle may be wider than the frame.
        let whole = (left + width + right).max(left + width_of(subtitle) + 8.0);
        let canvas = Canvas::new(whole, TOP + height + bottom, FONT_SIZE);
        let mut chart = Chart { canvas, x, y, left, top: TOP, width, height };
        chart.frame(turned, below);
        chart.text_at((left, TOP - 19.0), subtitle, Anchor::Start);
        chart
    }

    fn frame(&mut self, turned: bool, below: f64) {
        let (left, top, right, bottom) = self.bounds();
        let grid = Stroke::solid(GRID, 1.0);
        let axis = Stroke::solid(INK, 1.0);
        for (position, text) in self.y.visible_ticks() {
            let y = bottom - position * self.height;
            if !self.y.has_names() {
                self.canvas.line(&[(left, y), (right, y)], grid);
            }
            self.text_at((left - 7.0, y + 4.0), &text, Anchor::End);
        }
        for (position, text) in self.x.visible_ticks() {
            let x = left + position * self.width;
            if !self.x.has_names() {
                self.canvas.line(&[(x, top), (x, bottom)], grid);
            }
            self.canvas.line(&[(x, bottom), (x, bottom + 4.0)], axis);
            if turned {
                self.turned_text((x + 4.0, bottom + 15.0), &text, Anchor::End, -35.0);
            } else {
                self.text_at((x, bottom + 17.0), &text, Anchor::Middle);
            }
        }
        self.canvas.line(&[(left, top), (left, bottom), (right, bottom)], axis);
        let (x, y) = (self.x.label.clone(), self.y.label.clone());
        self.text_at((left + self.width / 2.0, bottom + below + 18.0), &x, Anchor::Middle);
        self.turned_text((14.0, top + self.height / 2.0), &y, Anchor::Middle, -90.0);
    }

    /// The pixels of a point.
    pub(crate) fn at(&self, (x, y): (f64, f64)) -> (f64, f64) {
        let across = self.left + self.x.position(x) * self.width;
        (across, self.top + (1.0 - self.y.position(y)) * self.height)
    }

    /// The frame in pixels: left, top, right, bottom.
    pub(crate) fn bounds(&self) -> (f64, f64, f64, f64) {
        (self.left, self.top, self.left + self.width, self.top + self.height)
    }

    /// The values at the ends of the horizontal and of the vertical axis.
    pub(crate) fn ends(&self) -> ((f64, f64), (f64, f64)) {
        (self.x.ends(), self.y.ends())
    }

    /// A line through points.
    pub(crate) fn line(&mut self, points: &[(f64, f64)], style: Style, width: f64) {
        let points: Vec<_> = points.iter().map(|&point| self.at(point)).collect();
        self.canvas.line(&points, style.stroke(width));
    }

    /// A line through places in pixels.
    pub(crate) fn pixel_line(&mut self, places: &[(f64, f64)], stroke: Stroke) {
        self.canvas.line(places, stroke);
    }

    /// A grey, dashed line for comparison.
    pub(crate) fn reference(&mut self, from: (f64, f64), to: (f64, f64)) {
        let ends = [self.at(from), self.at(to)];
        self.canvas.line(&ends, Stroke { colour: "#666666", width: 1.2, dashes: "5 4" });
    }

    /// An outlined rectangle between two corners.
    pub(crate) fn rectangle(&mut self, a: (f64, f64), b: (f64, f64), fill: Fill) {
        let (a, b) = (self.at(a), self.at(b));
        self.canvas.rectangle(a, b, fill, Some(Stroke::solid(INK, 1.0)));
    }

    /// A filled area; its outline has the colour of the fill if there is one.
    pub(crate) fn area(&mut self, corners: &[(f64, f64)], fill: Fill, outlined: bool) {
        let corners: Vec<_> = corners.iter().map(|&corner| self.at(corner)).collect();
        let stroke = outlined.then(|| Stroke::solid(fill.colour, 1.0));
        self.canvas.polygon(&corners, fill, stroke);
    }

    /// The marker of a series at a point. Markers of different series differ in shape too, so
    /// that they can be told apart without colour.
    pub(crate) fn marker(&mut self, point: (f64, f64), series: usize, radius: f64, opacity: f64) {
        let at = self.at(point);
        self.marker_at(at, series, radius, opacity);
    }

    fn marker_at(&mut self, (x, y): (f64, f64), series: usize, radius: f64, opacity: f64) {
        let colour = style(series).colour;
        let (fill, stroke) = (Fill { colour, opacity }, Stroke::solid(colour, 1.0));
        let corners: &[(f64, f64)] = match series % 5 {
            0 => return self.canvas.circle((x, y), radius, fill, stroke),
            1 => &[(0.0, -1.2), (1.1, 0.8), (-1.1, 0.8)],
            2 => &[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
            3 => &[(0.0, -1.3), (1.1, 0.0), (0.0, 1.3), (-1.1, 0.0)],
            _ => &[(0.0, 1.2), (1.1, -0.8), (-1.1, -0.8)],
        };
        let corners: Vec<_> =
            corners.iter().map(|(dx, dy)| (x + dx * radius, y + dy * radius)).collect();
        self.canvas.polygon(&corners, fill, Some(stroke));
    }

    /// A star that marks one point.
    pub(crate) fn star(&mut self, point: (f64, f64)) {
        let (x, y) = self.at(point);
        let corner = |i: i32| {
            let radius = if i % 2 == 0 { 9.0 } else { 3.8 };
            let angle = f64::from(i) * std::f64::consts::PI / 5.0;
            (x + radius * libm::sin(angle), y - radius * libm::cos(angle))
        };
        let corners: Vec<_> = (0..10).map(corner).collect();
        let fill = Fill { colour: "#F0E442", opacity: 1.0 };
        self.canvas.polygon(&corners, fill, Some(Stroke::solid(INK, 1.0)));
    }

    /// Text in the middle of a filled area around a point.
    pub(crate) fn text_on_area(&mut self, point: (f64, f64), text: &str, colour: &'static str) {
        let (x, y) = self.at(point);
        let label = Label { text, anchor: Anchor::Middle, bold: false, colour, rotation: 0.0 };
        self.canvas.text((x, y + 4.0), label);
    }

    /// Text whose baseline is at a place in pixels.
    pub(crate) fn text_at(&mut self, place: (f64, f64), text: &str, anchor: Anchor) {
        let label = Label { text, anchor, bold: false, colour: INK, rotation: 0.0 };
        self.canvas.text(place, label);
    }

    /// Bold text that begins at a place in pixels.
    pub(crate) fn bold_text_at(&mut self, place: (f64, f64), text: &str) {
        let anchor = Anchor::Start;
        let label = Label { text, anchor, bold: true, colour: INK, rotation: 0.0 };
        self.canvas.text(place, label);
    }

    fn turned_text(&mut self, place: (f64, f64), text: &str, anchor: Anchor, rotation: f64) {
        self.canvas.text(place, Label { text, anchor, bold: false, colour: INK, rotation });
    }

    /// Bold text to the right of a place in pixels, on a white background that hides lines.
    pub(crate) fn boxed_text(&mut self, (x, y): (f64, f64), text: &str) {
        let low = (x - 2.0, y - FONT_SIZE * 0.6);
        let high = (x + width_of(text) * 1.15 + 2.0, y + FONT_SIZE * 0.6);
        self.canvas.rectangle(low, high, Fill { colour: "#ffffff", opacity: 0.85 }, None);
        self.bold_text_at((x, y + 4.0), text);
    }

    /// The legend to the right of the frame: `key` draws the sign of an entry around a place in
    /// pixels.
    pub(crate) fn legend(
        &mut self,
        entries: &[String],
        mut key: impl FnMut(&mut Chart, usize, (f64, f64)),
    ) {
        let (_, top, right, _) = self.bounds();
        for (number, entry) in entries.iter().enumerate() {
            let y = top + 10.0 + 20.0 * number as f64;
            key(self, number, (right + 26.0, y));
            self.text_at((right + 46.0, y + 4.0), &truncated(entry), Anchor::Start);
        }
    }

    /// The sign of a series in a legend: its marker.
    pub(crate) fn marker_key(&mut self, series: usize, place: (f64, f64), opacity: f64) {
        self.marker_at(place, series, 4.0, opacity);
    }

    /// The sign of a filled area in a legend.
    pub(crate) fn area_key(&mut self, (x, y): (f64, f64), fill: Fill) {
        let (low, high) = ((x - 8.0, y - 6.0), (x + 8.0, y + 6.0));
        self.canvas.rectangle(low, high, fill, Some(Stroke::solid(INK, 1.0)));
    }

    /// The finished picture.
    pub(crate) fn finish(self) -> Svg {
        self.canvas.finish()
    }
}

/// Baselines for labels near these ascending ones: a line apart, and between top and bottom as
/// long as they fit.
pub(crate) fn spread_labels(wanted: &[f64], top: f64, bottom: f64) -> Vec<f64> {
    let mut baselines = wanted.to_vec();
    for i in 1..baselines.len() {
        baselines[i] = baselines[i].max(baselines[i - 1] + LINE_HEIGHT);
    }
    // Labels that were moved below the frame are moved back up, with those above them.
    let mut limit = bottom;
    for baseline in baselines.iter_mut().rev() {
        *baseline = baseline.min(limit).max(top);
        limit = *baseline - LINE_HEIGHT;
    }
    baselines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chart_scales_and_escapes() {
        let names = Axis::names("", ["a <b>", "a very long name that does not fit beside an axis"]);
        let mut chart = Chart::new(names, Axis::percent("%"), (200.0, 100.0), &[], "n = 1");
        chart.marker((0.0, 50.0), 3, 4.0, 1.0);
        let svg = chart.finish();
        let svg = svg.as_str();
        assert!(svg.starts_with("<svg viewBox=\"0 0 "), "{svg}");
        assert!(svg.contains("a &lt;b&gt;") && svg.contains("…") && !svg.contains("NaN"));
    }

    #[test]
    fn labels_keep_apart_and_inside() {
        assert_eq!(spread_labels(&[10.0, 100.0], 0.0, 200.0), [10.0, 100.0]);
        assert_eq!(spread_labels(&[10.0, 12.0], 0.0, 200.0), [10.0, 27.0]);
        assert_eq!(spread_labels(&[190.0, 195.0, 200.0], 0.0, 200.0), [166.0, 183.0, 200.0]);
    }
}
