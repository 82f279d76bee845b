//! `catherd export`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use catherd_cli_console::{Exit, Failure, output, terminal};
use catherd_javascript_kind::classes::Suite;
use catherd_javascript_kind::project::{Project, is_project};
use clap::Args;
use serde_json::Value;

use crate::apart::execute_apart;
use crate::code::CodeFlags;
use crate::suites::unusable;

const EXAMPLES: &str = "\
Examples:
  catherd export suite.json -o list.test.js
  catherd export suite.json --style jest -o list.test.js
  catherd export suite.json --project ../list -o list.test.mjs

The code is the same as with catherd generate -o list.test.js.

Exit codes: 0 if the code was written, 1 if not.";

/// Writes a suite for JavaScript as code for a test framework.
///
/// Without --project, the project is searched for in the folder of the suite and in the current
/// folder.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The suite: a JSON file that catherd generate or catherd run wrote
    #[arg(value_name = "SUITE")]
    suite: PathBuf,

    /// The project for which the suite was generated [default: a project with the digest in the
    /// suite, next to the suite or in the current folder]
    #[arg(long, value_name = "PROJECT")]
    project: Option<PathBuf>,

    /// File of the code, *.js, *.mjs or *.cjs, in any folder [default: standard output, for a file
    /// in the current folder]
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Accept a project that differs from the one for which the suite was generated
    #[arg(long)]
    any_project: bool,

    #[command(flatten)]
    code: CodeFlags,
}

/// Executes `catherd export`.
///
/// # Errors
///
/// If the suite or the project cannot be used, or the code cannot be written.
pub fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let file = arguments.suite.as_path();
    arguments.out.as_deref().map_or(Ok(()), output::check)?;
    if let Some(ended) = execute_apart(file) {
        return ended;
    }
    let failed =
        |error: &dyn std::fmt::Display| Failure::new(format!("{}: {error}", file.display()));
    let text = read(file)
        .map_err(|error| failed(&error).hint("name a suite that catherd generate wrote"))?;
    let parsed = serde_json::from_str::<Value>(&text).map_err(|error| {
        failed(&format!("not JSON: {error}")).hint("name a suite that catherd generate wrote")
    })?;
    if parsed["subject"] != "javascript" {
        let hint =
            "a suite for a Scratch project is written as code by catherd generate -o suite.js";
        return Err(failed(&"not a suite for a JavaScript project").hint(hint));
    }
    drop(parsed);
    let suite = Suite::from_json(&text)
        .map_err(|error| failed(&error).hint("generate a suite with catherd generate"))?;
    let (path, project) = match &arguments.project {
        Some(path) => {
            let opened = Project::open(path, None, None);
            (path.clone(), opened.map_err(|cause| unusable(path, &cause))?)
        }
        None => near(file, &suite, arguments.any_project).ok_or_else(|| {
            failed(&"its project is neither next to it nor in the current folder")
                .hint("name the project with --project")
        })?,
    };
    if !arguments.any_project && project.digest() != suite.project {
        return Err(failed(&"the suite was generated for another project")
            .hint("name the project for which the suite was generated, or use --any-project"));
    }
    let out = arguments.out.clone().unwrap_or_else(|| PathBuf::from("suite.test.js"));
    let written = arguments.code.write(&project, &path, &out, &suite, &Arc::default())?;
    if arguments.out.is_none() {
        terminal::print(&written.text);
        return Ok(Exit::Success);
    }
    output::write(&out, &written.text)?;
    terminal::print(&(written.left_out() + &written.note));
    Ok(Exit::Success)
}

/// Finds the project of a suite in the folder of the suite or in the current folder.
fn near(file: &Path, suite: &Suite, any: bool) -> Option<(PathBuf, Project)> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folders = [folder.unwrap_or(Path::new(".")), Path::new(".")];
    let places =
        folders.iter().flat_map(|folder| [folder.join(&suite.entry), folder.to_path_buf()]);
    places.filter(|place| is_project(place)).find_map(|place| {
        let project = Project::open(&place, None, None).ok()?;
        (any || project.digest() == suite.project).then_some((place, project))
    })
}

/// Refuses devices and pipes, which may have no end, and large files.
fn read(file: &Path) -> std::io::Result<String> {
    const MAX_BYTES: u64 = 256 << 20;
    let unusable = |cause: &str| std::io::Error::new(std::io::ErrorKind::InvalidInput, cause);
    let metadata = std::fs::metadata(file)?;
    if !metadata.is_file() {
        return Err(unusable("not a file"));
    }
    if metadata.len() > MAX_BYTES {
        return Err(unusable("larger than 256 MiB"));
    }
    std::fs::read_to_string(file)
}
