//! A replay in progress: the VM, and the recorded state of the same step.

use std::sync::Arc;

use catherd_scratch_sb3::{BlockNo, Project};
use catherd_scratch_vm::{Compat, Program, Random, Snapshot, Vm, VmSettings};
use serde_json::Value;

use crate::comparison::{Divergence, compare};
use crate::coverage::{CoverageDifference, compare_coverage};
use crate::environment::{DAY_MS, Environment};
use crate::limits::{LimitHit, limit_hits};
use crate::observer::Observer;
use crate::trace::{InputEvent, Properties, StateChange, StepInputs, Trace};

fn settings(compat: Compat, one_batch: bool) -> VmSettings {
    let default = VmSettings::of(compat);
    let slowed =
        VmSettings { timer_increment: 0.075, batches: 1, one_timer: false, ..default.clone() };
    match compat {
        Compat::Today => {
            if one_batch {
                slowed
            } else {
                default
            }
        }
        Compat::Of2022 => VmSettings {
            speech_rate: None,
            awaits_translations: true,
            distances_touch_hulls: true,
            ..slowed
        },
    }
}

pub(crate) struct Replayer<'a> {
    trace: &'a Trace,
    project: &'a Project,
    vm: Vm<Observer>,
    step: usize,
    threads: u64,
    expected: Vec<Properties>,
    makey_steps: Vec<u64>,
}

pub(crate) struct Checkpoint {
    state: Snapshot,
    tracer: Observer,
    step: usize,
    threads: u64,
    expected: Vec<Properties>,
}

impl<'a> Replayer<'a> {
    pub(crate) fn new(
        trace: &'a Trace,
        project: &'a Project,
        program: &Arc<Program>,
        environment: &Environment,
    ) -> Replayer<'a> {
        let random = Random::reference(trace.seed);
        let makey_steps = environment.makey_steps.clone();
        let tracer = Observer::of_blocks();
        let settings = settings(program.compat(), environment.one_batch);
        let mut vm = Vm::new(program.clone(), settings, random.clone(), tracer);
        // The recorder runs one step between loading and the flag.
        vm.step();
        environment.devices.apply_to(&mut vm);
        vm.set_random(random);
        vm.tracer = Observer::of_blocks();
        vm.green_flag();
        if let Some(flag) = environment.flag {
            vm.set_date(flag / DAY_MS);
        }
        let mut replayer =
            Replayer { trace, project, vm, step: 0, threads: 0, expected: Vec::new(), makey_steps };
        replayer.apply_recorded_change();
        replayer
    }

    pub(crate) fn is_at_end(&self) -> bool {
        self.step + 1 >= self.trace.states.len()
    }

    pub(crate) fn set_clock(&mut self, milliseconds: f64) {
        self.vm.set_clock(milliseconds);
    }

    pub(crate) fn advance(&mut self) -> Option<Divergence> {
        self.step += 1;
        let is_due = |inputs: &&StepInputs| inputs.step == self.step as u64;
        for event in self.trace.inputs.iter().filter(is_due).flat_map(|inputs| &inputs.events) {
            send(&mut self.vm, event);
        }
        if self.makey_steps.contains(&(self.step as u64)) {
            self.vm.press_makey_keys_again();
        }
        self.vm.step();
        self.apply_recorded_change();
        self.compare()
    }

    fn apply_recorded_change(&mut self) {
        let Some(change) = self.trace.states.get(self.step) else { return };
        self.threads = change.threads.unwrap_or(self.threads);
        if let Some(targets) = &change.ts {
            self.expected.clone_from(targets);
        }
        for (index, changed) in &change.ch {
            if let Some(target) = self.expected.get_mut(*index) {
                merge(target, changed);
            }
        }
        remove_undefined_positions(&self.vm, change, &mut self.expected);
    }

    pub(crate) fn compare(&self) -> Option<Divergence> {
        compare(&self.vm, self.threads, &self.expected).map(|divergence| Divergence {
            step: self.step as u64,
            blocks: self.blocks_of(&divergence.sprite),
            ..divergence
        })
    }

    pub(crate) fn compare_coverage(&self) -> CoverageDifference {
        compare_coverage(&self.vm.tracer.covered, self.vm.program(), self.trace, self.project)
    }

    pub(crate) fn limit_hits(&self) -> Vec<LimitHit> {
        limit_hits(self.vm.hits())
    }

    /// `-` stands for all targets.
    fn blocks_of(&self, sprite: &str) -> Vec<String> {
        let describe = |no: &BlockNo| {
            let (target, block) = self.project.locate(*no);
            let target = &self.project.targets[target];
            let block = &target.blocks[block as usize];
            (*target.name == *sprite || sprite == "-")
                .then(|| format!("{} ({})", block.opcode_name(), block.id))
        };
        self.vm.tracer.step.iter().filter_map(describe).collect()
    }

    pub(crate) fn checkpoint(&self) -> Checkpoint {
        Checkpoint {
            state: self.vm.snapshot(),
            tracer: self.vm.tracer.clone(),
            step: self.step,
            threads: self.threads,
            expected: self.expected.clone(),
        }
    }

    pub(crate) fn restore(&mut self, checkpoint: &Checkpoint) {
        self.vm.restore(&checkpoint.state);
        self.vm.tracer.clone_from(&checkpoint.tracer);
        (self.step, self.threads) = (checkpoint.step, checkpoint.threads);
        self.expected.clone_from(&checkpoint.expected);
    }
}

fn send(vm: &mut Vm<Observer>, event: &InputEvent) {
    match event {
        InputEvent::Key { key, down } => vm.key(key, *down),
        InputEvent::Mouse { x, y } => vm.mouse_move(*x, *y),
        InputEvent::Button { down } => vm.mouse_button(*down),
        InputEvent::Answer { text } => vm.answer(text),
        InputEvent::Sound { level } => vm.set_loudness(Some(*level).filter(|level| *level >= 0.0)),
    }
}

/// Variables are merged one by one, and other properties are replaced.
fn merge(target: &mut Properties, changed: &Properties) {
    for (key, value) in changed {
        match (target.get_mut(key), value) {
            (Some(Value::Object(old)), Value::Object(new)) if key == "vars" => {
                old.extend(new.iter().map(|(k, v)| (k.clone(), v.clone())));
            }
            _ => {
                target.insert(key.clone(), value.clone());
            }
        }
    }
}

/// JSON has no undefined value, so the recording lists the target as changed, but without the
/// coordinate.
fn remove_undefined_positions(
    vm: &Vm<Observer>,
    change: &StateChange,
    expected: &mut [Properties],
) {
    for (index, changed) in &change.ch {
        let view = vm.targets().nth(*index).and_then(|id| vm.target(id));
        let (Some(view), Some(target)) = (view, expected.get_mut(*index)) else { continue };
        for (key, got) in [("x", view.x), ("y", view.y)] {
            if got.is_nan() && !changed.contains_key(key) {
                target.remove(key);
            }
        }
    }
}
