//! The installed packages that a project reaches, which package managers put or link into a
//! `node_modules` folder of the project or of a folder above.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::{
    Package, PackageError, entries, file_error, is_inside, is_javascript, is_script, joined,
};
use crate::resolve;

const LEFT_OUT: [&str; 7] =
    ["node_modules", "test", "tests", "__tests__", "docs", "examples", "benchmark"];

/// Maximum total size of the files of all packages, in bytes, before files that are not reached are
/// left out.
const MAX_READ: u64 = 256 << 20;

/// The project and the packages that were found: their folders on the disk, without links, by their
/// folders in the project.
type Known = BTreeMap<String, PathBuf>;

/// Returns the files that are reached, so that files that are not reached can be left out if there
/// are too many.
pub(super) fn add(root: &Path, package: &mut Package) -> Result<BTreeSet<String>, PackageError> {
    let mut reached = BTreeSet::new();
    let Some(entry) = resolve::entry(package) else { return Ok(reached) };
    let place =
        root.canonicalize().map_err(|error| file_error(root.display().to_string(), error))?;
    let mut known: Known = BTreeMap::from([(String::new(), place)]);
    let mut bytes = 0;
    let mut open = vec![entry];
    while let Some(path) = open.pop() {
        if !reached.insert(path.clone()) || !is_script(&path) {
            continue;
        }
        let text = package.text(&path).unwrap_or_default();
        for request in requests(&text) {
            // Always look for the package on the disk, because the nearest package of this name in
            // the project may be a different package.
            if let Some(name) = name_of(request) {
                install(&path, name, package, &mut known, &mut bytes)?;
            }
            let find = |import| resolve::resolve(package, &path, request, import);
            let found = [false, true].into_iter().filter_map(find);
            open.extend(found.filter(|found| !found.starts_with('#')));
        }
    }
    Ok(reached)
}

fn install(
    from: &str,
    name: &str,
    package: &mut Package,
    known: &mut Known,
    bytes: &mut u64,
) -> Result<(), PackageError> {
    let folder = known.keys().rev().find(|folder| {
        folder.is_empty()
            || from.strip_prefix(folder.as_str()).is_some_and(|rest| rest.starts_with('/'))
    });
    let folder = folder.cloned().unwrap_or_default();
    let Some(found) = known.get(&folder).and_then(|place| installed(place, name)) else {
        return Ok(());
    };
    if nearest(known, &folder, name) == Some(&found) {
        return Ok(());
    }
    // Put the package at the top level or, if a different version is there, into the folder of the
    // package that needs it.
    let top = format!("node_modules/{name}");
    let free = !known.contains_key(&top);
    let at = if free { top } else { format!("{folder}/node_modules/{name}") };
    if folder.is_empty() && !free || known.contains_key(&at) {
        return Ok(());
    }
    read(&found, &found, &at, &mut package.files, bytes)?;
    known.insert(at, found);
    Ok(())
}

/// Strings after `require`, `import` and `from` may be requests for modules.
pub(crate) fn requests(text: &str) -> BTreeSet<&str> {
    let mut found = BTreeSet::new();
    for word in ["require", "import", "from"] {
        for (at, _) in text.match_indices(word) {
            let rest = text[at + word.len()..].trim_start();
            let rest = rest.strip_prefix('(').unwrap_or(rest).trim_start();
            let Some(quote) = rest.chars().next().filter(|c| matches!(c, '\'' | '"' | '`')) else {
                continue;
            };
            let inside = &rest[1..];
            let end = inside.find([quote, '\n']).filter(|end| inside[*end..].starts_with(quote));
            if let Some(end) = end.filter(|end| (1..=256).contains(end)) {
                found.insert(&inside[..end]);
            }
        }
    }
    found
}

fn name_of(request: &str) -> Option<&str> {
    let parts = if request.starts_with('@') { 2 } else { 1 };
    let cut = request.match_indices('/').nth(parts - 1).map_or(request.len(), |(at, _)| at);
    let name = &request[..cut];
    let is_name = !name.starts_with(['.', '#', '/']) && !name.contains(['\\', ':', '$', ' ']);
    (is_name && is_inside(Path::new(name))).then_some(name)
}

