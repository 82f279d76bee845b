//! The parts of a study on the command line: a study file, flags, or both.

use std::path::{Path, PathBuf};

use catherd_analysis::comparison::LEVEL;
use catherd_analysis::stats::runs_needed;
use catherd_analysis_results::Corpus;
use catherd_cli_console::{Failure, terminal};
use catherd_experiments::plan::check::MAX_RUNS;
use catherd_experiments::{
    Algorithm, AlgorithmError, Flags, Plan, PlanError, ProjectSource, Study, nearest,
};
use catherd_interface::command::Tool;
use catherd_interface::{FieldError, ResolveError, Resolved};
use clap::Args;

use super::corpus;
use crate::failure::{UNREADABLE, Worded};
use crate::places;
use crate::subjects::{self, WorkLimits};

fn subject_help() -> String {
    let kinds = subjects::kinds();
    let (names, default) = (kinds.names().join(", "), kinds.default_kind().name());
    format!("Subject kind: {names} [default: the study file's, otherwise {default}]")
}

fn algorithms_help() -> String {
    let (names, kind) = (subjects::algorithm_names(), subjects::kinds().default_kind().name());
    format!(
        "Algorithms, separated by commas; a label of the study file stands for its algorithm with all \
         settings. Algorithms of {kind}: {names}"
    )
}

/// The arguments that make a study: a study file, flags, or both.
#[derive(Args)]
pub(crate) struct StudyArgs {
    /// Study file (TOML); flags replace its settings
    #[arg(value_name = "STUDY.toml")]
    study: Option<PathBuf>,

    /// Project files, or folders of them; see catherd subjects
    #[arg(long, value_name = "PATH", num_args = 1..)]
    projects: Vec<PathBuf>,

    #[arg(long, value_name = "KIND", help = subject_help())]
    subject: Option<String>,

    #[arg(long, value_name = "LIST", help = algorithms_help())]
    algorithms: Option<String>,

    /// Number of seeds, such as 5 for the seeds 1 to 5, or a list such as 3,14,15 [default: 1]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    seeds: Option<String>,

    #[command(flatten)]
    work: WorkLimits,

    /// Budget of a run in real time, such as 10s or 10min; runs then depend on the machine
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    wall: Option<String>,

    /// Add regression assertions to test suites; each final test is executed several more times
    #[arg(long)]
    assertions: bool,

    /// Execute the suites, with assertions, on mutants of their projects; a study file can limit
    /// the operators and the number of mutants
    #[arg(long)]
    mutation: bool,

    /// Name of the study in reports [default: the name in the study file, otherwise the name of the
    /// file without its ending, or `study` if there is no file]
    #[arg(long)]
    name: Option<String>,
}

pub(crate) struct PlannedStudy {
    pub(crate) study: Study,
    pub(crate) corpus: Corpus,
    pub(crate) plan: Plan,
    pub(crate) tools: Vec<Tool>,
}

impl StudyArgs {
    /// Returns the name from the command line, from the name of the study file, or `study`. The
    /// file is not read.
    pub(crate) fn name(&self) -> String {
        let stem = || self.study.as_ref().and_then(|file| file.file_stem());
        let stem = || stem().map(|stem| stem.to_string_lossy().into_owned());
        self.name.clone().or_else(stem).unwrap_or_else(|| "study".to_owned())
    }

    fn study(&self) -> Result<Study, Failure> {
        // Check the kind first, because algorithms and units depend on the kind.
        if let Some(name) = &self.subject {
            subjects::kind(name).map_err(|failure| failure.at("--subject: "))?;
        }
        let flags = Flags {
            name: self.name.clone(),
            projects: self.projects.clone(),
            algorithms: self.algorithms.clone(),
            seeds: self.seeds.clone(),
            work: self.work.0.clone(),
            subject: self.subject.clone(),
            wall: self.wall.clone(),
            assertions: self.assertions,
            mutation: self.mutation,
        };
        match &self.study {
            Some(file) if !file.exists() => Err(places::missing(file, UNREADABLE)),
            Some(file) if is_project(file) => {
                let hint = format!(
                    "name projects with --projects {} --algorithms LIST, and a budget",
                    file.display()
                );
                let what = format_args!("{}: is not a study file", file.display());
                Err(Failure::new(what).hint(hint))
            }
            Some(file) => Ok(Study::read(file)
                .map_err(Worded::worded)?
                .overridden(&flags)
                .map_err(Worded::worded)?),
            None if self.projects.is_empty() => Err(Failure::new("no study to run")
                .hint("name a study file, or projects with --projects; see catherd run --help")),
            None => Ok(Study::from_flags(&flags).map_err(Worded::worded)?),
        }
    }

    fn located(&self, field: &str, failure: Failure) -> Failure {
        match self.study.as_ref().and_then(|file| Study::location(file, field)) {
            Some(location) => {
                let named = field.split('.').filter(|part| part.parse::<usize>().is_err());
                let field = named.collect::<Vec<_>>().join(".");
                failure.at(format_args!("{location}{field}: "))
            }
            None => failure,
        }
    }

    /// Returns the folder to which paths are relative.
    pub(crate) fn folder(&self) -> PathBuf {
        let folder = self.study.as_deref().and_then(Path::parent);
        folder.filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_owned()
    }

    pub(crate) fn claims(&self) -> Option<PathBuf> {
        crate::claims::next_to(self.study.as_deref()?)
    }

