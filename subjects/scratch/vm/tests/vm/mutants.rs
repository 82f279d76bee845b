//! Tests of mutants of a project: their fingerprints and fuel.

use std::sync::Arc;

use catherd_scratch_sb3::{Opcode, Project};
use catherd_scratch_vm::{Program, Random, Vm, VmSettings};

use crate::language;

const SOURCE: &str = "
    (var v 0)
    (sprite A
      (flag (set v 1) (if (and (> $v 0) (mouse-down)) [(say hello)]) (forever [(change v 1)]))
      (key a (say a)))";

fn changed(change: impl FnOnce(&mut Project)) -> Project {
    let mut project = language::project(SOURCE);
    change(&mut project);
    project
}

fn replace(project: &mut Project, from: Opcode, to: Opcode) {
    let blocks = project.targets.iter_mut().flat_map(|target| &mut target.blocks);
    let block = blocks.into_iter().find(|block| block.opcode == from).unwrap();
    block.opcode = to;
}

#[test]
fn programs_have_the_same_fingerprint_if_they_are_the_same() {
    let original = Program::compile(&language::project(SOURCE)).unwrap();
    let fingerprint = |project: &Project| original.recompile(project).unwrap().fingerprint();
    assert_eq!(fingerprint(&language::project(SOURCE)), original.fingerprint());

    let greater = changed(|p| replace(p, Opcode::OperatorGt, Opcode::OperatorLt));
    assert_ne!(fingerprint(&greater), original.fingerprint());
    assert_eq!(fingerprint(&greater), fingerprint(&greater));
    let text = changed(|p| replace(p, Opcode::LooksSay, Opcode::LooksThinkForSecs));
    assert_ne!(fingerprint(&text), original.fingerprint());
    let key = SOURCE.replace("(key a", "(key b");
    assert_ne!(fingerprint(&language::project(&key)), original.fingerprint());
    // A block without a hat is not compiled.
    let loose = format!("{} (move 10))", SOURCE.trim_end().strip_suffix(')').unwrap());
    assert_eq!(fingerprint(&language::project(&loose)), original.fingerprint());
}

#[test]
fn a_vm_stops_when_it_is_out_of_fuel() {
    let program = Arc::new(Program::compile(&language::project(SOURCE)).unwrap());
    let mut vm = Vm::new(program, VmSettings::default(), Random::portable(0), ());
    let start = vm.snapshot();
    let mut run = |allowed: Option<u64>| {
        vm.restore(&start);
        if let Some(blocks) = allowed {
            vm.set_fuel(blocks);
        }
        vm.green_flag();
        (0..100).for_each(|_| vm.step());
        (vm.executed_blocks(), vm.is_out_of_fuel(), vm.steps())
    };
    let (executed, exhausted, steps) = run(None);
    assert!(executed > 100 && !exhausted);
    assert_eq!(steps, 100);
    assert_eq!(run(Some(50)), (50, true, 100));
    assert_eq!(run(Some(executed + 1)), (executed, false, 100));
    assert_eq!(run(None), (executed, false, 100), "restoring a snapshot restores the fuel");
}
