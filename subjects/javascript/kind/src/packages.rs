//! Corpora of npm packages: archives of packages with their dependencies.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use catherd_experiments::Digest;
use catherd_javascript_classes::machine::{Package, PackageError};
use serde_json::Value;

/// A package with its dependencies.
#[derive(Clone, Debug, PartialEq)]
pub struct Packed {
    /// The name.
    pub name: String,
    /// The version.
    pub version: String,
    /// The licence in the manifest; empty if there is none.
    pub licence: String,
    /// The files.
    pub package: Package,
    /// The digest of the project.
    pub digest: String,
}

impl Packed {
    /// The name of the archive, such as `lodash-4.17.21.tgz`.
    pub fn file_name(&self) -> String {
        let name = self.name.trim_start_matches('@').replace('/', "-");
        format!("{name}-{}.tgz", self.version)
    }
}

/// The reason why packages cannot be packed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PackagingError(String);

impl From<String> for PackagingError {
    fn from(line: String) -> PackagingError {
        PackagingError(line)
    }
}

/// The packages of a list with one `name@version` per line. Lines that begin with `#` are comments.
///
/// # Errors
/// If a line is not a package.
pub fn list(text: &str) -> Result<Vec<(String, String)>, PackagingError> {
    let lines = text.lines().enumerate().map(|(number, line)| (number + 1, line.trim()));
    let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let read = lines.map(|(number, line)| {
        let parts = line.rsplit_once('@').filter(|(name, _)| !name.is_empty());
        let (name, version) = parts.ok_or_else(|| format!("line {number}: no name@version"))?;
        let plain = |text: &str| {
            let letters = text.chars().all(|c| c.is_ascii_alphanumeric() || "-_.@/+".contains(c));
            letters && !text.split('/').any(|part| part.is_empty() || part.starts_with('.'))
        };
        if !plain(name) || !plain(version) || version.contains('/') {
            return Err(format!("line {number}: `{line}` is not a name@version").into());
        }
        Ok((name.to_owned(), version.to_owned()))
    });
    read.collect()
}

/// Packs a package and its dependencies from a folder into which they were installed.
///
/// # Errors
/// If the package or a dependency is not installed or not usable.
pub fn pack(folder: &Path, name: &str, version: &str) -> Result<Packed, PackagingError> {
    let installed = |name: &str| -> Option<PathBuf> {
        let places = [folder.join("node_modules").join(name), folder.join(name)];
        places.into_iter().find(|place| place.join("package.json").is_file())
    };
    let read = |name: &str| -> Result<(Package, Value), String> {
        let place = installed(name).ok_or_else(|| format!("{name} is not installed"))?;
        let failed = |error: PackageError| format!("{name}: {error}");
        let package = Package::read(&place).map_err(failed)?;
        let text = package.text("package.json").unwrap_or_default();
        let manifest = serde_json::from_str(&text)
            .map_err(|error| format!("{name}: package.json: {error}"))?;
        Ok((package, manifest))
    };
    let (package, manifest) = read(name)?;
    let found = manifest["version"].as_str().unwrap_or("");
    if found != version {
        return Err(format!("{name}: version {found} is installed, not {version}").into());
    }
    let mut files: BTreeMap<String, Vec<u8>> = package.files;
    let mut open = dependencies(&manifest);
    let mut seen: BTreeSet<String> = BTreeSet::new();
    while let Some(needed) = open.pop() {
        let inside = format!("node_modules/{needed}/package.json");
        if !seen.insert(needed.clone()) || files.contains_key(&inside) {
            continue;
        }
        let (package, manifest) = read(&needed)?;
        for (path, bytes) in package.files {
            files.insert(format!("node_modules/{needed}/{path}"), bytes);
        }
        open.extend(dependencies(&manifest));
    }
    let package = Package::new(files).map_err(|error| format!("{name}: {error}"))?;
    let licence = match &manifest["license"] {
        Value::String(text) => text.clone(),
        other => other["type"].as_str().unwrap_or("").to_owned(),
    };
    let digest = Digest::of(&package.pack()).to_string();
    Ok(Packed { name: name.to_owned(), version: version.to_owned(), licence, package, digest })
}

fn dependencies(manifest: &Value) -> Vec<String> {
    manifest["dependencies"].as_object().into_iter().flatten().map(|(n, _)| n.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_have_one_package_per_line() {
        let packages = list("# classes\nlodash@4.17.21\n\n@scope/name@1.0.0-beta.1\n").unwrap();
        let expected = [("lodash", "4.17.21"), ("@scope/name", "1.0.0-beta.1")];
        let expected = expected.map(|(name, version)| (name.to_owned(), version.to_owned()));
        assert_eq!(packages, expected);
        for line in ["lodash", "../evil@1", "@1.0", "a/../b@1", "a@1/2"] {
            assert!(list(line).unwrap_err().to_string().contains("line 1"), "{line}");
        }
    }
}
