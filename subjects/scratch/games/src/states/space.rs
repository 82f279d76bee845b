//! The state space of a program.

use std::rc::Rc;
use std::sync::Arc;

use catherd_scratch_suite::event::{Event, Interaction, Vocabulary, center_mouse};
use catherd_scratch_testgen::Prepared;
use catherd_scratch_testgen::extraction::{Extractor, Identifier};
use catherd_scratch_testgen::fitness::Workspace;
use catherd_scratch_testgen::parameters::{EventChoice, with_random};
use catherd_scratch_vm::{DigestScope, Random, Snapshot, TargetId, Vm};
use catherd_search::Stream;

use super::effects::{Axes, places};
use super::layout::Layout;
use super::memory::Memory;
use super::recorder::LatestRecorder;
use super::state::{Link, Saved, Slot, State, StateData, links};
use crate::explore::{Explore, Guidance, StateSpace};

/// Number of steps of a probe, without the step after the event.
const PROBE: u32 = 8;
const PROBED_EVENTS: usize = 12;
/// Number of steps from a root to its second probe.
const LATER: u32 = 40;
/// Durations of long waits, in steps.
const LONG_WAITS: [u32; 3] = [128, 256, 480];
/// Absolute value up to which each whole value of a variable is a separate feature.
const EXACT: f64 = 10.0;

pub(crate) struct Space<'a> {
    prepared: &'a Prepared,
    settings: &'a Explore,
    layout: &'a Layout,
    dependencies: Vec<Vec<usize>>,
    vm: Vm<LatestRecorder>,
    loaded: Snapshot,
    extractor: Extractor<TargetId>,
    extraction: Stream,
    workspace: Workspace,
    memory: Memory,
    /// The first state. Other snapshots share memory with the first snapshot.
    first: Option<Snapshot>,
    axes: Axes,
    seed: u64,
    steps: u64,
    interaction: Interaction,
    path: Option<Rc<Link>>,
    /// Key of the places of sprites in the current state; `None` if not computed yet.
    places_key: Option<u64>,
    /// Number of steps that were executed again because a snapshot had been dropped.
    pub(crate) replayed: u64,
}

impl<'a> Space<'a> {
    /// `rng` draws the run's random answer.
    pub(crate) fn new(
        prepared: &'a Prepared,
        settings: &'a Explore,
        layout: &'a Layout,
        seed: u64,
        rng: &mut Stream,
    ) -> Self {
        let model = prepared.model();
        let minima = settings.guidance == Guidance::Minima;
        let tracer = LatestRecorder::new(model.block_count(), model.has_branches(), minima);
        let generation = prepared.settings();
        let (program, machine) = (Arc::clone(prepared.program()), generation.machine.clone());
        let mut vm = Vm::new(program, machine, Random::portable(seed), tracer);
        center_mouse(&mut vm);
        let loaded = vm.snapshot();
        let tables = Arc::clone(prepared.tables());
        let mut extractor = Extractor::new(tables, generation.extraction, generation.compat, rng);
        let mut extraction = Stream::new(seed, Stream::EXTRACTION);
        extractor.read_procedures(&mut vm, &mut extraction);
        Self {
            prepared,
            settings,
            layout,
            dependencies: model.dependencies(),
            vm,
            loaded,
            extractor,
            extraction,
            workspace: Workspace::default(),
            memory: Memory::new(settings.memory << 20),
            first: None,
            axes: Axes::default(),
            seed,
            steps: 0,
            interaction: Interaction::default(),
            path: None,
            places_key: None,
            replayed: 0,
        }
    }

    pub(crate) fn words(&self) -> &Vocabulary {
        self.extractor.words()
    }

    fn begin(&mut self, seed: u64) {
        self.vm.restore(&self.loaded);
        self.vm.set_random(Random::portable(seed));
        self.vm.tracer.clear();
        self.vm.green_flag();
        self.seed = seed;
        self.extraction = Stream::new(seed, Stream::EXTRACTION);
        self.interaction = Interaction::default();
        self.steps = 0;
        self.path = None;
        self.places_key = None;
    }

    fn send(&mut self, event: Event) {
        self.interaction.send(event, &mut self.vm, self.extractor.words());
        self.vm.tracer.flush();
        self.steps = self.vm.steps();
        self.places_key = None;
    }

    fn save(&mut self, state: &Rc<StateData>) {
        let machine = self.vm.snapshot();
        let bytes = self.first.as_ref().map_or(0, |first| machine.unshared_bytes(first));
        let trace = self.vm.tracer.trace().clone();
        // Each block needs a pair of distances and some bits in the trace.
        let bytes = bytes + 17 * self.prepared.model().block_count();
        let evaluated = self.vm.tracer.last_step();
        self.memory.keep(state, Saved { machine, trace, evaluated }, bytes);
    }

