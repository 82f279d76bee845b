//! The shared state of a judgement: the VM, its log, and the sprites and messages that are tracked.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use catherd_javascript_engine::Clock;
use catherd_scratch_sb3::{BlockNo, Project};
use catherd_scratch_vm::{
    Pace, PenMark, Program, Random, StartEvent, TargetId, Text, ThreadId, Vm,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::events::{Events, What};
use crate::options::JudgeOptions;
use crate::output::Output;
use crate::snapshots::{Origin, Snapshots};

/// Duration of a step in milliseconds at acceleration 1.
pub(crate) const STEP_MS: f64 = 1000.0 / 60.0;

/// Maximum number of lines, and of points, that are kept until the pen layer is cleared.
const MAX_DRAWINGS: usize = 2_000_000;

/// The blocks whose executions the advanced profiler logs.
#[derive(Clone, PartialEq)]
pub(crate) enum Profile {
    Off,
    All,
    Sprites(BTreeSet<String>),
}

pub(crate) struct Awaited {
    pub(crate) action: u32,
    pub(crate) threads: FxHashSet<ThreadId>,
}

/// The state that the native functions for plans share. Each function borrows parts of the state
/// only during a call.
pub(crate) struct Shared {
    pub(crate) submission: Project,
    pub(crate) template: Project,
    pub(crate) options: JudgeOptions,
    pub(crate) clock: RefCell<Option<Rc<Clock>>>,
    /// The VM; `None` before the execution. While a step is interrupted for a condition, the VM has
    /// the current state.
    pub(crate) vm: RefCell<Option<Vm<()>>>,
    pub(crate) snapshots: RefCell<Snapshots>,
    pub(crate) events: RefCell<Events>,
    pub(crate) output: RefCell<Output>,
    pub(crate) random: RefCell<Random>,
    pub(crate) lines: RefCell<Vec<[f64; 4]>>,
    pub(crate) points: RefCell<Vec<[f64; 2]>>,
    pub(crate) responses: RefCell<Vec<Text>>,
    /// For each target with a bubble, the number of the bubble's picture.
    skins: RefCell<FxHashMap<TargetId, u32>>,
    /// The number of the next picture. Costumes, the pen layer and bubbles have such numbers.
    next_picture: Cell<u32>,
    pen_used: Cell<bool>,
    left_bubbles: RefCell<FxHashSet<TargetId>>,
    pub(crate) thinkers: RefCell<FxHashSet<TargetId>>,
    pub(crate) tracked: RefCell<FxHashSet<usize>>,
    pub(crate) tracked_messages: RefCell<BTreeSet<String>>,
    pub(crate) awaited: RefCell<Vec<Awaited>>,
    last_action: Cell<u32>,
    pub(crate) profile: RefCell<Profile>,
    /// The names of the sprites in whose custom blocks *wait* does nothing.
    pub(crate) impatient: RefCell<BTreeSet<String>>,
    pub(crate) watches_moves: Cell<bool>,
    pub(crate) watches_messages: Cell<bool>,
    pub(crate) turbo: Cell<bool>,
    pub(crate) pace: Cell<Pace>,
    pub(crate) executing: Cell<bool>,
    /// Whether the schedule has ended.
    pub(crate) over: Cell<bool>,
    /// Whether a step is interrupted, so `vm` has the state in the middle of the step.
    pub(crate) lent: Cell<bool>,
    pub(crate) failed: RefCell<Option<String>>,
    /// The last member that was read although it does not exist, for the message of an error.
    pub(crate) missing: RefCell<Option<String>>,
    pub(crate) steps: Cell<u64>,
}

impl Shared {
    pub(crate) fn new(submission: &Project, template: &Project, options: &JudgeOptions) -> Shared {
        let key: Vec<u16> = options.seed.encode_utf16().collect();
        Shared {
            snapshots: RefCell::new(Snapshots::new(submission, template)),
            submission: submission.clone(),
            template: template.clone(),
            options: options.clone(),
            clock: RefCell::new(None),
            vm: RefCell::new(None),
            events: RefCell::default(),
            output: RefCell::new(Output::new(options.log_bytes)),
            random: RefCell::new(Random::arc4(&key)),
            lines: RefCell::default(),
            points: RefCell::default(),
            responses: RefCell::default(),
            skins: RefCell::default(),
            next_picture: Cell::new(
                costumes(template) + costumes(submission) + u32::from(has_pen(template)),
            ),
            pen_used: Cell::new(has_pen(template)),
            left_bubbles: RefCell::default(),
            thinkers: RefCell::default(),
            tracked: RefCell::default(),
            tracked_messages: RefCell::default(),
            awaited: RefCell::default(),
            last_action: Cell::new(0),
            profile: RefCell::new(Profile::Off),
            impatient: RefCell::default(),
            watches_moves: Cell::new(false),
            watches_messages: Cell::new(false),
            turbo: Cell::new(false),
            pace: Cell::new(Pace::default()),
            executing: Cell::new(false),
            over: Cell::new(false),
            lent: Cell::new(false),
            failed: RefCell::new(None),
            missing: RefCell::new(None),
            steps: Cell::new(0),
        }
    }

    /// The project with this number in records: 0 for the submission, 1 for the template.
    pub(crate) fn project(&self, number: usize) -> &Project {
        if number == 0 { &self.submission } else { &self.template }
    }

    /// The time of the virtual clock in milliseconds, rounded down.
    pub(crate) fn now(&self) -> f64 {
        self.clock.borrow().as_ref().map_or(0.0, |clock| clock.now().floor())
    }

    /// In the custom blocks of the sprites in `impatient`, *wait* does nothing.
    pub(crate) fn compile(&self) -> Result<Arc<Program>, catherd_scratch_vm::CompileError> {
        let impatient = self.impatient.borrow();
        if impatient.is_empty() {
            return Program::compile_for(&self.submission, self.options.compat).map(Arc::new);
        }
        let mut project = self.submission.clone();
        for target in project.targets.iter_mut().filter(|t| impatient.contains(&*t.name)) {
            crate::model::skip_waits_of_procedures(target);
        }
        Program::compile_for(&project, self.options.compat).map(Arc::new)
    }

    pub(crate) fn with_vm<R>(&self, use_vm: impl FnOnce(&mut Vm<()>) -> R) -> Option<R> {
        self.vm.borrow_mut().as_mut().map(use_vm)
    }

    /// Adds a snapshot for the schedule. Before the execution, it shows the submission.
    pub(crate) fn snap(&self, origin: &Origin) -> usize {
        self.take(origin, 1, true)
    }

    /// Adds the same snapshot `times` times for something that the program did.
    pub(crate) fn snap_times(&self, origin: &Origin, times: usize) -> usize {
        self.take(origin, times, false)
    }

    fn take(&self, origin: &Origin, times: usize, scheduled: bool) -> usize {
        let moment = (self.now(), origin, times);
        let mut snapshots = self.snapshots.borrow_mut();
        match self.vm.borrow_mut().as_mut() {
            Some(vm) => {
                let thinkers = self.thinkers.borrow();
                snapshots.take(vm, &|id| thinkers.contains(&id), moment, scheduled)
            }
            None => {
                let mut last = snapshots.list[snapshots.list.len() - 1].clone();
                (last.timestamp, last.origin) = (moment.0, Rc::clone(origin));
                snapshots.list.push(last);
                snapshots.list.len() - 1
            }
        }
    }

    pub(crate) fn log(&self, what: What, origin: &Origin) {
        let snapshot = self.snap_times(origin, 1);
        self.events.borrow_mut().add(what, snapshot, Some(snapshot));
    }

    fn is_original(&self, target: TargetId) -> bool {
        (target.0 as usize) < self.submission.targets.len()
    }

    pub(crate) fn updated(&self, target: TargetId) {
        let sprite = target.0 as usize;
        if !self.is_original(target) || !self.tracked.borrow().contains(&sprite) {
            return;
        }
        let visible = self.with_vm(|vm| vm.target(target).is_some_and(|view| view.visible));
        if visible == Some(true) {
            self.log(What::Updated(sprite), &"event.update_target".into());
        }
    }

    /// `shown` is true if a block showed the bubble, even with the same text.
    pub(crate) fn bubble_changed(&self, target: TargetId, shown: bool) {
        let bubble = self.with_vm(|vm| {
            let view = vm.target(target)?;
            let text = view.visible.then(|| view.bubble.cloned()).flatten()?;
            Some((text, !view.is_bubble_on_right()))
        });
        let known = self.skins.borrow().get(&target).copied();
        match (bubble.flatten(), known) {
            (Some((text, left)), known) => {
                if shown || known.is_none() {
                    self.skin_written(target, known, &text);
                }
                // The original draws a bubble again if it moves to the other side of its sprite.
                let was_left = self.left_bubbles.borrow().contains(&target);
                if left != was_left {
                    let mut bubbles = self.left_bubbles.borrow_mut();
                    if left {
                        bubbles.insert(target)
                    } else {
                        bubbles.remove(&target)
                    };
                    drop(bubbles);
                    let known = self.skins.borrow().get(&target).copied();
                    self.skin_written(target, known, &text);
                }
            }
            (None, Some(number)) => {
                self.skins.borrow_mut().remove(&target);
                self.log(What::SkinDestroyed(number), &"renderer.destroySkin".into());
            }
            (None, None) => {}
        }
    }

    fn new_picture(&self) -> u32 {
        let number = self.next_picture.get();
        self.next_picture.set(number + 1);
        number
    }

    fn skin_written(&self, target: TargetId, known: Option<u32>, text: &Text) {
        let number = known.unwrap_or_else(|| self.new_picture());
        self.skins.borrow_mut().insert(target, number);
        if !self.events.borrow().full {
            self.responses.borrow_mut().push(text.clone());
        }
        let created = known.is_none();
        let origin = if created { "renderer.createTextSkin" } else { "renderer.updateTextSkin" };
        self.log(What::Skin { number, text: text.clone(), created }, &origin.into());
    }

    pub(crate) fn message_sent(&self, name: &Text) {
        if self.tracked_messages.borrow().contains(&*name.to_str()) {
            self.log(What::Sent(name.clone()), &"event.broadcast_sent".into());
        }
    }

    /// Logs the bubbles that have disappeared because their clone was deleted or everything was
    /// stopped.
    pub(crate) fn sweep_bubbles(&self) {
        let mut shown: Vec<TargetId> = self.skins.borrow().keys().copied().collect();
        shown.sort_unstable();
        for target in shown {
            self.bubble_changed(target, false);
        }
    }

    /// Logs the changes caused by *stop all*, which clears the effects of all sprites.
    fn cleared_effects(&self) {
        for sprite in 0..self.submission.targets.len() as u32 {
            self.updated(TargetId(sprite));
        }
    }

    pub(crate) fn pen(&self, mark: &PenMark) {
        if !self.pen_used.replace(true) {
            self.new_picture();
        }
        match mark {
            PenMark::Line { from, to, .. } => {
                self.log(What::Pen(mark.clone()), &"renderer.penLine".into());
                add_drawing(&self.lines, [from.0, from.1, to.0, to.1]);
            }
            PenMark::Point { at, .. } => {
                self.log(What::Pen(mark.clone()), &"renderer.penPoint".into());
                add_drawing(&self.points, [at.0, at.1]);
            }
            PenMark::Clear => {
                let (lines, points) = (self.lines.take(), self.points.take());
                self.log(What::PenCleared { lines, points }, &"renderer.penClear".into());
            }
        }
    }

    /// Logs the execution of a block once for each of its primitives.
    pub(crate) fn block_executed(&self, block: BlockNo, primitives: u32) {
        let wanted = match &*self.profile.borrow() {
            Profile::Off => false,
            Profile::All => true,
            Profile::Sprites(names) => {
                let (target, _) = self.submission.locate(block);
                names.contains(&*self.submission.targets[target].name)
            }
        };
        if wanted {
            let latest = self.snapshots.borrow().list.len() - 1;
            let mut events = self.events.borrow_mut();
            for _ in 0..primitives {
                events.add(What::Block(block), latest, Some(latest));
            }
        }
    }

    /// Sends an input. Returns the number of an action that ends when the threads that the input
    /// has started end.
    pub(crate) fn start(&self, input: StartEvent<'_>) -> Option<u32> {
        let threads = self.with_vm(|vm| vm.start(input)).unwrap_or_default();
        if input == StartEvent::Flag {
            self.sweep_bubbles();
            self.cleared_effects();
            self.cleared_effects();
        }
        if threads.is_empty() {
            return None;
        }
        let action = self.last_action.get() + 1;
        self.last_action.set(action);
        let threads = threads.into_iter().collect();
        self.awaited.borrow_mut().push(Awaited { action, threads });
        Some(action)
    }

    pub(crate) fn end_execution(&self) {
        self.over.set(true);
        let last = self.snap(&"event.end".into());
        self.events.borrow_mut().close_all(last);
        if self.with_vm(Vm::stop_all).is_some() {
            self.sweep_bubbles();
            self.cleared_effects();
        }
    }
}

fn add_drawing<D>(drawings: &RefCell<Vec<D>>, drawing: D) {
    let mut drawings = drawings.borrow_mut();
    if drawings.len() < MAX_DRAWINGS {
        drawings.push(drawing);
    }
}

fn costumes(project: &Project) -> u32 {
    project.targets.iter().map(|target| target.costumes.len() as u32).sum()
}

/// Whether a project has pen blocks. If the template has pen blocks, the original clears the pen
/// layer when it loads the submission. To do so, it creates the layer, which consumes a number.
fn has_pen(project: &Project) -> bool {
    let mut blocks = project.targets.iter().flat_map(|target| &target.blocks);
    blocks.any(|block| block.opcode_name().starts_with("pen_"))
}
