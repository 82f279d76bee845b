//! The frame of a chart, and what is drawn in it in the units of its axes.

use kuva::backend::svg::SvgBackend;
use kuva::render::color::Color;
use kuva::render::render::{PathData, Primitive, Scene, TextAnchor};

use super::{FONTS, Style, grouped, round_step, styles};

const TEXT: f64 = 12.0;
/// The colour of text and frames.
pub(crate) const INK: &str = "#222222";
const GRID: &str = "#e4e4e4";
/// A glyph is at most some this part of its size wide, on average.
const GLYPH: f64 = 0.56;

/// The width of some text in pixels, a little too large.
fn width_of(text: &str) -> f64 {
    text.chars().count() as f64 * TEXT * GLYPH
}

/// An axis: what it shows, and where a value lies.
pub(crate) struct Axis {
    label: String,
    low: f64,
    high: f64,
    logarithmic: bool,
    ticks: Vec<(f64, String)>,
    names: bool,
}

impl Axis {
    /// From a round number at or below `low` to one at or above `high`.
    pub(crate) fn round(label: &str, low: f64, high: f64) -> Axis {
        let step = round_step(((high - low) / 5.0).max(1e-3));
        let low = (low / step + 1e-9).floor() * step;
        let high = ((high / step - 1e-9).ceil() * step).max(low + step);
        Axis::exact(label, low, high)
    }

    /// Between these values, with round ticks.
    pub(crate) fn exact(label: &str, low: f64, high: f64) -> Axis {
        let step = round_step(((high - low) / 5.0).max(1e-3));
        let decimals = (-libm::log10(step)).ceil().max(0.0) as usize;
        let first = (low / step - 1e-9).ceil() as i64;
        let last = (high / step + 1e-9).floor() as i64;
        let ticks = (first..=last).map(|n| {
            let value = n as f64 * step;
            let text = if decimals == 0 { grouped(value) } else { format!("{value:.decimals$}") };
            (value, text)
        });
        Axis {
            label: label.to_owned(),
            low,
            high,
            logarithmic: false,
            ticks: ticks.collect(),
            names: false,
        }
    }

    /// Percentages, all of them.
    pub(crate) fn percent(label: &str) -> Axis {
        Axis::exact(label, 0.0, 100.0)
    }

    /// A logarithmic axis around these positive values.
    pub(crate) fn log(label: &str, low: f64, high: f64) -> Axis {
        let (first, last) = (libm::log10(low).floor() as i32, libm::log10(high).ceil() as i32);
        let last = last.max(first + 1);
        let mut ticks: Vec<(f64, String)> = (first..=last)
            .flat_map(|power| [(1.0, power), (3.0, power)])
            .map(|(factor, power)| {
                let value = factor * libm::exp10(f64::from(power));
                let decimals = (-power).max(0) as usize;
                let text = if power < 0 { format!("{value:.decimals$}") } else { grouped(value) };
                (value, text)
            })
            .collect();
        // From the last tick that is not above all values to the first that is not below.
        let below = ticks.iter().filter(|tick| tick.0 <= low * (1.0 + 1e-9)).count().max(1) - 1;
        ticks.drain(..below);
        let within = ticks.iter().filter(|tick| tick.0 < high * (1.0 - 1e-9)).count().max(1);
        ticks.truncate(within + 1);
        let ends = (ticks[0].0, ticks[ticks.len() - 1].0);
        // Whole decades are enough if there are many of them.
        if ticks.len() > 8 {
            ticks.retain(|tick| libm::log10(tick.0).fract() == 0.0);
        }
        Axis {
            label: label.to_owned(),
            low: ends.0,
            high: ends.1,
            logarithmic: true,
            ticks,
            names: false,
        }
    }

