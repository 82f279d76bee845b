//! `catherd coverage`: hands project and suite to the kind of the suite.

use catherd_cli_console::{Exit, Failure, Pair};
use catherd_javascript_commands as javascript;
use catherd_scratch_commands::coverage as scratch;
use clap::Args;

use crate::pair::PairArgs;

/// Shows what a test suite covers, and what it does not.
///
/// For a Scratch project: covered blocks by sprite and script, and the scripts that are not fully
/// covered. For a JavaScript project: statements, branches, functions and lines as Istanbul counts
/// them, and the goals that are not covered.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd coverage game.sb3 suite.json
  catherd coverage game.sb3 suite.json --json
  catherd coverage list.js suite.json
  catherd coverage game.sb3 suite.json --seeds 10

With --seeds, the suite is also executed under other seeds of the machine's random numbers, which
follow from the suite's. Seeded coverage is the coverage under the suite's own seed. Expected coverage is
the mean over the other seeds. A goal is robust if one test covers it under each of them, and a chance
goal if some test covers it under some of them, but none under each.

Lines that begin with - are not covered. Blocks that no test can reach do not count. The JSON lists
the block of each goal of the suite with the tests that cover it; for JavaScript it has the form of
Istanbul's coverage-final.json.

Exit codes: 0 if the suite could be executed, 1 if not.")]
pub(crate) struct Arguments {
    #[command(flatten)]
    pair: PairArgs,

    #[command(flatten)]
    scratch: scratch::Flags,

    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: Arguments) -> Result<Exit, Failure> {
    let pair = Pair::from(arguments.pair);
    let text = pair.read_suite()?;
    if !javascript::is_suite(&text) {
        return scratch::run(&pair, &arguments.scratch, arguments.json);
    }
    if arguments.scratch.seeds > 0 {
        return Err(Failure::new("--seeds is only for Scratch projects").hint("leave it out"));
    }
    javascript::coverage(&pair, &text, arguments.json)
}
