//! Tests of executions and local search on the VM.

use std::ops::ControlFlow;
use std::sync::Arc;

use catherd_scratch_sb3::test_support::{TargetBuilder, number, project};
use catherd_scratch_sb3::{Mutation, Opcode, Project, Slot};
use catherd_scratch_suite::event::Event;
use catherd_scratch_vm::Limit;
use catherd_search::{Algorithm, Budget, Meter, Problem as _, Stop, Stream, Test as _};

use super::{Executor, PREFIX_CACHE_BYTES, Recording};
use crate::chromosome::{Chromosome, Genetics};
use crate::minimisation::{Candidate, Replayer as _};
use crate::prepared::Prepared;
use crate::problem::{ScratchProblem, TestCase};
use crate::request::{End, Request};
use crate::settings::GenerationSettings;

fn executor(project: &Project) -> Executor {
    let prepared = Prepared::new(project, GenerationSettings::default()).unwrap();
    Executor::new(prepared, 1, PREFIX_CACHE_BYTES, &mut Stream::new(1, Stream::SEARCH))
}

fn problem(executor: &mut Executor) -> ScratchProblem<'_> {
    let genetics = Genetics::new(executor.prepared().parameters, &executor.prepared().settings);
    ScratchProblem { executor, genetics }
}

fn covered(test: &TestCase) -> Vec<u32> {
    Candidate::from(test).covered
}

fn patient(seconds: &str) -> Project {
    let mut cat = TargetBuilder::new("Cat");
    let wait = cat.block(Opcode::ControlWait, &[("DURATION", number(seconds))]);
    let say = cat.block(Opcode::LooksSay, &[("MESSAGE", number("done"))]);
    cat.flag(&[wait, say]);
    project(vec![TargetBuilder::new("Stage"), cat])
}

/// A project that forever senses a key, the mouse and the edge and moves by random distances, and
/// that says something when its sprite is clicked.
pub(super) fn lively() -> Project {
    let mut cat = TargetBuilder::new("Cat");
    let (a, mouse, edge) = (cat.key_pressed("a"), cat.touching("_mouse_"), cat.touching("_edge_"));
    let [first, second, third] = [a, mouse, edge].map(|condition| {
        let say = cat.block(Opcode::LooksSay, &[("MESSAGE", number("ha"))]);
        let head = cat.when(condition);
        cat.hold(head, say);
        head
    });
    let (from, to) = (number("1"), number("9"));
    let random = cat.value(Opcode::OperatorRandom, &[("FROM", from), ("TO", to)]);
    let size = cat.block(Opcode::MotionChangeXBy, &[("DX", random)]);
    let body = cat.chain(&[first, second, third, size]);
    let forever = cat.block(Opcode::ControlForever, &[]);
    cat.hold(forever, body);
    cat.flag(&[forever]);
    let say = cat.block(Opcode::LooksSay, &[("MESSAGE", number("clicked"))]);
    cat.hat(Opcode::EventWhenThisSpriteClicked, None, &[say]);
    project(vec![TargetBuilder::new("Stage"), cat])
}

#[test]
fn each_event_runs_its_steps_and_one_more() {
    let mut executor = executor(&lively());
    executor.begin();
    executor.extract();
    assert_eq!(executor.steps(), 0, "the first list is made before the first step");
    let events = executor.extractor.events().to_vec();
    assert!(events.len() > 3, "green flag threads exist before the first step: {events:?}");
    let mut recording = Recording::default();
    let mut steps = 0;
    for index in 0..events.len() {
        let event = executor.decode(index, |_| 104);
        executor.send(event, &mut recording);
        steps += match event {
            Event::KeyPress { steps: 4, .. } | Event::Wait { steps: 4 } => 5,
            Event::KeyPress { .. } | Event::Wait { .. } => panic!("{event:?}"),
            _ => 1,
        };
        assert_eq!(executor.steps(), steps, "{event:?}");
    }
}

#[test]
fn an_execution_depends_only_on_its_codons() {
    let project = lively();
    let mut executor = executor(&project);
    let mut problem = problem(&mut executor);
    let mut rng = Stream::new(4, 0);
    let chromosomes: Vec<_> = (0..10).map(|_| problem.genetics.sample(&mut rng)).collect();
    let mut meter = Meter::default();
    let first: Vec<_> =
        chromosomes.iter().map(|c| problem.execute(c.clone(), &mut meter)).collect();
    for (chromosome, expected) in chromosomes.iter().zip(&first).rev() {
        let again = problem.execute(chromosome.clone(), &mut meter);
        assert_eq!(again.events, expected.events);
        assert_eq!(again.fitness(), expected.fitness());
        assert_eq!(problem.executor.covered(&expected.events), covered(expected));
    }
    assert_eq!(meter.executions(), 20);
    let events: usize = first.iter().map(|test| test.events.len()).sum();
    assert_eq!(meter.events(), 2 * events as u64);
}

