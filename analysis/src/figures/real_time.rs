//! Speed of runs over the time of the study.

use super::{Figure, sample_size};
use crate::figure::scatter::{self, Annotations, PointSet};
use crate::figure::{Axis, Series};
use crate::findings::RealTime;
use crate::tidy::Results;

const MAX_PLACES: usize = 8;

/// The speed of each run over the time of the study.
pub fn real_time(_: &Results, found: &RealTime) -> Option<Figure> {
    let timed: Vec<(f64, f64, usize)> =
        found.speeds.iter().filter_map(|one| Some((one.1?, one.2, one.3))).collect();
    let end = timed.iter().map(|point| point.0).fold(0.0, f64::max);
    let (unit, name) = match end {
        end if end < 600.0 => (1.0, "s"),
        end if end < 36_000.0 => (60.0, "min"),
        _ => (3600.0, "h"),
    };
    let low = timed.iter().map(|point| point.1).fold(1.0, f64::min);
    let high = timed.iter().map(|point| point.1).fold(1.0, f64::max);
    let several = (2..=MAX_PLACES).contains(&found.places.len());
    let set = |number: usize, label: &str| PointSet {
        label: label.to_owned(),
        series: Series::Other(number),
        filled: true,
        points: timed
            .iter()
            .filter(|point| !several || point.2 == number)
            .map(|point| (point.0 / unit, 100.0 * (point.1 - 1.0)))
            .collect(),
    };
    let sets: Vec<PointSet> = match several {
        true => found.places.iter().enumerate().map(|(at, place)| set(at, &place.name)).collect(),
        false => vec![set(0, "")],
    };
    if timed.len() < 2 {
        return None;
    }
    let x = Axis::exact(&format!("Start of the run ({name})"), 0.0, (end / unit).max(0.001));
    let y = Axis::round(
        "Speed, difference from the mean (%)",
        100.0 * (low - 1.0),
        100.0 * (high - 1.0),
    );
    let lines = Annotations {
        lines: vec![(Series::Other(1), [(0.0, 0.0), (end / unit, 0.0)])],
        ..Annotations::default()
    };
    Some(Figure {
        name: "real-time".to_owned(),
        title: "Speed over the time of the study".to_owned(),
        caption: format!(
            "Speed of each run ({}) against the geometric mean of the runs of its project and algorithm, by the \
             time of its start. {}",
            found.response,
            found.sentence()
        ),
        svg: scatter::draw(x, y, &sets, &lines, &sample_size(timed.len(), "run")),
    })
}
