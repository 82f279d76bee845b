//! Tests that a resumed execution has the same result as an execution from the green flag.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use catherd_scratch_sb3::Project;
use catherd_scratch_suite::event::Event;
use catherd_search::{Algorithm, Budget, Meter, Problem as _, Stream};
use proptest::prelude::*;

use crate::chromosome::{Chromosome, Genetics};
use crate::execution::prefix_tree::NodeNo;
use crate::execution::tests::{hung, lively};
use crate::execution::{Executor, PREFIX_CACHE_BYTES};
use crate::minimisation::Replayer as _;
use crate::parameters::EventChoice;
use crate::prepared::Prepared;
use crate::problem::{ScratchProblem, TestCase};
use crate::request::Request;
use crate::settings::GenerationSettings;

/// Cache sizes that have room for nothing, a few events, some states, and everything.
const MEMORIES: [usize; 4] = [0, 3_000, 60_000, PREFIX_CACHE_BYTES];

#[derive(Clone, Debug)]
enum Task {
    /// A chromosome is executed, then extended.
    Run(Vec<u16>),
    /// This number of events is drawn with this seed.
    Improvise(usize, u64),
    /// The events of an earlier test except one are replayed, until they cover the goal if there is
    /// one.
    Replay { test: usize, left_out: usize, goal: Option<u32> },
}

/// Tasks whose chromosomes have few different codons and therefore share prefixes.
fn tasks() -> impl Strategy<Value = Vec<Task>> {
    let group = (0..6_u16, prop::sample::select(vec![0_u16, 7, 45, 90, 400]));
    let codons = prop::collection::vec(group, 1..8).prop_map(|groups| {
        groups.into_iter().flat_map(|(event, codon)| [event, codon, 9]).collect()
    });
    let replay = (any::<prop::sample::Index>(), any::<prop::sample::Index>());
    let task = prop_oneof![
        4 => codons.prop_map(Task::Run),
        1 => (1..6_usize, 0..3_u64).prop_map(|(events, seed)| Task::Improvise(events, seed)),
        3 => (replay, prop::option::of(0..12_u32)).prop_map(|((test, left_out), goal)| {
            Task::Replay { test: test.index(100), left_out: left_out.index(100), goal }
        }),
    ];
    prop::collection::vec(task, 1..25)
}

/// Executes the tasks and records everything observable.
fn protocol(prepared: &Arc<Prepared>, memory: usize, tasks: &[Task]) -> Vec<String> {
    let mut rng = Stream::new(1, Stream::SEARCH);
    let mut executor = Executor::new(Arc::clone(prepared), 1, memory, &mut rng);
    executor.long = 1;
    let goals = prepared.model.goals().len() as u32;
    let mut meter = Meter::default();
    let mut tests: Vec<TestCase> = Vec::new();
    let mut lines = Vec::new();
    for task in tasks {
        let mut seen = String::new();
        match task {
            Task::Run(codons) => {
                let genetics = Genetics::new(prepared.parameters, &prepared.settings);
                let codons = codons.chunks(3).flat_map(|group| &group[..genetics.group]);
                let genes = Chromosome::new(codons.copied().collect());
                let mut problem = ScratchProblem { executor: &mut executor, genetics };
                let test = problem.execute(genes, &mut meter);
                seen += &format!("{:?} {:?}", test, problem.executor.is_asking());
                let extended = problem.extend(&test, &mut rng, &mut meter);
                seen += &format!(" {extended:?} {meter:?}");
                tests.push(test);
            }
            Task::Improvise(events, seed) => {
                seen += &format!("{:?}", executor.improvise(*events, &mut Stream::new(*seed, 7)));
            }
            Task::Replay { test, left_out, goal } if !tests.is_empty() => {
                let mut events = tests[test % tests.len()].events.clone();
                if events.len() > 1 {
                    events.remove(left_out % events.len());
                }
                seen += &match goal {
                    Some(goal) => format!("{:?}", executor.covers(&events, goal % goals)),
                    None => format!("{:?}", executor.covered(&events)),
                };
            }
            Task::Replay { .. } => {}
        }
        let mut fitness = Vec::new();
        executor.fitness(&mut fitness);
        // The list of events reveals differences in the VM, its last step and the random stream.
        executor.extract();
        seen += &format!(
            " {fitness:?} {} {} {} {:?} {:?} {:?}",
            executor.steps(),
            executor.has_ended(),
            executor.hung_tests(),
            executor.limits(),
            executor.extractor.events(),
            executor.vm.executed_blocks(),
        );
        lines.push(seen);
    }
    lines
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    #[ignore = "slow"]
    fn a_resumed_execution_equals_a_full_one(tasks in tasks()) {
        let mut bounded = GenerationSettings::default();
        bounded.machine.warp_budget = 1_000;
        for (project, settings) in [(lively(), GenerationSettings::default()), (hung(), bounded)] {
            let prepared = Prepared::new(&project, settings).unwrap();
            let [expected, others @ ..] =
                MEMORIES.map(|memory| protocol(&prepared, memory, &tasks));
            for other in others {
                prop_assert_eq!(&other, &expected);
            }
        }
    }
}

