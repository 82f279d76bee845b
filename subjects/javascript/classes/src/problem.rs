//! The search problem: tests of a program and their fitness.

use std::collections::BTreeMap;
use std::rc::Rc;

use catherd_javascript_machine::instrument::{Goal, GoalKind, Hit};
use catherd_javascript_machine::{
    Argument, ExecuteOptions, Execution, Machine, MachineError, Program, TestOutcome,
};
use catherd_search::{Cost, Meter, Problem, Stream, Test};

use crate::building::Maker;
use crate::entries::targets_of_goals;
use crate::genes::Genes;
use crate::goals::{method_goals, statement_goals};
use crate::journal::Journal;
use crate::model::Model;
use crate::results::{CallResults, FailedTest};
use crate::settings::{GenerationSettings, Goals, Profile};
use crate::texts::Texts;
use crate::types::{self, Knowledge};
use crate::values::Constants;
use crate::words::Words;

/// An executed test.
#[derive(Clone, Debug)]
pub struct Executed(Rc<Content>);

#[derive(Debug)]
struct Content {
    genes: Genes,
    fitness: Vec<f64>,
    /// Number of statements after which nothing new was covered and no outcome came nearer, if
    /// known.
    useful: Option<usize>,
}

impl Executed {
    /// The genes.
    pub fn genes(&self) -> &Genes {
        &self.0.genes
    }
}

impl Test for Executed {
    fn fitness(&self) -> &[f64] {
        &self.0.fitness
    }

    fn length(&self) -> usize {
        self.0.genes.statements.len()
    }

    fn same_genes(&self, other: &Self) -> bool {
        self.0.genes == other.0.genes
    }
}

/// Counts of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunCounts {
    /// Traps of proxies.
    pub traps: u64,
    /// Tests that inferred types.
    pub inference_tests: u64,
    /// Tests that threw.
    pub failures: u64,
    /// Counts of executions that a limit ended, by the name of the limit.
    pub limits: std::collections::BTreeMap<&'static str, u64>,
}

/// A program, with the knowledge that executed tests have provided about it.
pub struct Subject {
    /// The program.
    pub program: Rc<Program>,
    /// The machine that executes tests.
    pub machine: Machine,
    /// The classes, functions and targets of the program.
    pub model: Model,
    /// Evidence about the type of each parameter.
    pub knowledge: Vec<Knowledge>,
    /// Constants of the program.
    pub constants: Constants,
    /// Words of the program; `None` if no values are made from words.
    pub words: Option<Words>,
    /// Settings of test generation.
    pub settings: GenerationSettings,
    /// The goals of the search.
    pub goals: Vec<Goal>,
    /// Counts so far.
    pub counts: RunCounts,
    /// Seed of `Math.random` in every execution.
    pub seed: u64,
    /// The results that calls of each target returned.
    pub results: Vec<CallResults>,
    /// Tests that threw, one for each target, name and message.
    pub failures: BTreeMap<(usize, String, String), FailedTest>,
    /// The first error of the machine; nothing is executed after it.
    pub error: Option<MachineError>,
    /// The journal of the search.
    pub journal: Journal,
    /// Whether each goal is known to be covered.
    pub(crate) covered: Vec<bool>,
    /// For each function, some targets whose calls enter it.
    pub(crate) entries: Vec<Vec<usize>>,
    /// For each goal, a target whose calls enter the function of the goal.
    pub(crate) target_of_goal: Vec<Option<usize>>,
    /// Tests from which other tests are made by changing strings; `None` without words.
    pub(crate) texts: Option<Texts>,
}

