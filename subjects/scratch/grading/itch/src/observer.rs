//! The observer of the VM during a step, which logs events and calls functions of the prelude when
//! events occur that the plan waits for.

use std::ops::ControlFlow;
use std::rc::Rc;

use catherd_javascript_engine::Session;
use catherd_javascript_engine::quickjs::{Function, IntoArgs};
use catherd_scratch_sb3::{BlockNo, Opcode, Project, Slot};
use catherd_scratch_vm::{Change, Midstep, Question, Text, ThreadId, Tracer};
use rustc_hash::FxHashMap;

use crate::events::What;
use crate::machine::{Profile, Shared};

pub(crate) struct Hooks<'js> {
    pub(crate) moved: Function<'js>,
    pub(crate) sent: Function<'js>,
    pub(crate) answer: Function<'js>,
}

pub(crate) struct Observer<'a, 'js> {
    shared: Rc<Shared>,
    session: &'a Session<'js>,
    hooks: &'a Hooks<'js>,
    /// For each block, the opcodes that the original executes with the block.
    executed: Rc<[Executed]>,
    seen: Vec<bool>,
    pub(crate) distinct: usize,
    current: Option<BlockNo>,
    /// Whether the next reported block is only resumed.
    resumed: bool,
    pub(crate) ended: Vec<ThreadId>,
    /// The error of a function of the prelude that failed during a step; the inner `None` means
    /// that a limit ended the function.
    pub(crate) raised: Option<Option<catherd_javascript_engine::Thrown>>,
}

impl<'a, 'js> Observer<'a, 'js> {
    pub(crate) fn new(
        shared: &Rc<Shared>,
        session: &'a Session<'js>,
        hooks: &'a Hooks<'js>,
    ) -> Observer<'a, 'js> {
        let (executed, count) = executed(&shared.submission);
        Observer {
            shared: Rc::clone(shared),
            session,
            hooks,
            executed,
            seen: vec![false; count],
            distinct: 0,
            current: None,
            resumed: false,
            ended: Vec::new(),
            raised: None,
        }
    }

    pub(crate) fn begin(&mut self) {
        self.seen.fill(false);
        self.distinct = 0;
        self.current = None;
        self.ended.clear();
    }

    fn opcode(&self) -> Option<Opcode> {
        let (target, index) = self.shared.submission.locate(self.current?);
        Some(self.shared.submission.targets[target].blocks[index as usize].opcode)
    }

    fn midstep<R>(&self, state: &mut Midstep<'_>, act: impl FnOnce() -> R) -> R {
        let mut exchange = || self.shared.with_vm(|vm| state.exchange(vm));
        exchange();
        self.shared.lent.set(true);
        let result = act();
        self.shared.lent.set(false);
        exchange();
        result
    }

    fn call<A: IntoArgs<'js>>(&self, function: &Function<'js>, values: A) -> Result<(), Failure> {
        match self.session.call::<A, ()>(function, values) {
            Ok(()) => Ok(()),
            Err(_) if self.session.stopped().is_some() => Err(None),
            Err(thrown) => Err(Some(thrown)),
        }
    }

    fn react(&self, change: &Change) -> Result<(), Failure> {
        let shared = &self.shared;
        match change {
            Change::Moved { target, from } => {
                shared.updated(*target);
                let sprite = target.0 as usize;
                if !shared.watches_moves.get() || sprite >= shared.submission.targets.len() {
                    return Ok(());
                }
                let place = shared.with_vm(|vm| vm.target(*target).map(|view| (view.x, view.y)));
                let Some((x, y)) = place.flatten() else { return Ok(()) };
                let name = shared.submission.targets[sprite].name.to_string();
                self.call(&self.hooks.moved, (name, x, y, from.0, from.1))
            }
            Change::Appearance(target) => {
                shared.updated(*target);
                let shown = self.opcode() == Some(Opcode::LooksShow);
                shared.bubble_changed(*target, shown);
                Ok(())
            }
            Change::Bubble(target) => {
                let thinks = self.is_thought();
                if thinks {
                    shared.thinkers.borrow_mut().insert(*target);
                } else {
                    shared.thinkers.borrow_mut().remove(target);
                }
                shared.bubble_changed(*target, true);
                Ok(())
            }
            Change::Said { target, value } => {
                let sprite = shared.with_vm(|vm| vm.target(*target).map(|view| view.sprite));
                if let Some(sprite) = sprite.flatten().filter(|_| !value.to_text().is_empty()) {
                    let (value, thinks) = (value.clone(), self.is_thought());
                    let what = What::Said { value, thinks, target: target.0, sprite };
                    shared.log(what, &"event.say".into());
                }
                Ok(())
            }
            Change::Message(name) => {
                shared.message_sent(name);
                if !shared.watches_messages.get() {
                    return Ok(());
                }
                self.call(&self.hooks.sent, (name.to_str().into_owned(),))
            }
            Change::Pen(mark) => {
                shared.pen(mark);
                Ok(())
            }
            Change::Variable { .. } => Ok(()),
        }
    }

    fn is_thought(&self) -> bool {
        matches!(self.opcode(), Some(Opcode::LooksThink | Opcode::LooksThinkForSecs))
    }
}

