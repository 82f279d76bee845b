//! Finds and measures the models of a study.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use catherd_experiments::{Digest, ProjectSource};
use catherd_interface::{
    FindError, FoundProject, FoundProjects, Progress, ProjectTable, SkippedProject,
};
use catherd_sequences_testing::{Model, ModelSource, Shape, Space, Stepper, synthetic};

const BUILTIN: &str = "builtin:";

const EXTENSIONS: [&str; 3] = [".bp", ".bp.json", ".bp.js"];

/// Maximum number of states that are explored to measure a model.
const MAX_STATES: usize = 1_000_000;

pub(crate) fn find(
    projects: &ProjectSource,
    progress: &dyn Progress,
) -> Result<FoundProjects, FindError> {
    let paths = match projects {
        ProjectSource::Paths(paths) => paths,
        ProjectSource::Synthetic { count, seed, shape } => {
            return synthetic_models(*count, *seed, shape, progress);
        }
    };
    let places = places(paths)?;
    let total = places.len() as u64;
    let mut found = FoundProjects::default();
    let mut known: BTreeMap<Digest, String> = BTreeMap::new();
    for (done, (name, path)) in (1..).zip(places) {
        let shown = path.clone();
        match usable(&shown) {
            Ok((digest, warnings)) => match known.get(&digest) {
                Some(other) => found.skipped.push(SkippedProject {
                    path: path.into(),
                    reason: format!("the same model as {other}"),
                }),
                None => {
                    known.insert(digest, name.clone());
                    let warned = warnings.into_iter().map(|line| format!("{path}: {line}"));
                    found.warnings.extend(warned);
                    let read = move || source(&shown).map(|source| source.pack());
                    found.projects.push(FoundProject::new(name, path.into(), digest, read));
                }
            },
            Err(reason) => {
                found.skipped.push(SkippedProject { path: path.into(), reason });
            }
        }
        progress.report(done, total);
    }
    if found.projects.is_empty() && found.skipped.is_empty() {
        return Err(FindError {
            cause: "no models were found".to_owned(),
            advice: format!("name files *{}, folders of them, or builtin:NAME", EXTENSIONS[0]),
        });
    }
    Ok(found)
}

/// The bytes of the models are not kept, but generated again when they are needed.
fn synthetic_models(
    count: u64,
    seed: u64,
    numbers: &BTreeMap<String, String>,
    progress: &dyn Progress,
) -> Result<FoundProjects, FindError> {
    let refused = |cause: String| FindError {
        cause: format!("projects.synthetic: {cause}"),
        advice: "threads, events, depth and density say what the models look like".to_owned(),
    };
    let mut shape = Shape::default();
    for (key, text) in numbers {
        let whole =
            || text.parse().map_err(|_| refused(format!("{key} is {text}, not a whole number")));
        match key.as_str() {
            "threads" => shape.threads = whole()?,
            "events" => shape.events = whole()?,
            "depth" => shape.depth = whole()?,
            "density" => {
                let share =
                    text.parse().map_err(|_| refused(format!("density is {text}, not a number")));
                shape.density = share?;
            }
            _ => return Err(refused(format!("unknown key `{key}`"))),
        }
    }
    let mut found = FoundProjects::default();
    for number in 1..=count {
        let text = synthetic(&shape, seed, number).map_err(|error| refused(error.to_string()))?;
        let name = format!("synthetic-{seed}-{number}");
        let digest = Digest::of(text.as_bytes());
        let read = move || {
            let text = synthetic(&shape, seed, number);
            text.map(String::into_bytes).map_err(|error| error.to_string())
        };
        found.projects.push(FoundProject::new(name.clone(), name.into(), digest, read));
        progress.report(number, count);
    }
    Ok(found)
}

/// Returns the names of models with their paths for [`ModelSource::open`].
fn places(paths: &[PathBuf]) -> Result<Vec<(String, String)>, FindError> {
    let mut places = BTreeSet::new();
    for path in paths {
        if let Some(name) = builtin_name(path) {
            places.insert((name.to_owned(), format!("{BUILTIN}{name}")));
        } else if path.is_dir() {
            for file in fs::read_dir(path).map_err(|cause| unreadable(path, &cause))? {
                let file = file.map_err(|cause| unreadable(path, &cause))?.path();
                let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
                let is_model = EXTENSIONS.iter().any(|extension| name.ends_with(extension));
                if is_model && !name.starts_with('.') && file.is_file() {
                    places.insert(place(&file));
                }
            }
        } else {
            fs::metadata(path).map_err(|cause| unreadable(path, &cause))?;
            places.insert(place(path));
        }
    }
    // Models with the same name are named by their paths.
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    places.iter().for_each(|(name, _)| *names.entry(name.clone()).or_default() += 1);
    let unique = |(name, path): (String, String)| match names[&name] {
        1 => (name, path),
        _ => (path.clone(), path),
    };
    Ok(places.into_iter().map(unique).collect())
}

