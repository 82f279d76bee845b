//! Runs with input: the green flag, then steps with keys, mouse and answers drawn from a seed.

use std::sync::Arc;

use catherd_vm::{Program, Random, Settings, TargetId, Tracer, Vm};

use crate::dice::Dice;

/// The stream of input; the machine draws from another of the same seed.
const INPUT: u64 = 0x1297;

const KEYS: [&str; 10] =
    ["space", "left arrow", "right arrow", "up arrow", "down arrow", "enter", "a", "d", "w", "1"];

const ANSWERS: [&str; 6] = ["", "yes", "7", "-1.5", "Scratch", "ä😀"];

/// What is done to a project: a pure function of these numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exercise {
    /// Steps (1/30 s of Scratch time each) after the green flag.
    pub steps: u64,
    /// Seed of the machine's random numbers and of the input.
    pub seed: u64,
}

impl Exercise {
    /// A machine for a project, before the green flag.
    pub(crate) fn machine<T: Tracer>(&self, program: &Arc<Program>, tracer: T) -> Vm<T> {
        Vm::new(program.clone(), Settings::default(), Random::portable(self.seed), tracer)
    }

    /// Runs a fresh machine; `look` sees it before the first step and after each.
    pub(crate) fn run<T: Tracer>(&self, vm: &mut Vm<T>, mut look: impl FnMut(&mut Vm<T>)) {
        let mut dice = Dice::new(self.seed, INPUT);
        vm.green_flag();
        look(vm);
        for _ in 0..self.steps {
            if dice.one_in(3) {
                input(vm, &mut dice);
            }
            vm.step();
            look(vm);
        }
    }
}

/// One thing that a user might do.
fn input<T: Tracer>(vm: &mut Vm<T>, dice: &mut Dice) {
    match dice.below(8) {
        0 | 1 => vm.key(dice.pick(&KEYS), true),
        2 => KEYS.iter().for_each(|key| vm.key(key, false)),
        3 => vm.mouse_move(250.0 * dice.spread(), 190.0 * dice.spread()),
        4 => vm.mouse_button(!vm.mouse_down()),
        5 if vm.is_asking() => vm.answer(dice.pick(&ANSWERS)),
        5 => vm.sound(Some(100.0 * dice.spread())),
        6 => vm.click(any_target(vm, dice)),
        _ => vm.drag(any_target(vm, dice), 250.0 * dice.spread(), 190.0 * dice.spread()),
    }
}

fn any_target<T: Tracer>(vm: &Vm<T>, dice: &mut Dice) -> TargetId {
    let targets: Vec<TargetId> = vm.targets().collect();
    dice.pick(&targets)
}
