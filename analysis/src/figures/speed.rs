//! Real time of units of work, and program time in relation to real time.

use super::{Distribution, Figure, Sample, by_algorithm, range, runs_of};
use crate::figure::{Axis, Series};
use crate::findings::{Machine, Speed};
use crate::tidy::{Results, Run};

/// Real time of a unit of work of the search, such as a test execution (Whisker paper, figure 22).
pub fn execution_times(results: &Results) -> Option<Figure> {
    let (unit, work) = results.subject.units.first().zip(results.work.first())?;
    let time = |(number, run): (usize, &Run)| {
        let units = work[number].filter(|&n| n > 0)?;
        Some(run.search_ms? as f64 / units as f64)
    };
    let samples = by_algorithm(results, |algorithm| {
        runs_of(results, algorithm).filter_map(time).filter(|&ms| ms > 0.0).collect()
    });
    let (low, high) = range(samples.iter().flat_map(|s| &s.values).copied())?;
    let scales = [(1.0, "Milliseconds", " ms"), (1e3, "Microseconds", " µs")];
    let nanoseconds = (1e6, "Nanoseconds", " ns");
    let (scale, words, symbol) =
        scales.into_iter().find(|(scale, ..)| high * scale >= 1.0).unwrap_or(nanoseconds);
    let scaled = |sample: Sample| {
        let values = sample.values.into_iter().map(|ms| ms * scale).collect();
        Sample { values, ..sample }
    };
    let samples: Vec<Sample> = samples.into_iter().map(scaled).collect();
    let noun = &unit.singular;
    Distribution {
        name: "execution-times",
        title: &format!("Time per {noun}"),
        axis: Axis::log(&format!("{words} per {noun}"), low * scale, high * scale),
        counted_as: "run",
        unit: symbol,
        about: &format!(
            "Mean real time per {noun} in each search, on a logarithmic scale. Searches of less \
             than a millisecond are left out."
        ),
    }
    .boxes(&samples)
}

/// Program time divided by real time (Whisker paper, figure 12).
pub fn acceleration(results: &Results, rows: &[Speed]) -> Option<Figure> {
    let samples = by_algorithm(results, |algorithm| positive(&rows[algorithm].factors));
    let (low, high) = range(samples.iter().flat_map(|s| &s.values).copied())?;
    Distribution {
        name: "acceleration",
        title: "Acceleration",
        axis: Axis::log("Program time / real time", low, high),
        counted_as: "run",
        unit: "",
        about: "Program time divided by the real time of each search, on a logarithmic scale. \
                Searches of less than a millisecond are left out.",
    }
    .boxes(&samples)
}

/// Program time divided by real time on each machine (Whisker paper, figure 12).
pub fn machines(machines: &[Machine]) -> Option<Figure> {
    let samples: Vec<Sample> = machines
        .iter()
        .enumerate()
        .map(|(series, machine)| Sample {
            series: Series::Other(series),
            label: machine.host.clone(),
            values: positive(&machine.factors),
        })
        .filter(|sample| !sample.values.is_empty())
        .collect();
    let (low, high) = range(samples.iter().flat_map(|s| &s.values).copied())?;
    if samples.len() < 2 {
        return None;
    }
    Distribution {
        name: "machines",
        title: "Acceleration by machine",
        axis: Axis::log("Program time / real time", low, high),
        counted_as: "run",
        unit: "",
        about: "Program time divided by the real time of each search, by machine, on a \
                logarithmic scale.",
    }
    .boxes(&samples)
}

fn positive(values: &[f64]) -> Vec<f64> {
    values.iter().copied().filter(|&v| v > 0.0).collect()
}
