//! Minimisation of assertions by mutants (Pynguin paper, section 3.6): assertions that are not
//! needed to notice mutants are dropped.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::mem::{Discriminant, discriminant};
use std::ops::ControlFlow;
use std::sync::Arc;

use catherd_scratch_sb3::Project;
use catherd_scratch_suite::{
    AssertionNo, Bounds, Expected, LinkedSuite, Runner, Suite, SuiteError, SuiteTest, Verdict,
};
use catherd_scratch_vm::Program;

use crate::analysis::Analysis;
use crate::generated::{GeneratedTests, bounds};
use crate::result::Kill;
use crate::settings::MutationSettings;
use crate::suite::{BoundedTest, MutantVerdict, OriginalResult, OriginalTest, Tests};

/// Which assertions are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// All assertions that notice a mutant.
    Relevant,
    /// A small subset with which the suite notices the same mutants, each with this number of
    /// assertions if that many notice the mutant.
    Minimal(u32),
    /// A small subset with which each test notices the same mutants, each with this number of
    /// assertions of the test if that many notice the mutant.
    MinimalByTest(u32),
    /// Like [`Level::MinimalByTest`], plus the last two assertions of each test about each
    /// attribute of a sprite.
    Diverse(u32),
}

const PER_ATTRIBUTE: u32 = 2;

/// Result of [`minimise`].
#[derive(Clone, Debug, PartialEq)]
pub struct Minimised {
    /// The suite with the assertions that are kept, without flaky assertions.
    pub suite: Suite,
    /// Number of stable assertions before minimisation.
    pub before: usize,
    /// Number of assertions that are kept.
    pub after: usize,
    /// Number of mutants that `asked` accepted.
    pub mutants: usize,
    /// Number of mutants that some assertion notices.
    pub noticed: usize,
}

/// An assertion: the number of the test, and the position among the stable assertions of the test.
type Place = (usize, u32);

/// Removes the flaky assertions of a suite, and most assertions that are not needed to notice
/// mutants. Executes only the mutants whose numbers `asked` accepts. Reports the progress to
/// `on_progress`, and returns `None` if `on_progress` breaks.
///
/// Tests and events do not change.
///
/// # Errors
/// If the suite does not fit the project.
pub fn minimise(
    project: &Project,
    program: Arc<Program>,
    suite: Suite,
    settings: MutationSettings,
    level: Level,
    asked: impl Fn(usize) -> bool,
    mut on_progress: impl FnMut(usize, usize) -> ControlFlow<()>,
) -> Result<Option<Minimised>, SuiteError> {
    let settings = MutationSettings { all_killers: true, stable_only: true, ..settings };
    let tests = ObservedTests(GeneratedTests::new(suite.clone(), &program)?);
    let analysis = Analysis::of(project, program, tests, settings);
    let mut runner = analysis.runner();
    let all = analysis.mutants().len();
    // For each noticed mutant, the assertions that notice the mutant.
    let mut noticing: Vec<Vec<Place>> = Vec::new();
    let mut mutants = 0;
    for number in (0..all).filter(|number| asked(*number)) {
        mutants += 1;
        let places = places(runner.run(number).kills);
        noticing.extend((!places.is_empty()).then_some(places));
        if on_progress(number + 1, all).is_break() {
            return Ok(None);
        }
    }
    let kept = match level {
        Level::Relevant => noticing.iter().flatten().copied().collect(),
        Level::Minimal(times) => cover(&noticing, times),
        Level::MinimalByTest(times) => (0..suite.tests.len())
            .flat_map(|number| cover_of(number, &noticing, &BTreeSet::new(), times))
            .collect(),
        Level::Diverse(times) => (0..suite.tests.len())
            .flat_map(|number| {
                cover_of(number, &noticing, &diverse(number, &suite.tests[number]), times)
            })
            .collect(),
    };
    let before = suite.tests.iter().map(|test| test.assertions.len()).sum();
    let mut suite = suite;
    for (number, test) in suite.tests.iter_mut().enumerate() {
        test.flaky.clear();
        if analysis.originals()[number].result == OriginalResult::Passed {
            keep(test, |position| kept.contains(&(number, position)));
        }
    }
    let after = suite.tests.iter().map(|test| test.assertions.len()).sum();
    Ok(Some(Minimised { suite, before, after, mutants, noticed: noticing.len() }))
}

fn places(kills: Vec<Kill<Observed>>) -> Vec<Place> {
    let mut places = Vec::new();
    for Kill { test, failure: Observed { failed, limit } } in kills {
        places.extend(failed.into_iter().map(|position| (test as usize, position)));
        if limit {
            break;
        }
    }
    places
}

fn diverse(number: usize, test: &SuiteTest) -> BTreeSet<Place> {
    let mut seen: HashMap<(Option<&str>, Discriminant<Expected>), u32> = HashMap::new();
    let mut kept = BTreeSet::new();
    for (position, assertion) in test.assertions.iter().enumerate().rev() {
        let attribute = (assertion.sprite.as_deref(), discriminant(&assertion.expect));
        let count = seen.entry(attribute).or_default();
        *count += 1;
        if *count <= PER_ATTRIBUTE {
            kept.insert((number, position as u32));
        }
    }
    kept
}

fn cover_of(
    number: usize,
    noticing: &[Vec<Place>],
    kept: &BTreeSet<Place>,
    times: u32,
) -> BTreeSet<Place> {
    let mut left: BTreeMap<u32, Vec<Vec<Place>>> = BTreeMap::new();
    for places in noticing {
        let own = places.iter().copied().filter(|place| place.0 == number);
        let (known, others): (Vec<Place>, Vec<Place>) = own.partition(|place| kept.contains(place));
        let times = times.saturating_sub(known.len() as u32);
        if times > 0 {
            left.entry(times).or_default().push(others);
        }
    }
    let covers = left.into_iter().flat_map(|(times, noticing)| cover(&noticing, times));
    covers.chain(kept.iter().copied()).collect()
}