impl Subject {
    /// Analyses a program.
    ///
    /// # Errors
    ///
    /// If the program cannot be loaded.
    pub fn new(
        program: &Rc<Program>,
        mut machine: Machine,
        settings: GenerationSettings,
        seed: u64,
    ) -> Result<Subject, MachineError> {
        let model = Model::of(program, &mut machine)?;
        let knowledge = types::from_text(program, &model);
        let loading = ExecuteOptions { seed, loading: true, ..ExecuteOptions::default() };
        let loaded = machine.execute(&[], loading)?;
        let mut goals = match settings.goals {
            Goals::Branch => program.units.goals.clone(),
            Goals::Statement => statement_goals(program),
            Goals::Mut => method_goals(program, &model, settings.nodes),
        };
        goals.retain(|goal| !loaded.hits(goal.hit));
        goals.sort_by(|a, b| {
            (a.file, a.start, a.kind, &a.outcome).cmp(&(b.file, b.start, b.kind, &b.outcome))
        });
        if settings.profile == Profile::Scored {
            machine.look_for_classes(model.classes.iter().map(|class| class.name.clone()));
        }
        let words = if settings.uses_words() {
            let constructed = machine.constructed_patterns()?;
            Some(Words::of(program, &model, &constructed, settings.mined))
        } else {
            None
        };
        Ok(Subject {
            target_of_goal: targets_of_goals(&goals, &model),
            texts: words.is_some().then(|| Texts::of(program, &goals)),
            covered: vec![false; goals.len()],
            entries: vec![
                Vec::new();
                if words.is_some() { program.units.functions.len() } else { 0 }
            ],
            results: vec![CallResults::default(); model.targets.len()],
            failures: BTreeMap::new(),
            constants: Constants::of(&program.units, &program.package.config),
            program: Rc::clone(program),
            machine,
            model,
            knowledge,
            settings,
            words,
            goals,
            counts: RunCounts::default(),
            seed,
            error: None,
            journal: Journal::default(),
        })
    }

