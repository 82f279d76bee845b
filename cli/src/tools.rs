//! `catherd tool prepare` and `catherd doctor`: prepare external tools, and check whether this
//! machine can run external tools.

mod trial;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use catherd_cli_console::terminal::{self, bar};
use catherd_cli_console::{Exit, Failure, exit_codes};
use catherd_experiments::{Algorithm, Parameter, Study};
use catherd_interface::FoundProject;
use catherd_interface::command::{KIND, Tool};
use clap::{Args, Subcommand};
use serde_json::json;

use crate::failure::Worded;
use crate::programs::Isolation;
use crate::{places, subjects};

/// Tries external tools, and makes their environments
#[derive(Subcommand)]
pub(crate) enum Command {
    Prepare(Prepare),
    Try(trial::Try),
}

/// Makes the environment of a tool from its lock, once on each machine.
///
/// An environment contains the programs of the tool and everything that they need for the projects
/// of a study. Afterwards, a tool that describes projects is asked for their measures, and for the
/// projects that it does not support, which studies leave out.
///
/// The adapter makes the environment, for example with pip. Unlike in a run, it may use the network.
#[derive(Args)]
#[command(after_help = format!("{PREPARE}\n\n{}", exit_codes(&[])))]
pub(crate) struct Prepare {
    /// Folder of an adapter, or a study file whose adapters and projects are prepared
    #[arg(value_name = "ADAPTER|STUDY")]
    of: PathBuf,

    /// Projects of the tool, in addition to the projects of the study
    #[arg(long, value_name = "PATH", num_args = 1..)]
    projects: Vec<PathBuf>,

    /// Folder of packages from which to install without a network
    #[arg(long, value_name = "DIR")]
    wheels: Option<PathBuf>,
}

const PREPARE: &str = "\
Examples:
  catherd tool prepare adapters/pynguin
  catherd tool prepare experiments/pynguin-smoke.toml
  catherd tool prepare experiments/pynguin.toml --wheels wheels";

/// Says whether this machine can run the tools of a study.
///
/// If it cannot, the command says what is missing.
#[derive(Args)]
#[command(after_help = format!("{DOCTOR}\n\n{}", exit_codes(&[UNUSABLE])))]
pub(crate) struct Doctor {
    /// Study file, or the folder of an adapter
    #[arg(value_name = "STUDY|ADAPTER")]
    of: PathBuf,

    /// Print one JSON object for each tool instead of text
    #[arg(long)]
    json: bool,
}

const DOCTOR: &str = "\
Examples:
  catherd doctor experiments/pynguin-smoke.toml
  catherd doctor adapters/whisker";

/// The meaning of exit code 2 of `catherd doctor`.
const UNUSABLE: (Exit, &str) = (Exit::Incomplete, "a tool cannot be run on this machine");

fn tools(of: &Path, projects: &[PathBuf]) -> Result<(Vec<Tool>, Vec<FoundProject>), Failure> {
    let mut folders = BTreeSet::from([of.to_owned()]);
    let mut sources = projects.to_vec();
    if !of.is_dir() {
        places::check(of, "name a study file, or the folder of an adapter")?;
        let study = Study::read(of).map_err(Worded::worded)?;
        let base = of.parent().unwrap_or(Path::new(""));
        folders = adapters(&study.algorithms, base);
        if folders.is_empty() {
            return Err(Failure::new(format_args!("{}: no tool with an adapter", of.display()))
                .hint("name a study with the parameter `adapter`, or the folder of an adapter"));
        }
        if let catherd_experiments::ProjectSource::Paths(paths) = study.projects {
            sources.extend(paths);
        }
    }
    let opened = folders.iter().map(|folder| {
        Tool::open(folder).map_err(|cause| Failure::new(cause).hint(adapter_hint(folder)))
    });
    let opened = opened.collect::<Result<_, _>>()?;
    if sources.is_empty() {
        return Ok((opened, Vec::new()));
    }
    let source = catherd_experiments::ProjectSource::Paths(sources);
    Ok((opened, subjects::kind(KIND)?.find(&source, &()).map_err(Worded::worded)?.projects))
}