    /// A place for each name: 0, 1, 2, ...
    pub(crate) fn names<'a>(label: &str, names: impl IntoIterator<Item = &'a str>) -> Axis {
        let ticks: Vec<(f64, String)> =
            names.into_iter().enumerate().map(|(i, name)| (i as f64, short(name))).collect();
        let high = ticks.len().max(1) as f64 - 0.5;
        Axis { label: label.to_owned(), low: -0.5, high, logarithmic: false, ticks, names: true }
    }

    /// Where a value lies, 0..=1; values beyond the axis lie at its end.
    fn place(&self, value: f64) -> f64 {
        let scale =
            |v: f64| if self.logarithmic { libm::log10(v.max(f64::MIN_POSITIVE)) } else { v };
        let (low, high) = (scale(self.low), scale(self.high));
        ((scale(value) - low) / (high - low)).clamp(0.0, 1.0)
    }

    /// The ends of the axis.
    pub(crate) fn ends(&self) -> (f64, f64) {
        (self.low, self.high)
    }
}

/// A name that fits beside an axis.
pub(crate) fn short(name: &str) -> String {
    const MOST: usize = 28;
    if name.chars().count() <= MOST {
        return name.to_owned();
    }
    name.chars().take(MOST - 1).chain(['…']).collect()
}

/// A chart being drawn.
pub(crate) struct Chart {
    scene: Scene,
    x: Axis,
    y: Axis,
    left: f64,
    top: f64,
    width: f64,
    height: f64,
}

impl Chart {
    /// An empty frame of this size in pixels, with room for a legend to its right. `note` is
    /// the line above it.
    pub(crate) fn new(
        x: Axis,
        y: Axis,
        (width, height): (f64, f64),
        legend: &[String],
        note: &str,
    ) -> Chart {
        let longest = |axis: &Axis| axis.ticks.iter().map(|t| width_of(&t.1)).fold(0.0, f64::max);
        let top = 34.0;
        let left = longest(&y) + if y.label.is_empty() { 16.0 } else { 36.0 };
        // Names that do not fit below their places are turned.
        let slot = width / x.ticks.len().max(1) as f64;
        let turned = x.names && longest(&x) > slot - 4.0;
        // The first of them reaches to the left.
        let reach = longest(&x) * 0.82 - slot / 2.0 + 4.0;
        let left = if turned { left.max(reach) } else { left };
        let below = if turned { 16.0 + longest(&x) * 0.6 } else { 20.0 };
        let bottom = below + if x.label.is_empty() { 10.0 } else { 28.0 };
        let entries = legend.iter().map(|entry| width_of(&short(entry))).fold(0.0, f64::max);
        let right = if legend.is_empty() { 24.0 } else { entries + 62.0 };
        // The line above and the last tick may reach further than the frame.
        let whole = (left + width + right).max(left + width_of(note) + 8.0);
        let mut scene = Scene::new(whole, top + height + bottom);
        scene.font_family = Some(FONTS.to_owned());
        let mut chart = Chart { scene, x, y, left, top, width, height };
        chart.frame(turned, below);
        chart.label(left, top - 14.0, note, TextAnchor::Start, 0.0, false);
        chart
    }

    fn frame(&mut self, turned: bool, below: f64) {
        let bottom = self.top + self.height;
        let right = self.left + self.width;
        let ticks = |axis: &Axis| {
            let ends = (axis.low, axis.high);
            let inside = axis
                .ticks
                .iter()
                .filter(|t| t.0 >= ends.0 - 1e-9 && t.0 <= ends.1 * (1.0 + 1e-9) + 1e-9);
            inside.map(|(value, text)| (axis.place(*value), text.clone())).collect::<Vec<_>>()
        };
        for (place, text) in ticks(&self.y) {
            let y = bottom - place * self.height;
            if !self.y.names {
                self.rule((self.left, y), (right, y), GRID, 1.0, "");
            }
            self.label(self.left - 7.0, y + 4.0, &text, TextAnchor::End, 0.0, false);
        }
        for (place, text) in ticks(&self.x) {
            let x = self.left + place * self.width;
            if !self.x.names {
                self.rule((x, self.top), (x, bottom), GRID, 1.0, "");
            }
            self.rule((x, bottom), (x, bottom + 4.0), INK, 1.0, "");
            if turned {
                self.label(x + 4.0, bottom + 15.0, &text, TextAnchor::End, -35.0, false);
            } else {
                self.label(x, bottom + 17.0, &text, TextAnchor::Middle, 0.0, false);
            }
        }
        self.rule((self.left, bottom), (right, bottom), INK, 1.0, "");
        self.rule((self.left, self.top), (self.left, bottom), INK, 1.0, "");
        let (x, y) = (self.x.label.clone(), self.y.label.clone());
        let middle = self.left + self.width / 2.0;
        self.label(middle, bottom + below + 18.0, &x, TextAnchor::Middle, 0.0, false);
        self.label(14.0, self.top + self.height / 2.0, &y, TextAnchor::Middle, -90.0, false);
    }