    /// The data for making tests. `unknowns` states whether unknown values may be passed.
    pub fn maker(&self, unknowns: bool) -> Maker<'_> {
        Maker {
            model: &self.model,
            knowledge: &self.knowledge,
            results: &self.results,
            constants: &self.constants,
            words: self.words.as_ref(),
            functions: &self.program.units.functions,
            settings: &self.settings,
            unknowns,
        }
    }

    /// Executes a test and learns from it. Returns the execution, and whether the test passes
    /// unknown values; `None` after an error of the machine.
    pub fn run(&mut self, genes: &Genes) -> Option<(Execution, bool)> {
        self.run_traced(genes, false)
    }

    /// Returns whether the execution must be left out.
    pub(crate) fn begin(&mut self, targets: &[usize]) -> bool {
        let name = targets.last().map_or("", |target| self.model.targets[*target].name.as_str());
        self.journal.begin(targets, name)
    }

    /// Like [`run`](Subject::run). With `trace`, also records the reached units after each
    /// statement.
    pub(crate) fn run_traced(&mut self, genes: &Genes, trace: bool) -> Option<(Execution, bool)> {
        if self.error.is_some() {
            return None;
        }
        let unknown = has_unknowns(genes);
        let options =
            ExecuteOptions { infer: unknown, seed: self.seed, trace, ..ExecuteOptions::default() };
        let executed = match self.begin(&genes.targets) {
            true => self.machine.leave_out(options),
            false => self.machine.execute(&genes.statements, options),
        };
        let execution = match executed {
            Ok(execution) => execution,
            Err(error) => {
                self.error = Some(error);
                return None;
            }
        };
        self.counts.traps += execution.traps;
        match &execution.outcome {
            TestOutcome::Threw { .. } => self.counts.failures += 1,
            TestOutcome::Limit(name) => *self.counts.limits.entry(name).or_default() += 1,
            TestOutcome::Passed => {}
        }
        if unknown {
            self.counts.inference_tests += 1;
        }
        let executed = (execution.ended + 1).min(genes.statements.len());
        for target in &genes.targets[..executed] {
            let target = &self.model.targets[*target];
            let first = target.first_parameter;
            for known in &mut self.knowledge[first..first + target.parameters.len()] {
                known.uses += 1;
            }
        }
        for seen in &execution.evidence {
            if let Some(known) = self.knowledge.get_mut(seen.id as usize) {
                known.add(seen);
            }
        }
        let classes = self.model.classes.len();
        self.model.observe(&execution.classes);
        if self.words.is_some() && self.model.classes.len() > classes {
            self.take_observed(classes);
        }
        if !unknown {
            self.learn(genes, &execution);
            self.note_entries(genes, &execution);
        }
        Some((execution, unknown))
    }

    /// The fitness of a test for each goal.
    pub fn fitness(&self, genes: &Genes, execution: &Execution) -> Vec<f64> {
        let called: Vec<u32> = genes
            .targets
            .iter()
            .filter_map(|target| self.model.targets[*target].function)
            .collect();
        let thrown = matches!(execution.outcome, TestOutcome::Threw { .. });
        let discarded = thrown && self.settings.discard_throwing;
        // Ignore the distances of a test that a limit ended, because tests derived from it would
        // often reach the limit, too.
        let endless = matches!(execution.outcome, TestOutcome::Limit(_));
        self.goals
            .iter()
            .map(|goal| self.goal_fitness(goal, execution, &called, [discarded, endless]))
            .collect()
    }

    fn goal_fitness(
        &self,
        goal: &Goal,
        execution: &Execution,
        called: &[u32],
        [discarded, endless]: [bool; 2],
    ) -> f64 {
        if !discarded && execution.hits(goal.hit) {
            return 0.0;
        }
        let depth = goal.control.len() as f64;
        if endless {
            return 2.0 + depth;
        }
        let entered = goal.function.is_none_or(|function| {
            let counter = self.program.units.functions[function as usize].counter;
            execution.counters[counter as usize] > 0
        });
        if !entered {
            let near = goal.function.is_some_and(|function| called.contains(&function));
            return 1.0 + depth + if near { 0.0 } else { 1.0 };
        }
        let open = goal.control.iter().position(|control| !execution.decided(*control));
        match open {
            None => 0.5,
            Some(index) => {
                let left = goal.control.len() - 1 - index;
                let distance = execution.distance(goal.control[index]);
                left as f64 + distance.clamp(0.001, 1.0)
            }
        }
    }

    /// A random target, usually a target with uncovered goals.
    fn pick_target(&self, rng: &mut Stream) -> usize {
        if self.words.is_some()
            && rng.chance(0.7)
            && let Some(target) = self.pick_entry(rng)
        {
            return target;
        }
        if rng.chance(0.7) {
            let open: Vec<usize> = (0..self.goals.len())
                .filter(|goal| !self.covered[*goal])
                .filter_map(|goal| self.target_of_goal[goal])
                .collect();
            if !open.is_empty() {
                return *rng.pick(&open);
            }
        }
        rng.index(self.model.targets.len())
    }

    fn execute_genes(&mut self, mut genes: Genes, meter: &mut Meter) -> Executed {
        let mut useful = None;
        let fitness = match self.run(&genes) {
            None => {
                meter.execution(Cost { evaluations: 1, ..Cost::default() });
                vec![f64::INFINITY; self.goals.len()]
            }
            Some((execution, unknown)) => {
                let steps = execution.steps;
                let events = genes.statements.len() as u64;
                // Remove the statements after the one that ended the test, because they were not
                // executed.
                genes.ends = execution.outcome != TestOutcome::Passed;
                let executed = (execution.ended + 1).min(genes.statements.len());
                genes.statements.truncate(executed);
                genes.targets.truncate(executed);
                meter.execution(Cost { evaluations: 1, events, steps });
                if unknown {
                    vec![f64::INFINITY; self.goals.len()]
                } else {
                    useful = execution.useful;
                    let fitness = self.fitness(&genes, &execution);
                    if let Some(texts) = &mut self.texts {
                        texts.learn(&genes, &execution, &fitness, &self.covered, &self.goals);
                    }
                    fitness
                }
            }
        };
        genes.varied = false;
        let mut news = false;
        for (goal, fitness) in fitness.iter().enumerate() {
            news |= *fitness == 0.0 && !self.covered[goal];
            self.covered[goal] |= *fitness == 0.0;
        }
        if news && self.settings.profile == Profile::Scored {
            self.reward(&genes, 0..genes.statements.len(), 1.0);
        }
        if news {
            let goals: Vec<usize> =
                (0..fitness.len()).filter(|goal| fitness[*goal] == 0.0).collect();
            self.journal.add(&genes, &goals, (meter.executions(), meter.steps()));
        }
        Executed(Rc::new(Content { genes, fitness, useful }))
    }
}

/// Whether a test passes unknown values.
pub fn has_unknowns(genes: &Genes) -> bool {
    let mut unknown = false;
    for argument in genes.statements.iter().flat_map(|statement| &statement.arguments) {
        argument.visit(&mut |inner| unknown |= matches!(inner, Argument::Unknown(_)));
    }
    unknown
}

impl Problem for Subject {
    type Genes = Genes;
    type Test = Executed;

    fn goals(&self) -> usize {
        self.goals.len()
    }

