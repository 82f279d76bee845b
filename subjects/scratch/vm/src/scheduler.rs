//! The scheduler, which determines the order of threads (Whisker paper, section 2.1).
//!
//! A step executes at most [`VmSettings::batches`](crate::VmSettings::batches) batches. A batch
//! gives every thread that can continue one slice, in order. A slice executes blocks until the
//! thread yields, waits or ends, or until a limit is reached.

use crate::calls::Work;
use crate::code::{CommandId, Expr, NONE, Op};
use crate::interpreted::Fallback;
use crate::interpreter::Interpreter;
use crate::limits::Limit;
use crate::stretches::End;
use crate::target::{NO_THREAD, TargetId};
use crate::thread::{NO_CURRENT, Status, Thread, ThreadId};
use crate::tracer::Tracer;
use crate::trigger::Trigger;
use crate::vm::Vm;

impl<T: Tracer> Vm<T> {
    /// Executes one step: first the edge-activated hats, then the threads in batches.
    pub fn step(&mut self) {
        self.call(Work::Step);
    }

    /// Clicks the green flag: stops everything, and starts the scripts of the flag, whose bodies
    /// begin in the next step.
    pub fn green_flag(&mut self) {
        self.call(Work::Flag);
    }
}

impl<T: Tracer> Interpreter<'_, T> {
    pub(crate) fn green_flag(&mut self) {
        self.stop_all();
        for slot in self.state.detached_threads.take().unwrap_or_default() {
            self.release_thread(slot);
        }
        self.state.answer = crate::text::Text::new("");
        self.state.loudness = None;
        (self.state.steps, self.state.timer) = (0, 0.0);
        (self.state.clock, self.state.clock_start) = (0.0, 0.0);
        for i in 0..self.state.live_targets.len() {
            let id = self.state.live_targets[i].id;
            let target = &mut self.state.targets[id.0 as usize];
            target.sound_effects = [0.0; 2];
            target.edges.iter_mut().for_each(|e| *e = None);
        }
        if self.state.hits.of(Limit::Costume).times == 0 {
            (0..self.program.skins.refused()).for_each(|_| self.hit(Limit::Costume));
        }
        self.start_hats(&Trigger::Flag, None);
        self.state.active_threads = self.state.thread_list.len();
    }

    pub(crate) fn step(&mut self) {
        if self.state.promises.is_some() {
            self.resolve_promises_of_time();
        }
        self.state.steps += 1;
        let budget =
            self.settings.halved_budget(self.settings.step_budget, self.state.step_overruns);
        let budget = budget.min(self.state.fuel);
        self.state.step_fuel = budget;
        self.state.overloaded = false;
        if T::ACTIVE {
            self.tracer.step();
        }
        self.remove_ended_threads();
        for i in 0..self.program.edge_hats.len() {
            self.start_hats(&Trigger::Edge(self.program.edge_hats[i]), None);
        }
        self.redraw = false;
        self.state.active_threads = 0;
        for batch in 0..self.settings.batches.max(1) {
            let runnable = self.run_batch(batch == 0);
            let drawn = self.redraw && !self.settings.pace.turbo;
            if !runnable || drawn || self.aborted || self.failed {
                break;
            }
        }
        let executed = budget - self.state.step_fuel;
        if self.state.step_fuel == 0 {
            self.state.step_overruns += 1;
            self.state.overloaded = true;
        }
        self.state.overloaded |= executed >= u64::from(self.settings.warp_budget);
        self.state.executed += executed;
        self.state.fuel -= executed;
        if !self.failed {
            self.state.scene.end_frame();
        }
        self.state.timer += self.settings.timer_increment;
        self.state.clock += 1.0;
        self.resolve_promises();
    }

    /// Returns whether some thread could continue immediately.
    fn run_batch(&mut self, first: bool) -> bool {
        let mut runnable = false;
        let mut ended = false;
        let mut i = 0;
        loop {
            let list = self.state.detached_threads.as_ref().unwrap_or(&self.state.thread_list);
            let Some(&slot) = list.get(i) else { break };
            if T::WATCHES && self.aborted {
                break;
            }
            i += 1;
            let thread = &mut self.state.threads[slot as usize];
            if thread.is_done() {
                ended = true;
                continue;
            }
            if first && matches!(thread.status, Status::YieldTick) {
                thread.status = Status::Running;
            }
            if thread.status == Status::Running {
                if self.state.step_fuel == 0 {
                    self.hit(Limit::Step);
                    continue;
                }
                ended |= self.run_slice(slot as usize);
                if self.failed {
                    self.release_detached();
                    return false;
                }
            }
            runnable |= self.state.threads[slot as usize].status == Status::Running;
        }
        let before = self.state.thread_list.len();
        self.release_detached();
        // A thread that was ended by a later thread stays in the list, unless the batch came across
        // another thread that had ended. The thread of a visible monitor executes in every batch
        // and ends in the same batch.
        if ended || self.state.shows_monitors {
            self.remove_ended_threads();
        }
        // A thread that ended in this step still counts as active.
        self.state.active_threads = self.state.active_threads.max(before);
        runnable
    }

    fn release_detached(&mut self) {
        for slot in self.state.detached_threads.take().unwrap_or_default() {
            self.release_thread(slot);
        }
    }

    fn remove_ended_threads(&mut self) {
        let threads = &self.state.threads;
        if self.state.thread_list.iter().any(|&slot| threads[slot as usize].is_done()) {
            self.remove_some_ended_threads();
        }
    }

    #[inline(never)]
    fn remove_some_ended_threads(&mut self) {
        let mut list = std::mem::take(&mut self.state.thread_list);
        list.retain(|&slot| {
            let thread = &self.state.threads[slot as usize];
            if !thread.is_done() {
                return true;
            }
            let (target, script) = (thread.target.0 as usize, thread.script as usize);
            if T::WATCHES {
                self.tracer.ended(ThreadId { slot, serial: thread.serial });
            }
            let running = &mut self.state.targets[target].running;
            // The index of a deleted clone may have been reused for a clone of a different sprite.
            if running.get(script) == Some(&slot) {
                running[script] = NO_THREAD;
            }
            self.release_thread(slot);
            false
        });
        self.state.thread_list = list;
    }

    pub(crate) fn release_thread(&mut self, slot: u32) {
        let thread = &mut self.state.threads[slot as usize];
        thread.kill();
        thread.listed = false;
        thread.serial = u64::MAX;
        self.state.free_threads.push(slot);
    }

    /// Threads whose promises are resolved continue after their blocks in the next step.
    fn resolve_promises(&mut self) {
        for i in 0..self.state.thread_list.len() {
            let slot = self.state.thread_list[i] as usize;
            if self.state.threads[slot].status == (Status::Promise { resolved: true }) {
                self.resolve_promise(slot);
            }
        }
    }

    pub(crate) fn resolve_promise(&mut self, slot: usize) {
        let commands = &self.program.commands;
        let thread = &mut self.state.threads[slot];
        thread.status = Status::Running;
        let next = loop {
            let Some(popped) = thread.pop() else { return };
            let next =
                if popped.block == NONE { NONE } else { commands[popped.block as usize].next };
            if next != NONE || thread.stack.last().is_none_or(|f| f.is_loop) {
                break next;
            }
        };
        thread.push(next);
    }

    /// Returns whether the thread has ended.
    fn run_slice(&mut self, slot: usize) -> bool {
        self.thread = slot;
        self.target = self.state.threads[slot].target.0 as usize;
        let budget = u64::from(self.settings.warp_budget);
        let budget = self.settings.halved_budget(budget, self.state.threads[slot].overruns);
        self.slice_fuel = budget.min(self.state.step_fuel) as u32;
        self.buffers.cycles.reset();
        if T::REMEMBERS {
            let before = self.slice_fuel;
            self.expect_slice();
            self.execute_until_yield();
            self.note_slice(before - self.slice_fuel);
        } else {
            self.execute_until_yield();
        }
        let thread = &mut self.state.threads[slot];
        if self.slice_fuel == 0 {
            thread.overruns += 1;
            self.state.overloaded = true;
        }
        if thread.stack.is_empty() {
            thread.status = Status::Done;
        }
        let ended = thread.is_done();
        if !thread.listed && self.state.detached_threads.is_none() {
            // The thread restarted its own script during the slice.
            self.release_thread(slot as u32);
        }
        self.thread = NO_CURRENT;
        ended
    }

    fn execute_until_yield(&mut self) {
        let slot = self.thread;
        if self.top() == Some(NONE) {
            self.state.threads[slot].pop();
        }
        if T::REMEMBERS && !T::WATCHES {
            match self.begin_stretch() {
                Some(End::Budget) => return,
                Some(End::Block) if !self.unwind() => return,
                _ => {}
            }
        }
        loop {
            let Some(frame) = self.state.threads[slot].stack.last() else { return };
            let (block, was_warp) = (frame.block, frame.warp);
            if T::REMEMBERS && !was_warp && self.buffers.stretches.is_open() {
                // The thread has left code without screen refresh, but not at the end of the custom
                // block.
                self.end_stretch(End::Budget);
            }
            // Check before every block, because scripts without a loop can be long as well.
            if self.state.step_fuel == 0 {
                return self.hit(Limit::Step);
            }
            if T::WATCHES && self.aborted {
                return;
            }
            debug_assert_ne!(block, NONE);
            if was_warp && self.buffers.interpreted.is_some() {
                let no = self.program.commands[block as usize].no;
                self.count_fallback(no, Fallback::Outside);
            }
            self.execute(block);
            let thread = &mut self.state.threads[slot];
            let command = &self.program.commands[block as usize];
            // A block that waits for a translation has not computed anything yet.
            if command.op.only_computes() && thread.status == Status::Running {
                // The frame is in its initial state, so only its block changes.
                if let Some(top) = thread.stack.last_mut() {
                    top.block = command.next;
                }
                if command.next != NONE {
                    continue;
                }
            }
            match thread.status {
                Status::Running => {}
                Status::Yield => {
                    thread.status = Status::Running;
                    if was_warp && self.slice_fuel > 0 {
                        continue;
                    }
                    if was_warp {
                        self.hit(Limit::Slice);
                    }
                    return;
                }
                Status::YieldTick | Status::Promise { .. } | Status::Done => return,
            }
            // If the block has no control flow, it is still on top of the stack: continue with the
            // next block.
            if thread.stack.last().is_some_and(|f| f.block == block) {
                thread.replace_top(command.next);
                if was_warp {
                    self.resume_after(block);
                }
            } else if matches!(command.op, Op::Call { .. }) {
                if T::REMEMBERS && !T::WATCHES && !was_warp {
                    match self.begin_stretch() {
                        Some(End::Budget) => return,
                        Some(End::Block) => {}
                        None => self.enter_called(),
                    }
                } else {
                    self.enter_called();
                }
            }
            if !self.unwind() {
                return;
            }
        }
    }

    /// Ends the branches, iterations and custom blocks of the current thread that have no blocks
    /// left. Returns whether the slice continues.
    #[inline]
    fn unwind(&mut self) -> bool {
        let slot = self.thread;
        loop {
            let thread = &mut self.state.threads[slot];
            if thread.stack.last().is_none_or(|f| f.block != NONE) {
                return true;
            }
            thread.pop();
            let Some(frame) = thread.stack.last() else { return false };
            let (block, is_loop, warp) = (frame.block, frame.is_loop, frame.warp);
            if T::REMEMBERS && !warp && self.buffers.stretches.is_open() {
                self.end_stretch(End::Block);
            }
            if is_loop {
                if warp && self.slice_fuel > 0 {
                    if T::MERGES && !T::WATCHES {
                        self.buffers.cycles.due -= 1;
                        if self.buffers.cycles.due == 0 {
                            self.search_cycle();
                        }
                    }
                    self.enter_loop_again();
                    continue;
                }
                if warp {
                    self.hit(Limit::Slice);
                }
                return false;
            }
            let next =
                if block == NONE { NONE } else { self.program.commands[block as usize].next };
            self.state.threads[slot].replace_top(next);
        }
    }

    fn top(&self) -> Option<CommandId> {
        Some(self.state.threads[self.thread].stack.last()?.block)
    }

    pub(crate) fn new_thread(&mut self, target: TargetId, script: u32, hat: CommandId) -> u32 {
        let slot = self.state.free_threads.pop().unwrap_or_else(|| {
            self.state.threads.push(Thread::new());
            self.state.threads.len() as u32 - 1
        });
        let serial = self.state.next_serial;
        self.state.next_serial += 1;
        self.state.threads[slot as usize].start(target, script, hat, serial);
        self.state.targets[target.0 as usize].running[script as usize] = slot;
        slot
    }

    /// An old thread that is executing finishes its slice.
    pub(crate) fn restart(
        &mut self,
        old: u32,
        target: TargetId,
        script: u32,
        hat: CommandId,
    ) -> u32 {
        let slot = self.new_thread(target, script, hat);
        // Try the position after the last restarted thread first, because most threads of an event
        // are restarted in the order of the list.
        let list = &mut self.state.thread_list;
        let next = self.buffers.restarted;
        let place = if list.get(next) == Some(&old) {
            Some(next)
        } else {
            list.iter().position(|s| *s == old)
        };
        if let Some(place) = place {
            list[place] = slot;
            self.buffers.restarted = place + 1;
        }
        self.state.threads[old as usize].listed = false;
        if old as usize != self.thread || self.state.threads[old as usize].is_done() {
            self.release_thread(old);
        }
        slot
    }

    pub(crate) fn is_listed(&self, (slot, serial): (u32, u64)) -> bool {
        let thread = &self.state.threads[slot as usize];
        thread.listed && thread.serial == serial
    }

    /// A batch that is being executed continues with the old list.
    pub(crate) fn detach_threads(&mut self) {
        let old = std::mem::take(&mut self.state.thread_list);
        for &slot in &old {
            let thread = &mut self.state.threads[slot as usize];
            thread.listed = false;
            let (target, script) = (thread.target.0 as usize, thread.script as usize);
            if self.state.targets[target].running.get(script) == Some(&slot) {
                self.state.targets[target].running[script] = NO_THREAD;
            }
        }
        match &mut self.state.detached_threads {
            // An earlier `stop all` of this batch has detached threads, so these threads have not
            // been executed yet.
            Some(_) => old.into_iter().for_each(|slot| self.release_thread(slot)),
            None => self.state.detached_threads = Some(old),
        }
    }

    /// Whether a block whose early inputs end before `to` must wait a step for its translations.
    #[cold]
    fn waits_for_translations(&mut self, to: u32) -> bool {
        let last = self.program.early_inputs[to as usize - 1];
        if !matches!(self.program.exprs[last.0 as usize], Expr::AwaitedTranslation) {
            return false;
        }
        let thread = &mut self.state.threads[self.thread];
        thread.translated = !thread.translated;
        if thread.translated {
            thread.status = Status::YieldTick;
        }
        thread.translated
    }

    /// Executes a block, unless the block must first wait for translations.
    pub(crate) fn execute(&mut self, block: CommandId) {
        let command = &self.program.commands[block as usize];
        self.consume_fuel(1);
        let (from, to) = command.early_inputs;
        if from != to {
            let awaits = self.settings.awaits_translations || self.state.promises.is_some();
            if awaits && self.waits_for_translations(to) {
                return;
            }
            self.buffers.early_values.clear();
            for i in from..to {
                let value = self.value(self.program.early_inputs[i as usize]);
                self.buffers.early_values.push(value);
            }
        }
        if T::ACTIVE {
            if T::WATCHES && self.frame().in_progress {
                self.tracer.resumed();
            }
            self.tracer.covered(command.no);
        }
        match command.op {
            Op::Nothing => {}
            ref op => self.execute_op(op, command.no),
        }
    }
}
