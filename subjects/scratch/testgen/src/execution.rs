//! Execution of tests on the VM.

use std::sync::Arc;

use catherd_scratch_sb3::BlockNo;
use catherd_scratch_suite::event::{Event, Interaction, center_mouse};
use catherd_scratch_vm::{LONG_SLICE, Random, Snapshot, TargetId, Tracer, Vm};
use catherd_search::Stream;

use crate::chromosome::Chromosome;
use crate::extraction::{Extractor, Instance, LastStep, Scene};
use crate::fitness::Workspace;
use crate::limits::Limits;
use crate::minimisation::Replayer;
use crate::parameters::{self, EventChoice};
use crate::prepared::Prepared;
use crate::settings::GenerationSettings;
use catherd_scratch_trace::Trace;
use catherd_scratch_trace::{History, Recorder};
use prefix_tree::{NodeNo, PrefixTree};
use within::Tried;

pub(crate) const PREFIX_CACHE_BYTES: usize = 64 << 20;

/// Maximum size in bytes of the stretches that the VM remembers.
const STRETCH_BYTES: usize = 32 << 20;

/// Executes tests of one project under one seed, one after another. The result of a test does not
/// depend on earlier tests.
pub(crate) struct Executor {
    prepared: Arc<Prepared>,
    seed: u64,
    vm: Vm<Recorder>,
    /// State after loading, with the mouse at the centre, before the green flag.
    start: Snapshot,
    prefixes: PrefixTree,
    path: Vec<NodeNo>,
    /// Steps and blocks executed up to the last state that was saved between two events.
    spent: (u64, u64),
    tried: Tried,
    /// Minimum number of blocks between two states within an event.
    long: u64,
    /// Size of the prefix cache in bytes after the first long execution; 0 for no change.
    later: usize,
    /// Minimum size of a saved state in bytes.
    least: u64,
    pub(crate) extractor: Extractor<TargetId>,
    /// Random stream for positions of drags, which restarts with every execution.
    extraction: Stream,
    interaction: Interaction,
    workspace: Workspace,
    /// Limits reached before the VM was last restored.
    limits: Limits,
    earlier: (Trace, Vec<f64>),
    hung: u64,
}

#[derive(Debug, Default)]
pub(crate) struct Recording {
    /// The events with their parameters. Each was followed by a wait of one step.
    pub(crate) events: Vec<Event>,
    pub(crate) history: History,
}

impl Executor {
    /// Creates an executor for a run. `search` determines the answer that the run types into questions. `memory` is the
    /// maximum size of the prefix cache in bytes, on which results do not depend.
    pub(crate) fn new(
        prepared: Arc<Prepared>,
        seed: u64,
        memory: usize,
        search: &mut Stream,
    ) -> Self {
        let settings = &prepared.settings;
        let (blocks, branches) = (prepared.model.block_count(), prepared.model.has_branches());
        let mut vm = Vm::new(
            Arc::clone(&prepared.program),
            settings.machine.clone(),
            Random::portable(seed),
            Recorder::new(blocks, branches),
        );
        vm.remember(LONG_SLICE, STRETCH_BYTES);
        let mut extractor = Extractor::new(
            Arc::clone(&prepared.tables),
            settings.extraction,
            settings.compat,
            search,
        );
        let mut extraction = Stream::new(seed, Stream::EXTRACTION);
        center_mouse(&mut vm);
        let start = vm.snapshot();
        extractor.read_procedures(&mut vm, &mut extraction);
        Self {
            least: vm.unshared_bytes(&start) as u64,
            start,
            prefixes: PrefixTree::new(memory),
            path: Vec::new(),
            spent: (0, 0),
            tried: Tried::default(),
            long: within::LONG,
            later: 0,
            vm,
            extractor,
            extraction,
            interaction: Interaction::default(),
            workspace: Workspace::default(),
            limits: Limits::default(),
            earlier: (Trace::with_branches(blocks, branches), Vec::new()),
            hung: 0,
            seed,
            prepared,
        }
    }

