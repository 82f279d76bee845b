//! Compares a version of a tool with earlier versions.

use std::collections::HashMap;

use crate::comparison::{LEVEL, Samples, enough};
use crate::stats::{Interval, Unavailable, mean, t_interval};
use crate::tidy::Results;

use super::decision::MARGIN;

/// An algorithm in a new study compared with the same algorithm in an old study, on the projects of
/// both studies.
#[derive(Clone, Debug, PartialEq)]
pub struct VersionChange {
    /// The name of the old study.
    pub version: String,
    /// The label of the algorithm in both studies.
    pub algorithm: String,
    /// Number of projects on which both studies have runs of the algorithm.
    pub projects: usize,
    /// Mean over these projects of the mean coverage of the old runs, in 0..=1.
    pub old: f64,
    /// Mean over these projects of the mean coverage of the new runs, in 0..=1.
    pub new: f64,
    /// Interval of the mean difference, new minus old, at level 1 - [`LEVEL`], from Student's t
    /// distribution over projects.
    pub interval: Result<Interval, Unavailable>,
    /// Half the width of the same interval for the odd runs against the even runs of the old study,
    /// which differ only by chance.
    pub noise: Option<f64>,
    /// The runs of the new study, as indices into [`Results::runs`].
    pub runs: Vec<u32>,
}

/// The result of a comparison with an earlier version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// The new version covers more, and the difference exceeds the tolerance.
    Better,
    /// The difference does not exceed the tolerance.
    Same,
    /// The new version covers less, and the difference exceeds the tolerance.
    Worse,
}

impl Change {
    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Change::Better => "better",
            Change::Same => "no change",
            Change::Worse => "worse",
        }
    }
}

impl VersionChange {
    /// Compares each algorithm whose label is in both studies, on the projects of both.
    pub fn all(version: &str, old: &Results, new: &Results) -> Vec<VersionChange> {
        let (before, after) = (Samples::coverage(old), Samples::coverage(new));
        let key = |results: &Results, project: usize| {
            let one = &results.projects[project];
            if one.digest.is_empty() { one.name.clone() } else { one.digest.clone() }
        };
        let places: HashMap<String, usize> =
            (0..old.projects.len()).map(|project| (key(old, project), project)).collect();
        let pairs: Vec<(usize, usize)> = (0..new.projects.len())
            .filter_map(|project| Some((*places.get(&key(new, project))?, project)))
            .collect();
        let one = |(now, label): (usize, &String)| {
            let then = old.algorithms.iter().position(|known| known == label)?;
            VersionChange::new(version, label, &pairs, (&before, then), (&after, now))
        };
        new.algorithms.iter().enumerate().filter_map(one).collect()
    }

    fn new(
        version: &str,
        label: &str,
        pairs: &[(usize, usize)],
        (before, then): (&Samples, usize),
        (after, now): (&Samples, usize),
    ) -> Option<VersionChange> {
        let centre = |values: &[f64]| mean(values.iter().copied());
        let (mut old, mut new, mut halves) = (Vec::new(), Vec::new(), Vec::new());
        let mut runs = Vec::new();
        for &(past, present) in pairs {
            let earlier = before.values(past, then);
            let Some((one, other)) = centre(earlier).zip(centre(after.values(present, now))) else {
                continue;
            };
            old.push(one);
            new.push(other);
            runs.extend_from_slice(after.runs(present, now));
            let half = |from: usize| mean(earlier.iter().skip(from).step_by(2).copied());
            halves.extend(half(0).zip(half(1)).map(|(odd, even)| odd - even));
        }
        let differences: Vec<f64> = old.iter().zip(&new).map(|(old, new)| new - old).collect();
        let interval = |values: &[f64]| {
            enough(values.len()).and_then(|()| t_interval(values, 1.0 - LEVEL)).map(|found| found.1)
        };
        Some(VersionChange {
            version: version.to_owned(),
            algorithm: label.to_owned(),
            projects: old.len(),
            old: centre(&old)?,
            new: centre(&new)?,
            interval: interval(&differences),
            noise: interval(&halves).ok().map(|found| (found.high - found.low) / 2.0),
            runs,
        })
    }

    /// The size up to which a difference does not count: the noise of the old study, but at least
    /// [`MARGIN`].
    pub fn tolerance(&self) -> f64 {
        self.noise.unwrap_or(0.0).max(MARGIN)
    }

    /// Whether the new version is better or worse than the old version by more than the tolerance.
    pub fn change(&self) -> Change {
        match self.new - self.old {
            difference if difference < -self.tolerance() => Change::Worse,
            difference if difference > self.tolerance() => Change::Better,
            _ => Change::Same,
        }
    }
}
