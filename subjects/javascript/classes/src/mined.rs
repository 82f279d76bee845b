//! Strings, calls and types from the documentation, tests, examples and declarations of a package.

use std::collections::BTreeSet;

use catherd_javascript_machine::Package;
use catherd_javascript_machine::instrument::{Literal, Words as Found, is_typescript, words};

use crate::words::Words;

/// Maximum length of a paragraph from the documentation, in bytes.
const LONGEST_TEXT: usize = 2_000;

/// Maximum number of files that are read.
const MAX_FILES: usize = 300;

impl Words {
    /// Reads declarations of types and, if requested, documentation, tests and examples.
    pub(crate) fn read_package(&mut self, package: &Package, mined: bool) {
        let mut kinds: [BTreeSet<String>; 4] = Default::default();
        let types = self.own_names.first().map(|name| format!("node_modules/@types/{name}/"));
        let mut count = 0;
        for path in package.files.keys() {
            let installed = path.contains("node_modules/")
                && !types.as_ref().is_some_and(|types| path.starts_with(types));
            if installed || count >= MAX_FILES {
                continue;
            }
            let lower = path.to_lowercase();
            let ends = |list: &[&str]| list.iter().any(|end| lower.ends_with(end));
            let example = is_example(&lower);
            if ends(&[".d.ts", ".d.mts", ".d.cts"]) {
                count += 1;
                let found = words(path, &package.text(path).unwrap_or_default());
                self.take(&Found { declarations: found.declarations, ..Found::default() });
            } else if !example && is_typescript(path) {
                // Read the types here: the machine does not load files that contain only types.
                count += 1;
                let found = words(path, &package.text(path).unwrap_or_default());
                for (name, shape) in found.declarations.types {
                    self.types.entry(name).or_insert(shape);
                }
            } else if mined && ends(&[".md", ".markdown"]) && !lower.contains("changelog") {
                count += 1;
                self.read_markdown(&package.text(path).unwrap_or_default(), &mut kinds);
            } else if mined && example && ends(&[".js", ".mjs", ".cjs", ".ts"]) {
                count += 1;
                let text = package.text(path).unwrap_or_default();
                if !is_generated(&text) {
                    self.read_code(&words(path, &text), &mut kinds[0]);
                }
            } else if mined && example && package.files[path].len() <= 20_000 {
                count += 1;
                add_paragraphs(&package.text(path).unwrap_or_default(), &mut kinds[1]);
            }
        }
        self.mined = kinds
            .into_iter()
            .filter(|texts| !texts.is_empty())
            .map(|texts| texts.into_iter().collect())
            .collect();
    }

    fn read_code(&mut self, found: &Found, texts: &mut BTreeSet<String>) {
        for (_, literal) in &found.literals {
            if let Literal::Text(text) = literal
                && !text.is_empty()
            {
                texts.insert(text.clone());
            }
        }
        let (calls, owners) = (found.calls.clone(), found.owners.clone());
        self.take(&Found { calls, owners, ..Found::default() });
    }

    /// Reads code between fences, code in backticks and paragraphs.
    fn read_markdown(&mut self, source: &str, kinds: &mut [BTreeSet<String>; 4]) {
        let mut block: Option<(String, String)> = None;
        let mut prose = String::new();
        for line in source.lines() {
            let fence = line.trim_start().strip_prefix("```");
            match (&mut block, fence) {
                (None, Some(language)) => {
                    block = Some((language.trim().to_lowercase(), String::new()));
                }
                (Some((language, text)), Some(_)) => {
                    let script = ["", "js", "javascript", "jsx", "ts", "typescript", "mjs", "node"]
                        .contains(&language.as_str());
                    if script {
                        let found = words("example.js", text);
                        self.read_code(&found, &mut kinds[0]);
                    } else {
                        add_paragraphs(text, &mut kinds[1]);
                    }
                    block = None;
                }
                (Some((_, text)), None) => {
                    text.push_str(line);
                    text.push('\n');
                }
                (None, None) => {
                    for (index, part) in line.split('`').enumerate() {
                        if index % 2 == 1 && !part.trim().is_empty() {
                            kinds[2].insert(part.to_owned());
                        }
                    }
                    prose.push_str(line);
                    prose.push('\n');
                }
            }
        }
        let mut parts = BTreeSet::new();
        add_paragraphs(&prose, &mut parts);
        kinds[3].extend(parts.into_iter().take(200));
    }
}

/// Whether a file, by its path in lower case, is a test or an example.
pub(crate) fn is_example(path: &str) -> bool {
    const FOLDERS: [&str; 9] =
        ["test", "tests", "__tests__", "spec", "specs", "example", "examples", "demo", "fixtures"];
    path.split('/').any(|part| FOLDERS.contains(&part))
        || path.contains(".test.")
        || path.contains(".spec.")
}

/// Whether a test was exported from a suite. The values of such a test are not the package's own,
/// and another search would choose them only because they were chosen before.
pub(crate) fn is_generated(text: &str) -> bool {
    let first = text.lines().next().unwrap_or_default();
    first.starts_with(GENERATED) && first.contains(WITH_SEED)
}

/// The beginning of the first line of an exported test, before the name of the algorithm.
pub(crate) const GENERATED: &str = "// Generated by ";
/// The part of this line after the name of the algorithm.
pub(crate) const WITH_SEED: &str = " with seed ";

/// Adds a string if it is short, and its paragraphs.
fn add_paragraphs(text: &str, into: &mut BTreeSet<String>) {
    if text.len() <= LONGEST_TEXT && !text.trim().is_empty() {
        into.insert(text.to_owned());
    }
    let parts = text.split("\n\n").filter(|part| !part.trim().is_empty());
    into.extend(parts.filter(|part| part.len() <= LONGEST_TEXT).take(100).map(str::to_owned));
}

/// The last part of the package's name, and this part as an identifier.
pub(crate) fn own_names(package: &Package) -> Vec<String> {
    let manifest = package.text("package.json").unwrap_or_default();
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap_or_default();
    let Some(name) = manifest["name"].as_str() else { return Vec::new() };
    let last = name.rsplit('/').next().unwrap_or(name);
    let base = last.trim_end_matches(".js");
    let mut identifier = String::new();
    for (index, part) in base.split(['-', '.', '_']).enumerate() {
        let mut letters = part.chars();
        match letters.next() {
            Some(first) if index > 0 => identifier.extend(first.to_uppercase()),
            Some(first) => identifier.push(first),
            None => {}
        }
        identifier.push_str(letters.as_str());
    }
    let mut names = vec![last.to_owned(), identifier];
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exported_tests_are_not_examples() {
        let texts_of = |first: &str| {
            let test = format!("{first}\ntest('a', () => {{ f('chosen'); }});\n");
            let files = [("index.js", "exports.f = a => a;"), ("test/index.test.js", &*test)];
            let files = files.map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec()));
            let mut words = Words::default();
            words.read_package(&Package::new(files.into()).unwrap(), true);
            words.mined.concat()
        };
        assert!(texts_of("// Tests of f.").contains(&"chosen".to_owned()));
        assert!(!texts_of("// Generated by mio with seed 1.").contains(&"chosen".to_owned()));
    }
}
