//! Module resolution: the file that a request of `require` or `import` names.

use std::collections::BTreeSet;

use catherd_javascript_instrument::is_typescript;

use crate::manifest::Entry;
use crate::package::Package;

/// The built-in modules of Node.js that are recognised, without `node:`.
const BUILT_IN: &str = "assert assert/strict async_hooks buffer child_process cluster console \
    constants crypto dgram diagnostics_channel dns domain events fs fs/promises http http2 https \
    inspector module net os path path/posix perf_hooks process punycode querystring readline repl \
    stream stream/consumers stream/promises stream/web string_decoder sys timers timers/promises tls tty url util util/types v8 \
    vm wasi worker_threads zlib test";

/// Conditions of `exports` and `imports` for `require`. The order of conditions in the manifest
/// determines which condition is used.
const OF_REQUIRE: [&str; 4] = ["node-addons", "node", "require", "default"];
const OF_IMPORT: [&str; 4] = ["node-addons", "node", "import", "default"];

pub(crate) fn entry(package: &Package) -> Option<String> {
    if let Some(entry) = &package.config.entry {
        return file(package, &normal(entry)?);
    }
    let scripts: Vec<&String> =
        package.files.keys().filter(|path| crate::package::is_script(path)).collect();
    if let Some(manifest) = package.manifest("package.json") {
        // A package may be only for `import`, or have only a file for bundlers.
        let of_bundlers = || {
            let path = normal(manifest.get("module")?.text()?)?;
            file_or_folder(package, &path)
        };
        let found = [&OF_REQUIRE, &OF_IMPORT]
            .into_iter()
            .find_map(|conditions| main(package, "", &manifest, conditions));
        if let Some(path) = found.or_else(of_bundlers) {
            return Some(path);
        }
    }
    let (typed, plain): (Vec<&String>, Vec<&String>) =
        scripts.into_iter().partition(|path| is_typescript(path));
    let index = || file(package, "index");
    match (plain.as_slice(), typed.as_slice()) {
        ([only], []) | ([], [only]) => Some((*only).clone()),
        (_, []) => index(),
        (plain, _) => {
            let only = || (plain.len() == 1).then(|| plain[0].clone());
            index().or_else(|| file(package, "src/index")).or_else(only)
        }
    }
}

/// Built-in modules are `#name`.
pub(crate) fn resolve(
    package: &Package,
    from: &str,
    request: &str,
    import: bool,
) -> Option<String> {
    let bare = request.strip_prefix("node:").unwrap_or(request);
    if BUILT_IN.split_whitespace().any(|name| name == bare) && !is_relative(request) {
        return Some(format!("#{bare}"));
    }
    let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
    if is_relative(request) {
        return file_or_folder(package, &normal(&format!("{folder}/{request}"))?);
    }
    if let Some(absolute) = request.strip_prefix("/subject/") {
        return file_or_folder(package, &normal(absolute)?);
    }
    if let Some(found) = crate::typescript::alias(package, from, request) {
        return Some(found);
    }
    let conditions = if import { &OF_IMPORT } else { &OF_REQUIRE };
    if request.starts_with('#') {
        let (root, manifest) = scope(package, folder)?;
        let target = mapped(manifest.get("imports")?, request, conditions)?;
        if is_relative(&target) {
            return file(package, &normal(&join(&root, &target))?);
        }
        return resolve(package, &join(&root, "package.json"), &target, import);
    }
    let parts = if request.starts_with('@') { 2 } else { 1 };
    let cut = request.match_indices('/').nth(parts - 1).map_or(request.len(), |(at, _)| at);
    let (name, rest) = request.split_at(cut);
    let rest = rest.trim_start_matches('/');
    // A package may import itself by name if it has `exports`.
    if let Some((root, manifest)) = scope(package, folder)
        && manifest.get("name").and_then(Entry::text) == Some(name)
        && manifest.get("exports").is_some()
    {
        return in_package(package, &root, rest, conditions);
    }
    for at in upwards(folder).filter(|at| !at.ends_with("node_modules")) {
        let found = join(at, &format!("node_modules/{name}"));
        let prefix = format!("{found}/");
        if package.files.range(prefix.clone()..).next().is_some_and(|(p, _)| p.starts_with(&prefix))
        {
            return in_package(package, &found, rest, conditions);
        }
    }
    None
}

