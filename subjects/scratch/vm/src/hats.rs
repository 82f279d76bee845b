//! The start of scripts: hat blocks, the threads that hats start, and the events that a caller
//! triggers between steps.

use catherd_scratch_sb3::Opcode;

use crate::calls::Work;
use crate::interpreter::Interpreter;
use crate::keys::{Key, KeyQuery};
use crate::program::Program;
use crate::target::{NO_THREAD, TargetId};
use crate::text::Text;
use crate::thread::ThreadId;
use crate::tracer::Tracer;
use crate::trigger::Trigger;
use crate::vm::Vm;

/// An event that starts the scripts whose hats react to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartEvent<'a> {
    /// The green flag is clicked; see [`Vm::green_flag`].
    Flag,
    /// A key, given by its name in the key menu, is typed. The keys that `key pressed?` senses do
    /// not change.
    Key(&'a str),
    /// A target is clicked, independently of the mouse.
    Click(TargetId),
    /// Every sprite and clone is clicked.
    ClickSprites,
    /// A message is sent to one target or to all targets, even if the stage does not define it.
    Message(&'a str, Option<TargetId>),
    /// The scripts under all hat blocks of one kind start in one target or in all targets, without
    /// the further effects of the event. For example, other scripts are not stopped, although the
    /// green flag stops them.
    Hat {
        /// Opcode of the hat block.
        hat: Opcode,
        /// Name of the key, backdrop or message in the hat block, in upper or lower case; empty for
        /// other blocks.
        option: &'a str,
        /// The target; `None` for all.
        only: Option<TargetId>,
    },
}

impl<T: Tracer> Vm<T> {
    /// Starts the scripts that react to an event, and returns their threads. The hats are executed
    /// immediately; the bodies begin in the next step. An unknown key or message, or a target that
    /// does not exist, starts no scripts.
    pub fn start(&mut self, event: StartEvent<'_>) -> Vec<ThreadId> {
        match event {
            StartEvent::Flag => {
                self.green_flag();
                self.started()
            }
            StartEvent::Key(name) => {
                let Some(key) = Key::pressed(name) else { return Vec::new() };
                let keys = [KeyQuery::Key(key), KeyQuery::Any].map(Trigger::Key);
                self.start_all(&keys, None)
            }
            StartEvent::Click(target) => {
                self.start_all(&[Trigger::SpriteClicked, Trigger::StageClicked], Some(target))
            }
            StartEvent::ClickSprites => self.start_all(&[Trigger::SpriteClicked], None),
            StartEvent::Message(name, only) => {
                let message = self.program.messages.get(&Text::new(name).upper()).copied();
                message.map_or_else(Vec::new, |number| {
                    self.start_all(&[Trigger::Message(number)], only)
                })
            }
            StartEvent::Hat { hat, option, only } => {
                let message = |name: &Text| self.program.messages.get(&name.upper()).copied();
                let trigger = Trigger::of(hat, |_| Some(option), message);
                trigger.map_or_else(Vec::new, |trigger| self.start_all(&[trigger], only))
            }
        }
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
            self.call(Work::Start(std::slice::from_ref(trigger), only));
            threads.extend(self.started());
        }
        threads
    }

    fn started(&self) -> Vec<ThreadId> {
        let slots = self.buffers.started.iter();
        slots
            .map(|&slot| ThreadId { slot, serial: self.state.threads[slot as usize].serial })
            .collect()
    }
}

