//! Search for projects with their suites.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use catherd_experiments::{Digest, ProjectSource};
use catherd_interface::{
    FindError, FoundProject, FoundProjects, Progress, ProjectTable, SkippedProject, SubjectKind,
};
use catherd_scratch_kind::{ProjectMeasures, Scratch};
use catherd_scratch_sb3::{Limits, Project};

use crate::bundle::{Bundle, MAX_SUITE_BYTES, MAX_SUITES, SuiteText};

const EXTENSIONS: [&str; 2] = ["js", "json"];

/// Finds projects and the suites of each project. A suite is next to its project, in a folder with
/// the name of the project next to the project, or in a folder that is among the paths and contains
/// only suites.
pub(crate) fn find(
    projects: &ProjectSource,
    progress: &dyn Progress,
) -> Result<FoundProjects, FindError> {
    let (mut folders, mut source) = (Vec::new(), projects.clone());
    if let ProjectSource::Paths(paths) = &mut source {
        folders = paths.extract_if(.., |path| contains_only_suites(path)).collect();
        if paths.is_empty() && !folders.is_empty() {
            return Err(FindError {
                cause: format!("{}: suites, but no project", folders[0].display()),
                advice: "name the projects as well".to_owned(),
            });
        }
    }
    let found = Scratch.find(&source, progress)?;
    let places = Places::new(&found.projects, folders);
    let mut with_suites =
        FoundProjects { projects: Vec::new(), skipped: found.skipped, warnings: found.warnings };
    for project in found.projects {
        let path = project.path.clone();
        match bundle(project, &places) {
            Ok((project, suites)) => {
                if suites == 0 {
                    let line = format!("{}: there is no suite for the project", path.display());
                    with_suites.warnings.push(line);
                }
                with_suites.projects.push(project);
            }
            Err(reason) => with_suites.skipped.push(SkippedProject { path, reason }),
        }
    }
    Ok(with_suites)
}

fn contains_only_suites(path: &Path) -> bool {
    let Ok(entries) = fs::read_dir(path) else { return false };
    let paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    let has = |extension: &str| paths.iter().any(|p| p.extension().is_some_and(|e| e == extension));
    let others = has("sb3")
        || has("sb2")
        || path.join("project.json").exists()
        || path.join("corpus.toml").exists()
        || paths.iter().any(|path| path.is_dir());
    !others && EXTENSIONS.iter().any(|extension| has(extension))
}

struct Places {
    /// The names of the projects by folder, without extensions.
    stems: BTreeMap<PathBuf, BTreeSet<String>>,
    all: BTreeSet<String>,
    folders: Vec<PathBuf>,
}

impl Places {
    fn new(projects: &[FoundProject], folders: Vec<PathBuf>) -> Places {
        let mut stems: BTreeMap<PathBuf, BTreeSet<String>> = BTreeMap::new();
        for project in projects {
            stems.entry(folder(&project.path)).or_default().insert(stem(&project.path));
        }
        let all = stems.values().flatten().cloned().collect();
        Places { stems, all, folders }
    }
}

fn folder(path: &Path) -> PathBuf {
    path.parent().map(Path::to_owned).unwrap_or_default()
}

fn stem(path: &Path) -> String {
    let name = if path.is_dir() { path.file_name() } else { path.file_stem() };
    name.unwrap_or_default().to_string_lossy().into_owned()
}

/// The project with its suites packed into its bytes, and the number of suites.
fn bundle(project: FoundProject, places: &Places) -> Result<(FoundProject, usize), String> {
    let (name, path) = (project.name.clone(), project.path.clone());
    let files = suite_files(&path, places)?;
    let suites = files.len();
    let read = move || {
        let suites = files
            .iter()
            .map(|(name, file)| Ok(SuiteText { name: name.clone(), text: read_suite(file)? }));
        let suites = suites.collect::<Result<_, String>>()?;
        let project = project.bytes().map_err(|error| error.to_string())?;
        Bundle { project, suites }.to_bytes().map_err(|error| error.to_string())
    };
    let digest = Digest::of(&read()?);
    Ok((FoundProject::new(name, path, digest, read), suites))
}

