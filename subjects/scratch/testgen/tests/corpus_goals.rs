//! Tests of goals and fitness with the real projects in the folder that `CATHERD_CORPUS` names.
#![allow(clippy::print_stdout)] // The tests print measurements.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use catherd_scratch_sb3::{BlockNo, Project};
use catherd_scratch_testgen::Compat;
use catherd_scratch_testgen::fitness::{Distance, Workspace};
use catherd_scratch_testgen::model::Model;
use catherd_scratch_trace::Trace;
use catherd_scratch_vm::{Program, Random, Tracer, Vm, VmSettings};

fn corpus() -> PathBuf {
    std::env::var_os("CATHERD_CORPUS").expect("CATHERD_CORPUS names a folder of projects").into()
}

fn projects(folder: &Path) -> Vec<PathBuf> {
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
fn totals_equal_the_published_ones() {
    let corpus = corpus();
    let totals = [
        ("FruitCatching", 54),
        ("Pong", 49),
        ("Snake", 59),
        ("BoatRace", 50),
        ("Fangen", 37),
        ("Labyrinth", 38),
        ("Sternenjagd", 37),
        ("TicTacToe", 43),
    ];
    let mut checked = 0;
    for path in projects(&corpus.join("whisker-examples")) {
        let name = path.file_stem().and_then(|stem| stem.to_str()).expect("a name");
        let Some((_, total)) = totals.iter().find(|(known, _)| *known == name) else { continue };
        let project = Project::read(&path).expect("a readable project");
        for clone_links in [false, true] {
            let compat = Compat { clone_links, ..Compat::default() };
            let goals = Model::new(&project, compat).goals().len();
            println!("{}: {goals} goals, {total} published", path.display());
            assert_eq!(goals, *total, "{name}, clone_links: {clone_links}");
        }
        checked += 1;
    }
    assert!(checked > 0, "none of the known projects is there");
}

struct Recorder(Trace);

impl Tracer for Recorder {
    const ACTIVE: bool = true;

    fn covered(&mut self, block: BlockNo) {
        self.0.cover(block);
    }

    fn distance(&mut self, block: BlockNo, to_true: f64, to_false: f64) {
        self.0.record_min(block, to_true, to_false);
    }
}

/// The distances of the goals that are uncovered 30 steps after the green flag.
fn uncovered_by_flag(path: &Path) -> Vec<Distance> {
    let project = Project::read(path).expect("a readable project");
    let model = Model::new(&project, Compat::default());
    let program = Arc::new(Program::compile(&project).expect("a program"));
    let recorder = Recorder(Trace::new(model.block_count()));
    let mut vm = Vm::new(program, VmSettings::default(), Random::portable(0), recorder);
    vm.green_flag();
    for _ in 0..30 {
        vm.step();
    }
    let trace = &vm.tracer.0;
    let distances = (0..model.goals().len()).map(|goal| model.explain(trace, goal));
    distances.filter(|distance| distance.fitness != 0.0).collect()
}

/// Checks the distances of the uncovered goals of the projects in `whisker_expectations.csv`
/// against the expectations of Whisker's tests.
#[test]
#[ignore = "needs CATHERD_CORPUS"]
fn distances_agree_with_the_published_tests() {
    type Check = fn(&[Distance]) -> bool;
    let corpus = corpus();
    let checks: &[(&str, Check)] = &[
        ("branchDistance__IfThenDistance", |goals| is_at(&goals[0], 0, 42.0)),
        ("branchDistance__IfElseDistance", |goals| is_at(&goals[0], 0, 42.0)),
        ("branchDistance__WaitUntilDistance", |goals| is_at(&goals[0], 0, 42.0)),
        ("branchDistance__RepeatUntilDistance", |goals| is_at(&goals[0], 0, 42.0)),
        ("branchDistance__RepeatUntilTrueDistance", |goals| is_at(&goals[0], 0, 1.0)),
        ("branchDistance__RepeatUntilApproachLevel1", |goals| {
            goals.len() == 2 && is_at(&goals[0], 0, 1.0) && is_at(&goals[1], 1, 1.0)
        }),
        ("branchDistance__ImpossibleRepeatTimes", |goals| is_at(&goals[0], 0, 1.0)),
        ("branchDistance__ExecutionHalting-Wait", |goals| is_halted(&goals[0])),
        ("branchDistance__ExecutionHalting-SayForSeconds", |goals| is_halted(&goals[0])),
        ("branchDistance__TouchingColorDistance", |goals| {
            // The branch distances are in stage units, divided by the diagonal of the stage.
            let [first, second] = goals else { return false };
            (120.0..=411.0).contains(&(600.0 * first.branch_distance))
                && (41.0..=156.0).contains(&(600.0 * second.branch_distance))
        }),
        ("branchDistance__TouchingEdgeDistance", |goals| {
            let [first, second, ..] = goals else { return false };
            let distances = [first.branch_distance, second.branch_distance];
            first.approach_level == Some(0) && distances[0] > distances[1] && distances[1] > 0.0
        }),
        ("cfgDistance__NestedConditions", |goals| {
            goals.iter().any(|goal| goal.branch_distance != 0.0)
                && goals
                    .iter()
                    .all(|goal| goal.branch_distance == 0.0 || goal.control_flow_distance.is_none())
        }),
    ];
    let expectations = corpus.join("../reference/whisker_expectations.csv");
    let expectations = std::fs::read_to_string(expectations).expect("the expectations");
    let rows = expectations.lines().filter_map(|row| {
        let mut fields = row.split(',');
        let project = fields.next()?;
        (fields.next()? == "fitness").then_some(project)
    });
    let mut checked = 0;
    for project in rows {
        let (_, check) = checks.iter().find(|(name, _)| *name == project).expect("a check");
        let path = corpus.join("whisker-integration").join(format!("{project}.sb3"));
        let uncovered = uncovered_by_flag(&path);
        assert!(check(&uncovered), "{project}: {uncovered:#?}");
        checked += 1;
    }
    assert_eq!(checked, checks.len());
}

/// Whether the distance has this level and branch distance, and no control flow distance, because
/// the decision did not have the required outcome.
fn is_at(goal: &Distance, level: u32, branch: f64) -> bool {
    goal.approach_level == Some(level)
        && goal.branch_distance == branch
        && goal.control_flow_distance.is_none()
}

fn is_halted(goal: &Distance) -> bool {
    goal.branch_distance > 0.0
        && goal.branch_distance <= 1.0
        && is_at(goal, 0, goal.branch_distance)
}

struct Cost {
    path: PathBuf,
    goals: usize,
    build: Duration,
    evaluate: Duration,
}

#[test]
#[ignore = "needs CATHERD_CORPUS"]
fn every_project_has_a_model() {
    let corpus = corpus();
    let mut costs = Vec::new();
    for path in projects(&corpus) {
        let project = match Project::read(&path) {
            Ok(project) => project,
            Err(error) => {
                println!("not read: {error}");
                continue;
            }
        };
        let start = Instant::now();
        let model = Model::new(&project, Compat::default());
        let build = start.elapsed();

        let (mut fitness, mut workspace) = (Vec::new(), Workspace::default());
        let mut trace = Trace::new(model.block_count());
        // Cover about a third of the goals, chosen with a linear congruential generator. For each
        // of these goals, record one of three pairs of distances or nothing.
        let mut state = 1u32;
        for &goal in model.goals() {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            if state >> 16 < 65_536 / 3 {
                trace.cover(goal);
                let distances = [(0.0, 1.0), (5.0, 0.0), (0.0, 0.0)];
                if let Some(&(t, f)) = distances.get(state as usize >> 8 & 3) {
                    trace.record_min(goal, t, f);
                }
            }
        }
        let rounds = 10;
        let start = Instant::now();
        for _ in 0..rounds {
            model.evaluate(&trace, &mut fitness, &mut workspace);
        }
        let evaluate = start.elapsed() / rounds;
        assert_eq!(fitness.len(), model.goals().len());
        for (&goal, &fitness) in model.goals().iter().zip(&fitness) {
            assert_eq!(fitness == 0.0, trace.covered(goal), "{}", path.display());
            assert!(fitness >= 0.0, "{}", path.display());
        }
        assert!(model.independent_goals().iter().all(|&goal| goal < fitness.len()));
        costs.push(Cost { path, goals: fitness.len(), build, evaluate });
    }
    let goals: usize = costs.iter().map(|cost| cost.goals).sum();
    println!("{} projects, {goals} goals", costs.len());
    let print = |what: &str, cost: Option<&Cost>| {
        let Some(Cost { path, goals, build, evaluate }) = cost else { return };
        println!("{what}: {}: {goals} goals, built {build:?}, {evaluate:?}", path.display());
    };
    print("largest", costs.iter().max_by_key(|cost| cost.goals));
    print("longest to build", costs.iter().max_by_key(|cost| cost.build));
    print("longest to evaluate", costs.iter().max_by_key(|cost| cost.evaluate));
}
