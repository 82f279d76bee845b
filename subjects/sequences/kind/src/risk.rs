//! The `risk` algorithm: executes the tests of a pool one after another on a faulty system, and
//! accumulates evidence about each item (Elyasaf et al., section 6).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::ops::ControlFlow;

use catherd_experiments::{Criterion, RunRecord, RunSpec, SuiteSize, TimelinePoint};
use catherd_sequences_testing::Pool;
use catherd_sequences_testing::risk::{Beta, Orientation};

use crate::configuration::{Configuration, Rule};
use crate::detection;
use crate::info::{EVENTS, EXECUTIONS, ITEMS, STEPS, work};
use crate::record::Metrics;
use crate::search::{Watch, positions};
use crate::subject::{Stop, Subject};

/// Name of the table of evidence among the artifacts.
const TABLE: &str = "risk.csv";

/// The evidence about the items after a number of tests.
struct Checkpoint {
    tests: u64,
    /// Counts of passed and failed tests for each column of the matrix.
    evidence: Vec<(u32, u32)>,
}

/// Whether a number is 1, 2 or 5 times a power of ten.
fn is_checkpoint(tests: u64) -> bool {
    let mut rest = tests;
    while rest >= 10 && rest.is_multiple_of(10) {
        rest /= 10;
    }
    matches!(rest, 1 | 2 | 5)
}

pub(crate) fn run(
    subject: &mut Subject,
    spec: &RunSpec,
    configuration: &Configuration,
    (rule, keep, repeats): (Rule, u64, bool),
    watch: &mut Watch<'_>,
) -> Result<RunRecord, Stop> {
    let goals = subject.items(&configuration.goals, configuration)?;
    let own = subject.items(&configuration.criterion, configuration)?;
    let mut go_on = || match watch.report(0, 0, 0, 0) {
        ControlFlow::Break(()) => Err(Stop::Asked),
        ControlFlow::Continue(()) => Ok(()),
    };
    let steps = spec.budget.limit(STEPS);
    let pool = subject.pool(configuration, spec.seed, steps, &mut go_on)?;
    let matrix = subject.matrix(&pool, &own, &mut go_on)?;
    let goals_matrix = subject.matrix(&pool, &goals, &mut go_on)?;
    let mut bugs = detection::bugs(subject, &configuration.bugs)?;
    bugs.retain(|bug| bug.applies(rule));
    let events = subject.model.program.events();
    let items = matrix.items();
    let reachable = goals.reachable.clone().unwrap_or_else(|| goals_matrix.items().to_vec());
    let all = if repeats { pool.pool.walks.len() } else { matrix.tests() };
    let most = spec.budget.limit(EXECUTIONS).unwrap_or(u64::MAX).min(all as u64);

    let mut evidence = vec![(0_u32, 0_u32); items.len()];
    let (mut checkpoints, mut timeline) = (Vec::new(), Vec::new());
    let (mut covered, mut failures, mut executed) = (BTreeSet::new(), 0, 0);
    // Walks with the same letters are one test of the pool, which is executed only once.
    let mut verdicts: Vec<Option<bool>> = vec![None; matrix.tests()];
    for number in 0..most as usize {
        let test = if repeats { pool.pool.walks[number] as usize } else { number };
        let fails = match verdicts[test] {
            Some(fails) => fails,
            None => {
                let sequence = pool.pool.tests.test(test);
                let mut fails = false;
                for bug in &mut bugs {
                    fails |= bug.detects(&sequence, events, rule)?;
                }
                fails
            }
        };
        verdicts[test] = Some(fails);
        failures += u64::from(fails);
        for item in matrix.items_of(test) {
            let Ok(column) = items.binary_search(&item) else { continue };
            let (passed, failed) = &mut evidence[column];
            if fails { *failed += 1 } else { *passed += 1 }
        }
        let before = covered.len();
        covered.extend(positions(&goals_matrix.items_of(test), &reachable));
        executed = number as u64 + 1;
        if covered.len() > before || executed == 1 {
            timeline.push(TimelinePoint {
                work: vec![executed, pool.pool.steps as u64],
                wall_ms: watch.start.elapsed().as_millis() as u64,
                covered: covered.len() as u32,
            });
        }
        if is_checkpoint(executed) || executed == most {
            checkpoints.push(Checkpoint { tests: executed, evidence: evidence.clone() });
        }
        if executed.is_multiple_of(1024) {
            let on = watch.report(
                executed,
                pool.pool.steps as u64,
                covered.len() as u32,
                reachable.len() as u32,
            );
            if on.is_break() {
                break;
            }
        }
    }

    let mut metrics = Metrics::default();
    metrics.count("goals.exact", u64::from(goals.reachable.is_some()));
    let Pool { drawn, cut, .. } = *pool.pool;
    metrics.pool([drawn, pool.pool.len(), cut].map(|count| count as u64));
    metrics.count("risk.failures", failures);
    metrics.count("risk.seen", evidence.iter().filter(|(p, f)| p + f > 0).count() as u64);
    add_variances(&mut metrics, &checkpoints, &evidence, keep);
    let alphabet = subject.alphabet(&configuration.pool.letters)?;
    let names: Vec<String> =
        items.iter().map(|&item| own.criterion.item_name(item, &alphabet)).collect();
    let criterion = Criterion {
        name: ITEMS.to_owned(),
        goals: reachable.len() as u32,
        covered: covered.into_iter().collect(),
    };
    let reason = if reachable.is_empty() { "no item that a trace could cover" } else { "" };
    Ok(RunRecord {
        reason: reason.to_owned(),
        work: work(executed, pool.pool.steps as u64),
        timeline,
        suite: SuiteSize { unit: EVENTS.to_owned(), ..SuiteSize::default() },
        metrics: metrics.0,
        artifacts: BTreeMap::from([(TABLE.to_owned(), table(&checkpoints, &names))]),
        ..RunRecord::new(spec, vec![criterion])
    })
}

