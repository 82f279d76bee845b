//! The projects of a study, found and checked by its subject kind.

use catherd_coordinator::{Coordinator, StoreError};
use catherd_experiments::{
    Algorithm, CorpusDescription, LeftOut, Measures, PlannedProject, ProjectSource, duplicates,
};
use catherd_interface::{FindError, FoundProject, Progress, ProjectTable, Resolved, SubjectKind};

use crate::error::ResultsError;

/// The projects of a study, including projects that are left out.
pub struct Corpus {
    kind: &'static dyn SubjectKind,
    projects: Vec<FoundProject>,
    /// Projects with the same bytes as an earlier project, which are left out.
    pub duplicates: Vec<LeftOut>,
    /// Projects that cannot be run.
    pub unusable: Vec<LeftOut>,
    /// Flaws of projects that can be run nevertheless.
    pub warnings: Vec<String>,
}

impl Corpus {
    /// Finds and checks projects.
    ///
    /// # Errors
    /// If the projects cannot be found or read.
    pub fn find(
        projects: &ProjectSource,
        kind: &'static dyn SubjectKind,
        resolved: &Resolved,
        progress: &dyn Progress,
    ) -> Result<Corpus, FindError> {
        let found = kind.find(projects, progress)?;
        let found = match kind.tools() {
            Some(tools) => tools.described(found, resolved),
            None => found,
        };
        let unusable = found
            .skipped
            .into_iter()
            .map(|skipped| LeftOut {
                project: skipped.path.display().to_string(),
                reason: skipped.reason,
            })
            .collect();
        let (projects, duplicates) = without_duplicates(found.projects);
        Ok(Corpus { kind, projects, duplicates, unusable, warnings: found.warnings })
    }

    /// The projects that are run.
    pub fn projects(&self) -> &[FoundProject] {
        &self.projects
    }

    /// The projects that are run, in the form of a plan.
    pub fn planned(&self) -> Vec<PlannedProject> {
        planned(&self.projects)
    }

    /// Describes the corpus.
    ///
    /// # Errors
    /// If a project cannot be read.
    pub fn description(&self, algorithms: &[Algorithm]) -> Result<CorpusDescription, ResultsError> {
        let table = self.kind.describe(&self.projects)?;
        let measures = table.map(|ProjectTable { columns, rows }| Measures {
            columns: columns.into_iter().map(str::to_owned).collect(),
            rows,
        });
        let left_out = [&*self.unusable, &*self.duplicates].concat();
        let goals = self.kind.name_goals(&self.projects, algorithms)?;
        Ok(CorpusDescription { left_out, measures, goals })
    }

    /// Adds to the coordinator's store the projects that are missing or damaged there. `on_damaged`
    /// is called with each project that is found to be damaged, and the damage.
    ///
    /// # Errors
    /// If the store fails or a project cannot be read.
    pub fn store(
        &self,
        coordinator: &Coordinator,
        mut on_damaged: impl FnMut(&FoundProject, &StoreError),
    ) -> Result<(), ResultsError> {
        let store = coordinator.projects();
        let digests: Vec<_> = self.projects.iter().map(|project| project.digest).collect();
        let failed = |cause| coordinator.error(cause);
        let missing = store.missing(&digests).map_err(failed)?;
        for project in self.projects.iter().filter(|project| !missing.contains(&project.digest)) {
            match store.check(project.digest) {
                Ok(()) => {}
                Err(cause) if cause.is_damage() => on_damaged(project, &cause),
                Err(cause) => return Err(failed(cause).into()),
            }
        }
        let wanted = store.missing(&digests).map_err(failed)?;
        let not_stored = |project: &FoundProject, cause: String| {
            let (store, project) = (coordinator.url().clone(), project.digest);
            ResultsError::NotStored { store, project, cause }
        };
        for project in &self.projects {
            let bytes = project.bytes()?;
            if !wanted.contains(&project.digest) {
                continue;
            }
            if let Err(cause) = store.insert(&bytes) {
                return Err(ResultsError::of_store(coordinator).unwrap_or_else(|| {
                    let last_error = coordinator.progress().last_error;
                    not_stored(project, last_error.unwrap_or_else(|| cause.to_string()))
                }));
            }
            // If a project was damaged, the part of the store's file to which its bytes are written
            // may be damaged too.
            if !missing.contains(&project.digest) {
                store
                    .check_again(project.digest)
                    .map_err(|cause| not_stored(project, cause.to_string()))?;
            }
        }
        Ok(())
    }
}

fn planned(projects: &[FoundProject]) -> Vec<PlannedProject> {
    let planned = projects
        .iter()
        .map(|project| PlannedProject { name: project.name.clone(), digest: project.digest });
    planned.collect()
}

fn without_duplicates(mut projects: Vec<FoundProject>) -> (Vec<FoundProject>, Vec<LeftOut>) {
    let repeated = duplicates(&planned(&projects));
    let skipped = repeated.iter().map(|&(duplicate, original)| LeftOut {
        project: projects[duplicate].path.display().to_string(),
        reason: format!("the same project as {}", projects[original].name),
    });
    let skipped = skipped.collect();
    for &(duplicate, _) in repeated.iter().rev() {
        projects.remove(duplicate);
    }
    (projects, skipped)
}
