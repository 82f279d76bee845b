//! Fingerprints of what decides the outcome of a stretch.

use catherd_scratch_render::Fingerprint;

use super::reach::{Reach, Senses};
use crate::code::Slot;
use crate::digest;
use crate::interpreter::Interpreter;
use crate::target::{List, Target};
use crate::tracer::Tracer;

/// Blocks that take as long as the fingerprint of a list item, multiplied by the part of the time
/// that fingerprints may take.
const BLOCKS_PER_ITEM: u64 = 8;

/// Variables and others whose fingerprints are always worth the time.
const FREE_ITEMS: u64 = 500;

impl<T: Tracer> Interpreter<'_, T> {
    /// Whether the fingerprint takes a small part of the time of the stretch.
    pub(super) fn is_worth(&self, reach: &Reach) -> bool {
        let lists = reach.lists.iter().map(|slot| self.listed(*slot).items.len() as u64);
        let items = lists.sum::<u64>() + reach.variables.len() as u64;
        let blocks = u64::from(self.buffers.stretches.expected);
        items.saturating_sub(FREE_ITEMS) * BLOCKS_PER_ITEM <= blocks
    }

    fn owner(&self, slot: Slot) -> (&Target, usize) {
        match slot {
            Slot::Stage(number) => (&self.state.targets[self.program.stage], number as usize),
            Slot::Own(number) => (&self.state.targets[self.target], number as usize),
        }
    }

    pub(super) fn listed(&self, slot: Slot) -> &List {
        let (target, number) = self.owner(slot);
        &target.lists[number]
    }

    pub(super) fn random_print(&self) -> Fingerprint {
        self.state.random.fingerprint(Fingerprint::of(2))
    }

    /// The fingerprint of everything that decides what a stretch does, except the budget and the
    /// random stream; `None` if it may do something that an outcome does not contain.
    pub(super) fn fingerprint(
        &self,
        base: usize,
        parameters: usize,
        reach: &Reach,
    ) -> Option<Fingerprint> {
        let state = &*self.state;
        let (thread, target) = (&state.threads[self.thread], &state.targets[self.target]);
        let mut print = Fingerprint::of(u64::from(target.sprite))
            .with(base as u64, parameters as u64)
            .with(u64::from(self.target == self.program.stage), 0);
        for frame in &thread.stack[base..] {
            let flags = digest::bits(&[frame.is_loop, frame.warp, frame.in_progress]);
            print = print
                .with(u64::from(frame.block) << 8 | flags, u64::from(frame.parameters))
                .with(frame.counter.to_bits(), u64::from(frame.parameters_below()));
        }
        print = thread.parameters[parameters..].iter().fold(print, digest::value);
        for slot in &reach.variables {
            print = digest::value(print, self.variable(*slot));
        }
        for slot in &reach.lists {
            let list = self.listed(*slot);
            print = print.with(list.items.len() as u64, u64::from(list.exists));
            print = list.items.iter().fold(print, digest::value);
        }
        let senses = |what| reach.senses & what != 0;
        if senses(Senses::OWN | Senses::CHANGES_OWN) {
            print = own_print(print, target);
        }
        if senses(Senses::CHANGES_OWN) {
            let draws = self.program.senses_colors && (target.pen.down || senses(Senses::PEN));
            if target.bubble.drawable.is_some() || draws {
                return None;
            }
            print = print
                .and(state.scene.drawable_fingerprint(target.drawable))
                .with(u64::from(state.scene.has_pen()), 0);
        }
        if senses(Senses::RASTERS) {
            print = print.and(state.scene.fingerprint());
        }
        if senses(Senses::KEYS) {
            let mut keys = state.keys.clone();
            keys.sort_unstable();
            let keys = keys.into_iter().map(digest::key_number);
            print = keys.fold(print.with(state.keys.len() as u64, 1), |p, key| p.with(key, 2));
        }
        if senses(Senses::MOUSE) {
            print = print.and(digest::mouse(&state.mouse));
        }
        if senses(Senses::TIME) {
            print = print.numbers(&[state.timer, state.clock, state.clock_start]);
        }
        if senses(Senses::ANSWER) {
            print = digest::text(print, &state.answer);
        }
        if senses(Senses::BACKDROP) {
            print = print.with(state.targets[self.program.stage].costume as u64, 3);
        }
        if senses(Senses::NUMBERS) {
            print = print.numbers(&[state.counter, state.tempo]);
        }
        Some(print)
    }
}

/// Appends what blocks read and change of their own target, without variables and lists.
fn own_print(print: Fingerprint, target: &Target) -> Fingerprint {
    let pen = &target.pen;
    let flags = digest::bits(&[target.visible, pen.down]);
    print
        .with(flags, target.rotation_style as u64)
        .with(target.costume as u64, 0)
        .numbers(&[target.x, target.y, target.direction, target.size, target.volume])
        .numbers(&target.effects)
        .numbers(&[pen.color, pen.saturation, pen.brightness, pen.transparency])
        .numbers(&[pen.shade, pen.diameter])
        .numbers(&pen.rgba)
}
