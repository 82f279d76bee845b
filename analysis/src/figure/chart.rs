//! Charts: a frame with two axes, and shapes in the units of these axes.

use super::axis::{Axis, truncated};
use super::layout::{FONT_SIZE, LINE_HEIGHT, Layout, Places, width_of};
use super::svg::{Anchor, Canvas, Fill, Label, Stroke, Svg};
use super::{Series, Style};

pub(crate) const INK: &str = "#222222";
const GRID: &str = "#e4e4e4";
/// In pixels.
const LABEL_HEIGHT: f64 = 15.0;

pub(crate) struct Chart {
    canvas: Canvas,
    x: Axis,
    y: Axis,
    places: Places,
}

impl Chart {
    pub(crate) fn new(x: Axis, y: Axis, layout: &Layout<'_>) -> Chart {
        let places = Places::new(&x, &y, layout);
        let size = (layout.width.pixels(), places.height);
        let canvas = Canvas::new(size, layout.width.mm(), FONT_SIZE);
        let mut chart = Chart { canvas, x, y, places };
        for (number, line) in chart.places.subtitle.clone().iter().enumerate() {
            let baseline = 12.0 + LINE_HEIGHT * number as f64;
            chart.text_at((4.0, baseline), line, Anchor::Start);
        }
        chart.vertical_axis();
        chart.horizontal_axis(size.0);
        let (left, top, right, bottom) = chart.bounds();
        chart.canvas.line(&[(left, top), (left, bottom), (right, bottom)], Stroke::solid(INK, 1.0));
        chart.break_axes();
        chart
    }

    fn vertical_axis(&mut self) {
        let (left, top, right, bottom) = self.bounds();
        for (position, text) in self.y.visible_ticks() {
            let y = bottom - position * (bottom - top);
            if !self.y.has_names() {
                self.canvas.line(&[(left, y), (right, y)], Stroke::solid(GRID, 1.0));
            }
            self.text_at((left - 7.0, y + 4.0), &text, Anchor::End);
        }
        for value in self.y.minor.clone() {
            let y = bottom - self.y.position(value) * (bottom - top);
            self.canvas.line(&[(left - 3.0, y), (left, y)], Stroke::solid(INK, 0.7));
        }
        let label = self.y.label.clone();
        let room = width_of(&label) / 2.0 + 2.0;
        let middle = (top + bottom) / 2.0;
        let middle =
            middle.clamp(room.min(self.places.height / 2.0), (self.places.height - room).max(room));
        self.turned_text((12.0, middle), &label, Anchor::Middle, -90.0);
    }

    fn horizontal_axis(&mut self, whole: f64) {
        let (left, top, right, bottom) = self.bounds();
        let ticks = self.x.visible_ticks();
        let widest = ticks.iter().map(|tick| width_of(&tick.1)).fold(0.0, f64::max) + 6.0;
        let slot = (right - left) / (ticks.len().max(2) - 1) as f64;
        let every = if self.x.has_names() { 1 } else { (widest / slot).ceil().max(1.0) as usize };
        for (number, (position, text)) in ticks.into_iter().enumerate() {
            let x = left + position * (right - left);
            if !self.x.has_names() {
                self.canvas.line(&[(x, top), (x, bottom)], Stroke::solid(GRID, 1.0));
            }
            self.canvas.line(&[(x, bottom), (x, bottom + 4.0)], Stroke::solid(INK, 1.0));
            if self.places.turned {
                self.turned_text((x + 4.0, bottom + 15.0), &text, Anchor::End, -35.0);
            } else if number % every == 0 {
                self.text_at((x, bottom + 17.0), &text, Anchor::Middle);
            }
        }
        for value in self.x.minor.clone() {
            let x = left + self.x.position(value) * (right - left);
            self.canvas.line(&[(x, bottom), (x, bottom + 3.0)], Stroke::solid(INK, 0.7));
        }
        for (number, line) in self.places.label.clone().iter().enumerate() {
            let room = width_of(line) / 2.0 + 2.0;
            let middle = ((left + right) / 2.0).clamp(room, (whole - room).max(room));
            let baseline = self.places.label_top + LINE_HEIGHT * number as f64;
            self.text_at((middle, baseline), line, Anchor::Middle);
        }
    }