    fn places_key(&mut self) -> u64 {
        if let Some(key) = self.places_key {
            return key;
        }
        let (grid, turn) = (self.settings.grid, self.settings.turn);
        let mut key = 0xcbf2_9ce4_8422_2325_u64;
        for view in self.vm.targets().filter_map(|id| self.vm.target(id)) {
            let counts = !self.settings.controlled || self.axes.controls(view.sprite);
            if view.original && view.visible && !view.is_stage && counts {
                let parts = [view.x / grid, view.y / grid, view.direction / turn + 0.5];
                for part in parts {
                    key = mixed(key, part.floor() as i64 as u64);
                }
            }
        }
        self.places_key = Some(key);
        key
    }

    fn pick(&mut self, rng: &mut Stream, last: Option<Event>) -> Option<Event> {
        let listed = self.extractor.events();
        let over = listed.is_empty()
            || self.interaction.is_hung()
            || self.interaction.has_ended() && listed.iter().all(Event::is_wait);
        if over {
            return None;
        }
        if let Some(last) = last.filter(|_| rng.chance(self.settings.sticky)) {
            let id = Identifier::of(&last);
            if let Some(again) = listed.iter().find(|event| Identifier::of(event) == id) {
                return Some(*again);
            }
        }
        Some(*rng.pick(listed))
    }

    fn draw(&mut self, event: Event, rng: &mut Stream) -> EventChoice {
        match event {
            Event::KeyPress { key, .. } => Event::KeyPress { key, steps: 1 << rng.below(5) }.into(),
            Event::Wait { .. } => {
                let long = rng.chance(0.1);
                let steps = if long { *rng.pick(&LONG_WAITS) } else { 1 << rng.below(7) };
                Event::Wait { steps }.into()
            }
            Event::MouseMove { .. } if rng.chance(0.5) => {
                let views = self.vm.targets().filter_map(|id| self.vm.target(id));
                let shown = views.filter(|view| !view.is_stage && view.visible);
                let places: Vec<(f64, f64)> = shown
                    .map(|view| (view.x, view.y))
                    .filter(|(x, y)| x.is_finite() && y.is_finite())
                    .collect();
                if places.is_empty() {
                    return event.into();
                }
                let (x, y) = *rng.pick(&places);
                Event::MouseMove { x: x.clamp(-240.0, 240.0), y: y.clamp(-180.0, 180.0) }.into()
            }
            event => with_random(event, self.prepared.settings().bounds, rng),
        }
    }
}

fn mixed(hash: u64, part: u64) -> u64 {
    let hash = (hash ^ part).wrapping_mul(0x0100_0000_01b3);
    hash ^ (hash >> 31)
}

