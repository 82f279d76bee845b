//! The assertions of tests, chosen by the mutants that they kill.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::atomic::Ordering;

use catherd_javascript_machine::instrument::Mutant;
use catherd_javascript_machine::{
    ExecuteOptions, Machine, MachineError, Operation, Program, TestOutcome,
};
use catherd_search::Stream;

use super::usual::Usual;
use super::{Classes, Refinement};
use crate::export::{MAX_ASSERTIONS, Possible};
use crate::generate::machine;
use crate::mutation::{MutationSettings, all_mutants, counter};
use crate::settings::GenerationSettings;
use crate::suite::{self, Suite};

/// Maximum number of tests that are executed on a mutant.
const MAX_TESTS: usize = 6;

/// A test with the mutants that its possible assertions kill.
struct Choice {
    possible: Vec<Possible>,
    kills: Vec<BTreeSet<usize>>,
    counters: Vec<u32>,
    steps: u64,
    /// Number of mutants on which the test was executed.
    executed: usize,
}

/// Chooses, for each test of a suite, a few assertions that kill many mutants.
pub(super) fn choose(
    program: &Rc<Program>,
    suite: &mut Suite,
    settings: &Refinement,
    usual: &Usual,
    classes: &Classes,
) -> Result<(), MachineError> {
    let mut machine = machine(program, &GenerationSettings::default(), suite.seed, true);
    let mut choices = Vec::new();
    for test in &suite.tests {
        let options = ExecuteOptions { seed: suite.seed, ..ExecuteOptions::default() };
        let execution = machine.execute(&test.statements, options)?;
        let mut possible = usual.possible(test, classes);
        possible.retain(|each| settings.snapshots || !each.is_snapshot());
        if possible.is_empty() {
            possible = crate::export::possible(test, classes);
        }
        choices.push(Choice {
            kills: vec![BTreeSet::new(); possible.len()],
            possible,
            counters: execution.counters,
            steps: execution.steps,
            executed: 0,
        });
    }
    let mut left = settings.mutant_executions;
    let mut work = settings.work;
    for (number, (file, mutant)) in drawn(program, suite, settings, &choices).iter().enumerate() {
        let place = counter(program, file, mutant.range.0);
        let reaches = |choice: &Choice| {
            let times = place.and_then(|place| choice.counters.get(place as usize));
            choice.possible.len() > 1 && times.is_some_and(|times| *times > 0)
        };
        let mut tests: Vec<usize> =
            (0..choices.len()).filter(|at| reaches(&choices[*at])).collect();
        tests.sort_by_key(|at| choices[*at].executed);
        tests.truncate(MAX_TESTS);
        let spent = left == 0 || work == 0 || settings.stop.load(Ordering::Relaxed);
        if spent || tests.is_empty() {
            continue;
        }
        let Some(mut machine) = loaded(program, suite.seed, file, mutant)? else { continue };
        for at in tests {
            left = left.saturating_sub(1);
            work = work.saturating_sub(choices[at].steps);
            judge(&mut machine, program, suite, at, &mut choices[at], number)?;
        }
    }
    for (test, choice) in suite.tests.iter_mut().zip(choices) {
        let mut kept = best(&choice, MAX_ASSERTIONS);
        // Always assert arguments that the call changes in place.
        let changed = |at: &usize| {
            let place = &choice.possible[*at].place;
            test.statements[place.index].operation == Operation::Value && place.part.is_empty()
        };
        // Assert all members of a small object, so that the assertions describe it.
        let member = |at: &usize| {
            choice.possible[*at].is_member().then(|| {
                let place = &choice.possible[*at].place;
                (place.index, place.at_end)
            })
        };
        let objects: BTreeSet<(usize, bool)> = kept.iter().filter_map(member).collect();
        let members = (0..choice.possible.len())
            .filter(|at| member(at).is_some_and(|it| objects.contains(&it)));
        let members: Vec<usize> = members.collect();
        let small = members.len() <= MAX_ASSERTIONS;
        let members = members.into_iter().filter(|_| small);
        let more: Vec<usize> = (0..choice.possible.len()).filter(changed).chain(members).collect();
        // Assert an element in addition to the number of elements, which does not describe them.
        let counts = |at: &usize| choice.possible[*at].is_count();
        let first = kept.iter().copied().find(counts).and_then(|at| {
            let of = |place: &suite::ShownValue| (place.index, place.at_end);
            let same = |other: &usize| {
                let each = &choice.possible[*other];
                each.is_item() && of(&each.place) == of(&choice.possible[at].place)
            };
            (0..choice.possible.len()).find(same)
        });
        let more: Vec<usize> = more.into_iter().chain(first).collect();
        for at in more {
            if !kept.contains(&at) {
                kept.push(at);
            }
        }
        kept.truncate(MAX_ASSERTIONS);
        kept.sort_unstable();
        test.shown = Some(kept.into_iter().map(|at| choice.possible[at].place.clone()).collect());
    }
    Ok(())
}

