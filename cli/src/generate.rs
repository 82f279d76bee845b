//! `catherd generate`: passes a project to the generator of its subject kind.

use std::path::{Path, PathBuf};

use catherd_cli_console::{Exit, Failure, Generation, output};
use catherd_experiments::{Algorithm, Flags, Parameter, Study};
use catherd_javascript_commands as javascript;
use catherd_javascript_kind::project::is_project;
use catherd_scratch_commands::generate as scratch;
use clap::Args;

use crate::failure::Worded;
use crate::{places, subjects};

/// Number of test executions if no budget is given.
const EXECUTIONS: &str = "1000";

/// Generates a test suite for one project.
///
/// For a Scratch project, the tests contain only events that are needed to cover their blocks, and
/// assert what their events change in the project. They are executed again with other random
/// numbers: assertions that do not hold again are listed separately as flaky, and blocks that are
/// not covered again are listed as covered by chance. The same project, algorithm, seed and budget
/// in executions or steps give the same suite.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd generate game.sb3 -o suite.json
  catherd generate game.sb3 --algorithm mosa --parameter population=10 --seed 3 -o suite.json
  catherd generate game.sb3 --wall 10s -o suite.js
  catherd generate game.sb3 --algorithm reflex --steps 2000000 -o suite.json
  catherd generate list.js --algorithm dynamosa -o list.test.js
  catherd generate package --class LinkedList --style jest -o list.test.js
  catherd generate game.sb3 --assertions minimal --asked-mutants 500 -o suite.json

A file named *.js is written as JavaScript: for a Scratch project for Whisker, with the same suite as
JSON next to it (suite.js and suite.json), for a JavaScript project (also *.mjs and *.cjs) for a test
framework. *.json is for catherd test, catherd coverage and catherd mutate.

Exit codes: 0 if a suite was written, 1 if not; for JavaScript projects 2 if the search ended early or
every test ended the engine, 3 after an interrupt, with the suite of what was found until then. A
project with nothing to cover has an empty suite.")]
pub(crate) struct Arguments {
    /// The project: an .sb3 or .sb2 file or an unpacked folder; a .js or .ts file, a folder with
    /// package.json or subject.toml, or a .tgz package
    #[arg(value_name = "PROJECT")]
    project: PathBuf,

    /// File of the suite, *.json or *.js [default: JSON on standard output]
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,

    #[arg(long, value_name = "NAME", default_value = "mio",
        help = format!("One of {}", subjects::algorithm_names()))]
    algorithm: String,

    /// Parameter of the algorithm, named as in study files; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = parameter)]
    parameter: Vec<(String, Parameter)>,

    /// Seed of all random numbers
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Budget: test executions [default: 1000, unless another budget is given]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    executions: Option<String>,

    /// Budget: steps of the Scratch VM (1/30 s of Scratch time each) or of a JavaScript program
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    steps: Option<String>,

    /// Budget: real time, such as 10s; the suite then depends on the machine
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    wall: Option<String>,

    #[command(flatten)]
    javascript: javascript::Flags,

    #[command(flatten)]
    scratch: scratch::Flags,

    /// Do not minimise the tests of the search
    #[arg(long)]
    no_minimisation: bool,

    /// Print one JSON object about the run instead of a summary; needs --out
    #[arg(long, requires = "out")]
    json: bool,

    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
}

pub(crate) fn parameter(text: &str) -> Result<(String, Parameter), String> {
    let (name, value) = text.split_once('=').ok_or("write NAME=VALUE")?;
    let value = value.trim();
    let parameter = if let Ok(flag) = value.parse() {
        Parameter::Bool(flag)
    } else if let Ok(number) = value.parse() {
        Parameter::Integer(number)
    } else if let Ok(number) = value.parse::<f64>() {
        Parameter::Number(number)
    } else {
        Parameter::Text(value.to_owned())
    };
    Ok((name.trim().to_owned(), parameter))
}

/// Extensions of suite files. A file without an extension, such as `/dev/stdout`, is JSON.
const EXTENSIONS: [&str; 4] = ["json", "js", "mjs", "cjs"];

fn check_name(out: &Path) -> Result<(), Failure> {
    let Some(extension) = out.extension() else { return Ok(()) };
    if EXTENSIONS.iter().any(|known| extension == *known) {
        return Ok(());
    }
    let (json, js) = (out.with_extension("json"), out.with_extension("js"));
    Err(Failure::new(format_args!("{}: a suite is JSON or JavaScript", out.display()))
        .hint(format!("write {} or {}", json.display(), js.display())))
}

pub(crate) fn run(arguments: Arguments) -> Result<Exit, Failure> {
    places::check(&arguments.project, "name the file or folder of a project")?;
    if let Some(out) = &arguments.out {
        check_name(out)?;
        output::check(out)?;
    }
    // Make a study from the flags to check the budget.
    let unlimited = arguments.steps.is_none() && arguments.wall.is_none();
    let executions = arguments.executions.clone();
    let executions = executions.or_else(|| unlimited.then(|| EXECUTIONS.to_owned()));
    let work = [("executions", executions), ("steps", arguments.steps.clone())];
    let study = Study::from_flags(&Flags {
        projects: vec![arguments.project.clone()],
        algorithms: Some(arguments.algorithm.clone()),
        work: work
            .into_iter()
            .filter_map(|(unit, limit)| Some((unit.to_owned(), limit?)))
            .collect(),
        wall: arguments.wall.clone(),
        ..Flags::default()
    })
    .map_err(Worded::worded)?;
    let algorithm = Algorithm {
        label: arguments.algorithm.clone(),
        name: arguments.algorithm.clone(),
        parameters: arguments.parameter.iter().cloned().collect(),
    };
    let asked = Generation {
        project: arguments.project,
        out: arguments.out,
        algorithm,
        seed: arguments.seed,
        budget: study.budget,
        minimise: !arguments.no_minimisation,
        json: arguments.json,
        quiet: arguments.quiet,
    };
    if is_project(&asked.project) {
        if arguments.scratch.choose_assertions() {
            let flags = "--no-assertions, --assertions and --touching";
            let error = Failure::new(format_args!("{flags} are only for Scratch projects"));
            return Err(error.hint("leave them out"));
        }
        return javascript::generate(&asked, arguments.javascript);
    }
    if arguments.javascript.choose_targets() {
        let error = Failure::new("--class and --method are only for JavaScript projects");
        return Err(error.hint("leave them out"));
    }
    scratch::generate(&asked, &arguments.scratch)
}
