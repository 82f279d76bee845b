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

/// A kind of subject: what its projects are, which algorithms generate tests for them, and how
/// a run is executed.
pub trait SubjectKind: Send + Sync {
    /// The name, engine id, units, criteria and measures of the kind. They are stored with results,
    /// so that tables and reports do not depend on kinds.
    fn info(&self) -> SubjectInfo;

    /// The name in study files and run specifications.
    fn name(&self) -> String {
        self.info().kind
    }

    /// Earlier names, under which old stores and study files know the kind.
    fn aliases(&self) -> &'static [&'static str] {
        &[]
    }

    /// Description of the kind in one line, for `catherd subjects`.
    fn summary(&self) -> &'static str;

    /// The algorithms with their parameters, in the order of the documentation.
    fn algorithms(&self) -> Vec<AlgorithmInfo>;

    /// Checks the name and the parameters of an algorithm.
    ///
    /// # Errors
    ///
    /// If a field cannot be used: the error names the first one, or no field if the name is
    /// unknown.
    fn check_algorithm(&self, algorithm: &Algorithm) -> Result<(), FieldError>;

    /// The part of the kind for external tools; `None` if its algorithms are not external tools.
    fn tools(&self) -> Option<&dyn ToolKind> {
        None
    }

    /// Checks the settings of mutation analysis.
    ///
    /// # Errors
    ///
    /// If a field cannot be used: the error names the first one, or no field if the kind has no
    /// mutation analysis.
    fn check_mutation(&self, _: &Mutation) -> Result<(), FieldError> {
        Err(FieldError {
            field: None,
            cause: format!("subject kind `{}` has no mutation analysis", self.name()),
            advice: "leave mutation out".to_owned(),
        })
    }

    /// Finds the projects that a study names and checks that they can be run. The result
    /// depends only on the files, not on the order of the paths.
    ///
    /// # Errors
    ///
    /// If a path cannot be used at all. A project that cannot be run is skipped.
    fn find(
        &self,
        projects: &ProjectSource,
        progress: &dyn Progress,
    ) -> Result<FoundProjects, FindError>;

    /// Whether a path of a study names a project that is part of catherd, for which no file has to
    /// exist.
    fn is_builtin(&self, _: &Path) -> bool {
        false
    }

    /// The extension, without its dot, by which [`SubjectKind::find`] recognises project files in a
    /// folder. Empty if the names of projects include the extension, or files need none.
    fn project_extension(&self) -> &'static str {
        ""
    }

    /// Measures projects for `projects.csv`, one row each. `None` if the kind measures nothing.
    ///
    /// # Errors
    ///
    /// If a project cannot be read any more.
    fn describe(&self, _: &[FoundProject]) -> Result<Option<ProjectTable>, FindError> {
        Ok(None)
    }

    /// The names of the goals of projects in runs of some algorithms, for `goals.csv`. Empty if the
    /// kind has no names for goals.
    ///
    /// # Errors
    ///
    /// If a project cannot be read any more.
    fn name_goals(
        &self,
        _: &[FoundProject],
        _: &[Algorithm],
    ) -> Result<Vec<NamedGoals>, FindError> {
        Ok(Vec::new())
    }

    /// How close runs came to goals that no run covers, for kinds in which this does not follow
    /// from the order of goals ([`NamedGoals::before`]). `None` if records do not contain it.
    fn approaches(&self) -> Option<Approaches> {
        None
    }

    /// Draws, for reports, an execution of a run's suite on its project. `project` contains the
    /// bytes that workers receive, and `suite` the text of the suite's file. `None` if the kind
    /// does not draw suites, or cannot draw this one.
    ///
    /// # Errors
    ///
    /// If the project or the suite cannot be read.
    fn picture(&self, _project: &[u8], _suite: &str) -> Result<Option<Picture>, PictureError> {
        Ok(None)
    }

    /// Whether subjects are executed by an engine that a hostile subject could crash or damage;
    /// runs must then be executed in a separate process.
    fn needs_process(&self) -> bool {
        false
    }

    /// Makes a runner. `None` if the context does not permit runs of this kind.
    fn runner(&self, context: &RunnerContext<'_>) -> Option<Box<dyn Runner>>;
}

