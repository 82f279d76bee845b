//! Tests random variation of tests, goals, and knowledge of types.

use catherd_javascript_classes::machine::{ExecuteOptions, Operation, Package, Program};
use catherd_javascript_classes::types::Type;
use catherd_javascript_classes::{
    Coverage, GenerationSettings, Genes, Subject, has_unknowns, machine_of,
};
use catherd_search::{Problem, Stream};

const SOURCE: &str = "
    class Player { constructor(name) { this.name = name; } }
    class Game {
        constructor() { this.points = 0; }
        point(player, points) { this.points += points; return player.name; }
        get call() { return this.points > 40 ? 'game' : 'running'; }
    }
    module.exports = { Player, Game };";

/// Whether statements use only variables of earlier statements.
fn is_sound(genes: &Genes) -> bool {
    let statements = genes.statements.iter().enumerate();
    genes.targets.len() == genes.statements.len()
        && statements
            .into_iter()
            .all(|(at, statement)| statement.variables().iter().all(|v| *v < at))
}

/// Length of the longest sequence of equal method calls.
fn repetitions(genes: &Genes) -> usize {
    let runs = genes.statements.chunk_by(|a, b| a == b);
    let calls = runs.filter(|run| run[0].operation == Operation::Method);
    calls.map(<[_]>::len).max().unwrap_or(0)
}

#[test]
fn mutated_tests_are_sound_and_repeat_calls() {
    let program = Program::new(Package::of_source("game.js", SOURCE).unwrap()).unwrap();
    let settings = GenerationSettings::default();
    let machine = machine_of(&program, &settings, 1, true);
    let mut subject = Subject::new(&program, machine, settings.clone(), 1).unwrap();
    let mut rng = Stream::new(7, Stream::SEARCH);
    let mut genes = subject.sample(&mut rng);
    let (mut repeated, mut unknown) = (0, 0);
    for _ in 0..2_000 {
        genes = subject.mutate(&genes, &mut rng);
        assert!(is_sound(&genes), "{genes:?}");
        assert!(genes.statements.len() <= settings.maximum_length, "{genes:?}");
        repeated += usize::from(repetitions(&genes) >= 3);
        unknown += usize::from(has_unknowns(&genes));
    }
    assert!(repeated > 50, "{repeated} of 2,000 tests make a call three times in a row");
    assert!((10..200).contains(&unknown), "{unknown} of 2,000 tests infer types");
}

#[test]
fn units_covered_by_loading_are_counted_but_are_not_goals() {
    let source = "const big = [1, 2].length > 1 ? 1 : 2;
        for (let i = 0; i < 2; i++) { }
        exports.f = a => a > big ? 1 : 2;";
    let program = Program::new(Package::of_source("a.js", source).unwrap()).unwrap();
    let settings = GenerationSettings::default();
    let machine = machine_of(&program, &settings, 1, true);
    let mut subject = Subject::new(&program, machine, settings, 1).unwrap();
    let names = subject.goals.iter().map(|goal| program.units.goal_name(goal));
    assert_eq!(
        names.collect::<Vec<_>>(),
        [
            "a.js:1:13 cond-expr false",
            "a.js:3:21 function f",
            "a.js:3:26 cond-expr false",
            "a.js:3:26 cond-expr true",
        ]
    );
    let coverage = Coverage::measure(&program, &mut subject.machine, &[], 1);
    // Loading covers all statements except the one in the arrow function, and one of four branches.
    assert_eq!(coverage.totals(&program.units)[..2], [(4, 5), (1, 4)]);
    // Counters start at 0, although loading has covered units.
    let execution = subject.machine.execute(&[], ExecuteOptions::default()).unwrap();
    assert!(execution.counters.iter().all(|count| *count == 0), "{execution:?}");
    assert!(execution.outcomes.concat().iter().all(|count| *count == 0), "{execution:?}");
}

#[test]
fn built_in_functions_tell_the_types_of_their_arguments() {
    let source =
        "exports.f = (a, b, c) => { if (Array.isArray(a)) return 1; Math.abs(b); [1].map(c); };";
    let program = Program::new(Package::of_source("a.js", source).unwrap()).unwrap();
    let settings = GenerationSettings::default();
    let machine = machine_of(&program, &settings, 1, true);
    let mut subject = Subject::new(&program, machine, settings, 1).unwrap();
    let mut rng = Stream::new(1, Stream::SEARCH);
    for _ in 0..20 {
        let genes = subject.maker(true).random(0, &mut rng);
        subject.run(&genes).unwrap();
    }
    let best: Vec<_> = subject.knowledge.iter().map(|known| known.best(&subject.model)).collect();
    assert_eq!(best, [Some(Type::Array), Some(Type::Number), Some(Type::Function)]);
}

#[test]
fn a_class_that_is_not_exported_is_a_type_once_a_test_has_seen_an_instance() {
    let source = "class Node { constructor(v) { this.v = v; } label() { return 'n' + this.v; } }
        class List { add(v) { return new Node(v); } show(node) { return node.label() + node.v; } }
        module.exports = { List, pair: () => ({ error: new Error('e') }), fail: () => new Error('e') };";
    let program = Program::new(Package::of_source("list.js", source).unwrap()).unwrap();
    let settings = GenerationSettings::default();
    let machine = machine_of(&program, &settings, 1, true);
    let mut subject = Subject::new(&program, machine, settings, 1).unwrap();
    let target =
        |name: &str| subject.model.targets.iter().position(|target| target.name == name).unwrap();
    let (add, show, fail) = (target("List.add"), target("List.show"), target("fail"));
    let mut rng = Stream::new(3, Stream::SEARCH);
    let names = |subject: &Subject| -> Vec<String> {
        subject.model.classes.iter().map(|class| class.name.clone()).collect()
    };
    assert_eq!(names(&subject), ["List"]);
    let plain = [(add, false), (fail, false)].repeat(10);
    for (target, unknowns) in [plain, vec![(show, true); 4]].concat() {
        let genes = subject.maker(unknowns).random(target, &mut rng);
        subject.run(&genes).unwrap();
    }
    assert_eq!(names(&subject), ["List", "Node"]);
    let parameter = subject.model.targets[show].first_parameter;
    assert_eq!(subject.knowledge[parameter].best(&subject.model), Some(Type::Class(1)));
    let passed = (0..50).filter(|_| {
        let genes = subject.maker(false).random(show, &mut rng);
        let last = genes.statements.last().unwrap();
        last.variables().iter().any(|variable| genes.targets[*variable] == add)
    });
    assert!(passed.count() > 10, "nodes are what List.add returned");
}