#[test]
fn a_known_test_executes_few_steps() {
    let prepared = Prepared::new(&lively(), GenerationSettings::default()).unwrap();
    let mut rng = Stream::new(1, Stream::SEARCH);
    let mut executor = Executor::new(prepared, 1, PREFIX_CACHE_BYTES, &mut rng);
    // The last listed event is a wait.
    let last =
        |listed: &[Event]| EventChoice::from(Event::Wait { steps: 90 + listed.len() as u32 });
    let first = executor.execute(0..8, |listed, _| last(listed));
    let steps = executor.steps();
    assert!(steps > 8 * 91);
    executor.execute(0..8, |listed, _| last(listed));
    let kept = executor.path.iter().filter(|node| executor.prefixes.node(**node).state.is_some());
    assert!(kept.count() > 2);
    let again = executor.execute(0..8, |listed, _| last(listed));
    assert_eq!(again.events, first.events);
    assert_eq!(executor.steps(), steps);
    assert!(
        executor.spent.0 > steps / 2,
        "the last of the kept states is used: {:?}",
        executor.spent
    );
    executor.reset_prefix_cache(PREFIX_CACHE_BYTES);
    assert_eq!(executor.prefixes.bytes(), 0);
}

#[test]
fn an_event_continues_where_a_shorter_or_longer_one_was() {
    let mut bounded = GenerationSettings::default();
    bounded.machine.warp_budget = 100_000;
    let prepared = Prepared::new(&hung(), bounded).unwrap();
    let durations = [20, 10, 15, 25, 40];
    let resumed = [0, 10, 15, 21, 26];
    let mut executor =
        Executor::new(prepared, 1, PREFIX_CACHE_BYTES, &mut Stream::new(1, Stream::SEARCH));
    for (steps, done) in durations.into_iter().zip(resumed) {
        let choice = EventChoice::from(Event::Wait { steps });
        let known = executor.known_within(NodeNo::EXTRACTING, &choice);
        assert_eq!(known.map_or(0, |(_, done)| done), done, "a wait of {steps} steps");
        let recording = executor.execute(0..1, |_, _| choice);
        assert_eq!(recording.events, [Event::Wait { steps }]);
        assert_eq!(executor.steps(), u64::from(steps + 1).min(30), "{steps}");
    }
}

/// Everything observable about a run except wall time.
fn outcome(prepared: &Arc<Prepared>, memory: usize, algorithm: &str, executions: u64) -> String {
    let budget = Budget { executions: Some(executions), ..Budget::default() };
    let request = Request::new(algorithm, &[], 3, budget).unwrap();
    let generated = prepared.generate_within(memory, &request, &mut |_| ControlFlow::Continue(()));
    let timeline = generated.timeline.iter().map(|at| (at.executions, at.steps, at.covered));
    assert!(generated.unstable.is_empty());
    format!(
        "{:?} {:?} {:?} {:?} {:?} {}",
        generated.end,
        generated.covered,
        timeline.collect::<Vec<_>>(),
        generated.counts,
        generated.limits,
        generated.suite.to_json()
    )
}

#[test]
#[ignore = "slow"]
fn suites_and_counts_do_not_depend_on_the_cache_size() {
    let prepared = Prepared::new(&lively(), GenerationSettings::default()).unwrap();
    for algorithm in Algorithm::NAMES {
        let [expected, others @ ..] =
            MEMORIES.map(|memory| outcome(&prepared, memory, algorithm, 200));
        assert!(others.iter().all(|other| *other == expected), "{algorithm}");
    }
}

#[test]
#[ignore = "slow"]
fn suites_and_counts_of_the_demo_corpus_do_not_depend_on_the_cache_size() {
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../datasets/demo");
    let mut projects = 0;
    for entry in std::fs::read_dir(demo).unwrap() {
        let path = entry.unwrap().path();
        if !path.is_dir() {
            continue;
        }
        projects += 1;
        let prepared =
            Prepared::new(&Project::read(&path).unwrap(), GenerationSettings::default()).unwrap();
        for algorithm in ["mosa", "mio"] {
            let [expected, other] =
                [0, PREFIX_CACHE_BYTES].map(|memory| outcome(&prepared, memory, algorithm, 60));
            assert_eq!(other, expected, "{} {algorithm}", path.display());
        }
    }
    assert!(projects > 3);
}
