//! The state at the beginning of a stretch, from which its fingerprints are computed.

use std::sync::Arc;

use catherd_scratch_render::Fingerprint;
use rustc_hash::FxHashMap;

use super::reach::{Reach, Senses};
use crate::code::Slot;
use crate::digest;
use crate::interpreter::Interpreter;
use crate::target::{List, Target};
use crate::tracer::Tracer;
use crate::value::Value;

/// Number of blocks that must be executed for each list item of which a fingerprint or copy is
/// made.
const BLOCKS_PER_ITEM: u64 = 8;

/// Number of variables and list items for which fingerprints and copies are always made.
const FREE_ITEMS: u64 = 500;

/// Minimum number of items of a list whose fingerprint is kept.
const LONG_LIST: usize = 32;

/// Maximum number of items of all lists whose fingerprints are kept.
const MAX_KEPT_ITEMS: usize = 500_000;

/// Maximum number of instances of a sprite that may be touched.
const MAX_TOUCHED: usize = 16;

/// Number of bits of [`Senses`].
const SENSES: usize = 11;

/// Fingerprints of lists. Each list is kept with its fingerprint so that it is not changed in
/// place: equal addresses therefore mean equal items.
#[derive(Default)]
pub(super) struct Prints {
    kept: FxHashMap<usize, (Arc<Vec<Value>>, Fingerprint)>,
    items: usize,
    /// Number of items of long lists whose fingerprints may still be computed and kept.
    credit: u64,
}

impl Prints {
    pub(super) fn earn(&mut self, blocks: u32) {
        let items = u64::from(blocks) / BLOCKS_PER_ITEM;
        self.credit = (self.credit + items).min(MAX_KEPT_ITEMS as u64);
    }

    fn is_known(&self, list: &Arc<Vec<Value>>) -> bool {
        self.kept.contains_key(&(Arc::as_ptr(list) as usize))
    }

    fn of(&mut self, list: &Arc<Vec<Value>>, is_read_only: bool) -> Fingerprint {
        let address = Arc::as_ptr(list) as usize;
        if let Some((_, print)) = self.kept.get(&address) {
            return *print;
        }
        let print = list.iter().fold(Fingerprint::of(list.len() as u64), digest::value);
        if is_read_only && list.len() >= LONG_LIST {
            if self.items + list.len() > MAX_KEPT_ITEMS {
                self.kept.clear();
                self.items = 0;
            }
            self.items += list.len();
            self.kept.insert(address, (Arc::clone(list), print));
        }
        print
    }
}

/// The state that code may read, before a stretch begins.
pub(super) struct Start {
    /// The fingerprint of the sprite, the frames and the parameters.
    print: Fingerprint,
    variables: Vec<Value>,
    /// Items, and whether the list exists.
    lists: Vec<(Arc<Vec<Value>>, bool)>,
    others: Vec<Fingerprint>,
    /// `None` if a sprite has too many instances.
    touched: Vec<Option<Fingerprint>>,
    /// By bit of [`Senses`].
    senses: [Fingerprint; SENSES],
    pen_down: bool,
    has_bubble: bool,
    pub(super) has_pen: bool,
    senses_colors: bool,
}

