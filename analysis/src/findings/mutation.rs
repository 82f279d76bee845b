//! How many mutants the suites notice (Whisker paper, RQ4 and figure 29; Pynguin paper,
//! figures 7 and 8).

use crate::stats::{Description, Unavailable};
use crate::tidy::{Error, Mutants, Results};

/// The mutants of some runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Kills {
    /// Index into [`Results::algorithms`].
    pub algorithm: usize,
    /// Index into [`Mutation::operators`]; none: of all operators together.
    pub operator: Option<usize>,
    /// Mutants of all runs.
    pub mutants: usize,
    /// Those that a suite noticed.
    pub killed: usize,
    /// The share of each run that has such mutants, in 0..=1.
    pub scores: Vec<f64>,
    /// [`Kills::scores`] in a few numbers.
    pub score: Result<Description, Unavailable>,
    /// The runs behind the scores, in their order.
    pub runs: Vec<u32>,
}

/// The mutation analysis of a study.
#[derive(Clone, Debug, PartialEq)]
pub struct Mutation {
    /// Names of the operators, in the order of the tables.
    pub operators: Vec<String>,
    /// By algorithm; of each the whole first, then its operators.
    pub kills: Vec<Kills>,
    /// For each run: the share of its tests that fail on the unchanged project, and are left
    /// out, in 0..=1; none if that is not known.
    pub false_positives: Vec<Option<f64>>,
}

impl Mutation {
    /// Counts the mutants; none if the study has none.
    ///
    /// # Errors
    /// [`Error`] if the tables cannot be read.
    pub fn new(results: &Results) -> Result<Option<Mutation>, Error> {
        let Mutants { operators, mutants } = results.mutants()?;
        if mutants.is_empty() {
            return Ok(None);
        }
        // Of each run: (killed, all) for each operator.
        let mut counts = vec![Vec::new(); results.runs.len()];
        for mutant in &mutants {
            let of: &mut Vec<(usize, usize)> = &mut counts[mutant.run as usize];
            of.resize(operators.len(), (0, 0));
            let cell = &mut of[mutant.operator as usize];
            cell.0 += usize::from(mutant.killed);
            cell.1 += 1;
        }
        let mut kills = Vec::new();
        for algorithm in 0..results.algorithms.len() {
            for operator in std::iter::once(None).chain((0..operators.len()).map(Some)) {
                let (mut all, mut killed, mut scores, mut runs) = (0, 0, Vec::new(), Vec::new());
                for (number, counts) in (0_u32..).zip(&counts) {
                    if results.runs[number as usize].algorithm as usize != algorithm {
                        continue;
                    }
                    let of = match operator {
                        Some(operator) => counts.get(operator..=operator).unwrap_or_default(),
                        None => &counts[..],
                    };
                    let sum = of.iter().fold((0, 0), |sum, c| (sum.0 + c.0, sum.1 + c.1));
                    if sum.1 > 0 {
                        scores.push(sum.0 as f64 / sum.1 as f64);
                        runs.push(number);
                        (killed, all) = (killed + sum.0, all + sum.1);
                    }
                }
                let score = Description::of(&scores);
                kills.push(Kills {
                    algorithm,
                    operator,
                    mutants: all,
                    killed,
                    scores,
                    score,
                    runs,
                });
            }
        }
        let failing = results.measure("falsePositiveTests")?;
        let share = |(failing, tests): (Option<f64>, Option<u32>)| {
            Some(failing? / f64::from(tests.filter(|&tests| tests > 0)?))
        };
        let tests = results.runs.iter().map(|run| run.suite_tests);
        let false_positives = failing.into_iter().zip(tests).map(share).collect();
        Ok(Some(Mutation { operators, kills, false_positives }))
    }

    /// What all operators together came to, by algorithm.
    pub fn totals(&self) -> impl Iterator<Item = &Kills> {
        self.kills.iter().filter(|kills| kills.operator.is_none())
    }
}