    /// Where a point lies, in pixels.
    pub(crate) fn at(&self, (x, y): (f64, f64)) -> (f64, f64) {
        let across = self.left + self.x.place(x) * self.width;
        (across, self.top + (1.0 - self.y.place(y)) * self.height)
    }

    /// The frame in pixels: left, top, right, bottom.
    pub(crate) fn bounds(&self) -> (f64, f64, f64, f64) {
        (self.left, self.top, self.left + self.width, self.top + self.height)
    }

    /// A line through points.
    pub(crate) fn line(&mut self, points: &[(f64, f64)], style: Style, width: f64) {
        let points = points.iter().map(|&point| self.at(point)).collect();
        self.scene.add(Primitive::PolyLine {
            points,
            stroke: Color::from(style.colour),
            stroke_width: width,
            stroke_dasharray: Some(style.dashes.to_owned()).filter(|d| !d.is_empty()),
        });
    }

    /// A grey, dashed line from edge to edge to compare with.
    pub(crate) fn reference(&mut self, from: (f64, f64), to: (f64, f64)) {
        let (from, to) = (self.at(from), self.at(to));
        self.rule(from, to, "#666666", 1.2, "5 4");
    }

    /// A rectangle between two corners.
    pub(crate) fn rect(&mut self, a: (f64, f64), b: (f64, f64), fill: &str, opacity: f64) {
        let (a, b) = (self.at(a), self.at(b));
        self.scene.add(Primitive::Rect {
            x: a.0.min(b.0),
            y: a.1.min(b.1),
            width: (a.0 - b.0).abs(),
            height: (a.1 - b.1).abs(),
            fill: Color::from(fill),
            stroke: None,
            stroke_width: None,
            opacity: Some(opacity),
        });
        let corners = [a, (b.0, a.1), b, (a.0, b.1), a];
        self.scene.add(Primitive::PolyLine {
            points: corners.to_vec(),
            stroke: Color::from(INK),
            stroke_width: 1.0,
            stroke_dasharray: None,
        });
    }

    /// A filled shape.
    pub(crate) fn shape(&mut self, corners: &[(f64, f64)], fill: &str, opacity: f64) {
        let corners: Vec<_> = corners.iter().map(|&corner| self.at(corner)).collect();
        self.path(&corners, fill, opacity, fill);
    }

    fn path(&mut self, corners: &[(f64, f64)], fill: &str, opacity: f64, stroke: &str) {
        let steps = corners
            .iter()
            .enumerate()
            .map(|(i, (x, y))| format!("{}{:.2} {:.2}", if i == 0 { 'M' } else { 'L' }, x, y));
        self.scene.add(Primitive::Path(Box::new(PathData {
            d: steps.collect::<String>() + "Z",
            fill: Some(Color::from(fill)),
            stroke: Color::from(stroke),
            stroke_width: 1.0,
            opacity: Some(opacity),
            stroke_dasharray: None,
        })));
    }

    /// A marker at a point: of the series with this number, so that it differs from others
    /// without colour, too.
    pub(crate) fn marker(&mut self, point: (f64, f64), series: usize, radius: f64, opacity: f64) {
        let at = self.at(point);
        self.mark(at, series, radius, opacity);
    }

