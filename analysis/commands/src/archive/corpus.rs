//! The manifest of a study's projects, and the projects themselves.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use catherd_analysis_archive::PackageError;
use catherd_cli_console::{Failure, terminal};
use catherd_cli_failures::Worded;
use catherd_coordinator::store::StoreReader;
use catherd_coordinator::{CoordinatorError, StoreUrl};
use catherd_experiments::Plan;
use catherd_experiments::file_names::FileNames;

use crate::{Origin, Program};

pub(crate) const FILE: &str = "corpus.csv";

const COLUMNS: [&str; 8] =
    ["project", "sha256", "bytes", "file", "source", "licence", "id", "title"];

pub(crate) const CORPUS_FILES: [&str; 2] = ["corpus.toml", "manifest.csv"];

pub(crate) const CORPORA: &str = "corpora";

#[derive(Default)]
pub(crate) struct Sources {
    by_digest: BTreeMap<String, [String; 4]>,
    pub(crate) files: Vec<(String, PathBuf)>,
}

impl Sources {
    pub(super) fn read(program: &Program, folders: &[PathBuf]) -> Result<Sources, Failure> {
        let mut names = FileNames::default();
        let named = folders.iter().map(|folder| {
            let absolute = folder.canonicalize().unwrap_or_else(|_| folder.clone());
            let name = absolute.file_name().unwrap_or_default().to_string_lossy().into_owned();
            (names.of(folder.clone(), &name).to_owned(), folder.clone())
        });
        let named = named.collect();
        Sources::of(program, named)
    }

    /// For a project in several manifests, the first corpus by name counts.
    pub(crate) fn of(
        program: &Program,
        named: BTreeMap<String, PathBuf>,
    ) -> Result<Sources, Failure> {
        let mut sources = Sources::default();
        for (name, folder) in named {
            for Origin { sha256, source, licence, id, title } in (program.origins)(&folder)? {
                let about = [source, licence, id, title];
                sources.by_digest.entry(sha256).or_insert(about);
            }
            for file in CORPUS_FILES {
                sources.files.push((format!("{CORPORA}/{name}/{file}"), folder.join(file)));
            }
        }
        Ok(sources)
    }
}

pub(super) struct Projects {
    /// In bytes, in the order of the plan.
    pub(super) sizes: Vec<u64>,
    pub(super) files: Vec<(String, PathBuf)>,
}

pub(crate) fn project_names(program: &Program, plan: &Plan) -> Vec<String> {
    let ending = super::project_ending(program, plan);
    let mut names = FileNames::default();
    let named = plan
        .projects
        .iter()
        .map(|project| format!("projects/{}{ending}", names.of(project.digest, &project.name)));
    named.collect()
}

pub(super) fn write(
    program: &Program,
    plan: &Plan,
    store: &StoreUrl,
    with_projects: bool,
    work: &Path,
) -> Result<Projects, Failure> {
    let broken = |cause| CoordinatorError::Store { url: store.clone(), cause }.worded();
    let mut reader = StoreReader::open(store).map_err(broken)?;
    let folder = work.join("projects");
    let failed = |cause| PackageError::Io { path: folder.clone(), cause }.worded();
    if with_projects {
        fs::create_dir_all(&folder).map_err(failed)?;
    }
    let (mut sizes, mut files) = (Vec::new(), Vec::new());
    let bar = terminal::bar(plan.projects.len());
    for (project, name) in plan.projects.iter().zip(project_names(program, plan)) {
        bar.inc(1);
        let bytes = reader.project(project.digest).map_err(broken)?;
        sizes.push(bytes.len() as u64);
        if with_projects {
            let path = work.join(&name);
            fs::write(&path, &bytes).map_err(failed)?;
            files.push((name, path));
        }
    }
    bar.finish_and_clear();
    Ok(Projects { sizes, files })
}

/// The manifest of a plan's projects (CSV). `project` returns the size of a project in bytes and
/// its name in the package, if any.
pub(crate) fn manifest(
    plan: &Plan,
    sources: &Sources,
    mut project: impl FnMut(usize) -> (u64, Option<String>),
) -> Result<Vec<u8>, Failure> {
    let mut table = csv::Writer::from_writer(Vec::new());
    table.write_record(COLUMNS).map_err(Failure::new)?;
    for (number, planned) in plan.projects.iter().enumerate() {
        let (size, file) = project(number);
        let sha256 = planned.digest.to_string();
        let none = Default::default();
        let [source, licence, id, title] = sources.by_digest.get(&sha256).unwrap_or(&none);
        let (size, file) = (size.to_string(), file.unwrap_or_default());
        let row = [&*planned.name, &sha256, &size, &file, source, licence, id, title];
        table.write_record(row).map_err(Failure::new)?;
    }
    table.into_inner().map_err(|e| Failure::new(e.error()))
}