/// The path may begin with the folder of the study file.
pub(crate) fn builtin_name(path: &Path) -> Option<&str> {
    path.file_name()?.to_str()?.strip_prefix(BUILTIN)
}

fn place(file: &Path) -> (String, String) {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let name = name.trim_end_matches(".json").trim_end_matches(".js").trim_end_matches(".bp");
    (name.to_owned(), file.display().to_string())
}

fn unreadable(path: &Path, cause: &std::io::Error) -> FindError {
    FindError {
        cause: format!("{}: {cause}", path.display()),
        advice: "name files *.bp, folders of them, or builtin:NAME".to_owned(),
    }
}

fn source(path: &str) -> Result<ModelSource, String> {
    ModelSource::open(path).map_err(|error| format!("{path}: {error}"))
}

/// Returns the digest and the warnings of the model.
fn usable(path: &str) -> Result<(Digest, Vec<String>), String> {
    let source = ModelSource::open(path).map_err(|error| match &*error.hint {
        "" => error.to_string(),
        hint => format!("{error}: {hint}"),
    })?;
    let bytes = source.pack();
    // Check the model as it is read from the packed bytes, because workers read these bytes instead
    // of the files.
    let source = ModelSource::unpack("model", &bytes).map_err(|error| error.to_string())?;
    let model = source.model().map_err(|error| error.to_string())?;
    let mut stepper = Stepper::new(&model.program);
    let initial = stepper.initial().map_err(|fault| fault.to_string())?;
    let mut enabled = Vec::new();
    stepper.enabled(&initial, &mut enabled).map_err(|fault| fault.to_string())?;
    if enabled.is_empty() {
        return Err("nothing can happen in the first state".to_owned());
    }
    Ok((Digest::of(&bytes), model.warnings))
}

/// Unknown measures are empty.
pub(crate) fn table(projects: &[FoundProject]) -> Result<ProjectTable, FindError> {
    let mut table = ProjectTable::default();
    for found in projects {
        let source = ModelSource::unpack("model", &found.bytes()?);
        let model = source.and_then(|source| source.model());
        let model = model.map_err(|error| changed(found, &error.to_string()))?;
        let cells = measures(&model);
        let first = [("project", found.name.clone()), ("sha256", found.digest.to_string())];
        let (columns, cells) = first.into_iter().chain(cells).unzip();
        table.columns = columns;
        table.rows.push(cells);
    }
    Ok(table)
}

pub(crate) fn changed(found: &FoundProject, cause: &str) -> FindError {
    FindError {
        cause: format!("{}: {cause}", found.path.display()),
        advice: "run the command again, while the file can be read and does not change".to_owned(),
    }
}

fn measures(model: &Model) -> Vec<(&'static str, String)> {
    let events = model.program.events();
    let space = Space::explore(&model.program, MAX_STATES).ok();
    let counts = space.filter(|space| !space.truncated()).map(|space| space.counts(None));
    let counted = |number: Option<usize>| number.map(|n| n.to_string()).unwrap_or_default();
    let of = |value: fn(&catherd_sequences_testing::SpaceCounts) -> Option<usize>| {
        counted(counts.as_ref().and_then(value))
    };
    let traces = counts.as_ref().and_then(|counts| counts.traces.as_ref());
    vec![
        ("threads", model.program.thread_names().len().to_string()),
        ("events", events.len().to_string()),
        ("names", events.names().len().to_string()),
        ("states", of(|counts| Some(counts.states))),
        ("edges", of(|counts| Some(counts.edges))),
        ("deadlocks", of(|counts| Some(counts.deadlocks))),
        ("cyclic", of(|counts| Some(usize::from(counts.cyclic)))),
        ("shortest", of(|counts| counts.shortest)),
        ("longest", of(|counts| counts.longest)),
        ("maximal_traces", traces.map(|t| t.maximal.to_string()).unwrap_or_default()),
        ("prefixes", traces.map(|t| t.prefixes.to_string()).unwrap_or_default()),
        ("faults", model.faults.len().to_string()),
    ]
}