    /// Restores the state after loading and sends the green flag. Runs no step.
    pub(crate) fn begin(&mut self) {
        self.limits.add(self.vm.hits());
        self.vm.restore(&self.start);
        self.vm.set_random(Random::portable(self.seed));
        self.extraction = Stream::new(self.seed, Stream::EXTRACTION);
        self.interaction = Interaction::default();
        self.vm.tracer.clear();
        self.vm.green_flag();
        self.spent = (self.vm.steps(), self.vm.executed_blocks());
        self.tried = Tried::at(self.spent.1);
    }

    pub(crate) fn limits(&self) -> Limits {
        let mut limits = self.limits;
        limits.add(self.vm.hits());
        limits
    }

    pub(crate) fn prepared(&self) -> &Prepared {
        &self.prepared
    }

    pub(crate) fn steps(&self) -> u64 {
        self.vm.steps()
    }

    /// Whether the program has ended (Whisker paper, section 5.1). Input may still start scripts.
    pub(crate) fn has_ended(&self) -> bool {
        self.interaction.has_ended()
    }

    pub(crate) fn is_hung(&self) -> bool {
        self.interaction.is_hung()
    }

    pub(crate) fn hung_tests(&self) -> u64 {
        self.hung
    }

    pub(crate) fn is_asking(&self) -> bool {
        self.vm.is_asking()
    }

    pub(crate) fn extract(&mut self) {
        self.extractor.extract(&mut self.vm, &mut self.extraction);
    }

    /// A caller that discards a list of events must restore the random stream of extraction.
    pub(crate) fn extraction(&mut self) -> &mut Stream {
        &mut self.extraction
    }

    pub(crate) fn decode(&mut self, index: usize, codon: impl Fn(usize) -> u16) -> Event {
        let event = self.extractor.events()[index];
        self.resolve(parameters::with_codons(event, self.prepared.settings.bounds, codon))
    }

    fn resolve(&mut self, choice: EventChoice) -> Event {
        choice.event(|| self.extractor.extent(&choice.listed(), &mut self.vm))
    }

    /// Sends an event, runs its steps and one more step, and records the event and its changes.
    pub(crate) fn send(&mut self, event: Event, recording: &mut Recording) {
        self.interaction.send(event, &mut self.vm, self.extractor.words());
        recording.events.push(event);
        self.flush(recording);
    }

    /// Prolongs the last event, which must be a wait. Returns whether the trace changed.
    pub(crate) fn prolong(&mut self, steps: u32, recording: &mut Recording) -> bool {
        self.interaction.run(steps, &mut self.vm);
        if let Some(Event::Wait { steps: waited }) = recording.events.last_mut() {
            *waited += steps;
        }
        self.flush(recording)
    }

    fn flush(&mut self, recording: &mut Recording) -> bool {
        let event = recording.events.len() as u32 - 1;
        self.vm.tracer.flush(event, &mut recording.history)
    }

    /// Decodes and executes a chromosome, beginning with the green flag (Whisker paper, section
    /// 5.1).
    pub(crate) fn run(&mut self, chromosome: &Chromosome) -> Recording {
        let group = self.prepared.parameters + 1;
        let GenerationSettings { selection, bounds, .. } = self.prepared.settings;
        let positions = (0..chromosome.length()).step_by(group);
        self.execute(positions, |listed, position| {
            let index = selection.index(chromosome.codon(position), listed.len());
            parameters::with_codons(listed[index], bounds, |i| chromosome.codon(position + 1 + i))
        })
    }

    /// Executes at most this number of events, each drawn from the listed events, with random
    /// parameters (Whisker paper, Algorithm 3).
    pub(crate) fn improvise(&mut self, events: usize, rng: &mut Stream) -> Recording {
        let bounds = self.prepared.settings.bounds;
        self.execute(0..events, |listed, _| parameters::with_random(*rng.pick(listed), bounds, rng))
    }

