//! The subject kind `command`: any external tool that is started by a command line, reads the file
//! of a project and writes a result file.
//!
//! The algorithm's parameter `command` is the template of the command line and, like all
//! parameters, a part of the run id. The template is split into words at white space (`'...'` and
//! `"..."` keep words together; no shell is involved), and these placeholders are replaced in each
//! word:
//!
//! | | |
//! | --- | --- |
//! | `{project}` | path of the project's file |
//! | `{algorithm}`, `{seed}` | algorithm and seed of the run |
//! | `{executions}`, `{steps}`, `{seconds}` | the limits of the budget, 0 if a limit is not set |
//! | `{budget}` | the first of these limits that is set, or 0 |
//! | `{out}` | path of the result file |
//!
//! A program does not inherit the environment of its worker: `PATH` names the system's folders,
//! `HOME` and `TMPDIR` are folders in the run's working folder, `LANG` is `C.UTF-8` and `TZ` is
//! `UTC`. The optional parameter `environment` adds or replaces variables: its words have the form
//! `NAME=VALUE` and may contain the same placeholders.
//!
//! The parameters `run_limit`, `run_cpu` and `run_memory` limit the real time, processor time and
//! memory of a run (module `limits`). A project may be a descriptor of several files (module
//! `descriptor`).
//!
//! The parameter `adapter` replaces `command` for a tool with an adapter (module `adapter`).
//! Relative paths of tools start at the folder of the study file (module `tool`).
//!
//! Each run has a new working folder. The processes that remain at the end of a run are killed
//! (module `supervisor`). If the program writes a valid result file such as the following, its exit
//! code is ignored:
//!
//! ```json
//! {"criteria": [{"name": "goals", "goals": 20, "covered": [0, 3]}],
//!  "work": {"executions": 7, "steps": 0},
//!  "timeline": [{"work": [1, 0], "wall_ms": 12, "covered": 2}],
//!  "suite": {"tests": 1, "size": 5, "unit": "events", "removed": 0},
//!  "metrics": {"lines": 40}, "artifacts": {"suite.json": "..."}}
//! ```
//!
//! The keys of the file are keys of a [`RunRecord`](catherd_experiments::RunRecord). Only
//! `criteria` is required. `covered` contains different numbers below `goals`, or is the number of
//! covered goals. `outcome` may be `failed` with a `reason`. Files of version 0.3.0 are read as
//! well.

mod adapter;
mod answer;
mod binaries;
mod contract;
mod describe;
mod description;
mod descriptor;
mod faults;
mod limits;
mod live;
mod measurements;
mod measurer;
mod measuring;
mod prepared;
mod process;
mod program;
mod result;
mod snapshot;
mod space;
mod supervisor;
mod template;
mod tool;
mod trial;
mod trials;
mod working_folder;

use std::path::Path;

use catherd_experiments::{
    Algorithm, CriterionInfo, Measure, Mutation, Noun, Parameter, ProjectSource, SubjectInfo, Unit,
};

use crate::algorithm::{ANY_ALGORITHM, AlgorithmInfo, FieldError, ParameterInfo, Values};
use crate::files;
use crate::kind::{SubjectKind, ToolKind};
use crate::projects::{FindError, FoundProject, FoundProjects, Progress, ProjectTable};
use crate::resolved::{ResolveError, Resolved};
use crate::runner::{Runner, RunnerContext};
pub use description::Description;
use limits::RunLimits;
pub use prepared::{Diagnosis, Tool};
use program::Program;
pub use supervisor::{Supervision, supervise};
pub use tool::RelativeTool;
pub use trial::{Exchange, Trial, TrialSettings};
pub use trials::{id as trial_id, import as import_trial};

/// The name of the kind.
pub const KIND: &str = "command";

/// The criterion of a result without `criteria`.
const CRITERION: &str = "goals";

const MUTANT_LEVEL: &str = "target";

const UNITS: [&str; 2] = ["executions", "steps"];

/// The subject kind of external tools.
#[derive(Clone, Copy, Debug)]
pub struct Command;

impl SubjectKind for Command {
    fn info(&self) -> SubjectInfo {
        let unit = |name: &str, singular: &str, plural: &str| {
            Unit::new(name, singular, plural, "as the program counts them")
        };
        // Coverage may depend on size and complexity.
        let measure = |name: &str, caption: &str| match name {
            "lines" | "mccabe" => Measure::related(name, caption),
            _ => Measure::new(name, caption),
        };
        SubjectInfo {
            kind: KIND.to_owned(),
            // The engine id of version 0.3.0, because runs must keep their ids.
            engine: "catherd/0.3.0".to_owned(),
            units: vec![
                unit(UNITS[0], "test execution", "test executions"),
                unit(UNITS[1], "step", "steps"),
            ],
            criteria: vec![CriterionInfo::new("goal", CRITERION)],
            suite_unit: Noun::new("event", "events"),
            mutant_levels: vec![MUTANT_LEVEL.to_owned()],
            artifact_extension: "json".to_owned(),
            measures: descriptor::MEASURES
                .iter()
                .map(|&(name, caption)| measure(name, caption))
                .collect(),
        }
    }