fn drawn(
    program: &Program,
    suite: &Suite,
    settings: &Refinement,
    choices: &[Choice],
) -> Vec<(String, Mutant)> {
    let mut mutants = all_mutants(program, &MutationSettings::default());
    let mut reached: BTreeMap<u32, bool> = BTreeMap::new();
    mutants.retain(|(file, mutant)| {
        let Some(place) = counter(program, file, mutant.range.0) else { return false };
        *reached.entry(place).or_insert_with(|| {
            let times = |choice: &Choice| choice.counters.get(place as usize).copied();
            choices.iter().any(|it| it.possible.len() > 1 && times(it).is_some_and(|n| n > 0))
        })
    });
    let mut stream = Stream::new(suite.seed, 44);
    for at in (1..mutants.len()).rev() {
        mutants.swap(at, stream.below(at as u64 + 1) as usize);
    }
    mutants.truncate(settings.mutants as usize);
    mutants
}

fn loaded(
    program: &Rc<Program>,
    seed: u64,
    file: &str,
    mutant: &Mutant,
) -> Result<Option<Machine>, MachineError> {
    let source = program.source(file).ok().flatten().unwrap_or_default();
    let text = mutant.apply(source.trim_start_matches('\u{feff}'));
    let Ok(mutated) = program.variant(file, &text) else { return Ok(None) };
    let mut machine = machine(&mutated, &GenerationSettings::default(), seed, true);
    let options = ExecuteOptions { seed, ..ExecuteOptions::default() };
    let loads = machine.execute(&[], options);
    Ok(loads.is_ok_and(|loaded| loaded.outcome == TestOutcome::Passed).then_some(machine))
}

/// Records which assertions kill a mutant. Records nothing if the test ends in another way, because
/// every assertion would fail.
fn judge(
    machine: &mut Machine,
    program: &Program,
    suite: &Suite,
    at: usize,
    choice: &mut Choice,
    mutant: usize,
) -> Result<(), MachineError> {
    choice.executed += 1;
    let test = &suite.tests[at];
    let steps = choice.steps.saturating_mul(10).saturating_add(10_000);
    let options = ExecuteOptions {
        observe: true,
        seed: suite.seed,
        steps: Some(steps),
        ..ExecuteOptions::default()
    };
    let execution = machine.execute(&test.statements, options)?;
    if matches!(execution.outcome, TestOutcome::Limit(_)) {
        return Ok(());
    }
    let values = suite::seen(program, &execution, test.statements.len());
    let threw = super::threw(&execution);
    if threw != test.assertions.last().is_some_and(suite::is_error) {
        return Ok(());
    }
    for (possible, kills) in choice.possible.iter().zip(&mut choice.kills) {
        let observed = if possible.place.at_end { &execution.after } else { &values };
        let value = observed.get(possible.place.index);
        if !value.is_some_and(|value| possible.holds(value)) {
            kills.insert(mutant);
        }
    }
    Ok(())
}

/// Indices of assertions that kill many mutants; the strongest assertion if none kills a mutant.
fn best(choice: &Choice, most: usize) -> Vec<usize> {
    let mut kept: Vec<usize> = Vec::new();
    let mut killed: BTreeSet<usize> = BTreeSet::new();
    while kept.len() < most {
        let gain = |at: usize| choice.kills[at].difference(&killed).count();
        let next = (0..choice.kills.len()).max_by(|a, b| gain(*a).cmp(&gain(*b)).then(b.cmp(a)));
        let Some(next) = next.filter(|next| gain(*next) > 0) else { break };
        killed.extend(choice.kills[next].iter().copied());
        kept.push(next);
    }
    if kept.is_empty() && !choice.possible.is_empty() {
        kept.push(0);
    }
    kept.sort_unstable();
    kept
}
