//! Collects the licences of the third-party crates and fonts in the program in one string.
//!
//! `cargo tree` lists the crates of this build. Their licences are read from the crates' sources in
//! Cargo's registry or in the folder `vendor`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Beginnings of the names of files with licences, in lower case.
const NAMES: [&str; 6] = ["licence", "license", "copying", "copyright", "notice", "unlicense"];

/// Extensions of files that are not licence texts, whatever their names.
const NO_TEXTS: [&str; 11] =
    ["rs", "py", "js", "c", "h", "sh", "toml", "json", "html", "yml", "cpp"];

/// Number of levels of subfolders of a crate that are searched for licences. Subfolders may contain
/// code in other languages with its own licence.
const DEPTH: usize = 3;

struct Part {
    name: String,
    version: String,
    licence: String,
    texts: Vec<usize>,
}

#[derive(Default)]
struct Texts {
    numbers: BTreeMap<String, usize>,
    list: Vec<(String, Vec<String>)>,
}

impl Texts {
    /// Returns the number of a text, counted from 1, and adds `user` to the text's users.
    fn number(&mut self, text: String, user: &str) -> usize {
        let number = *self.numbers.entry(text.clone()).or_insert_with(|| {
            self.list.push((text, Vec::new()));
            self.list.len()
        });
        let users = &mut self.list[number - 1].1;
        if users.last().is_none_or(|last| last != user) {
            users.push(user.to_owned());
        }
        number
    }
}

/// `root` is the folder of the workspace.
pub(crate) fn text(root: &Path) -> Result<String, String> {
    let folders = folders(root);
    let mut texts = Texts::default();
    let mut parts = Vec::new();
    for [name, version, licence] in crates(root)? {
        let user = format!("{name} {version}");
        let own = |folder: &PathBuf| {
            let names = [format!("{name}-{version}"), name.clone()];
            names.into_iter().map(|name| folder.join(name)).find(|path| path.is_dir())
        };
        let mut found = Vec::new();
        if let Some(folder) = folders.iter().find_map(own) {
            read(&folder, DEPTH, &mut found);
        }
        let mut numbers: Vec<usize> =
            found.into_iter().map(|text| texts.number(text, &user)).collect();
        if numbers.is_empty() && licence.contains("MIT") {
            numbers.push(texts.number(mit(root)?, &user));
        }
        numbers.dedup();
        parts.push(Part { name, version, licence, texts: numbers });
    }
    // A crate without a licence file, such as some crates of Cranelift, has the text of another
    // crate with the same licence.
    let known: BTreeMap<String, usize> = parts
        .iter()
        .filter_map(|part: &Part| Some((part.licence.clone(), *part.texts.first()?)))
        .collect();
    for part in parts.iter_mut().filter(|part| part.texts.is_empty()) {
        if let Some(&number) = known.get(&part.licence) {
            let (_, users) = &mut texts.list[number - 1];
            users.push(format!("{} {}", part.name, part.version));
            part.texts.push(number);
        }
    }
    for (name, path) in [
        ("fonts of Scratch", "subjects/scratch/render/fonts/OFL.txt"),
        ("Liberation Sans", "analysis/fonts/OFL.txt"),
    ] {
        let path = root.join(path);
        println!("cargo::rerun-if-changed={}", path.display());
        let text = fs::read_to_string(&path).map_err(|cause| format!("{path:?}: {cause}"))?;
        let texts = vec![texts.number(text, name)];
        let (version, licence) = (String::new(), "OFL-1.1".to_owned());
        parts.push(Part { name: name.to_owned(), version, licence, texts });
    }
    Ok(document(&parts, &texts))
}

fn crates(root: &Path) -> Result<Vec<[String; 3]>, String> {
    let cargo = std::env::var_os("CARGO").ok_or("CARGO is not set")?;
    let target = std::env::var("TARGET").map_err(|cause| cause.to_string())?;
    let features = ["cluster", "certificates", "postgres", "traces", "native"]
        .into_iter()
        .filter(|name| std::env::var_os(format!("CARGO_FEATURE_{}", name.to_uppercase())).is_some())
        .collect::<Vec<_>>()
        .join(",");
    let mut command = Command::new(cargo);
    command
        .current_dir(root)
        .args(["tree", "--offline", "--locked", "--package", "catherd", "--prefix", "none"])
        .args(["--edges", "normal,no-proc-macro", "--format", "{p}|{l}", "--target", &target]);
    if !features.is_empty() {
        command.args(["--features", &features]);
    }
    let output = command.output().map_err(|cause| format!("cargo tree: {cause}"))?;
    if !output.status.success() {
        return Err(format!("cargo tree: {}", String::from_utf8_lossy(&output.stderr).trim()));
    }
    let mut found: Vec<[String; 3]> = String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter_map(|line| {
            let (part, licence) = line.trim_end_matches(" (*)").split_once('|')?;
            let (name, version) = part.split_once(" v")?;
            // Leave out the crates of the workspace, whose lines also contain a folder.
            let of_others = !version.contains(' ');
            of_others.then(|| [name, version, licence].map(str::to_owned))
        })
        .collect();
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

fn folders(root: &Path) -> Vec<PathBuf> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from).or_else(|| {
        let home = std::env::var_os("HOME").or_else(|| std::env::var_os("USERPROFILE"))?;
        Some(PathBuf::from(home).join(".cargo"))
    });
    let mut all = vec![root.join("vendor")];
    let registries = home.and_then(|home| fs::read_dir(home.join("registry/src")).ok());
    all.extend(registries.into_iter().flatten().flatten().map(|entry| entry.path()));
    all
}

fn read(folder: &Path, depth: usize, found: &mut Vec<String>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort_unstable();
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        let named = NAMES.iter().any(|begin| name.starts_with(begin));
        if path.is_dir() {
            // Skip tests, benchmarks, examples and build output, which may have licences of their
            // own but are not part of the program.
            if depth > 0 && !["tests", "target", "benches", "examples"].contains(&&*name) {
                read(&path, depth - 1, found);
            }
        } else if named && !path.extension().is_some_and(|end| NO_TEXTS.iter().any(|no| end == *no))
        {
            let bytes = fs::read(&path).unwrap_or_default();
            found.push(String::from_utf8_lossy(&bytes).replace("\r\n", "\n"));
        }
    }
}

/// Returns the MIT licence without names of authors, for crates whose sources lack its text.
fn mit(root: &Path) -> Result<String, String> {
    let path = root.join("LICENSE-MIT");
    let own = fs::read_to_string(&path).map_err(|cause| format!("{path:?}: {cause}"))?;
    let body = own.split_once("Permission is hereby granted").map_or("", |(_, rest)| rest);
    Ok(format!(
        "MIT License\n\nCopyright (c) the authors of the crate\n\nPermission is hereby granted{body}"
    ))
}

fn document(parts: &[Part], texts: &Texts) -> String {
    let mut text = "Parts of catherd that other people have written, with their licences. The numbers refer to \
                    the texts below.\n\n"
        .to_owned();
    // Writing to a string does not fail.
    for Part { name, version, licence, texts } in parts {
        let numbers: Vec<String> = texts.iter().map(ToString::to_string).collect();
        let space = if version.is_empty() { "" } else { " " };
        let _ = writeln!(text, "{name}{space}{version}: {licence} [{}]", numbers.join(", "));
    }
    for (number, (licence, users)) in (1..).zip(&texts.list) {
        let line = "-".repeat(78);
        let _ = writeln!(text, "\n{line}\n[{number}] {}\n{line}\n", users.join(", "));
        let _ = writeln!(text, "{}", licence.trim_matches('\n'));
    }
    text
}
