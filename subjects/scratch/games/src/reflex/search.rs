//! The search for policies.

use std::rc::Rc;

use catherd_scratch_suite::policy::{Policy, Rule};
use catherd_search::{Stop, Stream};

use super::alphabet::Alphabet;
use super::arena::Arena;
use super::language::Language;
use super::settings::Reflex;
use crate::account::{Account, Work};
use crate::states::Layout;

/// Unit of the time for which a script was running, in steps. The unit is coarse, because the time
/// also depends on the seed.
const LIFE: u64 = 100;

/// Probability that a changed policy may use a rule of the best policy for a random goal.
const LENT: f64 = 0.5;

/// The best policy for a goal. The score is the number of training seeds under which the policy
/// covers the goal. If these are all training seeds, the score is the number of seeds, including
/// confirming seeds, before the first seed under which the policy does not cover the goal.
#[derive(Clone, Debug)]
pub(crate) struct Learned {
    pub(crate) policy: Rc<Policy>,
    pub(crate) score: usize,
}

/// The value of a policy for a goal: how near the policy came to the goal, from 0 to 1, or 1 plus
/// the score. The second number breaks ties: the time for which the script of the goal was running,
/// in units of [`LIFE`].
type Worth = (f64, u64);

struct Member {
    worth: Worth,
    policy: Rc<Policy>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    /// Number of training seeds under which the policy covers the goal.
    training: usize,
    /// Number of seeds before the first seed under which the policy does not cover the goal.
    streak: usize,
}

impl Tally {
    fn add(&mut self, number: usize, covers: bool, training: usize) {
        self.training += usize::from(covers && number < training);
        self.streak += usize::from(covers && self.streak == number);
    }

    fn score(self, training: usize) -> usize {
        if self.streak >= training { self.streak } else { self.training }
    }
}

/// A search for policies, which may be continued.
pub(crate) struct Learner<'a> {
    settings: &'a Reflex,
    /// Training seeds, then confirming seeds.
    pub(crate) seeds: Vec<u64>,
    language: Language<'a>,
    layout: &'a Layout,
    independent: Vec<usize>,
    aimed: Vec<bool>,
    pub(crate) best: Vec<Option<Learned>>,
    populations: Vec<Vec<Member>>,
    /// For each goal, how often it has been chosen since its population last improved.
    chosen: Vec<u64>,
    /// For each goal and training seed, how often a policy did not cover the goal when it was
    /// executed again under the seed.
    refusals: Vec<Vec<u64>>,
    /// For each goal, whether a test without a policy covers it under all seeds.
    planned: Vec<bool>,
    fitness: Vec<f64>,
    started: bool,
    /// Number of executions up to the last coverage of a new goal.
    pub(crate) last_success: u64,
}

impl<'a> Learner<'a> {
    pub(crate) fn new(
        settings: &'a Reflex,
        alphabet: &'a Alphabet,
        layout: &'a Layout,
        seeds: Vec<u64>,
        arena: &Arena<'_>,
    ) -> Self {
        let model = arena.prepared.model();
        let goals = model.goals().len();
        Self {
            settings,
            seeds,
            language: Language::new(settings, alphabet, layout),
            layout,
            independent: model.independent_goals().to_vec(),
            aimed: (0..goals).map(|goal| model.is_aimed_at(goal)).collect(),
            best: vec![None; goals],
            populations: (0..goals).map(|_| Vec::new()).collect(),
            chosen: vec![0; goals],
            refusals: vec![vec![0; settings.training_seeds]; goals],
            planned: vec![false; goals],
            fitness: Vec::new(),
            started: false,
            last_success: 0,
        }
    }

    fn score(&self, goal: usize) -> usize {
        if self.planned[goal] {
            return self.seeds.len();
        }
        self.best[goal].as_ref().map_or(0, |best| best.score)
    }

    /// For each goal, whether a policy or a plan covers it under all training seeds.
    pub(crate) fn reliable(&self) -> Vec<bool> {
        let training = self.settings.training_seeds;
        (0..self.best.len()).map(|goal| self.score(goal) >= training).collect()
    }

    /// Skips a goal from now on, because a test without a policy covers the goal under all seeds.
    pub(crate) fn leave(&mut self, goal: usize) {
        self.planned[goal] = true;
        self.best[goal] = None;
    }

    /// Number of seeds under which a policy must cover a goal for the goal to be done.
    fn wanted(&self) -> usize {
        if self.settings.reexecution { self.seeds.len() } else { 1 }
    }

