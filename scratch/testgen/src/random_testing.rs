//! Random testing (Whisker paper, Algorithm 3) as a search problem: a test is as many events
//! as its genes say, drawn while it runs. There is nothing to inherit, so mutation draws
//! anew.

use std::rc::Rc;

use catherd_search::{Cost, Meter, Problem, Stream, Test};

use crate::event::Event;
use crate::execution::Executor;

/// What a random test is drawn from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Draws {
    /// How many events, unless the program ends before.
    events: usize,
    /// The stream that they are drawn from.
    seed: u64,
}

/// An executed test; clones share it.
#[derive(Clone, Debug)]
pub(crate) struct Drawn(Rc<Executed>);

#[derive(Debug)]
struct Executed {
    genes: Draws,
    events: Vec<Event>,
    fitness: Vec<f64>,
}

impl Drawn {
    pub(crate) fn events(&self) -> &[Event] {
        &self.0.events
    }
}

impl Test for Drawn {
    fn fitness(&self) -> &[f64] {
        &self.0.fitness
    }

    fn length(&self) -> usize {
        self.0.genes.events
    }

    fn same_genes(&self, other: &Self) -> bool {
        self.0.genes == other.0.genes
    }
}

/// Random testing of one project with one seed.
pub(crate) struct RandomTesting<'a> {
    pub(crate) executor: &'a mut Executor,
}

impl Problem for RandomTesting<'_> {
    type Genes = Draws;
    type Test = Drawn;

    fn goals(&self) -> usize {
        self.executor.prepared().model.goals().len()
    }

    fn sample(&mut self, rng: &mut Stream) -> Draws {
        let settings = &self.executor.prepared().settings;
        let events = rng.between(settings.min_events as u64, settings.max_events as u64) as usize;
        Draws { events, seed: rng.next_u64() }
    }

    fn genes(&self, test: &Drawn) -> Draws {
        test.0.genes
    }

    fn mutate(&mut self, _: &Draws, rng: &mut Stream) -> Draws {
        self.sample(rng)
    }

    fn crossover(&mut self, a: &Draws, b: &Draws, _: &mut Stream) -> (Draws, Draws) {
        (*a, *b)
    }

    fn execute(&mut self, genes: Draws, meter: &mut Meter) -> Drawn {
        let mut draws = Stream::new(genes.seed, Stream::EVENTS);
        let events = self.executor.improvise(genes.events, &mut draws).events;
        let steps = self.executor.steps();
        meter.execution(Cost { evaluations: 1, events: events.len() as u64, steps });
        let mut fitness = Vec::new();
        self.executor.fitness(&mut fitness);
        Drawn(Rc::new(Executed { genes, events, fitness }))
    }

    fn extend(&mut self, _: &Drawn, _: &mut Stream, _: &mut Meter) -> Option<Drawn> {
        None
    }

    fn reduce(&mut self, _: &Drawn) -> Option<Drawn> {
        None
    }
}