#[test]
fn a_program_that_has_ended_ends_its_test() {
    let mut cat = TargetBuilder::new("Cat");
    let say = cat.block(Opcode::LooksSay, &[("MESSAGE", number("done"))]);
    cat.flag(&[say]);
    let mut executor = executor(&project(vec![TargetBuilder::new("Stage"), cat]));
    let recording = executor.run(&Chromosome::new(vec![0, 7, 0, 7, 0, 7]));
    assert_eq!(recording.events, [Event::Wait { steps: 7 }]);
    let mut executor = self::executor(&lively());
    let recording = executor.run(&Chromosome::new(vec![0; 3 * 6]));
    assert_eq!(recording.events.len(), 6, "the test lasts while the program runs");
}

#[test]
fn reduction_keeps_the_groups_that_improved_the_fitness() {
    let mut executor = executor(&patient("1"));
    let mut problem = problem(&mut executor);
    let mut meter = Meter::default();
    let codons = [0, 5, 0, 60, 0, 5, 0, 5];
    let test = problem.execute(Chromosome::new(codons.to_vec()), &mut meter);
    assert_eq!(covered(&test).len(), 3);
    let reduced = problem.reduce(&test).unwrap();
    assert_eq!(reduced.chromosome.codons(), &codons[..4]);
    assert_eq!(reduced.fitness(), test.fitness());
    assert!(problem.reduce(&reduced).is_none());
    assert_eq!(meter.executions(), 1);
    let again = problem.execute(reduced.chromosome.clone(), &mut meter);
    assert_eq!(again.fitness(), reduced.fitness(), "the reduction needs no execution");
    assert_eq!(again.events, reduced.events);
}

#[test]
fn reduction_follows_progress_without_coverage() {
    let mut executor = executor(&patient("100"));
    let mut problem = problem(&mut executor);
    let mut meter = Meter::default();
    let waits = |n: usize| Chromosome::new([0, 50].repeat(n));
    let test = problem.execute(waits(4), &mut meter);
    assert!(problem.reduce(&test).is_none(), "every wait brings the end of waiting closer");
}

#[test]
fn extension_waits_as_long_as_waiting_helps_and_replays() {
    let mut executor = executor(&patient("30"));
    let mut problem = problem(&mut executor);
    let (mut rng, mut meter) = (Stream::new(3, 0), Meter::default());
    let test = problem.execute(Chromosome::new(vec![0, 5, 0, 5]), &mut meter);
    assert_eq!(covered(&test).len(), 2);
    let extended = problem.extend(&test, &mut rng, &mut meter).unwrap();
    assert_eq!(covered(&extended).len(), 3);
    assert!(problem.extend(&test, &mut rng, &mut meter).is_none(), "once per test");
    assert_eq!(meter.executions(), 2);
    // 30 seconds are 900 steps: two waits, prolonged by 100 steps at a time.
    assert_eq!(extended.chromosome.codons()[4..6], [0, 480]);
    assert_eq!(extended.events[2], Event::Wait { steps: 480 });
    let steps: u64 = extended.events.iter().map(Event::steps).sum();
    let before = meter.steps();
    let again = problem.execute(extended.chromosome.clone(), &mut meter);
    assert_eq!(again.events, extended.events);
    assert_eq!(again.fitness(), extended.fitness());
    assert_eq!(meter.steps() - before, steps);
}

#[test]
fn extension_answers_questions() {
    let mut cat = TargetBuilder::new("Cat");
    let ask = cat.block(Opcode::SensingAskAndWait, &[("QUESTION", number("?"))]);
    let answer = cat.value(Opcode::SensingAnswer, &[]);
    let equal =
        cat.value(Opcode::OperatorEquals, &[("OPERAND1", answer), ("OPERAND2", number("x"))]);
    let when = cat.when(equal);
    cat.flag(&[ask, when]);
    let mut executor = executor(&project(vec![TargetBuilder::new("Stage"), cat]));
    let mut problem = problem(&mut executor);
    let (mut rng, mut meter) = (Stream::new(3, 0), Meter::default());
    // If no question is open, the only event is a wait.
    let test = problem.execute(Chromosome::new(vec![0, 1]), &mut meter);
    assert_eq!(test.events, [Event::Wait { steps: 1 }]);
    let extended = problem.extend(&test, &mut rng, &mut meter).unwrap();
    assert!(extended.events[1].is_answer());
    assert_eq!(covered(&extended).len(), 3);
}

#[test]
fn executors_of_one_project_share_its_preparation() {
    let prepared = Prepared::new(&lively(), GenerationSettings::default()).unwrap();
    let fitness = |seed| {
        let mut rng = Stream::new(seed, 0);
        let mut executor = Executor::new(Arc::clone(&prepared), seed, PREFIX_CACHE_BYTES, &mut rng);
        executor.run(&Chromosome::new(vec![3; 12]));
        let mut fitness = Vec::new();
        executor.fitness(&mut fitness);
        fitness
    };
    assert_eq!(fitness(1), fitness(1));
}

