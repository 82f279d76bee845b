//! Tests that a step allocates no memory in the steady state, except for strings and bubbles. All
//! tests in this binary use the counting allocator, which counts separately for each thread.

#![allow(unsafe_code)] // An allocator.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::path::Path;
use std::sync::Arc;

use catherd_scratch_sb3::{BlockNo, Project};
use catherd_scratch_vm::{Program, Random, Tracer, Vm, VmSettings};

use crate::noted::{Known, Noted};

/// The projects of the demo corpus, each with the maximum number of allocations for strings and
/// bubbles in 600 steps.
const PROJECTS: [(&str, u64); 14] = [
    ("apple-catch", 193),
    ("ball-bounce", 0),
    ("combination-lock", 0),
    ("fireworks", 2),
    ("kiosk", 0),
    ("loud-balloon", 3),
    ("maze", 1),
    ("quiz", 1),
    ("seedling", 1),
    ("sketchpad", 0),
    ("sorting", 2),
    ("spirograph", 0),
    ("story", 10),
    ("traffic-light", 1),
];

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

fn count() {
    // Do not panic if a thread allocates memory while it ends.
    let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
}

// SAFETY: every call is passed to the allocator of the system unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: `System` allocated the block, and the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: `System` allocated the block, and the caller keeps the contract of `realloc`.
        unsafe { System.realloc(block, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn play<T: Tracer>(vm: &mut Vm<T>, steps: u64) {
    const KEYS: [&str; 5] = ["left arrow", "right arrow", "up arrow", "down arrow", "space"];
    for step in 0..steps {
        let key = KEYS[(step / 20 % 5) as usize];
        match step % 20 {
            0 => vm.key(key, true),
            10 => vm.key(key, false),
            _ => vm.mouse_move((step * 7 % 480) as f64 - 240.0, (step * 3 % 360) as f64 - 180.0),
        }
        vm.step();
    }
}

/// Number of allocations in the steps of an execution after other executions.
fn allocations<T: Tracer>(vm: &mut Vm<T>) -> u64 {
    for _ in 0..8 {
        vm.green_flag();
        play(vm, 600);
    }
    vm.green_flag();
    let before = ALLOCATIONS.get();
    play(vm, 600);
    ALLOCATIONS.get() - before
}

#[test]
fn steps_allocate_nothing_in_the_steady_state() {
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../datasets/demo");
    let mut blocks = 0;
    for (name, texts) in PROJECTS {
        let project = Project::read(demo.join(name)).unwrap();
        let program = Arc::new(Program::compile(&project).unwrap());
        let (settings, random) = (VmSettings::default(), Random::portable(1));
        let mut plain = Vm::new(program.clone(), settings, random, ());
        let found = allocations(&mut plain);
        assert!(found <= texts, "{name}: {found} allocations without a tracer");
        // Keep the smallest distances, as test generation does, so that the VM measures the same
        // distances.
        let mut tracer = Noted::<false>::knowing(Known::Smallest);
        let far = (f64::INFINITY, f64::INFINITY);
        tracer.covered = (0..project.block_count() as u32).map(|no| (BlockNo(no), far)).collect();
        let (settings, random) = (VmSettings::default(), Random::portable(1));
        let mut traced = Vm::new(program, settings, random, tracer);
        let found = allocations(&mut traced);
        assert!(found <= texts, "{name}: {found} allocations with a tracer");
        blocks += traced.tracer.calls;
    }
    assert!(blocks > 100_000, "{blocks} blocks are too few");
}