    /// Draws two strokes across each axis that does not contain its origin, near its low end.
    fn break_axes(&mut self) {
        let (left, _, _, bottom) = self.bounds();
        let (white, ink) = (Stroke::solid("#ffffff", 3.0), Stroke::solid(INK, 1.0));
        let mut cut = |at: [(f64, f64); 2], strokes: [[(f64, f64); 2]; 2]| {
            self.canvas.line(&at, white);
            for stroke in strokes {
                self.canvas.line(&stroke, ink);
            }
        };
        if self.y.is_broken() {
            let across = |y: f64| [(left - 5.0, y + 2.5), (left + 5.0, y - 2.5)];
            cut(
                [(left, bottom - 7.0), (left, bottom - 11.0)],
                [across(bottom - 7.0), across(bottom - 11.0)],
            );
        }
        if self.x.is_broken() {
            let across = |x: f64| [(x - 2.5, bottom + 5.0), (x + 2.5, bottom - 5.0)];
            cut(
                [(left + 7.0, bottom), (left + 11.0, bottom)],
                [across(left + 7.0), across(left + 11.0)],
            );
        }
    }

    pub(crate) fn at(&self, (x, y): (f64, f64)) -> (f64, f64) {
        let (left, top, right, bottom) = self.bounds();
        let across = left + self.x.position(x) * (right - left);
        (across, top + (1.0 - self.y.position(y)) * (bottom - top))
    }

    /// Left, top, right and bottom in pixels.
    pub(crate) fn bounds(&self) -> (f64, f64, f64, f64) {
        self.places.frame
    }

    pub(crate) fn ends(&self) -> ((f64, f64), (f64, f64)) {
        (self.x.ends(), self.y.ends())
    }

    pub(crate) fn line(&mut self, points: &[(f64, f64)], style: Style, width: f64) {
        let points: Vec<_> = points.iter().map(|&point| self.at(point)).collect();
        self.canvas.line(&points, style.stroke(width));
    }

    pub(crate) fn pixel_line(&mut self, places: &[(f64, f64)], stroke: Stroke) {
        self.canvas.line(places, stroke);
    }

    pub(crate) fn reference(&mut self, from: (f64, f64), to: (f64, f64)) {
        let ends = [self.at(from), self.at(to)];
        self.canvas.line(&ends, Stroke { colour: "#666666", width: 1.2, dashes: "5 4" });
    }

    pub(crate) fn rectangle(&mut self, a: (f64, f64), b: (f64, f64), fill: Fill) {
        let (a, b) = (self.at(a), self.at(b));
        self.canvas.rectangle(a, b, fill, Some(Stroke::solid(INK, 1.0)));
    }

    pub(crate) fn area(&mut self, corners: &[(f64, f64)], fill: Fill, outlined: bool) {
        let corners: Vec<_> = corners.iter().map(|&corner| self.at(corner)).collect();
        let stroke = outlined.then(|| Stroke::solid(fill.colour, 1.0));
        self.canvas.polygon(&corners, fill, stroke);
    }

    pub(crate) fn marker(&mut self, point: (f64, f64), series: Series, radius: f64, opacity: f64) {
        let at = self.at(point);
        self.marker_at(at, series, radius, opacity);
    }

