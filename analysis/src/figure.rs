//! Figures, as SVG. Readable in black and white and by colour-blind readers: every
//! series has its colour, its dashes or marker and its label beside it. One module a kind of
//! picture; [`figures`](crate::figures) says what of a study they show.

pub(crate) mod bars;
pub(crate) mod boxes;
pub(crate) mod chart;
pub(crate) mod effects;
pub(crate) mod histogram;
pub(crate) mod lines;
pub(crate) mod race;
pub(crate) mod ranks;
pub(crate) mod scatter;
pub(crate) mod violins;

use kuva::plot::{BandPlot, LinePlot, LineStyle};
use kuva::render::color::Color;
use kuva::render::layout::{ComputedLayout, Layout, TickFormat};
use kuva::render::plots::Plot;
use kuva::render::render::{Primitive, Scene, TextAnchor, render_multiple};
use kuva::render::theme::Theme;

use crate::progress::{Curve, Point, Progress};
use crate::tidy::Clock;

/// The palette of Okabe and Ito, without its yellow, which is too pale for a line.
const COLOURS: [&str; 7] =
    ["#000000", "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"];

/// Dash patterns in pixels; the first is solid.
const DASHES: [&str; 5] = ["", "9 4", "2 3", "9 3 2 3", "16 4"];

/// What figures are lettered in.
pub(crate) const FONTS: &str = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif";

/// Pixels of the frame, and of what stands around it.
const FRAME: (f64, f64) = (430.0, 290.0);
const LEFT: f64 = 62.0;
const TOP: f64 = 32.0;
const BOTTOM: f64 = 50.0;
const TEXT: u32 = 13;
/// Least distance of labels in pixels.
const LINE: f64 = 17.0;

/// Mean coverage over time of each algorithm, with its band (Whisker paper, figure 20).
/// `labels` are those of [`Results::algorithms`](crate::tidy::Results::algorithms).
pub fn coverage_over_time(progress: &Progress, labels: &[String]) -> String {
    let time = Axis::time(progress);
    let coverage = Axis::coverage(progress);
    let mut plots = Vec::new();
    for (curve, style) in progress.curves.iter().zip(styles()) {
        if let Some(band) = band(curve, &time, &coverage) {
            plots.push(Plot::Band(band.with_color(style.colour).with_opacity(0.18)));
        }
    }
    for (curve, style) in progress.curves.iter().zip(styles()) {
        let path = staircase(&curve.points, &time, &coverage, |p| Some(p.mean));
        let line = LinePlot::new().with_data(path).with_color(style.colour).with_stroke_width(2.0);
        plots.push(Plot::Line(line.with_line_style(style.dashes())));
    }
    let names = progress.curves.iter().map(|c| labels[c.algorithm].chars().count());
    // A bold glyph is at most some 0.7 of the text's size wide; the value takes eight.
    let right = 40.0 + 0.7 * f64::from(TEXT) * (names.max().unwrap_or(0) + 8) as f64;
    let layout = || {
        Layout::new((time.low, time.high), (coverage.low, coverage.high))
            .with_width(LEFT + FRAME.0 + right)
            .with_height(TOP + FRAME.1 + BOTTOM)
            .with_x_axis_min(time.low)
            .with_x_axis_max(time.high)
            .with_y_axis_min(coverage.low)
            .with_y_axis_max(coverage.high)
            .with_x_tick_step(time.step)
            .with_y_tick_step(coverage.step)
            .with_x_tick_format(TickFormat::Custom(std::sync::Arc::new(grouped)))
            .with_y_tick_format(TickFormat::Integer)
            .with_x_label(time.label.clone())
            .with_y_label(coverage.label.clone())
            .with_label_size(TEXT)
            .with_tick_size(TEXT - 1)
            .with_show_grid(true)
            .with_theme(Theme { grid_color: "#e4e4e4".to_owned(), ..Theme::light() })
            .with_font_family(FONTS)
            .with_force_margins(LEFT, right)
            .with_force_margins_y(TOP, BOTTOM)
    };
    let frame = ComputedLayout::from_layout(&layout());
    let mut scene = render_multiple(plots, layout());
    label_curves(&mut scene, &frame, progress, labels, &time, &coverage);
    scene.add(text(caption(progress), LEFT, TOP - 13.0, TEXT - 1, "#444444", false));
    chart::svg(&scene)
}

/// Where the axis of [`coverage_over_time`] begins, in percent.
pub(crate) fn coverage_begins(progress: &Progress) -> f64 {
    Axis::coverage(progress).low
}

