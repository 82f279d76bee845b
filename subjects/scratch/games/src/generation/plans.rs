//! Plans are tests without policies, found by exploration, for goals that no policy covers under
//! all training seeds. If nothing depends on chance, plans are as reliable as policies and easier
//! to find.

use catherd_search::{Stop, Stream};

use super::Run;
use crate::account::{Account, Work};
use crate::explore::{Explore, explore};
use crate::reflex::{Alphabet, Arena, Learner, Reflex};
use crate::states::Space;
use crate::suite::{PathTest, path_test, static_test};

/// Shares of the budget of [`Game::Reflex`](crate::Game::Reflex) at which learning without plans
/// ends, and at which planning ends.
const UNPLANNED: f64 = 0.5;
const PLANNED: f64 = 0.6;
/// Share of the budget after which plans are no longer tried under other seeds.
const PLANS_TRIED: f64 = 0.7;

#[derive(Default)]
struct Plans {
    /// Tests that cover their goal under all training and confirming seeds.
    robust: Vec<PathTest>,
    /// Other tests, each of which covers its goal under at least one seed.
    others: Vec<PathTest>,
}

impl Run<'_> {
    /// Searches for policies. If plans are enabled and goals are left after half of the budget,
    /// explores for plans before the search for policies continues.
    pub(super) fn reflex(&mut self, settings: &Reflex, account: &mut Account<'_>) -> Stop {
        let mut rng = Stream::new(self.request.seed, Stream::SEARCH);
        let mut arena = Arena::new(self.prepared, &mut rng);
        let seeds = self.training_seeds(settings);
        let (alphabet, work) = Alphabet::new(&mut arena, &seeds, &mut rng);
        account.spend(work);
        let mut learner = Learner::new(settings, &alphabet, self.layout, seeds, &arena);
        let known = vec![false; self.goals()];
        let alone = if settings.plans { UNPLANNED } else { 1.0 };
        let mut stop = learner.learn(&mut arena, &mut rng, account, alone, &known);
        let mut plans = Plans::default();
        if settings.plans && ![Stop::Cancelled, Stop::Covered].contains(&stop) {
            plans = self.plan(&mut learner, &mut arena, &mut rng, account);
            let mut known = learner.reliable();
            plans.others.iter().for_each(|plan| known[plan.goal as usize] = true);
            stop = learner.learn(&mut arena, &mut rng, account, 1.0, &known);
        }
        self.add_policies(&learner, settings, &mut arena);
        let open = |plan: &&PathTest| learner.best[plan.goal as usize].is_none();
        for plan in plans.robust.iter().chain(plans.others.iter().filter(open)) {
            self.tests.push(static_test(plan, arena.words(), self.request.seed));
        }
        stop
    }

    /// Explores for plans for the goals that no policy covers under all training seeds. The search
    /// for policies skips the goals that plans cover under all seeds.
    fn plan(
        &mut self,
        learner: &mut Learner<'_>,
        arena: &mut Arena<'_>,
        rng: &mut Stream,
        account: &mut Account<'_>,
    ) -> Plans {
        let settings = Explore::default();
        let mut space = Space::new(self.prepared, &settings, self.layout, self.request.seed, rng);
        let seeds = (&[self.request.seed][..], false);
        let reliable = learner.reliable();
        let (found, _) = explore(&mut space, &settings, seeds, rng, account, PLANNED, &reliable);
        self.count_exploration(&found, &space);
        let limit = self.minimisation_limit();
        let mut plans = Plans::default();
        for &goal in self.prepared.goal_order() {
            let state = found.states[goal as usize].as_ref();
            let Some(state) = state.filter(|_| !reliable[goal as usize]) else { continue };
            let before = arena.steps;
            let path = PathTest { goal, seed: state.seed(), events: state.events() };
            let late = account.stop(PLANS_TRIED).is_some();
            let left = if late { 0 } else { limit.saturating_sub(self.shortened.executions) };
            let words = space.words();
            let Some(short) = path_test(&path, words, arena, left, &mut self.shortened) else {
                continue;
            };
            let seeds = &learner.seeds;
            let holds = |path: &PathTest, arena: &mut Arena<'_>| {
                seeds.iter().all(|seed| arena.replay(&path.events, *seed, goal).1)
            };
            if late {
                plans.others.push(short);
            } else if plans.robust.iter().any(|plan| holds(plan, arena)) {
                learner.leave(goal as usize);
            } else {
                // Use the whole path if the short path does not hold, because events that are not
                // needed under one seed may be needed under others.
                let robust = if holds(&short, arena) {
                    Some(short.clone())
                } else {
                    let long = path_test(&path, words, arena, 0, &mut self.shortened);
                    long.filter(|long| holds(long, arena))
                };
                match robust {
                    Some(plan) => {
                        learner.leave(goal as usize);
                        plans.robust.push(plan);
                    }
                    None => plans.others.push(short),
                }
            }
            let steps = arena.steps - before;
            account.spend(Work { executed: steps, logical: steps, events: 0 });
        }
        plans
    }
}