impl StateSpace for Space<'_> {
    type State = State;
    type Action = Event;

    fn goals(&self) -> usize {
        self.prepared.model().goals().len()
    }

    fn is_aimed_at(&self, goal: usize) -> bool {
        self.prepared.model().is_aimed_at(goal)
    }

    fn independent(&self) -> &[usize] {
        self.prepared.model().independent_goals()
    }

    fn dependencies(&self) -> &[Vec<usize>] {
        &self.dependencies
    }

    fn root(&mut self, seed: u64) -> State {
        self.begin(seed);
        if self.first.is_none() {
            self.first = Some(self.vm.snapshot());
        }
        self.leave()
    }

    fn enter(&mut self, state: &State) {
        let data = &state.0;
        let restored = {
            let saved = data.saved.borrow();
            if let Some(counted) = &*saved {
                self.vm.restore(&counted.saved.machine);
                self.vm.tracer.resume(&counted.saved.trace, &counted.saved.evaluated);
            }
            saved.is_some()
        };
        if restored {
            self.seed = data.seed;
        } else {
            self.begin(data.seed);
            for link in links(data.path.as_ref()) {
                self.send(link.event);
            }
            self.replayed += self.vm.steps();
            self.save(data);
        }
        self.steps = data.steps;
        self.interaction = data.interaction;
        self.extraction.clone_from(&data.extraction);
        self.path.clone_from(&data.path);
        self.places_key = None;
    }

    fn propose(&mut self, rng: &mut Stream, last: Option<Event>) -> Option<Event> {
        // Listing events and resolving drags may compute outlines that later sensing uses again.
        // Tests do neither, so the VM must forget these outlines.
        let here = self.vm.snapshot();
        self.extractor.extract(&mut self.vm, &mut self.extraction);
        let event = self.pick(rng, last).map(|event| {
            let choice = self.draw(event, rng);
            let (extractor, vm) = (&mut self.extractor, &mut self.vm);
            choice.event(|| extractor.extent(&event, vm))
        });
        self.vm.restore(&here);
        event
    }

    fn act(&mut self, event: Event) -> (u64, bool) {
        let before = self.vm.steps();
        self.send(event);
        self.path = Some(Rc::new(Link { event, before: self.path.take() }));
        let over = self.interaction.has_ended() || self.interaction.is_hung();
        (self.vm.steps() - before, over)
    }

    fn idle(&mut self, steps: u64) -> bool {
        self.interaction.run(steps as u32, &mut self.vm);
        self.interaction.has_ended() || self.interaction.is_hung()
    }

    fn length(&self) -> u64 {
        self.steps
    }

    fn length_of(&self, state: &State) -> u64 {
        state.0.steps
    }

    fn fitness(&mut self, to: &mut Vec<f64>) {
        self.prepared.model().evaluate(self.vm.tracer.trace(), to, &mut self.workspace);
    }

    fn place(&mut self, goal: usize) -> u64 {
        let position = if self.settings.positions {
            self.vm.script_position(self.layout.top_of[goal])
        } else {
            0
        };
        mixed(self.places_key(), position)
    }

    fn novelty(&mut self) -> u64 {
        let position = if self.settings.positions { self.vm.position() } else { 0 };
        mixed(self.places_key(), position)
    }

    fn digest(&self) -> u128 {
        self.vm.state_digest(DigestScope::Untimed)
    }

    fn features(&mut self, to: &mut Vec<u32>) {
        to.clear();
        for view in self.vm.targets().filter_map(|id| self.vm.target(id)) {
            if view.original {
                to.push((view.sprite as u32) << 8 | u32::from(view.visible));
            }
        }
        for (number, top) in (0_u32..).zip(&self.layout.tops) {
            to.push(1 << 24 | number << 2 | u32::from(self.vm.is_active(*top)));
        }
        if self.settings.watch_variables {
            for (number, (target, variable)) in (0_u32..).zip(&self.layout.watched) {
                // The id of an original is the position of its sprite in `Project::targets`.
                let view = self.vm.target(TargetId(u32::from(*target)));
                let value = view.as_ref().and_then(|view| view.variable(*variable));
                let value = value.map_or(f64::NAN, |value| value.to_number());
                let code = if value.abs() <= EXACT { (value.round() + 16.0) as u32 } else { 63 };
                to.push(2 << 24 | number << 8 | code);
            }
        }
    }

    fn leave(&mut self) -> State {
        let data = Rc::new(StateData {
            seed: self.seed,
            steps: self.steps,
            interaction: self.interaction,
            extraction: self.extraction.clone(),
            path: self.path.clone(),
            saved: Slot::default(),
        });
        self.save(&data);
        State(data)
    }

    fn probe(&mut self, state: &State, _: &mut Stream) -> u64 {
        let mut executed = 0;
        for lead in [0, LATER] {
            self.enter(state);
            let mut interaction = self.interaction;
            interaction.run(lead, &mut self.vm);
            self.vm.tracer.flush();
            executed += u64::from(lead);
            let mut extraction = self.extraction.clone();
            self.extractor.extract(&mut self.vm, &mut extraction);
            let events: Vec<Event> = self.extractor.events().to_vec();
            executed +=
                probe(&mut self.axes, &mut self.vm, interaction, &events, self.extractor.words());
        }
        executed
    }
}

/// Probes events in the current state: executes some steps without an event, and with each of up to
/// [`PROBED_EVENTS`] events that are neither waits nor answers. Returns the number of executed
/// steps. The state of the VM afterwards is unspecified.
pub(crate) fn probe<T: catherd_scratch_vm::Tracer>(
    axes: &mut Axes,
    vm: &mut Vm<T>,
    interaction: Interaction,
    events: &[Event],
    words: &Vocabulary,
) -> u64 {
    let base = vm.snapshot();
    let mut quiet = interaction;
    quiet.run(PROBE + 1, vm);
    let mut executed = u64::from(PROBE + 1);
    let quiet = places(vm);
    axes.state(&quiet);
    let mut changed = Vec::new();
    let drives = |event: &&Event| !event.is_wait() && !event.is_answer();
    for event in events.iter().filter(drives).take(PROBED_EVENTS) {
        vm.restore(&base);
        let mut interaction = interaction;
        let held = match *event {
            Event::KeyPress { key, .. } => Event::KeyPress { key, steps: PROBE },
            Event::MouseMove { .. } => Event::MouseMove { x: 100.0, y: 60.0 },
            event => event,
        };
        let before = vm.steps();
        interaction.send(held, vm, words);
        let rest = u64::from(PROBE + 1).saturating_sub(vm.steps() - before);
        interaction.run(rest as u32, vm);
        executed += u64::from(PROBE + 1);
        axes.note(event, &quiet, &places(vm), &mut changed);
    }
    axes.end(&changed);
    executed
}
