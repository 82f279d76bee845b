//! Effect sizes on several projects, from the smallest to the largest, with their intervals.

use super::chart::Chart;
use super::layout::{Layout, Width};
use super::svg::Svg;
use super::{Axis, Series, Style};
use crate::comparison::{Correction, ProjectComparison};

const MAX_NAMED: usize = 40;

pub(crate) fn draw(per_project: &[ProjectComparison], names: &[&str], subtitle: &str) -> Svg {
    let mut sorted: Vec<&ProjectComparison> = per_project.iter().collect();
    sorted.sort_by(|a, b| a.a12.total_cmp(&b.a12).then(a.project.cmp(&b.project)));
    let effect = Axis::exact("A12", 0.0, 1.0);
    let many = sorted.len() > MAX_NAMED;
    let legend = ["p < 0.05 (Holm)".to_owned(), "not significant".to_owned()];
    let mut chart = if many {
        let order = Axis::exact("Projects, by A12", 0.0, sorted.len() as f64);
        let layout = Layout { legend: &legend, ..Layout::new(Width::Page, 240.0, subtitle) };
        Chart::new(order, effect, &layout)
    } else {
        let rows = || sorted.iter().map(|project| names[project.project]);
        let (width, height) =
            (Width::with_names_at_the_side(rows()), 16.0 * sorted.len().max(2) as f64);
        let layout = Layout { legend: &legend, ..Layout::new(width, height, subtitle) };
        Chart::new(effect, Axis::names("", rows()), &layout)
    };
    let point = |index: f64, value: f64| if many { (index + 0.5, value) } else { (value, index) };
    let last = if many { sorted.len() as f64 } else { sorted.len() as f64 - 0.5 };
    chart.reference(point(-0.5, 0.5), point(last, 0.5));
    for (index, project) in sorted.iter().enumerate() {
        if let Ok(interval) = project.interval {
            let (colour, width) = if many { ("#bbbbbb", 0.8) } else { ("#888888", 1.2) };
            let ends = [point(index as f64, interval.low), point(index as f64, interval.high)];
            chart.line(&ends, Style::solid(colour), width);
        }
    }
    let pair = Series::Other(0);
    for (index, project) in sorted.iter().enumerate() {
        let opacity = if project.significant(Correction::Holm) { 1.0 } else { 0.0 };
        let radius = if many { 1.8 } else { 3.6 };
        let name = names[project.project];
        let p = project.p.equation();
        chart.begin(
            "",
            &format!("{name}: A12 {:.2}, {p} ({:.4} by Holm)", project.a12, project.p_holm),
        );
        chart.marker(point(index as f64, project.a12), pair, radius, opacity);
        chart.end();
    }
    chart.legend(&legend, |chart, number, place| {
        chart.marker_key(pair, place, if number == 0 { 1.0 } else { 0.0 });
    });
    chart.finish()
}
