//! Steps, passes, slices: which thread runs when (Whisker paper, section 2.1).

use crate::code::{CommandId, NONE, Op};
use crate::limits::Limit;
use crate::machine::{NO_CURRENT, Run, Vm};
use crate::program::Start;
use crate::state::{NO_THREAD, TargetId};
use crate::thread::{Status, Thread};
use crate::tracer::Tracer;

impl<T: Tracer> Vm<T> {
    /// One step of 1/30 s: edge-activated hats, then every thread once, in order.
    pub fn step(&mut self) {
        self.run().step();
    }

    /// Clicks the green flag. Scripts have executed their hats when this returns; their
    /// bodies begin in the next step. Step counter and timer start from 0; variables,
    /// positions and the pen's drawing stay.
    pub fn green_flag(&mut self) {
        let mut run = self.run();
        run.stop_all();
        for slot in run.s.detached.take().unwrap_or_default() {
            run.release(slot);
        }
        run.s.answer = crate::text::Text::new("");
        run.s.loudness = None;
        (run.s.steps, run.s.timer) = (0, 0.0);
        (run.s.clock, run.s.clock_start) = (0.0, 0.0);
        for i in 0..run.s.list.len() {
            let target = &mut run.s.targets[run.s.list[i].0 as usize];
            target.sound_effects = [0.0; 2];
            target.edges.iter_mut().for_each(|e| *e = None);
        }
        if run.s.hits.of(Limit::Costume).times == 0 {
            (0..run.p.skins.refused()).for_each(|_| run.hit(Limit::Costume));
        }
        run.start_hats(&Start::Flag, None);
        run.s.active = run.s.thread_list.len();
    }
}

