//! Critical-difference diagrams (Demšar, 2006): algorithms on a line of mean ranks, those
//! that do not differ joined by bars.

use super::chart::{Axis, Chart, short};
use crate::findings::Ranking;

/// Draws the mean ranks; `labels` are those of all algorithms.
pub(crate) fn draw(ranking: &Ranking, labels: &[String], note: &str) -> String {
    let ranks = &ranking.nemenyi.mean_ranks;
    let mut order: Vec<usize> = (0..ranks.len()).collect();
    order.sort_by(|&a, &b| ranks[a].total_cmp(&ranks[b]));
    let rows = order.len() as f64;
    let last = ranks.len() as f64;
    let x = Axis::exact("Mean rank (1: covers most)", 1.0, last.max(2.0));
    let names: Vec<String> = order
        .iter()
        .rev()
        .map(|&place| format!("{}  {:.2}", short(&labels[ranking.algorithms[place]]), ranks[place]))
        .collect();
    let bars = ranking.cliques.iter().filter(|clique| clique.len() > 1).count() as f64;
    let mut y = vec![""; bars as usize + 1];
    y.splice(0..0, names.iter().map(String::as_str));
    let size = (400.0, 26.0 * (rows + bars + 1.0));
    let mut chart = Chart::new(x, Axis::names("", y), size, &[], note);
    let ink = super::Style { colour: "#222222", dashes: "" };
    for (row, &place) in order.iter().rev().enumerate() {
        let y = row as f64;
        chart.line(
            &[(1.0, y), (ranks[place], y)],
            super::Style { colour: "#999999", dashes: "2 3" },
            1.0,
        );
        chart.marker((ranks[place], y), 0, 4.5, 1.0);
    }
    for (bar, clique) in ranking.cliques.iter().filter(|clique| clique.len() > 1).enumerate() {
        let of = || clique.iter().map(|&place| ranks[place]);
        let (low, high) = (of().fold(f64::MAX, f64::min), of().fold(f64::MIN, f64::max));
        let y = rows + bar as f64;
        chart.line(&[(low - 0.02, y), (high + 0.02, y)], ink, 6.0);
    }
    // The critical difference itself, on top.
    let y = rows + bars;
    let far = (1.0 + ranking.critical_difference).min(last.max(2.0));
    chart.line(&[(1.0, y), (far, y)], ink, 1.5);
    for end in [1.0, far] {
        chart.line(&[(end, y - 0.2), (end, y + 0.2)], ink, 1.5);
    }
    chart.note((far, y), (30.0, 4.0), &format!("CD {:.2}", ranking.critical_difference), false);
    chart.svg()
}
