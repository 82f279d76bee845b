//! Runs with random input.

use std::sync::Arc;

use catherd_scratch_vm::{Compat, Program, Random, TargetId, Tracer, Vm, VmSettings};

use crate::rng::Rng;

/// Random stream of the input, which differs from the stream of the VM.
const INPUT_STREAM: u64 = 0x1297;

const KEYS: [&str; 10] =
    ["space", "left arrow", "right arrow", "up arrow", "down arrow", "enter", "a", "d", "w", "1"];

const ANSWERS: [&str; 6] = ["", "yes", "7", "-1.5", "Scratch", "ä😀"];

/// Settings of a run with random input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RandomInputDriver {
    /// Number of steps (1/30 s of Scratch time each) after the green flag.
    pub steps: u64,
    /// Seed of the VM's random numbers and of the input.
    pub seed: u64,
    /// Whether only the interpreter executes the program. The states of the run must not depend on
    /// this setting.
    pub interpret: bool,
    /// The version of Scratch whose behaviour the VM reproduces.
    pub compat: Compat,
}

impl RandomInputDriver {
    pub(crate) fn machine<T: Tracer>(&self, program: &Arc<Program>, tracer: T) -> Vm<T> {
        let random = Random::portable(self.seed);
        let mut vm = Vm::new(program.clone(), VmSettings::of(program.compat()), random, tracer);
        if self.interpret {
            vm.interpret();
        }
        vm
    }

    pub(crate) fn run<T: Tracer>(&self, vm: &mut Vm<T>, mut on_state: impl FnMut(&mut Vm<T>)) {
        let mut rng = Rng::new(self.seed, INPUT_STREAM);
        vm.green_flag();
        on_state(vm);
        for _ in 0..self.steps {
            if rng.one_in(3) {
                send_input(vm, &mut rng);
            }
            vm.step();
            on_state(vm);
        }
    }
}

fn send_input<T: Tracer>(vm: &mut Vm<T>, rng: &mut Rng) {
    match rng.below(8) {
        0 | 1 => vm.key(rng.pick(&KEYS), true),
        2 => KEYS.iter().for_each(|key| vm.key(key, false)),
        3 => vm.mouse_move(250.0 * rng.signed_unit(), 190.0 * rng.signed_unit()),
        4 => vm.mouse_button(!vm.mouse_down()),
        5 if vm.is_asking() => vm.answer(rng.pick(&ANSWERS)),
        5 => vm.set_loudness(Some(100.0 * rng.signed_unit())),
        6 => vm.click(any_target(vm, rng)),
        _ => vm.drag(any_target(vm, rng), 250.0 * rng.signed_unit(), 190.0 * rng.signed_unit()),
    }
}

fn any_target<T: Tracer>(vm: &Vm<T>, rng: &mut Rng) -> TargetId {
    let targets: Vec<TargetId> = vm.targets().collect();
    rng.pick(&targets)
}