    fn is_done(&self) -> bool {
        (0..self.best.len()).all(|goal| !self.aimed[goal] || self.score(goal) >= self.wanted())
    }

    /// Searches until every goal at which the search aims is done or the account stops the search.
    /// Goals in `known` count as covered in the account.
    pub(crate) fn learn(
        &mut self,
        arena: &mut Arena<'_>,
        rng: &mut Stream,
        account: &mut Account<'_>,
        share: f64,
        known: &[bool],
    ) -> Stop {
        arena.watch(&self.layout.tops);
        loop {
            if self.is_done() {
                return Stop::Covered;
            }
            if let Some(stop) = account.stop(share) {
                return stop;
            }
            let (goal, policy) = self.propose(rng);
            self.try_out((goal, Rc::new(policy)), arena, rng, account, share, known);
        }
    }

    /// The next policy to try, and the goal for which it was derived from other policies. The first
    /// policy only waits.
    fn propose(&mut self, rng: &mut Stream) -> (Option<usize>, Policy) {
        if !self.started {
            self.started = true;
            let most = self.settings.play_steps as u64;
            return (None, Policy { most, ..Policy::default() });
        }
        let wanted = self.wanted();
        let open = self.independent.iter().copied();
        let open =
            open.filter(|&goal| self.score(goal) < wanted && !self.populations[goal].is_empty());
        let least = open.min_by_key(|goal| self.chosen[*goal]);
        match least.filter(|_| !rng.chance(self.settings.new_policy)) {
            Some(goal) => {
                self.chosen[goal] += 1;
                let lent = self.lent_rule(rng);
                if let Some(policy) = self.compose(goal, rng) {
                    return (Some(goal), policy);
                }
                let member = rng.pick(&self.populations[goal]);
                (Some(goal), self.language.changed(&member.policy, lent, rng))
            }
            None => (None, self.language.policy(rng)),
        }
    }

    /// With the probability [`Reflex::compose`], joins the rules of a policy for the goal and the
    /// rules of the best policy for a random goal, in either order, if there is such a policy and
    /// it is different.
    fn compose(&self, goal: usize, rng: &mut Stream) -> Option<Policy> {
        if self.settings.compose <= 0.0 || !rng.chance(self.settings.compose) {
            return None;
        }
        let other = self.best[*rng.pick(&self.independent)].as_ref()?;
        let own = &rng.pick(&self.populations[goal]).policy;
        if Rc::ptr_eq(own, &other.policy) {
            return None;
        }
        Some(if rng.chance(0.5) {
            self.language.composed(own, &other.policy)
        } else {
            self.language.composed(&other.policy, own)
        })
    }

    /// A rule of the best policy for a random goal, which may help with other goals as well.
    fn lent_rule(&self, rng: &mut Stream) -> Option<Rule> {
        if !self.settings.lend || !rng.chance(LENT) || self.independent.is_empty() {
            return None;
        }
        let best = self.best[*rng.pick(&self.independent)].as_ref()?;
        let rules = &best.policy.rules;
        (!rules.is_empty()).then(|| rng.pick(rules).clone())
    }

    fn try_out(
        &mut self,
        (chosen, policy): (Option<usize>, Rc<Policy>),
        arena: &mut Arena<'_>,
        rng: &mut Stream,
        account: &mut Account<'_>,
        share: f64,
        known: &[bool],
    ) {
        let training = self.settings.training_seeds;
        let tried = rng.index(training);
        self.episode(&policy, self.seeds[tried], arena, account);
        let mut enters = false;
        let wanted = self.wanted();
        for position in 0..self.independent.len() {
            let goal = self.independent[position];
            if self.score(goal) < wanted {
                let near = 1.0 / (1.0 + self.fitness[goal]);
                let life = arena.life(self.layout.top_of[goal]) / LIFE;
                enters |= self.enter(goal, (near, life), &policy);
            }
        }
        if enters {
            self.language.learn(&policy);
        }
        let interesting: Vec<usize> = (0..self.best.len())
            .filter(|&goal| self.fitness[goal] == 0.0 && self.score(goal) < wanted)
            .filter(|&goal| {
                let retry = rng.chance(self.settings.retry);
                self.score(goal) == 0 || chosen == Some(goal) || retry
            })
            .collect();
        if interesting.is_empty() {
            return;
        }
        let mut tallies = vec![Tally::default(); self.best.len()];
        if self.settings.reexecution {
            for (number, seed) in self.order(tried, chosen).into_iter().enumerate() {
                if !self.is_promising(&interesting, &tallies, number, chosen)
                    || account.stop(share).is_some()
                {
                    break;
                }
                // The policy was already executed under the first seed.
                if number > 0 {
                    self.episode(&policy, self.seeds[seed], arena, account);
                }
                for (tally, fitness) in tallies.iter_mut().zip(&self.fitness) {
                    tally.add(number, *fitness == 0.0, training);
                }
                if seed < training {
                    for &goal in &interesting {
                        self.refusals[goal][seed] += u64::from(self.fitness[goal] != 0.0);
                    }
                }
            }
        }
        // The first episode counts for one seed, even if the budget did not suffice for other
        // seeds.
        let mut scores: Vec<usize> = tallies.iter().map(|tally| tally.score(training)).collect();
        interesting.iter().for_each(|goal| scores[*goal] = scores[*goal].max(1));
        if let Some(goal) = chosen.filter(|_| self.settings.equals)
            && scores[goal] == self.score(goal)
            && (1..training).contains(&scores[goal])
        {
            // A policy that is as good as the best also becomes a parent, so that the search
            // continues on plateaus.
            self.enter(goal, (1.0 + scores[goal] as f64, 0), &policy);
        }
        self.keep(&policy, &scores, account, known);
    }

