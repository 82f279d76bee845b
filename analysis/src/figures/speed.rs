//! Time.

use super::{Figure, algorithm_boxes, by_algorithm};
use crate::figure::chart::Axis;
use crate::findings::{Machine, Speed};
use crate::tidy::{Results, Run};

/// Real time of a test execution (Whisker paper, figure 22).
pub fn execution_times(results: &Results) -> Option<Figure> {
    let of = |algorithm: usize| {
        let own = results.runs.iter().enumerate();
        let own = own.filter(|(_, run)| run.algorithm as usize == algorithm);
        let time = |(number, run): (usize, &Run)| {
            let executions = results.work.first()?[number].filter(|&n| n > 0)?;
            Some(run.search_ms? as f64 / executions as f64)
        };
        own.filter_map(time).filter(|&ms| ms > 0.0).collect()
    };
    let values = by_algorithm(results, of);
    let all = || values.iter().flat_map(|v| &v.2).copied();
    let (low, high) = all().fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(v), h.max(v)));
    if values.is_empty() {
        return None;
    }
    let axis = Axis::log("ms an execution", low, high);
    let about = "Mean real time of a test execution in each search, on a logarithmic scale; \
                 searches of less than a millisecond are left out.";
    algorithm_boxes("execution-times", "Test execution time", axis, &values, ("run", " ms"), about)
}

/// Program time over real time (Whisker paper, figure 12).
pub fn acceleration(results: &Results, rows: &[Speed]) -> Option<Figure> {
    let values = by_algorithm(results, |algorithm| {
        rows[algorithm].factors.iter().copied().filter(|&f| f > 0.0).collect()
    });
    let all = || values.iter().flat_map(|v| &v.2).copied();
    let (low, high) = all().fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(v), h.max(v)));
    if values.is_empty() {
        return None;
    }
    let axis = Axis::log("Times as fast as Scratch", low, high);
    let about = "Program time over real time of each search, on a logarithmic scale; searches of \
                 less than a millisecond are left out.";
    algorithm_boxes("acceleration", "Acceleration", axis, &values, ("run", ""), about)
}

/// Program time over real time on each machine (Whisker paper, figure 12); none for one alone.
pub fn machines(machines: &[Machine]) -> Option<Figure> {
    let values: Vec<(usize, String, Vec<f64>)> = machines
        .iter()
        .enumerate()
        .map(|(number, machine)| {
            let factors = machine.factors.iter().copied().filter(|&f| f > 0.0).collect();
            (number, machine.host.clone(), factors)
        })
        .filter(|sample: &(usize, String, Vec<f64>)| !sample.2.is_empty())
        .collect();
    let all = || values.iter().flat_map(|v| &v.2).copied();
    let (low, high) = all().fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(v), h.max(v)));
    if values.len() < 2 {
        return None;
    }
    let axis = Axis::log("Times as fast as Scratch", low, high);
    let about = "Program time over real time of each search by machine, on a logarithmic scale.";
    algorithm_boxes("machines", "Acceleration by machine", axis, &values, ("run", ""), about)
}