/// The suites of a project by name: from the files next to the project, from the folder with its
/// name, and from folders that contain only suites. If the project is the only project of its
/// folder, all suites in the folder are its suites.
fn suite_files(project: &Path, places: &Places) -> Result<BTreeMap<String, PathBuf>, String> {
    let (folder, own) = (folder(project), stem(project));
    let empty = BTreeSet::new();
    let others = places.stems.get(&folder).unwrap_or(&empty);
    let mut found: Vec<(String, PathBuf)> = Vec::new();
    for path in suites_in(&folder)? {
        let file = stem(&path);
        match name_among(&file, &own, others) {
            Some(Some(name)) => found.push((name, path)),
            None if others.len() == 1 && others.contains(&own) => found.push((file, path)),
            _ => {}
        }
    }
    let below = folder.join(&own);
    if below != project && !below.join("project.json").exists() {
        found.extend(suites_in(&below)?.into_iter().map(|path| (stem(&path), path)));
    }
    for place in &places.folders {
        let named = |path: PathBuf| Some((name_among(&stem(&path), &own, &places.all)??, path));
        found.extend(suites_in(place)?.into_iter().filter_map(named));
    }
    let mut files: BTreeMap<String, PathBuf> = BTreeMap::new();
    for (name, path) in found {
        if let Some(other) = files.get(&name) {
            let (first, second) = (other.display(), path.display());
            return Err(format!("two files are the suite `{name}`: {first} and {second}"));
        }
        files.insert(name, path);
    }
    if files.len() > MAX_SUITES {
        return Err(format!("it has {} suites; the maximum is {MAX_SUITES}", files.len()));
    }
    Ok(files)
}

/// The name of the suite in a file, if `own` is the longest name of a project with which the name
/// of the file begins. `Some(None)` if another name is the longest, `None` if the file name begins
/// with no name.
fn name_among(file: &str, own: &str, projects: &BTreeSet<String>) -> Option<Option<String>> {
    let longest = projects.iter().filter(|stem| file.starts_with(*stem)).max_by_key(|s| s.len())?;
    Some((longest == own).then(|| {
        let rest = file[own.len()..].trim_start_matches(['-', '_', '.', ' ']);
        if rest.is_empty() { own.to_owned() } else { rest.to_owned() }
    }))
}

/// The files of a folder that may be suites, sorted. A folder that cannot be read counts as empty,
/// because synthetic projects have no folder.
fn suites_in(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let place = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let Ok(entries) = fs::read_dir(place) else { return Ok(Vec::new()) };
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| format!("{}: {error}", place.display()))?.path();
        let extension = path.extension().and_then(|extension| extension.to_str());
        let is_suite = extension.is_some_and(|extension| EXTENSIONS.contains(&extension));
        if is_suite && path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn read_suite(path: &Path) -> Result<String, String> {
    let failed = |cause: &dyn std::fmt::Display| format!("{}: {cause}", path.display());
    let size = fs::metadata(path).map_err(|error| failed(&error))?.len();
    if size > MAX_SUITE_BYTES {
        return Err(failed(&format!(
            "the suite has {size} bytes; the maximum is {MAX_SUITE_BYTES}"
        )));
    }
    fs::read_to_string(path).map_err(|error| failed(&error))
}

pub(crate) fn table(projects: &[FoundProject]) -> Result<ProjectTable, FindError> {
    let mut table = ProjectTable::default();
    for found in projects {
        let failed = |cause: String| FindError {
            cause,
            advice: "report this as a bug: the project could be read when it was found".to_owned(),
        };
        let bundle =
            Bundle::from_bytes(&found.bytes()?).map_err(|error| failed(error.to_string()))?;
        let file = found.path.display().to_string();
        let project = Project::from_bytes(&file, &bundle.project, &Limits::default())
            .map_err(|error| failed(error.to_string()))?;
        let cells = ProjectMeasures::of(&found.name, found.digest, &project).cells();
        let (columns, cells) = cells.into_iter().unzip();
        table.columns = columns;
        table.rows.push(cells);
    }
    Ok(table)
}
