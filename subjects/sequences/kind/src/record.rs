//! Records of searches.

use std::collections::{BTreeMap, BTreeSet};

use catherd_experiments::{
    Criterion, Level, Metric, MutantOutcome, MutantRecord, Mutation, RunRecord, RunSpec, SuiteSize,
    TimelinePoint,
};
use catherd_sequences_testing::EventId;
use serde_json::json;

use crate::configuration::{Bugs, Configuration, Letters, Rule};
use crate::detection;
use crate::info::{EVENTS, ITEMS, SUITE, SYSTEM, work};
use crate::search::{Improvement, Outcome, items_of, positions};
use crate::subject::{Items, Stop, Subject};

#[derive(Debug, Default)]
pub(crate) struct Metrics(pub(crate) BTreeMap<String, Metric>);

impl Metrics {
    pub(crate) fn count(&mut self, name: impl Into<String>, count: u64) {
        self.0.insert(name.into(), (count as i64).into());
    }

    pub(crate) fn pool(&mut self, [walks, distinct, cut]: [u64; 3]) {
        self.count("pool", walks);
        self.count("pool.distinct", distinct);
        self.count("pool.cut", cut);
    }

    pub(crate) fn number(&mut self, name: impl Into<String>, number: f64) {
        self.0.insert(name.into(), Metric::Number(number));
    }
}

/// The caller sets the times.
pub(crate) fn of(
    subject: &mut Subject,
    spec: &RunSpec,
    configuration: &Configuration,
    outcome: &Outcome,
) -> Result<RunRecord, Stop> {
    let mut metrics = Metrics::default();
    let goals = subject.items(&configuration.goals, configuration)?;
    metrics.count("goals.exact", u64::from(goals.reachable.is_some()));
    let covered = union(subject, configuration, &goals, &outcome.tests)?;
    let covered = positions(&covered, &outcome.goals);
    let own = subject.items(&configuration.criterion, configuration)?;
    let rank = rank(subject, configuration, &own, &outcome.tests)?;
    metrics.count("rank", rank);
    metrics.count("bound", own.criterion.bound());
    if let Some(reachable) = &own.reachable {
        metrics.count("reachable", weight(&own, reachable));
    }
    for text in &configuration.measure {
        let items = subject.items(text, configuration)?;
        metrics.count(
            format!("rank.{text}"),
            self::rank(subject, configuration, &items, &outcome.tests)?,
        );
        if let Some(reachable) = &items.reachable {
            metrics.count(format!("reachable.{text}"), weight(&items, reachable));
        }
    }
    if let Some((generations, converged)) = outcome.generations {
        metrics.count("generations", generations);
        metrics.count("converged", u64::from(converged));
    }
    if let Some(pool) = outcome.pool {
        metrics.pool(pool);
    }
    add_detection(&mut metrics, subject, configuration, &outcome.tests)?;
    let size = outcome.tests.iter().map(Vec::len).sum::<usize>();
    let reason = if outcome.goals.is_empty() { "no item that a trace could cover" } else { "" };
    let items = Criterion { name: ITEMS.to_owned(), goals: outcome.goals.len() as u32, covered };
    let last = items.covered.len() as u32;
    let mutants = match &spec.mutation {
        Some(mutation) => mutants(subject, mutation, &outcome.tests)?,
        None => Vec::new(),
    };
    Ok(RunRecord {
        reason: reason.to_owned(),
        mutants,
        work: work(outcome.executions, outcome.steps),
        timeline: timeline(&outcome.improvements, last),
        suite: SuiteSize {
            tests: outcome.tests.len() as u32,
            size: size as u32,
            unit: EVENTS.to_owned(),
            removed: 0,
        },
        metrics: metrics.0,
        artifacts: BTreeMap::from([(
            SUITE.to_owned(),
            suite(subject, configuration, rank, &outcome.tests),
        )]),
        ..RunRecord::new(spec, vec![items])
    })
}

/// If the criterion of the goals differs from the criterion of the search, a better suite may cover
/// fewer goals. The timeline never decreases, because each point has the least coverage of this and
/// all later points.
fn timeline(improvements: &[Improvement], last: u32) -> Vec<TimelinePoint> {
    let (mut least, mut points) = (last, Vec::new());
    for point in improvements.iter().rev() {
        least = least.min(point.covered);
        points.push(TimelinePoint {
            // The amounts are in the order of the names of the units.
            work: vec![point.executions, point.steps],
            wall_ms: point.wall_ms,
            covered: least,
        });
    }
    points.reverse();
    points.dedup_by_key(|point| point.covered);
    points
}

fn union(
    subject: &mut Subject,
    configuration: &Configuration,
    items: &Items,
    tests: &[Vec<EventId>],
) -> Result<Vec<u64>, Stop> {
    let space = subject.space(configuration.states)?;
    let alphabet = subject.alphabet(&configuration.pool.letters)?;
    let covered = tests.iter().flat_map(|test| items_of(items, test, &alphabet, &space));
    Ok(covered.collect::<BTreeSet<_>>().into_iter().collect())
}

