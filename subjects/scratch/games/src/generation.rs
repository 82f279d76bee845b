//! Generation of suites for games.

mod plans;

use std::ops::ControlFlow;
use std::sync::Arc;

use catherd_scratch_sb3::{BlockNo, Opcode, Project};
use catherd_scratch_suite::{Suite, SuiteTest, Tolerances, measure_coverage};
use catherd_scratch_testgen::{Assertions, Counts, End, Generated, Limits, Prepared};
use catherd_search::{Budget, Progress, Stop, Stream};

use crate::account::{Account, Counted, OnProgress};
use crate::algorithm::Game;
use crate::explore::{self, Explore, Found, explore};
use crate::neat::{Guide, Interface, Neuroevolution, Trials, networks_of};
use crate::reflex::{Alphabet, Arena, Learner, Reflex, policy_tests};
use crate::states::{Layout, Space, State};
use crate::suite::{PathTest, Shortened, path_test, policy_test, static_test};

/// Shares of the budget of [`Game::Play`] after which the first exploration and the first learning
/// end.
const EXPLORED: f64 = 0.2;
const LEARNED: f64 = 0.8;

/// Minimum number of re-executions for finding flaky assertions if there are policies, because
/// tests with policies must pass under any seed.
const POLICY_REEXECUTIONS: u32 = 40;

/// A run of an algorithm for games.
#[derive(Clone, Debug)]
pub struct GameRequest {
    /// The algorithm.
    pub game: Game,
    /// Seed of all random numbers of the run.
    pub seed: u64,
    /// Budget of the search.
    pub budget: Budget,
    /// Name of the project in suites: usually its digest.
    pub project: String,
    /// Regression assertions to add to the suite; `None` for a suite without assertions.
    pub assertions: Option<Assertions>,
}

/// Result of a run.
#[derive(Clone, Debug)]
pub struct GameGenerated {
    /// The part of the result that runs of all algorithms have.
    pub generated: Generated,
    /// Further counts by name.
    pub counts: Vec<(&'static str, u64)>,
}

struct Run<'a> {
    prepared: &'a Prepared,
    layout: &'a Layout,
    request: &'a GameRequest,
    tests: Vec<SuiteTest>,
    shortened: Shortened,
    counts: Vec<(&'static str, u64)>,
}

/// Generates a suite for a project that was prepared with the settings of the run. `on_progress` is
/// called during the search and may end it.
pub fn generate(
    prepared: &Arc<Prepared>,
    project: &Project,
    request: &GameRequest,
    mut on_progress: impl FnMut(&Progress) -> ControlFlow<()>,
) -> GameGenerated {
    let model = prepared.model();
    let layout = Layout::new(project, model);
    let goals = model.goals().len();
    let counted = match &request.game {
        Game::Explore(explore) => explore.counted,
        Game::Play { explore, .. } => explore.counted,
        _ => Counted::Logical,
    };
    let on_progress: &mut OnProgress<'_> = &mut on_progress;
    let blocks = model.block_goals();
    let mut account = Account::new(&request.budget, counted, blocks, on_progress);
    let mut run = Run {
        prepared,
        layout: &layout,
        request,
        tests: Vec::new(),
        shortened: Shortened::default(),
        counts: Vec::new(),
    };
    let end = if goals == 0 {
        End::NothingToCover
    } else {
        End::Search(match &request.game {
            Game::Explore(settings) => run.explore(settings, &mut account),
            Game::Reflex(settings) => run.reflex(settings, &mut account),
            Game::Play { explore, reflex } => run.play(explore, reflex, &mut account),
            Game::Neatest(settings) => {
                run.breed(Neuroevolution::Neatest(settings), project, &mut account)
            }
            Game::MosaNeatest(settings) => {
                run.breed(Neuroevolution::Mosa(settings), project, &mut account)
            }
            Game::MioNeatest(settings) => {
                run.breed(Neuroevolution::Mio(settings), project, &mut account)
            }
            Game::NewsdNeatest(settings) => {
                run.breed(Neuroevolution::Newsd(settings), project, &mut account)
            }
        })
    };
    run.finish(end, &account)
}

fn flag_hats(project: &Project, goals: &[BlockNo]) -> Vec<bool> {
    let mut hats = Vec::new();
    for target in &project.targets {
        let blocks = target.blocks.iter().zip(0..);
        let flags = blocks.filter(|(block, _)| block.opcode == Opcode::EventWhenFlagClicked);
        hats.extend(flags.map(|(_, number)| target.number(number)));
    }
    goals.iter().map(|goal| hats.contains(goal)).collect()
}

impl Run<'_> {
    fn goals(&self) -> usize {
        self.prepared.model().goals().len()
    }

