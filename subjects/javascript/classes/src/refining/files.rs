//! The files of a package that show how it is called: its documentation, tests and examples.

use catherd_javascript_machine::Program;

use crate::mined::{is_example, is_generated};

/// Size of the collected files after which no more files are added, in bytes.
const MAX_TEXTS: usize = 4 << 20;

/// Whether a file of a package is documentation.
pub(super) fn is_documentation(path: &str) -> bool {
    let lower = path.to_lowercase();
    let name = lower.rsplit('/').next().unwrap_or_default();
    let ends = [".md", ".markdown"].iter().any(|end| name.ends_with(end));
    let named = ["readme", "readme.txt", "readme.rst"].contains(&name);
    !path.contains("node_modules/") && (ends || named) && !lower.contains("changelog")
}

/// Whether a file is the code of a test or an example.
pub(super) fn is_example_code(path: &str) -> bool {
    let lower = path.to_lowercase();
    let ends = [".js", ".mjs", ".cjs", ".ts"].iter().any(|end| lower.ends_with(end));
    ends && is_example(&lower) && !path.contains("node_modules/")
}

/// Whether a file in the root folder is a test or an example, according to its name.
pub(super) fn is_test_at_root(program: &Program, path: &str) -> bool {
    let lower = path.to_lowercase();
    let (name, end) = lower.rsplit_once('.').unwrap_or_default();
    let words: Vec<&str> = name.split(['-', '_', '.']).collect();
    let is = |word: &&str| ["test", "tests", "spec", "example", "examples", "usage"].contains(word);
    !path.contains('/')
        && ["js", "mjs", "cjs"].contains(&end)
        && words.first().into_iter().chain(words.last()).any(is)
        && !program.units.files.iter().any(|file| file.path == path)
}

/// The documentation, tests and examples of a package without its dependencies, in one string.
pub(super) fn texts(program: &Program) -> String {
    let package = &program.package;
    let mut texts = String::new();
    let others = package.files.keys().filter(|path| !path.contains("node_modules/"));
    for path in others {
        let shows =
            is_documentation(path) || is_example_code(path) || is_test_at_root(program, path);
        if shows && texts.len() < MAX_TEXTS {
            let text = package.text(path).unwrap_or_default();
            if !is_generated(&text) {
                texts.push_str(&text);
                texts.push('\n');
            }
        }
    }
    texts
}
