//! Detection: the share of suites that detect a known fault, from the metrics `detected.FAULT.RULE`
//! (Elyasaf et al., Table III).

use std::collections::BTreeMap;

use crate::stats::{Contingency, Interval, holm};
use crate::tidy::{Error, Results};

/// A metric with this beginning is 1 if the suite of the run detects the fault by the rule, and 0
/// otherwise.
const DETECTED: &str = "detected.";

/// Project, rule, fault and algorithm.
type Key = (usize, String, String, usize);

/// The frequency with which the suites of an algorithm detect a fault of a project.
#[derive(Clone, Debug, PartialEq)]
pub struct Detection {
    /// Index into [`Results::projects`].
    pub project: usize,
    /// Name of the fault.
    pub fault: String,
    /// The rule by which a suite detects the fault, such as `trigger`.
    pub rule: String,
    /// Index into [`Results::algorithms`].
    pub algorithm: usize,
    /// Number of runs whose suite detects the fault.
    pub detecting: usize,
    /// The runs that have this metric.
    pub runs: Vec<u32>,
    /// Wilson interval of the share at level 0.95.
    pub interval: Option<Interval>,
    /// P-value of Fisher's exact test against the first algorithm whose runs have the metric;
    /// `None` for that algorithm.
    pub p: Option<f64>,
    /// The p-value with Holm's correction over the faults of all projects, for the same algorithm
    /// and rule.
    pub adjusted: Option<f64>,
}

impl Detection {
    /// Returns a value for each project, rule, fault and algorithm, in this order.
    ///
    /// # Errors
    /// [`Error`] if the tables cannot be read.
    pub fn all(results: &Results) -> Result<Vec<Detection>, Error> {
        let metrics = results.metrics(|name| name.starts_with(DETECTED))?;
        let mut cells: BTreeMap<Key, (usize, Vec<u32>)> = BTreeMap::new();
        for (name, values) in metrics {
            let Some((fault, rule)) = name[DETECTED.len()..].rsplit_once('.') else { continue };
            for (number, (run, value)) in (0_u32..).zip(results.runs.iter().zip(values)) {
                let Some(value) = value else { continue };
                let (project, algorithm) = (run.project as usize, run.algorithm as usize);
                let key = (project, rule.to_owned(), fault.to_owned(), algorithm);
                let cell = cells.entry(key).or_default();
                cell.0 += usize::from(value > 0.0);
                cell.1.push(number);
            }
        }
        let mut all: Vec<Detection> = Vec::new();
        for ((project, rule, fault, algorithm), (detecting, runs)) in cells {
            let first = all.iter().rev().take_while(|other| {
                (other.project, &other.rule, &other.fault) == (project, &rule, &fault)
            });
            let counts =
                |detecting: usize, runs: usize| [detecting as u64, (runs - detecting) as u64];
            let p = first.last().and_then(|first| {
                let first = counts(first.detecting, first.runs.len());
                let table = Contingency::new([counts(detecting, runs.len()), first]).ok()?;
                Some(table.fisher().value)
            });
            let interval = Contingency::wilson(detecting as u64, runs.len() as u64, 0.95);
            all.push(Detection {
                project,
                fault,
                rule,
                algorithm,
                detecting,
                runs,
                interval,
                p,
                adjusted: None,
            });
        }
        adjust(&mut all);
        Ok(all)
    }

    /// The share of runs whose suite detects the fault, in 0..=1.
    pub fn share(&self) -> f64 {
        self.detecting as f64 / self.runs.len() as f64
    }
}

fn adjust(all: &mut [Detection]) {
    let mut families: BTreeMap<(usize, String), Vec<usize>> = BTreeMap::new();
    for (number, one) in all.iter().enumerate().filter(|(_, one)| one.p.is_some()) {
        families.entry((one.algorithm, one.rule.clone())).or_default().push(number);
    }
    for members in families.into_values() {
        let values: Vec<f64> = members.iter().filter_map(|&number| all[number].p).collect();
        let Ok(adjusted) = holm(&values) else { continue };
        for (number, adjusted) in members.into_iter().zip(adjusted) {
            all[number].adjusted = Some(adjusted);
        }
    }
}
