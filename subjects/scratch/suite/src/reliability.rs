//! Reliability of tests: the goals that tests cover under other seeds of the VM.

use std::sync::Arc;

use catherd_scratch_sb3::BlockNo;
use catherd_scratch_vm::Program;

use crate::coverage::Executions;
use crate::error::SuiteError;
use crate::format::Suite;

/// Coverage of a suite under its own seeds and under other seeds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reliability {
    goals: usize,
    seeds: usize,
    /// For each goal, whether at least one test covers it under its own seed.
    seeded: Vec<bool>,
    /// For each other seed and each goal, whether at least one test covers the goal under this
    /// seed.
    under: Vec<Vec<bool>>,
    best: Vec<usize>,
}

impl Reliability {
    /// Number of goals.
    pub fn goals(&self) -> usize {
        self.goals
    }

    /// Number of other seeds.
    pub fn seeds(&self) -> usize {
        self.seeds
    }

    /// Number of goals that at least one test covers under its own seed, which is the coverage of a
    /// suite that is executed as it was generated.
    pub fn seeded(&self) -> usize {
        self.seeded.iter().filter(|covered| **covered).count()
    }

    /// Mean over the other seeds of the number of goals that the suite covers; NaN without seeds.
    pub fn expected(&self) -> f64 {
        let covered = self.under.iter().flatten().filter(|covered| **covered).count();
        covered as f64 / self.seeds as f64
    }

    /// Number of goals that a single test covers under all other seeds; 0 without seeds.
    pub fn robust(&self) -> usize {
        self.reliable(1.0)
    }

    /// Number of goals that a single test covers under at least this share of the other seeds, and
    /// under at least one other seed.
    pub fn reliable(&self, share: f64) -> usize {
        let enough = |best: &&usize| **best > 0 && **best as f64 >= share * self.seeds as f64;
        self.best.iter().filter(enough).count()
    }

    /// Number of chance goals, which at least one test covers under another seed, but no single
    /// test covers under all other seeds.
    pub fn chance(&self) -> usize {
        self.best.iter().filter(|best| **best > 0 && **best < self.seeds).count()
    }

    /// For each goal, the maximum number of other seeds under which a single test covers it.
    pub fn best(&self) -> &[usize] {
        &self.best
    }
}

/// Executes all tests of a suite under their own seeds and under other seeds, without checking
/// assertions. `on_seed` is called after all tests have been executed under one of the `seeds`.
///
/// # Errors
/// Like [`measure_coverage`](crate::measure_coverage).
///
/// # Panics
/// If the number of a goal is too large for the program.
pub fn measure_reliability(
    suite: &Suite,
    program: &Arc<Program>,
    goals: &[BlockNo],
    seeds: &[u64],
    max_steps: u64,
    mut on_seed: impl FnMut(),
) -> Result<Reliability, SuiteError> {
    let mut executions = Executions::new(suite, program, goals, max_steps)?;
    let mut seeded = vec![false; goals.len()];
    for (number, test) in suite.tests.iter().enumerate() {
        mark(&mut seeded, &executions.covered(number, suite.seed_of(test)));
    }
    let mut counts = vec![vec![0; goals.len()]; suite.tests.len()];
    let mut under = Vec::with_capacity(seeds.len());
    for &seed in seeds {
        let mut union = vec![false; goals.len()];
        for (number, counts) in counts.iter_mut().enumerate() {
            let covered = executions.covered(number, seed);
            mark(&mut union, &covered);
            covered.iter().for_each(|goal| counts[*goal as usize] += 1);
        }
        under.push(union);
        on_seed();
    }
    let best = (0..goals.len()).map(|goal| counts.iter().map(|test| test[goal]).max().unwrap_or(0));
    Ok(Reliability { goals: goals.len(), seeds: seeds.len(), seeded, under, best: best.collect() })
}

fn mark(goals: &mut [bool], covered: &[u32]) {
    covered.iter().for_each(|goal| goals[*goal as usize] = true);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_distinguish_goals_suites_and_tests() {
        // Two tests cover goal 1, each of them under one of two seeds.
        let reliability = Reliability {
            goals: 4,
            seeds: 2,
            seeded: vec![true, true, false, false],
            under: vec![vec![true, true, false, false], vec![true, true, true, false]],
            best: vec![2, 1, 1, 0],
        };
        assert_eq!(reliability.seeded(), 2);
        assert_eq!(reliability.expected(), 2.5);
        assert_eq!(reliability.robust(), 1);
        assert_eq!([0.1, 0.5, 0.6].map(|share| reliability.reliable(share)), [3, 3, 1]);
        assert_eq!(reliability.chance(), 2);
    }
}
