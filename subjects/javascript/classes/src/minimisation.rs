//! Minimisation: selects a few tests, and removes the statements that their goals do not need.

use std::collections::BTreeSet;

use catherd_javascript_machine::{Execution, TestOutcome};

use crate::genes::Genes;
use crate::problem::Subject;

pub(crate) struct Kept {
    pub(crate) genes: Genes,
    /// The goals for which the test is kept.
    pub(crate) goals: Vec<usize>,
    /// An execution of exactly these statements.
    pub(crate) execution: Option<Execution>,
}

/// Selects tests greedily and removes statements that their goals do not need. Returns the number
/// of removed statements as well.
pub(crate) fn minimised(
    subject: &mut Subject,
    tests: Vec<(Genes, Vec<usize>)>,
    minimise: bool,
) -> (Vec<Kept>, usize) {
    let kept = |(genes, goals)| Kept { genes, goals, execution: None };
    if !minimise {
        return (tests.into_iter().map(kept).collect(), 0);
    }
    let mut chosen: Vec<Kept> = chosen(&tests).into_iter().map(kept).collect();
    let before: usize = chosen.iter().map(|test| test.genes.statements.len()).sum();
    for test in &mut chosen {
        shorten(subject, test);
    }
    let after: usize = chosen.iter().map(|test| test.genes.statements.len()).sum();
    (chosen, before - after)
}

/// Tests that together cover the same goals as all tests, chosen greedily, each with the goals that
/// no earlier one covers.
fn chosen(tests: &[(Genes, Vec<usize>)]) -> Vec<(Genes, Vec<usize>)> {
    let mut open: BTreeSet<usize> = tests.iter().flat_map(|(_, goals)| goals.clone()).collect();
    let mut chosen: Vec<(Genes, Vec<usize>)> = Vec::new();
    while !open.is_empty() {
        let gain = |goals: &[usize]| goals.iter().filter(|goal| open.contains(goal)).count();
        let best = tests.iter().enumerate().max_by_key(|(number, (genes, goals))| {
            let length = std::cmp::Reverse(genes.statements.len());
            (gain(goals), length, std::cmp::Reverse(*number))
        });
        let Some((_, (genes, goals))) = best else { break };
        let own: Vec<usize> = goals.iter().copied().filter(|goal| open.contains(goal)).collect();
        if own.is_empty() {
            break;
        }
        open.retain(|goal| !own.contains(goal));
        chosen.push((genes.clone(), own));
    }
    chosen
}

/// Removes statements that the goals of a test do not need: first all statements that do not
/// influence the statements that reached the goals, and then one statement at a time.
fn shorten(subject: &mut Subject, test: &mut Kept) {
    if test.genes.statements.len() < 2 {
        return;
    }
    let Some((whole, _)) = subject.run_traced(&test.genes, true) else { return };
    let reaching = reaching(subject, test, &whole);
    test.execution = Some(Execution { trace: Vec::new(), ..whole });
    let mut end = test.genes.statements.len();
    if let Some(reaching) = reaching {
        let is_slice = [false, true].into_iter().any(|with_states| {
            let needed = slice(&test.genes, &reaching, with_states);
            let slice = test.genes.kept_only(|number| needed.contains(&number));
            slice.statements.len() == test.genes.statements.len() || attempt(subject, test, slice)
        });
        // Keep the last statement of a slice, because it is the first one that reaches one of the
        // goals.
        end = test.genes.statements.len() - usize::from(is_slice);
    }
    let mut index = end;
    while index > 0 && test.genes.statements.len() > 1 {
        index -= 1;
        let shorter = test.genes.left_out(index);
        if !shorter.statements.is_empty() && attempt(subject, test, shorter) {
            index = index.min(test.genes.statements.len());
        }
    }
}

/// Replaces a test with a shorter test that covers the same goals. Returns whether the test was
/// replaced.
fn attempt(subject: &mut Subject, test: &mut Kept, shorter: Genes) -> bool {
    let Some((execution, _)) = subject.run(&shorter) else { return false };
    let fitness = subject.fitness(&shorter, &execution);
    let covers = test.goals.iter().all(|goal| fitness[*goal] == 0.0);
    if covers {
        test.genes = shorter;
        test.execution = Some(execution);
    }
    covers
}

/// The statements that reached the goals of a test first; `None` if a goal was reached only after
/// the last statement, or not at all.
fn reaching(subject: &Subject, test: &Kept, whole: &Execution) -> Option<BTreeSet<usize>> {
    let threw = matches!(whole.outcome, TestOutcome::Threw { .. });
    let first = |goal: &usize| {
        let hit = subject.goals[*goal].hit;
        let found = whole.trace.iter().position(|reached| reached.hits(hit));
        found.or((threw && whole.hits(hit)).then_some(whole.ended))
    };
    test.goals.iter().map(first).collect()
}

/// The backward slice of statements. With `with_states`, it includes earlier statements on the same
/// variables, because these may have changed the states of objects.
fn slice(genes: &Genes, statements: &BTreeSet<usize>, with_states: bool) -> BTreeSet<usize> {
    let mut needed = statements.clone();
    let last = needed.last().copied().unwrap_or(0);
    loop {
        let mut used: BTreeSet<usize> = needed.clone();
        used.extend(needed.iter().flat_map(|number| genes.statements[*number].variables()));
        let before = needed.len();
        needed.extend(used.iter().copied());
        if with_states {
            let uses = |number: &usize| {
                genes.statements[*number].variables().iter().any(|used_by| used.contains(used_by))
            };
            needed.extend((0..last).filter(uses));
        }
        if needed.len() == before {
            return needed;
        }
    }
}
