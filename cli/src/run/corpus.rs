//! The projects of a study, checked.

use catherd_analysis::tidy::Skipped;
use catherd_coordinator::Projects;
use catherd_datasets::{Entry, find, synth};
use catherd_experiments::{Digest, PlannedProject, ProjectSource, twins};

use crate::failure::Failure;
use crate::terminal::{self, bar};

/// Usable projects, and what was set aside.
pub(crate) struct Corpus {
    entries: Vec<Entry>,
    /// Projects whose bytes are those of another, whose runs would be the same.
    twins: Vec<Skipped>,
    /// Projects that cannot be run.
    pub(crate) unusable: Vec<Skipped>,
}

impl Corpus {
    /// Finds and checks projects; says at once what cannot be used, and why.
    pub(super) fn find(projects: &ProjectSource) -> Result<Corpus, Failure> {
        let found = match projects {
            ProjectSource::Paths(paths) => find(paths)?,
            &ProjectSource::Synthetic { count, seed } => {
                let bar = bar(count as usize);
                let made = synth::find(count, seed, || bar.inc(1));
                bar.finish_and_clear();
                made
            }
        };
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
        for warning in found.projects.iter().flat_map(|entry| &entry.warnings) {
            terminal::note(&format!("warning: {warning}"));
        }
        let mut corpus = Corpus { entries: found.projects, twins: Vec::new(), unusable };
        let twins = twins(&corpus.planned());
        for &(twin, original) in &twins {
            let original = &corpus.entries[original].name;
            corpus.twins.push(Skipped {
                project: corpus.entries[twin].path.display().to_string(),
                reason: format!("the same project as {original}"),
            });
        }
        let mut number = 0..;
        corpus.entries.retain(|_| {
            let number = number.next();
            !twins.iter().any(|&(twin, _)| Some(twin) == number)
        });
        Ok(corpus)
    }

    pub(super) fn planned(&self) -> Vec<PlannedProject> {
        let planned = self
            .entries
            .iter()
            .map(|entry| PlannedProject { name: entry.name.clone(), digest: Digest(entry.digest) });
        planned.collect()
    }

    /// Everything that was named and is not run, for the tables.
    pub(super) fn skipped(&self) -> Vec<Skipped> {
        [&*self.unusable, &*self.twins].concat()
    }

    /// Gives the coordinator the bytes of every project.
    pub(super) fn hand_over(&self, projects: &Projects) -> Result<(), Failure> {
        self.each(|digest, bytes| {
            projects.insert(bytes).map(drop).map_err(|cause| {
                Failure::new(format_args!("cannot keep project {digest}: {cause}"))
                    .hint("make room in the study's folder, or name another with --out")
            })
        })
    }

    /// Reads every project again and passes on what it was planned as.
    pub(crate) fn each(
        &self,
        mut take: impl FnMut(Digest, &[u8]) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        for entry in &self.entries {
            let subject = entry.load().map_err(|error| {
                Failure::new(error).hint("it was changed meanwhile; repeat the command")
            })?;
            let digest = Digest::of(&subject.archive);
            if digest.0 != entry.digest {
                return Err(Failure::new(format_args!(
                    "{}: changed while the study was being planned",
                    entry.path.display()
                ))
                .hint("repeat the command"));
            }
            take(digest, &subject.archive)?;
        }
        Ok(())
    }
}