pub(super) fn hung() -> Project {
    let mut cat = TargetBuilder::new("Cat");
    let forever = cat.block(Opcode::ControlForever, &[]);
    let step = cat.block(Opcode::MotionMoveSteps, &[("STEPS", number("1"))]);
    cat.hold(forever, step);
    cat.define("spin", &[forever]);
    for block in &mut cat.target.blocks {
        if let Some(Mutation::Prototype { warp, .. }) = &mut block.mutation {
            *warp = true;
        }
    }
    let (call, say) = (cat.call("spin"), cat.block(Opcode::LooksSay, &[]));
    cat.flag(&[call, say]);
    project(vec![TargetBuilder::new("Stage"), cat])
}

#[test]
fn a_program_that_hangs_ends_its_test_after_a_second() {
    let mut settings = GenerationSettings::default();
    settings.machine.warp_budget = 1_000;
    let prepared = Prepared::new(&hung(), settings).unwrap();
    let mut rng = Stream::new(1, Stream::SEARCH);
    let mut executor = Executor::new(Arc::clone(&prepared), 1, PREFIX_CACHE_BYTES, &mut rng);
    let recording = executor.run(&Chromosome::new(vec![0, 99, 0, 99, 0, 99]));
    assert_eq!((recording.events.len(), executor.steps(), executor.hung_tests()), (1, 30, 1));
    // The replay also stops at the hang limit.
    let before = executor.covered(&recording.events);
    let longer = [recording.events.clone(), recording.events].concat();
    assert_eq!(executor.covered(&longer), before);
    assert_eq!(executor.steps(), 30);
    let budget = Budget { executions: Some(20), ..Budget::default() };
    for algorithm in Algorithm::NAMES {
        let request = Request::new(algorithm, &[], 1, budget).unwrap();
        let generated = prepared.generate(&request, |_| ControlFlow::Continue(()));
        assert_eq!(generated.end, End::Search(Stop::Executions), "{algorithm}");
        assert_eq!(generated.counts.hung_tests, 20, "{algorithm}");
        // All goals except the block after the call: the definition, its loop, the body of the
        // loop, the flag and the call.
        assert_eq!((generated.covered.len(), generated.goals), (5, 6), "{algorithm}");
        assert!(generated.unstable.is_empty(), "{algorithm}");
    }
}

/// The project uses the answer to a question as an item and as an index of a list, and compares the
/// answer with a very long string.
#[test]
fn answers_may_be_longer_than_any_list() {
    let mut cat = TargetBuilder::new("Cat");
    let ask = cat.block(Opcode::SensingAskAndWait, &[("QUESTION", number("?"))]);
    let answer = cat.value(Opcode::SensingAnswer, &[]);
    let long = "9".repeat(300_000);
    let equal = [("OPERAND1", answer), ("OPERAND2", number(&long))];
    let equal = cat.value(Opcode::OperatorEquals, &equal);
    let when = cat.when(equal);
    let list = |cat: &mut TargetBuilder, opcode, input: &str| {
        let answer = cat.value(Opcode::SensingAnswer, &[]);
        let block = cat.block(opcode, &[(input, answer)]);
        cat.field(block, "LIST", "l");
        block
    };
    let add = list(&mut cat, Opcode::DataAddToList, "ITEM");
    let item = list(&mut cat, Opcode::DataItemOfList, "INDEX");
    let delete = list(&mut cat, Opcode::DataDeleteOfList, "INDEX");
    let say = cat.block(Opcode::LooksSay, &[("MESSAGE", Slot::Block(item))]);
    cat.hold(when, add);
    cat.flag(&[ask, when, say, delete]);
    let prepared = Prepared::new(
        &project(vec![TargetBuilder::new("Stage"), cat]),
        GenerationSettings::default(),
    )
    .unwrap();
    let budget = Budget { executions: Some(60), ..Budget::default() };
    let request = Request::new("mosa", &[], 1, budget).unwrap();
    let generated = prepared.generate(&request, |_| ControlFlow::Continue(()));
    assert_eq!(generated.covered.len(), 6, "{:?}", generated.covered);
    assert!(generated.unstable.is_empty());
    assert!(generated.suite.to_json().contains(&long));
}

#[test]
fn limits_are_counted_over_executions() {
    let mut cat = TargetBuilder::new("Cat");
    let clone = cat.block(Opcode::ControlCreateCloneOf, &[("CLONE_OPTION", number("_myself_"))]);
    let forever = cat.block(Opcode::ControlForever, &[]);
    cat.hold(forever, clone);
    cat.flag(&[forever]);
    let say = cat.block(Opcode::LooksSay, &[("MESSAGE", number("clicked"))]);
    cat.hat(Opcode::EventWhenThisSpriteClicked, None, &[say]);
    let project = project(vec![TargetBuilder::new("Stage"), cat]);
    let mut executor = executor(&project);
    let wait = |steps| vec![Event::Wait { steps }];
    executor.covered(&wait(100));
    assert_eq!(executor.limits().iter().count(), 0);
    executor.covered(&wait(400));
    executor.covered(&wait(500));
    let met: Vec<_> = executor.limits().iter().collect();
    let [(Limit::Clones, count)] = met[..] else { panic!("{met:?}") };
    assert_eq!((count.executions, count.earliest), (2, 301));
    assert!(count.times > 200, "{count:?}");
}
