//! Suites: tests with regression assertions, their format, and their verdicts.

use catherd_javascript_machine::{
    ExecuteOptions, Execution, Machine, MachineError, Operation, Program, Statement, TestOutcome,
};
use serde_json::{Value, json};

use crate::minimisation::Kept;
use crate::problem::Subject;

/// A test of a suite.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SuiteTest {
    /// Names of the goals for which the test was kept.
    pub goals: Vec<String>,
    /// The statements.
    pub statements: Vec<Statement>,
    /// The expected result of each statement: a value as data, `{"throws": ...}`, `{"rejects":
    /// ...}`, `{"flaky": true}`, or `null` if only the absence of an exception is expected.
    pub assertions: Vec<Value>,
    /// The state of each variable after the last statement as data; `null` if it is not asserted.
    pub after: Vec<Value>,
    /// The limit that ended the test after these statements, or the kind of unfinished work of the
    /// test ([`Execution::stray`]); may be empty.
    pub limit: String,
    /// The values that code asserts; `None` if they were not chosen.
    pub shown: Option<Vec<ShownValue>>,
    /// Number of the call that the test shows; `None` for the last statement.
    pub focus: Option<usize>,
}

/// A value, or a part of a value, that code asserts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownValue {
    /// Number of the statement.
    pub index: usize,
    /// Whether the value is the state of the variable after the last statement, rather than the
    /// result of the statement.
    pub at_end: bool,
    /// The code that follows the name of the value, such as `.size`; empty for the value itself.
    pub part: String,
}

/// A suite.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Suite {
    /// The engine id of the version that generated the suite.
    pub engine: String,
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

/// Error for a string that is not a suite for JavaScript.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SuiteError {
    /// The string is not JSON.
    #[error("not a suite: {0}")]
    Json(String),
    /// The suite is for another kind of subject, or in another format.
    #[error("not a suite of format 1 for JavaScript")]
    Format,
    /// A test cannot be read.
    #[error("test {0} cannot be read")]
    Test(usize),
}

impl Suite {
    /// The suite as JSON (format 1).
    pub fn to_json(&self) -> String {
        let tests = self.tests.iter().map(|test| {
            let statements: Vec<Value> = test.statements.iter().map(Statement::to_json).collect();
            let mut value = json!({
                "goals": test.goals, "statements": statements, "assertions": test.assertions,
                "after": test.after,
            });
            if !test.limit.is_empty() {
                value["limit"] = json!(test.limit);
            }
            value
        });
        let suite = json!({
            "format": 1, "subject": "javascript", "engine": self.engine, "project": self.project,
            "algorithm": self.algorithm, "seed": self.seed, "entry": self.entry,
            "tests": tests.collect::<Vec<_>>(),
        });
        format!("{suite:#}\n")
    }

    /// Reads a suite.
    ///
    /// # Errors
    ///
    /// If the string is not a suite of this kind.
    pub fn from_json(text: &str) -> Result<Suite, SuiteError> {
        let value: Value =
            serde_json::from_str(text).map_err(|error| SuiteError::Json(error.to_string()))?;
        if value["format"] != 1 || value["subject"] != "javascript" {
            return Err(SuiteError::Format);
        }
        let word = |key: &str| value[key].as_str().unwrap_or("").to_owned();
        let tests = value["tests"].as_array().ok_or(SuiteError::Format)?;
        let tests = tests
            .iter()
            .enumerate()
            .map(|(number, test)| SuiteTest::from_json(test).ok_or(SuiteError::Test(number)));
        Ok(Suite {
            engine: word("engine"),
            project: word("project"),
            algorithm: word("algorithm"),
            seed: value["seed"].as_u64().unwrap_or(0),
            entry: word("entry"),
            tests: tests.collect::<Result<_, _>>()?,
        })
    }
}

