//! `catherd mutate`: passes a project and a suite to the subject kind of the suite.

use catherd_cli_console::{Exit, Failure, Mutation};
use catherd_javascript_commands as javascript;
use catherd_scratch_commands::mutate as scratch;
use clap::Args;

use crate::pair::PairArgs;

/// Executes a test suite on mutants of its project.
///
/// Mutants are copies with one small fault each, which the suite should detect.
///
/// A suite is a JSON file that catherd generated, or a JavaScript file with tests for Whisker. A
/// mutant is killed if a test that passes on the project fails an assertion on the mutant; a test
/// in JavaScript also kills a mutant by an error. Tests that do not pass on the project are left
/// out. The same project, suite and seed give the same result for any number of threads.
#[derive(Args)]
#[command(after_help = EXAMPLES, after_long_help = format!("{}\n\n{EXAMPLES}", operators()))]
pub(crate) struct Arguments {
    #[command(flatten)]
    pair: PairArgs,

    /// Mutation operators, separated by commas: KRM, SBD, SDM, AOR, LOR, ROR, NCM, VRM, for
    /// JavaScript AOR, ROR, LCR, COR, UOI, BSR, SDL, LIT, OCR, MER, ARF; --help explains them
    /// [default: all]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    operators: Vec<String>,

    /// Number of mutants to execute, a random sample of all [default: all]
    #[arg(long, value_name = "N")]
    sample: Option<u64>,

    /// Seed of all random choices: replacements of keys, operators and variables, and the sample
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    #[command(flatten)]
    scratch: scratch::Flags,

    /// Maximum length of a test on a mutant, in blocks or steps: N times its length on the project,
    /// plus an allowance
    #[arg(long, value_name = "N", default_value_t = scratch::default_factor())]
    block_factor: u64,

    /// After the table, list the mutants that survive
    #[arg(long, conflicts_with = "json")]
    survivors: bool,

    /// Print one JSON object for each mutant, one on each line, instead of a table
    #[arg(long)]
    json: bool,

    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
}

fn operators() -> String {
    format!("{}\n\n{}", scratch::operators(), javascript::MUTATION_OPERATORS)
}

const EXAMPLES: &str = "\
Examples:
  catherd mutate game.sb3 suite.json
  catherd mutate list.js suite.json --survivors
  catherd mutate game.sb3 tests.js
  catherd mutate game.sb3 suite.json --operators SBD,NCM --survivors
  catherd mutate large.sb3 suite.json --sample 500 --seed 1 --json > mutants.jsonl

Exit codes: 0 if all tests pass on the project, 2 if some do not and were left out, 1 if the project
or the suite cannot be used.";

pub(crate) fn run(arguments: Arguments) -> Result<Exit, Failure> {
    let flags = &arguments.scratch;
    let asked = Mutation {
        pair: arguments.pair.into(),
        operators: arguments.operators,
        sample: arguments.sample,
        seed: arguments.seed,
        factor: arguments.block_factor,
        survivors: arguments.survivors,
        json: arguments.json,
        quiet: arguments.quiet,
    };
    let text = asked.pair.read_suite()?;
    if !javascript::is_suite(&text) {
        return scratch::run(&asked, flags, &text);
    }
    if flags.all_killers || flags.stable {
        let error = Failure::new("--all-killers and --stable are only for Scratch projects");
        return Err(error.hint("leave them out"));
    }
    javascript::mutate(&asked, &text)
}