/// Greedy: adds the assertion that notices the largest number of remaining mutants, and finally
/// removes assertions that are not needed.
fn cover(noticing: &[Vec<Place>], times: u32) -> BTreeSet<Place> {
    let mut by_place: BTreeMap<Place, Vec<usize>> = BTreeMap::new();
    for (mutant, places) in noticing.iter().enumerate() {
        for place in places {
            by_place.entry(*place).or_default().push(mutant);
        }
    }
    let wanted: Vec<u32> = noticing.iter().map(|places| times.min(places.len() as u32)).collect();
    let mut noticed = vec![0_u32; noticing.len()];
    let mut kept: BTreeSet<Place> = BTreeSet::new();
    loop {
        let gain =
            |mutants: &[usize]| mutants.iter().filter(|m| noticed[**m] < wanted[**m]).count();
        let left = by_place.iter().filter(|(place, _)| !kept.contains(place));
        let best = left.map(|(place, mutants)| (gain(mutants), *place));
        let best = best.fold(
            (0, None),
            |best, (gain, place)| {
                if gain > best.0 { (gain, Some(place)) } else { best }
            },
        );
        let Some(place) = best.1 else { break };
        by_place[&place].iter().for_each(|mutant| noticed[*mutant] += 1);
        kept.insert(place);
    }
    for place in kept.clone().into_iter().rev() {
        let mutants = &by_place[&place];
        if mutants.iter().all(|mutant| noticed[*mutant] > wanted[*mutant]) {
            mutants.iter().for_each(|mutant| noticed[*mutant] -= 1);
            kept.remove(&place);
        }
    }
    kept
}

/// A test that would lose all assertions keeps the last assertion before the last event with
/// assertions, if there is one.
fn keep(test: &mut SuiteTest, wanted: impl Fn(u32) -> bool) {
    let last = test.assertions.iter().map(|assertion| assertion.after).max();
    let floor = test.assertions.iter().rposition(|assertion| Some(assertion.after) < last);
    let floor = floor.map(|position| position as u32);
    let any = (0..test.assertions.len() as u32).any(&wanted);
    let mut position = 0;
    test.assertions.retain(|_| {
        let keeps = if any { wanted(position) } else { floor == Some(position) };
        position += 1;
        keeps
    });
}

/// The tests continue after assertions that fail, to find all assertions that notice a mutant.
struct ObservedTests(GeneratedTests);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Observed {
    /// Positions among the stable assertions.
    failed: Vec<u32>,
    limit: bool,
}

impl Tests for ObservedTests {
    type Failure = Observed;

    fn on_original(
        &self,
        program: &Arc<Program>,
        settings: &MutationSettings,
    ) -> Vec<OriginalTest> {
        self.0.on_original(program, settings)
    }

    fn on_mutant(
        &self,
        program: Program,
        settings: &MutationSettings,
        tests: &[BoundedTest],
        seen: &mut dyn FnMut(usize, MutantVerdict<Observed>) -> ControlFlow<()>,
    ) {
        let ObservedTests(GeneratedTests { suite, linked }) = self;
        let relinked;
        let linked = if linked.fits(&program) {
            linked
        } else {
            // Linking succeeds, as for the original, because mutants have the same sprites.
            let Ok(linked) = LinkedSuite::new(suite, &program) else { return };
            relinked = linked;
            &relinked
        };
        let mut runner = Runner::new(Arc::new(program), suite.machine.clone(), ());
        for test in tests {
            let bounds: Bounds = bounds(settings, test.blocks);
            let seed = linked.seed_of(test.number);
            let mut failed = Vec::new();
            let noted = |assertion: AssertionNo, _: Option<&_>| {
                failed.push(assertion.position);
                ControlFlow::Continue(())
            };
            let execution = runner.check(linked, test.number, seed, bounds, noted);
            let limit = matches!(execution.verdict, Verdict::StepLimit | Verdict::Fault(_));
            let verdict = match (failed.is_empty(), limit) {
                (false, limit) => MutantVerdict::Killed(Observed { failed, limit }),
                (true, true) => MutantVerdict::Limit,
                (true, false) => MutantVerdict::Passed,
            };
            if seen(test.number, verdict).is_break() {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cover_is_small_complete_and_the_same_every_time() {
        // Assertion (0, 0) notices two mutants; (0, 1) and (1, 0) each notice one of these mutants
        // and another mutant.
        let noticing = vec![vec![(0, 0), (0, 1)], vec![(0, 0), (1, 0)], vec![(0, 1)], vec![(1, 0)]];
        let kept: Vec<Place> = cover(&noticing, 1).into_iter().collect();
        assert_eq!(kept, [(0, 1), (1, 0)]);
        assert_eq!(cover(&[], 1).len(), 0);
        // An assertion that is always kept counts towards the cover.
        let with: Vec<Place> =
            cover_of(0, &noticing, &BTreeSet::from([(0, 1)]), 1).into_iter().collect();
        assert_eq!(with, [(0, 0), (0, 1)]);
        // Minimising the result again changes nothing.
        let again: Vec<Vec<Place>> = noticing
            .iter()
            .map(|places| places.iter().copied().filter(|place| kept.contains(place)).collect())
            .collect();
        assert_eq!(cover(&again, 1).into_iter().collect::<Vec<_>>(), kept);
        assert_eq!(cover(&noticing, 2).into_iter().collect::<Vec<_>>(), [(0, 0), (0, 1), (1, 0)]);
    }
}
