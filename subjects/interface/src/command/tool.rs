//! Tools with relative paths in a study: programs, and folders of adapters.
//!
//! When a study is planned, the digest of each tool becomes a parameter ([`resolve`]), so run ids
//! depend on the content of the tool but not on paths of a particular computer. A worker finds the
//! tool by its path and its digest ([`find`]).

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use catherd_experiments::{Algorithm, Digest, Parameter};

use super::contract::{ADAPTER, DESCRIPTION, DIGEST, ENVIRONMENTS};
use super::measurer::{self, MEASURER, MEASURER_DIGEST};
use super::prepared::Tool;
use super::template;
use crate::algorithm::FieldError;
use crate::resolved::{ResolveError, Resolved};
use crate::runner::RunError;

const MAX_FILES: usize = 10_000;

/// Maximum total size of a tool's files, in bytes.
const MAX_BYTES: u64 = 256 << 20;

/// A folder that Python creates when it runs a tool.
const CACHE: &str = "__pycache__";

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ToolName {
    /// The relative path of an adapter's folder.
    Adapter(PathBuf),
    /// A relative path.
    Program(PathBuf),
    /// An absolute path, or a name in `PATH`.
    System,
}

impl ToolName {
    pub(super) fn of(algorithm: &Algorithm) -> Result<ToolName, FieldError> {
        match algorithm.parameters.get(ADAPTER) {
            Some(Parameter::Text(path)) if Path::new(path).is_relative() => {
                Ok(ToolName::Adapter(path.into()))
            }
            Some(_) => {
                let cause = "`adapter` is not a relative path";
                let advice = "give the folder with adapter.toml, relative to the study file";
                Err(wrong(ADAPTER, cause, advice))
            }
            None => {
                let program = template::program(algorithm)?;
                let is_relative = program.contains('/') && Path::new(&program).is_relative();
                Ok(if is_relative { ToolName::Program(program.into()) } else { ToolName::System })
            }
        }
    }

    fn path(&self) -> Option<(&Path, &'static str)> {
        match self {
            ToolName::Adapter(path) => Some((path, ADAPTER)),
            ToolName::Program(path) => Some((path, template::PARAMETER)),
            ToolName::System => None,
        }
    }
}

/// A tool with a relative path in a study.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RelativeTool {
    /// The path, relative to the study file.
    pub path: PathBuf,
    /// The digest in the plan of the study.
    pub digest: Option<String>,
    /// Whether the tool is an adapter, and not a program.
    pub is_adapter: bool,
}

impl RelativeTool {
    /// The tool of an algorithm, if it has a relative path.
    pub fn of(algorithm: &Algorithm) -> Option<RelativeTool> {
        let name = ToolName::of(algorithm).ok()?;
        let is_adapter = matches!(name, ToolName::Adapter(_));
        let path = name.path()?.0.to_owned();
        let digest = match algorithm.parameters.get(DIGEST) {
            Some(Parameter::Text(digest)) => Some(digest.clone()),
            _ => None,
        };
        Some(RelativeTool { path, digest, is_adapter })
    }

    /// The measurer of an algorithm.
    pub fn measurer_of(algorithm: &Algorithm) -> Option<RelativeTool> {
        let path = measurer::path(algorithm).ok()??;
        let digest = match algorithm.parameters.get(MEASURER_DIGEST) {
            Some(Parameter::Text(digest)) => Some(digest.clone()),
            _ => None,
        };
        Some(RelativeTool { path, digest, is_adapter: true })
    }

    /// The files of the tool in a folder: names relative to the tool, and paths.
    ///
    /// # Errors
    ///
    /// If the tool cannot be read.
    pub fn files(&self, folder: &Path) -> io::Result<Vec<(String, PathBuf)>> {
        let path = folder.join(&self.path);
        if !fs::metadata(&path)?.is_dir() {
            return Ok(vec![(String::new(), path)]);
        }
        let named = |file: PathBuf| {
            let name = file.strip_prefix(&path).unwrap_or(&file).display().to_string();
            (name, file)
        };
        Ok(files(&path)?.into_iter().map(named).collect())
    }

    /// Whether the tool in a folder has the digest in the plan of the study.
    ///
    /// # Errors
    ///
    /// If the tool cannot be read.
    pub fn is_in(&self, folder: &Path) -> io::Result<bool> {
        let found = digest(&folder.join(&self.path))?;
        Ok(self.digest.as_ref().is_some_and(|own| *own == found.to_string()))
    }
}