    /// Without an environment, every run of the tool would fail.
    pub(crate) fn check_tools(&self, tools: &[Tool]) -> Result<(), Failure> {
        tools.iter().try_for_each(|tool| {
            tool.check_prepared().map_err(|cause| {
                let of = self.study.as_deref().unwrap_or(Path::new("STUDY"));
                Failure::new(cause).hint(format!("catherd tool prepare {}", of.display()))
            })
        })
    }

    pub(crate) fn plan(&self) -> Result<PlannedStudy, Failure> {
        let mut study = self.study()?;
        let kind = subjects::kind_of(&study).map_err(|e| self.located("subject", e))?;
        let info = kind.info();
        if let Some(error) = PlanError::of_budget(&study.budget, &info) {
            let unit = study.budget.unknown_unit(&info).unwrap_or_default();
            return Err(self.located(&format!("budget.{unit}"), error.worded()));
        }
        if let Some(mutation) = &study.mutation {
            kind.check_mutation(mutation).map_err(|error| match (self.mutation, &error.field) {
                (true, _) => error.worded(),
                (false, None) => self.located("mutation", error.worded()),
                (false, Some(key)) => self.located(&format!("mutation.{key}"), error.worded()),
            })?;
        }
        if let ProjectSource::Synthetic { count, .. } = study.projects {
            // Check the number of runs first, because making the projects takes a long time.
            let runs = study.runs(usize::try_from(count).unwrap_or(usize::MAX)) as u64;
            if runs > MAX_RUNS {
                let line = format!("runs: {runs} are more than the maximum of {MAX_RUNS}");
                let failure = Failure::new(line).hint("divide the study into several");
                return Err(self.located("projects.synthetic.count", failure));
            }
        }
        // Find projects last, because finding a thousand projects takes a long time, and a misspelt
        // name should be reported earlier.
        for (number, algorithm) in study.algorithms.iter().enumerate() {
            kind.check_algorithm(algorithm)
                .map_err(|error| self.algorithm_refused(number, algorithm, error))?;
        }
        let mutation = study.mutation.is_some();
        let resolved = match kind.tools() {
            Some(tools) => tools.resolve(&study.algorithms, &self.folder(), mutation),
            None => Ok(Resolved::without_tools(&study.algorithms)),
        };
        let mut resolved = resolved.map_err(|ResolveError { number, error }| {
            self.algorithm_refused(number, &study.algorithms[number], error)
        })?;
        study.algorithms = std::mem::take(&mut resolved.algorithms);
        let corpus = corpus::find(&study.projects, kind, &resolved);
        let corpus = corpus.map_err(|failure| match &self.projects[..] {
            [] => self.located("projects", failure),
            _ => failure,
        })?;
        let plan = Plan::new(&study, &info, corpus.planned(), |algorithm| {
            kind.check_algorithm(algorithm).map_err(AlgorithmError::from)
        })
        .map_err(Worded::worded)?;
        Ok(PlannedStudy { study, corpus, plan, tools: resolved.tools })
    }

    fn nearest_label(&self, word: &str) -> Option<String> {
        let study = Study::read(self.study.as_ref()?).ok()?;
        let labels = study.algorithms.iter().map(|algorithm| algorithm.label.as_str());
        nearest(word, labels).map(str::to_owned)
    }

    fn algorithm_refused(
        &self,
        number: usize,
        algorithm: &Algorithm,
        error: FieldError,
    ) -> Failure {
        let FieldError { field, cause, advice } = error;
        let line = match &field {
            None => cause,
            Some(_) => format!("algorithm `{}`: {cause}", algorithm.label),
        };
        let failure = Failure::new(line).hint(advice);
        let failure = match subjects::other_kind_of(&algorithm.name) {
            Some(kind) if field.is_none() => failure.hint(format!(
                "it is an algorithm of the kind {kind}: write subject = \"{kind}\" (--subject {kind})"
            )),
            _ => failure,
        };
        let Some(file) = self.study.as_ref().filter(|_| self.algorithms.is_none()) else {
            return match self.nearest_label(&algorithm.label) {
                Some(label) if field.is_none() => failure.hint(format!("write `{label}`")),
                _ => failure,
            };
        };
        let parameter = field.filter(|name| algorithm.parameters.contains_key(name));
        let place = parameter.as_ref().map_or_else(
            || "algorithms".to_owned(),
            |parameter| format!("algorithms.parameters.{parameter}"),
        );
        match Study::algorithm_location(file, number, parameter.as_deref()) {
            Some(location) => failure.at(format_args!("{location}{place}: ")),
            None => failure,
        }
    }
}

fn is_project(path: &Path) -> bool {
    let endings = ["sb3", "sb2", "js", "ts", "tgz", "bp", "py"];
    path.is_dir() || path.extension().is_some_and(|ending| endings.iter().any(|one| ending == *one))
}

/// Returns a warning if algorithms are compared on each project, but with too few seeds for a
/// significant difference.
pub(crate) fn too_few_seeds(plan: &Plan) -> Option<String> {
    let needed = runs_needed(LEVEL);
    let compared = plan.algorithms.len() > 1 && !plan.has_rounds();
    (compared && plan.seeds.len() < needed).then(|| {
        format!(
            "note: with {}, no difference between algorithms on a project can be significant: {needed} \
             are needed for p < {LEVEL} (Mann-Whitney U test)",
            terminal::plural(plan.seeds.len(), "seed")
        )
    })
}
