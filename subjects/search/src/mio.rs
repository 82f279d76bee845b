//! The many independent objective algorithm (MIO).

use crate::local_search::LocalSearch;
use crate::parameters::{Field, Parameters};
use crate::populations::{Populations, closeness, heuristic};
use crate::problem::{Problem, Test};
use crate::search_algorithm::SearchAlgorithm;
use crate::session::{Ended, Session};
use crate::stop::Stop;

/// The goals for which MIO keeps populations of tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MioTargets {
    /// The goals in [`Problem::independent_goals`], as in the published program.
    Independent,
    /// All goals at which the search aims, as in the paper.
    All,
}

impl MioTargets {
    const WORDS: &[(&str, Self)] = &[("independent", Self::Independent), ("all", Self::All)];
}

/// MIO with local search (Arcuri, "Many independent objective (MIO) algorithm for test suite
/// generation", 2017; Whisker paper, Algorithm 9). Three settings change linearly from a start
/// value to an end value while the budget is spent. The defaults are the values of section 6.1.4 of
/// the Whisker paper and of its published program.
#[derive(Clone, Debug, PartialEq)]
pub struct Mio {
    /// The share of the budget after which the settings keep their end values. Default: 1.
    pub focus: f64,
    /// Probability of sampling instead of mutating at the start. Default: 0.9.
    pub random_start: f64,
    /// Probability of sampling instead of mutating at the end. Default: 0.5.
    pub random_end: f64,
    /// Maximum number of tests in a population at the start. Default: 15.
    pub archive_start: usize,
    /// Maximum number of tests in a population at the end. Default: 5.
    pub archive_end: usize,
    /// Maximum number of consecutive mutations of a chosen test at the start. Default: 0.
    pub mutations_start: usize,
    /// Maximum number of consecutive mutations of a chosen test at the end. Default: 3.
    pub mutations_end: usize,
    /// The goals that have populations. Default: the independent goals.
    pub targets: MioTargets,
    /// The probability of extension. Default: 0.3.
    pub extension: f64,
    /// The probability of reduction. Default: 0.3.
    pub reduction: f64,
}

impl Default for Mio {
    fn default() -> Self {
        Self {
            focus: 1.0,
            random_start: 0.9,
            random_end: 0.5,
            archive_start: 15,
            archive_end: 5,
            mutations_start: 0,
            mutations_end: 3,
            targets: MioTargets::Independent,
            extension: 0.3,
            reduction: 0.3,
        }
    }
}

const SAMPLING: &str = "probability of sampling instead of mutating";
const KEPT: &str = "tests kept for each uncovered target";
const CHAIN: &str = "mutations in a row; all tests are sampled while this rounds to 0";

impl Parameters for Mio {
    fn fields(&mut self) -> Vec<Field<'_>> {
        vec![
            Field::share("focus", &mut self.focus).meaning(
                "share of the budget after which the settings with a start and an end keep their \
                 end values",
            ),
            Field::share("random_start", &mut self.random_start).meaning(SAMPLING),
            Field::share("random_end", &mut self.random_end).meaning(SAMPLING),
            Field::count("archive_start", &mut self.archive_start, 1, 10_000).meaning(KEPT),
            Field::count("archive_end", &mut self.archive_end, 1, 10_000).meaning(KEPT),
            Field::count("mutations_start", &mut self.mutations_start, 0, 10_000).meaning(CHAIN),
            Field::count("mutations_end", &mut self.mutations_end, 0, 10_000).meaning(CHAIN),
            Field::choice("targets", &mut self.targets, MioTargets::WORDS).meaning(
                "goals for which tests are kept: independent (goals whose coverage implies that \
                 of the others) or all (Whisker paper, 5.3)",
            ),
            Field::share("extension", &mut self.extension).meaning(LocalSearch::MEANING),
            Field::share("reduction", &mut self.reduction).meaning(LocalSearch::MEANING),
        ]
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Schedule {
    random: f64,
    archive: usize,
    mutations: usize,
}

impl Mio {
    fn schedule(&self, progress: f64) -> Schedule {
        let share = if progress < self.focus { progress / self.focus } else { 1.0 };
        let between = |start: f64, end: f64| start + (end - start) * share;
        let rounded = |start: usize, end: usize| between(start as f64, end as f64).round() as usize;
        Schedule {
            random: between(self.random_start, self.random_end),
            archive: rounded(self.archive_start, self.archive_end),
            mutations: rounded(self.mutations_start, self.mutations_end),
        }
    }
}

impl SearchAlgorithm for Mio {
    const NAME: &'static str = "mio";
    const SUMMARY: &'static str =
        "many independent objectives with local search (Whisker paper, Algorithm 9)";

