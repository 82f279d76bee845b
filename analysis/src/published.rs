//! Compares published numbers with the corresponding numbers of results.
//!
//! A file of published numbers is CSV with the columns `place`, `quantity`, `configuration`,
//! `subject`, `value`, `unit` and `kind`; other columns are ignored. `configuration` contains the
//! label of a configuration, two labels separated by a comma, or the common beginning of the labels
//! of the two configurations of a factor. Rows with quantities other than the following are skipped:
//!
//! | quantity | number |
//! | --- | --- |
//! | `branch_coverage_mean`, `_median`, `_sd` | coverage of a configuration over all runs, in percent |
//! | `mean_gain_of_types` | difference of the means of the two configurations of a factor, in percentage points |
//! | `a12_pooled`, `p_pooled` | A12 or p-value of two configurations over all runs |
//! | `modules_significantly_better_than_dynamosa`, `_worse_than_` | projects on which a configuration is significantly better, or worse, than the reference |
//! | `a12_types` | A12 of two configurations on the project `subject` |
//! | `median_a12_types` | median A12 over the projects of the group `subject` |
//! | `modules_above_half`, `modules_equal_half`, `modules_below_half`, `mean_a12` | number of projects by A12, or mean A12, of two configurations |
//! | `projects_with_median_a12_above_half`, `median_a12_per_project_at_least` | number of groups with a median A12 above one half, or the smallest median A12 of a group |
//! | `pearson_r`, `pearson_p` | correlation of mean coverage and `lines` (place `figure4`) or `mccabe` (`figure5`); of mutation score and coverage (`figure8`) |

use std::cmp::Ordering;
use std::path::Path;

use serde::Deserialize;

use crate::comparison::{Comparison, Correction, ProjectComparison, Samples};
use crate::findings::{Configuration, FactorPair, Relation};
use crate::stats::{Correlation, Description, MannWhitney, pearson};
use crate::tidy::{Error, Results};

/// A published number.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct PublishedNumber {
    /// Table or figure, such as `table2`.
    pub place: String,
    /// Name of the quantity.
    pub quantity: String,
    /// Labels of configurations; empty if the number does not refer to any.
    pub configuration: String,
    /// What the number refers to, such as a project.
    pub subject: String,
    /// The number, or a word such as `n.s.`.
    pub value: String,
    /// The unit of the number.
    pub unit: String,
    /// `published`, or `derived` if computed from published numbers.
    pub kind: String,
}

/// A published number, with the corresponding number of the results.
#[derive(Clone, Debug, PartialEq)]
pub struct Reproduced {
    /// The published number.
    pub published: PublishedNumber,
    /// The corresponding number of the results, in the unit of the published number.
    pub ours: f64,
    /// Runs from which the number was computed, as indices into [`Results::runs`].
    pub runs: Vec<u32>,
}

/// Reads a file of published numbers.
///
/// # Errors
/// [`Error`] if the file cannot be read or is malformed.
pub fn read(file: &Path) -> Result<Vec<PublishedNumber>, Error> {
    let error = |cause| Error::Description { path: file.to_owned(), cause };
    let mut table = csv::Reader::from_path(file).map_err(error)?;
    table.deserialize().map(|row| row.map_err(error)).collect()
}

/// Returns the published numbers with corresponding numbers of the results. `reference` is the
/// configuration with which others are compared.
///
/// # Errors
/// [`Error`] if the tables cannot be read.
pub fn reproduce(
    results: &Results,
    samples: &Samples,
    pairs: &[FactorPair],
    reference: Option<usize>,
    published: &[PublishedNumber],
) -> Result<Vec<Reproduced>, Error> {
    let measures = results.measures(&["lines", "mccabe", "mutation_score"])?;
    let ours = Ours { results, samples, pairs, reference, measures };
    let found = published.iter().filter_map(|published| {
        let (ours, runs) = ours.number(published)?;
        Some(Reproduced { published: published.clone(), ours, runs })
    });
    Ok(found.collect())
}

struct Ours<'a> {
    results: &'a Results,
    samples: &'a Samples,
    pairs: &'a [FactorPair],
    reference: Option<usize>,
    measures: Vec<Vec<Option<f64>>>,
}

type Number = Option<(f64, Vec<u32>)>;

