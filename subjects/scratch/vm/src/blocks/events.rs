//! Broadcast blocks, and the block that switches the backdrop and waits.

use crate::code::{ExprId, Message};
use crate::interpreter::Interpreter;
use crate::midstep::Change;
use crate::text::Text;
use crate::thread::Status;
use crate::tracer::Tracer;
use crate::trigger::Trigger;

impl<T: Tracer> Interpreter<'_, T> {
    pub(super) fn message(&mut self, message: Message) -> Option<u32> {
        match message {
            Message::Fixed(message) => message,
            Message::Computed(name) => {
                let name = self.text(name);
                if name.is_empty() {
                    return None;
                }
                let name = name.lower();
                let known = self.program.broadcasts.iter().find(|known| known.lower == name);
                known.map(|known| known.message)
            }
        }
    }

    pub(super) fn report_message(&mut self, message: u32) {
        let program = self.program;
        let known = || program.broadcasts.iter().find(|known| known.message == message);
        self.report(|| Change::Message(known().map_or(Text::new(""), |known| known.name.clone())));
    }

    pub(super) fn broadcast_and_wait(&mut self, message: Message) {
        let message = self.message(message);
        if !self.frame().in_progress {
            let Some(message) = message else { return };
            self.report_message(message);
            self.start_hats(&Trigger::Message(message), None);
            if self.buffers.started.is_empty() {
                return;
            }
            self.await_started();
        }
        self.wait_for_awaited();
    }

    /// Reproduces a defect of today's Scratch: if a script starts, the block fails and ends the
    /// step for all threads.
    pub(super) fn switch_backdrop_and_wait(&mut self, backdrop: ExprId) {
        if self.frame().in_progress {
            return self.wait_for_awaited();
        }
        let backdrop = self.value(backdrop);
        self.switch_backdrop(&backdrop);
        if !self.buffers.started.is_empty() {
            self.await_started();
            self.failed = true;
            self.set_status(Status::YieldTick);
        }
    }

    fn await_started(&mut self) {
        self.frame().in_progress = true;
        let started = std::mem::take(&mut self.buffers.started);
        let mut waits = std::mem::take(&mut self.thread().awaited);
        waits.clear();
        waits.extend(started.iter().map(|&s| (s, self.state.threads[s as usize].serial)));
        self.thread().awaited = waits;
        self.buffers.started = started;
    }

    fn wait_for_awaited(&mut self) {
        let waits = &self.state.threads[self.thread].awaited;
        if waits.iter().any(|&id| self.is_listed(id)) {
            // A receiver that can continue may end in a later batch of this step, so the block is
            // executed again in this step. (In warp mode, the original tries again until the time
            // of the slice is over.)
            let runnable = waits.iter().any(|&id| {
                let receiver = &self.state.threads[id.0 as usize];
                self.is_listed(id) && !receiver.is_done() && receiver.status == Status::Running
            });
            let again = runnable && self.settings.batches > 1 && !self.frame().warp;
            self.set_status(if again { Status::Yield } else { Status::YieldTick });
        }
    }
}
