//! Mutated tests are sound, and repeat calls.

use catherd_javascript_classes::machine::{Operation, Package, Program};
use catherd_javascript_classes::{Genes, Settings, Subject, has_unknowns, machine_of};
use catherd_search::{Problem, Stream};

const SOURCE: &str = "
    class Player { constructor(name) { this.name = name; } }
    class Game {
        constructor() { this.points = 0; }
        point(player, points) { this.points += points; return player.name; }
        get call() { return this.points > 40 ? 'game' : 'running'; }
    }
    module.exports = { Player, Game };";

/// Whether each statement uses variables of statements before it alone.
fn is_sound(genes: &Genes) -> bool {
    let statements = genes.statements.iter().enumerate();
    genes.targets.len() == genes.statements.len()
        && statements
            .into_iter()
            .all(|(at, statement)| statement.variables().iter().all(|v| *v < at))
}

/// The longest run of equal calls.
fn repetitions(genes: &Genes) -> usize {
    let runs = genes.statements.chunk_by(|a, b| a == b);
    let calls = runs.filter(|run| run[0].operation == Operation::Method);
    calls.map(<[_]>::len).max().unwrap_or(0)
}

#[test]
fn mutated_tests_are_sound_and_repeat_calls() {
    let program = Program::new(Package::of_source("game.js", SOURCE).unwrap()).unwrap();
    let settings = Settings::default();
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
    // Fresh tests infer types as sampled ones do.
    assert!(repeated > 50, "{repeated} of 2,000 tests make a call three times in a row");
    assert!((10..200).contains(&unknown), "{unknown} of 2,000 tests infer types");
}
