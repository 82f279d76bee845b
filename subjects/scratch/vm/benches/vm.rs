//! Benchmarks with projects of the demo corpus.

mod everything;

use std::path::PathBuf;
use std::sync::Arc;

use catherd_scratch_sb3::Project;
use catherd_scratch_vm::{Program, Random, Tracer, Vm, VmSettings};
use divan::{Bencher, black_box};

use everything::Everything;

const PROJECTS: [&str; 6] =
    ["apple-catch", "ball-bounce", "maze", "spirograph", "sorting", "traffic-light"];

fn main() {
    divan::main();
}

fn folder(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "..", "..", "..", "datasets", "demo", name].iter().collect()
}

fn running<T: Tracer>(name: &str, tracer: T) -> Vm<T> {
    let project = Project::read(folder(name)).expect("the demo projects are sound");
    let program = Program::compile(&project).expect("the demo projects are sound");
    let settings = VmSettings::default();
    let mut vm = Vm::new(Arc::new(program), settings, Random::portable(1), tracer);
    vm.green_flag();
    for _ in 0..100 {
        vm.step();
    }
    vm
}

fn play<T: Tracer>(vm: &mut Vm<T>) {
    for press in [true, false] {
        vm.key("right arrow", press);
        for _ in 0..10 {
            vm.step();
        }
    }
}

#[divan::bench(args = PROJECTS)]
fn twenty_steps(bencher: Bencher<'_, '_>, project: &str) {
    let mut vm = running(project, ());
    bencher.bench_local(|| play(&mut vm));
}

#[divan::bench(args = PROJECTS)]
fn twenty_traced_steps(bencher: Bencher<'_, '_>, project: &str) {
    let mut vm = running(project, Everything);
    bencher.bench_local(|| play(&mut vm));
}

#[divan::bench(args = PROJECTS)]
fn snapshot(bencher: Bencher<'_, '_>, project: &str) {
    let vm = running(project, ());
    bencher.bench_local(|| vm.snapshot());
}

#[divan::bench(args = PROJECTS)]
fn restore(bencher: Bencher<'_, '_>, project: &str) {
    let mut vm = running(project, ());
    let snapshot = vm.snapshot();
    bencher.bench_local(|| vm.restore(black_box(&snapshot)));
}

/// Costumes are not rasterised here.
#[divan::bench(args = PROJECTS)]
fn load(bencher: Bencher<'_, '_>, project: &str) {
    let folder = folder(project);
    bencher.bench_local(|| {
        let project = Project::read(&folder).expect("the demo projects are sound");
        Program::compile(&project).expect("the demo projects are sound")
    });
}

/// A reference for the execution of blocks: a thousand commands that do almost nothing.
#[divan::bench]
fn a_thousand_empty_dispatches(bencher: Bencher<'_, '_>) {
    let commands: Vec<u8> = (0..1000_u32).map(|i| (i * 7 % 5) as u8).collect();
    bencher.counter(divan::counter::ItemsCount::new(1000_u32)).bench_local(|| {
        let mut state = [0_u64; 4];
        for command in black_box(&commands) {
            match command {
                0 => state[0] += 1,
                1 => state[1] ^= state[0],
                2 => state[2] = state[1].rotate_left(3),
                3 => state[3] ^= state[2] & 1,
                _ => state[0] |= 1,
            }
            black_box(&mut state);
        }
        state
    });
}