/// Checks the parameters without reading the tool.
pub(super) fn check(algorithm: &Algorithm) -> Result<(), FieldError> {
    let parameters = &algorithm.parameters;
    match (parameters.contains_key(ADAPTER), parameters.contains_key(template::PARAMETER)) {
        (true, true) => {
            let cause = "both `command` and `adapter` are set";
            Err(wrong(template::PARAMETER, cause, "keep one of them"))
        }
        // Other parameters are checked against `adapter.toml`.
        (true, false) => {
            measurer::path(algorithm)?;
            measurer::is_apart(algorithm)?;
            ToolName::of(algorithm).map(drop)
        }
        (false, _) => template::check(algorithm),
    }
}

/// Reads the tools of a study and adds their digests to the parameters. With `mutation`, every tool
/// must support mutation analysis.
pub(super) fn resolve(
    algorithms: &[Algorithm],
    folder: &Path,
    mutation: bool,
) -> Result<Resolved, ResolveError> {
    let mut study =
        StudyTools { folder, mutation, adapters: BTreeMap::new(), digests: BTreeMap::new() };
    let (mut resolved, mut paths) = (Vec::new(), Vec::new());
    for (number, algorithm) in algorithms.iter().enumerate() {
        let refused = |error| ResolveError { number, error };
        let (algorithm, adapter) = study.resolve(algorithm).map_err(refused)?;
        resolved.push(algorithm);
        paths.push(adapter);
    }
    let StudyTools { adapters, .. } = study;
    let position = |path: PathBuf| adapters.keys().position(|key| *key == path);
    let tool_of = paths.into_iter().map(|path| position(path?)).collect();
    Ok(Resolved { algorithms: resolved, tools: adapters.into_values().collect(), tool_of })
}

struct StudyTools<'a> {
    folder: &'a Path,
    mutation: bool,
    adapters: BTreeMap<PathBuf, Tool>,
    digests: BTreeMap<PathBuf, Digest>,
}

impl StudyTools<'_> {
    fn resolve(
        &mut self,
        algorithm: &Algorithm,
    ) -> Result<(Algorithm, Option<PathBuf>), FieldError> {
        check(algorithm)?;
        let name = ToolName::of(algorithm)?;
        let adapter = match &name {
            ToolName::Adapter(path) => Some(self.folder.join(path)),
            ToolName::Program(_) | ToolName::System => None,
        };
        if let Some(path) = &adapter {
            self.adapter(path)?.adapter.check(algorithm)?;
        }
        let mut resolved = algorithm.clone();
        if let Some((path, field)) = name.path() {
            self.add_digest(&mut resolved, path, field, DIGEST)?;
        }
        if let Some(path) = measurer::path(algorithm)? {
            let named = |error| FieldError { field: Some(MEASURER.to_owned()), ..error };
            self.adapter(&self.folder.join(&path)).map_err(named)?;
            self.add_digest(&mut resolved, &path, MEASURER, MEASURER_DIGEST)?;
        }
        if self.mutation {
            check_mutation(adapter.as_ref().and_then(|path| self.adapters.get(path)))?;
        }
        Ok((resolved, adapter))
    }

    /// `field` is the parameter with the path, and `name` is the parameter with the digest.
    fn add_digest(
        &mut self,
        algorithm: &mut Algorithm,
        path: &Path,
        field: &str,
        name: &str,
    ) -> Result<(), FieldError> {
        let path = self.folder.join(path);
        let digest = self.digest(&path, field)?;
        let parameter = Parameter::Text(digest.to_string());
        let before = algorithm.parameters.insert(name.to_owned(), parameter.clone());
        if before.is_some_and(|before| before != parameter) {
            let cause = format!("{} has digest {digest}", path.display());
            return Err(wrong(name, cause, "correct the digest, or leave it out"));
        }
        Ok(())
    }

    fn adapter(&mut self, path: &Path) -> Result<&Tool, FieldError> {
        if !self.adapters.contains_key(path) {
            let tool = Tool::read(path.to_owned()).map_err(|cause| {
                let advice = match path.join(DESCRIPTION).exists() {
                    true => "correct the adapter; catherd schema adapter describes adapter.toml",
                    false => "name the folder of an adapter, relative to the study file",
                };
                wrong(ADAPTER, cause, advice)
            })?;
            self.adapters.insert(path.to_owned(), tool);
        }
        Ok(&self.adapters[path])
    }

    fn digest(&mut self, path: &Path, field: &str) -> Result<Digest, FieldError> {
        if let Some(known) = self.digests.get(path) {
            return Ok(*known);
        }
        let digest = digest(path).map_err(|cause| {
            let cause = format!("{}: {cause}", path.display());
            wrong(field, cause, "correct the path (relative to the study file) or the tool")
        })?;
        self.digests.insert(path.to_owned(), digest);
        Ok(digest)
    }
}

