//! Scratch test generation as a search problem, with codons as genes.

use std::cell::Cell;
use std::rc::Rc;

use catherd_scratch_suite::event::Event;
use catherd_search::{Cost, Meter, Problem, Stream, Test};

use crate::chromosome::{Chromosome, Genetics};
use crate::execution::{Executor, Recording};
use catherd_scratch_trace::History;

/// An executed test. Clones share its data.
#[derive(Clone, Debug)]
pub(crate) struct TestCase(Rc<Executed>);

#[derive(Debug)]
pub(crate) struct Executed {
    pub(crate) chromosome: Chromosome,
    pub(crate) events: Vec<Event>,
    pub(crate) fitness: Rc<[f64]>,
    pub(crate) history: History,
    /// Whether the program had neither ended nor hung after the last event.
    pub(crate) running: bool,
    pub(crate) extended: Cell<bool>,
}

impl TestCase {
    pub(crate) fn new(chromosome: Chromosome, recording: Recording, end: &mut Executor) -> Self {
        let mut fitness = Vec::new();
        end.fitness(&mut fitness);
        let running = !end.has_ended() && !end.is_hung();
        Self::with_fitness(chromosome, recording, fitness.into(), running)
    }

    pub(crate) fn with_fitness(
        chromosome: Chromosome,
        Recording { events, history }: Recording,
        fitness: Rc<[f64]>,
        running: bool,
    ) -> Self {
        let extended = Cell::new(false);
        Self(Rc::new(Executed { chromosome, events, fitness, history, running, extended }))
    }
}

impl std::ops::Deref for TestCase {
    type Target = Executed;

    fn deref(&self) -> &Executed {
        &self.0
    }
}

impl Test for TestCase {
    fn fitness(&self) -> &[f64] {
        &self.0.fitness
    }

    fn length(&self) -> usize {
        self.0.chromosome.length()
    }

    fn same_genes(&self, other: &Self) -> bool {
        self.0.chromosome == other.0.chromosome
    }
}

pub(crate) struct ScratchProblem<'a> {
    pub(crate) executor: &'a mut Executor,
    pub(crate) genetics: Genetics,
}

impl Problem for ScratchProblem<'_> {
    type Genes = Chromosome;
    type Test = TestCase;

    fn goals(&self) -> usize {
        self.executor.prepared().model.goals().len()
    }

    fn independent_goals(&self) -> Vec<usize> {
        self.executor.prepared().model.independent_goals().to_vec()
    }

    fn counted_goals(&self) -> usize {
        self.executor.prepared().model.block_goals()
    }

    fn is_aimed_at(&self, goal: usize) -> bool {
        self.executor.prepared().model.is_aimed_at(goal)
    }

    fn dependencies(&self) -> Vec<Vec<usize>> {
        self.executor.prepared().model.dependencies()
    }

    fn sample(&mut self, rng: &mut Stream) -> Chromosome {
        self.genetics.sample(rng)
    }

    fn genes(&self, test: &TestCase) -> Chromosome {
        test.chromosome.clone()
    }

    fn mutate(&mut self, genes: &Chromosome, rng: &mut Stream) -> Chromosome {
        self.genetics.mutate(genes, rng)
    }

    fn crossover(
        &mut self,
        a: &Chromosome,
        b: &Chromosome,
        rng: &mut Stream,
    ) -> (Chromosome, Chromosome) {
        self.genetics.crossover(a, b, rng)
    }

    fn execute(&mut self, genes: Chromosome, meter: &mut Meter) -> TestCase {
        let recording = self.executor.run(&genes);
        let events = recording.events.len() as u64;
        meter.execution(Cost { evaluations: 1, events, steps: self.executor.steps() });
        TestCase::new(genes, recording, self.executor)
    }

    fn extend(&mut self, test: &TestCase, rng: &mut Stream, meter: &mut Meter) -> Option<TestCase> {
        self.extension(test, rng, meter)
    }

    fn reduce(&mut self, test: &TestCase) -> Option<TestCase> {
        self.reduction(test)
    }
}
