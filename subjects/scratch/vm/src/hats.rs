//! Events that a caller makes happen between steps, and the threads that they start.

use catherd_scratch_sb3::Opcode;

use crate::keys::{Key, KeyQuery};
use crate::program::Trigger;
use crate::target::TargetId;
use crate::text::Text;
use crate::tracer::Tracer;
use crate::vm::Vm;

/// A thread of a VM. Later threads have other serial numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ThreadId {
    pub(crate) slot: u32,
    pub(crate) serial: u64,
}

/// An event that starts the scripts whose hats react to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event<'a> {
    /// The green flag is clicked, see [`Vm::green_flag`].
    Flag,
    /// A key is typed, by its name in the key menu. The keys that `key pressed?` senses do not
    /// change.
    Key(&'a str),
    /// A target is clicked, independently of the mouse.
    Click(TargetId),
    /// All sprites are clicked.
    ClickSprites,
    /// A message is sent, whether the stage knows it or not, to one target or to all.
    Message(&'a str, Option<TargetId>),
    /// The scripts of one hat block start, in one target or in all, and nothing else happens of what
    /// the block reacts to: no other script is stopped, as by the green flag.
    Hat {
        /// Opcode of the hat block.
        hat: Opcode,
        /// Key, backdrop or message of the hat block, in upper or lower case; empty for other
        /// blocks.
        option: &'a str,
        /// The target; `None` for all.
        only: Option<TargetId>,
    },
}

impl<T: Tracer> Vm<T> {
    /// Starts the scripts that react to an event, and returns their threads. Their hats are
    /// executed, their bodies begin in the next step. An unknown key or message and a target that
    /// does not exist start nothing.
    pub fn start(&mut self, event: Event<'_>) -> Vec<ThreadId> {
        match event {
            Event::Flag => {
                self.green_flag();
                self.started()
            }
            Event::Key(name) => {
                let Some(key) = Key::pressed(name) else { return Vec::new() };
                let keys = [KeyQuery::Key(key), KeyQuery::Any].map(Trigger::Key);
                self.start_all(&keys, None)
            }
            Event::Click(target) => {
                self.start_all(&[Trigger::SpriteClicked, Trigger::StageClicked], Some(target))
            }
            Event::ClickSprites => self.start_all(&[Trigger::SpriteClicked], None),
            Event::Message(name, only) => {
                let message = self.program.messages.get(&Text::new(name).upper()).copied();
                message.map_or_else(Vec::new, |number| {
                    self.start_all(&[Trigger::Message(number)], only)
                })
            }
            Event::Hat { hat, option, only } => {
                let trigger = self.trigger(hat, option);
                trigger.map_or_else(Vec::new, |trigger| self.start_all(&[trigger], only))
            }
        }
    }

    /// What the scripts under a hat block react to; `None` if the project has no such script.
    fn trigger(&self, hat: Opcode, option: &str) -> Option<Trigger> {
        Some(match hat {
            Opcode::EventWhenFlagClicked => Trigger::Flag,
            Opcode::EventWhenKeyPressed => Trigger::Key(Key::of_hat(option)?),
            Opcode::EventWhenThisSpriteClicked => Trigger::SpriteClicked,
            Opcode::EventWhenStageClicked => Trigger::StageClicked,
            Opcode::EventWhenBackdropSwitchesTo => Trigger::Backdrop(Text::new(option).upper()),
            Opcode::EventWhenBroadcastReceived => {
                Trigger::Message(*self.program.messages.get(&Text::new(option).upper())?)
            }
            Opcode::ControlStartAsClone => Trigger::Clone,
            hat if hat.is_edge_hat() => Trigger::Edge(hat),
            _ => return None,
        })
    }

    fn start_all(&mut self, triggers: &[Trigger], only: Option<TargetId>) -> Vec<ThreadId> {
        let mut threads = Vec::new();
        let exists = |target: TargetId| {
            self.state.targets.get(target.0 as usize).is_some_and(|target| target.alive)
        };
        if !only.is_none_or(exists) {
            return threads;
        }
        for trigger in triggers {
            self.interpreter().start_hats(trigger, only);
            threads.extend(self.started());
        }
        threads
    }

    /// The threads that the last event started.
    fn started(&self) -> Vec<ThreadId> {
        let slots = self.buffers.started.iter();
        slots
            .map(|&slot| ThreadId { slot, serial: self.state.threads[slot as usize].serial })
            .collect()
    }
}
