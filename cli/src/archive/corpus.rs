//! The manifest of a study's projects, and the projects themselves.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use catherd_analysis_archive::PackageError;
use catherd_cli_console::{Failure, terminal};
use catherd_coordinator::store::StoreReader;
use catherd_coordinator::{CoordinatorError, StoreUrl};
use catherd_experiments::Plan;
use catherd_experiments::file_names::FileNames;
use catherd_scratch_commands::dataset;

use super::WorkFolder;
use crate::failure::Worded;

/// Name of the manifest in a package.
pub(crate) const FILE: &str = "corpus.csv";

/// The columns of the manifest.
const COLUMNS: [&str; 8] =
    ["project", "sha256", "bytes", "file", "source", "licence", "id", "title"];

/// Where projects come from, by their digest.
#[derive(Default)]
pub(super) struct Sources {
    by_digest: BTreeMap<String, [String; 4]>,
    /// Files of the corpora, by their name in the package.
    pub(super) files: Vec<(String, PathBuf)>,
}

impl Sources {
    /// Reads the manifests of corpora.
    pub(super) fn read(folders: &[PathBuf]) -> Result<Sources, Failure> {
        let mut sources = Sources::default();
        let mut names = FileNames::default();
        for folder in folders {
            let corpus = dataset::read(folder)?;
            for member in corpus.members {
                let about = [member.source, member.licence, member.id, member.title];
                sources.by_digest.entry(member.sha256.to_string()).or_insert(about);
            }
            let absolute = folder.canonicalize().unwrap_or_else(|_| folder.clone());
            let name = absolute.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let name = names.of(folder.clone(), &name).to_owned();
            for file in ["corpus.toml", "manifest.csv"] {
                sources.files.push((format!("corpora/{name}/{file}"), folder.join(file)));
            }
        }
        Ok(sources)
    }
}

/// The projects of a package.
pub(super) struct Projects {
    /// The manifest (CSV).
    pub(super) manifest: Vec<u8>,
    /// Files of projects by their name in the package; none if they are left out.
    pub(super) files: Vec<(String, PathBuf)>,
}

/// Makes the manifest of a plan's projects and, if they are wanted, writes them to the work folder.
pub(super) fn write(
    plan: &Plan,
    store: &StoreUrl,
    sources: &Sources,
    with_projects: bool,
    work: &WorkFolder,
) -> Result<Projects, Failure> {
    let broken = |cause| CoordinatorError::Store { url: store.clone(), cause }.worded();
    let mut reader = StoreReader::open(store).map_err(broken)?;
    let folder = work.path.join("projects");
    let failed = |cause| PackageError::Io { path: folder.clone(), cause }.worded();
    if with_projects {
        fs::create_dir_all(&folder).map_err(failed)?;
    }
    let ending = super::project_ending(plan);
    let (mut names, mut files) = (FileNames::default(), Vec::new());
    let mut table = csv::Writer::from_writer(Vec::new());
    table.write_record(COLUMNS).map_err(Failure::new)?;
    let bar = terminal::bar(plan.projects.len());
    for project in &plan.projects {
        bar.inc(1);
        let bytes = reader.project(project.digest).map_err(broken)?;
        let sha256 = project.digest.to_string();
        let file = if with_projects {
            let name = format!("{}{ending}", names.of(project.digest, &project.name));
            fs::write(folder.join(&name), &bytes).map_err(failed)?;
            files.push((format!("projects/{name}"), folder.join(&name)));
            format!("projects/{name}")
        } else {
            String::new()
        };
        let none = Default::default();
        let [source, licence, id, title] = sources.by_digest.get(&sha256).unwrap_or(&none);
        let size = bytes.len().to_string();
        let row = [&*project.name, &sha256, &size, &file, source, licence, id, title];
        table.write_record(row).map_err(Failure::new)?;
    }
    bar.finish_and_clear();
    let manifest = table.into_inner().map_err(|e| Failure::new(e.error()))?;
    Ok(Projects { manifest, files })
}
