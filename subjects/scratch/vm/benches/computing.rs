//! Benchmarks of programs that only compute.

mod everything;
#[allow(dead_code, reason = "the notation of the tests, of which the programs use a part")]
#[path = "../tests/vm/language/mod.rs"]
mod language;
#[path = "../tests/vm/programs.rs"]
mod programs;

use std::sync::Arc;

use catherd_scratch_vm::{Program, Random, Tracer, Vm, VmSettings};
use divan::Bencher;
use divan::counter::ItemsCount;

use everything::Everything;
use programs::{COMPUTATIONS, source};

fn main() {
    divan::main();
}

fn names() -> impl Iterator<Item = &'static str> {
    COMPUTATIONS.iter().map(|program| program.0)
}

fn measure<T: Tracer>(bencher: Bencher<'_, '_>, name: &str, tracer: T) {
    let program =
        COMPUTATIONS.iter().find(|program| program.0 == name).expect("a name of the list");
    let project = language::project(&source(program));
    let program = Program::compile(&project).expect("the programs are sound");
    let mut vm = Vm::new(Arc::new(program), VmSettings::default(), Random::portable(1), tracer);
    vm.green_flag();
    vm.step();
    let before = vm.executed_blocks();
    vm.step();
    let blocks = vm.executed_blocks() - before;
    bencher.counter(ItemsCount::new(blocks)).bench_local(|| vm.step());
}

/// Executes a step. The throughput is in blocks.
#[divan::bench(args = names())]
fn step(bencher: Bencher<'_, '_>, program: &str) {
    measure(bencher, program, ());
}

#[divan::bench(args = names())]
fn traced_step(bencher: Bencher<'_, '_>, program: &str) {
    measure(bencher, program, Everything);
}