    /// Seeds of the first states: the seed of the run, and other seeds if goals may depend on
    /// chance.
    fn roots(&self, settings: &Explore) -> Vec<u64> {
        let mut seeds = vec![self.request.seed];
        if self.layout.has_chance || self.layout.computes_messages {
            let others = settings.chance_seeds;
            seeds.extend(Stream::seeds(self.request.seed, Stream::TRAINING, others));
        }
        seeds
    }

    fn explore(&mut self, settings: &Explore, account: &mut Account<'_>) -> Stop {
        let mut rng = Stream::new(self.request.seed, Stream::SEARCH);
        let mut space =
            Space::new(self.prepared, settings, self.layout, self.request.seed, &mut rng);
        let seeds = self.roots(settings);
        let keeps = self.layout.computes_messages;
        let known = vec![false; self.goals()];
        let seeds = (seeds.as_slice(), keeps);
        let (found, stop) = explore(&mut space, settings, seeds, &mut rng, account, 1.0, &known);
        self.count_exploration(&found, &space);
        let mut arena = Arena::new(self.prepared, &mut rng);
        self.add_paths(&found.states, &space, &mut arena, &known);
        stop
    }

    fn breed(
        &mut self,
        how: Neuroevolution<'_>,
        project: &Project,
        account: &mut Account<'_>,
    ) -> Stop {
        let mut rng = Stream::new(self.request.seed, Stream::SEARCH);
        let mut arena = Arena::new(self.prepared, &mut rng);
        let tables = self.prepared.tables();
        let interface = Interface::new(project, tables, arena.answers(), how.bounds());
        let (model, seed) = (self.prepared.model(), self.request.seed);
        let others = Stream::seeds(seed, Stream::TRAINING, how.repetitions() - 1);
        let seeds = std::iter::once(seed).chain(others).collect();
        let flags = flag_hats(project, model.goals());
        let guide = Guide { flags, independent: model.independent_goals().to_vec() };
        let aimed = (0..self.goals()).map(|goal| model.is_aimed_at(goal)).collect();
        let mut trials = Trials::new(&interface, how.steps(), seeds, model.dependencies(), aimed);
        let (stop, counts) =
            how.search(&interface, &mut trials, guide, &mut arena, &mut rng, account);
        for network in networks_of(&trials.archive, self.prepared.goal_order()) {
            let policy = network.policy(&interface, how.steps());
            let program = self.prepared.program();
            self.tests.push(policy_test(&policy, seed, arena.words(), program, seed));
        }
        self.counts.push(("episodes", arena.episodes));
        self.counts.extend(counts);
        self.counts.push(("robustInTraining", trials.archive.iter().flatten().count() as u64));
        stop
    }

    fn training_seeds(&self, settings: &Reflex) -> Vec<u64> {
        let count = settings.training_seeds + settings.confirming_seeds;
        Stream::seeds(self.request.seed, Stream::TRAINING, count)
    }

