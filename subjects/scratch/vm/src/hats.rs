//! The start of scripts by hat blocks.

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
    /// A message is sent to one target or to all targets.
    Message(&'a str, Option<TargetId>),
    /// All hat blocks of one kind start their scripts, without the further effects of the event.
    Hat {
        /// Opcode of the hat block.
        hat: Opcode,
        /// Key, backdrop or message of the hat block; empty for other hat blocks.
        option: &'a str,
        /// The target; `None` for all.
        only: Option<TargetId>,
    },
}

impl<T: Tracer> Vm<T> {
    /// Starts the scripts that react to an event, and returns their threads. Only the hats are
    /// executed before the next step.
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
    /// Starts the scripts of all hat blocks that react to an event and executes the hats. The
    /// bodies begin with the next slice of their threads; `buffers.started` contains the started
    /// threads.
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

    /// Ends the thread of an edge-activated hat unless the hat's predicate has just become true. A
    /// first value that is true counts as well.
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
