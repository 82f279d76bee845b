//! `catherd test`: passes a project and a suite to the subject kind of the suite.

use catherd_cli_console::{Exit, Failure, Pair};
use catherd_javascript_commands as javascript;
use catherd_scratch_commands::test::{self as scratch, Flags, Format};
use clap::Args;

use crate::pair::PairArgs;

/// Executes a test suite on a project.
///
/// The verdicts are written in TAP, the Test Anything Protocol, or in another format.
///
/// A suite is a JSON file that catherd generated for a Scratch or JavaScript project, a JavaScript
/// file with tests for Whisker, a JSON file with models for Whisker, or a plan for Itch, whose
/// judgement is written in Itch's partial format; catherd recognises the type by the content. For a
/// folder of projects, or a list of projects on standard input (`-`), the suite is executed on each
/// project and the statuses are written as a table in CSV, in the order of the projects. With the
/// seed of a generated suite, all assertions are checked; with any other seed, only assertions that
/// do not depend on random numbers are checked.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd test game.sb3 suite.json
  catherd test game.sb3 suite.json --seed 7
  catherd test list.js suite.json
  catherd test homework.sb3 model-solution.json --any-project --json
  catherd test game.sb3 tests.js --test start --coverage
  catherd test game.sb3 models.json --model-repetitions 10
  catherd test homework.sb3 plan.js --template start.sb3
  catherd test class tests.js -o table.csv --resume
  catherd test class tests.js --format junit -o report.xml
  catherd test solution.sb3 tests.js --template start.sb3 --expect exercise

Exit codes: 0 if all tests pass or are skipped, 2 if one does not or a project of several cannot be
used, 1 if they cannot be executed.")]
pub(crate) struct Arguments {
    #[command(flatten)]
    pair: PairArgs,

    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn run(arguments: Arguments) -> Result<Exit, Failure> {
    let Arguments { pair, flags } = arguments;
    let pair = Pair::from(pair);
    let text = pair.read_suite()?;
    let exit = match javascript::is_suite(&text) {
        true => test_javascript(&pair, &text, &flags)?,
        false => scratch::run(&pair, &flags, &text)?,
    };
    Ok(if flags.exit_zero { Exit::Success } else { exit })
}

fn test_javascript(pair: &Pair, text: &str, flags: &Flags) -> Result<Exit, Failure> {
    let format = flags.format.unwrap_or(if flags.json { Format::Json } else { Format::Tap });
    if ![Format::Tap, Format::Json].contains(&format) || flags.output.is_some() {
        let error = Failure::new("a suite for JavaScript is reported only as TAP or JSON");
        return Err(error.hint("leave --format and --output out, or use --json"));
    }
    let seed = flags.seed.as_deref().map(str::parse).transpose();
    let seed = seed.map_err(|_| {
        Failure::new("--seed: not a whole number")
            .hint("give a number from 0 to 18446744073709551615")
    })?;
    javascript::test(pair, text, seed, format == Format::Json)
}
