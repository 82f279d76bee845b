//! The projects of a study, found and checked by its subject kind.

use std::cell::RefCell;
use std::path::Path;

use catherd_analysis::tidy::Skipped;
use catherd_coordinator::Projects;
use catherd_experiments::{Digest, PlannedProject, ProjectSource, duplicates};
use catherd_subject::{FindError, FoundProject, Progress, ProjectTable, ReadError, SubjectKind};
use indicatif::ProgressBar;

use crate::failure::Failure;
use crate::terminal::{self, bar};

/// The projects of a study: those that can be run, and those that are left out.
pub(crate) struct Corpus {
    kind: &'static dyn SubjectKind,
    projects: Vec<FoundProject>,
    /// Projects with the bytes of another one; their runs would be the same runs.
    duplicates: Vec<Skipped>,
    /// Projects that cannot be run.
    pub(crate) unusable: Vec<Skipped>,
}

impl Corpus {
    /// Finds and checks projects. Prints which cannot be used, and why.
    pub(super) fn find(
        projects: &ProjectSource,
        kind: &'static dyn SubjectKind,
    ) -> Result<Corpus, Failure> {
        let progress = Bar::default();
        let found = kind.find(projects, &progress);
        progress.clear();
        let found = found?;
        let unusable: Vec<Skipped> = found
            .skipped
            .into_iter()
            .map(|skipped| Skipped {
                project: skipped.path.display().to_string(),
                reason: skipped.reason,
            })
            .collect();
        for Skipped { project, reason } in &unusable {
            terminal::note(&format!("skipped: {project}: {reason}"));
        }
        for warning in &found.warnings {
            terminal::note(&format!("warning: {warning}"));
        }
        let (projects, duplicates) = without_duplicates(found.projects);
        Ok(Corpus { kind, projects, duplicates, unusable })
    }

    pub(super) fn planned(&self) -> Vec<PlannedProject> {
        planned(&self.projects)
    }

    /// Every project that was found and is not run, for the tables.
    pub(super) fn skipped(&self) -> Vec<Skipped> {
        [&*self.unusable, &*self.duplicates].concat()
    }

    /// Writes the measures of the projects into the folder of a study, if the kind has any.
    pub(super) fn describe(&self, folder: &Path) -> Result<(), Failure> {
        match self.kind.describe(&self.projects)? {
            Some(table) => write_table(&table, &folder.join("projects.csv")),
            None => Ok(()),
        }
    }

    /// Uploads the projects that the coordinator's store lacks.
    pub(super) fn upload(&self, store: &Projects) -> Result<(), Failure> {
        let digests: Vec<_> = self.projects.iter().map(|project| project.digest).collect();
        let missing = store.missing(&digests).map_err(|cause| {
            Failure::new(format_args!("cannot look for projects: {cause}"))
                .hint("check that the disk is neither full nor failing")
        })?;
        self.each(|digest, bytes| {
            if !missing.contains(&digest) {
                return Ok(());
            }
            store.insert(bytes).map(drop).map_err(|cause| {
                Failure::new(format_args!("cannot store project {digest}: {cause}"))
                    .hint("free disk space, or name another folder with --out")
            })
        })
    }

    /// Calls `take` with the digest and the bytes of every project. Fails if a file has changed since
    /// it was found.
    pub(crate) fn each(
        &self,
        mut take: impl FnMut(Digest, &[u8]) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        for project in &self.projects {
            take(project.digest, &project.bytes()?)?;
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

/// Separates projects from those with the bytes of an earlier one.
fn without_duplicates(mut projects: Vec<FoundProject>) -> (Vec<FoundProject>, Vec<Skipped>) {
    let repeated = duplicates(&planned(&projects));
    let skipped = repeated.iter().map(|&(duplicate, original)| Skipped {
        project: projects[duplicate].path.display().to_string(),
        reason: format!("the same project as {}", projects[original].name),
    });
    let skipped = skipped.collect();
    for &(duplicate, _) in repeated.iter().rev() {
        projects.remove(duplicate);
    }
    (projects, skipped)
}

fn write_table(table: &ProjectTable, path: &Path) -> Result<(), Failure> {
    let write = || -> csv::Result<()> {
        let mut file = csv::Writer::from_path(path)?;
        file.write_record(&table.columns)?;
        table.rows.iter().try_for_each(|row| file.write_record(row))?;
        Ok(file.flush()?)
    };
    write().map_err(|error| {
        Failure::new(format_args!("{}: {error}", path.display()))
            .hint("name a folder that can be written to with --out")
    })
}

/// A progress bar that appears with the first report.
#[derive(Default)]
struct Bar(RefCell<Option<ProgressBar>>);

impl Progress for Bar {
    fn report(&self, done: u64, total: u64) {
        let mut shown = self.0.borrow_mut();
        shown.get_or_insert_with(|| bar(total as usize)).set_position(done);
    }
}

impl Bar {
    fn clear(&self) {
        if let Some(bar) = self.0.take() {
            bar.finish_and_clear();
        }
    }
}

impl From<FindError> for Failure {
    fn from(error: FindError) -> Failure {
        Failure::new(error.cause).hint(error.advice)
    }
}

impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Failure {
        FindError::from(error).into()
    }
}