impl<'a, T: Tracer> Interpreter<'a, T> {
    /// Starts the scripts of all hat blocks that react to an event, in one target or in all targets
    /// from front to back, and executes these hats immediately. The bodies of the scripts begin
    /// with the next slice of their threads. Leaves the started threads in `buffers.started`.
    ///
    /// This function is called by [`Vm::start`] for the triggers of the event, and otherwise for
    /// each [`Trigger`]:
    /// - `Flag`: by [`Vm::green_flag`];
    /// - `Key`, `SpriteClicked`, `StageClicked`: by user input between steps (`input.rs`);
    /// - `Edge`: at the beginning of every step; the hat evaluates its predicate and ends its
    ///   thread unless the predicate has just turned true ([`Self::trigger_on_rising_edge`]);
    /// - `Message`, `Backdrop`, `Clone`: by the blocks that send a message, switch the backdrop or
    ///   create a clone, during their slice.
    pub(crate) fn start_hats(&mut self, trigger: &Trigger, only: Option<TargetId>) {
        let mut started = std::mem::take(&mut self.buffers.started);
        started.clear();
        self.consume_fuel(self.state.execution_order.len() / 16);
        match only {
            Some(target) => {
                let scripts = self.scripts_of(target, trigger);
                self.start_scripts(target, scripts, trigger, &mut started);
            }
            None => {
                // Clones of a sprite are usually next to each other.
                let (mut sprite, mut scripts): (u32, &[u32]) = (u32::MAX, &[]);
                for i in (0..self.state.execution_order.len()).rev() {
                    let target = self.state.execution_order[i];
                    let of = self.state.targets[target.0 as usize].sprite;
                    if of != sprite {
                        (sprite, scripts) = (of, self.scripts_of(target, trigger));
                    }
                    self.start_scripts(target, scripts, trigger, &mut started);
                }
            }
        }
        let current = (self.thread, self.target);
        for &slot in &started {
            self.thread = slot as usize;
            self.target = self.state.threads[slot as usize].target.0 as usize;
            let hat = self.state.threads[slot as usize].hat;
            self.execute(hat);
            let thread = &mut self.state.threads[slot as usize];
            thread.replace_top(self.program.commands[hat as usize].next);
        }
        (self.thread, self.target) = current;
        self.buffers.started = started;
    }

    fn scripts_of(&self, target: TargetId, trigger: &Trigger) -> &'a [u32] {
        let program: &'a Program = self.program;
        let sprite = &program.sprites[self.state.targets[target.0 as usize].sprite as usize];
        sprite.scripts_by_trigger.get(trigger).map_or(&[], |scripts| scripts)
    }

    /// Starts scripts of one target that react to an event. A script that is already running is
    /// restarted or continues, depending on the event.
    fn start_scripts(
        &mut self,
        target: TargetId,
        scripts: &[u32],
        trigger: &Trigger,
        started: &mut Vec<u32>,
    ) {
        if scripts.is_empty() {
            return;
        }
        let sprite = &self.program.sprites[self.state.targets[target.0 as usize].sprite as usize];
        let restart = matches!(
            trigger,
            Trigger::Flag
                | Trigger::SpriteClicked
                | Trigger::StageClicked
                | Trigger::Backdrop(_)
                | Trigger::Message(_)
        );
        for &script in scripts {
            let hat = sprite.scripts[script as usize].hat;
            let old = self.state.targets[target.0 as usize].running[script as usize];
            if old != NO_THREAD {
                if restart {
                    started.push(self.restart(old, target, script, hat));
                    continue;
                }
                if !self.state.threads[old as usize].is_done() {
                    continue;
                }
            }
            let slot = self.new_thread(target, script, hat);
            self.state.thread_list.push(slot);
            started.push(slot);
        }
    }

    /// Stores the value of the predicate of an edge-activated hat, and ends the hat's thread unless
    /// the predicate has just turned true. A first value that is true counts as well.
    pub(crate) fn trigger_on_rising_edge(&mut self, new: bool) {
        let thread = &self.state.threads[self.thread];
        let sprite = &self.program.sprites[self.state.targets[self.target].sprite as usize];
        let Some(edge) = sprite.scripts[thread.script as usize].edge_hat else { return };
        let old = self.state.targets[self.target].edges[edge as usize].replace(new);
        let starts = new && old != Some(true);
        if T::ACTIVE {
            let hat = self.state.threads[self.thread].hat;
            self.tracer.hat(self.program.commands[hat as usize].no, starts);
        }
        if !starts {
            self.state.threads[self.thread].kill();
        }
    }
}