impl SuiteTest {
    fn from_json(value: &Value) -> Option<SuiteTest> {
        let list = |key: &str| value.get(key).and_then(Value::as_array);
        let statements: Vec<Statement> =
            list("statements")?.iter().map(Statement::from_json).collect::<Option<_>>()?;
        // A statement uses only variables before it.
        let ordered = statements.iter().enumerate().all(|(number, statement)| {
            statement.variables().iter().all(|variable| *variable < number)
        });
        let mut assertions = list("assertions").cloned().unwrap_or_default();
        let mut after = list("after").cloned().unwrap_or_default();
        assertions.resize(statements.len(), Value::Null);
        after.resize(statements.len(), Value::Null);
        let names = list("goals").into_iter().flatten();
        ordered.then(|| SuiteTest {
            goals: names.filter_map(|name| name.as_str().map(str::to_owned)).collect(),
            statements,
            assertions,
            after,
            limit: value["limit"].as_str().unwrap_or("").to_owned(),
            shown: None,
            focus: None,
        })
    }
}

/// Milliseconds between the virtual times at which a test is executed: a year, 32 days, 7 hours,
/// 13 minutes and 41.123 seconds, so that every field of a date differs between executions.
const LATER: f64 = 34_326_821_123.0;

/// Errors of the language and of the module `assert`, whose messages differ between engines.
pub(crate) const OF_THE_LANGUAGE: [&str; 8] = [
    "TypeError",
    "RangeError",
    "ReferenceError",
    "SyntaxError",
    "EvalError",
    "URIError",
    "InternalError",
    "AssertionError",
];

/// The observed result of each statement. The message of a built-in error counts only if it is a
/// string of the program, because other messages differ between engines.
pub(crate) fn seen(program: &Program, execution: &Execution, length: usize) -> Vec<Value> {
    let mut all: Vec<Value> = execution.observed.clone();
    if let TestOutcome::Threw { thrown, rejected } = &execution.outcome {
        let key = if *rejected { "rejects" } else { "throws" };
        let mut assertion = json!({key: thrown.name});
        if thrown.name.is_empty() {
            assertion["value"] = thrown.value.clone();
        } else if !OF_THE_LANGUAGE.contains(&thrown.name.as_str())
            || program.units.texts.contains_key(&thrown.message)
        {
            assertion["message"] = json!(thrown.message);
        }
        all.push(assertion);
    }
    all.resize(length, Value::Null);
    all
}

/// Changes the assertions of a test to the values that another engine has shown. Returns how many
/// assertions were changed.
pub fn adopt(test: &mut SuiteTest, values: &Value, after: &Value) -> usize {
    let shown = values.as_array().map_or(&[][..], Vec::as_slice);
    let mut changed = 0;
    for (expected, got) in test.assertions.iter_mut().zip(shown) {
        let threw = got.get("throws").or_else(|| got.get("rejects")).and_then(Value::as_str);
        let same = match expected {
            Value::Null => threw.is_none(),
            _ if expected.get("flaky").is_some() => threw.is_none(),
            _ => holds(expected, got),
        };
        if same {
            continue;
        }
        changed += 1;
        *expected = got.clone();
        // The message of an error of the language comes from the engine.
        if threw.is_some_and(|name| OF_THE_LANGUAGE.contains(&name))
            && let Some(members) = expected.as_object_mut()
        {
            members.remove("message");
        }
    }
    test.statements.truncate(shown.len());
    test.assertions.truncate(shown.len());
    test.after.truncate(shown.len());
    for (index, expected) in test.after.iter_mut().enumerate().filter(|(_, state)| !state.is_null())
    {
        let got = after.get(index).cloned().unwrap_or(Value::Null);
        if *expected != got {
            changed += 1;
            *expected = got;
        }
    }
    changed
}

/// The verdict on a test.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// All assertions hold.
    Passed,
    /// An assertion does not hold.
    Failed {
        /// Number of the statement.
        statement: usize,
        /// The expected result.
        expected: Value,
        /// The actual result.
        got: Value,
    },
    /// A limit ended the test early, and all assertions before it hold.
    Limit(&'static str),
}

