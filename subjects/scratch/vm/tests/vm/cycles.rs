//! Tests that loops whose state repeats are skipped, with the same results as if the iterations
//! were executed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use catherd_scratch_sb3::{BlockNo, Project};
use catherd_scratch_vm::{Hits, Program, Random, TargetView, Vm, VmSettings};
use proptest::prelude::*;

use crate::harness::paper;
use crate::language::project;
use crate::noted::Noted;

#[derive(Debug, PartialEq)]
struct Outcome {
    targets: Vec<String>,
    covered: BTreeMap<BlockNo, (f64, f64)>,
    /// Fuel consumed by the end of each step.
    blocks: Vec<u64>,
    hits: Hits,
    position: u64,
}

pub(crate) fn seen(target: &TargetView<'_>) -> String {
    let variables: Vec<_> = target.variables().collect();
    let lists: Vec<_> = target.lists().collect();
    format!("{:?} {:?} {variables:?} {lists:?}", target.x, target.y)
}

/// The outcome of some steps, and the number of blocks reported to the tracer.
fn outcome<const MERGES: bool>(
    program: &Arc<Program>,
    settings: VmSettings,
    steps: usize,
) -> (Outcome, u64) {
    let mut vm =
        Vm::new(program.clone(), settings, Random::portable(1), Noted::<MERGES>::default());
    vm.green_flag();
    let blocks = (0..steps).map(|_| {
        vm.step();
        vm.executed_blocks()
    });
    let blocks = blocks.collect();
    let targets = vm.targets().map(|id| seen(&vm.target(id).unwrap())).collect();
    let covered = std::mem::take(&mut vm.tracer.covered);
    let outcome = Outcome { targets, covered, blocks, hits: *vm.hits(), position: vm.position() };
    (outcome, vm.tracer.calls)
}

/// Outcomes of three steps, without and with skipping.
fn outcomes(source: &str, warp_budget: u32) -> [(Outcome, u64); 2] {
    let program = Arc::new(Program::compile(&project(source)).unwrap());
    let settings = VmSettings {
        warp_budget,
        step_budget: 2 * u64::from(warp_budget),
        overruns_per_halving: 2,
        text_limit: 50,
        ..paper()
    };
    [outcome::<false>(&program, settings.clone(), 3), outcome::<true>(&program, settings, 3)]
}

/// A program that executes `body` in warp and another script in each step.
fn program(body: &str) -> String {
    format!(
        "(var n #0) (var m #1) (var s \"\") (list l 3 random 5)
         (sprite A (var o 0)
           (define g (a) (set o (arg a)) (if (= (arg a) 4) [(call g 5)]))
           (define-warp f (a) {body} (change o 1))
           (flag (forever [(call f 2)])))
         (sprite B (flag (forever [(change m 0) (log b)])))"
    )
}

/// The fraction of the blocks that are executed with skipping. Checks that skipping does not change
/// the outcome.
fn executed(body: &str) -> f64 {
    let [(plain, all), (merged, some)] = outcomes(&program(body), 60_000);
    assert_eq!(plain, merged, "{body}");
    some as f64 / all as f64
}

#[test]
fn loops_that_repeat_are_skipped() {
    let bodies = [
        "(forever [])",
        "(repeat Infinity [(change-y 0)])",
        "(pen-down) (repeat Infinity [(change-y (* 0 $n))])",
        "(until (= $n 1) [(set n (arg a))])",
        "(while (> 1 0) [(change-x -9)])",
        // A loop with a period of three iterations, and an inner loop that ends.
        "(forever [(change n 1) (if (= $n 3) [(set n 0)]) (repeat 7 [(set s x)])])",
        "(forever [(set o (item l $m)) (set n (join $m 1))])",
        "(forever [(call g 2)])",
        // NaN differs from itself, and -0 equals 0; both are compared by their bits.
        "(forever [(set n (/ 0 0)) (set o (* -1 0))])",
    ];
    for body in bodies {
        let share = executed(body);
        assert!(share < 0.5, "{share} of {body}");
    }
}

#[test]
fn loops_without_a_detected_repetition_are_not_skipped() {
    let bodies = [
        "(forever [(change n 1)])",
        "(forever [(change n 0.1) (set o $n)])",
        "(repeat 40000 [(set n 0)])",
        "(for n Infinity [(set o 1)])",
        "(forever [(set n (random 1 2))])",
        "(forever [(set n (item l (item l 2)))])",
        "(forever [(add l 1) (delete-all l)])",
        "(forever [(incr-counter)])",
        "(until (touching A) [])",
        "(forever [(set s (join $s abc))])",
    ];
    for body in bodies {
        assert_eq!(executed(body), 1.0, "{body}");
    }
}

fn blocks() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "(change n 1)",
        "(change n 0)",
        "(change m -1)",
        "(set n $m)",
        "(set m (mod (+ $m 1) 5))",
        "(set n 0)",
        "(set o (random 1 2))",
        "(set o (item l $m))",
        "(set o (item l (arg a)))",
        "(set s (join $s x))",
        "(set s \"\")",
        "(change-x 1)",
        "(set-x $n)",
        "(goto-xy 3 $m)",
        "(move 400)",
        "(pen-down)",
        "(hide)",
        "(call g $m)",
        "(add l 1)",
        "(stop \"this script\")",
    ])
    .prop_map(str::to_owned);
    leaf.prop_recursive(3, 12, 4, |inner| {
        let header = prop::sample::select(vec![
            "forever",
            "repeat Infinity",
            "repeat 3",
            "repeat 700",
            "until (= $n $m)",
            "until (> $n 100)",
            "while (< $n 3)",
            "if (= $n 0)",
            "if (< (x) 100)",
            "for o 4",
            "at-once",
        ]);
        (header, prop::collection::vec(inner, 0..4))
            .prop_map(|(header, body)| format!("({header} [{}])", body.join(" ")))
    })
}

pub(crate) fn projects(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder of projects") {
        let path = entry.expect("an entry").path();
        match path.extension().and_then(|extension| extension.to_str()) {
            _ if path.is_dir() => found.extend(projects(&path)),
            Some("sb3" | "sb2") => found.push(path),
            _ => {}
        }
    }
    found.sort();
    found
}

#[test]
#[ignore = "needs CATHERD_CORPUS"]
#[allow(clippy::print_stdout, reason = "the test prints measurements")]
fn skipping_changes_no_result_of_real_projects() {
    let corpus = std::env::var_os("CATHERD_CORPUS");
    let corpus = corpus.expect("CATHERD_CORPUS names a folder of projects");
    let settings = VmSettings { warp_budget: 100_000, step_budget: 200_000, ..paper() };
    let mut compared = 0;
    for path in projects(Path::new(&corpus)) {
        let Ok(project) = Project::read(&path) else { continue };
        let Ok(program) = Program::compile(&project) else { continue };
        let program = Arc::new(program);
        let (plain, all) = outcome::<false>(&program, settings.clone(), 40);
        let (merged, some) = outcome::<true>(&program, settings.clone(), 40);
        assert_eq!(plain, merged, "{}", path.display());
        if some < all {
            println!("{}: {some} of {all} blocks", path.display());
        }
        compared += 1;
    }
    println!("{compared} projects");
    assert!(compared > 0);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn skipping_changes_no_result(body in prop::collection::vec(blocks(), 0..4)) {
        let source = program(&format!("(forever [{}])", body.join(" ")));
        let [plain, merged] = outcomes(&source, 30_000);
        prop_assert_eq!(plain.0, merged.0);
    }
}