fn nearest<'k>(
    known: &'k BTreeMap<String, PathBuf>,
    folder: &str,
    name: &str,
) -> Option<&'k PathBuf> {
    let mut at = folder;
    loop {
        let key = if at.is_empty() {
            format!("node_modules/{name}")
        } else {
            format!("{at}/node_modules/{name}")
        };
        match (known.get(&key), at) {
            (Some(found), _) => return Some(found),
            (None, "") => return None,
            (None, _) => at = at.rsplit_once("/node_modules/").map_or("", |(up, _)| up),
        }
    }
}

/// As in Node.js, the folder `place` and its parent folders are searched.
fn installed(place: &Path, name: &str) -> Option<PathBuf> {
    let folders = place.ancestors().filter(|at| !at.ends_with("node_modules"));
    let mut candidates = folders.map(|at| at.join("node_modules").join(name));
    candidates.find(|at| at.is_dir())?.canonicalize().ok()
}

fn read(
    package: &Path,
    folder: &Path,
    at: &str,
    files: &mut BTreeMap<String, Vec<u8>>,
    bytes: &mut u64,
) -> Result<(), PackageError> {
    for path in entries(folder)? {
        let shown = path.display().to_string();
        let kind = fs::symlink_metadata(&path).map_err(|error| file_error(&shown, error))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if kind.is_dir() {
            if !name.starts_with('.') && !LEFT_OUT.contains(&name.as_str()) {
                read(package, &path, at, files, bytes)?;
            }
            continue;
        }
        let inside = path.strip_prefix(package).unwrap_or(&path);
        let wanted = is_javascript(&name) && !name.ends_with(".min.js") || name.ends_with(".json");
        if !kind.is_file() || !wanted || !is_inside(inside) {
            continue;
        }
        *bytes += kind.len();
        if *bytes > MAX_READ {
            return Err(PackageError::TooLarge);
        }
        let content = fs::read(&path).map_err(|error| file_error(shown, error))?;
        files.insert(format!("{at}/{}", joined(inside)), content);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::Package;
    use super::*;

    fn write(root: &Path, path: &str, text: &str) {
        let file = root.join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    #[test]
    fn only_packages_that_are_needed_are_read_wherever_they_are() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path();
        write(root, "app/package.json", r#"{"main": "lib/index.js"}"#);
        write(
            root,
            "app/lib/index.js",
            "require('./other'); require('far'); require('none'); require('fs')",
        );
        write(root, "app/lib/other.js", "import near from \"near\"");
        write(root, "app/config.js", "require('unused')");
        write(root, "app/node_modules/near/index.js", "module.exports = require('far/index.js');");
        write(root, "app/node_modules/near/node_modules/far/index.js", "2");
        write(root, "app/node_modules/unused/index.js", "");
        write(root, "app/node_modules/near/test/index.js", "");
        write(root, "node_modules/far/index.js", "1");
        write(root, "node_modules/far/README.md", "");
        let package = Package::read(&root.join("app")).unwrap();
        let paths: Vec<&str> = package.files.keys().map(String::as_str).collect();
        let expected = [
            "config.js",
            "lib/index.js",
            "lib/other.js",
            "node_modules/far/index.js",
            "node_modules/near/index.js",
            "node_modules/near/node_modules/far/index.js",
            "package.json",
        ];
        assert_eq!(paths, expected);
        assert_eq!(package.files["node_modules/far/index.js"], b"1");
    }

    #[cfg(unix)]
    #[test]
    fn links_of_package_managers_are_followed() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path();
        write(root, "package.json", "{}");
        write(root, "index.js", "require('a')");
        let store = "node_modules/.pnpm/a@1/node_modules";
        write(root, &format!("{store}/a/index.js"), "import { b } from 'b';");
        write(root, &format!("{store}/b/index.js"), "");
        std::os::unix::fs::symlink(root.join(store).join("a"), root.join("node_modules/a"))
            .unwrap();
        let package = Package::read(root).unwrap();
        assert!(package.files.contains_key("node_modules/a/index.js"));
        assert!(package.files.contains_key("node_modules/b/index.js"));
    }
}