/// The part of a kind whose algorithms are external tools. Records of such a kind may name criteria
/// that its [`SubjectInfo`] does not list.
pub trait ToolKind {
    /// The algorithms of a study with everything that their runs depend on, such as the digests of
    /// files that parameters name. Relative paths start at `folder`, the folder of the study file.
    /// With `mutation`, mutation analysis must be possible for the suites of every algorithm.
    ///
    /// # Errors
    ///
    /// If an algorithm cannot be used: the error names the first one and the field at fault.
    fn resolve(
        &self,
        algorithms: &[Algorithm],
        folder: &Path,
        mutation: bool,
    ) -> Result<Resolved, ResolveError>;

    /// Adds the descriptions that tools have made on this computer to the found projects: measures,
    /// and whether any algorithm of the study supports the project.
    fn described(&self, found: FoundProjects, resolved: &Resolved) -> FoundProjects;
}

/// The engine id of every kind in version 0.3.0.
const FORMER_ENGINE: &str = "catherd/0.3.0";

/// The subject kinds of a program, of which the first is the default of studies that name none.
pub struct Kinds {
    kinds: Vec<Box<dyn SubjectKind>>,
}

/// There is no subject kind of this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown subject kind `{name}`")]
pub struct UnknownKind {
    /// The name that was given.
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

    /// The kinds in the order of registration, the default first.
    pub fn iter(&self) -> impl Iterator<Item = &dyn SubjectKind> {
        self.kinds.iter().map(|kind| &**kind)
    }

    /// The kind of studies that name none.
    pub fn default_kind(&self) -> &dyn SubjectKind {
        &*self.kinds[0]
    }

    /// The kind with this name or earlier name.
    ///
    /// # Errors
    ///
    /// If there is none.
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

    /// The engine ids by the name of the kind.
    pub fn engines(&self) -> Engines {
        self.iter().map(SubjectKind::info).map(|info| (info.kind, info.engine)).collect()
    }

    /// The engine ids of the kinds whose runs the context permits, by the name of the kind. Earlier
    /// names of kinds have the engine id of version 0.3.0, so that runs in old stores can be
    /// executed.
    pub fn served(&self, context: &RunnerContext<'_>) -> Engines {
        let mut engines = self.engines();
        let earlier = self.iter().flat_map(|kind| kind.aliases());
        engines.extend(earlier.map(|name| ((*name).to_owned(), FORMER_ENGINE.to_owned())));
        engines.retain(|kind, _| self.runner(kind, context).is_some());
        engines
    }

    /// The engine id of runs of a kind, given its name or an earlier name. Runs under an earlier
    /// name have the engine id of version 0.3.0, as in [`Kinds::served`].
    ///
    /// # Errors
    ///
    /// If there is no such kind.
    pub fn engine(&self, name: &str) -> Result<String, UnknownKind> {
        let info = self.get(name)?.info();
        Ok(if info.kind == name { info.engine } else { FORMER_ENGINE.to_owned() })
    }

    /// The names of the criteria of each kind with fixed criteria, by the name of the kind.
    pub fn criteria(&self) -> BTreeMap<String, Vec<String>> {
        let fixed = self.iter().filter(|kind| kind.tools().is_none()).map(SubjectKind::info);
        let names = |info: SubjectInfo| {
            (info.kind, info.criteria.into_iter().map(|criterion| criterion.name).collect())
        };
        fixed.map(names).collect()
    }

    /// Makes a runner of a kind. `None` if there is no such kind, or if the context does not permit
    /// its runs.
    pub fn runner(&self, name: &str, context: &RunnerContext<'_>) -> Option<Box<dyn Runner>> {
        self.get(name).ok()?.runner(context)
    }

    /// Whether runs of a kind execute programs, which a worker permits only if its options say so.
    /// Also true for an unknown kind.
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