/// Whether a result is as expected. An error may have fields that the expectation does not have.
fn holds(expected: &Value, got: &Value) -> bool {
    match (expected.as_object(), got.as_object()) {
        (Some(expected), Some(got))
            if expected.contains_key("throws") || expected.contains_key("rejects") =>
        {
            expected.iter().all(|(key, value)| got.get(key) == Some(value))
        }
        _ => expected == got,
    }
}

/// Executes a test and checks its assertions.
///
/// # Errors
/// If the machine cannot continue.
pub fn check(
    program: &Program,
    machine: &mut Machine,
    test: &SuiteTest,
    options: ExecuteOptions,
) -> Result<(Verdict, Execution), MachineError> {
    let options = ExecuteOptions { infer: false, observe: true, ..options };
    let execution = machine.execute(&test.statements, options)?;
    let count = test.statements.len();
    let got = seen(program, &execution, count);
    let threw = matches!(execution.outcome, TestOutcome::Threw { .. });
    let executed = (execution.ended + usize::from(threw)).min(count);
    let failed = |statement: usize, expected: &Value, got: &Value| Verdict::Failed {
        statement,
        expected: expected.clone(),
        got: got.clone(),
    };
    for index in 0..executed {
        let (expected, got) = (&test.assertions[index], &got[index]);
        let flaky = expected.get("flaky").is_some();
        let ends = threw && index == execution.ended;
        if flaky && ends {
            return Ok((Verdict::Passed, execution));
        }
        let unexpected = expected.is_null() && ends;
        if unexpected || !flaky && !expected.is_null() && !holds(expected, got) {
            return Ok((failed(index, expected, got), execution));
        }
    }
    if let TestOutcome::Limit(name) = execution.outcome
        && (execution.ended < count || test.limit.is_empty())
    {
        return Ok((Verdict::Limit(name), execution));
    }
    for (index, expected) in test.after.iter().enumerate().filter(|(_, value)| !value.is_null()) {
        let got = execution.after.get(index).unwrap_or(&Value::Null);
        if expected != got {
            return Ok((failed(index, expected, got), execution));
        }
    }
    Ok((Verdict::Passed, execution))
}

/// Adds assertions to tests. Returns known executions and the number of flaky tests as well.
pub(crate) fn with_assertions(
    subject: &mut Subject,
    tests: Vec<Kept>,
    names: &[String],
) -> (Vec<SuiteTest>, Vec<Option<Execution>>, usize) {
    let (mut suite, mut known, mut flaky) = (Vec::new(), Vec::new(), 0);
    for Kept { genes, goals, execution: last } in tests {
        if subject.begin(&genes.targets) {
            *subject.counts.limits.entry("crash").or_default() += 1;
            continue;
        }
        let length = genes.statements.len();
        let mut test = SuiteTest {
            goals: goals.iter().filter_map(|goal| names.get(*goal).cloned()).collect(),
            statements: genes.statements,
            ..SuiteTest::default()
        };
        let observed =
            match observe(&subject.program, &mut subject.machine, &mut test, subject.seed) {
                Ok(observed) => observed,
                Err(error) => {
                    subject.error = Some(error);
                    return (suite, known, flaky);
                }
            };
        if test.statements.is_empty() {
            continue;
        }
        flaky += usize::from(observed.flaky);
        known.push(last.filter(|_| test.statements.len() == length && test.limit.is_empty()));
        suite.push(test);
    }
    (suite, known, flaky)
}

pub(crate) struct Observed {
    /// The first execution; `None` if a limit ended it.
    pub(crate) execution: Option<Execution>,
    /// Whether results differ between executions.
    pub(crate) flaky: bool,
    /// The steps of all executions, and the work for showing values.
    pub(crate) work: u64,
}

/// Work of showing one value or member, in steps.
const SHOWING: u64 = 5;

