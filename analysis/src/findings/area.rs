//! The area under the curve of coverage over time.

use crate::tidy::{Clock, Error, Results};

/// The area of each run, in 0..=1: the mean coverage over the time, on `clock`, of the longest
/// search on the project. A run that ended earlier keeps its last coverage.
///
/// # Errors
/// [`Error`] if the timeline cannot be read.
pub fn areas(results: &Results, clock: &Clock) -> Result<Vec<Option<f64>>, Error> {
    let mut ends = vec![0_u64; results.projects.len()];
    for (number, run) in results.runs.iter().enumerate() {
        if let Some(spent) = results.spent(number, clock).filter(|_| run.coverage().is_some()) {
            let end = &mut ends[run.project as usize];
            *end = (*end).max(spent);
        }
    }
    // Each goal adds the time from its first coverage to the end.
    let mut sums = vec![0_f64; results.runs.len()];
    let mut before = vec![0_u32; results.runs.len()];
    let mut improvements = results.improvements(clock)?;
    improvements.sort_by_key(|one| (one.run, one.at, one.covered));
    for one in improvements {
        let number = one.run as usize;
        let end = ends[results.runs[number].project as usize];
        let more = one.covered.saturating_sub(before[number]);
        sums[number] += f64::from(more) * end.saturating_sub(one.at) as f64;
        before[number] = before[number].max(one.covered);
    }
    let area = |(number, run): (usize, &crate::tidy::Run)| {
        run.coverage()?;
        results.spent(number, clock)?;
        let end = ends[run.project as usize];
        (end > 0).then(|| sums[number] / (f64::from(run.goals) * end as f64))
    };
    Ok(results.runs.iter().enumerate().map(area).collect())
}
