use std::ops::ControlFlow;
use std::sync::Arc;

use catherd_scratch_sb3::test_support::{TargetBuilder, number, project};
use catherd_scratch_sb3::{Opcode, Project, Slot};
use catherd_scratch_suite::{Assertion, Expected, Suite, SuiteEvent, SuiteTest, Tolerances};
use catherd_scratch_vm::Program;

use super::*;

/// A sprite that moves to x = 50 after a click on the flag and turns when `b` is pressed. If the
/// condition of the `if` is negated, the sprite turns forever without screen refresh.
fn walking() -> Project {
    let mut cat = TargetBuilder::new("Cat");
    let walk = cat.block(Opcode::MotionChangeXBy, &[("DX", number("50"))]);
    let comparison =
        cat.value(Opcode::OperatorGt, &[("OPERAND1", number("1")), ("OPERAND2", number("2"))]);
    let when = cat.when(comparison);
    let call = cat.call("spin");
    cat.hold(when, call);
    // This block has no effect on the sprite.
    let idle = cat.block(Opcode::SensingResetTimer, &[]);
    cat.flag(&[walk, when, idle]);
    let turn = cat.block(Opcode::MotionTurnRight, &[("DEGREES", number("90"))]);
    cat.hat(Opcode::EventWhenKeyPressed, Some(("KEY_OPTION", "b")), &[turn]);
    let forever = cat.block(Opcode::ControlForever, &[]);
    let spin = cat.block(Opcode::MotionTurnLeft, &[("DEGREES", number("1"))]);
    cat.hold(forever, spin);
    cat.define("spin", &[forever]);
    let loose = cat.block(Opcode::LooksHide, &[]);
    let more = cat.block(Opcode::LooksShow, &[]);
    cat.script(loose, &[more]);
    let mut project = project(vec![TargetBuilder::new("Stage"), cat]);
    for block in &mut project.targets[1].blocks {
        if let Some(catherd_scratch_sb3::Mutation::Prototype { warp, .. }) = &mut block.mutation {
            *warp = true;
        }
    }
    project
}

fn of_cat(after: u32, expect: Expected) -> Assertion {
    Assertion { after, sprite: Some("Cat".into()), clone: 0, expect }
}

fn suite() -> Suite {
    let at = |x| of_cat(0, Expected::Position { x, y: 0.0 });
    let test = |event, assertions| SuiteTest {
        covers: Vec::new(),
        codons: 0,
        events: vec![event],
        assertions,
        ..SuiteTest::default()
    };
    let wait = || SuiteEvent::Wait { steps: 3 };
    let press = SuiteEvent::KeyPress { key: "b".into(), steps: 1 };
    Suite {
        format: catherd_scratch_suite::FORMAT,
        engine: String::new(),
        project: String::new(),
        algorithm: String::new(),
        seed: 1,
        goals: 9,
        machine: catherd_scratch_vm::VmSettings::default(),
        tolerances: Tolerances::default(),
        nan_equal: false,
        tests: vec![
            test(wait(), vec![at(50.0)]),
            test(wait(), vec![at(7.0)]),
            test(press, vec![of_cat(0, Expected::Direction(180.0))]),
        ],
    }
}

fn analysis(settings: MutationSettings) -> Analysis {
    let project = walking();
    let program = Arc::new(Program::compile(&project).unwrap());
    Analysis::new(&project, program, suite(), settings).unwrap()
}

fn run(analysis: &Analysis) -> Vec<MutantResult> {
    analysis.run(|_| ControlFlow::Continue(())).unwrap()
}

fn result(
    analysis: &Analysis,
    results: &[MutantResult],
    operator: Operator,
    opcode: Opcode,
) -> MutantResult {
    let blocks = &analysis.project().targets[1].blocks;
    let place = |mutant: &&Mutant| {
        let block = &blocks[analysis.project().locate(mutant.block).1 as usize];
        mutant.operator == operator && block.opcode == opcode
    };
    let mutants = analysis.mutants().iter().zip(results);
    mutants.filter(|(mutant, _)| place(mutant)).map(|(_, result)| result.clone()).next().unwrap()
}

