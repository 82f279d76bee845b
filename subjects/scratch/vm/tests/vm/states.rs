//! Tests of snapshots and determinism.

use catherd_scratch_sb3::Project;
use proptest::prelude::*;

use crate::harness::{Harness, Logging, paper};
use crate::language::project;

pub(crate) fn state(vm: &Logging) -> String {
    use std::fmt::Write;
    let mut text = format!("{} {} {:?} ", vm.steps(), vm.thread_count(), vm.mouse());
    let order: Vec<_> = vm.execution_order().collect();
    write!(text, "{order:?} {} {:?} ", vm.is_asking(), vm.hits()).unwrap();
    for id in vm.targets() {
        let t = vm.target(id).unwrap();
        write!(
            text,
            "\n{:?} {} {} {:?} {} {} {} {} {} {} {} {:?} {:?} {} ",
            id,
            t.name,
            t.original,
            (t.x.to_bits(), t.y.to_bits()),
            t.direction,
            t.size,
            t.visible,
            t.costume,
            t.volume,
            t.draggable,
            t.layer(),
            t.effects,
            t.bubble,
            t.sprite,
        )
        .unwrap();
        for (name, value) in t.variables() {
            write!(text, "{name}={value:?} ").unwrap();
        }
        for (name, items) in t.lists() {
            write!(text, "{name}={items:?} ").unwrap();
        }
    }
    text
}

