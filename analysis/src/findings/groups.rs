//! The uncertainty of the main numbers of a study if projects of a group are similar.

use std::collections::BTreeMap;

use crate::comparison::{Comparison, LEVEL, MIN_SAMPLE, Samples, enough};
use crate::stats::{Bootstrap, Interval, Unavailable, mean};
use crate::tidy::{Error, Results};

/// A number of a study that is a mean over projects or a multiple of such a mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupedQuantity {
    /// Mean coverage of an algorithm, an index into [`Results::algorithms`].
    Coverage(usize),
    /// Mean A12 of the first algorithm against the second.
    A12(usize, usize),
    /// Core-hours of all runs, from processor time or, if it was not measured, from real time.
    CoreHours,
}

/// A number with an interval over projects and an interval over groups of projects.
#[derive(Clone, Debug, PartialEq)]
pub struct Grouped {
    /// The quantity.
    pub quantity: GroupedQuantity,
    /// The value of the quantity.
    pub value: f64,
    /// Number of projects.
    pub projects: usize,
    /// Number of groups. A project without a group is a separate group.
    pub groups: usize,
    /// Bootstrap interval over projects at level 1 - [`LEVEL`].
    pub by_projects: Result<Interval, Unavailable>,
    /// Bootstrap interval over groups at the same level, for which whole groups are drawn.
    pub by_groups: Result<Interval, Unavailable>,
}

/// The contribution of a group of projects to the numbers of a study.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupShare {
    /// The group.
    pub group: String,
    /// Number of projects of the group.
    pub projects: usize,
    /// Mean coverage over the projects of the group and all algorithms.
    pub coverage: Option<f64>,
    /// Core-hours of the runs.
    pub core_hours: Option<f64>,
    /// The runs on the projects of the group.
    pub runs: Vec<u32>,
}

impl Grouped {
    /// The ratio of the variance over groups to the variance over projects, from the widths of the
    /// intervals. The number of projects divided by this ratio is the effective sample size.
    pub fn design_effect(&self) -> Option<f64> {
        let width = |interval: Interval| interval.high - interval.low;
        let (projects, groups) = (width(self.by_projects.ok()?), width(self.by_groups.ok()?));
        (projects > 0.0).then(|| (groups / projects).powi(2))
    }

    /// The numbers of a study whose projects have groups.
    ///
    /// # Errors
    /// [`Error`] if the tables cannot be read.
    pub fn all(results: &Results, samples: &Samples) -> Result<Vec<Grouped>, Error> {
        if (0..results.projects.len()).all(|project| results.group(project).is_none()) {
            return Ok(Vec::new());
        }
        let one = |quantity, values: Vec<(usize, f64)>, scale: f64| {
            Grouped::new(results, quantity, &values, scale)
        };
        let mut all = Vec::new();
        for algorithm in 0..samples.algorithms() {
            let of = |project| mean(samples.values(project, algorithm).iter().copied());
            let values = (0..samples.projects()).filter_map(|p| Some((p, of(p)?))).collect();
            all.extend(one(GroupedQuantity::Coverage(algorithm), values, 1.0));
        }
        for pair in Comparison::pairs(samples) {
            let values = pair.per_project.iter().map(|found| (found.project, found.a12)).collect();
            all.extend(one(GroupedQuantity::A12(pair.first, pair.second), values, 1.0));
        }
        let hours: Vec<(usize, f64)> = hours_by_project(results)?.into_iter().collect();
        let projects = hours.len() as f64;
        all.extend(one(GroupedQuantity::CoreHours, hours, projects));
        Ok(all)
    }

    fn new(
        results: &Results,
        quantity: GroupedQuantity,
        values: &[(usize, f64)],
        scale: f64,
    ) -> Option<Grouped> {
        let value = mean(values.iter().map(|&(_, value)| value))?;
        let mut groups: BTreeMap<Result<&str, usize>, Vec<f64>> = BTreeMap::new();
        for &(project, value) in values {
            groups.entry(results.group(project).ok_or(project)).or_default().push(value);
        }
        let bootstrap = Bootstrap { level: 1.0 - LEVEL, ..Bootstrap::default() };
        let scaled = |interval: Interval| Interval {
            low: interval.low * scale,
            high: interval.high * scale,
        };
        let plain: Vec<f64> = values.iter().map(|&(_, value)| value).collect();
        let clusters: Vec<&[f64]> = groups.values().map(Vec::as_slice).collect();
        let by_projects = enough(plain.len()).and_then(|()| bootstrap.mean(&plain)).map(scaled);
        let by_groups =
            enough(clusters.len()).and_then(|()| bootstrap.mean_of_clusters(&clusters)).map(scaled);
        let (projects, groups) = (plain.len(), clusters.len());
        Some(Grouped { quantity, value: value * scale, projects, groups, by_projects, by_groups })
    }
}

impl GroupShare {
    /// The groups, by descending core-hours and then by name.
    ///
    /// # Errors
    /// [`Error`] if the tables cannot be read.
    pub fn all(results: &Results, samples: &Samples) -> Result<Vec<GroupShare>, Error> {
        let hours = hours_by_project(results)?;
        let mut groups: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for project in 0..results.projects.len() {
            if let Some(group) = results.group(project) {
                groups.entry(group).or_default().push(project);
            }
        }
        let coverage = |&project: &usize| {
            let algorithms = 0..samples.algorithms();
            mean(algorithms.filter_map(|a| mean(samples.values(project, a).iter().copied())))
        };
        let mut runs: Vec<Vec<u32>> = vec![Vec::new(); results.projects.len()];
        for (number, run) in (0_u32..).zip(&results.runs) {
            runs[run.project as usize].push(number);
        }
        let one = |(group, projects): (&str, Vec<usize>)| GroupShare {
            group: group.to_owned(),
            projects: projects.len(),
            coverage: mean(projects.iter().filter_map(coverage)),
            core_hours: projects.iter().filter_map(|p| hours.get(p)).copied().reduce(|a, b| a + b),
            runs: projects.iter().flat_map(|project| &runs[*project]).copied().collect(),
        };
        let mut all: Vec<GroupShare> = groups.into_iter().map(one).collect();
        all.sort_by(|a, b| {
            let hours = |one: &GroupShare| one.core_hours.unwrap_or(0.0);
            hours(b).total_cmp(&hours(a)).then_with(|| a.group.cmp(&b.group))
        });
        Ok(all)
    }
}

fn hours_by_project(results: &Results) -> Result<BTreeMap<usize, f64>, Error> {
    let processor = results.processor_ms()?;
    let mut hours = BTreeMap::new();
    for (run, processor) in results.runs.iter().zip(processor) {
        if let Some(ms) = processor.or(run.wall_ms).or(run.search_ms) {
            *hours.entry(run.project as usize).or_default() += ms as f64 / 3_600_000.0;
        }
    }
    Ok(hours)
}

/// Minimum number of groups for which an interval is computed.
pub const MIN_GROUPS: usize = MIN_SAMPLE;
