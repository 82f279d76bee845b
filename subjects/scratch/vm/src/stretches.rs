//! Memory of stretches. A stretch is a part of the execution of one thread in warp within one
//! slice: from the beginning of the slice, or from a call to a custom block without screen refresh,
//! to the end of the outermost such block or of the budget of the slice.
//!
//! The executed blocks of a stretch determine which data it reads and changes: its [`Reach`]. If a
//! later stretch at the same place begins with the same values of these data, it executes the same
//! blocks, so its outcome is applied without execution.

mod known;
mod outcome;
mod reach;
mod start;

use std::sync::Arc;

use catherd_scratch_render::Fingerprint;
use rustc_hash::FxHashMap;

use crate::code::{CommandId, NONE, Slot};
use crate::interpreter::Interpreter;
use crate::limits::Hits;
use crate::thread::Status;
use crate::tracer::Tracer;
use crate::trigger::Trigger;
use crate::vm::Vm;
use known::{Codes, Place};
use outcome::{Outcome, Own};
use reach::{Reach, Senses};
use start::{Prints, Start};

/// Minimum number of blocks of a slice for which [remembering](Vm::remember) its thread saves time.
pub const LONG_SLICE: u32 = 20_000;

/// Maximum number of frames in warp of a thread that is remembered.
const MAX_FRAMES: usize = 64;

/// Number of successive misses after which attempts become rare.
const MAX_MISSES: u32 = 64;

impl<T: Tracer> Vm<T> {
    /// Remembers the outcomes of code without screen refresh from now on, and applies them when the
    /// same code is executed again with the same data. Results do not change. Has no effect with a
    /// tracer without [`Tracer::REMEMBERS`].
    ///
    /// Threads are remembered if a slice has at least `least` blocks, usually [`LONG_SLICE`].
    /// `bytes` is the maximum estimated size of the memory; 0 switches remembering off.
    pub fn remember(&mut self, least: u32, bytes: usize) {
        self.buffers.stretches = Stretches { least, limit: bytes, ..Stretches::default() };
    }

    /// Number of stretches that were executed and remembered, and number of remembered outcomes
    /// that were applied.
    pub fn remembered(&self) -> (u64, u64) {
        self.buffers.stretches.counts
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The outermost custom block without screen refresh has ended.
    Block,
    /// The budget of the slice is used up.
    Budget,
}

/// The memory of one VM, which is not part of the state, because results do not depend on it.
#[derive(Default)]
pub(crate) struct Stretches {
    least: u32,
    limit: usize,
    bytes: usize,
    outcomes: FxHashMap<u128, Outcome>,
    codes: Codes,
    prints: Prints,
    /// Threads with long slices, by their hats.
    long: FxHashMap<CommandId, Long>,
    /// Number of blocks of the last slice of the executing thread; 0 if no stretch is attempted.
    expected: u32,
    open: Option<Box<Open>>,
    counts: (u64, u64),
}

#[derive(Default)]
struct Long {
    /// Number of blocks of the last slice.
    blocks: u32,
    /// Number of successive attempts that found no outcome.
    misses: u32,
    /// Number of further slices without an attempt.
    pause: u32,
}

struct Open {
    place: Place,
    wide: Arc<Reach>,
    start: Start,
    /// Number of frames below the first frame in warp.
    base: usize,
    /// Number of parameters of calls without warp.
    parameters: usize,
    slice_fuel: u32,
    step_fuel: u64,
    hits: Hits,
    drawn: u128,
    random: Fingerprint,
    redraw: bool,
    messages: Vec<u32>,
}

impl Stretches {
    #[inline]
    pub(crate) fn note_message(&mut self, message: u32) {
        if let Some(open) = &mut self.open {
            open.messages.push(message);
        }
    }

    #[inline]
    pub(crate) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    pub(crate) fn forget(&mut self) {
        self.outcomes.clear();
        self.bytes = 0;
    }

