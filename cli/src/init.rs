//! `catherd init`: writes a study file from the answers to four questions.

use std::io::{self, BufRead, IsTerminal};
use std::path::{Path, PathBuf};

use catherd_cli_console::{Exit, Failure, output, places, terminal};
use catherd_experiments::{Study, instead};
use catherd_interface::{ANY_ALGORITHM, SubjectKind};
use clap::Args;

use crate::failure::Worded;
use crate::{schema, subjects};

/// Writes a study file from the answers to four questions.
///
/// The file has comments. The questions are about the kind, the projects, the algorithms and the
/// number of seeds. An empty answer takes the value in brackets; flags answer questions in advance,
/// and --yes accepts the values in brackets for all others.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd init
  catherd init mine.toml --projects games --yes
  catherd init mine.toml --subject javascript --projects packages --algorithms dynamosa,mio --seeds 10")]
pub(crate) struct Arguments {
    /// The study file
    #[arg(value_name = "STUDY.toml", default_value = "study.toml")]
    file: PathBuf,

    /// Subject kind; see catherd subjects
    #[arg(long, value_name = "KIND")]
    subject: Option<String>,

    /// Project files, or folders of them
    #[arg(long, value_name = "PATH", num_args = 1..)]
    projects: Vec<PathBuf>,

    /// Algorithms, separated by commas
    #[arg(long, value_name = "LIST")]
    algorithms: Option<String>,

    /// Number of seeds
    #[arg(long, value_name = "N")]
    seeds: Option<String>,

    /// Ask nothing
    #[arg(long, short)]
    yes: bool,

    /// Replace the file if it exists
    #[arg(long)]
    force: bool,
}

const SCHEMA: &str = "study.schema.json";

pub(crate) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let file = &arguments.file;
    if file.exists() && !arguments.force {
        return Err(Failure::new(format_args!("{}: exists already", file.display()))
            .hint("name another file, or replace it with --force"));
    }
    let text = arguments.study()?;
    // Check the answers by parsing the text as a study.
    Study::parse(&text, file).map_err(Worded::worded)?;
    output::write(file, &text)?;
    output::write(&file.with_file_name(SCHEMA), format!("{:#}\n", schema::study()))?;
    terminal::print(&format!(
        "{}: written, with {SCHEMA} for editors; next: catherd check {}\n",
        file.display(),
        file.display()
    ));
    Ok(Exit::Success)
}

impl Arguments {
    /// Standard input may be a file with the answers.
    fn ask(&self, question: &str, default: &str, given: Option<String>) -> Result<String, Failure> {
        if let Some(given) = given {
            return Ok(given);
        }
        if self.yes {
            return Ok(default.to_owned());
        }
        terminal::note(&format!("{question} [{default}]"));
        let mut line = String::new();
        let read = io::stdin().lock().read_line(&mut line);
        read.map_err(|cause| {
            Failure::new(format_args!("standard input: {cause}"))
                .hint("answer with flags, and --yes")
        })?;
        if !io::stdin().is_terminal() {
            terminal::note(line.trim());
        }
        let answer = line.trim();
        Ok(if answer.is_empty() { default.to_owned() } else { answer.to_owned() })
    }

    fn study(&self) -> Result<String, Failure> {
        let names = subjects::kinds().names().join(", ");
        let default = subjects::kinds().default_kind().name();
        let question = format!("What is tested? One of the subject kinds {names}");
        let kind = subjects::kind(&self.ask(&question, &default, self.subject.clone())?)?;
        let paths = || self.projects.iter().map(|path| path.display().to_string());
        let given = (!self.projects.is_empty()).then(|| paths().collect::<Vec<_>>().join(", "));
        let question = "Where are the projects? Files or folders, separated by commas";
        let projects = self.ask(question, default_projects(&kind.name()), given)?;
        let projects = words(&projects);
        if projects != words(default_projects(&kind.name())) {
            self.check_projects(kind, &projects)?;
        }
        let (known, chosen) = algorithms(kind);
        let question = match known.is_empty() {
            true => "Which algorithms? Any names, separated by commas".to_owned(),
            false => format!("Which algorithms are compared? Some of {}", known.join(", ")),
        };
        let algorithms = self.ask(&question, &chosen.join(", "), self.algorithms.clone())?;
        let algorithms = words(&algorithms);
        let unknown = algorithms.iter().find(|word| !known.is_empty() && !known.contains(word));
        if let Some(unknown) = unknown {
            return Err(Failure::new(format_args!("unknown algorithm `{unknown}`"))
                .hint(instead(unknown, &known)));
        }
        let question = "How many seeds? 20 or more show small differences, 1 is quick";
        let seeds = self.ask(question, "5", self.seeds.clone())?;
        Ok(text(kind, &projects, &algorithms, &seeds))
    }