    fn run<P: Problem>(&self, session: &mut Session<'_, P>) -> Ended {
        let local = LocalSearch { extension: self.extension, reduction: self.reduction };
        let targets = match self.targets {
            MioTargets::Independent => session.problem.independent_goals(),
            MioTargets::All => session.archive.uncovered().to_vec(),
        };
        let mut populations = Populations::new(session.archive.goals(), targets);
        loop {
            let now = self.schedule(session.progress());
            populations.resize(now.archive);
            let test = if populations.nothing_to_mutate()
                || now.mutations == 0
                // Choosing a covered goal does not use any budget, so a search without sampling
                // might never end.
                || (populations.all_covered() && now.random == 0.0)
                || session.rng.chance(now.random)
            {
                let genes = session.sample();
                execute(session, &mut populations, genes)?
            } else {
                mutate(session, &mut populations, now.mutations)?
            };
            // Both operators start from the same test.
            for operator in local.operators() {
                if let Some(test) = session.improve(operator, &test) {
                    credit(session, &mut populations, &test);
                }
            }
        }
    }
}

fn execute<P: Problem>(
    session: &mut Session<'_, P>,
    populations: &mut Populations<P::Test>,
    genes: P::Genes,
) -> Result<P::Test, Stop> {
    let test = session.run(genes)?;
    session.iterations += 1;
    credit(session, populations, &test);
    Ok(test)
}

fn credit<P: Problem>(
    session: &mut Session<'_, P>,
    populations: &mut Populations<P::Test>,
    test: &P::Test,
) {
    let closeness = closeness(test.fitness());
    let first = session.credit(test, closeness);
    populations.cover(&first);
    populations.offer(test, closeness);
}

/// Mutates a test of the goal that was chosen least often. A mutant replaces the test if it is not
/// worse for the goal.
fn mutate<P: Problem>(
    session: &mut Session<'_, P>,
    populations: &mut Populations<P::Test>,
    mutations: usize,
) -> Result<P::Test, Stop> {
    let goal = populations.choose();
    let mut test = match session.archive.get(goal) {
        Some(test) => test.clone(),
        None => populations.pick(goal, session.rng).clone(),
    };
    for _ in 0..mutations {
        if session.archive.covers(goal) {
            break;
        }
        let genes = session.problem.genes(&test);
        let genes = session.mutate(&genes);
        let mutant = execute(session, populations, genes)?;
        if heuristic(mutant.fitness()[goal]) >= heuristic(test.fitness()[goal]) {
            test = mutant;
        }
    }
    Ok(test)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_move_linearly_and_round() {
        let mio = Mio::default();
        let at = |progress| {
            let Schedule { random, archive, mutations } = mio.schedule(progress);
            ((random * 1e6).round() / 1e6, archive, mutations)
        };
        assert_eq!(at(0.0), (0.9, 15, 0));
        assert_eq!(at(0.05), (0.88, 15, 0), "14.5 rounds up");
        assert_eq!(at(0.166), (0.8336, 13, 0));
        assert_eq!(at(1.0 / 6.0), (0.833333, 13, 1), "half a mutation rounds up");
        assert_eq!(at(0.5), (0.7, 10, 2));
        assert_eq!(at(1.0), (0.5, 5, 3));
    }

    #[test]
    fn the_focus_phase_keeps_the_end() {
        let mio = Mio { focus: 0.5, ..Mio::default() };
        assert_eq!(mio.schedule(0.25), Mio::default().schedule(0.5));
        assert_eq!(mio.schedule(0.5), Mio::default().schedule(1.0));
        assert_eq!(mio.schedule(0.9), Mio::default().schedule(1.0));
        let mio = Mio { focus: 0.0, ..Mio::default() };
        assert_eq!(mio.schedule(0.0), Mio::default().schedule(1.0));
    }
}