fn check_mutation(tool: Option<&Tool>) -> Result<(), FieldError> {
    let cause = match tool.map(|tool| &tool.adapter) {
        Some(adapter) if adapter.mutation => return Ok(()),
        Some(adapter) => format!("{} has no mutation analysis", adapter.tool),
        None => "a program without an adapter has no mutation analysis".to_owned(),
    };
    let advice =
        "leave mutation out, or write mutation = true into an adapter.toml whose tool has it";
    Err(FieldError { field: None, cause, advice: advice.to_owned() })
}

pub(super) enum FoundTool {
    Adapter(Box<Tool>),
    Program(PathBuf),
    System,
}

pub(super) fn find(algorithm: &Algorithm, folders: &[PathBuf]) -> Result<FoundTool, RunError> {
    let name = ToolName::of(algorithm).map_err(|error| RunError::Failed(error.cause))?;
    let Some((path, _)) = name.path() else { return Ok(FoundTool::System) };
    let found = located(algorithm, path, DIGEST, folders)?;
    match name {
        ToolName::Adapter(_) => Tool::read(found)
            .map(|tool| FoundTool::Adapter(Box::new(tool)))
            .map_err(RunError::Crashed),
        ToolName::Program(_) | ToolName::System => Ok(FoundTool::Program(found)),
    }
}

/// `name` is the parameter with the digest of the tool.
pub(super) fn located(
    algorithm: &Algorithm,
    path: &Path,
    name: &str,
    folders: &[PathBuf],
) -> Result<PathBuf, RunError> {
    let Some(Parameter::Text(wanted)) = algorithm.parameters.get(name) else {
        return Err(RunError::Failed(format!("the study has no digest of {}", path.display())));
    };
    let mut found = Vec::new();
    for candidate in folders.iter().map(|folder| folder.join(path)) {
        match digest(&candidate) {
            Ok(digest) if digest.to_string() == *wanted => return Ok(candidate),
            Ok(digest) => found.push(format!("{} has {}", candidate.display(), digest.short())),
            Err(cause) => found.push(format!("{}: {cause}", candidate.display())),
        }
    }
    let short: String = wanted.chars().take(12).collect();
    let found = if found.is_empty() { "no --tools folder".to_owned() } else { found.join("; ") };
    // Another worker may have the tool, so the run has crashed, not failed.
    Err(RunError::Crashed(format!(
        "this worker does not have {} with digest {short}: {found}",
        path.display()
    )))
}

/// The digest of a file or, for a folder, of a list of its files and their digests.
pub(super) fn digest(path: &Path) -> io::Result<Digest> {
    // Follow links here, because the author of the study may have chosen a link as the tool.
    if !fs::metadata(path)?.is_dir() {
        return Ok(Digest::of(&read(path, &mut 0)?));
    }
    let (mut list, mut bytes) = (String::new(), 0);
    for file in files(path)? {
        let name = file.strip_prefix(path).unwrap_or(&file).display().to_string();
        let contents = read(&file, &mut bytes)
            .map_err(|cause| io::Error::new(cause.kind(), format!("{name}: {cause}")))?;
        list += &format!("{}  {name}\n", Digest::of(&contents));
    }
    Ok(Digest::of(list.as_bytes()))
}

/// The files in a folder, sorted, without Python's caches and without environments.
fn files(path: &Path) -> io::Result<Vec<PathBuf>> {
    let (mut files, mut folders) = (Vec::new(), vec![path.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            if [CACHE, ENVIRONMENTS].iter().any(|own| entry.file_name() == *own) {
                continue;
            }
            match entry.file_type()?.is_dir() {
                true => folders.push(entry.path()),
                false => files.push(entry.path()),
            }
            if files.len() + folders.len() > MAX_FILES {
                return Err(io::Error::other(format!("more than {MAX_FILES} files")));
            }
        }
    }
    files.sort_unstable();
    Ok(files)
}

/// Adds the size of the file to `bytes`, which must not exceed [`MAX_BYTES`].
fn read(path: &Path, bytes: &mut u64) -> io::Result<Vec<u8>> {
    let path = fs::canonicalize(path)?;
    *bytes += catherd_platform::open_regular(&path)?.metadata()?.len();
    if *bytes > MAX_BYTES {
        return Err(io::Error::other(format!("more than {} MiB", MAX_BYTES >> 20)));
    }
    fs::read(path)
}