    fn mark(&mut self, (x, y): (f64, f64), series: usize, r: f64, opacity: f64) {
        let colour = style(series).colour;
        let corners: &[(f64, f64)] = match series % 5 {
            0 => {
                self.scene.add(Primitive::Circle {
                    cx: x,
                    cy: y,
                    r,
                    fill: Color::from(colour),
                    fill_opacity: Some(opacity),
                    stroke: Some(Color::from(colour)),
                    stroke_width: Some(1.0),
                });
                return;
            }
            1 => &[(0.0, -1.2), (1.1, 0.8), (-1.1, 0.8)],
            2 => &[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
            3 => &[(0.0, -1.3), (1.1, 0.0), (0.0, 1.3), (-1.1, 0.0)],
            _ => &[(0.0, 1.2), (1.1, -0.8), (-1.1, -0.8)],
        };
        let corners: Vec<_> = corners.iter().map(|(dx, dy)| (x + dx * r, y + dy * r)).collect();
        self.path(&corners, colour, opacity, colour);
    }

    /// A star, for one point of interest.
    pub(crate) fn star(&mut self, point: (f64, f64)) {
        let (x, y) = self.at(point);
        let corner = |i: i32| {
            let radius = if i % 2 == 0 { 9.0 } else { 3.8 };
            let angle = f64::from(i) * std::f64::consts::PI / 5.0;
            (x + radius * libm::sin(angle), y - radius * libm::cos(angle))
        };
        let corners: Vec<_> = (0..10).map(corner).collect();
        self.path(&corners, "#F0E442", 1.0, INK);
    }

    /// Text beside a point, moved by some pixels.
    pub(crate) fn note(&mut self, point: (f64, f64), by: (f64, f64), text: &str, bold: bool) {
        let (x, y) = self.at(point);
        self.label(x + by.0, y + by.1, text, TextAnchor::Middle, 0.0, bold);
    }

    /// Text upon an area, around a point.
    pub(crate) fn inscription(&mut self, point: (f64, f64), text: &str, ink: &str) {
        let (x, y) = self.at(point);
        self.text((x, y + 4.0), text, TextAnchor::Middle, 0.0, false, ink);
    }

    /// Text that begins at a place in pixels.
    pub(crate) fn words(&mut self, (x, y): (f64, f64), text: &str, bold: bool) {
        self.label(x, y, text, TextAnchor::Start, 0.0, bold);
    }

    /// Bold text on a plate, right of a place in pixels, where lines would cross it.
    pub(crate) fn tag(&mut self, (x, y): (f64, f64), text: &str) {
        self.scene.add(Primitive::Rect {
            x: x - 2.0,
            y: y - TEXT * 0.6,
            width: width_of(text) * 1.15 + 4.0,
            height: TEXT * 1.2,
            fill: Color::from("#ffffff"),
            stroke: None,
            stroke_width: None,
            opacity: Some(0.85),
        });
        self.words((x, y + 4.0), text, true);
    }

    /// A line between places in pixels.
    pub(crate) fn rule(
        &mut self,
        a: (f64, f64),
        b: (f64, f64),
        colour: &str,
        width: f64,
        dashes: &str,
    ) {
        self.scene.add(Primitive::Line {
            x1: a.0,
            y1: a.1,
            x2: b.0,
            y2: b.1,
            stroke: Color::from(colour),
            stroke_width: width,
            stroke_dasharray: Some(dashes.to_owned()).filter(|d| !d.is_empty()),
        });
    }

    fn label(&mut self, x: f64, y: f64, text: &str, anchor: TextAnchor, turn: f64, bold: bool) {
        self.text((x, y), text, anchor, turn, bold, INK);
    }

    fn text(
        &mut self,
        (x, y): (f64, f64),
        text: &str,
        anchor: TextAnchor,
        turn: f64,
        bold: bool,
        ink: &str,
    ) {
        if text.is_empty() {
            return;
        }
        self.scene.add(Primitive::Text {
            x,
            y,
            content: text.to_owned(),
            size: TEXT as u32,
            anchor,
            rotate: Some(turn).filter(|turn| *turn != 0.0),
            bold,
            color: Some(Color::from(ink)),
        });
    }

    /// An entry of the legend: `key` draws its sign around a place in pixels.
    pub(crate) fn legend(
        &mut self,
        entries: &[String],
        mut key: impl FnMut(&mut Chart, usize, (f64, f64)),
    ) {
        let (_, top, right, _) = self.bounds();
        for (number, entry) in entries.iter().enumerate() {
            let y = top + 10.0 + 20.0 * number as f64;
            key(self, number, (right + 26.0, y));
            self.words((right + 46.0, y + 4.0), &short(entry), false);
        }
    }

    /// The sign of a series in a legend: its marker.
    pub(crate) fn marker_key(&mut self, series: usize, place: (f64, f64), opacity: f64) {
        self.mark(place, series, 4.0, opacity);
    }

    /// The sign of a filled area in a legend.
    pub(crate) fn fill_key(&mut self, place: (f64, f64), fill: &str, opacity: f64) {
        let (x, y) = place;
        let corners =
            [(x - 8.0, y - 6.0), (x + 8.0, y - 6.0), (x + 8.0, y + 6.0), (x - 8.0, y + 6.0)];
        self.path(&corners, fill, opacity, INK);
    }

    /// The picture.
    pub(crate) fn svg(self) -> String {
        svg(&self.scene)
    }
}

/// A scene as a picture that scales.
pub(crate) fn svg(scene: &Scene) -> String {
    let size = format!("<svg viewBox=\"0 0 {:.2} {:.2}\" ", scene.width, scene.height);
    unnumbered(&SvgBackend::new().render_scene(scene)).replacen("<svg ", &size, 1)
}

/// The picture with its clips counted from 0: the backend counts through the whole process,
/// and the same picture would be another text each time.
fn unnumbered(svg: &str) -> String {
    const CLIP: &str = "kuva-clip-";
    let mut parts = svg.split(CLIP);
    let mut text = parts.next().unwrap_or_default().to_owned();
    let mut first = None;
    for part in parts {
        let digits = part.len() - part.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let number: usize = part[..digits].parse().unwrap_or(0);
        let number = number.saturating_sub(*first.get_or_insert(number));
        text.push_str(&format!("{CLIP}{number}{}", &part[digits..]));
    }
    text
}

/// The style of a series.
pub(crate) fn style(series: usize) -> Style {
    // The sequence never ends.
    styles().nth(series % 35).unwrap_or(Style { colour: "#000000", dashes: "" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_have_round_ends_and_ticks() {
        let axis = Axis::round("", 0.13, 0.92);
        assert_eq!(axis.ends(), (0.0, 1.0));
        assert_eq!(axis.ticks[1].1, "0.2");
        let axis = Axis::log("", 3.0, 1_500.0);
        assert_eq!(axis.ends(), (3.0, 3_000.0));
        assert!((axis.place(3.0 * 10_f64.powf(1.5)) - 0.5).abs() < 1e-12);
        assert_eq!(Axis::log("", 7.0, 7.0).ends(), (3.0, 10.0));
        assert_eq!(Axis::log("", 1e-2, 1e5).ticks.len(), 8);
        assert_eq!(axis.place(0.0), 0.0, "what has no logarithm lies at the edge");
        let same = Axis::round("", 7.0, 7.0);
        assert!(same.ends().0 < same.ends().1);
    }

    #[test]
    fn a_chart_scales_and_escapes() {
        let names = Axis::names("", ["a <b>", "a very long name that nobody can read on an axis"]);
        let mut chart = Chart::new(names, Axis::percent("%"), (200.0, 100.0), &[], "n = 1");
        chart.marker((0.0, 50.0), 3, 4.0, 1.0);
        let svg = chart.svg();
        assert!(svg.starts_with("<svg viewBox=\"0 0 "), "{svg}");
        assert!(svg.contains("a &lt;b&gt;") && svg.contains("…") && !svg.contains("NaN"));
    }
}