impl<T: Tracer> Interpreter<'_, T> {
    /// Whether copies of the lists that a stretch may change take a small part of its time.
    pub(super) fn may_copy(&self, reach: &Reach) -> bool {
        let items = reach.changed.iter().map(|slot| self.listed(*slot).items.len() as u64);
        let blocks = u64::from(self.buffers.stretches.expected);
        items.sum::<u64>().saturating_sub(FREE_ITEMS) * BLOCKS_PER_ITEM <= blocks
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

    pub(super) fn start(&self, base: usize, parameters: usize, reach: &Reach) -> Start {
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
        let others = reach.others.iter();
        Start {
            print,
            variables: reach.variables.iter().map(|slot| self.variable(*slot).clone()).collect(),
            lists: reach
                .lists
                .iter()
                .map(|slot| self.listed(*slot))
                .map(|list| (Arc::clone(&list.items), list.exists))
                .collect(),
            others: others.map(|other| own_print(&state.targets[*other])).collect(),
            touched: reach.touched.iter().map(|sprite| self.instances_print(*sprite)).collect(),
            senses: self.sense_prints(reach.senses),
            pen_down: target.pen.down,
            has_bubble: target.bubble.drawable.is_some(),
            has_pen: state.scene.has_pen(),
            senses_colors: self.program.senses_colors,
        }
    }

    fn instances_print(&self, sprite: usize) -> Option<Fingerprint> {
        let state = &*self.state;
        let print = |target: &Target| {
            own_print(target).and(state.scene.drawable_fingerprint(target.drawable))
        };
        let instances =
            state.live_targets.iter().filter(|live| live.sprite as usize == sprite).enumerate();
        let mut prints = print(&state.targets[sprite]);
        for (number, live) in instances {
            if number == MAX_TOUCHED {
                return None;
            }
            let own = live.id.0 as usize == self.target;
            prints = prints.and(print(&state.targets[live.id.0 as usize])).with(u64::from(own), 5);
        }
        Some(prints)
    }

    fn sense_prints(&self, senses: u16) -> [Fingerprint; SENSES] {
        let state = &*self.state;
        let target = &state.targets[self.target];
        let none = Fingerprint::of(0);
        std::array::from_fn(|bit| match senses & 1 << bit {
            Senses::OWN => own_print(target),
            Senses::CHANGES_OWN => own_print(target)
                .and(state.scene.drawable_fingerprint(target.drawable))
                .with(u64::from(state.scene.has_pen()), 0),
            Senses::RASTERS => state.scene.fingerprint(),
            Senses::KEYS => {
                let mut keys = state.keys.clone();
                keys.sort_unstable();
                let keys = keys.into_iter().map(digest::key_number);
                keys.fold(none.with(state.keys.len() as u64, 1), |p, key| p.with(key, 2))
            }
            Senses::MOUSE => digest::mouse(&state.mouse),
            Senses::TIME => none.numbers(&[state.timer, state.clock, state.clock_start]),
            Senses::ANSWER => digest::text(none, &state.answer),
            Senses::BACKDROP => none.with(state.targets[self.program.stage].costume as u64, 3),
            Senses::NUMBERS => none.numbers(&[state.counter, state.tempo]),
            Senses::TARGETS => state.execution_order.iter().fold(none, |print, id| {
                print.with(u64::from(state.targets[id.0 as usize].sprite), 4)
            }),
            _ => none,
        })
    }
}

impl Start {
    /// The fingerprint of everything in `reach` that determines the outcome of a stretch, except
    /// the budget and the random stream. This state was taken with the reach `wide`, which contains
    /// `reach`.
    pub(super) fn fingerprint(
        &self,
        wide: &Reach,
        reach: &Reach,
        blocks: u32,
        prints: &mut Prints,
    ) -> Option<Fingerprint> {
        let senses = |what| reach.senses & what != 0;
        if senses(Senses::CHANGES_OWN) {
            let draws = self.senses_colors && (self.pen_down || senses(Senses::PEN));
            if self.has_bubble || draws {
                return None;
            }
        }
        let (mut cost, mut kept) = (reach.variables.len() as u64, 0);
        let mut lists = Vec::with_capacity(reach.lists.len());
        for slot in &reach.lists {
            let (items, exists) = &self.lists[wide.lists.binary_search(slot).ok()?];
            let is_read_only = reach.changed.binary_search(slot).is_err();
            if !prints.is_known(items) {
                let keeps = is_read_only && items.len() >= LONG_LIST;
                *(if keeps { &mut kept } else { &mut cost }) += items.len() as u64;
            }
            lists.push((items, *exists, is_read_only));
        }
        if cost.saturating_sub(FREE_ITEMS) * BLOCKS_PER_ITEM > u64::from(blocks) {
            return None;
        }
        prints.credit = prints.credit.checked_sub(kept)?;
        let mut print = self.print.and(reach.print());
        for slot in &reach.variables {
            print = digest::value(print, &self.variables[wide.variables.binary_search(slot).ok()?]);
        }
        for (items, exists, is_read_only) in lists {
            print = print.and(prints.of(items, is_read_only)).with(u64::from(exists), 0);
        }
        for other in &reach.others {
            print = print.and(self.others[wide.others.binary_search(other).ok()?]);
        }
        for sprite in &reach.touched {
            print = print.and(self.touched[wide.touched.binary_search(sprite).ok()?]?);
        }
        for (bit, sensed) in self.senses.iter().enumerate() {
            if senses(1 << bit) {
                print = print.and(*sensed);
            }
        }
        Some(print)
    }
}

/// Without variables and lists.
fn own_print(target: &Target) -> Fingerprint {
    let pen = &target.pen;
    let flags = digest::bits(&[target.visible, pen.down]);
    Fingerprint::of(flags)
        .with(target.rotation_style as u64, target.costume as u64)
        .numbers(&[target.x, target.y, target.direction, target.size, target.volume])
        .numbers(&target.effects)
        .numbers(&[pen.color, pen.saturation, pen.brightness, pen.transparency])
        .numbers(&[pen.shade, pen.diameter])
        .numbers(&pen.rgba)
}
