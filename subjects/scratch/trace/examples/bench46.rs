#![allow(missing_docs, clippy::all, clippy::pedantic, clippy::print_stdout, dead_code)]
#[path = "../../vm/tests/vm/language/mod.rs"]
mod language;
#[path = "../../vm/tests/vm/programs.rs"]
mod programs;
use catherd_scratch_trace::Recorder;
use catherd_scratch_vm::{Program, Random, Vm, VmSettings};
use std::sync::Arc;
fn main() {
    for program in &programs::COMPUTATIONS {
        let project = language::project(&programs::source(program));
        let compiled = Program::compile(&project).unwrap();
        let blocks = project.block_count();
        let mut vm = Vm::new(
            Arc::new(compiled),
            VmSettings::default(),
            Random::portable(1),
            Recorder::new(blocks, false),
        );
        vm.tracer.clear();
        vm.green_flag();
        for _ in 0..50 {
            vm.step();
        }
        let t = std::time::Instant::now();
        let mut n = 0u32;
        while t.elapsed().as_millis() < 700 {
            for _ in 0..10 {
                vm.step();
            }
            n += 10;
        }
        let s = t.elapsed().as_secs_f64();
        println!(
            "{:14} {:9.0} steps/s blocks {}",
            program.0,
            f64::from(n) / s,
            vm.executed_blocks()
        );
    }
}
