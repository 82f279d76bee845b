//! The state that the functions of `t` share: the VM, the current run, the values before the step,
//! inputs, and the log of the test.

use std::cell::{Cell, Ref, RefCell, RefMut};
use std::collections::BTreeSet;
use std::sync::Arc;

use catherd_javascript_engine::Thrown;
use catherd_scratch_grading_report::{Limit, Status};
use catherd_scratch_suite::CoveredBlocks;
use catherd_scratch_vm::{
    Program, Random, Snapshot, TargetId, TargetView, Tracer, Value, Vm, VmSettings,
};
use rustc_hash::FxHashMap;

use super::inputs::Inputs;
use super::mirror::{Mirror, Old};
use super::options::SuiteOptions;
use super::target_key::TargetKey;
use crate::seed::Seed;

/// Duration of a step in milliseconds.
pub(crate) const STEP_MS: f64 = 1000.0 / 30.0;

/// Maximum number of entries in each list that is kept for hints.
const MAX_HINTS: usize = 100;

/// Number of records of `old` values above which records of deleted clones are removed.
const MAX_OLDS: usize = 20_000;

/// Bits for the phases of a step in which functions of the suite are to be called.
pub(crate) const BEFORE: u32 = 1;
pub(crate) const AFTER: u32 = 2;
pub(crate) const CONSTRAINTS: u32 = 4;
pub(crate) const RANDOM: u32 = 8;
pub(crate) const MODELS: u32 = 16;

/// Bits for the kinds of changes that a suite watches.
pub(crate) const MOVED: u32 = 1;
pub(crate) const LOOKS: u32 = 2;
pub(crate) const SAID: u32 = 4;
pub(crate) const CHANGED: u32 = 8;

#[derive(Clone)]
pub(crate) enum Content {
    Scalar(Value),
    List(Vec<Value>),
}

/// A reference to a variable in JavaScript: its owner, its position in the table of the program,
/// and whether it is a list.
pub(crate) type VariableKey = (TargetKey, u32, bool);

/// A run of the VM that a test has started, for example with `t.runForTime`.
#[derive(Default)]
pub(crate) struct Run {
    pub(crate) active: Cell<bool>,
    /// Whether the run has failed. The run then remains active, but executes nothing.
    pub(crate) dead: Cell<bool>,
    pub(crate) cancelled: Cell<bool>,
    pub(crate) holds: Cell<bool>,
    pub(crate) has_condition: Cell<bool>,
    /// Maximum number of steps; may be fractional.
    pub(crate) limit: Cell<f64>,
    pub(crate) executed: Cell<u64>,
}

pub(crate) struct Finished {
    pub(crate) status: Status,
    /// The details of the error, as a JSON object.
    pub(crate) details: String,
    /// The error that was thrown; empty if the test passed.
    pub(crate) thrown: Thrown,
}

/// The shared state. Native functions borrow parts of the state only during a call.
pub(crate) struct Driver {
    vm: RefCell<Vm<()>>,
    pub(crate) mirror: Mirror,
    pub(crate) program: Arc<Program>,
    pub(crate) options: SuiteOptions,
    /// Positions of sprites by name, without the stage.
    pub(crate) originals: FxHashMap<String, u32>,
    pub(crate) run: Run,
    pub(crate) total_steps: Cell<u64>,
    pub(crate) test_steps: Cell<u64>,
    pub(crate) project_running: Cell<bool>,
    /// Whether a watcher is being called in the middle of a step.
    pub(crate) lent: Cell<bool>,
    /// Whether `t.end()` was called in the middle of a step.
    pub(crate) end_deferred: Cell<bool>,
    pub(crate) phases: Cell<u32>,
    pub(crate) watched: Cell<u32>,
    /// Whether a sprite was looked up. From then on, all sprites have `old` values and are watched.
    pub(crate) wrapped: Cell<bool>,
    /// Kinds of changes for which the wrapper of a sprite has a handler.
    pub(crate) handled: RefCell<FxHashMap<TargetKey, u32>>,
    /// The keys of the targets at the last request by JavaScript, in order.
    pub(crate) known_targets: RefCell<Vec<f64>>,
    pub(crate) olds: RefCell<FxHashMap<TargetKey, Old>>,
    /// In strict mode, the sprites that had a bubble in an earlier test.
    pub(crate) spoken: RefCell<BTreeSet<u32>>,
    pub(crate) old_variables: RefCell<FxHashMap<VariableKey, Content>>,
    pub(crate) inputs: RefCell<Inputs>,
    pub(crate) finished: RefCell<Option<Finished>>,
    pub(crate) script_random: RefCell<Random>,
    /// The first state of the generator of random inputs.
    pub(crate) input_seed: Cell<f64>,
    log: RefCell<Vec<String>>,
    log_bytes: Cell<usize>,
    /// Members that were read although they do not exist: owner and name.
    pub(crate) missing: RefCell<Vec<(String, String)>>,
    pub(crate) mistakes: RefCell<Vec<String>>,
    pub(crate) unknown_sprites: RefCell<Vec<String>>,
    pub(crate) unknown_variables: RefCell<Vec<String>>,
    pub(crate) limits: RefCell<Vec<Limit>>,
    pub(crate) keys_pressed: Cell<bool>,
    pub(crate) inputs_sent: Cell<u64>,
    /// Number of covered blocks and number of all blocks, if coverage is measured.
    pub(crate) coverage: Cell<(usize, usize)>,
    /// Hats whose scripts were started by the flag or an input, if coverage is measured. Inputs
    /// start scripts between steps, and a hat counts as covered even if its script ends before the
    /// next step.
    pub(crate) started_hats: RefCell<CoveredBlocks>,
}