    pub(crate) fn fitness(&mut self, fitness: &mut Vec<f64>) {
        self.prepared.model.evaluate(self.vm.tracer.trace(), fitness, &mut self.workspace);
    }

    /// Number of events, at least 1, up to the last event that improved the fitness for a goal.
    ///
    /// Fitness values never increase as a trace grows, so a binary search finds this number with
    /// few evaluations.
    pub(crate) fn last_improvement(&mut self, history: &History, fitness: &[f64]) -> u32 {
        let (trace, earlier) = &mut self.earlier;
        let (mut low, mut high) = (1, history.last_change().max(1));
        while low < high {
            let middle = low.midpoint(high);
            history.replay(middle, trace);
            self.prepared.model.evaluate(trace, earlier, &mut self.workspace);
            if earlier == fitness { high = middle } else { low = middle + 1 }
        }
        low
    }
}

impl Replayer for Executor {
    fn covers(&mut self, events: &[Event], goal: u32) -> bool {
        let goal = self.prepared.model.goals()[goal as usize];
        // A covered goal remains covered, so the replay may end when the goal is covered.
        self.replay(events, Some(goal));
        self.vm.tracer.trace().covered(goal)
    }

    fn covered(&mut self, events: &[Event]) -> Vec<u32> {
        self.replay(events, None);
        let trace = self.vm.tracer.trace();
        let goals = self.prepared.model.goals().iter().zip(0..);
        goals.filter(|(goal, _)| trace.covered(**goal)).map(|(_, number)| number).collect()
    }
}

impl LastStep for Recorder {
    fn ran_last_step(&self, block: BlockNo) -> bool {
        self.ran_last_step(block)
    }
}

impl<T: Tracer + LastStep> Scene for Vm<T> {
    type Id = TargetId;

    fn instances(&self, instances: &mut Vec<Instance<TargetId>>) {
        instances.clear();
        for target in self.targets().filter_map(|id| self.target(id)) {
            let id = target.id;
            let sprite = target.sprite as u16;
            let number = if target.original {
                0
            } else {
                // Clones come last, in the order of their creation.
                let older = instances.iter().rev().find(|other| other.sprite == sprite);
                older.map_or(0, |other| other.number) + 1
            };
            let (x, y, visible) = (target.x, target.y, target.visible);
            instances.push(Instance { id, sprite, number, x, y, visible });
        }
    }
    fn is_active(&self, top: BlockNo) -> bool {
        self.is_active(top)
    }
    fn ran_last_step(&self, hat: BlockNo) -> bool {
        self.tracer.ran_last_step(hat)
    }
    fn is_asking(&self) -> bool {
        self.is_asking()
    }
    fn mouse(&self) -> (f64, f64) {
        self.mouse()
    }
    fn mouse_down(&self) -> bool {
        self.mouse_down()
    }
    fn touches_edge(&mut self, id: TargetId) -> bool {
        self.is_touching_edge(id)
    }
    fn touches(&mut self, id: TargetId, sprite: &str) -> bool {
        self.is_touching(id, sprite)
    }
    fn touches_color(&mut self, id: TargetId, color: [u8; 3]) -> bool {
        self.is_touching_color(id, color)
    }
    fn color_touches(&mut self, id: TargetId, own: [u8; 3], other: [u8; 3]) -> bool {
        self.is_color_touching_color(id, own, other)
    }
    fn find_color(&mut self, id: TargetId, from: (f64, f64), color: [u8; 3]) -> Option<(f64, f64)> {
        self.find_color(id, from, color)
    }
    fn find_own_color(&mut self, id: TargetId, color: [u8; 3]) -> Option<(f64, f64)> {
        self.find_own_color(id, color)
    }
    fn extent(&mut self, id: TargetId) -> (f64, f64) {
        Vm::extent(self, id)
    }
}

mod prefix_cache;
mod prefix_tree;
#[cfg(test)]
mod tests;
mod within;
