//! Tests of clone blocks.
//!
//! `Mistake N` in comments is explained in `main.rs`.

use crate::harness::{Harness, draws, steps};

#[test]
fn clones_start_in_the_same_batch() {
    let log = steps("(sprite A (flag (log a) (clone _myself_) (log b)) (cloned (log c)))");
    assert_eq!(log, ["a b c", ""]);
    // A clone of a clone also runs its hats.
    let log = steps(
        "(sprite A (var n #0) (flag (clone _myself_)) (cloned (change n #1) (log $n) (if (< $n 3) [(clone _myself_)])))",
    );
    assert_eq!(log, ["1 2 3", ""]);
}

#[test]
fn clones_copy_their_source() {
    // Mistake 20: volume is not copied; pen and sound state come from the original.
    let harness = Harness::after(
        1,
        "(sprite A (costume a 10 10) (costume b 10 10) (var own 1) (list items x)
           (flag (goto-xy 30 40) (point 45) (set-size 50) (hide) (costume b) (set own 5) (add items y)
             (style left-right) (drag-mode draggable) (set-effect ghost 30) (say hi)
             (clone _myself_) (set own 6) (add items z) (set-volume 20)))",
    );
    let clone = harness.targets("A").nth(1).unwrap();
    assert!(!clone.original && !clone.visible && clone.draggable);
    assert_eq!((clone.x, clone.y, clone.direction, clone.size), (30.0, 40.0, 45.0, 50.0));
    assert_eq!(
        (clone.costume, clone.effects[6], clone.bubble, clone.volume),
        (1, 30.0, None, 100.0)
    );
    assert_eq!(clone.rotation_style, catherd_scratch_sb3::RotationStyle::LeftRight);
    let own = clone.variables().next().unwrap().1.to_text();
    assert_eq!((own.to_string(), clone.lists().next().unwrap().1.len()), ("5".to_owned(), 2));
    assert_eq!(harness.list("A.items"), ["x", "y", "z"]);
}

#[test]
fn clone_volume_is_full() {
    let harness =
        Harness::after(2, "(sprite A volume=30 (flag (clone _myself_)) (cloned (log (volume))))");
    assert_eq!(harness.list("log"), ["100"]);
}

#[test]
fn create_clone_finds_originals_by_name() {
    for (what, count) in
        [("_myself_", 2), ("A", 2), ("a", 1), ("Stage", 1), ("_stage_", 1), ("nobody", 1)]
    {
        let harness = Harness::after(1, &format!("(sprite A (flag (clone {what})))"));
        assert_eq!(harness.vm.targets().count() - 1, count, "{what}");
    }
    let harness = Harness::after(1, "(stage (flag (clone _myself_) (clone Stage))) (sprite A)");
    assert_eq!(harness.vm.targets().count(), 2);
}

#[test]
fn a_clone_comes_directly_before_its_source_in_the_order() {
    // Mistake 21: hats of the source start before the hats of its clones.
    let mut harness = Harness::flag(
        "(message m) (sprite A (flag (clone _myself_) (wait 0) (broadcast m)) (received m (log a)))
         (sprite B (flag (clone _myself_) (wait 0)) (received m (log b)))",
    );
    harness.steps(1);
    let names: Vec<_> = harness
        .vm
        .execution_order()
        .map(|id| {
            let t = harness.vm.target(id).unwrap();
            format!("{}{}", t.name, if t.original { "" } else { "'" })
        })
        .collect();
    assert_eq!(names, ["Stage", "A'", "A", "B'", "B"]);
    let mut harness = Harness::flag(
        "(message m) (sprite A (var id o) (flag (clone _myself_) (wait 0) (broadcast m)) (cloned (set id c))
           (received m (log $id)))",
    );
    assert_eq!(harness.run(2), ["", "o c"]);
}

#[test]
fn three_hundred_clones_at_most() {
    let harness = Harness::after(
        1,
        "(sprite A (define-warp f () (repeat 310 [(clone _myself_)])) (flag (call f)))",
    );
    assert_eq!(harness.targets("A").count(), 301);
    // Another clone can be created after a deletion.
    let harness = Harness::after(
        3,
        "(var n #0) (sprite A (define-warp f () (repeat 310 [(clone _myself_)]))
           (flag (call f) (wait 0) (call f)) (cloned (change n #1) (delete-clone)))",
    );
    assert_eq!((harness.var("n"), harness.targets("A").count()), ("600".to_owned(), 1));
}

#[test]
fn only_clones_can_be_deleted() {
    let log = steps(
        "(sprite A (flag (delete-clone) (log still) (clone _myself_)) (cloned (log c) (delete-clone) (log no)))
         (stage (flag (delete-clone) (log stage)))",
    );
    assert_eq!(log, ["still stage c"]);
}

#[test]
fn deleting_a_clone_kills_all_its_threads() {
    let log = steps(
        "(message m) (sprite A (var c #0) (flag (clone _myself_) (wait 0) (broadcast m))
           (cloned (set c 1) (wait 0) (wait 0) (delete-clone))
           (received m (forever [(log $c)])))",
    );
    assert_eq!(log, ["", "0 1", "0", "0"]);
}

#[test]
fn clones_and_bubbles_draw_nothing() {
    // Mistake 18 does not apply: ids take no random numbers here or in the recordings.
    let log = steps("(sprite A (flag (clone _myself_) (say a) (say \"\") (log (random 0.0 1.0))))");
    assert_eq!(log, [draws(1)[0].to_string()]);
}
