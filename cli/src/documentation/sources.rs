//! Checks that the sources follow the first two rules on errors in CONTRIBUTING.md.

use std::path::PathBuf;

use super::{files_below, read, root, shown};

fn sources() -> Vec<PathBuf> {
    let manifest = read(&root().join("Cargo.toml"));
    let members = manifest.split("members = [").nth(1).unwrap().split(']').next().unwrap();
    let members = members.split('"').skip(1).step_by(2);
    let mut files: Vec<PathBuf> =
        members.flat_map(|member| files_below(&format!("{member}/src"))).collect();
    files.retain(|file| file.extension().is_some_and(|kind| kind == "rs"));
    assert!(files.len() > 500, "{}", files.len());
    files
}

fn public_functions(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let begins = text.match_indices("pub fn ").chain(text.match_indices("pub async fn "));
    begins.map(|(at, _)| {
        let rest = &text[at..];
        let end = rest.find([';', '{']).unwrap_or(rest.len());
        (text[..at].matches('\n').count() + 1, &rest[..end])
    })
}

fn returns_strings(signature: &str) -> bool {
    let returned = signature.rsplit_once(") ->").map_or("", |(_, returned)| returned);
    let dense: String = returned.split_whitespace().collect();
    dense.contains("Result<") && (dense.contains(",String>") || dense.contains(",String,>"))
}

/// Returns the line numbers at which an error type declares a source, except `#[from]` in
/// transparent variants.
fn sources_of_errors(text: &str) -> Vec<usize> {
    let mut lines = Vec::new();
    let mut transparent = false;
    let mut in_error = false;
    for (number, line) in text.lines().enumerate().map(|(at, line)| (at + 1, line.trim())) {
        if line.starts_with("#[derive(") {
            in_error = line.contains("Error");
        }
        if line.starts_with("#[error(") {
            transparent = line == "#[error(transparent)]";
        }
        let named = in_error
            && !line.starts_with("#[")
            && (line.starts_with("source:") || line.contains(" source:"));
        let is_source = line.contains("#[source]") || line.contains("#[from]") && !transparent;
        if !line.starts_with("//") && (is_source || named) {
            lines.push(number);
        }
        in_error &= line != "}";
    }
    lines
}

#[test]
fn the_text_of_an_error_has_its_causes_and_no_error_has_a_source() {
    let mut wrong = Vec::new();
    for file in sources().into_iter().filter(|file| !file.ends_with("documentation/sources.rs")) {
        let lines = sources_of_errors(&read(&file));
        wrong.extend(lines.into_iter().map(|line| format!("{}:{line}", shown(&file))));
    }
    assert!(wrong.is_empty(), "CONTRIBUTING.md, Errors:\n{}", wrong.join("\n"));
    let example = "#[derive(Debug, Error)]\nenum A {\n#[error(transparent)]\nB(#[from] C),\n\
                   #[error(\"d: {0}\")]\nD(#[from] E),\n#[error(\"f\")]\nF { source: G },\n}\nstruct H { source: I }";
    assert_eq!(sources_of_errors(example), [6, 8]);
}

#[test]
fn public_functions_of_libraries_return_typed_errors() {
    let mut wrong = Vec::new();
    for file in sources() {
        let text = read(&file);
        let strings = public_functions(&text).filter(|(_, signature)| returns_strings(signature));
        wrong.extend(strings.map(|(line, _)| format!("{}:{line}", shown(&file))));
    }
    assert!(wrong.is_empty(), "CONTRIBUTING.md, Errors:\n{}", wrong.join("\n"));
    assert!(returns_strings("pub fn f(x: u8) -> Vec<Result<(u8, u8),\n    String>> "));
    assert!(!returns_strings("pub fn f(x: impl Fn() -> Result<u8, String>) -> Result<u8, E> "));
}
