//! Factors: parameters in which configurations differ, such as the use of type hints by a tool
//! (Pynguin paper, RQ2).

use std::collections::BTreeMap;

use catherd_experiments::{Algorithm, Parameter};

use crate::comparison::{Comparison, Samples};
use crate::stats::{Description, MannWhitney, PValue, mean};
use crate::tidy::{Error, Results};

/// Two configurations of the same algorithm that differ only in a factor.
#[derive(Clone, Debug)]
pub struct FactorPair {
    /// The common beginning of both labels, which names the algorithm.
    pub algorithm: String,
    /// The configuration that comes first in the study, as an index into [`Results::algorithms`].
    pub first: usize,
    /// The other configuration, as an index into [`Results::algorithms`].
    pub second: usize,
    /// The values of the factor in both configurations.
    pub values: [String; 2],
    /// Mean coverage over all runs of the first configuration minus mean coverage over all runs of
    /// the second, in -1..=1.
    pub gain: Option<f64>,
    /// Effect size A12 over all runs, and its p-value.
    pub pooled: Option<(f64, PValue)>,
    /// The comparison by project.
    pub comparison: Comparison,
}

impl FactorPair {
    /// The pairs of a factor, in the order of the study. Imported results have no plan, so their
    /// labels, such as `DYNAMOSA-TypeHints`, are split into algorithm and value.
    ///
    /// # Errors
    /// [`Error`] if the plans cannot be read.
    pub fn all(
        results: &Results,
        samples: &Samples,
        factor: &str,
    ) -> Result<Vec<FactorPair>, Error> {
        let configurations = results.configurations()?.into_iter().zip(&results.algorithms);
        let configurations: Vec<Option<Algorithm>> = configurations
            .map(|(known, label)| known.or_else(|| of_label(label, factor)))
            .collect();
        let rest = |parameters: &BTreeMap<String, Parameter>| {
            let mut rest = parameters.clone();
            (rest.remove(factor), rest)
        };
        let mut pairs = Vec::new();
        for first in 0..configurations.len() {
            for second in first + 1..configurations.len() {
                let (Some(one), Some(other)) = (&configurations[first], &configurations[second])
                else {
                    continue;
                };
                let (value, own) = rest(&one.parameters);
                let (other_value, others) = rest(&other.parameters);
                if one.name == other.name && own == others && value != other_value {
                    let values = [value, other_value];
                    pairs.push(FactorPair::new(results, samples, (first, second), values));
                }
            }
        }
        Ok(pairs)
    }

    fn new(
        results: &Results,
        samples: &Samples,
        (first, second): (usize, usize),
        values: [Option<Parameter>; 2],
    ) -> FactorPair {
        let pools = [first, second].map(|algorithm| samples.pooled(algorithm).0);
        let means = pools.each_ref().map(|values| mean(values.iter().copied()));
        let test = MannWhitney::new(&pools[0], &pools[1]).ok();
        let words = |value: Option<Parameter>| match value {
            None => "default".to_owned(),
            Some(Parameter::Text(text)) => text,
            Some(other) => serde_json::to_string(&other).unwrap_or_default(),
        };
        FactorPair {
            algorithm: common_beginning(&results.algorithms[first], &results.algorithms[second]),
            first,
            second,
            values: values.map(words),
            gain: means[0].zip(means[1]).map(|(one, other)| one - other),
            pooled: test.map(|test| (test.a12(), test.p())),
            comparison: Comparison::new(samples, first, second),
        }
    }

    /// The effect sizes of the projects of each group, in the order of the groups' names.
    pub fn groups(&self, results: &Results, samples: &Samples) -> Vec<GroupEffect> {
        let mut groups: BTreeMap<&str, GroupEffect> = BTreeMap::new();
        for project in &self.comparison.per_project {
            let Some(group) = results.group(project.project) else { continue };
            let of = groups.entry(group).or_insert_with(|| GroupEffect {
                group: group.to_owned(),
                effects: Vec::new(),
                runs: Vec::new(),
            });
            of.effects.push(project.a12);
            for algorithm in [self.first, self.second] {
                of.runs.extend_from_slice(samples.runs(project.project, algorithm));
            }
        }
        groups.into_values().collect()
    }
}

/// Effect sizes of the projects of a group (Pynguin paper, figure 6).
#[derive(Clone, Debug, PartialEq)]
pub struct GroupEffect {
    /// The group.
    pub group: String,
    /// A12 on each project of the group.
    pub effects: Vec<f64>,
    /// The runs from which the effect sizes were computed.
    pub runs: Vec<u32>,
}

impl GroupEffect {
    /// The median of the effect sizes.
    pub fn median(&self) -> Option<f64> {
        Description::of(&self.effects).ok().map(|description| description.median)
    }
}

/// The configuration of imported results, whose label consists of an algorithm and a value of the
/// factor, such as `DYNAMOSA-TypeHints`.
fn of_label(label: &str, factor: &str) -> Option<Algorithm> {
    let (name, value) = label.rsplit_once('-').filter(|(name, _)| !name.is_empty())?;
    let parameters = BTreeMap::from([(factor.to_owned(), Parameter::Text(value.to_owned()))]);
    Some(Algorithm { label: label.to_owned(), name: name.to_owned(), parameters })
}

fn common_beginning(one: &str, other: &str) -> String {
    let same = one.chars().zip(other.chars()).take_while(|(a, b)| a == b);
    let common: String = same.map(|(c, _)| c).collect();
    let end = common.rfind(['-', '[', '(', ' ']).unwrap_or(common.len());
    let common = common[..end].trim();
    if common.is_empty() { one.to_owned() } else { common.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_a_pair_begin_with_the_algorithm() {
        for (one, other, common) in [
            ("DYNAMOSA-TypeHints", "DYNAMOSA-NoTypes", "DYNAMOSA"),
            ("mio[types=hints]", "mio[types=none]", "mio"),
            ("mosa (a)", "mosa (b)", "mosa"),
            ("a", "b", "a"),
        ] {
            assert_eq!(common_beginning(one, other), common);
        }
    }
}