    /// Explores, then learns, and then continues one of the two.
    fn play(&mut self, settings: &Explore, reflex: &Reflex, account: &mut Account<'_>) -> Stop {
        let mut rng = Stream::new(self.request.seed, Stream::SEARCH);
        let mut space =
            Space::new(self.prepared, settings, self.layout, self.request.seed, &mut rng);
        let roots = self.roots(settings);
        let keeps = self.layout.computes_messages;
        let none = vec![false; self.goals()];
        let (found, stop) = explore(
            &mut space,
            settings,
            (roots.as_slice(), keeps),
            &mut rng,
            account,
            EXPLORED,
            &none,
        );
        self.count_exploration(&found, &space);
        let explored_last = account.timeline.last().map_or(0, |point| point.executions);
        let mut states = found.states;
        let mut arena = Arena::new(self.prepared, &mut rng);
        if stop == Stop::Cancelled {
            return stop;
        }
        let seeds = self.training_seeds(reflex);
        let (alphabet, work) = Alphabet::new(&mut arena, &seeds, &mut rng);
        account.spend(work);
        let mut learner = Learner::new(reflex, &alphabet, self.layout, seeds, &arena);
        let explored: Vec<bool> = states.iter().map(Option::is_some).collect();
        let mut stop = learner.learn(&mut arena, &mut rng, account, LEARNED, &explored);
        if ![Stop::Cancelled, Stop::Covered].contains(&stop) {
            let known: Vec<bool> = (0..self.goals())
                .map(|goal| states[goal].is_some() || learner.best[goal].is_some())
                .collect();
            let model = self.prepared.model();
            let mut open = (0..self.goals()).filter(|goal| !known[*goal]);
            let done = open.all(|goal| !model.is_aimed_at(goal));
            stop = if done || learner.last_success > explored_last {
                learner.learn(&mut arena, &mut rng, account, 1.0, &known)
            } else {
                let seeds: &[u64] = if keeps { &roots } else { &roots[..1] };
                let seeds = (seeds, keeps);
                let (more, stop) =
                    explore(&mut space, settings, seeds, &mut rng, account, 1.0, &known);
                self.count_exploration(&more, &space);
                for (state, new) in states.iter_mut().zip(more.states) {
                    *state = state.take().or(new);
                }
                stop
            };
        }
        let robust = reflex.training_seeds;
        let reliable: Vec<bool> = learner
            .best
            .iter()
            .map(|best| best.as_ref().is_some_and(|best| best.score >= robust))
            .collect();
        self.add_policies(&learner, reflex, &mut arena);
        self.add_paths(&states, &space, &mut arena, &reliable);
        stop
    }

    fn count_exploration(&mut self, found: &Found<State>, space: &Space<'_>) {
        let explore::Counts { rollouts, cells, evictions, probes, reseeds, doomed } = found.counts;
        let counts = [
            ("rollouts", rollouts),
            ("cells", cells),
            ("evictions", evictions),
            ("probes", probes),
            ("reseeds", reseeds),
            ("doomedStates", doomed),
        ];
        for (name, count) in counts {
            match self.counts.iter_mut().find(|(known, _)| *known == name) {
                Some((_, sum)) => *sum += count,
                None => self.counts.push((name, count)),
            }
        }
        // Do not report the number of replayed steps, because results must not depend on the
        // available memory.
        let _ = space.replayed;
    }

    fn minimisation_limit(&self) -> u64 {
        let settings = self.prepared.settings();
        match (settings.minimise, settings.minimisation_executions as u64) {
            (false, _) => 0,
            (true, 0) => u64::MAX,
            (true, limit) => limit,
        }
    }

    /// Adds tests of paths for the goals that are covered neither `otherwise` nor by an added test,
    /// deepest goals first.
    fn add_paths(
        &mut self,
        states: &[Option<State>],
        space: &Space<'_>,
        arena: &mut Arena<'_>,
        otherwise: &[bool],
    ) {
        let limit = self.minimisation_limit();
        let mut covered = otherwise.to_vec();
        for &goal in self.prepared.goal_order() {
            let Some(state) = states[goal as usize].as_ref().filter(|_| !covered[goal as usize])
            else {
                continue;
            };
            let path = PathTest { goal, seed: state.seed(), events: state.events() };
            let left = limit.saturating_sub(self.shortened.executions);
            let words = space.words();
            if path.events.is_empty() {
                // The green flag covers the goal. A wait is added, because a test has at least one
                // event.
                let wait = vec![catherd_scratch_suite::event::Event::WAIT];
                let path = PathTest { events: wait, ..path };
                self.add_path(&path, words, arena, left, &mut covered);
            } else {
                self.add_path(&path, words, arena, left, &mut covered);
            }
        }
    }

    fn add_path(
        &mut self,
        path: &PathTest,
        words: &catherd_scratch_suite::event::Vocabulary,
        arena: &mut Arena<'_>,
        limit: u64,
        covered: &mut [bool],
    ) {
        let Some(path) = path_test(path, words, arena, limit, &mut self.shortened) else { return };
        let test = static_test(&path, arena.words(), self.request.seed);
        for goal in self.covered_by(&test) {
            covered[goal as usize] = true;
        }
        self.tests.push(test);
    }