fn wrong(field: &str, cause: impl Into<String>, advice: &str) -> FieldError {
    let field = Some(field.to_owned());
    FieldError { field, cause: cause.into(), advice: advice.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_is_known_by_its_digest() {
        let place = tempfile::tempdir().unwrap();
        let (study, worker) = (place.path().join("study"), place.path().join("worker"));
        for folder in [&study, &worker] {
            fs::create_dir_all(folder.join("adapter/locks")).unwrap();
            fs::write(folder.join("adapter/run"), "run").unwrap();
            let description = "contract = 1\ntool = \"t\"\nversion = \"1\"\n";
            fs::write(folder.join("adapter/adapter.toml"), description).unwrap();
            fs::write(folder.join("adapter/locks/a"), "lock").unwrap();
            fs::write(folder.join("tool"), "tool").unwrap();
        }
        let with = |name: &str, value: &str| {
            let mut algorithm = Algorithm::plain("mio");
            algorithm.parameters.insert(name.into(), Parameter::Text(value.into()));
            algorithm
        };
        let resolved = |algorithm: Algorithm| {
            resolve(&[algorithm], &study, false).map(|found| found.algorithms[0].clone())
        };
        for (name, value) in [(ADAPTER, "adapter"), (template::PARAMETER, "./tool {out}")] {
            let found = resolved(with(name, value)).unwrap();
            assert!(found.parameters.contains_key(DIGEST));
            let folder = match find(&found, &[place.path().to_owned(), worker.clone()]).unwrap() {
                FoundTool::Adapter(tool) => tool.folder,
                FoundTool::Program(file) => file,
                FoundTool::System => panic!("{name} is a program of the machine"),
            };
            assert!(folder.starts_with(&worker));
            let missing = find(&found, &[]).err().unwrap().to_string();
            assert!(missing.contains("no --tools folder"), "{missing}");
        }
        let adapter = resolved(with(ADAPTER, "adapter")).unwrap();
        fs::create_dir(worker.join("adapter/__pycache__")).unwrap();
        fs::write(worker.join("adapter/__pycache__/x"), "x").unwrap();
        assert!(find(&adapter, std::slice::from_ref(&worker)).is_ok());
        fs::write(worker.join("adapter/locks/a"), "another lock").unwrap();
        let other = find(&adapter, std::slice::from_ref(&worker)).err().unwrap().to_string();
        assert!(other.contains("adapter has "), "{other}");
        let plain = with(template::PARAMETER, "tool {out}");
        assert_eq!(resolved(plain.clone()), Ok(plain));
        let lost = resolved(with(template::PARAMETER, "./lost {out}")).unwrap_err();
        assert_eq!(lost.error.field.as_deref(), Some(template::PARAMETER));
    }

    #[test]
    fn algorithms_of_one_tool_share_it() {
        let place = tempfile::tempdir().unwrap();
        for name in ["a", "b"] {
            let folder = place.path().join(name);
            fs::create_dir(&folder).unwrap();
            fs::write(folder.join("run"), "run").unwrap();
            let description = format!("contract = 1\ntool = \"{name}\"\nversion = \"1\"\n");
            fs::write(folder.join("adapter.toml"), description).unwrap();
        }
        let with = |name: &str, value: &str| {
            let mut algorithm = Algorithm::plain("x");
            algorithm.parameters.insert(name.into(), Parameter::Text(value.into()));
            algorithm
        };
        let (a, b) = (with(ADAPTER, "a"), with(ADAPTER, "b"));
        let plain = with(template::PARAMETER, "true {out}");
        let study = [b, a.clone(), plain.clone(), a];
        let resolved = resolve(&study, place.path(), false).unwrap();
        let names: Vec<_> = resolved.tools.iter().map(Tool::name).collect();
        assert_eq!(names, ["a 1", "b 1"]);
        assert_eq!(resolved.tool_of, [Some(1), Some(0), None, Some(0)]);
        assert_eq!(resolved.algorithms[1], resolved.algorithms[3]);
        let refused = |study: &[Algorithm]| resolve(study, place.path(), true).err().unwrap();
        assert_eq!(refused(&study).error.cause, "b has no mutation analysis");
        let cause = refused(&[plain]).error.cause;
        assert_eq!(cause, "a program without an adapter has no mutation analysis");
    }
}
