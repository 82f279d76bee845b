//! Tests the layers of the workspace.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

struct Workspace(BTreeMap<String, Member>);

struct Member {
    folder: PathBuf,
    /// The crates of the workspace among the dependencies.
    uses: BTreeSet<String>,
    /// The crates of the workspace among the dev-dependencies.
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
fn crates_are_named_after_their_folders() {
    let root = root();
    let members = Workspace::read().0;
    for (name, member) in &members {
        let folder = member.folder.strip_prefix(&root).unwrap();
        let folder = folder.strip_prefix("subjects").unwrap_or(folder);
        let words: Vec<_> = folder.iter().map(|part| part.to_str().unwrap()).collect();
        let expected = match words[..] {
            ["cli"] => "catherd".to_owned(),
            _ => format!("catherd-{}", words.join("-")),
        };
        assert_eq!(*name, expected, "{}", folder.display());
        let parents = member.folder.ancestors().skip(1).take_while(|parent| *parent != root);
        for parent in parents {
            let is_crate = members.values().any(|other| other.folder == parent);
            let is_part = ["analysis", "cli"].iter().any(|whole| parent == root.join(whole));
            assert!(!is_crate || is_part, "{name} is in the folder of another crate");
        }
    }
    assert!(members.len() > 30, "{}", members.len());
}

#[test]
fn only_the_command_line_compiles_kinds() {
    let workspace = Workspace::read();
    let subjects = root().join("subjects");
    let outside = |name: &str| !workspace.0[name].folder.starts_with(&subjects);
    for name in workspace.0.keys().filter(|name| *name != "catherd" && outside(name)) {
        let name = name.strip_prefix("catherd-").unwrap();
        for used in workspace.compiled(name).into_iter().filter(|used| !outside(used)) {
            // These crates use kinds through the interface, which needs types of `search`.
            let allowed = ["catherd-interface", "catherd-search"];
            let uses_kinds = ["worker", "analysis-results", "analysis-commands", "cli-failures"];
            assert!(
                uses_kinds.contains(&name) && allowed.contains(&used),
                "{name} compiles {used}"
            );
        }
    }
}

#[test]
fn kinds_do_not_compile_each_other() {
    let workspace = Workspace::read();
    for kind in ["javascript", "scratch", "sequences"] {
        let folder = root().join("subjects").join(kind);
        let of_kind = |name: &&String| workspace.0[*name].folder.starts_with(&folder);
        for name in workspace.0.keys().filter(of_kind) {
            let name = name.strip_prefix("catherd-").unwrap();
            for used in workspace.compiled(name) {
                let own = workspace.0[used].folder.starts_with(&folder);
                // Suites and models contain scripts, and commands of kinds print to the console.
                let shared = matches!(
                    used.strip_prefix("catherd-").unwrap(),
                    "cli-console"
                        | "elementary"
                        | "experiments"
                        | "interface"
                        | "javascript-engine"
                        | "javascript-heap"
                        | "platform"
                        | "search"
                );
                assert!(own || shared, "{name} compiles {used}");
            }
        }
    }
}

#[test]
fn crates_use_only_the_layers_below_them() {
    let workspace = Workspace::read();
    // As in ARCHITECTURE.md.
    let layers = [
        ("analysis", "experiments"),
        ("analysis-archive", "experiments"),
        (
            "analysis-commands",
            "analysis analysis-archive analysis-results cli-console cli-failures coordinator \
             experiments interface platform",
        ),
        ("analysis-results", "analysis coordinator experiments interface"),
        ("cli-console", "experiments"),
        (
            "cli-failures",
            "analysis analysis-archive analysis-results cli-console coordinator experiments \
             interface proto worker",
        ),
        ("coordinator", "experiments platform proto"),
        ("elementary", ""),
        ("experiments", ""),
        ("interface", "experiments platform search"),
        ("javascript-classes", "javascript-machine search"),
        ("javascript-commands", "cli-console experiments javascript-kind platform search"),
        ("javascript-engine", "elementary javascript-heap platform"),
        ("javascript-heap", ""),
        ("javascript-instrument", ""),
        ("javascript-kind", "experiments interface javascript-classes search"),
        ("javascript-machine", "javascript-engine javascript-instrument search"),
        ("deploy-launch", ""),
        ("platform", ""),
        ("proto", "experiments"),
        (
            "scratch-commands",
            "cli-console experiments interface scratch-conformance scratch-corpora \
             scratch-grading-itch scratch-grading-kind scratch-grading-report \
             scratch-grading-whisker scratch-kind scratch-mutation scratch-sb3 scratch-suite \
             scratch-testgen scratch-vm search",
        ),
        ("scratch-conformance", "platform scratch-sb3 scratch-vm"),
        ("scratch-corpora", "scratch-sb3 search"),
        (
            "scratch-games",
            "scratch-sb3 scratch-suite scratch-testgen scratch-trace scratch-vm search",
        ),
        ("scratch-grading-itch", "javascript-engine scratch-grading-report scratch-sb3 scratch-vm"),
        (
            "scratch-grading-kind",
            "experiments interface scratch-grading-report scratch-grading-whisker scratch-kind \
             scratch-mutation scratch-sb3 scratch-suite scratch-vm",
        ),
        ("scratch-grading-report", ""),
        (
            "scratch-grading-whisker",
            "javascript-engine scratch-grading-report scratch-sb3 scratch-suite scratch-vm",
        ),
        (
            "scratch-kind",
            "experiments interface scratch-corpora scratch-games scratch-mutation scratch-sb3 \
             scratch-suite scratch-testgen scratch-vm search",
        ),
        ("scratch-mutation", "scratch-sb3 scratch-suite scratch-vm search"),
        ("scratch-render", ""),
        ("scratch-sb3", ""),
        ("scratch-suite", "scratch-sb3 scratch-vm"),
        ("scratch-testgen", "scratch-sb3 scratch-suite scratch-trace scratch-vm search"),
        ("scratch-trace", "scratch-sb3 scratch-suite scratch-vm"),
        ("scratch-vm", "elementary scratch-render scratch-sb3"),
        ("search", ""),
        ("sequences-commands", "cli-console experiments sequences-testing"),
        ("sequences-kind", "experiments interface sequences-testing"),
        ("sequences-testing", "javascript-engine platform search"),
        ("worker", "experiments interface platform proto"),
    ];
    for (name, allowed) in layers {
        let allowed: BTreeSet<_> = allowed.split_whitespace().collect();
        let uses = workspace.member(name).uses.iter();
        let uses: BTreeSet<_> = uses.map(|used| used.strip_prefix("catherd-").unwrap()).collect();
        assert_eq!(uses, allowed, "{name}");
    }
    let listed = layers.map(|(name, _)| format!("catherd-{name}"));
    for name in workspace.0.keys().filter(|name| *name != "catherd") {
        assert!(listed.contains(name), "{name} is not listed");
    }
}

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
