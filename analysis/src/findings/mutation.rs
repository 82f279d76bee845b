//! Mutation analysis: the mutants that the suites kill (Whisker paper, RQ4 and figure 29; Pynguin
//! paper, figures 7 and 8).

use crate::stats::{Description, Unavailable};
use crate::tidy::{Error, Mutants, Results};

/// The mutants of the runs of an algorithm, and how many of these mutants the suites kill.
#[derive(Clone, Debug, PartialEq)]
pub struct MutationScore {
    /// Index into [`Results::algorithms`].
    pub algorithm: usize,
    /// Index into [`MutationAnalysis::operators`]; `None` for all operators together.
    pub operator: Option<usize>,
    /// Number of mutants in all runs.
    pub mutants: usize,
    /// Number of these mutants that a suite killed.
    pub killed: usize,
    /// The share of killed mutants, in 0..=1, of each run with such mutants.
    pub per_run: Vec<f64>,
    /// Statistics of [`MutationScore::per_run`].
    pub summary: Result<Description, Unavailable>,
    /// The runs of these scores, in the same order.
    pub runs: Vec<u32>,
}

/// The mutation analysis of a study.
#[derive(Clone, Debug, PartialEq)]
pub struct MutationAnalysis {
    /// Names of the operators, in the order of the tables.
    pub operators: Vec<String>,
    /// The scores by algorithm: first for all operators together, then for each operator.
    pub scores: Vec<MutationScore>,
    /// For each run, the share of its tests, in 0..=1, that fail on the unchanged project.
    pub false_positives: Vec<Option<f64>>,
}

impl MutationAnalysis {
    /// Counts the mutants, or takes the scores that a tool reported.
    ///
    /// # Errors
    /// [`Error`] if the tables cannot be read.
    pub fn new(results: &Results) -> Result<Option<MutationAnalysis>, Error> {
        let Mutants { operators, mutants } = results.mutants()?;
        if mutants.is_empty() {
            return MutationAnalysis::of_counts(results);
        }
        let mut counts = vec![Vec::new(); results.runs.len()];
        for mutant in &mutants {
            let of: &mut Vec<(usize, usize)> = &mut counts[mutant.run as usize];
            of.resize(operators.len(), (0, 0));
            let cell = &mut of[mutant.operator as usize];
            cell.0 += usize::from(mutant.killed);
            cell.1 += 1;
        }
        let mut scores = Vec::new();
        for algorithm in 0..results.algorithms.len() {
            for operator in std::iter::once(None).chain((0..operators.len()).map(Some)) {
                let (mut all, mut killed, mut per_run, mut runs) = (0, 0, Vec::new(), Vec::new());
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
                        per_run.push(sum.0 as f64 / sum.1 as f64);
                        runs.push(number);
                        (killed, all) = (killed + sum.0, all + sum.1);
                    }
                }
                let summary = Description::of(&per_run);
                let mutants = all;
                scores.push(MutationScore {
                    algorithm,
                    operator,
                    mutants,
                    killed,
                    per_run,
                    summary,
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
        Ok(Some(MutationAnalysis { operators, scores, false_positives }))
    }

    /// The mutation score of each run that has one, for all operators together.
    pub fn by_run(&self) -> std::collections::BTreeMap<usize, f64> {
        let all = self.totals().flat_map(|total| total.runs.iter().zip(&total.per_run));
        all.map(|(&run, &score)| (run as usize, score)).collect()
    }

    fn of_counts(results: &Results) -> Result<Option<MutationAnalysis>, Error> {
        let names = ["mutation_score", "mutants_checked", "mutants_killed"];
        let measures = results.measures(&names)?;
        let [said, checked, killed] = &measures[..] else { return Ok(None) };
        if said.iter().all(Option::is_none) {
            return Ok(None);
        }
        let one = |algorithm: usize| {
            let of_algorithm = |number: &usize| {
                results.runs[*number].algorithm as usize == algorithm && said[*number].is_some()
            };
            let numbers: Vec<usize> = (0..said.len()).filter(of_algorithm).collect();
            let sum = |values: &[Option<f64>]| {
                numbers.iter().filter_map(|number| values[*number]).sum::<f64>() as usize
            };
            let per_run: Vec<f64> = numbers.iter().filter_map(|number| said[*number]).collect();
            MutationScore {
                algorithm,
                operator: None,
                mutants: sum(checked),
                killed: sum(killed),
                summary: Description::of(&per_run),
                per_run,
                runs: numbers.iter().map(|number| *number as u32).collect(),
            }
        };
        let scores = (0..results.algorithms.len()).map(one).collect();
        let false_positives = vec![None; results.runs.len()];
        Ok(Some(MutationAnalysis { operators: Vec::new(), scores, false_positives }))
    }

    /// The scores for all operators together, by algorithm.
    pub fn totals(&self) -> impl Iterator<Item = &MutationScore> {
        self.scores.iter().filter(|score| score.operator.is_none())
    }
}
