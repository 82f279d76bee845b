//! Suites: tests with regression assertions, their format, and what they cover.

use catherd_javascript_machine::{ExecuteOptions, Execution, Outcome, Statement};
use serde_json::{Value, json};

use crate::building::Genes;
use crate::problem::Subject;

/// A test of a suite.
#[derive(Clone, Debug, PartialEq)]
pub struct SuiteTest {
    /// Numbers of the goals for which it was kept.
    pub goals: Vec<usize>,
    /// Its statements.
    pub statements: Vec<Statement>,
    /// What is expected of each statement: its value as data, `{"throws": ...}`,
    /// `{"rejects": ...}`, or `null` if nothing is.
    pub assertions: Vec<Value>,
}

/// A suite.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Suite {
    /// Digest of the project.
    pub project: String,
    /// The algorithm.
    pub algorithm: String,
    /// The seed.
    pub seed: u64,
    /// The file that tests load.
    pub entry: String,
    /// The tests.
    pub tests: Vec<SuiteTest>,
}

impl Suite {
    /// The suite as JSON (format 1). `goals` are the names by number.
    pub fn to_json(&self, engine: &str, goals: &[String]) -> String {
        let tests = self.tests.iter().map(|test| {
            let names: Vec<&String> =
                test.goals.iter().filter_map(|goal| goals.get(*goal)).collect();
            let statements: Vec<Value> = test.statements.iter().map(Statement::to_json).collect();
            json!({"goals": names, "statements": statements, "assertions": test.assertions})
        });
        let suite = json!({
            "format": 1, "subject": "javascript", "engine": engine, "project": self.project,
            "algorithm": self.algorithm, "seed": self.seed, "entry": self.entry,
            "tests": tests.collect::<Vec<_>>(),
        });
        format!("{suite:#}\n")
    }
}

/// The assertions of an execution with results.
fn assertions(execution: &Execution, length: usize) -> Vec<Value> {
    let mut all: Vec<Value> = execution.observed.clone();
    if let Outcome::Threw { thrown, rejected } = &execution.outcome {
        let key = if *rejected { "rejects" } else { "throws" };
        let mut assertion = json!({key: thrown.name, "message": thrown.message});
        if thrown.name.is_empty() {
            assertion["value"] = thrown.value.clone();
        }
        all.push(assertion);
    }
    all.resize(length, Value::Null);
    all
}

/// Executes tests three times under different seeds; what differs is asserted nowhere. Tests are cut
/// after the statement that throws. Returns the number of flaky tests as well.
pub(crate) fn with_assertions(
    subject: &mut Subject,
    tests: Vec<(Genes, Vec<usize>)>,
) -> (Vec<SuiteTest>, usize) {
    let (mut suite, mut flaky) = (Vec::new(), 0);
    for (genes, goals) in tests {
        let mut statements = genes.statements;
        let mut seen: Vec<Vec<Value>> = Vec::new();
        for repetition in 0..3 {
            let seed = subject.seed.wrapping_add(repetition);
            let options = ExecuteOptions { infer: false, observe: true, seed };
            match subject.machine.execute(&statements, options) {
                Ok(execution) => {
                    if repetition == 0 && execution.outcome != Outcome::Passed {
                        statements.truncate(execution.ended + 1);
                    }
                    seen.push(assertions(&execution, statements.len()));
                }
                Err(error) => {
                    subject.error = Some(error);
                    return (suite, flaky);
                }
            }
        }
        let stable = |index: usize| seen.iter().all(|each| each.get(index) == seen[0].get(index));
        let mut differs = false;
        let assertions = (0..statements.len()).map(|index| {
            if stable(index) {
                return seen[0].get(index).cloned().unwrap_or(Value::Null);
            }
            differs = true;
            Value::Null
        });
        let assertions: Vec<Value> = assertions.collect();
        flaky += usize::from(differs);
        suite.push(SuiteTest { goals, statements, assertions });
    }
    (suite, flaky)
}

/// Coverage of a suite as Istanbul counts it, loading included: covered and all statements,
/// branches, functions and lines.
pub(crate) fn coverage(subject: &mut Subject, tests: &[SuiteTest]) -> [(usize, usize); 4] {
    let units = &subject.program.units;
    let locations: Vec<_> =
        units.branches.iter().flat_map(|branch| branch.locations.clone()).collect();
    let mut statements = vec![false; units.statements.len()];
    let mut branches = vec![false; locations.len()];
    let mut functions = vec![false; units.functions.len()];
    let empty = SuiteTest { goals: Vec::new(), statements: Vec::new(), assertions: Vec::new() };
    for test in std::iter::once(&empty).chain(tests) {
        let options = ExecuteOptions { seed: subject.seed, ..ExecuteOptions::default() };
        let Ok(execution) = subject.machine.execute(&test.statements, options) else { break };
        let counted = |counter: u32| execution.counters[counter as usize] > 0;
        for (covered, statement) in statements.iter_mut().zip(&units.statements) {
            *covered |= counted(statement.counter);
        }
        for (covered, hit) in branches.iter_mut().zip(&locations) {
            *covered |= execution.hits(*hit);
        }
        for (covered, function) in functions.iter_mut().zip(&units.functions) {
            *covered |= counted(function.counter);
        }
    }
    let count = |covered: &[bool]| covered.iter().filter(|is| **is).count();
    let mut lines = std::collections::BTreeMap::new();
    for (covered, statement) in statements.iter().zip(&units.statements) {
        *lines.entry((statement.file, statement.line)).or_insert(false) |= covered;
    }
    let counted: Vec<bool> = functions
        .iter()
        .zip(&units.functions)
        .filter(|(_, function)| function.counted)
        .map(|(covered, _)| *covered)
        .collect();
    [
        (count(&statements), statements.len()),
        (count(&branches), branches.len()),
        (count(&counted), counted.len()),
        (lines.values().filter(|is| **is).count(), lines.len()),
    ]
}