    fn keep(&mut self, key: Fingerprint, outcome: Outcome) {
        let bytes = outcome.bytes();
        if bytes > self.limit / 4 {
            return;
        }
        if self.bytes + bytes > self.limit {
            self.forget();
        }
        self.counts.0 += 1;
        self.bytes += bytes;
        if let Some(old) = self.outcomes.insert(key.bits(), outcome) {
            self.bytes -= old.bytes();
        }
    }
}

/// The key of outcomes that also depend on the budget or the random stream, if they are given.
fn narrowed(key: Fingerprint, budget: Option<u32>, random: Option<Fingerprint>) -> Fingerprint {
    let key = budget.map_or(key, |budget| key.with(u64::from(budget), 1));
    random.map_or(key, |random| key.and(random))
}

impl<T: Tracer> Interpreter<'_, T> {
    #[inline]
    pub(crate) fn expect_slice(&mut self) {
        if !self.buffers.stretches.long.is_empty() {
            self.expect_long_slice();
        }
    }

    fn expect_long_slice(&mut self) {
        let hat = self.state.threads[self.thread].hat;
        let stretches = &mut self.buffers.stretches;
        stretches.expected = 0;
        if let Some(long) = stretches.long.get_mut(&hat) {
            if long.pause > 0 {
                long.pause -= 1;
            } else {
                stretches.expected = long.blocks;
            }
        }
    }

    #[inline]
    pub(crate) fn note_slice(&mut self, blocks: u32) {
        let stretches = &self.buffers.stretches;
        if stretches.limit == 0 {
            return;
        }
        if stretches.is_open() {
            self.end_stretch(End::Budget);
        }
        let stretches = &mut self.buffers.stretches;
        if blocks < stretches.least && stretches.expected == 0 {
            return;
        }
        stretches.expected = 0;
        let hat = self.state.threads[self.thread].hat;
        if blocks < stretches.least {
            stretches.long.remove(&hat);
        } else {
            stretches.long.entry(hat).or_default().blocks = blocks;
        }
    }

    /// If the outcome of the stretch that begins at the top of the stack is remembered, applies it
    /// and returns how the stretch ended.
    #[inline]
    pub(crate) fn begin_stretch(&mut self) -> Option<End> {
        if self.buffers.stretches.expected == 0 {
            return None;
        }
        self.begin_long_stretch()
    }

    #[inline(never)]
    fn begin_long_stretch(&mut self) -> Option<End> {
        let thread = &self.state.threads[self.thread];
        if self.buffers.stretches.is_open() || thread.stack.last().is_none_or(|top| !top.warp) {
            return None;
        }
        let drawn = self.state.random.position()?;
        let in_warp = thread.stack.iter().rev().take_while(|frame| frame.warp).count();
        let base = thread.stack.len() - in_warp;
        let parameters = (thread.stack[base].parameters_below() as usize).checked_sub(1)?;
        let place = self.place(base)?;
        let (program, traced) = (self.program, T::ACTIVE);
        let known = self.buffers.stretches.codes.at(&place, program, traced)?;
        if known.is_hopeless() {
            return None;
        }
        let (wide, variants) = (Arc::clone(&known.wide), known.variants.clone());
        if !self.may_copy(&wide) {
            return None;
        }
        let start = self.start(base, parameters, &wide);
        let Stretches { expected, prints, .. } = &mut self.buffers.stretches;
        prints.earn(*expected);
        let random_print = self.random_print();
        let (slice_fuel, step_fuel) = (self.slice_fuel, self.state.step_fuel);
        let (budget, random) = (Some(slice_fuel), Some(random_print));
        let keys = [(None, None), (budget, None), (None, random), (budget, random)];
        let hat = self.state.threads[self.thread].hat;
        for (number, reach) in variants.iter().enumerate() {
            let Stretches { expected, prints, .. } = &mut self.buffers.stretches;
            let key = start.fingerprint(&wide, reach, *expected, prints);
            let Some(key) = key else { continue };
            for (budget, random) in keys {
                let key = narrowed(key, budget, random).bits();
                let Some(outcome) = self.buffers.stretches.outcomes.remove(&key) else { continue };
                let fits = outcome.fits(slice_fuel, step_fuel);
                if fits {
                    self.take_over(base, parameters, reach, &outcome);
                }
                let end = outcome.end();
                let stretches = &mut self.buffers.stretches;
                stretches.outcomes.insert(key, outcome);
                if fits {
                    stretches.counts.1 += 1;
                    if let Some(long) = stretches.long.get_mut(&hat) {
                        long.misses = 0;
                    }
                    if let Some(known) = stretches.codes.at(&place, program, traced) {
                        known.found(number);
                    }
                    return Some(end);
                }
            }
        }
        if let Some(long) = self.buffers.stretches.long.get_mut(&hat) {
            long.misses += 1;
            if long.misses > MAX_MISSES {
                long.pause = 1 << (long.misses - MAX_MISSES).min(5);
            }
        }
        let target = &self.state.targets[self.target];
        debug_assert!(target.alive, "the thread of a deleted clone does not execute");
        self.buffers.stretches.open = Some(Box::new(Open {
            place,
            wide,
            start,
            base,
            parameters,
            slice_fuel,
            step_fuel,
            hits: self.state.hits,
            drawn,
            random: random_print,
            redraw: std::mem::replace(&mut self.redraw, false),
            messages: Vec::new(),
        }));
        self.tracer.record();
        None
    }

