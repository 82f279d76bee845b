//! `catherd test`: executes the tests of a suite on a project.

mod itch;
mod javascript;
mod many;

use std::fmt::Write as _;
use std::path::PathBuf;

use catherd_javascript_suites::SuiteKind;
use catherd_suite::{
    AssertionNo, Bounds, Execution, Failure as FailedAssertion, LinkedSuite, Runner, Suite,
    SuiteTest, Verdict,
};
use clap::Args;
use serde_json::{Value, json};

use crate::failure::{Exit, Failure};
use crate::project::{self, Pair};
use crate::terminal;

/// Executes the tests of a suite on a project and writes the verdicts to standard output in TAP,
/// the Test Anything Protocol.
///
/// A suite is a JSON file that catherd generated, a JavaScript file with tests for Whisker, or a plan for
/// Itch, whose judgement is written in Itch's partial format; its content decides. For a folder of projects, a JavaScript suite is executed on each of them and the
/// statuses are written as a table in CSV. With the seed of a generated suite, all assertions are checked; with any other,
/// those that do not depend on random numbers.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd test game.sb3 suite.json
  catherd test game.sb3 suite.json --seed 7
  catherd test homework.sb3 model-solution.json --any-project --json
  catherd test game.sb3 tests.js --test start --coverage
  catherd test class tests.js
  catherd test homework.sb3 plan.js --template start.sb3

Exit codes: 0 if all tests pass, 2 if one does not, 1 if they cannot be executed.")]
pub(crate) struct Arguments {
    #[command(flatten)]
    pair: Pair,

    /// Seed of the project's random blocks; for suites in JavaScript a number or text [default: the
    /// suite's]
    #[arg(long, value_name = "N")]
    seed: Option<String>,

    /// Leave flaky assertions out, also with the seed of a generated suite
    #[arg(long)]
    stable: bool,

    /// Maximum length of a test in steps (1/30 s of Scratch time each); longer tests fail
    #[arg(long, value_name = "N", default_value_t = Bounds::default().steps)]
    steps: u64,

    /// Print one JSON object instead of TAP
    #[arg(long)]
    json: bool,

    /// The project from which pupils start, for plans for Itch [default: PROJECT]
    #[arg(long, value_name = "PROJECT")]
    template: Option<PathBuf>,

    #[command(flatten)]
    javascript: javascript::Choices,

    #[command(flatten)]
    itch: itch::PlanChoices,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let text = arguments.pair.read_suite()?;
    if SuiteKind::of(&text) == Ok(SuiteKind::Itch) {
        return itch::run(arguments, &text);
    }
    if project::is_javascript(&text) {
        return javascript::run(arguments, &text);
    }
    let (subject, suite) = arguments.pair.open()?;
    let program = arguments.pair.compile(&subject)?;
    let mut linked =
        LinkedSuite::new(&suite, &program).map_err(|error| arguments.pair.failure(error))?;
    let seed = match &arguments.seed {
        Some(text) => text.parse().map_err(|_| {
            Failure::new(format!("--seed {text}: not a whole number"))
                .hint("give a number from 0 to 18446744073709551615")
        })?,
        None => suite.seed,
    };
    linked.seed = seed;
    let bounds = Bounds {
        steps: arguments.steps,
        flaky: !arguments.stable && seed == suite.seed,
        ..Bounds::default()
    };
    let mut runner = Runner::new(program, suite.machine.clone(), ());
    if !arguments.json {
        terminal::print(&format!("TAP version 13\n1..{}\n", suite.tests.len()));
    }
    let bar = terminal::bar(suite.tests.len());
    let mut passed = 0;
    let mut tests = Vec::new();
    for number in 0..suite.tests.len() {
        let execution = runner.run(&linked, number, bounds);
        passed += usize::from(execution.verdict.is_pass());
        if arguments.json {
            tests.push(describe(&suite, number, &execution));
        } else {
            terminal::print(&tap(&suite, number, &execution));
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    let failed = suite.tests.len() - passed;
    if arguments.json {
        let report = json!({
            "project": arguments.pair.project.display().to_string(),
            "suite": arguments.pair.suite.display().to_string(),
            "seed": seed,
            "passed": passed,
            "failed": failed,
            "tests": tests,
        });
        terminal::print(&format!("{report}\n"));
    } else {
        terminal::print(&format!(
            "# tests {}\n# pass {passed}\n# fail {failed}\n",
            passed + failed
        ));
    }
    Ok(if failed == 0 { Exit::Success } else { Exit::Incomplete })
}

/// The TAP lines of a test.
fn tap(suite: &Suite, number: usize, execution: &Execution) -> String {
    let name = format!("{} - test {number}", number + 1);
    if let Verdict::Passed = execution.verdict {
        return match execution.fault {
            None => format!("ok {name}\n"),
            Some(fault) => format!("ok {name}\n# {fault}\n"),
        };
    }
    let mut text = format!("not ok {name}\n  ---\n");
    if let Value::Object(details) = describe(suite, number, execution) {
        for (key, value) in details.iter().filter(|(key, _)| *key != "test") {
            // JSON is valid YAML; writing to a string does not fail.
            let _ = writeln!(text, "  {key}: {value}");
        }
    }
    text + "  ...\n"
}

fn describe(suite: &Suite, number: usize, execution: &Execution) -> Value {
    let Execution { verdict, steps, fault, .. } = execution;
    let mut test = json!({ "test": number, "steps": steps });
    if let Some(fault) = fault {
        test["fault"] = json!(fault);
    }
    match verdict {
        Verdict::Passed => test["verdict"] = json!("passed"),
        Verdict::StepLimit => {
            test["verdict"] = json!("failed");
            test["message"] = json!("the test is longer than --steps allows");
        }
        Verdict::Fault(fault) => {
            test["verdict"] = json!("failed");
            test["message"] = json!(fault);
        }
        Verdict::Failed(FailedAssertion { assertion, after, got }) => {
            let AssertionNo { flaky, position } = *assertion;
            let SuiteTest { assertions, flaky: unstable, .. } = &suite.tests[number];
            let failed = &if flaky { unstable } else { assertions }[position as usize];
            test["verdict"] = json!("failed");
            test["message"] = json!(format!("after event {after}, expected {failed}"));
            test["expected"] = json!(failed);
            test["got"] = json!(got);
            test["flaky"] = json!(flaky);
        }
    }
    test
}
