//! Search for the Scratch projects of a study.

use std::cell::Cell;

use catherd_experiments::{Digest, ProjectSource};
use catherd_interface::{FindError, FoundProject, FoundProjects, Progress, SkippedProject};
use catherd_scratch_corpora::{LoadError, ProjectEntry, find as find_entries, synth};

pub(crate) fn find(
    projects: &ProjectSource,
    progress: &dyn Progress,
) -> Result<FoundProjects, FindError> {
    let found = match projects {
        ProjectSource::Paths(paths) => find_entries(paths).map_err(refusal)?,
        ProjectSource::Synthetic { shape, .. } if !shape.is_empty() => {
            let keys: Vec<_> = shape.keys().map(String::as_str).collect();
            return Err(FindError {
                cause: format!("projects.synthetic: Scratch projects have no {}", keys.join(", ")),
                advice: "leave out all but count and seed".to_owned(),
            });
        }
        &ProjectSource::Synthetic { count, seed, .. } => {
            let done = Cell::new(0);
            synth::find(count, seed, || {
                done.set(done.get() + 1);
                progress.report(done.get(), count);
            })
        }
    };
    let warnings = found.projects.iter().flat_map(|entry| entry.warnings.clone()).collect();
    let skipped = found.skipped.into_iter();
    Ok(FoundProjects {
        skipped: skipped.map(|s| SkippedProject { path: s.path, reason: s.reason }).collect(),
        projects: found.projects.into_iter().map(project).collect(),
        warnings,
    })
}

fn project(entry: ProjectEntry) -> FoundProject {
    let (name, path, digest) = (entry.name.clone(), entry.path.clone(), Digest(entry.digest));
    let read = move || {
        let loaded = entry.load();
        loaded.map(|project| project.archive).map_err(|error: LoadError| error.to_string())
    };
    FoundProject::new(name, path, digest, read)
}

fn refusal(error: catherd_scratch_corpora::FindError) -> FindError {
    use catherd_scratch_corpora::FindError as Cause;
    let advice = match &error {
        Cause::Corpus(_) => {
            "see `catherd dataset verify`, which says which files of a corpus differ"
        }
        Cause::Io { .. } => {
            "name .sb3 files, unpacked project folders, or folders that contain them"
        }
        Cause::Empty { .. } => "check the path given for projects",
    };
    FindError { cause: error.to_string(), advice: advice.to_owned() }
}