    fn place(&self, base: usize) -> Option<Place> {
        let frames = &self.state.threads[self.thread].stack[base..];
        let sprite = self.state.targets[self.target].sprite;
        let blocks = frames.iter().map(|frame| frame.block).chain([sprite]);
        (frames.len() <= MAX_FRAMES).then(|| blocks.collect())
    }

    /// Remembers the outcome if the stretch ended in the way that `end` indicates.
    #[inline(never)]
    pub(crate) fn end_stretch(&mut self, end: End) {
        let Some(open) = self.buffers.stretches.open.take() else { return };
        let traced = self.tracer.recorded();
        let redraw = self.redraw;
        self.redraw |= open.redraw;
        let thread = &self.state.threads[self.thread];
        let above = thread.stack.len().checked_sub(open.base);
        let ended = match end {
            End::Block => above == Some(0) && self.slice_fuel > 0,
            End::Budget => {
                self.slice_fuel == 0
                    && thread.status == Status::Running
                    && thread.stack.last().is_some_and(|top| top.warp)
                    && above.is_some_and(|above| above > 0 && above <= MAX_FRAMES)
            }
        };
        let Some(drawn) = self.state.random.position() else { return };
        if !ended || self.state.step_fuel == 0 || self.failed || self.aborted {
            let codes = &mut self.buffers.stretches.codes;
            if let Some(known) = codes.at(&open.place, self.program, T::ACTIVE) {
                known.fail();
            }
            return;
        }
        let draws = drawn != open.drawn;
        let random = draws.then(|| self.state.random.clone());
        let Open { place, wide, start, base, parameters, slice_fuel, step_fuel, hits, .. } = *open;
        let (program, blocks) = (self.program, slice_fuel - self.slice_fuel);
        let Stretches { codes, prints, .. } = &mut self.buffers.stretches;
        let reach = if T::ACTIVE {
            let executed = codes.of_executed(&place, &traced.covered, program);
            let Some(known) = codes.at(&place, program, true) else { return };
            match executed {
                Some(executed) => known.succeed(&executed),
                None => return known.fail(),
            }
        } else {
            Arc::clone(&wide)
        };
        let Some(key) = start.fingerprint(&wide, &reach, blocks, prints) else { return };
        let budget = (end == End::Budget).then_some(slice_fuel);
        let own = (reach.senses & Senses::CHANGES_OWN != 0)
            .then(|| self.own_outcome(&reach, start.has_pen).map(Box::new));
        // The outcome exists, because a live target has a drawable.
        let own = match own {
            Some(None) => return,
            Some(own) => own,
            None => None,
        };
        let slots = |slots: &[Slot]| -> Vec<_> {
            slots.iter().map(|slot| Arc::clone(&self.listed(*slot).items)).collect()
        };
        let outcome = Outcome {
            budget,
            blocks: (blocks, step_fuel - self.state.step_fuel),
            frames: thread.stack[base..].to_vec(),
            parameters: budget.map_or(Vec::new(), |_| thread.parameters[parameters..].to_vec()),
            variables: reach.set.iter().map(|slot| self.variable(*slot).clone()).collect(),
            lists: slots(&reach.changed),
            exist: reach.lists.iter().map(|slot| self.listed(*slot).exists).collect(),
            own,
            random,
            messages: open.messages,
            hits: self.state.hits.since(&hits),
            redraw,
            traced,
        };
        let random = draws.then_some(open.random);
        let key = narrowed(key, budget, random);
        self.buffers.stretches.keep(key, outcome);
    }

