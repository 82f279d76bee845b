//! Messages.

use crate::code::Message;
use crate::machine::Run;
use crate::program::Start;
use crate::thread::Status;
use crate::tracer::Tracer;

impl<T: Tracer> Run<'_, T> {
    /// The message that a block sends now; a computed name must be one of the stage's.
    pub(super) fn message(&mut self, message: Message) -> Option<u32> {
        match message {
            Message::Fixed(message) => message,
            Message::Computed(name) => {
                let name = self.text(name);
                if name.is_empty() {
                    return None;
                }
                let name = name.lower();
                self.p.broadcasts.iter().find(|(known, _)| *known == name).map(|&(_, m)| m)
            }
        }
    }

    pub(super) fn broadcast_and_wait(&mut self, message: Message) {
        let message = self.message(message);
        if !self.frame().active {
            let Some(message) = message else { return };
            self.start_hats(&Start::Message(message), None);
            if self.scratch.started.is_empty() {
                return;
            }
            self.frame().active = true;
            let started = std::mem::take(&mut self.scratch.started);
            let mut waits = std::mem::take(&mut self.thread().waits);
            waits.clear();
            waits.extend(started.iter().map(|&s| (s, self.s.threads[s as usize].serial)));
            self.thread().waits = waits;
            self.scratch.started = started;
        }
        let waits = &self.s.threads[self.thread].waits;
        if waits.iter().any(|&id| self.is_listed(id)) {
            // A receiver that goes on may end in a further batch of this step. (In warp
            // the original tries again until the slice's time is up.)
            let goes_on = waits.iter().any(|&id| {
                let receiver = &self.s.threads[id.0 as usize];
                self.is_listed(id) && !receiver.is_done() && receiver.status == Status::Running
            });
            let again = goes_on && self.settings.batches > 1 && !self.frame().warp;
            self.set_status(if again { Status::Yield } else { Status::YieldTick });
        }
    }
}