impl Driver {
    pub(crate) fn new(program: &Arc<Program>, options: &SuiteOptions, total_steps: u64) -> Driver {
        let names = program.targets().enumerate().filter(|(at, _)| *at != program.stage());
        let mut originals = FxHashMap::default();
        for (at, name) in names {
            originals.entry(name.to_str().into_owned()).or_insert(at as u32);
        }
        let settings =
            VmSettings { timer_increment: options.timer_increment, ..VmSettings::default() };
        let random = Seed::default().machine();
        Driver {
            mirror: Mirror::new(program.targets().len()),
            vm: RefCell::new(Vm::new(Arc::clone(program), settings, random, ())),
            program: Arc::clone(program),
            options: options.clone(),
            originals,
            run: Run::default(),
            total_steps: Cell::new(total_steps),
            test_steps: Cell::new(0),
            project_running: Cell::new(false),
            lent: Cell::new(false),
            end_deferred: Cell::new(false),
            phases: Cell::new(0),
            watched: Cell::new(0),
            wrapped: Cell::new(false),
            handled: RefCell::default(),
            known_targets: RefCell::default(),
            olds: RefCell::default(),
            spoken: RefCell::default(),
            old_variables: RefCell::default(),
            inputs: RefCell::default(),
            finished: RefCell::new(None),
            script_random: RefCell::new(Seed::default().script()),
            input_seed: Cell::new(0.0),
            log: RefCell::default(),
            log_bytes: Cell::new(0),
            missing: RefCell::default(),
            mistakes: RefCell::default(),
            unknown_sprites: RefCell::default(),
            unknown_variables: RefCell::default(),
            limits: RefCell::default(),
            keys_pressed: Cell::new(false),
            inputs_sent: Cell::new(0),
            coverage: Cell::default(),
            started_hats: RefCell::new(CoveredBlocks::new(program.block_count())),
        }
    }