/// A folder and the folders above it, up to the root, whose path is empty.
pub(crate) fn upwards(folder: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(folder), |at| match *at {
        "" => None,
        at => Some(at.rsplit_once('/').map_or("", |(up, _)| up)),
    })
}

fn scope(package: &Package, folder: &str) -> Option<(String, Entry)> {
    upwards(folder)
        .find_map(|at| Some((at.to_owned(), package.manifest(&join(at, "package.json"))?)))
}

/// `None` if this depends on the contents of the file.
pub(crate) fn is_module(package: &Package, path: &str) -> Option<bool> {
    if path.ends_with(".mjs") || path.ends_with(".mts") {
        return Some(true);
    }
    if path.ends_with(".cjs") || path.ends_with(".cts") {
        return Some(false);
    }
    let mut folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    loop {
        if let Some(manifest) = package.manifest(&join(folder, "package.json")) {
            return match manifest.get("type").and_then(Entry::text) {
                Some("module") => Some(true),
                Some("commonjs") => Some(false),
                _ => None,
            };
        }
        if folder.is_empty() {
            return None;
        }
        folder = folder.rsplit_once('/').map_or("", |(up, _)| up);
    }
}

fn is_relative(request: &str) -> bool {
    request == "." || request == ".." || request.starts_with("./") || request.starts_with("../")
}