/// The error that a function of the prelude threw; `None` if a limit ended the function.
type Failure = Option<catherd_javascript_engine::Thrown>;

impl Tracer for Observer<'_, '_> {
    const ACTIVE: bool = true;
    const WATCHES: bool = true;

    #[inline]
    fn resumed(&mut self) {
        self.resumed = true;
    }

    #[inline]
    fn covered(&mut self, block: BlockNo) {
        self.current = Some(block);
        // In the original, these blocks wait for a promise and are not executed again when the
        // promise resolves.
        if std::mem::take(&mut self.resumed) && self.opcode().is_some_and(waits_by_promise) {
            return;
        }
        let executed = &self.executed[block.0 as usize];
        for opcode in &executed.opcodes {
            let seen = &mut self.seen[usize::from(*opcode)];
            self.distinct += usize::from(!*seen);
            *seen = true;
        }
        if *self.shared.profile.borrow() != Profile::Off {
            self.shared.block_executed(block, executed.primitives);
        }
    }

    /// Returns distances of 0, so that the VM does not compute distances.
    #[inline]
    fn known_distances(&self, _: BlockNo) -> (f64, f64) {
        (0.0, 0.0)
    }

    fn watch(&mut self, change: &Change, mut state: Midstep<'_>) -> ControlFlow<()> {
        if matches!(change, Change::Variable { .. }) {
            return ControlFlow::Continue(());
        }
        if let Change::Moved { target, .. } = change
            && !self.shared.watches_moves.get()
            && !self.shared.tracked.borrow().contains(&(target.0 as usize))
        {
            return ControlFlow::Continue(());
        }
        match self.midstep(&mut state, || self.react(change)) {
            Ok(()) => ControlFlow::Continue(()),
            Err(failure) => {
                self.raised = Some(failure);
                ControlFlow::Break(())
            }
        }
    }

    fn ended(&mut self, thread: ThreadId) {
        self.ended.push(thread);
    }

    fn asked(&mut self, question: &Question, mut state: Midstep<'_>) -> Option<Text> {
        let answer = self.session.call::<_, Option<String>>(&self.hooks.answer, ());
        let answer = match answer {
            Ok(answer) => answer.map(Text::new),
            Err(thrown) => {
                self.raised = Some(self.session.stopped().is_none().then_some(thrown));
                return None;
            }
        };
        let text = if question.bubble { Text::new("") } else { question.text.clone() };
        let what = What::Answered { question: text, answer: answer.clone() };
        self.midstep(&mut state, || self.shared.log(what, &"event.answer".into()));
        // Without an answer, the original submits `undefined`, which becomes this string.
        Some(answer.unwrap_or_else(|| Text::new("undefined")))
    }
}

/// The opcodes of a block and of the reporters in its inputs.
struct Executed {
    opcodes: Box<[u16]>,
    /// Number of the opcodes before duplicates were removed.
    primitives: u32,
}

/// The opcodes that each block of a project executes, and the number of different opcodes. Shadow
/// blocks, and hats without a condition, execute nothing.
fn executed(project: &Project) -> (Rc<[Executed]>, usize) {
    let mut numbers: FxHashMap<&str, usize> = FxHashMap::default();
    let mut all = Vec::with_capacity(project.block_count());
    for target in &project.targets {
        for block in &target.blocks {
            let mut own = Vec::new();
            let mut open = vec![block];
            // In a damaged project, inputs may form a cycle.
            let mut left = target.blocks.len();
            while let Some(block) = open.pop().filter(|_| left > 0) {
                left -= 1;
                let name = block.opcode_name();
                let silent = block.shadow || !has_function(block.opcode);
                if !silent {
                    let new = numbers.len();
                    let number = *numbers.entry(name).or_insert(new);
                    own.push(number.min(usize::from(u16::MAX)) as u16);
                }
                open.extend(block.inputs.iter().filter_map(|input| match input.block {
                    Slot::Block(inner) if !input.name.starts_with("SUBSTACK") => {
                        target.blocks.get(inner as usize)
                    }
                    _ => None,
                }));
            }
            let primitives = own.len() as u32;
            own.sort_unstable();
            own.dedup();
            all.push(Executed { opcodes: own.into(), primitives });
        }
    }
    (all.into(), numbers.len().min(usize::from(u16::MAX) + 1))
}

/// Whether the original has a function for the block, which its profiler reports. Edge-activated
/// hats have a function, which evaluates their predicate; other hats have none.
fn has_function(opcode: Opcode) -> bool {
    !opcode.is_hat() || opcode.is_edge_hat()
}

fn waits_by_promise(opcode: Opcode) -> bool {
    use Opcode::*;
    matches!(
        opcode,
        LooksSayForSecs | LooksThinkForSecs | SoundPlayUntilDone | Text2SpeechSpeakAndWait
    )
}