fn adapter_hint(path: &Path) -> String {
    if path.is_file() {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        return format!("name its folder: {}", folder.unwrap_or(Path::new(".")).display());
    }
    if path.join("adapter.toml").is_file() {
        return "correct adapter.toml (docs/how-to/your-own-tool.md); catherd schema adapter lists its keys".to_owned();
    }
    "name a folder with adapter.toml and the executable run".to_owned()
}

/// `base` is the folder of the study file.
fn adapters(algorithms: &[Algorithm], base: &Path) -> BTreeSet<PathBuf> {
    let named = algorithms.iter().flat_map(|algorithm| {
        ["adapter", "measurer"].map(|name| match algorithm.parameters.get(name) {
            Some(Parameter::Text(folder)) => Some(base.join(folder)),
            _ => None,
        })
    });
    named.flatten().collect()
}

/// Lets a tool describe projects, in namespaces if the kernel permits them.
fn describe(tool: &Tool, environment: &Path, projects: &[FoundProject]) -> Result<(), Failure> {
    let place = environment.join("work");
    let programs = Isolation::Wanted.programs(&place, &[], &[])?;
    programs.prepare().map_err(|cause| {
        Failure::new(format_args!("{}: {cause}", place.display()))
            .hint("check the disk space and the permissions, then repeat the command")
    })?;
    let bar = bar(projects.len());
    for project in projects {
        let name = &project.name;
        match tool.describe(project, &programs) {
            Ok(description) => {
                if let Some(reason) = description.unsupported() {
                    terminal::note(&format!("unsupported: {name}: {reason}"));
                }
            }
            Err(cause) => terminal::note(&format!("not described: {name}: {cause}")),
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(())
}

pub(crate) fn run(command: &Command) -> Result<Exit, Failure> {
    let Prepare { of, projects, wheels } = match command {
        Command::Prepare(prepare) => prepare,
        Command::Try(arguments) => return trial::run(arguments),
    };
    let (tools, projects) = tools(of, projects)?;
    for tool in tools {
        let name = tool.name();
        let waiting = terminal::spinner(format!("preparing {name}"));
        let prepared = tool.prepare(&projects, wheels.as_deref());
        waiting.finish_and_clear();
        let folder = prepared.map_err(|cause| {
            Failure::new(cause).hint("see any lines above; `catherd doctor` checks the tool")
        })?;
        if tool.describes() && !projects.is_empty() {
            describe(&tool, &folder, &projects)?;
        }
        terminal::print(&format!("{name}: {}\n", folder.display()));
    }
    Ok(Exit::Success)
}

impl Doctor {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let (tools, _) = tools(&self.of, &[])?;
        let mut exit = Exit::Success;
        for tool in tools {
            let name = tool.name();
            let waiting = terminal::spinner(format!("checking {name}"));
            let found = tool.doctor();
            waiting.finish_and_clear();
            let found = found.map_err(|cause| {
                Failure::new(cause).hint("see whether the adapter's `run` is executable")
            })?;
            if self.json {
                let (usable, text) = (found.usable, &found.text);
                let document = json!({ "tool": name, "usable": usable, "text": text });
                terminal::print(&format!("{document}\n"));
                exit = if usable { exit } else { Exit::Incomplete };
                continue;
            }
            let verdict = if found.usable { "can be run" } else { "cannot be run" };
            let mut text = format!("{name}: {verdict}\n");
            for line in found.text.lines().take(100) {
                text += &format!("  {}\n", line.replace(char::is_control, " "));
            }
            if !found.usable {
                exit = Exit::Incomplete;
                text += &match tool.environment() {
                    Ok(Some(_)) => format!("  hint: catherd tool prepare {}\n", self.of.display()),
                    _ => "  hint: install what the lines above name\n".to_owned(),
                };
            }
            terminal::print(&text);
        }
        Ok(exit)
    }
}