    /// The order of the seeds for a policy: the seed of its first episode, then the other training
    /// seeds, first the seeds under which policies most often missed the goal, then the confirming
    /// seeds.
    fn order(&self, tried: usize, goal: Option<usize>) -> Vec<usize> {
        let training = self.settings.training_seeds;
        let mut order: Vec<usize> = (0..self.seeds.len()).collect();
        order[..training].sort_by_key(|&seed| {
            let refusals = goal.map_or(0, |goal| self.refusals[goal][seed]);
            (seed != tried, std::cmp::Reverse(refusals))
        });
        order
    }

    /// Whether a policy deserves an execution under a further seed: for a goal, the policy has not
    /// failed yet, or can still exceed the best score, or can equal the best score if the goal is
    /// `chosen` and equals become parents.
    fn is_promising(
        &self,
        goals: &[usize],
        tallies: &[Tally],
        seeds: usize,
        chosen: Option<usize>,
    ) -> bool {
        let training = self.settings.training_seeds;
        goals.iter().any(|&goal| {
            let (tally, best) = (tallies[goal], self.score(goal));
            let left = training.saturating_sub(seeds);
            let equals = self.settings.equals && chosen == Some(goal);
            let wanted = best + usize::from(!equals);
            tally.streak == seeds || left > 0 && tally.training + left >= wanted
        })
    }

    fn keep(
        &mut self,
        policy: &Rc<Policy>,
        scores: &[usize],
        account: &mut Account<'_>,
        known: &[bool],
    ) {
        let mut first = false;
        for (goal, &score) in scores.iter().enumerate() {
            if score <= self.score(goal) {
                continue;
            }
            first |= self.best[goal].is_none();
            self.best[goal] = Some(Learned { policy: Rc::clone(policy), score });
            if self.independent.binary_search(&goal).is_ok() {
                self.enter(goal, (1.0 + score as f64, 0), policy);
            }
        }
        if first {
            let both = self.best.iter().zip(known);
            account.covered_goals(both.map(|(best, known)| best.is_some() || *known));
            self.last_success = account.executions;
        }
    }

    /// Returns whether the policy is now the best policy of the population.
    fn enter(&mut self, goal: usize, worth: Worth, policy: &Rc<Policy>) -> bool {
        let population = &mut self.populations[goal];
        let full = population.len() >= self.settings.policies;
        let last = population.last().map_or((0.0, 0), |member| member.worth);
        if worth.0 <= 0.0 || full && worth < last {
            return false;
        }
        let better = population.first().is_none_or(|best| worth > best.worth);
        if better {
            self.chosen[goal] = 0;
        }
        if full {
            population.pop();
        }
        let at = population.partition_point(|member| member.worth > worth);
        population.insert(at, Member { worth, policy: Rc::clone(policy) });
        better
    }

    fn episode(
        &mut self,
        policy: &Policy,
        seed: u64,
        arena: &mut Arena<'_>,
        account: &mut Account<'_>,
    ) {
        let steps = arena.play(policy, seed, &[]);
        arena.fitness(&mut self.fitness);
        account.spend(Work { executed: steps, logical: steps, events: 1 });
    }
}
