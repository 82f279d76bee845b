//! The projects of a study, found and checked by its subject kind.

use std::cell::RefCell;

use catherd_cli_console::Failure;
use catherd_cli_console::terminal::{self, bar};
use catherd_coordinator::Coordinator;
use catherd_experiments::{
    Algorithm, CorpusDescription, Digest, LeftOut, Measures, PlannedProject, ProjectSource,
    duplicates,
};
use catherd_interface::{
    FindError, Found, FoundProject, Progress, ProjectTable, ReadError, SubjectKind,
};
use indicatif::ProgressBar;

use super::local_cluster;
use crate::failure::{self, Worded};

/// The projects of a study: those that can be run, and those that are left out.
pub(crate) struct Corpus {
    kind: &'static dyn SubjectKind,
    projects: Vec<FoundProject>,
    /// Projects with the bytes of another one; their runs would be the same runs.
    duplicates: Vec<LeftOut>,
    /// Projects that cannot be run.
    pub(crate) unusable: Vec<LeftOut>,
}

impl Corpus {
    /// Finds and checks projects, and has `described` add what is known of them. Prints which cannot be
    /// used, and why.
    pub(super) fn find(
        projects: &ProjectSource,
        kind: &'static dyn SubjectKind,
        described: impl FnOnce(Found) -> Found,
    ) -> Result<Corpus, Failure> {
        let progress = Bar::default();
        let found = kind.find(projects, &progress);
        progress.clear();
        let found = described(found.map_err(Worded::worded)?);
        let unusable: Vec<LeftOut> = found
            .skipped
            .into_iter()
            .map(|skipped| LeftOut {
                project: skipped.path.display().to_string(),
                reason: skipped.reason,
            })
            .collect();
        for LeftOut { project, reason } in &unusable {
            terminal::note(&format!("skipped: {project}: {reason}"));
        }
        for warning in &found.warnings {
            terminal::note(&format!("warning: {warning}"));
        }
        let (projects, duplicates) = without_duplicates(found.projects);
        for LeftOut { project, reason } in &duplicates {
            terminal::note(&format!("duplicate: {project}: {reason}, run once"));
        }
        Ok(Corpus { kind, projects, duplicates, unusable })
    }

    pub(super) fn planned(&self) -> Vec<PlannedProject> {
        planned(&self.projects)
    }

    /// The projects that are not run, and measures and names of goals of the others if the kind has any.
    pub(crate) fn description(
        &self,
        algorithms: &[Algorithm],
    ) -> Result<CorpusDescription, Failure> {
        let table = self.kind.describe(&self.projects).map_err(Worded::worded)?;
        let measures = table.map(|ProjectTable { columns, rows }| Measures {
            columns: columns.into_iter().map(str::to_owned).collect(),
            rows,
        });
        let left_out = [&*self.unusable, &*self.duplicates].concat();
        let goals = self.kind.name_goals(&self.projects, algorithms).map_err(Worded::worded)?;
        Ok(CorpusDescription { left_out, measures, goals })
    }

    /// Uploads the projects that the coordinator's store lacks or has damaged.
    pub(super) fn upload(&self, coordinator: &Coordinator) -> Result<(), Failure> {
        let store = coordinator.projects();
        let digests: Vec<_> = self.projects.iter().map(|project| project.digest).collect();
        let failed = |cause| coordinator.error(cause);
        let missing = store.missing(&digests).map_err(failed).map_err(Worded::worded)?;
        for project in self.projects.iter().filter(|one| !missing.contains(&one.digest)) {
            match store.check(project.digest) {
                Ok(()) => {}
                Err(cause) if cause.is_damage() => {
                    let name = &project.name;
                    terminal::note(&format!("project {name} is stored again: {cause}"));
                }
                Err(cause) => return Err(failed(cause).worded()),
            }
        }
        let wanted = store.missing(&digests).map_err(failed).map_err(Worded::worded)?;
        self.each(|digest, bytes| {
            if !wanted.contains(&digest) {
                return Ok(());
            }
            store.insert(bytes).map(drop).map_err(|cause| {
                let progress = coordinator.progress();
                if let Some(lost) = progress.lost_file {
                    return Failure::new(lost).hint(failure::LOST_FILE);
                }
                if let Some(damage) = progress.damage {
                    return local_cluster::damaged(coordinator, &damage);
                }
                let cause = progress.last_error.unwrap_or_else(|| cause.to_string());
                let place = coordinator.url();
                Failure::new(format_args!("{place}: cannot store project {digest}: {cause}"))
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
            take(project.digest, &project.bytes().map_err(Worded::worded)?)?;
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

impl Worded for FindError {
    fn worded(self) -> Failure {
        Failure::new(self.cause).hint(self.advice)
    }
}

impl Worded for ReadError {
    fn worded(self) -> Failure {
        FindError::from(self).worded()
    }
}
