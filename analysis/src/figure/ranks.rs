//! Critical-difference diagrams (Demšar, 2006): algorithms on a line of mean ranks. Bars join
//! algorithms that do not differ significantly.

use super::axis::truncated;
use super::chart::{Chart, INK};
use super::layout::{Layout, Width};
use super::svg::{Anchor, Svg};
use super::{Axis, Series, Style};
use crate::findings::Ranking;

/// Draws the mean ranks; `labels` contains the labels of all algorithms.
pub(crate) fn draw(ranking: &Ranking, labels: &[String], subtitle: &str) -> Svg {
    let ranks = &ranking.nemenyi.mean_ranks;
    let mut order: Vec<usize> = (0..ranks.len()).collect();
    order.sort_by(|&a, &b| ranks[b].total_cmp(&ranks[a]));
    let cliques: Vec<&Vec<usize>> = ranking.cliques.iter().filter(|c| c.len() > 1).collect();
    let (rows, bars) = (order.len() as f64, cliques.len() as f64);
    let last = (ranks.len() as f64).max(2.0);
    let x = Axis::exact("Mean rank (1 = highest coverage)", 1.0, last).with_origin(1.0);
    // From the bottom to the top: the algorithms, the bars, the critical difference.
    let mut names: Vec<String> = order
        .iter()
        .map(|&i| format!("{}  {:.2}", truncated(&labels[ranking.algorithms[i]]), ranks[i]))
        .collect();
    names.resize(order.len() + cliques.len() + 1, String::new());
    let y = Axis::names("", names.iter().map(String::as_str));
    let width = Width::with_names_at_the_side(names.iter().map(String::as_str));
    let layout = Layout::new(width, 24.0 * (rows + bars + 1.0), subtitle);
    let mut chart = Chart::new(x, y, &layout);
    for (row, &i) in order.iter().enumerate() {
        let y = row as f64;
        let guide = Style { colour: "#999999", dashes: "2 3" };
        chart.line(&[(1.0, y), (ranks[i], y)], guide, 1.0);
        chart.marker((ranks[i], y), Series::Algorithm(ranking.algorithms[i]), 4.5, 1.0);
    }
    let ink = Style::solid(INK);
    for (bar, clique) in cliques.into_iter().enumerate() {
        let of = || clique.iter().map(|&i| ranks[i]);
        let (low, high) = (of().fold(f64::MAX, f64::min), of().fold(f64::MIN, f64::max));
        let y = rows + bar as f64;
        chart.line(&[(low - 0.02, y), (high + 0.02, y)], ink, 6.0);
    }
    let y = rows + bars;
    let far = (1.0 + ranking.critical_difference).min(last);
    chart.line(&[(1.0, y), (far, y)], ink, 1.5);
    for end in [1.0, far] {
        chart.line(&[(end, y - 0.2), (end, y + 0.2)], ink, 1.5);
    }
    let (right, y) = chart.at((far, y));
    let text = format!("CD {:.2}", ranking.critical_difference);
    let (place, anchor) = if far < last {
        ((right + 6.0, y + 4.0), Anchor::Start)
    } else {
        ((right, y - 8.0), Anchor::End)
    };
    chart.text_at(place, &text, anchor);
    chart.finish()
}
