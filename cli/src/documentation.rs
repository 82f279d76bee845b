//! Tests of the documentation and the sources.

mod commands;
mod links;
mod reference;
mod sources;
mod words;

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Returns the files in a folder and its subfolders, except pictures, sorted.
fn files_below(folder: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let kind = path.extension().unwrap_or_default();
            if path.is_dir() {
                folders.push(path);
            } else if kind != "png" && kind != "svg" {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

fn pages() -> Vec<PathBuf> {
    let top = ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "CHANGELOG.md"];
    let mut pages: Vec<_> = top.iter().map(|name| root().join(name)).collect();
    pages.extend(
        files_below("docs")
            .into_iter()
            .filter(|path| path.extension().is_some_and(|kind| kind == "md")),
    );
    pages
}

fn shown(file: &Path) -> String {
    file.strip_prefix(root()).unwrap_or(file).display().to_string()
}

fn read(file: &Path) -> String {
    fs::read_to_string(file).unwrap_or_else(|cause| panic!("{}: {cause}", shown(file)))
}

/// Splits a Markdown text into prose and code blocks; the flag is true for code. A code block
/// begins with the word after its fence.
fn parts(text: &str) -> impl Iterator<Item = (bool, &str)> {
    let fences = text.match_indices("```").filter(|(at, _)| {
        let line = text[..*at].rfind('\n').map_or(0, |end| end + 1);
        text[line..*at].chars().all(char::is_whitespace)
    });
    let mut ends: Vec<usize> = fences.map(|(at, _)| at).collect();
    ends.push(text.len());
    let mut start = 0;
    ends.into_iter().enumerate().map(move |(number, end)| {
        let part = &text[start..end];
        start = (end + 3).min(text.len());
        (number % 2 == 1, part)
    })
}