    fn check_projects(&self, kind: &dyn SubjectKind, projects: &[String]) -> Result<(), Failure> {
        let folder = self.file.parent().unwrap_or(Path::new(""));
        let named = projects.iter().filter(|project| !kind.is_builtin(Path::new(project)));
        for project in named {
            places::check(
                &folder.join(project),
                "name files or folders relative to the study file",
            )?;
        }
        Ok(())
    }
}

fn words(list: &str) -> Vec<String> {
    list.split(',').map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Returns the projects of a new experiment of a kind, unless others are given.
fn default_projects(kind: &str) -> &'static str {
    match kind {
        "javascript" => "datasets/javascript",
        "sequences" => "builtin:abp, builtin:moodle",
        _ => "datasets/demo",
    }
}

/// Returns the known algorithms of a kind, and a few algorithms as an example.
fn algorithms(kind: &dyn SubjectKind) -> (Vec<String>, Vec<String>) {
    let known: Vec<String> = kind.algorithms().into_iter().map(|one| one.name).collect();
    if known.iter().any(|name| name == ANY_ALGORITHM) {
        return (Vec::new(), vec!["random".to_owned()]);
    }
    let usual = ["random", "mosa", "mio"].map(str::to_owned);
    let chosen: Vec<String> = usual.into_iter().filter(|name| known.contains(name)).collect();
    match chosen.is_empty() {
        true => (known.clone(), known.into_iter().take(2).collect()),
        false => (known, chosen),
    }
}

fn text(kind: &dyn SubjectKind, projects: &[String], algorithms: &[String], seeds: &str) -> String {
    let list = |words: &[String]| {
        let quoted = words.iter().map(|word| toml::Value::from(word.as_str()).to_string());
        quoted.collect::<Vec<_>>().join(", ")
    };
    let name = kind.name();
    let units = kind.info().units;
    let limit = units.first().map_or_else(
        || "wall = \"10s\"".to_owned(),
        |unit| format!("{} = 300                     # {}", unit.name, unit.meaning),
    );
    let tool = match kind.tools() {
        Some(_) => format!(
            "\n[{name}]                            # parameters of all algorithms\n\
             adapter = \"tool\"                     # folder with adapter.toml, relative to this file\n\
             run_limit = \"1min\"                   # maximum real time of a run\n"
        ),
        None => String::new(),
    };
    format!(
        "#:schema {SCHEMA}\n\
         # A study of catherd: every project with every algorithm and every seed.\n\
         #   catherd check FILE     what it runs and costs\n\
         #   catherd run FILE       runs it, and continues it after an interruption\n\
         #   catherd report results/NAME\n\
         \n\
         subject = {}\n\
         projects = [{}]   # files or folders, relative to this file\n\
         # Names, or tables such as {{ label = \"small\", name = \"mosa\", parameters = {{ population = 10 }} }}\n\
         # (catherd subjects {name} lists algorithms and parameters).\n\
         algorithms = [{}]\n\
         seeds = {seeds}                            # the seeds 1 to {seeds}; or a list such as [3, 14, 15]\n\
         # assertions = true                  # suites get regression assertions\n\
         # mutation = true                    # suites are executed on mutants\n\
         \n\
         [budget]                             # of each run; the first limit that is reached ends it\n\
         {limit}\n\
         # wall = \"10s\"                       # real time: runs then depend on the machine\n\
         {tool}",
        toml::Value::from(name.as_str()),
        list(projects),
        list(algorithms),
    )
}
