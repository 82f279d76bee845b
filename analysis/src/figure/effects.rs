//! Effect sizes of many projects, from the smallest to the largest, with their intervals.

use super::chart::{Axis, Chart};
use crate::comparison::{Correction, Duel};

/// Projects that still get their name.
const NAMED: usize = 40;

/// Draws the duels of two algorithms; `names` are those of all projects.
pub(crate) fn draw(duels: &[Duel], names: &[&str], note: &str) -> String {
    let mut duels: Vec<&Duel> = duels.iter().collect();
    duels.sort_by(|a, b| a.a12.total_cmp(&b.a12).then(a.project.cmp(&b.project)));
    let effect = Axis::exact("A12", 0.0, 1.0);
    let many = duels.len() > NAMED;
    let legend = ["p < 0.05".to_owned(), "not significant".to_owned()];
    let mut chart = if many {
        let places = Axis::exact("Projects, by A12", 0.0, duels.len() as f64);
        Chart::new(places, effect, (520.0, 260.0), &legend, note)
    } else {
        let rows = duels.iter().map(|duel| names[duel.project]);
        let size = (380.0, 17.0 * duels.len().max(2) as f64);
        Chart::new(effect, Axis::names("", rows), size, &legend, note)
    };
    let turn = |place: f64, value: f64| if many { (place + 0.5, value) } else { (value, place) };
    let last = if many { duels.len() as f64 } else { duels.len() as f64 - 0.5 };
    chart.reference(turn(-0.5, 0.5), turn(last, 0.5));
    for (place, duel) in duels.iter().enumerate() {
        let place = place as f64;
        if let Ok(interval) = duel.interval {
            let (colour, width) = if many { ("#bbbbbb", 0.8) } else { ("#777777", 1.2) };
            let ends = [turn(place, interval.low), turn(place, interval.high)];
            chart.line(&ends, super::Style { colour, dashes: "" }, width);
        }
    }
    for (place, duel) in duels.iter().enumerate() {
        let significant = duel.significant(Correction::None);
        let radius = if many { 1.8 } else { 3.6 };
        chart.marker(turn(place as f64, duel.a12), 1, radius, if significant { 1.0 } else { 0.0 });
    }
    chart.legend(&legend, |chart, number, place| {
        chart.marker_key(1, place, if number == 0 { 1.0 } else { 0.0 });
    });
    chart.svg()
}
