//! Module resolution: the file that a request of `require` or `import` names.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::package::Package;

/// Modules of Node, with and without `node:`.
const BUILT_IN: &str = "assert assert/strict async_hooks buffer child_process cluster console \
    constants crypto dgram diagnostics_channel dns domain events fs fs/promises http http2 https \
    inspector module net os path path/posix perf_hooks process punycode querystring readline repl \
    stream stream/promises string_decoder sys timers timers/promises tls tty url util util/types v8 \
    vm wasi worker_threads zlib test";

/// Conditions of `exports` for `require`; the first that is present counts.
const OF_REQUIRE: [&str; 4] = ["require", "node", "default", "import"];
/// Conditions of `exports` for `import`; the first that is present counts.
const OF_IMPORT: [&str; 4] = ["import", "node", "default", "require"];

/// The entry of a project: `subject.toml`, `exports`, `module`, `main`, `index.js`, or its only
/// file.
pub(crate) fn entry(package: &Package) -> Option<String> {
    if let Some(entry) = &package.config.entry {
        return file(package, &normal(entry)?);
    }
    let scripts: Vec<&String> =
        package.files.keys().filter(|path| crate::package::is_script(path)).collect();
    if let Some(manifest) = package.json("package.json")
        && let Some(path) = main(package, "", &manifest, &OF_REQUIRE)
    {
        return Some(path);
    }
    match scripts.as_slice() {
        [only] => Some((*only).clone()),
        _ => file(package, "index"),
    }
}

/// The file that a request names; built-in modules are `#name`. `None` if there is none.
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
    let conditions = if import { &OF_IMPORT } else { &OF_REQUIRE };
    let parts = if request.starts_with('@') { 2 } else { 1 };
    let cut = request.match_indices('/').nth(parts - 1).map_or(request.len(), |(at, _)| at);
    let (name, rest) = request.split_at(cut);
    let mut base = Some(folder);
    while let Some(at) = base {
        let found = join(at, &format!("node_modules/{name}"));
        let prefix = format!("{found}/");
        if package.files.range(prefix.clone()..).next().is_some_and(|(p, _)| p.starts_with(&prefix))
        {
            return in_package(package, &found, rest.trim_start_matches('/'), conditions);
        }
        base =
            if at.is_empty() { None } else { Some(at.rsplit_once('/').map_or("", |(up, _)| up)) };
    }
    // A package may name itself.
    let manifest = package.json("package.json")?;
    (manifest.get("name")?.as_str()? == name)
        .then(|| in_package(package, "", rest.trim_start_matches('/'), conditions))?
}

/// Whether a file is a module, by its name and the manifests above it; `None` if its contents decide.
pub(crate) fn is_module(package: &Package, path: &str) -> Option<bool> {
    if path.ends_with(".mjs") {
        return Some(true);
    }
    if path.ends_with(".cjs") {
        return Some(false);
    }
    let mut folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    loop {
        if let Some(manifest) = package.json(&join(folder, "package.json")) {
            return match manifest.get("type").and_then(Value::as_str) {
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

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// A path without `.` and `..`; `None` if it leads out of the package.
fn normal(path: &str) -> Option<String> {
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
    candidates.into_iter().find(|candidate| package.files.contains_key(candidate))
}

fn file_or_folder(package: &Package, path: &str) -> Option<String> {
    if let Some(found) = file(package, path) {
        return Some(found);
    }
    let manifest = package.json(&join(path, "package.json"));
    let main = manifest.and_then(|manifest| {
        let main = manifest.get("main")?.as_str()?.to_owned();
        let full = normal(&join(path, &main))?;
        file(package, &full).or_else(|| file(package, &join(&full, "index")))
    });
    main.or_else(|| file(package, &join(path, "index")))
}

/// The main file of a package.
fn main(package: &Package, root: &str, manifest: &Value, conditions: &[&str]) -> Option<String> {
    if let Some(exports) = manifest.get("exports") {
        let dot = exports.get(".").unwrap_or(exports);
        if let Some(path) = conditional(dot, conditions) {
            return file(package, &normal(&join(root, &path))?);
        }
    }
    for key in ["module", "main"] {
        if let Some(path) = manifest.get(key).and_then(Value::as_str)
            && let Some(found) =
                normal(&join(root, path)).and_then(|full| file_or_folder(package, &full))
        {
            return Some(found);
        }
    }
    file(package, &join(root, "index"))
}

fn in_package(package: &Package, root: &str, rest: &str, conditions: &[&str]) -> Option<String> {
    let manifest = package.json(&join(root, "package.json")).unwrap_or(Value::Null);
    if rest.is_empty() {
        return main(package, root, &manifest, conditions);
    }
    if let Some(Value::Object(exports)) = manifest.get("exports") {
        let asked = format!("./{rest}");
        if let Some(path) = exports.get(&asked).and_then(|value| conditional(value, conditions)) {
            return file(package, &normal(&join(root, &path))?);
        }
        for (pattern, value) in exports {
            if let Some((before, after)) = pattern.split_once('*')
                && let Some(middle) =
                    asked.strip_prefix(before).and_then(|text| text.strip_suffix(after))
                && let Some(path) = conditional(value, conditions)
            {
                return file(package, &normal(&join(root, &path.replace('*', middle)))?);
            }
        }
    }
    file_or_folder(package, &normal(&join(root, rest))?)
}

/// The path that a value of `exports` gives for a list of conditions.
fn conditional(value: &Value, conditions: &[&str]) -> Option<String> {
    match value {
        Value::String(path) => Some(path.clone()),
        Value::Array(list) => list.iter().find_map(|each| conditional(each, conditions)),
        Value::Object(map) => conditions
            .iter()
            .filter_map(|condition| map.get(*condition))
            .find_map(|each| conditional(each, conditions)),
        _ => None,
    }
}

/// Whether a path is a target: by patterns, or by default every file of the package itself except tests
/// and minified files.
pub(crate) fn is_target(package: &Package, path: &str) -> bool {
    if let Some(patterns) = &package.config.targets {
        return patterns.iter().any(|pattern| matches(pattern, path));
    }
    let tests: BTreeSet<&str> = ["node_modules", "test", "tests", "spec", "__tests__"].into();
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    !folders.split('/').any(|folder| tests.contains(folder))
        && ![".test.", ".spec.", ".min."].iter().any(|part| name.contains(part))
}

/// Whether a path matches a pattern with `*`.
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
}
