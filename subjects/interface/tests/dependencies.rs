//! The layers of the workspace: which crates may use which, and that no crate but a subject
//! kind's own names the kind.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// The crates of the workspace by name.
struct Workspace(BTreeMap<String, Member>);

struct Member {
    folder: PathBuf,
    /// Names of crates of the workspace that it uses.
    uses: BTreeSet<String>,
    /// The same for its tests alone.
    tests_use: BTreeSet<String>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

impl Workspace {
    fn read() -> Workspace {
        let output = Command::new(env!("CARGO"))
            .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
            .current_dir(root())
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
        let packages = metadata["packages"].as_array().unwrap().iter();
        Workspace(packages.map(|package| (text(&package["name"]), member(package))).collect())
    }

    fn member(&self, name: &str) -> &Member {
        &self.0[&format!("catherd-{name}")]
    }

    /// All crates of the workspace that a crate and its tests compile.
    fn compiled(&self, name: &str) -> BTreeSet<&str> {
        let Member { uses, tests_use, .. } = self.member(name);
        let mut open: Vec<&String> = uses.iter().chain(tests_use).collect();
        let mut compiled = BTreeSet::new();
        while let Some(name) = open.pop() {
            if compiled.insert(name.as_str()) {
                open.extend(&self.0[name].uses);
            }
        }
        compiled
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

fn member(package: &Value) -> Member {
    let dependencies = package["dependencies"].as_array().unwrap().iter();
    let (mut uses, mut tests_use) = (BTreeSet::new(), BTreeSet::new());
    for dependency in dependencies.filter(|dependency| dependency["path"].is_string()) {
        let set = if dependency["kind"] == "dev" { &mut tests_use } else { &mut uses };
        set.insert(text(&dependency["name"]));
    }
    let manifest = PathBuf::from(text(&package["manifest_path"]));
    Member { folder: manifest.parent().unwrap().to_owned(), uses, tests_use }
}

#[test]
fn worker_and_coordinator_compile_no_subject() {
    let workspace = Workspace::read();
    for name in ["worker", "coordinator", "subject", "proto", "analysis", "javascript-engine"] {
        for used in workspace.compiled(name) {
            let folder = workspace.0[used].folder.strip_prefix(root()).unwrap();
            assert!(!folder.starts_with("subjects/scratch"), "{name} compiles {used}");
            assert!(!folder.starts_with("subjects/sequences"), "{name} compiles {used}");
            // Of `search`, the interface needs the types of parameters and budgets.
            let has_interface = matches!(name, "subject" | "worker");
            assert!(has_interface || used != "catherd-search", "{name} compiles {used}");
        }
    }
}

#[test]
fn crates_use_only_the_layers_below_them() {
    let workspace = Workspace::read();
    for (name, allowed) in [
        ("experiments", &[][..]),
        ("elementary", &[]),
        ("javascript-engine", &["elementary", "javascript-heap"]),
        ("javascript-heap", &[]),
        ("javascript-classes", &["javascript-machine", "search"]),
        ("javascript-instrument", &[]),
        ("itch", &["javascript-engine", "sb3", "test-report", "vm"]),
        ("javascript-machine", &["javascript-engine", "javascript-instrument", "search"]),
        ("javascript-suites", &["javascript-engine", "sb3", "suite", "test-report", "vm"]),
        ("test-report", &[]),
        ("platform", &[]),
        ("search", &[]),
        ("sequences", &["javascript-engine", "platform", "search"]),
        ("sequences-kind", &["experiments", "sequences", "subject"]),
        ("proto", &["experiments"]),
        ("analysis", &["experiments"]),
        ("archive", &["experiments"]),
        ("subject", &["experiments", "platform", "search"]),
        ("coordinator", &["experiments", "platform", "proto"]),
        ("worker", &["experiments", "platform", "proto", "subject"]),
    ] {
        for used in &workspace.member(name).uses {
            let used = used.strip_prefix("catherd-").unwrap();
            assert!(allowed.contains(&used), "{name} uses {used}");
        }
    }
}

/// Adds the Rust files of a folder and of those below it.
fn add_sources(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            add_sources(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

#[test]
fn no_crate_but_its_own_names_the_scratch_kind() {
    let mut checked = 0;
    for (name, member) in Workspace::read().0 {
        if member.folder.starts_with(root().join("subjects/scratch")) {
            continue;
        }
        let mut files = Vec::new();
        add_sources(&member.folder.join("src"), &mut files);
        for file in files {
            let text = fs::read_to_string(&file).unwrap();
            let code = text.split("#[cfg(test)]").next().unwrap().lines();
            let code = code.filter(|line| !line.trim_start().starts_with("//"));
            let code = code.collect::<Vec<_>>().join("\n");
            assert!(!code.contains("\"scratch\""), "{name}: {}", file.display());
            checked += 1;
        }
    }
    assert!(checked > 100, "{checked}");
}