    fn tools(&self) -> Option<&dyn ToolKind> {
        Some(self)
    }

    fn summary(&self) -> &'static str {
        "an external tool: a command line that runs on a file and leaves a result file"
    }

    fn algorithms(&self) -> Vec<AlgorithmInfo> {
        vec![AlgorithmInfo {
            name: ANY_ALGORITHM.to_owned(),
            summary: "any name, passed to the tool as {algorithm}".to_owned(),
            parameters: vec![
                ParameterInfo {
                    name: template::PARAMETER.to_owned(),
                    default: None,
                    values: Values::Text,
                    meaning:
                        "template of the command line, with placeholders such as {project} and {out}"
                            .to_owned(),
                },
                ParameterInfo {
                    name: contract::ADAPTER.to_owned(),
                    default: Some(Parameter::Text(String::new())),
                    values: Values::Text,
                    meaning: "folder with adapter.toml, relative to the study file, in place of \
                              command"
                        .to_owned(),
                },
                ParameterInfo {
                    name: template::ENVIRONMENT.to_owned(),
                    default: Some(Parameter::Text(String::new())),
                    values: Values::Text,
                    meaning: "variables of the environment, such as \"PYTHONHASHSEED={seed}\""
                        .to_owned(),
                },
                ParameterInfo {
                    name: limits::TIME.to_owned(),
                    default: Some(Parameter::Text(String::new())),
                    values: Values::Text,
                    meaning: "maximum real time of a run, such as \"2.5h\"".to_owned(),
                },
                ParameterInfo {
                    name: limits::CPU.to_owned(),
                    default: Some(Parameter::Text(String::new())),
                    values: Values::Text,
                    meaning: "maximum processor time of all processes of a run together, such as \"60s\""
                        .to_owned(),
                },
                ParameterInfo {
                    name: limits::ARTIFACTS.to_owned(),
                    default: Some(Parameter::Text("1MiB".to_owned())),
                    values: Values::Text,
                    meaning: "maximum total size of the binary files of a run, at most \"16MiB\""
                        .to_owned(),
                },
                ParameterInfo {
                    name: measurer::MEASURER.to_owned(),
                    default: Some(Parameter::Text(String::new())),
                    values: Values::Text,
                    meaning: "folder of the adapter that measures what the tool leaves, relative to the study \
                              file"
                        .to_owned(),
                },
                ParameterInfo {
                    name: measurer::MEASURE.to_owned(),
                    default: Some(Parameter::Text(measurer::TIMES[0].to_owned())),
                    values: Values::Choice {
                        words: measurer::TIMES.map(str::to_owned).to_vec(),
                    },
                    meaning: "whether the tool's adapter starts the measurer within the trial, or catherd \
                              after it"
                        .to_owned(),
                },
                ParameterInfo {
                    name: limits::MEASURING.to_owned(),
                    default: Some(Parameter::Text("1h".to_owned())),
                    values: Values::Text,
                    meaning: "maximum real time of measuring apart from the trial, such as \"20min\""
                        .to_owned(),
                },
                ParameterInfo {
                    name: limits::MEMORY.to_owned(),
                    default: Some(Parameter::Text(String::new())),
                    values: Values::Text,
                    meaning: "maximum memory of all processes of a run together, such as \"4GiB\""
                        .to_owned(),
                },
            ],
        }]
    }

    fn check_algorithm(&self, algorithm: &Algorithm) -> Result<(), FieldError> {
        tool::check(algorithm)?;
        RunLimits::of(algorithm).map(drop)
    }

    /// The adapter checks the settings.
    fn check_mutation(&self, _: &Mutation) -> Result<(), FieldError> {
        Ok(())
    }

    fn find(
        &self,
        projects: &ProjectSource,
        progress: &dyn Progress,
    ) -> Result<FoundProjects, FindError> {
        match projects {
            ProjectSource::Paths(paths) => {
                files::find(paths, |_| true, progress).and_then(descriptor::named)
            }
            ProjectSource::Synthetic { .. } => Err(FindError {
                cause: format!("subject kind `{KIND}` has no synthetic projects"),
                advice: "name files; `catherd dataset synth` writes synthetic projects".to_owned(),
            }),
        }
    }

    fn describe(&self, projects: &[FoundProject]) -> Result<Option<ProjectTable>, FindError> {
        descriptor::table(projects)
    }

    fn runner(&self, context: &RunnerContext<'_>) -> Option<Box<dyn Runner>> {
        Some(Box::new(Program::new(context.programs?, context.limits)))
    }
}

impl ToolKind for Command {
    fn resolve(
        &self,
        algorithms: &[Algorithm],
        folder: &Path,
        mutation: bool,
    ) -> Result<Resolved, ResolveError> {
        tool::resolve(algorithms, folder, mutation)
    }

    fn described(&self, found: FoundProjects, resolved: &Resolved) -> FoundProjects {
        prepared::described(found, resolved)
    }
}