impl<T: Tracer> Run<'_, T> {
    fn step(&mut self) {
        self.s.steps += 1;
        let budget = self.settings.shrunk(self.settings.step_budget, self.s.exhausted);
        let budget = budget.min(self.s.allowance);
        self.s.blocks_left = budget;
        self.s.overloaded = false;
        if T::ACTIVE {
            self.tracer.step();
        }
        self.free_ended();
        for i in 0..self.p.edge_hats.len() {
            self.start_hats(&Start::Edge(self.p.edge_hats[i]), None);
        }
        self.redraw = false;
        self.s.active = 0;
        for batch in 0..self.settings.batches.max(1) {
            let goes_on = self.pass(batch == 0);
            if !goes_on || self.redraw {
                break;
            }
        }
        let executed = budget - self.s.blocks_left;
        if self.s.blocks_left == 0 {
            self.s.exhausted += 1;
            self.s.overloaded = true;
        }
        self.s.overloaded |= executed >= u64::from(self.settings.warp_budget);
        self.s.executed += executed;
        self.s.allowance -= executed;
        self.s.scene.end_frame();
        self.s.timer += self.settings.timer_increment;
        self.s.clock += 1.0;
        self.resolve_promises();
    }

    /// Every thread of the list once; threads appended meanwhile get their turn too. True
    /// if one of them would go on at once.
    fn pass(&mut self, first: bool) -> bool {
        let mut goes_on = false;
        let mut i = 0;
        loop {
            let list = self.s.detached.as_ref().unwrap_or(&self.s.thread_list);
            let Some(&slot) = list.get(i) else { break };
            i += 1;
            let thread = &mut self.s.threads[slot as usize];
            if thread.is_done() {
                continue;
            }
            if first && matches!(thread.status, Status::YieldTick) {
                thread.status = Status::Running;
            }
            if thread.status == Status::Running {
                if self.s.blocks_left == 0 {
                    self.hit(Limit::Step);
                    continue;
                }
                self.slice(slot as usize);
            }
            goes_on |= self.s.threads[slot as usize].status == Status::Running;
        }
        let before = self.s.thread_list.len();
        if let Some(old) = self.s.detached.take() {
            for slot in old {
                self.release(slot);
            }
        }
        self.free_ended();
        // A thread that ended in this step still counts as activity of it.
        self.s.active = self.s.active.max(before);
        goes_on
    }

    /// Takes threads that have ended from the list, keeping order.
    fn free_ended(&mut self) {
        let mut list = std::mem::take(&mut self.s.thread_list);
        list.retain(|&slot| {
            let thread = &self.s.threads[slot as usize];
            if !thread.is_done() {
                return true;
            }
            let (target, script) = (thread.target.0 as usize, thread.script as usize);
            let running = &mut self.s.targets[target].running;
            // The clone's place may have been taken by one of another sprite meanwhile.
            if running.get(script) == Some(&slot) {
                running[script] = NO_THREAD;
            }
            self.release(slot);
            false
        });
        self.s.thread_list = list;
    }

    fn release(&mut self, slot: u32) {
        let thread = &mut self.s.threads[slot as usize];
        thread.kill();
        thread.listed = false;
        thread.serial = u64::MAX;
        self.s.free_threads.push(slot);
    }

    /// Promises that the step's blocks made are kept once the step is over: the thread is
    /// moved past its block.
    fn resolve_promises(&mut self) {
        for i in 0..self.s.thread_list.len() {
            let slot = self.s.thread_list[i] as usize;
            if self.s.threads[slot].status == (Status::Promise { resolved: true }) {
                self.resolve(slot);
            }
        }
    }

    /// Moves a thread past the block that made it wait.
    pub(crate) fn resolve(&mut self, slot: usize) {
        let commands = &self.p.commands;
        let thread = &mut self.s.threads[slot];
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

    /// Runs one thread until it yields, waits or ends.
    fn slice(&mut self, slot: usize) {
        self.thread = slot;
        self.target = self.s.threads[slot].target.0 as usize;
        let budget = u64::from(self.settings.warp_budget);
        let budget = self.settings.shrunk(budget, self.s.threads[slot].exhausted);
        self.warp_left = budget.min(self.s.blocks_left) as u32;
        self.run_slice();
        let thread = &mut self.s.threads[slot];
        if self.warp_left == 0 {
            thread.exhausted += 1;
            self.s.overloaded = true;
        }
        if thread.stack.is_empty() {
            thread.status = Status::Done;
        }
        if !thread.listed && self.s.detached.is_none() {
            // It replaced itself while it ran.
            self.release(slot as u32);
        }
        self.thread = NO_CURRENT;
    }

    fn run_slice(&mut self) {
        let slot = self.thread;
        if self.top() == Some(NONE) {
            self.s.threads[slot].pop();
        }
        loop {
            let Some(frame) = self.s.threads[slot].stack.last() else { return };
            let (block, was_warp) = (frame.block, frame.warp);
            // Scripts without a loop can be long, too.
            if self.s.blocks_left == 0 {
                return self.hit(Limit::Step);
            }
            debug_assert_ne!(block, NONE);
            self.execute(block);
            let thread = &mut self.s.threads[slot];
            match thread.status {
                Status::Running => {}
                Status::Yield => {
                    thread.status = Status::Running;
                    if was_warp && self.warp_left > 0 {
                        continue;
                    }
                    if was_warp {
                        self.hit(Limit::Slice);
                    }
                    return;
                }
                Status::YieldTick | Status::Promise { .. } | Status::Done => return,
            }
            // If no control flow has happened, go on below.
            if thread.stack.last().is_some_and(|f| f.block == block) {
                thread.replace_top(self.p.commands[block as usize].next);
            }
            while thread.stack.last().is_some_and(|f| f.block == NONE) {
                thread.pop();
                let Some(frame) = thread.stack.last() else { return };
                if frame.is_loop {
                    if frame.warp && self.warp_left > 0 {
                        break;
                    }
                    if frame.warp {
                        self.hit(Limit::Slice);
                    }
                    return;
                }
                let block = frame.block;
                let next = if block == NONE { NONE } else { self.p.commands[block as usize].next };
                thread.replace_top(next);
            }
        }
    }

    fn top(&self) -> Option<CommandId> {
        Some(self.s.threads[self.thread].stack.last()?.block)
    }

    /// Starts all scripts that this event starts, of one target or of all from front to
    /// back; their hats are executed at once. Leaves the started threads in
    /// `scratch.started`.
    pub(crate) fn start_hats(&mut self, start: &Start, only: Option<TargetId>) {
        let mut started = std::mem::take(&mut self.scratch.started);
        started.clear();
        self.charge(self.s.order.len() / 16);
        match only {
            Some(target) => self.start_scripts(target, start, &mut started),
            None => {
                for i in (0..self.s.order.len()).rev() {
                    self.start_scripts(self.s.order[i], start, &mut started);
                }
            }
        }
        let current = (self.thread, self.target);
        for &slot in &started {
            self.thread = slot as usize;
            self.target = self.s.threads[slot as usize].target.0 as usize;
            let hat = self.s.threads[slot as usize].hat;
            self.execute(hat);
            let thread = &mut self.s.threads[slot as usize];
            thread.replace_top(self.p.commands[hat as usize].next);
        }
        (self.thread, self.target) = current;
        self.scratch.started = started;
    }

    fn start_scripts(&mut self, target: TargetId, start: &Start, started: &mut Vec<u32>) {
        let sprite = &self.p.sprites[self.s.targets[target.0 as usize].sprite as usize];
        let Some(scripts) = sprite.hats.get(start) else { return };
        let restart = matches!(
            start,
            Start::Flag
                | Start::SpriteClicked
                | Start::StageClicked
                | Start::Backdrop(_)
                | Start::Message(_)
        );
        for &script in scripts {
            let hat = sprite.scripts[script as usize].hat;
            let old = self.s.targets[target.0 as usize].running[script as usize];
            if old != NO_THREAD {
                if restart {
                    started.push(self.restart(old, target, script, hat));
                    continue;
                }
                if !self.s.threads[old as usize].is_done() {
                    continue;
                }
            }
            let slot = self.new_thread(target, script, hat);
            self.s.thread_list.push(slot);
            started.push(slot);
        }
    }

    fn new_thread(&mut self, target: TargetId, script: u32, hat: CommandId) -> u32 {
        let slot = self.s.free_threads.pop().unwrap_or_else(|| {
            self.s.threads.push(Thread::new());
            self.s.threads.len() as u32 - 1
        });
        let serial = self.s.next_serial;
        self.s.next_serial += 1;
        self.s.threads[slot as usize].start(target, script, hat, serial);
        self.s.targets[target.0 as usize].running[script as usize] = slot;
        slot
    }

    /// Puts a fresh thread in the place of an old one in the list. The old one, should it
    /// be the one that runs, finishes its slice.
    fn restart(&mut self, old: u32, target: TargetId, script: u32, hat: CommandId) -> u32 {
        let slot = self.new_thread(target, script, hat);
        if let Some(place) = self.s.thread_list.iter_mut().find(|s| **s == old) {
            *place = slot;
        }
        self.s.threads[old as usize].listed = false;
        if old as usize != self.thread || self.s.threads[old as usize].is_done() {
            self.release(old);
        }
        slot
    }

    /// Is this thread still in the list?
    pub(crate) fn is_listed(&self, (slot, serial): (u32, u64)) -> bool {
        let thread = &self.s.threads[slot as usize];
        thread.listed && thread.serial == serial
    }

    /// Takes all threads away; a pass that runs goes on with the old list.
    pub(crate) fn detach_threads(&mut self) {
        let old = std::mem::take(&mut self.s.thread_list);
        for &slot in &old {
            let thread = &mut self.s.threads[slot as usize];
            thread.listed = false;
            let (target, script) = (thread.target.0 as usize, thread.script as usize);
            if self.s.targets[target].running.get(script) == Some(&slot) {
                self.s.targets[target].running[script] = NO_THREAD;
            }
        }
        match &mut self.s.detached {
            // The second `stop all` of a pass: what the first left behind has not begun.
            Some(_) => old.into_iter().for_each(|slot| self.release(slot)),
            None => self.s.detached = Some(old),
        }
    }

    /// Notes the predicate of an edge-activated hat and ends its thread unless the
    /// predicate has just turned true.
    pub(crate) fn edge(&mut self, new: bool) {
        let thread = &self.s.threads[self.thread];
        let sprite = &self.p.sprites[self.s.targets[self.target].sprite as usize];
        let Some(edge) = sprite.scripts[thread.script as usize].edge else { return };
        let old = self.s.targets[self.target].edges[edge as usize].replace(new);
        if !new || old == Some(true) {
            self.s.threads[self.thread].kill();
        }
    }

    /// Counts work against the budgets of slice and step, in ordinary blocks.
    pub(crate) fn charge(&mut self, blocks: usize) {
        let blocks = u32::try_from(blocks).unwrap_or(u32::MAX);
        self.warp_left = self.warp_left.saturating_sub(blocks);
        self.s.blocks_left = self.s.blocks_left.saturating_sub(u64::from(blocks));
    }

    /// Executes one block: operands, effect, trace.
    fn execute(&mut self, block: CommandId) {
        let command = &self.p.commands[block as usize];
        self.charge(1);
        let (from, to) = command.before;
        if from != to {
            self.scratch.before.clear();
            for i in from..to {
                let value = self.value(self.p.before[i as usize]);
                self.scratch.before.push(value);
            }
        }
        if T::ACTIVE {
            self.tracer.covered(command.no);
        }
        match command.op {
            Op::Nothing => {}
            ref op => self.perform(op, command.no),
        }
    }
}