pub(crate) fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// `None` if the path leads out of the package.
pub(crate) fn normal(path: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

fn file(package: &Package, path: &str) -> Option<String> {
    let candidates = ["", ".js", ".json", ".cjs", ".mjs"].map(|end| format!("{path}{end}"));
    let found = candidates.into_iter().find(|candidate| package.files.contains_key(candidate));
    found.or_else(|| crate::typescript::file(package, path))
}

pub(crate) fn file_or_folder(package: &Package, path: &str) -> Option<String> {
    if let Some(found) = file(package, path) {
        return Some(found);
    }
    let manifest = package.manifest(&join(path, "package.json"));
    let main = manifest.and_then(|manifest| {
        let full = normal(&join(path, manifest.get("main")?.text()?))?;
        file(package, &full).or_else(|| file(package, &join(&full, "index")))
    });
    main.or_else(|| file(package, &join(path, "index")))
}

fn main(package: &Package, root: &str, manifest: &Entry, conditions: &[&str]) -> Option<String> {
    match manifest.get("exports") {
        Some(exports) if *exports != Entry::Null => {
            let has_paths = exports.members().iter().any(|(key, _)| key.starts_with('.'));
            let path = match has_paths {
                true => mapped(exports, ".", conditions)?,
                false => conditional(exports, conditions)?,
            };
            file(package, &normal(&join(root, &path))?)
        }
        _ => file_or_folder(package, root),
    }
}

fn in_package(package: &Package, root: &str, rest: &str, conditions: &[&str]) -> Option<String> {
    let manifest = package.manifest(&join(root, "package.json")).unwrap_or(Entry::Null);
    if rest.is_empty() {
        return main(package, root, &manifest, conditions);
    }
    match manifest.get("exports") {
        Some(exports) if *exports != Entry::Null => {
            let path = mapped(exports, &format!("./{rest}"), conditions)?;
            file(package, &normal(&join(root, &path))?)
        }
        _ => file_or_folder(package, &normal(&join(root, rest))?),
    }
}

/// The path for the name itself, or for the matching pattern with the longest beginning.
fn mapped(list: &Entry, name: &str, conditions: &[&str]) -> Option<String> {
    if let Some(value) = list.get(name).filter(|_| !name.contains('*')) {
        return conditional(value, conditions);
    }
    let patterns = list.members().iter().filter_map(|(pattern, value)| {
        let (before, after) = pattern.split_once('*')?;
        let middle = name.strip_prefix(before)?.strip_suffix(after)?;
        (!middle.is_empty()).then_some((before.len(), pattern.len(), middle, value))
    });
    let (_, _, middle, value) = patterns.max_by_key(|(before, whole, ..)| (*before, *whole))?;
    conditional(value, conditions).map(|path| path.replace('*', middle))
}

/// The first path in a value of `exports` or `imports`, in the order of the manifest, whose
/// conditions all hold.
fn conditional(value: &Entry, conditions: &[&str]) -> Option<String> {
    match value {
        Entry::Text(path) => Some(path.clone()),
        Entry::List(list) => list.iter().find_map(|each| conditional(each, conditions)),
        Entry::Members(members) => members
            .iter()
            .filter(|(condition, _)| conditions.contains(&condition.as_str()))
            .find_map(|(_, each)| conditional(each, conditions)),
        Entry::Null | Entry::Other => None,
    }
}

/// Without patterns, all files of the package itself except tests and minified files are targets.
pub(crate) fn is_target(package: &Package, path: &str) -> bool {
    if let Some(patterns) = &package.config.targets {
        return patterns.iter().any(|pattern| matches(pattern, path));
    }
    let tests: BTreeSet<&str> = ["node_modules", "test", "tests", "spec", "__tests__"].into();
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    !folders.split('/').any(|folder| tests.contains(folder))
        && ![".test.", ".spec.", ".min."].iter().any(|part| name.contains(part))
}

fn matches(pattern: &str, path: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| path.strip_prefix(first)) else {
        return false;
    };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(files: &[(&str, &str)]) -> Package {
        let files = files.iter().map(|(path, text)| ((*path).into(), text.as_bytes().to_vec()));
        Package::new(files.collect()).unwrap()
    }

    #[test]
    fn requests_name_files_below_the_root() {
        let package = package(&[
            (
                "package.json",
                r#"{"exports": {".": {"import": "./m.mjs", "require": "./lib/a.js"}}}"#,
            ),
            ("lib/a.js", ""),
            ("lib/index.js", ""),
            ("m.mjs", ""),
            ("node_modules/b/package.json", r#"{"main": "./x"}"#),
            ("node_modules/b/x.js", ""),
        ]);
        assert_eq!(entry(&package).as_deref(), Some("lib/a.js"));
        let resolve = |request| resolve(&package, "lib/a.js", request, false);
        assert_eq!(resolve("./").as_deref(), Some("lib/index.js"));
        assert_eq!(resolve("../lib").as_deref(), Some("lib/index.js"));
        assert_eq!(resolve("b").as_deref(), Some("node_modules/b/x.js"));
        assert_eq!(resolve("node:fs").as_deref(), Some("#fs"));
        assert_eq!(resolve("../../etc/passwd"), None);
        assert!(is_target(&package, "lib/a.js") && !is_target(&package, "node_modules/b/x.js"));
        assert!(matches("lib/*.js", "lib/a.js") && !matches("lib/*.js", "src/a.js"));
    }

    #[test]
    fn packages_are_resolved_as_in_node() {
        let package = package(&[
            (
                "package.json",
                r##"{"name": "own", "exports": {".": "./a.js", "./inner/*": "./lib/*.js", "./inner/hidden/*": null},
                    "imports": {"#x": "./x.js", "#dep": {"import": "both", "default": "./d.js"}}}"##,
            ),
            ("a.js", ""),
            ("x.js", ""),
            ("d.js", ""),
            ("lib/p.js", ""),
            ("lib/hidden/p.js", ""),
            ("node_modules/both/package.json", r#"{"main": "c.js", "module": "m.js"}"#),
            ("node_modules/both/c.js", ""),
            ("node_modules/both/m.js", ""),
            (
                "node_modules/ordered/package.json",
                r#"{"exports": {"default": "./first.js", "require": "./second.js"}}"#,
            ),
            ("node_modules/ordered/first.js", ""),
            ("node_modules/ordered/second.js", ""),
            ("node_modules/ordered/other.js", ""),
            ("node_modules/user/index.js", ""),
        ]);
        let required = |request| resolve(&package, "a.js", request, false);
        let imported = |request| resolve(&package, "a.js", request, true);
        assert_eq!(required("both").as_deref(), Some("node_modules/both/c.js"));
        assert_eq!(imported("both").as_deref(), Some("node_modules/both/c.js"));
        assert_eq!(required("ordered").as_deref(), Some("node_modules/ordered/first.js"));
        assert_eq!(required("ordered/other.js"), None);
        assert_eq!(required("#x").as_deref(), Some("x.js"));
        assert_eq!(required("#dep").as_deref(), Some("d.js"));
        assert_eq!(imported("#dep").as_deref(), Some("node_modules/both/c.js"));
        assert_eq!(required("own").as_deref(), Some("a.js"));
        assert_eq!(required("own/inner/p").as_deref(), Some("lib/p.js"));
        assert_eq!(required("own/inner/hidden/p"), None);
        let hoisted = resolve(&package, "node_modules/user/index.js", "both", false);
        assert_eq!(hoisted.as_deref(), Some("node_modules/both/c.js"));
    }
}
