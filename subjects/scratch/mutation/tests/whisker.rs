//! Tests of mutants of real projects from the folder that `CATHERD_CORPUS` names.
#![allow(clippy::print_stderr)] // The tests print scores.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use catherd_scratch_mutation::{Analysis, Compat, Operator, Tally, mutants};
use catherd_scratch_sb3::Project;
use catherd_scratch_suite::goals::{self, GoalSettings};
use catherd_scratch_suite::{
    Bounds, LinkedSuite, Runner, Suite, SuiteEvent, SuiteTest, Verdict, measure_coverage,
};
use catherd_scratch_testgen::{Assertions, GenerationSettings, Prepared, Request};
use catherd_scratch_vm::Program;
use catherd_search::Budget;

fn corpus() -> PathBuf {
    std::env::var_os("CATHERD_CORPUS").expect("CATHERD_CORPUS names a folder of projects").into()
}

fn read(corpus: &std::path::Path, name: &str) -> Project {
    Project::read(corpus.join(name)).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
#[ignore = "needs CATHERD_CORPUS"]
fn there_are_as_many_mutants_as_whisker_makes() {
    use Operator::*;
    let corpus = corpus();
    // In BoatRace, Whisker negates one more condition, which has no effect because it is in a loose
    // block.
    let published: [(_, &[_]); 2] = [
        ("FruitCatching", &[(Krm, 2), (Sbd, 39), (Sdm, 4), (Ror, 5), (Ncm, 11), (Vrm, 5)]),
        ("BoatRace", &[(Sbd, 35), (Sdm, 11), (Ror, 1), (Ncm, 8)]),
    ];
    for (name, counts) in published {
        let project = read(&corpus, &format!("whisker-examples/{name}.sb3"));
        let mutants = mutants(&project, &Operator::ALL, Compat::default(), 0);
        for operator in Operator::ALL {
            let expected =
                counts.iter().find(|(known, _)| *known == operator).map_or(0, |(_, n)| *n);
            let found = mutants.iter().filter(|mutant| mutant.operator == operator).count();
            assert_eq!(found, expected, "{operator} of {name}");
        }
    }
}

fn goals_and_covered(project: &Project) -> (usize, usize) {
    let goals = goals::find(project, GoalSettings::default());
    let program = Arc::new(Program::compile(project).unwrap());
    let events = vec![
        SuiteEvent::KeyPress { key: "space".into(), steps: 10 },
        SuiteEvent::Wait { steps: 100 },
    ];
    let suite = Suite {
        goals: goals.len() as u32,
        tests: vec![SuiteTest { events, ..SuiteTest::default() }],
        ..Suite::default()
    };
    (goals.len(), measure_coverage(&suite, &program, &goals, u64::MAX).unwrap()[0].len())
}

#[test]
#[ignore = "needs CATHERD_CORPUS"]
fn mutants_differ_from_their_originals_as_whisker_expects() {
    use Operator::*;
    let corpus = corpus();
    // Counts of goals and of covered goals, for the original and for every mutant.
    let expected = [
        ("KRM-Sensing", Krm, (None, Some(3)), (None, Some(2))),
        ("SBD", Sbd, (Some(4), None), (Some(3), None)),
        ("SDM", Sdm, (Some(6), None), (Some(4), None)),
        ("AOR", Aor, (None, Some(5)), (None, Some(4))),
        ("ROR", Ror, (None, Some(4)), (None, Some(3))),
    ];
    for (name, operator, original, mutant) in expected {
        let mut project = read(&corpus, &format!("whisker-integration/mutation__{name}.sb3"));
        let before = format!("{project:?}");
        let check = |project: &Project, (goals, covered): (Option<usize>, Option<usize>)| {
            let found = goals_and_covered(project);
            assert!(goals.is_none_or(|goals| goals == found.0), "{name}: {found:?}");
            assert!(covered.is_none_or(|covered| covered == found.1), "{name}: {found:?}");
        };
        check(&project, original);
        let mut made = 0;
        for seed in 0..5 {
            for found in mutants(&project, &[operator], Compat::default(), seed) {
                // The key *any* includes the old key.
                if found.name(&project).change.ends_with("-> key any") {
                    continue;
                }
                let undo = found.apply(&mut project);
                check(&project, mutant);
                undo.undo(&mut project);
                assert_eq!(format!("{project:?}"), before, "{name}: undone");
                made += 1;
            }
        }
        assert!(made > 0, "{name}");
    }
}

fn generate(project: &Project, executions: u64) -> Suite {
    let settings = GenerationSettings::default();
    let prepared = Prepared::new(project, settings).unwrap();
    let budget = Budget { executions: Some(executions), ..Budget::default() };
    let mut request = Request::new("mio", &[], 1, budget).unwrap();
    request.assertions = Some(Assertions::default());
    prepared.generate(&request, |_| ControlFlow::Continue(())).suite
}

#[test]
#[ignore = "needs CATHERD_CORPUS"]
fn tests_that_are_not_executed_kill_no_mutant() {
    let corpus = corpus();
    for name in ["BoatRace", "FruitCatching"] {
        let mut project = read(&corpus, &format!("whisker-examples/{name}.sb3"));
        let suite = generate(&project, 40);
        let program = Arc::new(Program::compile(&project).unwrap());
        let settings = catherd_scratch_mutation::MutationSettings {
            all_killers: true,
            block_factor: u64::MAX,
            ..catherd_scratch_mutation::MutationSettings::default()
        };
        let analysis = Analysis::new(&project, program, suite.clone(), settings).unwrap();
        assert!(analysis.false_positives().is_empty(), "{name}");
        let results = analysis.run(|_| ControlFlow::Continue(())).unwrap();
        let tally = Tally::of(analysis.mutants(), &results, None);
        eprintln!("{name}: {tally:?}, score {:?}", tally.score());
        assert!(tally.score() > Some(0.3), "{name}: {tally:?}");
        for (mutant, result) in analysis.mutants().iter().zip(&results) {
            // For comparison, compile everything again, including costumes, and execute every test.
            let undo = mutant.apply(&mut project);
            let program = Arc::new(Program::compile(&project).unwrap());
            undo.undo(&mut project);
            let linked = LinkedSuite::new(&suite, &program).unwrap();
            let mut runner = Runner::new(program, suite.machine.clone(), ());
            let killers: Vec<u32> = (0..linked.len())
                .filter(|&test| {
                    let execution = runner.run(&linked, test, Bounds::default());
                    matches!(execution.verdict, Verdict::Failed(_))
                })
                .map(|test| test as u32)
                .collect();
            let found: Vec<u32> = result.kills.iter().map(|kill| kill.test).collect();
            assert_eq!(found, killers, "{}", mutant.name(&project).id);
        }
    }
}
