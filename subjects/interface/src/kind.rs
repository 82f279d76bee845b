//! Subject kinds, and the list of the kinds that a program supports.

use std::collections::BTreeMap;
use std::path::Path;

use catherd_experiments::{Algorithm, Engines, Mutation, NamedGoals, ProjectSource, SubjectInfo};

use crate::algorithm::{AlgorithmInfo, FieldError};
use crate::approach::Approaches;
use crate::picture::{Picture, PictureError};
use crate::projects::{FindError, FoundProject, FoundProjects, Progress, ProjectTable};
use crate::resolved::{ResolveError, Resolved};
use crate::runner::{Runner, RunnerContext};

/// A kind of subject, such as Scratch projects.
pub trait SubjectKind: Send + Sync {
    /// Information about the kind, which is stored with results.
    fn info(&self) -> SubjectInfo;

    /// The name in study files and run specifications.
    fn name(&self) -> String {
        self.info().kind
    }

    /// Earlier names of the kind, which may be in old stores and study files.
    fn aliases(&self) -> &'static [&'static str] {
        &[]
    }

    /// Description of the kind in one line, for `catherd subjects`.
    fn summary(&self) -> &'static str;

    /// The algorithms with their parameters.
    fn algorithms(&self) -> Vec<AlgorithmInfo>;

    /// Checks the name and the parameters of an algorithm.
    ///
    /// # Errors
    ///
    /// If a setting cannot be used.
    fn check_algorithm(&self, algorithm: &Algorithm) -> Result<(), FieldError>;

    /// The additional interface of a kind whose algorithms are external tools.
    fn tools(&self) -> Option<&dyn ToolKind> {
        None
    }

    /// Checks the settings of mutation analysis.
    ///
    /// # Errors
    ///
    /// If a setting cannot be used.
    fn check_mutation(&self, _: &Mutation) -> Result<(), FieldError> {
        Err(FieldError {
            field: None,
            cause: format!("subject kind `{}` has no mutation analysis", self.name()),
            advice: "leave mutation out".to_owned(),
        })
    }

    /// Finds the projects that a study names. The result does not depend on the order of the paths.
    ///
    /// # Errors
    ///
    /// If a path cannot be used. A kind may instead skip a project that cannot be run.
    fn find(
        &self,
        projects: &ProjectSource,
        progress: &dyn Progress,
    ) -> Result<FoundProjects, FindError>;

    /// Whether a path of a study names a project that needs no file.
    fn is_builtin(&self, _: &Path) -> bool {
        false
    }

    /// The extension of project files, without its dot. Empty if there is no particular extension.
    fn project_extension(&self) -> &'static str {
        ""
    }

    /// Measures projects for `projects.csv`.
    ///
    /// # Errors
    ///
    /// If a project cannot be read again.
    fn describe(&self, _: &[FoundProject]) -> Result<Option<ProjectTable>, FindError> {
        Ok(None)
    }

    /// Returns the names of the projects' goals in runs of these algorithms, for `goals.csv`.
    ///
    /// # Errors
    ///
    /// If a project cannot be read again.
    fn name_goals(
        &self,
        _: &[FoundProject],
        _: &[Algorithm],
    ) -> Result<Vec<NamedGoals>, FindError> {
        Ok(Vec::new())
    }

    /// A function that reads from records how close runs came to uncovered goals.
    fn approaches(&self) -> Option<Approaches> {
        None
    }

    /// Draws an execution of a suite on a project, for reports. `project` contains the bytes that
    /// workers receive, and `suite` the content of the suite's file.
    ///
    /// # Errors
    ///
    /// If the picture cannot be drawn.
    fn picture(&self, _project: &[u8], _suite: &str) -> Result<Option<Picture>, PictureError> {
        Ok(None)
    }

    /// Whether runs must be executed in a separate process, because their subjects could crash or
    /// damage the engine.
    fn needs_process(&self) -> bool {
        false
    }

    /// Makes a runner, if the context permits runs of this kind.
    fn runner(&self, context: &RunnerContext<'_>) -> Option<Box<dyn Runner>>;
}

/// The additional interface of a kind whose algorithms are external tools.
pub trait ToolKind {
    /// Returns the algorithms of a study with everything that their runs depend on, such as digests
    /// of files that parameters name. Relative paths start at `folder`. With `mutation`, every
    /// algorithm must support mutation analysis.
    ///
    /// # Errors
    ///
    /// If an algorithm cannot be used.
    fn resolve(
        &self,
        algorithms: &[Algorithm],
        folder: &Path,
        mutation: bool,
    ) -> Result<Resolved, ResolveError>;

    /// Adds what tools on this computer have reported about the projects.
    fn described(&self, found: FoundProjects, resolved: &Resolved) -> FoundProjects;
}

const FORMER_ENGINE: &str = "catherd/0.3.0";

/// The subject kinds of a program. The first kind is the default.
pub struct Kinds {
    kinds: Vec<Box<dyn SubjectKind>>,
}

