//! `catherd coverage`: passes a project and a suite to the subject kind of the suite, or lists the
//! uncovered goals of a study.

use std::path::{Path, PathBuf};

use catherd_analysis::tables;
use catherd_analysis::tidy::Results;
use catherd_cli_console::{Exit, Failure, Pair, terminal};
use catherd_javascript_commands as javascript;
use catherd_scratch_commands::coverage as scratch;
use clap::Args;

use crate::failure::Worded;

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
  catherd coverage results/smoke --uncovered

With --seeds, the suite is also executed under other seeds of the random numbers, which are derived from
the seed of the suite. Seeded coverage is the coverage under the suite's own seed. Expected coverage is
the mean over the other seeds. A goal is robust if one test covers it under each of them, and a chance
goal if some test covers it under some of them, but none under each.

Lines of the output that begin with - show what is not covered. Blocks that no test can reach do not
count. The JSON lists the block of each goal of the suite with the tests that cover it; for JavaScript
it has the form of Istanbul's coverage-final.json.

Exit codes: 0 if the suite could be executed, 1 if not.")]
pub(crate) struct Arguments {
    /// The project: an .sb3 or .sb2 file or an unpacked folder; a .js or .ts file, a folder with
    /// package.json or subject.toml, or a .tgz package; with --uncovered a folder of results
    #[arg(value_name = "PROJECT")]
    project: PathBuf,

    /// The suite: a JSON file that catherd generate or catherd run wrote
    #[arg(
        value_name = "SUITE",
        required_unless_present = "uncovered",
        conflicts_with = "uncovered"
    )]
    suite: Option<PathBuf>,

    /// Accept a suite that was generated for another project, such as a model solution
    #[arg(long)]
    any_project: bool,

    /// List the goals that no suite of a study covers, and the goals that few runs cover
    #[arg(long)]
    uncovered: bool,

    #[command(flatten)]
    scratch: scratch::Flags,

    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: Arguments) -> Result<Exit, Failure> {
    let Some(suite) = arguments.suite else {
        return uncovered(&arguments.project, arguments.json);
    };
    let Arguments { project, any_project, .. } = arguments;
    let pair = Pair { project, suite, any_project };
    let text = pair.read_suite()?;
    if !javascript::is_suite(&text) {
        return scratch::run(&pair, &arguments.scratch, arguments.json);
    }
    if arguments.scratch.seeds > 0 {
        return Err(Failure::new("--seeds is only for Scratch projects").hint("leave it out"));
    }
    javascript::coverage(&pair, &text, arguments.json)
}

fn uncovered(folder: &Path, json: bool) -> Result<Exit, Failure> {
    crate::places::folder(folder, "name the folder of a study that catherd run has written")?;
    let results = Results::read(folder).map_err(Worded::worded)?;
    let sets = results.goals().map_err(Worded::worded)?;
    if sets.is_empty() {
        return Err(Failure::new(format_args!("{}: has no goals.csv", folder.display()))
            .hint("repeat `catherd run` on the folder: it writes the tables again"));
    }
    let open: usize =
        sets.iter().flat_map(|set| &set.goals).filter(|goal| goal.covering == 0).count();
    let all: usize = sets.iter().map(|set| set.goals.len()).sum();
    let table = tables::uncovered(&results, &sets);
    if json {
        let rows = table.table.json();
        let document = serde_json::json!({ "goals": all, "uncovered": open, "rows": rows });
        terminal::print(&format!("{document}\n"));
        return Ok(Exit::Success);
    }
    let goals =
        ["project", "goal", "state", "covering", "share", "closest", "distance", "turned_off"];
    terminal::print(&format!(
        "{}\n{open} of {all} goals are not covered by any run. All goals, with the runs of each \
         algorithm that cover them, are in {}.\n",
        table.table.selected(&goals).text(),
        folder.join("goals.csv").display()
    ));
    Ok(Exit::Success)
}