    fn add_policies(&mut self, learner: &Learner<'_>, settings: &Reflex, arena: &mut Arena<'_>) {
        let before = arena.episodes;
        let (seeds, training) = (&learner.seeds, settings.training_seeds);
        let order = self.prepared.goal_order();
        // Minimisation may take as many steps as the episodes took.
        let most = if self.prepared.settings().minimise { arena.steps } else { 0 };
        let tests = policy_tests(&learner.best, order, seeds, training, arena, most);
        self.shortened.executions += arena.episodes - before;
        let program = self.prepared.program();
        for test in &tests {
            let words = arena.words();
            let seed = self.request.seed;
            self.tests.push(policy_test(&test.policy, test.seed, words, program, seed));
        }
        let rules = tests.iter().map(|test| test.policy.rules.len() as u64).sum();
        let robust = learner.best.iter().flatten();
        let robust = robust.filter(|best| best.score >= settings.training_seeds).count() as u64;
        let episodes = before;
        self.counts.extend([
            ("episodes", episodes),
            ("rules", rules),
            ("robustInTraining", robust),
        ]);
    }

    /// The goals that a test covers when it is executed as a part of a suite.
    fn covered_by(&self, test: &SuiteTest) -> Vec<u32> {
        let suite = self.suite(vec![test.clone()]);
        let goals = self.prepared.model().goals();
        let covered = measure_coverage(&suite, self.prepared.program(), goals, u64::MAX);
        // This cannot fail, because the test refers only to parts of the program.
        debug_assert!(covered.is_ok(), "{covered:?}");
        covered.ok().and_then(|covered| covered.into_iter().next()).unwrap_or_default()
    }

    fn suite(&self, tests: Vec<SuiteTest>) -> Suite {
        Suite {
            project: self.request.project.clone(),
            algorithm: self.request.game.name().to_owned(),
            seed: self.request.seed,
            goals: self.goals() as u32,
            machine: self.prepared.settings().machine.clone(),
            tolerances: Tolerances::default(),
            nan_equal: self.prepared.settings().compat.nan_equal,
            tests,
            ..Suite::default()
        }
    }

    fn finish(mut self, end: End, account: &Account<'_>) -> GameGenerated {
        let tests = std::mem::take(&mut self.tests);
        let mut suite = self.suite(tests);
        let goals = self.prepared.model().goals();
        let covers = measure_coverage(&suite, self.prepared.program(), goals, u64::MAX);
        debug_assert!(covers.is_ok(), "{covers:?}");
        let mut covered: Vec<u32> = Vec::new();
        for (test, covers) in suite.tests.iter_mut().zip(covers.unwrap_or_default()) {
            covered.extend(&covers);
            test.covers = covers;
        }
        covered.sort_unstable();
        covered.dedup();
        let branches = self.prepared.separate_branches(&mut suite, &mut covered);
        if let Some(mut how) = self.request.assertions {
            if suite.tests.iter().any(|test| test.policy.is_some()) {
                how.reexecutions = how.reexecutions.max(POLICY_REEXECUTIONS);
            }
            self.prepared.assert(&mut suite, how);
        }
        let meter = account.meter();
        let blocks = self.prepared.model().block_goals();
        let full = account.timeline.last().filter(|point| point.covered == blocks);
        let counts = Counts {
            goals: u64::from(suite.goals),
            covered: covered.len() as u64,
            iterations: account.executions,
            executions: meter.executions(),
            evaluations: meter.evaluations(),
            events: meter.events(),
            steps: meter.steps(),
            executions_to_full_coverage: full.map(|point| point.executions),
            suite_tests: suite.tests.len() as u64,
            suite_events: suite.events(),
            suite_assertions: suite.assertions(),
            robust: self.request.assertions.map(|_| suite.robust() as u64),
            suite_flaky: suite.tests.iter().map(|test| test.flaky.len() as u64).sum(),
            minimised_events: self.shortened.events,
            minimisation_executions: self.shortened.executions,
            ..Counts::default()
        };
        self.counts.push(("executedSteps", account.executed));
        self.counts.push(("logicalSteps", account.logical));
        self.counts.push(("unstablePaths", self.shortened.unstable));
        let generated = Generated {
            end,
            goals: suite.goals,
            covered,
            branches,
            timeline: account.timeline.clone(),
            suite,
            unstable: Vec::new(),
            counts,
            limits: Limits::default(),
        };
        GameGenerated { generated, counts: self.counts }
    }
}
