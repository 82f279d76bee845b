//! Random testing (Whisker paper, Algorithm 3) as a search problem: the genes of a test are a
//! number of events and a seed, and the events are drawn while the test runs. Because nothing can
//! be inherited, mutation draws new genes.

use std::rc::Rc;

use catherd_scratch_suite::event::Event;
use catherd_search::{Cost, Meter, Problem, Stream, Test};

use crate::execution::Executor;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EventDraws {
    /// Number of events, unless the program ends earlier.
    events: usize,
    seed: u64,
}

/// An executed random test. Clones share its data.
#[derive(Clone, Debug)]
pub(crate) struct GeneratedTest(Rc<Executed>);

#[derive(Debug)]
struct Executed {
    genes: EventDraws,
    events: Vec<Event>,
    fitness: Vec<f64>,
}

impl GeneratedTest {
    pub(crate) fn events(&self) -> &[Event] {
        &self.0.events
    }
}

impl Test for GeneratedTest {
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

pub(crate) struct RandomTesting<'a> {
    pub(crate) executor: &'a mut Executor,
}

impl Problem for RandomTesting<'_> {
    type Genes = EventDraws;
    type Test = GeneratedTest;

    fn goals(&self) -> usize {
        self.executor.prepared().model.goals().len()
    }

    fn counted_goals(&self) -> usize {
        self.executor.prepared().model.block_goals()
    }

    fn is_aimed_at(&self, goal: usize) -> bool {
        self.executor.prepared().model.is_aimed_at(goal)
    }

    fn sample(&mut self, rng: &mut Stream) -> EventDraws {
        let settings = &self.executor.prepared().settings;
        let events = rng.between(settings.min_events as u64, settings.max_events as u64) as usize;
        EventDraws { events, seed: rng.next_u64() }
    }

    fn genes(&self, test: &GeneratedTest) -> EventDraws {
        test.0.genes
    }

    fn mutate(&mut self, _: &EventDraws, rng: &mut Stream) -> EventDraws {
        self.sample(rng)
    }

    fn crossover(
        &mut self,
        a: &EventDraws,
        b: &EventDraws,
        _: &mut Stream,
    ) -> (EventDraws, EventDraws) {
        (*a, *b)
    }

    fn execute(&mut self, genes: EventDraws, meter: &mut Meter) -> GeneratedTest {
        let mut draws = Stream::new(genes.seed, Stream::EVENTS);
        let events = self.executor.improvise(genes.events, &mut draws).events;
        let steps = self.executor.steps();
        meter.execution(Cost { evaluations: 1, events: events.len() as u64, steps });
        let mut fitness = Vec::new();
        self.executor.fitness(&mut fitness);
        GeneratedTest(Rc::new(Executed { genes, events, fitness }))
    }

    fn extend(
        &mut self,
        _: &GeneratedTest,
        _: &mut Stream,
        _: &mut Meter,
    ) -> Option<GeneratedTest> {
        None
    }

    fn reduce(&mut self, _: &GeneratedTest) -> Option<GeneratedTest> {
        None
    }
}
