//! Records of runs.

use std::collections::BTreeMap;
use std::time::Duration;

use catherd_experiments::{
    Criterion, Level, Metric, MutantOutcome, MutantRecord, Resources, RunRecord, RunSpec,
    SuiteSize, TimelinePoint,
};
use catherd_scratch_mutation::{self as mutation, Analysis, MutantResult, Tests};
use catherd_scratch_suite::Reliability;
use catherd_scratch_testgen::{End, Generated};

use crate::info::{BLOCKS, EVENTS, EXECUTIONS, LEVELS, STEPS, SUITE};

/// The time of the whole run is set later.
pub(crate) fn of(spec: &RunSpec, generated: &Generated, search: Duration) -> RunRecord {
    let counts = &generated.counts;
    let reason = match generated.end {
        End::NothingToCover => "no block that a test could cover",
        End::NoInput | End::Search(_) => "",
    };
    let mut metrics: BTreeMap<String, Metric> =
        counts.named().map(|(name, count)| (name.to_owned(), (count as i64).into())).collect();
    for (limit, count) in generated.limits.iter() {
        let mut insert = |what: &str, n: u64| {
            metrics.insert(format!("limit.{}.{what}", limit.name()), (n as i64).into());
        };
        insert("executions", count.executions);
        insert("times", count.times);
        insert("earliestStep", count.earliest);
    }
    if !generated.unstable.is_empty() {
        metrics.insert("unstableTests".to_owned(), (generated.unstable.len() as i64).into());
    }
    let timeline = generated.timeline.iter().map(|point| TimelinePoint {
        // The units of work are in alphabetical order.
        work: vec![point.executions, point.steps],
        wall_ms: point.elapsed.as_millis() as u64,
        covered: point.covered as u32,
    });
    let blocks = Criterion {
        name: BLOCKS.to_owned(),
        goals: generated.goals,
        covered: generated.covered.clone(),
    };
    RunRecord {
        reason: reason.to_owned(),
        work: BTreeMap::from([
            (EXECUTIONS.to_owned(), counts.executions),
            (STEPS.to_owned(), counts.steps),
        ]),
        timeline: timeline.collect(),
        suite: SuiteSize {
            tests: counts.suite_tests as u32,
            size: counts.suite_events as u32,
            unit: EVENTS.to_owned(),
            removed: counts.minimised_events as u32,
        },
        metrics,
        artifacts: BTreeMap::from([(SUITE.to_owned(), generated.suite.to_json())]),
        resources: Resources { search_ms: search.as_millis() as u64, ..Resources::default() },
        ..RunRecord::new(spec, vec![blocks])
    }
}

pub(crate) fn add_counts(record: &mut RunRecord, counts: &[(&'static str, u64)]) {
    for &(name, count) in counts {
        record.metrics.insert(name.to_owned(), (count as i64).into());
    }
}

/// The metrics are shares of the goals, except `seeds` and `chance`. `reliable.N` is the share that
/// a single test covers under at least N tenths of the seeds.
pub(crate) fn add_reliability(record: &mut RunRecord, first: &str, reliability: &Reliability) {
    let goals = reliability.goals();
    let share = |covered: f64| if goals == 0 { 1.0 } else { covered / goals as f64 };
    let mut insert = |name: &str, metric: Metric| {
        record.metrics.insert(format!("{first}.{name}"), metric);
    };
    insert("seeds", (reliability.seeds() as i64).into());
    insert("seeded", Metric::Number(share(reliability.seeded() as f64)));
    insert("expected", Metric::Number(share(reliability.expected())));
    insert("robust", Metric::Number(share(reliability.robust() as f64)));
    insert("chance", (reliability.chance() as i64).into());
    for tenths in 1..=10 {
        let reliable = reliability.reliable(f64::from(tenths) / 10.0);
        insert(&format!("reliable.{tenths}"), Metric::Number(share(reliable as f64)));
    }
}

/// Adds the results of the mutants to a record.
pub fn add_mutants<T: Tests>(
    record: &mut RunRecord,
    analysis: &Analysis<T>,
    results: &[MutantResult<T::Failure>],
) {
    let names: Vec<_> =
        analysis.mutants().iter().map(|mutant| mutant.name(analysis.project())).collect();
    let duplicates = mutation::duplicates(results);
    let mutants = analysis.mutants().iter().zip(results).zip(duplicates).zip(&names);
    let mutants = mutants.map(|(((mutant, result), original), name)| MutantRecord {
        id: name.id.clone(),
        operator: mutant.operator.name().to_owned(),
        location: vec![
            Level::new(LEVELS[0], name.target.to_string()),
            Level::new(LEVELS[1], name.script.to_string()),
            Level::new(LEVELS[2], name.block.to_string()),
        ],
        change: name.change.clone(),
        outcome: match result.outcome {
            mutation::MutantOutcome::Killed => MutantOutcome::Killed,
            mutation::MutantOutcome::Survived => MutantOutcome::Survived,
            mutation::MutantOutcome::Limit => MutantOutcome::Limit,
            mutation::MutantOutcome::NotCovered => MutantOutcome::NotCovered,
            mutation::MutantOutcome::Equivalent => MutantOutcome::Equivalent,
        },
        killed_by: result.kills.first().map(|kill| kill.test),
        executions: result.executions,
        duplicate_of: original.map(|original| names[original].id.clone()),
    });
    record.mutants = mutants.collect();
    let false_positives = analysis.false_positives().len() as i64;
    record.metrics.insert("falsePositiveTests".to_owned(), false_positives.into());
}