#[derive(Clone, Copy)]
pub(crate) struct Style {
    colour: &'static str,
    dashes: &'static str,
}

impl Style {
    fn dashes(self) -> LineStyle {
        match self.dashes {
            "" => LineStyle::Solid,
            dashes => LineStyle::Custom(dashes.to_owned()),
        }
    }
}

/// Neither sequence divides the other, so 35 series differ.
fn styles() -> impl Iterator<Item = Style> {
    let colours = COLOURS.iter().cycle().zip(DASHES.iter().cycle());
    colours.map(|(colour, dashes)| Style { colour, dashes })
}

/// An axis with round ticks. Values are divided by `unit` to be shown.
struct Axis {
    low: f64,
    high: f64,
    step: f64,
    unit: f64,
    label: String,
}

impl Axis {
    fn time(progress: &Progress) -> Axis {
        let end = progress.end.max(1) as f64;
        let (unit, label) = match &progress.clock {
            Clock::Work(unit) => {
                let mut label = unit.plural.clone();
                if let Some(first) = label.get_mut(..1) {
                    first.make_ascii_uppercase();
                }
                // A unit of program time says how long it is.
                let length = unit.per_second.map(|_| format!(" ({})", unit.meaning));
                (1.0, label + &length.unwrap_or_default())
            }
            Clock::Wall if end < 10_000.0 => (1.0, "Search time (ms)".to_owned()),
            Clock::Wall if end < 600_000.0 => (1_000.0, "Search time (s)".to_owned()),
            Clock::Wall => (60_000.0, "Search time (min)".to_owned()),
        };
        let high = end / unit;
        Axis { low: 0.0, high, step: round_step(high / 6.0), unit, label }
    }

    /// In percent, from a round number below what the curves show once they have left
    /// zero: a run covers most of what is easy in its first executions, and from zero
    /// the differences of interest would be a thin stripe.
    fn coverage(progress: &Progress) -> Axis {
        let early = progress.end / 50;
        let points = || progress.curves.iter().flat_map(|curve| &curve.points);
        let start = |curve: &Curve| {
            curve.points.iter().take_while(|p| p.at <= early.max(1)).last().map_or(0.0, |p| p.mean)
        };
        let lowest = progress.curves.iter().map(start).fold(1.0, f64::min) * 100.0;
        let highest =
            points().map(|p| p.band.map_or(p.mean, |band| band.1)).fold(0.0, f64::max) * 100.0;
        let step = round_step(((highest - lowest) / 5.0).max(0.5));
        let low = (((lowest - step / 4.0) / step).floor() * step).max(0.0);
        let high = ((highest / step).ceil() * step).clamp(low + step, 100.0_f64.max(low + step));
        Axis { low, high, step, unit: 0.01, label: "Mean coverage (%)".to_owned() }
    }

    fn shown(&self, value: f64) -> f64 {
        (value / self.unit).clamp(self.low, self.high)
    }
}

/// The next of 1, 2, 5, 10, 20, 50, ... at or above a positive size.
fn round_step(least: f64) -> f64 {
    let mut power = 1e-3;
    loop {
        for factor in [1.0, 2.0, 5.0] {
            if factor * power >= least {
                return factor * power;
            }
        }
        power *= 10.0;
    }
}

/// A whole number with thin spaces between groups of three digits.
pub(crate) fn grouped(value: f64) -> String {
    if value.fract() != 0.0 {
        return format!("{value}");
    }
    let digits = format!("{value:.0}");
    let mut shown = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i) % 3 == 0 && digits.len() > 4 {
            shown.push('\u{2009}');
        }
        shown.push(digit);
    }
    shown
}

/// The corners of a step function, from where it enters the frame to its right edge.
fn staircase(
    points: &[Point],
    time: &Axis,
    coverage: &Axis,
    value: impl Fn(&Point) -> Option<f64>,
) -> Vec<(f64, f64)> {
    let mut corners = Vec::new();
    let mut level = coverage.low;
    for point in points {
        let Some(next) = value(point).map(|v| coverage.shown(v)) else { continue };
        let at = time.shown(point.at as f64);
        corners.extend([(at, level), (at, next)]);
        level = next;
    }
    corners.push((time.high, level));
    corners
}

fn band(curve: &Curve, time: &Axis, coverage: &Axis) -> Option<BandPlot> {
    curve.points.first()?.band?;
    let low = staircase(&curve.points, time, coverage, |p| p.band.map(|b| b.0));
    let high = staircase(&curve.points, time, coverage, |p| p.band.map(|b| b.1));
    let x = low.iter().map(|p| p.0);
    Some(BandPlot::new(x, low.iter().map(|p| p.1), high.iter().map(|p| p.1)))
}