#[derive(Clone, Debug)]
pub(crate) enum Input {
    Key(&'static str, bool),
    Move(i32, i32),
    Button(bool),
    Click(usize),
    Drag(usize, i32, i32),
    Sound(u8),
    Answer(u8),
    Flag,
    Step(usize),
}

pub(crate) fn input() -> impl Strategy<Value = Input> {
    let keys = prop::sample::select(vec!["space", "a", "left arrow", "up arrow"]);
    prop_oneof![
        4 => (keys, any::<bool>()).prop_map(|(k, down)| Input::Key(k, down)),
        2 => (-260..260, -200..200).prop_map(|(x, y)| Input::Move(x, y)),
        2 => any::<bool>().prop_map(Input::Button),
        2 => (0_usize..12).prop_map(Input::Click),
        1 => (0_usize..12, -300..300, -200..200).prop_map(|(t, x, y)| Input::Drag(t, x, y)),
        1 => any::<u8>().prop_map(Input::Sound),
        1 => any::<u8>().prop_map(Input::Answer),
        1 => Just(Input::Flag),
        8 => (1_usize..6).prop_map(Input::Step),
    ]
}

pub(crate) fn apply(vm: &mut Logging, input: &Input) {
    let nth = |vm: &Logging, n: usize| {
        let targets: Vec<_> = vm.targets().collect();
        targets[n % targets.len()]
    };
    match *input {
        Input::Key(name, down) => vm.key(name, down),
        Input::Move(x, y) => vm.mouse_move(f64::from(x), f64::from(y)),
        Input::Button(down) => vm.mouse_button(down),
        Input::Click(n) => vm.click(nth(vm, n)),
        Input::Drag(n, x, y) => vm.drag(nth(vm, n), f64::from(x), f64::from(y)),
        Input::Sound(volume) => vm.set_loudness(Some(f64::from(volume))),
        Input::Answer(n) => vm.answer(&n.to_string()),
        Input::Flag => vm.green_flag(),
        Input::Step(n) => (0..n).for_each(|_| vm.step()),
    }
}

/// The state after each input.
pub(crate) fn play(vm: &mut Logging, inputs: &[Input]) -> Vec<String> {
    let mut states = Vec::new();
    for input in inputs {
        apply(vm, input);
        states.push(state(vm));
    }
    states
}

/// Programs that together use many parts of a snapshot.
pub(crate) fn projects() -> Vec<Project> {
    [
        "(var score 0) (message hit) (costume day) (costume night)
         (sprite Cat (costume a 30 30) (costume b 20 40) (flag (goto-xy 0 0) (forever [
             (move (random 1 8)) (bounce) (if (touching Ball) [(broadcast hit) (next-costume)])]))
           (key space (repeat 5 [(change-y 9)]) (clone _myself_))
           (cloned (repeat 9 [(right 20) (move 4)]) (delete-clone))
           (clicked (say-for (random 1 99) 0.3)))
         (sprite Ball x=50 draggable (flag (glide 0.5 -60 20) (glide-to 0.5 _random_))
           (received hit (change score 1) (set-effect color (* $score 9)) (next-backdrop))
           (shown night (set-volume 30) (hide) (wait 0.1) (show)))",
        "(var n 0) (list items a b) (message go)
         (sprite A (define f (k) (if (> (arg k) 0) [(add items (join (arg k) x)) (call f (- (arg k) 1))]))
           (define-warp w (k) (repeat (arg k) [(change n (random 1 6)) (insert items $n random)]))
           (key a (call f 4)) (key any (call w 3) (delete items 1)) (clicked (ask name) (add items (answer)))
           (received go (stop \"other scripts in sprite\") (wait 0.1) (layer front))
           (flag (forever [(if (= (items items) 20) [(delete items all)]) (broadcast-wait go)])))
         (sprite B (when-greater loudness 40 (clone A) (pen-down) (move 20)) (when-touching A (pen-color \"#00ff00\") (stamp))
           (key space (stop all)) (received go (set-x (random -50 50))) (clicked (layers backward 1) (say hi)))
         (stage (stage-clicked (change n 100) (reset-timer)) (when-greater timer 0.3 (set-tempo 200) (rest 1)))",
    ]
    .map(project)
    .into()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    #[ignore = "slow"]
    fn restoring_a_snapshot_repeats_what_followed(
        which in 0_usize..2,
        before in prop::collection::vec(input(), 0..25),
        after in prop::collection::vec(input(), 1..25),
        between in prop::collection::vec(input(), 0..10),
    ) {
        let mut harness = Harness::with(projects().swap_remove(which), paper());
        harness.vm.green_flag();
        play(&mut harness.vm, &before);
        let snapshot = harness.vm.snapshot();
        let here = state(&harness.vm);
        let first = play(&mut harness.vm, &after);
        play(&mut harness.vm, &between);
        harness.vm.restore(&snapshot);
        prop_assert_eq!(&state(&harness.vm), &here);
        prop_assert_eq!(&play(&mut harness.vm, &after), &first);
        // Snapshots are complete, so a snapshot can also be restored in a new VM.
        let mut other = Harness::with(projects().swap_remove(which), paper());
        other.vm.restore(&snapshot);
        prop_assert_eq!(&play(&mut other.vm, &after), &first);
    }

    #[test]
    #[ignore = "slow"]
    fn equal_vms_behave_equally(
        which in 0_usize..2,
        inputs in prop::collection::vec(input(), 1..40),
    ) {
        let run = || {
            let mut harness = Harness::with(projects().swap_remove(which), paper());
            harness.vm.green_flag();
            let states = play(&mut harness.vm, &inputs);
            (states, harness.log().covered.clone(), harness.log().distances.iter().map(|d| (d.0, d.1.to_bits(), d.2.to_bits())).collect::<Vec<_>>())
        };
        prop_assert_eq!(run(), run());
    }
}

#[test]
fn a_snapshot_in_the_middle_of_everything() {
    // A state with clones, bubbles, questions, glides, promises and pen lines.
    let source = "(var n 0) (sprite A (flag (glide 1 90 90)) (flag (say-for hi 1)) (flag (ask q) (log (answer)))
        (flag (set-volume 5) (log after)) (flag (clone _myself_) (wait 0.2) (log late))
        (cloned (pen-down) (forever [(move (random 1 3)) (set n (touching-color \"#0000ff\"))])))";
    let mut harness = Harness::flag(source);
    harness.steps(1);
    let snapshot = harness.vm.snapshot();
    let follow = |harness: &mut Harness| {
        let mut states = Vec::new();
        for i in 0..40 {
            harness.steps(1);
            if i == 5 {
                harness.vm.answer("yes");
            }
            states.push(state(&harness.vm));
        }
        states
    };
    let first = follow(&mut harness);
    harness.vm.restore(&snapshot);
    assert_eq!(follow(&mut harness), first);
}

#[test]
fn seeds_matter() {
    use catherd_scratch_vm::Random;
    let run = |seed| {
        let mut harness = Harness::new("(sprite A (flag (forever [(goto _random_)])))");
        harness.vm.set_random(Random::portable(seed));
        harness.vm.green_flag();
        harness.steps(3);
        harness.position("A")
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
}