impl Ours<'_> {
    fn number(&self, published: &PublishedNumber) -> Number {
        let PublishedNumber { place, quantity, configuration, subject, .. } = published;
        match quantity.as_str() {
            "branch_coverage_mean" => self.coverage(configuration, |c| Some(c.mean)),
            "branch_coverage_median" => self.coverage(configuration, |c| Some(c.median)),
            "branch_coverage_sd" => self.coverage(configuration, |c| c.deviation),
            "mean_gain_of_types" => {
                let pair = self.pair(configuration)?;
                Some((pair.gain? * 100.0, self.runs_of(pair)))
            }
            "a12_pooled" => self.pooled(configuration, |test| test.a12()),
            "p_pooled" => self.pooled(configuration, |test| test.p().value),
            "modules_significantly_better_than_dynamosa" => {
                self.against_reference(configuration, |counts| counts.significantly_better)
            }
            "modules_significantly_worse_than_dynamosa" => {
                self.against_reference(configuration, |counts| counts.significantly_worse)
            }
            "a12_types" => {
                let pair = self.pair(configuration)?;
                let is = |project: &&ProjectComparison| {
                    self.results.projects[project.project].name == *subject
                };
                let project = pair.comparison.per_project.iter().find(is)?;
                let runs = [pair.first, pair.second]
                    .map(|algorithm| self.samples.runs(project.project, algorithm));
                Some((project.a12, runs.concat()))
            }
            "mean_a12" => {
                let pair = self.pair(configuration)?;
                Some((pair.comparison.mean_a12()?, self.runs_of(pair)))
            }
            "modules_above_half" => self.modules(configuration, Ordering::Greater),
            "modules_equal_half" => self.modules(configuration, Ordering::Equal),
            "modules_below_half" => self.modules(configuration, Ordering::Less),
            "median_a12_types" => {
                let groups = self.pair(configuration)?.groups(self.results, self.samples);
                let group = groups.into_iter().find(|group| group.group == *subject)?;
                Some((group.median()?, group.runs))
            }
            "projects_with_median_a12_above_half" => self.groups(configuration, |medians| {
                medians.iter().filter(|median| **median > 0.5).count() as f64
            }),
            "median_a12_per_project_at_least" => self.groups(configuration, |medians| {
                medians.iter().copied().fold(f64::INFINITY, f64::min)
            }),
            "pearson_r" => self.correlation(place, configuration, |c| c.r),
            "pearson_p" => self.correlation(place, configuration, |c| c.p.value),
            _ => None,
        }
    }

    fn algorithm(&self, label: &str) -> Option<usize> {
        self.results.algorithms.iter().position(|known| known == label)
    }

    fn pair(&self, configuration: &str) -> Option<&FactorPair> {
        let labels: Vec<_> = configuration.split(',').map(str::trim).collect();
        let is = |pair: &&FactorPair| match labels[..] {
            [algorithm] => pair.algorithm == algorithm,
            [first, second] => {
                self.algorithm(first) == Some(pair.first)
                    && self.algorithm(second) == Some(pair.second)
            }
            _ => false,
        };
        self.pairs.iter().find(is)
    }

    fn runs_of(&self, pair: &FactorPair) -> Vec<u32> {
        pair.comparison.runs(self.samples, |_| true).collect()
    }

    fn coverage(&self, label: &str, of: impl Fn(&Description) -> Option<f64>) -> Number {
        let algorithm = self.algorithm(label)?;
        let Configuration { coverage, runs, .. } =
            Configuration::all(self.samples).swap_remove(algorithm);
        Some((of(&coverage.ok()?)? * 100.0, runs))
    }

    fn pooled(&self, labels: &str, of: impl Fn(&MannWhitney) -> f64) -> Number {
        let (first, second) = labels.split_once(',')?;
        let [first, second] = [self.algorithm(first.trim())?, self.algorithm(second.trim())?];
        let [(x, mut runs), (y, more)] = [first, second].map(|one| self.samples.pooled(one));
        runs.extend(more);
        Some((of(&MannWhitney::new(&x, &y).ok()?), runs))
    }

    fn against_reference(
        &self,
        label: &str,
        of: impl Fn(&crate::comparison::Counts) -> usize,
    ) -> Number {
        let comparison = Comparison::new(self.samples, self.algorithm(label)?, self.reference?);
        let runs = comparison.runs(self.samples, |_| true).collect();
        Some((of(&comparison.counts(Correction::None)) as f64, runs))
    }

    fn modules(&self, configuration: &str, ordering: Ordering) -> Number {
        let pair = self.pair(configuration)?;
        let is = |project: &ProjectComparison| project.ordering() == ordering;
        let count = pair.comparison.per_project.iter().filter(|project| is(project)).count();
        Some((count as f64, pair.comparison.runs(self.samples, is).collect()))
    }

    fn groups(&self, configuration: &str, of: impl Fn(&[f64]) -> f64) -> Number {
        let pair = self.pair(configuration)?;
        let groups = pair.groups(self.results, self.samples);
        let medians: Vec<f64> = groups.iter().filter_map(|group| group.median()).collect();
        (!medians.is_empty()).then(|| (of(&medians), self.runs_of(pair)))
    }

    fn correlation(&self, place: &str, label: &str, of: impl Fn(&Correlation) -> f64) -> Number {
        let algorithm = self.algorithm(label)?;
        let relation = |measure: usize| {
            let rows = Relation::all(self.samples, &self.measures[measure]);
            let row = rows.into_iter().nth(algorithm)?;
            Some((of(&row.pearson.ok()?), row.runs))
        };
        match place {
            "figure4" => relation(0),
            "figure5" => relation(1),
            "figure8" => {
                let (coverage, runs) = self.samples.pooled(algorithm);
                let scored = coverage.into_iter().zip(runs);
                let scored = scored.filter_map(|(coverage, run)| {
                    Some((coverage, self.measures[2][run as usize]?, run))
                });
                let scored: Vec<(f64, f64, u32)> = scored.collect();
                let x: Vec<f64> = scored.iter().map(|one| one.0).collect();
                let y: Vec<f64> = scored.iter().map(|one| one.1).collect();
                Some((of(&pearson(&x, &y).ok()?), scored.into_iter().map(|one| one.2).collect()))
            }
            _ => None,
        }
    }
}
