//! The alphabet of policies: events to which the program reacts, and the sprites that they move,
//! found by experiments during random walks.

use catherd_scratch_suite::Axis;
use catherd_scratch_suite::event::{Event, Interaction, KeyNo, TextNo};
use catherd_scratch_testgen::extraction::Identifier;
use catherd_scratch_testgen::parameters::with_random;
use catherd_search::Stream;
use rustc_hash::FxHashSet;

use super::arena::Arena;
use crate::account::Work;
use crate::states::{Axes, probe};

/// Number of walks, which use the given seeds in turn, and maximum number of events of a walk.
const WALKS: usize = 8;
const EVENTS: usize = 8;
/// Number of steps before each event of a walk.
const PAUSE: u32 = 10;

#[derive(Clone, Debug, Default)]
pub(crate) struct Alphabet {
    /// Events that a rule may send: all listed events except waits, answers, drags and moves of the
    /// mouse.
    pub(crate) events: Vec<Event>,
    pub(crate) mouse: bool,
    pub(crate) answers: Vec<TextNo>,
    /// Sprites and axes, with the keys that move the sprite along the axis in both directions.
    pub(crate) steered: Vec<(u16, Axis, [KeyNo; 2])>,
}

impl Alphabet {
    pub(crate) fn new(arena: &mut Arena<'_>, seeds: &[u64], rng: &mut Stream) -> (Self, Work) {
        let mut alphabet = Self::default();
        let mut axes = Axes::default();
        let mut known = FxHashSet::default();
        let mut executed = 0;
        for walk in 0..WALKS {
            let seed = seeds[walk % seeds.len()];
            arena.begin(seed);
            let mut interaction = Interaction::default();
            let mut extraction = Stream::new(seed, Stream::EXTRACTION);
            for _ in 0..EVENTS {
                interaction.run(PAUSE, &mut arena.vm);
                arena.extractor.extract(&mut arena.vm, &mut extraction);
                let listed = arena.extractor.events().to_vec();
                listed.iter().for_each(|event| alphabet.add(event, &mut known));
                let here = arena.vm.snapshot();
                let words = arena.extractor.words();
                executed += probe(&mut axes, &mut arena.vm, interaction, &listed, words);
                arena.vm.restore(&here);
                if listed.is_empty() || interaction.has_ended() || interaction.is_hung() {
                    break;
                }
                let bounds = arena.prepared.settings().bounds;
                let choice = with_random(*rng.pick(&listed), bounds, rng);
                let shown = choice.event(|| (0.0, 0.0));
                let event = choice.event(|| arena.extractor.extent(&shown, &mut arena.vm));
                interaction.send(event, &mut arena.vm, arena.extractor.words());
            }
            executed += arena.vm.steps();
        }
        alphabet.steered = axes.steered();
        (alphabet, Work { executed, logical: executed, events: (WALKS * EVENTS) as u64 })
    }

    fn add(&mut self, event: &Event, known: &mut FxHashSet<Identifier>) {
        match *event {
            Event::Wait { .. } | Event::DragSprite { .. } | Event::TypeNumber { .. } => {}
            Event::TypeText { text } => {
                if !self.answers.contains(&text) {
                    self.answers.push(text);
                }
            }
            Event::MouseMove { .. } | Event::MouseMoveTo { .. } => self.mouse = true,
            Event::ClickClone { sprite, .. } => {
                // Rules click on the first visible clone.
                let click = Event::ClickClone { sprite, instance: 0, x: 0.0, y: 0.0 };
                if known.insert(Identifier::of(&click)) {
                    self.events.push(click);
                }
            }
            Event::MouseDown { .. } => {
                if known.insert(Identifier::of(event)) {
                    self.mouse = true;
                    self.events.push(*event);
                }
            }
            event => {
                if known.insert(Identifier::of(&event)) {
                    self.events.push(event);
                }
            }
        }
    }
}