/// The error for a name that no subject kind has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown subject kind `{name}`")]
pub struct UnknownKind {
    /// The unknown name.
    pub name: String,
    /// The names of all kinds.
    pub known: Vec<String>,
}

impl Kinds {
    /// A list with only the default kind.
    pub fn new(default: impl SubjectKind + 'static) -> Kinds {
        Kinds { kinds: vec![Box::new(default)] }
    }

    /// Adds a kind to the list.
    #[must_use]
    pub fn with(mut self, kind: impl SubjectKind + 'static) -> Kinds {
        self.kinds.push(Box::new(kind));
        self
    }

    /// The kinds, the default first.
    pub fn iter(&self) -> impl Iterator<Item = &dyn SubjectKind> {
        self.kinds.iter().map(|kind| &**kind)
    }

    /// The kind of studies that do not name a kind.
    pub fn default_kind(&self) -> &dyn SubjectKind {
        &*self.kinds[0]
    }

    /// Returns the kind with this name or earlier name.
    ///
    /// # Errors
    ///
    /// If there is no such kind.
    pub fn get(&self, name: &str) -> Result<&dyn SubjectKind, UnknownKind> {
        let is = |kind: &&dyn SubjectKind| kind.name() == name || kind.aliases().contains(&name);
        self.iter()
            .find(is)
            .ok_or_else(|| UnknownKind { name: name.to_owned(), known: self.names() })
    }

    /// The names of the kinds, the default first.
    pub fn names(&self) -> Vec<String> {
        self.iter().map(SubjectKind::name).collect()
    }

    /// The engine ids, by the names of the kinds.
    pub fn engines(&self) -> Engines {
        self.iter().map(SubjectKind::info).map(|info| (info.kind, info.engine)).collect()
    }

    /// The engine ids of the kinds whose runs the context permits, by name. Old stores contain runs
    /// with earlier names of kinds.
    pub fn served(&self, context: &RunnerContext<'_>) -> Engines {
        let mut engines = self.engines();
        let earlier = self.iter().flat_map(|kind| kind.aliases());
        engines.extend(earlier.map(|name| ((*name).to_owned(), FORMER_ENGINE.to_owned())));
        engines.retain(|kind, _| self.runner(kind, context).is_some());
        engines
    }

    /// The engine id for runs of a kind with this name or earlier name.
    ///
    /// # Errors
    ///
    /// If there is no such kind.
    pub fn engine(&self, name: &str) -> Result<String, UnknownKind> {
        let info = self.get(name)?.info();
        Ok(if info.kind == name { info.engine } else { FORMER_ENGINE.to_owned() })
    }

    /// The names of the criteria, by kind. Criteria of external tools are not known in advance.
    pub fn criteria(&self) -> BTreeMap<String, Vec<String>> {
        let fixed = self.iter().filter(|kind| kind.tools().is_none()).map(SubjectKind::info);
        let names = |info: SubjectInfo| {
            (info.kind, info.criteria.into_iter().map(|criterion| criterion.name).collect())
        };
        fixed.map(names).collect()
    }

    /// Makes a runner of a kind, if the context permits its runs.
    pub fn runner(&self, name: &str, context: &RunnerContext<'_>) -> Option<Box<dyn Runner>> {
        self.get(name).ok()?.runner(context)
    }

    /// Whether runs of this kind need external programs. Also true for an unknown kind.
    pub fn runs_programs(&self, name: &str) -> bool {
        self.runner(name, &RunnerContext::default()).is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::Command;
    use crate::noop::Noop;

    #[test]
    fn kinds_are_found_by_name_and_earlier_name() {
        let kinds = Kinds::new(Noop).with(Command);
        assert_eq!(kinds.default_kind().name(), "noop");
        assert_eq!(kinds.get("command").unwrap().name(), "command");
        assert_eq!(kinds.get("rehearsal").unwrap().name(), "noop");
        assert_eq!(kinds.engine("noop").unwrap(), "noop/1");
        assert_eq!(kinds.engine("rehearsal").unwrap(), "catherd/0.3.0");
        let unknown = kinds.get("python").err().unwrap();
        assert_eq!(unknown.to_string(), "unknown subject kind `python`");
        assert_eq!(unknown.known, ["noop", "command"]);
    }

    #[test]
    fn programs_run_only_where_a_folder_is_given_for_them() {
        let kinds = Kinds::new(Noop).with(Command);
        let context = RunnerContext::default();
        assert!(kinds.runner("noop", &context).is_some());
        assert!(kinds.runner("command", &context).is_none());
        let programs = crate::runner::Programs::default();
        let context = RunnerContext { programs: Some(&programs), ..context };
        assert!(kinds.runner("command", &context).is_some());
        assert!(kinds.runner("python", &context).is_none());
        let served = |context| kinds.served(&context).into_keys().collect::<Vec<_>>();
        assert_eq!(served(RunnerContext::default()), ["noop", "rehearsal"]);
        assert_eq!(served(context), ["command", "noop", "rehearsal"]);
        assert_eq!(kinds.criteria().into_keys().collect::<Vec<_>>(), ["noop"]);
    }
}
