//! Stability of risk estimates: variances by number of executed tests, from the metrics
//! `risk.variance.STATISTIC.TESTS` (Elyasaf et al., figure 4).

use std::collections::BTreeMap;

use crate::stats::mean;
use crate::tidy::{Error, Results};

const VARIANCE: &str = "risk.variance.";

/// The largest variance, the median and the 90th percentile of the variances, each as the mean over
/// runs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Variances {
    /// Number of executed tests.
    pub tests: u64,
    /// The largest variance.
    pub largest: f64,
    /// The median.
    pub median: Option<f64>,
    /// The 90th percentile.
    pub p90: Option<f64>,
}

/// The variances of the estimates of an algorithm on a project.
#[derive(Clone, Debug, PartialEq)]
pub struct RiskStability {
    /// Index into [`Results::projects`].
    pub project: usize,
    /// Index into [`Results::algorithms`].
    pub algorithm: usize,
    /// Variances by number of tests, in ascending order.
    pub variances: Vec<Variances>,
    /// Mean number of items whose variances are included.
    pub kept: Option<f64>,
    /// The runs.
    pub runs: Vec<u32>,
}

impl RiskStability {
    /// Returns a value for each project and algorithm with runs that estimate risk.
    ///
    /// # Errors
    /// [`Error`] if the tables cannot be read.
    pub fn all(results: &Results) -> Result<Vec<RiskStability>, Error> {
        let metrics = results.metrics(|name| name.starts_with(VARIANCE) || name == "risk.kept")?;
        let mut cells: BTreeMap<(usize, usize), Vec<u32>> = BTreeMap::new();
        let estimates = |run: u32| {
            metrics
                .iter()
                .any(|(name, values)| name.starts_with(VARIANCE) && values[run as usize].is_some())
        };
        for (number, run) in (0_u32..).zip(&results.runs).filter(|(number, _)| estimates(*number)) {
            cells.entry((run.project as usize, run.algorithm as usize)).or_default().push(number);
        }
        let all = cells.into_iter().map(|((project, algorithm), runs)| {
            let of = |name: &str| {
                let values = metrics.get(name)?;
                let values: Option<Vec<f64>> =
                    runs.iter().map(|&run| values[run as usize]).collect();
                mean(values?)
            };
            let largest = format!("{VARIANCE}max.");
            let counts =
                metrics.keys().filter_map(|name| name.strip_prefix(&largest)?.parse().ok());
            let mut variances: Vec<Variances> = counts
                .filter_map(|tests: u64| {
                    Some(Variances {
                        tests,
                        largest: of(&format!("{largest}{tests}"))?,
                        median: of(&format!("{VARIANCE}median.{tests}")),
                        p90: of(&format!("{VARIANCE}p90.{tests}")),
                    })
                })
                .collect();
            variances.sort_by_key(|one| one.tests);
            RiskStability { project, algorithm, variances, kept: of("risk.kept"), runs }
        });
        Ok(all.collect())
    }
}