    pub(crate) fn vm(&self) -> Ref<'_, Vm<()>> {
        self.vm.borrow()
    }

    /// The VM, for changes that JavaScript can see.
    pub(crate) fn vm_mut(&self) -> RefMut<'_, Vm<()>> {
        self.mirror.state_changes();
        self.vm.borrow_mut()
    }

    /// The VM, for sensing, which does not change properties of targets.
    pub(crate) fn sensing(&self) -> RefMut<'_, Vm<()>> {
        self.vm.borrow_mut()
    }

    /// Prepares a test that may execute at most `blocks` blocks: the project is as loaded (in
    /// strict mode, only what `Vm::restore_fields` restores) and the flag is clicked, but
    /// no step is executed.
    pub(crate) fn begin_test(&self, initial: &Snapshot, seed: Seed, blocks: u64) {
        let mut vm = self.vm_mut();
        if self.options.strict {
            vm.restore_fields(initial);
        } else {
            vm.restore(initial);
        }
        vm.mouse_move(0.0, 0.0);
        vm.set_fuel(blocks);
        vm.green_flag();
        drop(vm);
        let run = &self.run;
        for flag in [
            &self.project_running,
            &self.end_deferred,
            &self.wrapped,
            &run.active,
            &run.dead,
            &run.cancelled,
            &run.holds,
        ] {
            flag.set(false);
        }
        self.handled.borrow_mut().clear();
        self.run.executed.set(0);
        self.test_steps.set(0);
        self.olds.borrow_mut().clear();
        self.old_variables.borrow_mut().clear();
        self.inputs.borrow_mut().clear();
        self.finished.replace(None);
        self.log.borrow_mut().clear();
        self.log_bytes.set(0);
        self.limits.borrow_mut().clear();
        self.keys_pressed.set(false);
        self.inputs_sent.set(0);
        self.missing.borrow_mut().clear();
        self.mistakes.borrow_mut().clear();
        self.unknown_sprites.borrow_mut().clear();
        self.unknown_variables.borrow_mut().clear();
        self.seed(seed);
    }

    /// In strict mode, the text is empty if the target had bubbles only in earlier tests.
    pub(crate) fn bubble(&self, vm: &Vm<()>, target: TargetId) -> Option<String> {
        let text = vm.last_bubble(target).map(|text| text.to_str().into_owned());
        text.or_else(|| self.spoken.borrow().contains(&target.0).then(String::new))
    }

    pub(crate) fn seed(&self, seed: Seed) {
        self.sensing().set_random(seed.machine());
        self.script_random.replace(seed.script());
        self.input_seed.set(seed.inputs());
    }

    /// In strict mode, the number comes from the VM's generator.
    pub(crate) fn draw(&self) -> f64 {
        if self.options.strict {
            self.sensing().draw()
        } else {
            self.script_random.borrow_mut().draw()
        }
    }

    pub(crate) fn note_hats(&self) {
        if self.options.coverage {
            let (vm, mut started) = (self.vm(), self.started_hats.borrow_mut());
            for hat in self.program.hats().filter(|hat| vm.is_active(*hat)) {
                started.covered(hat);
            }
        }
    }

    /// Ends the program as `t.end()` does: everything is stopped, then one step is executed. In the
    /// middle of a step, the end is deferred until after the step.
    pub(crate) fn end(&self) {
        if self.lent.get() {
            self.run.cancelled.set(true);
            self.end_deferred.set(true);
            return;
        }
        self.end_deferred.set(false);
        self.run.cancelled.set(true);
        self.note_hats();
        let mut vm = self.vm_mut();
        if self.options.strict {
            let originals = 0..self.program.targets().len() as u32;
            let spoke = originals.filter(|at| vm.last_bubble(TargetId(*at)).is_some());
            self.spoken.borrow_mut().extend(spoke);
        }
        vm.stop_all();
        vm.step();
        vm.release_keys();
        vm.mouse_move(0.0, 0.0);
        if vm.mouse_down() {
            vm.mouse_button(false);
        }
        drop(vm);
        self.inputs.borrow_mut().clear();
    }

    pub(crate) fn watches(&self) -> bool {
        self.watched.get() != 0 || self.wrapped.get()
    }

    /// Records the values of the sprites and variables that the test knows, before a step.
    pub(crate) fn remember_all(&self) {
        if self.wrapped.get() {
            self.mirror.old_changes();
            let vm = self.vm();
            let mut olds = self.olds.borrow_mut();
            for target in vm.targets() {
                if let Some(view) = vm.target(target) {
                    olds.insert(TargetKey::of(&view), self.old(&vm, &view));
                }
            }
            if olds.len() > MAX_OLDS {
                olds.retain(|key, _| {
                    vm.target(key.target()).is_some_and(|v| TargetKey::of(&v) == *key)
                });
            }
        }
        for (key, content) in self.old_variables.borrow_mut().iter_mut() {
            if let Some(now) = self.content(*key) {
                *content = now;
            }
        }
    }

    pub(crate) fn remember(&self, key: TargetKey) {
        self.mirror.old_changes();
        let vm = self.vm();
        if let Some(view) = vm.target(key.target()) {
            self.olds.borrow_mut().insert(key, self.old(&vm, &view));
        }
    }

    pub(crate) fn moved_from(&self, key: TargetKey, from: (f64, f64)) {
        if let Some(old) = self.olds.borrow_mut().get_mut(&key) {
            self.mirror.old_changes();
            (old.x, old.y) = from;
        }
    }

    fn old(&self, vm: &Vm<()>, view: &TargetView<'_>) -> Old {
        Old {
            x: view.x,
            y: view.y,
            direction: view.direction,
            visible: view.visible,
            size: view.size,
            costume: view.costume,
            volume: view.volume,
            layer: view.order(),
            bubble: self.bubble(vm, view.id),
            rotation_style: view.rotation_style,
            effects: view.effects,
        }
    }

    pub(crate) fn content(&self, (owner, number, list): VariableKey) -> Option<Content> {
        let vm = self.vm();
        let view = vm.target_or_remains(owner.target())?;
        Some(if list {
            Content::List(view.list(number as usize)?.to_vec())
        } else {
            Content::Scalar(view.variable(number as usize)?.clone())
        })
    }

    pub(crate) fn log(&self, line: &str) {
        let before = self.log_bytes.get();
        let limit = self.options.log_bytes;
        if before > limit {
            return;
        }
        self.log_bytes.set(before + line.len() + 1);
        let line = if self.log_bytes.get() > limit {
            self.limit(Limit::Output);
            "(the log is full; what follows is left out)"
        } else {
            line
        };
        self.log.borrow_mut().push(line.to_owned());
    }

    pub(crate) fn count_input(&self) {
        self.inputs_sent.set(self.inputs_sent.get() + 1);
    }

    pub(crate) fn limit(&self, limit: Limit) {
        let mut limits = self.limits.borrow_mut();
        if !limits.contains(&limit) {
            limits.push(limit);
        }
    }

    pub(crate) fn take_log(&self) -> Vec<String> {
        self.log.take()
    }

    pub(crate) fn mistake(&self, hint: &str) {
        let noted = self.mistakes.borrow().iter().any(|noted| noted == hint);
        if !noted {
            self.note(&self.mistakes, hint.to_owned());
        }
    }

    pub(crate) fn note<N>(&self, list: &RefCell<Vec<N>>, name: N) {
        let mut list = list.borrow_mut();
        if list.len() < MAX_HINTS {
            list.push(name);
        }
    }
}