    fn independent_goals(&self) -> Vec<usize> {
        let needed: std::collections::BTreeSet<usize> =
            self.dependencies().into_iter().flatten().collect();
        let all = 0..self.goals.len();
        all.filter(|goal| !needed.contains(goal)).collect()
    }

    fn dependencies(&self) -> Vec<Vec<usize>> {
        let entry = |function: u32| {
            self.goals
                .iter()
                .position(|goal| goal.kind == GoalKind::Function && goal.function == Some(function))
        };
        let outcome = |hit: Hit| self.goals.iter().position(|goal| goal.hit == hit);
        let functions = &self.program.units.functions;
        let own = |number: usize, goal: &Goal| {
            let is_entry = goal.kind == GoalKind::Function;
            // Skip the last control of a two-way goal, because it is the goal's own outcome.
            let end = goal.control.len() - usize::from(matches!(goal.hit, Hit::Outcome { .. }));
            for control in goal.control[..end].iter().rev() {
                let hit = Hit::Outcome { site: control.site, taken: control.outcome };
                if let Some(found) = outcome(hit).filter(|found| *found != number) {
                    return vec![found];
                }
            }
            let holder = match goal.function {
                Some(function) if is_entry => functions[function as usize].holder,
                function => function,
            };
            holder.and_then(entry).filter(|found| *found != number).into_iter().collect()
        };
        self.goals.iter().enumerate().map(|(number, goal)| own(number, goal)).collect()
    }

    fn sample(&mut self, rng: &mut Stream) -> Genes {
        let target = self.pick_target(rng);
        let unknowns = rng.chance(0.05);
        self.maker(unknowns).random(target, rng)
    }

    fn genes(&self, test: &Executed) -> Genes {
        test.0.genes.clone()
    }

    fn mutate(&mut self, genes: &Genes, rng: &mut Stream) -> Genes {
        if let Some(texts) = &self.texts
            && let Some(child) = texts.child(&self.maker(false), &self.goals, rng)
        {
            return child;
        }
        // Sometimes sample a new test, as EvoSuite and Pynguin do, because small changes of short
        // tests cannot reach states that need many calls.
        if rng.chance(self.settings.fresh) {
            return self.sample(rng);
        }
        let targets: Vec<usize> = (0..3).map(|_| self.pick_target(rng)).collect();
        let mut mutated = genes.mutated(&self.maker(false), &targets, rng);
        make_known(&mut mutated);
        mutated
    }

    fn crossover(&mut self, a: &Genes, b: &Genes, rng: &mut Stream) -> (Genes, Genes) {
        let position = rng.unit();
        let cut = |genes: &Genes| (position * (genes.usable() + 1) as f64) as usize;
        let (at, other) = (cut(a), cut(b));
        let maker = self.maker(false);
        if maker.words.is_some() && rng.chance(0.5) {
            return (a.grafted(&maker, b, rng), b.grafted(&maker, a, rng));
        }
        let first = a.crossed(&maker, at, b, other, rng);
        let second = b.crossed(&maker, other, a, at, rng);
        (first, second)
    }

    fn execute(&mut self, genes: Genes, meter: &mut Meter) -> Executed {
        self.execute_genes(genes, meter)
    }

    fn extend(&mut self, test: &Executed, rng: &mut Stream, meter: &mut Meter) -> Option<Executed> {
        let replaced = self.texts.as_ref().is_some_and(|texts| texts.replaces(rng));
        if test.length() >= self.settings.maximum_length || replaced {
            return None;
        }
        let target = self.pick_target(rng);
        let genes = &test.0.genes;
        let genes = genes.with_burst(&self.maker(false), genes.usable(), target, rng);
        Some(self.execute_genes(genes, meter))
    }

    fn reduce(&mut self, test: &Executed) -> Option<Executed> {
        let Content { genes, fitness, useful } = &*test.0;
        let length = useful.filter(|length| !genes.ends && *length < genes.statements.len())?;
        let content = Content { genes: genes.head(length), fitness: fitness.clone(), useful: None };
        Some(Executed(Rc::new(content)))
    }
}

/// Replaces unknown values, which cover nothing, with `undefined`.
fn make_known(genes: &mut Genes) {
    for argument in genes.statements.iter_mut().flat_map(|statement| &mut statement.arguments) {
        argument.visit_mut(&mut |inner| {
            if matches!(inner, Argument::Unknown(_)) {
                *inner = Argument::Undefined;
            }
        });
    }
}
