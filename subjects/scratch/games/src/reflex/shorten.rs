//! Tests from policies: selection of tests for goals, and removal of rules and steps that are not
//! needed.

use catherd_scratch_suite::policy::Policy;

use super::arena::Arena;
use super::search::Learned;

#[derive(Clone, Debug)]
pub(crate) struct PolicyTest {
    pub(crate) policy: Policy,
    /// A seed under which the policy covers the goals for which the test is kept.
    pub(crate) seed: u64,
    /// The goals for which the test is kept, ascending.
    pub(crate) goals: Vec<u32>,
}

struct Coverage {
    /// For each seed, whether each goal is covered.
    covered: Vec<Vec<bool>>,
}

impl Coverage {
    fn of(policy: &Policy, seeds: &[u64], goals: usize, arena: &mut Arena<'_>) -> Self {
        let covered = seeds.iter().map(|&seed| {
            arena.play(policy, seed, &[]);
            (0..goals as u32).map(|goal| arena.covers(goal)).collect()
        });
        Self { covered: covered.collect() }
    }

    fn count(&self, goal: u32) -> usize {
        self.covered.iter().filter(|under| under[goal as usize]).count()
    }

    fn count_of(&self, goal: u32, first: usize) -> usize {
        let under = self.covered.iter().take(first);
        under.filter(|under| under[goal as usize]).count()
    }

    fn streak(&self, goal: u32) -> usize {
        self.covered.iter().take_while(|under| under[goal as usize]).count()
    }

    /// Whether each of these goals is covered under at least as many seeds as before, and under the
    /// seed at a position.
    fn is_as_good(&self, before: &Coverage, goals: &[u32], seed: usize) -> bool {
        goals.iter().all(|&goal| {
            self.count(goal) >= before.count(goal) && self.covered[seed][goal as usize]
        })
    }
}

/// Returns tests with the best policies for the goals in `order`. Deep goals come first, because
/// their policies also cover goals that lead to them. The first `training` seeds are the training
/// seeds. Until `most_steps` steps have been executed, parts of policies that the goals do not need
/// are removed.
pub(crate) fn policy_tests(
    best: &[Option<Learned>],
    order: &[u32],
    seeds: &[u64],
    training: usize,
    arena: &mut Arena<'_>,
    most_steps: u64,
) -> Vec<PolicyTest> {
    let end = arena.steps.saturating_add(most_steps);
    let mut tests: Vec<PolicyTest> = Vec::new();
    let mut done = vec![false; best.len()];
    for &goal in order {
        let Some(learned) = best[goal as usize].as_ref().filter(|_| !done[goal as usize]) else {
            continue;
        };
        // Compare only the training seeds if the policy was not confirmed or the steps are used up.
        let late = arena.steps >= end;
        let seeds = if learned.score > training && !late { seeds } else { &seeds[..training] };
        let coverage = Coverage::of(&learned.policy, seeds, best.len(), arena);
        let kept_under = |seed: usize| -> Vec<u32> {
            let good = |goal: &u32| {
                let score = best[*goal as usize].as_ref().map_or(0, |best| best.score);
                !done[*goal as usize]
                    && coverage.covered[seed][*goal as usize]
                    && coverage.count_of(*goal, training) >= score.min(training)
                    && (late || score <= training || coverage.streak(*goal) >= score)
            };
            (0..best.len() as u32).filter(good).collect()
        };
        let under = (0..seeds.len()).map(|seed| (seed, kept_under(seed)));
        let under = under.filter(|(_, goals)| goals.contains(&goal));
        // The order is reversed, because `max_by_key` returns the last of several equal elements.
        let Some((seed, goals)) = under.rev().max_by_key(|(_, goals)| goals.len()) else {
            continue;
        };
        goals.iter().for_each(|goal| done[*goal as usize] = true);
        let mut test = PolicyTest { policy: (*learned.policy).clone(), seed: seeds[seed], goals };
        if arena.steps < end {
            test.shorten(&coverage, seed, seeds, best.len(), arena);
        }
        tests.push(test);
    }
    tests
}

impl PolicyTest {
    fn shorten(
        &mut self,
        before: &Coverage,
        seed: usize,
        seeds: &[u64],
        goals: usize,
        arena: &mut Arena<'_>,
    ) {
        for position in (0..self.policy.rules.len()).rev() {
            let mut shorter = self.policy.clone();
            shorter.rules.remove(position);
            let coverage = Coverage::of(&shorter, seeds, goals, arena);
            if coverage.is_as_good(before, &self.goals, seed) {
                self.policy = shorter;
            }
        }
        for position in 0..self.policy.rules.len() {
            if self.policy.rules[position].when.is_some() {
                let mut simpler = self.policy.clone();
                simpler.rules[position].when = None;
                let coverage = Coverage::of(&simpler, seeds, goals, arena);
                if coverage.is_as_good(before, &self.goals, seed) {
                    self.policy = simpler;
                }
            }
        }
        if !self.policy.answers.is_empty() {
            let mut silent = self.policy.clone();
            silent.answers.clear();
            let coverage = Coverage::of(&silent, seeds, goals, arena);
            if coverage.is_as_good(before, &self.goals, seed) {
                self.policy = silent;
            }
        }
        self.end_early(before, seed, seeds, goals, arena);
    }

    /// If the goals are covered under every seed, limits the number of steps to the number after
    /// which they are covered, with a reserve, because other seeds may need more steps.
    fn end_early(
        &mut self,
        before: &Coverage,
        seed: usize,
        seeds: &[u64],
        goals: usize,
        arena: &mut Arena<'_>,
    ) {
        let all = |covered: &Vec<bool>| self.goals.iter().all(|goal| covered[*goal as usize]);
        if !before.covered.iter().all(all) {
            return;
        }
        let needed = seeds.iter().map(|&seed| arena.play(&self.policy, seed, &self.goals));
        let needed = needed.max().unwrap_or(self.policy.most);
        let mut shorter = self.policy.clone();
        shorter.most = (needed.saturating_mul(RESERVE)).clamp(1, self.policy.most);
        let coverage = Coverage::of(&shorter, seeds, goals, arena);
        if coverage.is_as_good(before, &self.goals, seed) {
            self.policy = shorter;
        }
    }
}

/// Limit of the number of steps, as a multiple of the number that the slowest seed needs.
const RESERVE: u64 = 2;