/// Executes a test, up to three times, and fills in its assertions. The test is cut after a
/// statement that throws and before one that a limit ends.
///
/// # Errors
/// If the machine cannot continue.
pub(crate) fn observe(
    program: &Program,
    machine: &mut Machine,
    test: &mut SuiteTest,
    seed: u64,
) -> Result<Observed, MachineError> {
    let mut executions: Vec<Seen> = Vec::new();
    let mut first = None;
    let mut work: u64 = 0;
    for repetition in 0..3_u32 {
        let options = ExecuteOptions {
            observe: true,
            seed: seed.wrapping_add(u64::from(repetition)),
            later: f64::from(repetition) * LATER,
            ..ExecuteOptions::default()
        };
        let execution = machine.execute(&test.statements, options)?;
        let values = execution.observed.iter().chain(&execution.after);
        let shown = values.map(size).fold(0, u64::saturating_add);
        work = work.saturating_add(execution.steps).saturating_add(shown.saturating_mul(SHOWING));
        if repetition == 0 {
            cut(test, &execution);
        }
        if test.limit.is_empty() {
            test.limit = execution.stray.to_owned();
        }
        let mut after = execution.after.clone();
        after.resize(test.statements.len(), Value::Null);
        let values = seen(program, &execution, test.statements.len());
        executions.push(Seen { values, after });
        let repeatable = execution.repeatable;
        first.get_or_insert(execution);
        if repeatable {
            break;
        }
    }
    let flaky = !test.statements.is_empty() && asserted(test, &executions);
    let execution = first.filter(|first| !matches!(first.outcome, TestOutcome::Limit(_)));
    Ok(Observed { execution, flaky, work })
}

/// Number of values in a value, including itself.
fn size(value: &Value) -> u64 {
    match value {
        Value::Array(items) => 1 + items.iter().map(size).sum::<u64>(),
        Value::Object(members) => 1 + members.values().map(size).sum::<u64>(),
        _ => 1,
    }
}

pub(crate) fn is_error(expected: &Value) -> bool {
    expected.get("throws").is_some() || expected.get("rejects").is_some()
}

fn cut(test: &mut SuiteTest, execution: &Execution) {
    match &execution.outcome {
        TestOutcome::Passed => {}
        TestOutcome::Threw { .. } => test.statements.truncate(execution.ended + 1),
        TestOutcome::Limit(name) => {
            if execution.ended == test.statements.len() {
                test.limit = (*name).to_owned();
            }
            test.statements.truncate(execution.ended);
        }
    }
    for (index, statement) in test.statements.iter_mut().enumerate() {
        statement.awaits = execution.awaited.get(index).copied().unwrap_or(false);
    }
}

struct Seen {
    values: Vec<Value>,
    after: Vec<Value>,
}

/// Returns whether executions differ.
fn asserted(test: &mut SuiteTest, executions: &[Seen]) -> bool {
    let Some(first) = executions.first() else { return false };
    let stable = |index: usize| {
        executions.iter().all(|each| {
            each.values.get(index) == first.values.get(index)
                && each.after.get(index) == first.after.get(index)
        })
    };
    let mut differs = false;
    for (index, statement) in test.statements.iter().enumerate() {
        let value = first.values.get(index).cloned().unwrap_or(Value::Null);
        let is_new = statement.operation == Operation::New;
        let instance = is_new && value.get("object").is_some_and(Value::is_string);
        let is_value = statement.operation == Operation::Value;
        let same = stable(index);
        differs |= !same;
        let asserts_state = (instance || is_value) && same && test.limit.is_empty();
        let state = first.after.get(index).filter(|_| asserts_state);
        test.after.push(state.cloned().unwrap_or(Value::Null));
        test.assertions.push(match same {
            // Keep the state after the last statement instead, because it shows the effects of all
            // calls.
            true if instance && !test.after[index].is_null() => Value::Null,
            true => value,
            false => json!({"flaky": true}),
        });
    }
    differs
}