#[test]
fn outcomes_follow_from_the_tests() {
    use Opcode::*;
    use Operator::*;
    let analysis = analysis(MutationSettings::default());
    assert_eq!((analysis.tests(), analysis.false_positives()), (2, vec![1]));
    let results = run(&analysis);
    let of = |operator, opcode| result(&analysis, &results, operator, opcode);

    let walk = of(Sbd, MotionChangeXBy);
    assert_eq!(walk.outcome, MutantOutcome::Killed);
    assert_eq!((walk.kills[0].test, walk.kills[0].failure.got.as_deref()), (0, Some("(0, 0)")));
    assert_eq!(of(Sbd, SensingResetTimer).outcome, MutantOutcome::Survived);
    assert_eq!(of(Sbd, MotionTurnLeft).outcome, MutantOutcome::NotCovered);
    assert_eq!(of(Sbd, LooksShow).outcome, MutantOutcome::Equivalent);
    // Both mutants remove the turn, so they are the same program.
    let (turn, script) = (of(Sbd, MotionTurnRight), of(Sdm, EventWhenKeyPressed));
    assert_eq!((turn.outcome, script.outcome), (MutantOutcome::Killed, MutantOutcome::Killed));
    assert_eq!((turn.kills[0].test, turn.executions), (2, 1));
    assert_eq!(duplicates(&results).iter().flatten().count(), 1);
    // The mutant's hat waits for another key, so no test covers the hat, but one test notices the
    // change.
    assert_eq!(of(Krm, EventWhenKeyPressed).outcome, MutantOutcome::Killed);
    // With the condition negated, the sprite turns forever within a step, and the test reaches the
    // limit of blocks before it can fail.
    let negated = of(Ncm, OperatorGt);
    assert_eq!((negated.outcome, negated.executions), (MutantOutcome::Limit, 1));

    let tally = Tally::of(analysis.mutants(), &results, None);
    assert_eq!(tally.mutants(), results.len() as u64);
    assert_eq!(tally.duplicates, 1);
    let sums = Operator::ALL.map(|o| Tally::of(analysis.mutants(), &results, Some(o)).killed);
    assert_eq!(sums.iter().sum::<u64>(), tally.killed);
    assert_eq!(tally.score(), Some(tally.killed as f64 / results.len() as f64));
}

#[test]
fn mutants_are_executed_in_any_order_with_the_same_result() {
    let analysis = analysis(MutationSettings { all_killers: true, ..MutationSettings::default() });
    let results = run(&analysis);
    let mut runner = analysis.runner();
    for number in (0..results.len()).rev() {
        assert_eq!(runner.run(number), results[number]);
    }
    assert_eq!(
        analysis.run(|executed| {
            if executed == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        }),
        None
    );
}

#[test]
fn operators_draw_independently_and_samples_keep_the_order() {
    let all = analysis(MutationSettings::default());
    let some = analysis(MutationSettings {
        operators: vec![Operator::Ror, Operator::Krm],
        ..MutationSettings::default()
    });
    let chosen: Vec<_> = all
        .mutants()
        .iter()
        .filter(|m| matches!(m.operator, Operator::Ror | Operator::Krm))
        .cloned()
        .collect();
    assert_eq!(some.mutants(), chosen);

    let sample =
        |seed| analysis(MutationSettings { sample: Some(3), seed, ..MutationSettings::default() });
    let places: Vec<_> = sample(0)
        .mutants()
        .iter()
        .map(|mutant| all.mutants().iter().position(|other| other == mutant).unwrap())
        .collect();
    assert_eq!(places.len(), 3);
    assert!(places.is_sorted());
    assert!((1..20).any(|seed| sample(seed).mutants() != sample(0).mutants()));
    let more = analysis(MutationSettings { sample: Some(1_000), ..MutationSettings::default() });
    assert_eq!(more.mutants(), all.mutants());
}

#[test]
fn names_say_what_was_changed() {
    let analysis = analysis(MutationSettings::default());
    let names: Vec<_> =
        analysis.mutants().iter().map(|mutant| mutant.name(analysis.project())).collect();
    let mut ids: Vec<_> = names.iter().map(|name| name.id.as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), names.len(), "all different");
    let change = |start: &str| {
        let of = |name: &&MutantName| name.id.starts_with(start);
        names.iter().find(of).unwrap().change.clone()
    };
    assert!(change("KRM:Cat/").starts_with("key b -> key "));
    assert_eq!(change("SDM:"), "script below event_whenflagclicked deleted");
    assert_eq!(change("SBD:"), "motion_changexby deleted");
    assert!(["> -> =", "> -> <"].contains(&change("ROR:").as_str()));
    assert_eq!(change("NCM:"), "operator_gt -> not operator_gt");
}

/// Mutates `say (a + b)`, where `a` is a variable of the sprite and `b` is a variable of the stage.
#[test]
fn variables_are_replaced_by_any_that_can_be_read() {
    let variable = |name: &str| {
        Slot::Literal(catherd_scratch_sb3::Literal::Variable { name: name.into(), id: name.into() })
    };
    let declared = |name: &str| catherd_scratch_sb3::Variable {
        id: name.into(),
        name: name.into(),
        value: catherd_scratch_sb3::Value::Number(0.0),
        cloud: false,
    };
    let mut cat = TargetBuilder::new("Cat");
    let sum = cat.value(Opcode::OperatorAdd, &[("NUM1", variable("a")), ("NUM2", variable("b"))]);
    let say = cat.block(Opcode::LooksSay, &[("MESSAGE", sum)]);
    cat.flag(&[say]);
    cat.target.variables.push(declared("a"));
    let mut stage = TargetBuilder::new("Stage");
    stage.target.variables.push(declared("b"));
    let project = project(vec![stage, cat]);
    let changes = |compat| {
        let mutants = mutants(&project, &[Operator::Vrm], compat, 0);
        mutants.iter().map(|mutant| mutant.name(&project).change).collect::<Vec<_>>()
    };
    let compat = crate::Compat::default();
    assert_eq!(changes(compat), ["variable a -> variable b", "variable b -> variable a"]);
    let compat = crate::Compat { vrm_stage_only: true, ..compat };
    assert_eq!(changes(compat), ["variable a -> variable b"]);
}
