//! Packages: the files of a project, and the packed bytes whose digest names the project.

mod dependencies;

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::path::{Component, Path, PathBuf};

use catherd_javascript_instrument::is_typescript;
use serde::Deserialize;

use crate::manifest::Entry;
pub(crate) use dependencies::requests;

/// Maximum total size of all files, in bytes.
const MAX_BYTES: u64 = 16 << 20;
const MAX_FILES: usize = 4_000;
/// The first bytes of a packed project.
const MAGIC: &[u8] = b"catherd javascript 1\n";

/// The contents of `subject.toml`, whose keys are all optional.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, default)]
pub struct ProjectConfig {
    /// The file that is loaded.
    pub entry: Option<String>,
    /// Files whose code has goals, with `*` for any part of a path.
    pub targets: Option<Vec<String>>,
    /// The only class under test.
    pub class: Option<String>,
    /// The only method under test.
    pub method: Option<String>,
    /// The path of properties that leads from the exports to the values under test.
    pub namespace: Option<String>,
    /// Whether top-level definitions of a script count as exported.
    pub globals: bool,
    /// A regular expression that generates numbers.
    pub numbers: Option<String>,
    /// A regular expression that generates strings.
    pub strings: Option<String>,
    /// The profile of type inference.
    pub profile: Option<String>,
}

/// The reason why a project cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PackageError {
    /// A file cannot be used.
    #[error("{path}: {cause}")]
    File {
        /// The path of the file.
        path: String,
        /// The reason.
        cause: String,
    },
    /// The project has too many files or bytes.
    #[error("the project has more than {MAX_FILES} files or {} MiB", MAX_BYTES >> 20)]
    TooLarge,
    /// The project has no script.
    #[error("no JavaScript or TypeScript file")]
    Empty,
    /// The packed bytes are damaged.
    #[error("the packed project is damaged")]
    Damaged,
}

fn file_error(path: impl Into<String>, cause: impl ToString) -> PackageError {
    PackageError::File { path: path.into(), cause: cause.to_string() }
}

/// The files of a project by their paths relative to the root, with `/` as separator.
#[derive(Clone, Debug, PartialEq)]
pub struct Package {
    /// The contents by path.
    pub files: BTreeMap<String, Vec<u8>>,
    /// The contents of `subject.toml`.
    pub config: ProjectConfig,
}

impl Package {
    /// Reads a file, a folder or a `.tgz` archive.
    ///
    /// # Errors
    /// If the project cannot be read or is not valid.
    pub fn read(path: &Path) -> Result<Package, PackageError> {
        let shown = path.display().to_string();
        let mut files = BTreeMap::new();
        if path.is_dir() {
            add_folder(path, path, &mut files, &mut 0)?;
            let mut package = Package::new(files)?;
            let reached = dependencies::add(path, &mut package)?;
            if package.is_too_large() {
                package.files.retain(|path, _| {
                    let installed = path.split('/').any(|part| part == "node_modules");
                    !installed || reached.contains(path) || path.ends_with("/package.json")
                });
            }
            return Package::new(package.files);
        } else {
            // Limit the read itself, because a device has no size and might never end.
            let mut bytes = Vec::new();
            let read = fs::File::open(path)
                .and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes));
            read.map_err(|error| file_error(&shown, error))?;
            if bytes.len() as u64 > MAX_BYTES {
                return Err(PackageError::TooLarge);
            }
            if shown.ends_with(".tgz") {
                add_archive(&bytes, &shown, &mut files)?;
            } else {
                let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
                files.insert(name.unwrap_or_else(|| "index.js".to_owned()), bytes);
            }
        }
        Package::new(files)
    }

    /// A project of one file.
    ///
    /// # Errors
    /// If the file is not a valid project.
    pub fn of_source(name: &str, source: &str) -> Result<Package, PackageError> {
        Package::new(BTreeMap::from([(name.to_owned(), source.as_bytes().to_vec())]))
    }

    /// A project of these files.
    ///
    /// # Errors
    /// If the files are not a valid project.
    pub fn new(files: BTreeMap<String, Vec<u8>>) -> Result<Package, PackageError> {
        let config = ProjectConfig::default();
        let mut package = Package { files, config };
        if package.is_too_large() {
            return Err(PackageError::TooLarge);
        }
        let files = &package.files;
        if !files.keys().any(|path| is_script(path)) {
            return Err(PackageError::Empty);
        }
        if let Some(bytes) = files.get("subject.toml") {
            package.config = toml::from_str(&String::from_utf8_lossy(bytes))
                .map_err(|error| file_error("subject.toml", error.message()))?;
        }
        Ok(package)
    }

    fn is_too_large(&self) -> bool {
        let bytes: u64 = self.files.values().map(|bytes| bytes.len() as u64).sum();
        self.files.len() > MAX_FILES || bytes > MAX_BYTES
    }

    /// Packs the project into the bytes whose digest names the project: each file as path, length
    /// and contents, in the order of the paths.
    pub fn pack(&self) -> Vec<u8> {
        let mut packed = MAGIC.to_vec();
        for (path, bytes) in &self.files {
            packed.extend(format!("{path}\n{}\n", bytes.len()).into_bytes());
            packed.extend(bytes);
        }
        packed
    }

    /// Unpacks a project from packed bytes.
    ///
    /// # Errors
    /// If the bytes are damaged or not a valid project.
    pub fn unpack(packed: &[u8]) -> Result<Package, PackageError> {
        let mut rest = packed.strip_prefix(MAGIC).ok_or(PackageError::Damaged)?;
        let mut files = BTreeMap::new();
        while !rest.is_empty() {
            let path = line(&mut rest)?;
            let length: usize = line(&mut rest)?.parse().map_err(|_| PackageError::Damaged)?;
            let bytes = rest.get(..length).ok_or(PackageError::Damaged)?;
            rest = &rest[length..];
            if files.len() >= MAX_FILES || !is_inside(Path::new(&path)) {
                return Err(PackageError::Damaged);
            }
            files.insert(path, bytes.to_vec());
        }
        Package::new(files)
    }

    /// The project as a `.tgz` archive in the format of package managers. Projects with equal files
    /// have equal archives.
    ///
    /// # Errors
    /// If the archive cannot store a path.
    pub fn to_archive(&self) -> Result<Vec<u8>, PackageError> {
        let encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        let mut archive = tar::Builder::new(encoder);
        for (path, bytes) in &self.files {
            let failed = |error: std::io::Error| file_error(path, error);
            let mut header = tar::Header::new_gnu();
            header.set_size(bytes.len() as u64);
            header.set_mode(0o644);
            header.set_mtime(0);
            let name = format!("package/{path}");
            archive.append_data(&mut header, name, bytes.as_slice()).map_err(failed)?;
        }
        let finished = archive.into_inner().and_then(flate2::write::GzEncoder::finish);
        finished.map_err(|error| file_error("archive", error))
    }

    /// The text of a file, if the project contains the file.
    pub fn text(&self, path: &str) -> Option<String> {
        self.files.get(path).map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    }

    pub(crate) fn manifest(&self, path: &str) -> Option<Entry> {
        Entry::read(self.files.get(path)?)
    }
}