    fn own_outcome(&self, reach: &Reach, had_pen: bool) -> Option<Own> {
        let scene = &self.state.scene;
        let target = &self.state.targets[self.target];
        Some(Own {
            position: (target.x, target.y),
            direction: target.direction,
            size: target.size,
            rotation_style: target.rotation_style,
            costume: target.costume,
            effects: target.effects,
            pen: target.pen.clone(),
            drawable: scene.copy_drawable(target.drawable)?,
            rasters: (reach.senses & Senses::RASTERS != 0).then(|| scene.rasters()),
            makes_pen: scene.has_pen() && !had_pen,
        })
    }

    fn take_over(&mut self, base: usize, parameters: usize, reach: &Reach, outcome: &Outcome) {
        for (slot, value) in reach.set.iter().zip(&outcome.variables) {
            self.variable_mut(*slot).clone_from(value);
        }
        for (slot, exists) in reach.lists.iter().zip(&outcome.exist) {
            let before = self.listed(*slot).exists;
            self.list(*slot).exists = before || *exists;
        }
        for (slot, items) in reach.changed.iter().zip(&outcome.lists) {
            self.list(*slot).items.clone_from(items);
        }
        if let Some(own) = &outcome.own {
            self.take_over_own(own);
        }
        if let Some(random) = &outcome.random {
            self.state.random.clone_from(random);
        }
        let thread = &mut self.state.threads[self.thread];
        thread.stack.truncate(base);
        match outcome.end() {
            End::Budget => {
                thread.stack.extend_from_slice(&outcome.frames);
                thread.parameters.truncate(parameters);
                thread.parameters.extend_from_slice(&outcome.parameters);
            }
            // The interpreter continues as at the end of the custom block.
            End::Block => thread.push(NONE),
        }
        // The fuel for starting scripts is already included in the blocks of the outcome.
        let fuel = (self.slice_fuel, self.state.step_fuel);
        for message in &outcome.messages {
            self.start_hats(&Trigger::Message(*message), None);
        }
        (self.slice_fuel, self.state.step_fuel) = fuel;
        self.state.hits.add(&outcome.hits, self.state.steps);
        self.slice_fuel -= outcome.blocks.0;
        self.state.step_fuel -= outcome.blocks.1;
        self.redraw |= outcome.redraw;
        self.tracer.take_over(&outcome.traced);
    }

    fn take_over_own(&mut self, own: &Own) {
        let scene = &mut self.state.scene;
        if own.makes_pen {
            scene.pen_clear();
        }
        let target = &mut self.state.targets[self.target];
        (target.x, target.y) = own.position;
        (target.direction, target.size) = (own.direction, own.size);
        (target.rotation_style, target.costume) = (own.rotation_style, own.costume);
        (target.effects, target.pen) = (own.effects, own.pen.clone());
        scene.restore_drawable(target.drawable, &own.drawable);
        if let Some(rasters) = &own.rasters {
            scene.restore_rasters(rasters);
        }
    }
}