fn beta((passed, failed): (u32, u32)) -> Beta {
    Beta::new(f64::from(passed), f64::from(failed), Orientation::Risk)
}

/// Adds quantiles of the variances of the items that at least `keep` tests cover in the end.
fn add_variances(metrics: &mut Metrics, checkpoints: &[Checkpoint], end: &[(u32, u32)], keep: u64) {
    let is_kept = |&(passed, failed): &(u32, u32)| u64::from(passed) + u64::from(failed) >= keep;
    metrics.count("risk.kept", end.iter().filter(|evidence| is_kept(evidence)).count() as u64);
    for checkpoint in checkpoints {
        let both = checkpoint.evidence.iter().zip(end);
        let kept = both.filter(|(_, end)| is_kept(end));
        let mut variances: Vec<f64> = kept.map(|(now, _)| beta(*now).variance()).collect();
        variances.sort_by(f64::total_cmp);
        let Some(last) = variances.len().checked_sub(1) else { return };
        let tests = checkpoint.tests;
        metrics.number(format!("risk.variance.max.{tests}"), variances[last]);
        metrics.number(format!("risk.variance.p90.{tests}"), variances[last * 9 / 10]);
        metrics.number(format!("risk.variance.median.{tests}"), variances[last / 2]);
    }
}

fn table(checkpoints: &[Checkpoint], names: &[String]) -> String {
    let mut text = "tests,item,alpha,beta,mean,variance\n".to_owned();
    for checkpoint in checkpoints {
        for (name, &evidence) in names.iter().zip(&checkpoint.evidence) {
            let beta = beta(evidence);
            let _ = writeln!(
                text,
                "{},\"{}\",{},{},{},{}",
                checkpoint.tests,
                name.replace('"', "\"\""),
                beta.alpha,
                beta.beta,
                beta.mean(),
                beta.variance()
            );
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checkpoints_are_one_two_and_five_times_powers_of_ten() {
        let found: Vec<u64> = (1..=2000).filter(|&tests| is_checkpoint(tests)).collect();
        assert_eq!(found, [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000]);
    }

    #[test]
    fn variances_are_of_the_items_with_enough_tests_in_the_end() {
        let end = [(10, 0), (2, 0)];
        let checkpoints = [Checkpoint { tests: 5, evidence: vec![(4, 1), (1, 0)] }];
        let mut metrics = Metrics::default();
        add_variances(&mut metrics, &checkpoints, &end, 10);
        assert_eq!(metrics.0["risk.kept"], 1_i64.into());
        let variance = metrics.0["risk.variance.max.5"].value();
        assert!((variance - 2.0 * 5.0 / (49.0 * 8.0)).abs() < 1e-15, "{variance}");
    }
}
