//! Records of runs.

use std::collections::BTreeMap;
use std::time::Duration;

use catherd_experiments::{
    Criterion, Level, Metric, MutantOutcome, MutantRecord, Resources, RunRecord, RunSpec,
    SuiteSize, TimelinePoint,
};
use catherd_javascript_classes::Generated;
use catherd_javascript_classes::mutation::{self, MutationReport};
use serde_json::{Value, json};

use crate::{BRANCHES, EXECUTIONS, GOALS, LEVELS, STATEMENTS, STEPS};

pub(crate) fn work(executions: u64, steps: u64) -> BTreeMap<String, u64> {
    BTreeMap::from([(EXECUTIONS.to_owned(), executions), (STEPS.to_owned(), steps)])
}

pub(crate) fn of(spec: &RunSpec, generated: &Generated, wall: Duration) -> RunRecord {
    let mut metrics: BTreeMap<String, Metric> = BTreeMap::new();
    let mut count = |name: &str, number: u64| {
        metrics.insert(name.to_owned(), (number as i64).into());
    };
    let names = ["statements", "branches", "functions", "lines"];
    for (name, (covered, all)) in names.iter().zip(generated.coverage) {
        count(&format!("{name}.covered"), covered as u64);
        count(&format!("{name}.all"), all as u64);
    }
    let parameters = &generated.parameters;
    let unsure = parameters.iter().filter(|parameter| parameter.unsure).count();
    let unknown = parameters.iter().filter(|parameter| parameter.type_.is_none()).count();
    count("classes", generated.classes as u64);
    count("dynamic", u64::from(generated.dynamic));
    count("targets", generated.targets as u64);
    count("parameters", parameters.len() as u64);
    count("parameters.unsure", unsure as u64);
    count("parameters.inaccessible", unknown as u64);
    count("uses", parameters.iter().map(|parameter| parameter.uses).sum());
    count("traps", generated.counts.traps);
    count("inference.tests", generated.counts.inference_tests);
    count("failures", generated.counts.failures);
    count("loads", generated.loads);
    count("flaky", generated.flaky as u64);
    for (limit, executions) in &generated.counts.limits {
        count(&format!("limit.{limit}.executions"), *executions);
    }
    for (name, covered, all) in &generated.methods {
        count(&format!("method.{name}.covered"), *covered as u64);
        count(&format!("method.{name}.all"), *all as u64);
    }
    let timeline = generated.timeline.iter().map(|point| TimelinePoint {
        work: vec![point.executions, point.steps],
        wall_ms: point.elapsed.as_millis() as u64,
        covered: point.covered as u32,
    });
    let suite = &generated.suite;
    let results = generated.results.iter();
    let results = results.map(|(name, results)| json!({"target": name, "types": results.types}));
    let results: Vec<Value> = results.collect();
    let types = json!({"format": 1, "parameters": parameters, "results": results});
    let failures: Vec<String> =
        generated.failures.iter().map(|failure| format!("{}\n", failure.to_json())).collect();
    let milliseconds = wall.as_millis() as u64;
    RunRecord {
        reason: if generated.goals.is_empty() { "no-goals" } else { "" }.to_owned(),
        work: work(generated.work.0, generated.work.1),
        timeline: timeline.collect(),
        suite: SuiteSize {
            tests: suite.tests.len() as u32,
            size: suite.tests.iter().map(|test| test.statements.len() as u32).sum(),
            unit: STATEMENTS.to_owned(),
            removed: generated.removed as u32,
        },
        metrics,
        artifacts: BTreeMap::from([
            ("suite.json".to_owned(), suite.to_json()),
            ("types.json".to_owned(), format!("{types:#}\n")),
            ("failures.jsonl".to_owned(), failures.concat()),
        ]),
        resources: Resources {
            wall_ms: milliseconds,
            search_ms: milliseconds,
            ..Resources::default()
        },
        ..RunRecord::new(
            spec,
            vec![
                Criterion {
                    name: GOALS.to_owned(),
                    goals: generated.goals.len() as u32,
                    covered: generated.covered.clone(),
                },
                Criterion {
                    name: BRANCHES.to_owned(),
                    goals: generated.branches.0,
                    covered: generated.branches.1.clone(),
                },
            ],
        )
    }
}

pub(crate) fn add_mutants(record: &mut RunRecord, report: &MutationReport) {
    let mutants = report.results.iter().map(|result| {
        let mutant = &result.mutant;
        let (line, column) = mutant.position;
        MutantRecord {
            id: result.id.clone(),
            operator: mutant.operator.name().to_owned(),
            location: vec![
                Level::new(LEVELS[0], &*result.file),
                Level::new(LEVELS[1], &*mutant.function),
                Level::new(LEVELS[2], format!("{line}:{column}")),
            ],
            change: result.change.clone(),
            outcome: match result.outcome {
                mutation::MutantOutcome::Killed => MutantOutcome::Killed,
                mutation::MutantOutcome::Survived => MutantOutcome::Survived,
                mutation::MutantOutcome::Limit => MutantOutcome::Limit,
                mutation::MutantOutcome::NotCovered => MutantOutcome::NotCovered,
            },
            killed_by: result.killed_by.map(|test| test as u32),
            executions: result.executions,
            duplicate_of: None,
        }
    });
    record.mutants = mutants.collect();
    let mut count = |name: &str, number: usize| {
        record.metrics.insert(name.to_owned(), (number as i64).into());
    };
    count("falsePositiveTests", report.left_out.len());
    count("mutants.unloadable", report.unloadable);
}
