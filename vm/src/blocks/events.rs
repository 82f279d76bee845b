//! Messages.

use crate::machine::Run;
use crate::program::{Message, Start};
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
        let waiting = self.s.threads[self.thread].waits.iter().any(|&id| self.is_listed(id));
        if waiting {
            self.set_status(Status::YieldTick);
        }
    }
}