    fn marker_at(&mut self, (x, y): (f64, f64), series: Series, radius: f64, opacity: f64) {
        let colour = series.style().colour;
        let (fill, stroke) = (Fill { colour, opacity }, Stroke::solid(colour, 1.0));
        let corners: &[(f64, f64)] = match series.number() % 5 {
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

    pub(crate) fn text_on_area(&mut self, point: (f64, f64), text: &str, colour: &'static str) {
        let (x, y) = self.at(point);
        self.canvas.text((x, y + 4.0), Label { colour, ..Label::new(text, Anchor::Middle, INK) });
    }

    pub(crate) fn begin(&mut self, series: &str, tooltip: &str) {
        self.canvas.begin(series, tooltip);
    }

    pub(crate) fn begin_key(&mut self, series: &str) {
        self.canvas.begin_key(series);
    }

    pub(crate) fn end(&mut self) {
        self.canvas.end();
    }

    pub(crate) fn text_at(&mut self, place: (f64, f64), text: &str, anchor: Anchor) {
        self.canvas.text(place, Label::new(text, anchor, INK));
    }

    fn turned_text(&mut self, place: (f64, f64), text: &str, anchor: Anchor, rotation: f64) {
        self.canvas.text(place, Label { rotation, ..Label::new(text, anchor, INK) });
    }

    /// The white background hides lines.
    pub(crate) fn boxed_text(&mut self, (x, y): (f64, f64), text: &str) {
        let (_, top, right, bottom) = self.bounds();
        let x = x.min(right - width_of(text) - 1.0);
        let y = y.clamp(top + FONT_SIZE * 0.6, bottom - FONT_SIZE * 0.6);
        let low = (x - 1.0, y - FONT_SIZE * 0.55);
        let high = (x + width_of(text) + 1.0, y + FONT_SIZE * 0.55);
        self.canvas.rectangle(low, high, Fill { colour: "#ffffff", opacity: 0.85 }, None);
        self.text_at((x, y + 4.0), text, Anchor::Start);
    }

    pub(crate) fn legend(
        &mut self,
        entries: &[String],
        mut key: impl FnMut(&mut Chart, usize, (f64, f64)),
    ) {
        let places = self.places.legend.clone();
        for (number, (entry, (x, y))) in entries.iter().zip(places).enumerate() {
            self.canvas.begin_key(entry);
            key(self, number, (x, y));
            let text = (x + Places::KEY_TEXT, y + 4.0);
            self.text_at(text, &truncated(entry), Anchor::Start);
            self.end();
        }
    }

    pub(crate) fn marker_key(&mut self, series: Series, place: (f64, f64), opacity: f64) {
        self.marker_at(place, series, 4.0, opacity);
    }

    pub(crate) fn line_key(&mut self, series: Series, (x, y): (f64, f64)) {
        self.canvas.line(&[(x - 12.0, y), (x + 14.0, y)], series.style().stroke(1.8));
        self.marker_at((x + 1.0, y), series, 3.0, 1.0);
    }

    pub(crate) fn area_key(&mut self, (x, y): (f64, f64), fill: Fill) {
        let (low, high) = ((x - 8.0, y - 6.0), (x + 8.0, y + 6.0));
        self.canvas.rectangle(low, high, fill, Some(Stroke::solid(INK, 1.0)));
    }

    pub(crate) fn finish(self) -> Svg {
        self.canvas.finish()
    }
}

/// `wanted` must be ascending.
pub(crate) fn spread_labels(wanted: &[f64], top: f64, bottom: f64) -> Vec<f64> {
    let mut baselines = wanted.to_vec();
    for i in 1..baselines.len() {
        baselines[i] = baselines[i].max(baselines[i - 1] + LABEL_HEIGHT);
    }
    let mut limit = bottom;
    for baseline in baselines.iter_mut().rev() {
        *baseline = baseline.min(limit).max(top);
        limit = *baseline - LABEL_HEIGHT;
    }
    baselines
}

#[cfg(test)]
mod tests {
    use super::super::layout::Width;
    use super::*;

    #[test]
    fn a_chart_is_as_wide_as_a_column_and_escapes() {
        let names =
            Axis::names("", ["a <b>", "a very long name that does not fit next to an axis"]);
        let layout = Layout::new(Width::Column, 100.0, "n = 1");
        let mut chart = Chart::new(names, Axis::percent("%"), &layout);
        chart.marker((0.0, 50.0), Series::Algorithm(3), 4.0, 1.0);
        let svg = chart.finish();
        let svg = svg.as_str();
        assert!(svg.starts_with("<svg viewBox=\"0 0 357.17 "), "{svg}");
        assert!(svg.contains("width=\"84mm\"") && svg.contains("font-size=\"12\""), "{svg}");
        assert!(svg.contains("a &lt;b&gt;") && svg.contains("…") && !svg.contains("NaN"));
    }

    #[test]
    fn legends_wrap_and_broken_axes_are_marked() {
        let legend: Vec<String> = (0..6).map(|n| format!("an algorithm number {n}")).collect();
        let strokes = |origin: f64| {
            let layout =
                Layout { legend: &legend, ..Layout::new(Width::Column, 100.0, "n = 20 runs each") };
            let y = Axis::round("Coverage", 60.0, 95.0).with_origin(origin);
            let mut chart = Chart::new(Axis::percent("%"), y, &layout);
            let rows: std::collections::BTreeSet<i64> =
                chart.places.legend.iter().map(|place| place.1 as i64).collect();
            assert_eq!(rows.len(), 3, "{:?}", chart.places);
            chart.legend(&legend, |chart, _, place| chart.marker_key(Series::Other(0), place, 1.0));
            chart.finish().as_str().matches("<polyline").count()
        };
        assert_eq!(strokes(0.0), strokes(60.0) + 3, "a gap and two strokes");
    }

    #[test]
    fn labels_keep_apart_and_inside() {
        assert_eq!(spread_labels(&[10.0, 100.0], 0.0, 200.0), [10.0, 100.0]);
        assert_eq!(spread_labels(&[10.0, 12.0], 0.0, 200.0), [10.0, 25.0]);
        assert_eq!(spread_labels(&[190.0, 195.0, 200.0], 0.0, 200.0), [170.0, 185.0, 200.0]);
    }
}