fn weight(of: &Items, items: &[u64]) -> u64 {
    items.iter().map(|&item| of.criterion.weight(item)).sum()
}

fn rank(
    subject: &mut Subject,
    configuration: &Configuration,
    items: &Items,
    tests: &[Vec<EventId>],
) -> Result<u64, Stop> {
    Ok(weight(items, &union(subject, configuration, items, tests)?))
}

/// Adds the metrics `detected.BUG.RULE` (0 or 1), `failing.BUG.RULE` (how many tests detect the
/// bug), and `first.BUG` (position, from 1, of the first test that detects the bug by the last rule
/// that applies; -1 if there is none).
fn add_detection(
    metrics: &mut Metrics,
    subject: &Subject,
    configuration: &Configuration,
    tests: &[Vec<EventId>],
) -> Result<(), Stop> {
    let events = subject.model.program.events();
    for mut bug in detection::bugs(subject, &configuration.bugs)? {
        for &rule in &configuration.rules {
            if !bug.applies(rule) {
                continue;
            }
            let mut failing = Vec::new();
            for (number, test) in (1..).zip(tests) {
                if bug.detects(test, events, rule)? {
                    failing.push(number);
                }
            }
            let name = format!("{}.{}", bug.name, rule.name());
            metrics.count(format!("detected.{name}"), u64::from(!failing.is_empty()));
            metrics.count(format!("failing.{name}"), failing.len() as u64);
            let first = failing.first().copied().unwrap_or(-1_i64);
            metrics.0.insert(format!("first.{}", bug.name), first.into());
        }
    }
    Ok(())
}

/// The mutants are the requested faults of the model's built-in system.
fn mutants(
    subject: &Subject,
    mutation: &Mutation,
    tests: &[Vec<EventId>],
) -> Result<Vec<MutantRecord>, Stop> {
    let events = subject.model.program.events();
    let name = |&event: &EventId| events.get(event).name.clone();
    let mut mutants = Vec::new();
    for mut bug in detection::bugs(subject, &Bugs::All)? {
        let is_wanted = mutation.operators.is_empty() || mutation.operators.contains(&bug.name);
        if !is_wanted || !bug.applies(Rule::Replay) {
            continue;
        }
        let (mut killed_by, mut executions, mut covered) = (None, 0, false);
        for (number, test) in (0..).zip(tests) {
            executions += 1;
            covered |= bug.detects(test, events, Rule::Trigger)?;
            if bug.detects(test, events, Rule::Replay)? {
                killed_by = Some(number);
                break;
            }
        }
        let word: Vec<String> =
            bug.word().iter().map(|of| of.first().map(name).unwrap_or_default()).collect();
        mutants.push(MutantRecord {
            id: bug.name.clone(),
            operator: bug.name.clone(),
            location: vec![Level::new(SYSTEM, &*subject.model.name)],
            change: format!("triggered by {}", word.join(", ")),
            outcome: match (killed_by, covered) {
                (Some(_), _) => MutantOutcome::Killed,
                (None, true) => MutantOutcome::Survived,
                (None, false) => MutantOutcome::NotCovered,
            },
            killed_by,
            executions,
            duplicate_of: None,
        });
    }
    Ok(mutants)
}

/// The suite as a file that `catherd sequences coverage` and `test` read.
fn suite(
    subject: &Subject,
    configuration: &Configuration,
    rank: u64,
    tests: &[Vec<EventId>],
) -> String {
    let events = subject.model.program.events();
    let alphabet = match &configuration.pool.letters {
        Letters::Names => json!("names"),
        Letters::Events => json!("events"),
        Letters::Mapped(map) => {
            map.iter().cloned().collect::<BTreeMap<_, _>>().into_iter().collect()
        }
    };
    let tests: Vec<Vec<_>> =
        tests.iter().map(|test| test.iter().map(|&event| events.get(event)).collect()).collect();
    let suite = json!({
        "format": "catherd-sequences/1",
        "model": subject.model.name,
        "digest": subject.digest,
        "alphabet": alphabet,
        "criterion": configuration.criterion,
        "rank": rank,
        "tests": tests,
    });
    suite.to_string() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timeline_never_falls_and_ends_with_the_coverage_of_the_suite() {
        let point = |executions, covered| Improvement { executions, steps: 9, wall_ms: 0, covered };
        let improvements = [point(1, 3), point(2, 6), point(5, 4), point(9, 7)];
        let timeline = timeline(&improvements, 7);
        let seen: Vec<_> = timeline.iter().map(|point| (point.work[0], point.covered)).collect();
        assert_eq!(seen, [(1, 3), (2, 4), (9, 7)]);
    }
}
