//! The work or time until a search covers as many goals as the best search.

use crate::stats::{Observation, Survival, holm, log_rank};
use crate::tidy::{Clock, Error, Results};

/// The work or time until runs of an algorithm on a project cover as many goals as the best run. A
/// run that ended early is assumed to have had nothing left to try.
#[derive(Clone, Debug, PartialEq)]
pub struct FullCoverage {
    /// Index into [`Results::projects`].
    pub project: usize,
    /// Index into [`Results::algorithms`].
    pub algorithm: usize,
    /// The Kaplan-Meier estimate.
    pub survival: Survival,
    /// P-value of the log-rank test against the first algorithm, with Holm's correction over all
    /// projects and algorithms.
    pub p: Option<f64>,
    /// The runs.
    pub runs: Vec<u32>,
    observations: Vec<Observation>,
}

impl FullCoverage {
    /// Returns a value for each project and algorithm with runs that have a coverage and a time on
    /// this clock.
    ///
    /// # Errors
    /// [`Error`] if the timeline cannot be read.
    pub fn all(results: &Results, clock: &Clock) -> Result<Vec<FullCoverage>, Error> {
        let mut most = vec![0; results.projects.len()];
        let mut longest = vec![0; results.projects.len()];
        for (number, run) in results.runs.iter().enumerate() {
            if run.coverage().is_some() {
                let spent = results.spent(number, clock).unwrap_or(0);
                let (most, longest) =
                    (&mut most[run.project as usize], &mut longest[run.project as usize]);
                (*most, *longest) = (run.covered.max(*most), spent.max(*longest));
            }
        }
        let mut reached: Vec<Option<u64>> = vec![None; results.runs.len()];
        for improvement in results.improvements(clock)? {
            let number = improvement.run as usize;
            let run = &results.runs[number];
            if improvement.covered >= most[run.project as usize] {
                let first = reached[number].map_or(improvement.at, |at| at.min(improvement.at));
                reached[number] = Some(first);
            }
        }
        let algorithms = results.algorithms.len();
        let mut groups = vec![(Vec::new(), Vec::new()); results.projects.len() * algorithms];
        for (number, run) in results.runs.iter().enumerate() {
            let Some(end) = run.coverage().and(results.spent(number, clock)) else { continue };
            let end =
                if ended_early(results, number) { longest[run.project as usize] } else { end };
            let time = reached[number].unwrap_or(end) as f64;
            let event = reached[number].is_some();
            let group = &mut groups[run.project as usize * algorithms + run.algorithm as usize];
            group.0.push(Observation { time, event });
            group.1.push(number as u32);
        }
        let groups = groups.into_iter().enumerate();
        let mut rows: Vec<FullCoverage> = groups
            .filter_map(|(group, (observations, runs))| {
                let survival = Survival::of(&observations).ok()?;
                let (project, algorithm) = (group / algorithms, group % algorithms);
                Some(FullCoverage { project, algorithm, survival, p: None, runs, observations })
            })
            .collect();
        compare(&mut rows);
        Ok(rows)
    }

    /// The Kaplan-Meier estimate of each algorithm over all projects, with times as shares of the
    /// longest observation on the project.
    pub fn pooled(rows: &[FullCoverage], algorithms: usize) -> Vec<Option<Survival>> {
        let end = |project: usize| {
            let of = rows.iter().filter(|row| row.project == project);
            let times = of.flat_map(|row| &row.observations).map(|o| o.time);
            times.fold(1.0, f64::max)
        };
        let pooled = (0..algorithms).map(|algorithm| {
            let of = rows.iter().filter(|row| row.algorithm == algorithm);
            let observations: Vec<Observation> = of
                .flat_map(|row| {
                    let end = end(row.project);
                    let share = move |o: &Observation| Observation { time: o.time / end, ..*o };
                    row.observations.iter().map(share)
                })
                .collect();
            Survival::of(&observations).ok()
        });
        pooled.collect()
    }
}

fn ended_early(results: &Results, number: usize) -> bool {
    let run = &results.runs[number];
    let budget = &results.budgets[run.algorithm as usize];
    let limited = !budget.work.is_empty() || budget.wall_ms.is_some();
    let mut limits = budget.work.iter().map(|(unit, limit)| {
        let unit = results.subject.units.iter().find(|known| known.name == *unit)?;
        Some((results.spent(number, &Clock::Work(unit.clone()))?, *limit))
    });
    let work = limits.all(|limit| limit.is_some_and(|(spent, limit)| spent < limit));
    let wall = budget.wall_ms.is_none_or(|limit| run.search_ms.is_some_and(|spent| spent < limit));
    limited && work && wall
}

fn compare(rows: &mut [FullCoverage]) {
    let mut tests = Vec::new();
    for (number, row) in rows.iter().enumerate().filter(|(_, row)| row.algorithm != 0) {
        let first = rows.iter().find(|other| other.project == row.project && other.algorithm == 0);
        let test = first.map(|first| log_rank(&row.observations, &first.observations));
        if let Some(Ok((_, p))) = test {
            tests.push((number, p));
        }
    }
    let values: Vec<f64> = tests.iter().map(|test| test.1).collect();
    for ((number, _), p) in tests.iter().zip(holm(&values).unwrap_or_default()) {
        rows[*number].p = Some(p);
    }
}