pub(crate) fn is_script(path: &str) -> bool {
    is_javascript(path) || is_typescript(path)
}

fn is_javascript(path: &str) -> bool {
    [".js", ".cjs", ".mjs"].iter().any(|end| path.ends_with(end))
}

fn line(rest: &mut &[u8]) -> Result<String, PackageError> {
    let end = rest.iter().position(|byte| *byte == b'\n').ok_or(PackageError::Damaged)?;
    let text = String::from_utf8(rest[..end].to_vec()).map_err(|_| PackageError::Damaged)?;
    *rest = &rest[end + 1..];
    Ok(text)
}

/// Whether a path stays below the root and has no line break.
fn is_inside(path: &Path) -> bool {
    path.components().all(|part| matches!(part, Component::Normal(_)))
        && path.to_str().is_some_and(|text| !text.contains('\n') && !text.is_empty())
}

fn joined(path: &Path) -> String {
    let parts = path.components().map(|part| part.as_os_str().to_string_lossy());
    parts.collect::<Vec<_>>().join("/")
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, PackageError> {
    let failed = |error: std::io::Error| file_error(folder.display().to_string(), error);
    let entries = fs::read_dir(folder).map_err(failed)?;
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()
        .map_err(failed)?;
    paths.sort();
    Ok(paths)
}

fn add_folder(
    root: &Path,
    folder: &Path,
    files: &mut BTreeMap<String, Vec<u8>>,
    bytes: &mut u64,
) -> Result<(), PackageError> {
    for path in entries(folder)? {
        let shown = path.display().to_string();
        let kind = fs::symlink_metadata(&path).map_err(|error| file_error(&shown, error))?;
        // The packages that the project reaches are added later.
        if path.file_name().is_some_and(|name| name == "node_modules") {
            continue;
        }
        if kind.is_symlink() {
            return Err(file_error(shown, "links are not followed: copy what the link points to"));
        }
        if kind.is_dir() {
            let hidden =
                path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
            if !hidden {
                add_folder(root, &path, files, bytes)?;
            }
            continue;
        }
        let inside = path.strip_prefix(root).unwrap_or(&path);
        if !kind.is_file() || !is_inside(inside) {
            continue;
        }
        *bytes += kind.len();
        if *bytes > MAX_BYTES || files.len() >= MAX_FILES {
            return Err(PackageError::TooLarge);
        }
        let content = fs::read(&path).map_err(|error| file_error(shown, error))?;
        files.insert(joined(inside), content);
    }
    Ok(())
}

fn add_archive(
    bytes: &[u8],
    shown: &str,
    files: &mut BTreeMap<String, Vec<u8>>,
) -> Result<(), PackageError> {
    let failed = |error: std::io::Error| file_error(shown, error);
    let limited = flate2::read::GzDecoder::new(bytes).take(MAX_BYTES * 2);
    let mut archive = tar::Archive::new(limited);
    for entry in archive.entries().map_err(failed)? {
        let mut entry = entry.map_err(failed)?;
        if !entry.header().entry_type().is_file() {
            continue;
        }
        let path = entry.path().map_err(failed)?.into_owned();
        if !is_inside(&path) {
            return Err(file_error(
                shown,
                format!("{} leads out of the archive or has a line break", path.display()),
            ));
        }
        let mut parts = path.components();
        parts.next();
        let inside = joined(parts.as_path());
        if entry.size() > MAX_BYTES || files.len() >= MAX_FILES {
            return Err(PackageError::TooLarge);
        }
        let mut content = Vec::new();
        entry.read_to_end(&mut content).map_err(failed)?;
        if !inside.is_empty() {
            files.insert(inside, content);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_archive_has_the_same_files_and_the_same_bytes() {
        let long = format!("{}/index.js", ["part"; 40].join("/"));
        let files = [("index.js", "1"), (long.as_str(), "2"), ("package.json", "{}")];
        let files = files.map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec()));
        let package = Package::new(BTreeMap::from(files)).unwrap();
        let bytes = package.to_archive().unwrap();
        assert_eq!(bytes, package.to_archive().unwrap());
        let mut files = BTreeMap::new();
        add_archive(&bytes, "a.tgz", &mut files).unwrap();
        assert_eq!(Package::new(files).unwrap(), package);
    }
}