/// Labels at the right edge, in the order of the curves' ends, pushed apart where they
/// would overlap and then tied to their curve.
fn label_curves(
    scene: &mut Scene,
    frame: &ComputedLayout,
    progress: &Progress,
    labels: &[String],
    time: &Axis,
    coverage: &Axis,
) {
    let mut ends: Vec<(f64, f64, &Curve, Style)> = progress
        .curves
        .iter()
        .zip(styles())
        .map(|(curve, style)| {
            let last = curve.points.last().map_or(0.0, |p| p.mean);
            (frame.map_y(coverage.shown(last)), last, curve, style)
        })
        .collect();
    ends.sort_by(|a, b| b.1.total_cmp(&a.1));
    let (top, bottom) = (frame.map_y(coverage.high), frame.map_y(coverage.low));
    let places = spread(&ends.iter().map(|end| end.0).collect::<Vec<_>>(), top, bottom);
    let right = frame.map_x(time.high);
    for ((y, last, curve, style), place) in ends.into_iter().zip(places) {
        scene.add(Primitive::PolyLine {
            points: vec![
                (right, y),
                (right + 6.0, y),
                (right + 14.0, place),
                (right + 34.0, place),
            ],
            stroke: Color::from(style.colour),
            stroke_width: 2.0,
            stroke_dasharray: Some(style.dashes.to_owned()).filter(|d| !d.is_empty()),
        });
        let label = format!("{}  {:.1} %", labels[curve.algorithm], last * 100.0);
        scene.add(text(label, right + 39.0, place + 4.5, TEXT, "#222222", true));
    }
}

/// Places for labels near the given ascending ones, a line apart, between top and
/// bottom if they fit.
fn spread(wanted: &[f64], top: f64, bottom: f64) -> Vec<f64> {
    let mut places = wanted.to_vec();
    for i in 1..places.len() {
        places[i] = places[i].max(places[i - 1] + LINE);
    }
    // What was pushed below the frame is pushed back up, the others before it.
    let mut limit = bottom;
    for place in places.iter_mut().rev() {
        *place = place.min(limit).max(top);
        limit = *place - LINE;
    }
    places
}

fn caption(progress: &Progress) -> String {
    let runs = match progress.runs {
        (fewest, most) if fewest == most => format!("{most}"),
        (fewest, most) => format!("{fewest} to {most}"),
    };
    let plural = |n: usize| if n == 1 { "" } else { "s" };
    let mut caption = format!(
        "n = {} project{} × {runs} run{}",
        progress.projects,
        plural(progress.projects),
        plural(progress.runs.1)
    );
    if progress.curves.iter().flat_map(|c| &c.points).any(|p| p.band.is_some()) {
        caption.push_str("; band: 95 % bootstrap interval over runs");
    }
    caption
}

fn text(content: String, x: f64, y: f64, size: u32, colour: &str, bold: bool) -> Primitive {
    Primitive::Text {
        x,
        y,
        content,
        size,
        anchor: TextAnchor::Start,
        rotate: None,
        bold,
        color: Some(Color::from(colour)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_keep_apart_and_inside() {
        assert_eq!(spread(&[10.0, 100.0], 0.0, 200.0), [10.0, 100.0]);
        assert_eq!(spread(&[10.0, 12.0], 0.0, 200.0), [10.0, 27.0]);
        assert_eq!(spread(&[190.0, 195.0, 200.0], 0.0, 200.0), [166.0, 183.0, 200.0]);
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!([0.3, 1.0, 11.0, 4_999.0].map(round_step), [0.5, 1.0, 20.0, 5_000.0]);
        assert_eq!(grouped(1_234_567.0), "1\u{2009}234\u{2009}567");
        assert_eq!(grouped(1_000.0), "1000");
        assert_eq!(grouped(0.5), "0.5");
    }

    #[test]
    fn curves_of_one_value_have_a_frame() {
        let curve =
            |algorithm| Curve { algorithm, points: vec![Point { at: 1, mean: 1.0, band: None }] };
        let progress = Progress {
            clock: Clock::Wall,
            end: 1,
            projects: 1,
            runs: (1, 1),
            curves: vec![curve(0), curve(1)],
        };
        let svg = coverage_over_time(&progress, &["random <1>".to_owned(), "mosa".to_owned()]);
        assert!(svg.contains("random &lt;1&gt;  100.0 %"), "{svg}");
        assert!(svg.contains("n = 1 project × 1 run<"), "{svg}");
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }
}
