//! Tests of the features that distinguish states of programs.

use std::sync::Arc;

use catherd_scratch_sb3::test_support::{TargetBuilder, number, project};
use catherd_scratch_sb3::{BlockNo, Opcode};
use catherd_scratch_suite::event::Event;
use catherd_scratch_testgen::{GenerationSettings, Prepared};
use catherd_scratch_trace::Trace;
use catherd_scratch_vm::{Random, Tracer as _, Vm};
use catherd_search::Stream;

use super::{LatestRecorder, Layout, Space};
use crate::explore::{Explore, StateSpace as _};
use crate::reflex::tests::catching;

#[test]
fn the_latest_distances_replace_earlier_ones_and_minima_do_not() {
    let block = BlockNo(3);
    for (minima, expected) in [(false, (5.0, 0.0)), (true, (2.0, 0.0))] {
        let mut recorder = LatestRecorder::new(4, false, minima);
        recorder.distance(block, 4.0, 0.0);
        recorder.distance(block, 2.0, 0.0);
        assert_eq!(recorder.known_distances(block), (2.0, 0.0));
        recorder.flush();
        assert_eq!(recorder.known_distances(block).0, f64::INFINITY, "measured again");
        recorder.distance(block, 5.0, 0.0);
        recorder.flush();
        recorder.flush();
        assert_eq!(recorder.trace().record(block), Some(expected));
        let copy: Trace = recorder.trace().clone();
        recorder.clear();
        assert_eq!(recorder.trace().record(block), None);
        recorder.resume(&copy, &[block]);
        assert_eq!(recorder.trace().record(block), Some(expected));
        assert_eq!(recorder.last_step(), [block]);
    }
}

#[test]
fn sprites_scripts_and_meetings_are_found() {
    let project = catching();
    let prepared = Prepared::new(&project, GenerationSettings::default()).unwrap();
    let layout = Layout::new(&project, prepared.model());
    assert!(!layout.has_chance, "the random place decides through a distance");
    assert_eq!(layout.sprites, [1, 2]);
    assert_eq!(layout.top_of.len(), 8);
    assert_eq!(layout.tops.len(), 3);
    assert_eq!(layout.meetings, [(2, 1)], "the apple asks how far the bowl is");
}

#[test]
fn digests_distinguish_states_except_by_time() {
    let project = catching();
    let prepared = Prepared::new(&project, GenerationSettings::default()).unwrap();
    let layout = Layout::new(&project, prepared.model());
    let settings = Explore::default();
    let mut rng = Stream::new(1, Stream::SEARCH);
    let mut space = Space::new(&prepared, &settings, &layout, 1, &mut rng);
    let key = space.words().clone().key_no("right arrow");
    let mut after = |seed, events: &[Event]| {
        space.root(seed);
        for event in events {
            space.act(*event);
        }
        space.digest()
    };
    let (wait, press) = (Event::Wait { steps: 3 }, Event::KeyPress { key, steps: 2 });
    let pressed = after(1, &[wait, press, wait]);
    assert_eq!(pressed, after(1, &[wait, wait, press, wait]), "the bowl moves later");
    assert_ne!(pressed, after(1, &[wait, press, press, wait]), "the bowl moves twice");
    assert_ne!(pressed, after(2, &[wait, press, wait]), "another seed");
}

#[test]
fn positions_of_scripts_count_loops() {
    let mut cat = TargetBuilder::new("Cat");
    let walk = cat.block(Opcode::MotionChangeXBy, &[("DX", number("1"))]);
    let head = cat.block(Opcode::ControlRepeat, &[("TIMES", number("5"))]);
    cat.hold(head, walk);
    let flag = cat.flag(&[head]);
    let project = project(vec![TargetBuilder::new("Stage"), cat]);
    let top = project.targets[1].number(flag);
    let program = Arc::new(catherd_scratch_vm::Program::compile(&project).unwrap());
    let mut vm =
        Vm::new(program, catherd_scratch_vm::VmSettings::default(), Random::portable(1), ());
    assert_eq!(vm.script_position(top), 0);
    vm.green_flag();
    let mut seen = vec![vm.script_position(top)];
    for _ in 0..4 {
        vm.step();
        assert_eq!(vm.position(), vm.script_position(top));
        assert!(!seen.contains(&vm.position()), "each turn has a different position");
        seen.push(vm.position());
    }
    (0..5).for_each(|_| vm.step());
    assert_eq!(vm.script_position(top), 0, "the script has ended");
}
