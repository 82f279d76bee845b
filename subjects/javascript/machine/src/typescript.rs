//! TypeScript files in packages: the requests that refer to them, and their JavaScript code.

use catherd_javascript_instrument::is_typescript;

use crate::manifest::Entry;
use crate::package::{Package, requests};
use crate::program::{Program, ProgramError};
use crate::resolve::{file_or_folder, is_module, join, normal, resolve, upwards};

/// Extensions in requests, and the extensions of the TypeScript files to which such requests may
/// refer.
const MEANT: [(&str, &[&str]); 4] = [
    (".js", &[".ts", ".tsx"]),
    (".mjs", &[".mts"]),
    (".cjs", &[".cts"]),
    ("", &[".ts", ".tsx", ".mts", ".cts"]),
];

/// A TypeScript file that a program reaches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypedFile {
    /// The path.
    pub path: String,
    /// The JavaScript code.
    pub text: String,
    /// Whether the file is a module.
    pub module: bool,
    /// The requests that the file may make, each with the path of the requested file.
    pub requests: Vec<(String, String)>,
}

/// The TypeScript file to which a path refers, for example `a.ts` for `a` and `a.js`.
pub(crate) fn file(package: &Package, path: &str) -> Option<String> {
    if path.split('/').any(|part| part == "node_modules") {
        return None;
    }
    let candidates = MEANT.iter().filter_map(|(end, meant)| {
        let name = path.strip_suffix(end)?;
        Some(meant.iter().map(move |end| format!("{name}{end}")))
    });
    candidates.flatten().find(|candidate| package.files.contains_key(candidate))
}

/// The file to which a request in a TypeScript file refers according to `paths` or `baseUrl` in the
/// nearest `tsconfig.json`.
pub(crate) fn alias(package: &Package, from: &str, request: &str) -> Option<String> {
    if !is_typescript(from) {
        return None;
    }
    let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
    let (root, text) =
        upwards(folder).find_map(|at| Some((at, package.text(&join(at, "tsconfig.json"))?)))?;
    let config = Entry::read(without_comments(&text).as_bytes())?;
    let options = config.get("compilerOptions")?;
    let base = options.get("baseUrl").and_then(Entry::text);
    let place = join(root, base.unwrap_or("."));
    let find = |path: &str| file_or_folder(package, &normal(&join(&place, path))?);
    let paths = options.get("paths").map_or(&[][..], Entry::members);
    let patterns = paths.iter().filter_map(|(pattern, targets)| {
        let (before, after) = pattern.split_once('*').unwrap_or((pattern, ""));
        let middle = request.strip_prefix(before)?.strip_suffix(after)?;
        (pattern.contains('*') || middle.is_empty()).then_some((before.len(), middle, targets))
    });
    if let Some((_, middle, Entry::List(targets))) = patterns.max_by_key(|found| found.0) {
        let mut targets = targets.iter().filter_map(Entry::text);
        if let Some(found) = targets.find_map(|target| find(&target.replace('*', middle))) {
            return Some(found);
        }
    }
    base.and_then(|_| find(request))
}

/// Removes comments, and commas before closing brackets, from JSON.
fn without_comments(text: &str) -> String {
    let mut json = String::new();
    let mut rest = text.trim_start_matches('\u{feff}');
    while let Some(letter) = rest.chars().next() {
        let length = match letter {
            '"' => {
                let mut escaped = false;
                let end = rest[1..].find(|letter| {
                    let ends = letter == '"' && !escaped;
                    escaped = letter == '\\' && !escaped;
                    ends
                });
                let end = end.map_or(rest.len(), |end| end + 2);
                json.push_str(&rest[..end]);
                end
            }
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest[2..].find("*/").map_or(rest.len(), |end| end + 4),
            ']' | '}' => {
                let end = json.trim_end().len();
                if json[..end].ends_with(',') {
                    json.truncate(end - 1);
                }
                json.push(letter);
                1
            }
            letter => {
                json.push(letter);
                letter.len_utf8()
            }
        };
        rest = &rest[length..];
    }
    json
}

impl Program {
    /// The TypeScript files that loading reaches, as JavaScript.
    ///
    /// # Errors
    /// If a file cannot be converted.
    pub fn typed_files(&self) -> Result<Vec<TypedFile>, ProgramError> {
        let mut found = Vec::new();
        for path in self.texts[0].keys().filter(|path| is_typescript(path)) {
            let text = self.source(path)?.unwrap_or_default();
            let module = self.is_module(path);
            let import = is_module(&self.package, path).unwrap_or(module);
            let target = |request: &str| {
                let target = resolve(&self.package, path, request, import)?;
                (!target.starts_with('#')).then(|| (request.to_owned(), target))
            };
            let requests = requests(&text).into_iter().filter_map(target).collect();
            found.push(TypedFile { path: path.clone(), text, module, requests });
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_for_javascript_mean_typescript() {
        let files = [
            ("src/index.ts", "export { f } from './lib/f.js';"),
            ("src/lib/f.ts", ""),
            ("src/both.js", ""),
            ("src/both.ts", ""),
            ("src/m.mts", ""),
            ("src/folder/index.ts", ""),
            (
                "tsconfig.json",
                "{ // paths\n \"compilerOptions\": { /* of */ /*/ none */ \"baseUrl\": \"./src\", \"paths\": { \"@/*\": [\"lib/*\",] }, } }",
            ),
        ];
        let files = files.map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec()));
        let package = Package::new(files.into()).unwrap();
        assert_eq!(crate::resolve::entry(&package).as_deref(), Some("src/index.ts"));
        let from = |from: &str, request: &str| resolve(&package, from, request, true);
        let found = |request: &str| from("src/index.ts", request);
        assert_eq!(found("./lib/f.js").as_deref(), Some("src/lib/f.ts"));
        assert_eq!(found("./lib/f").as_deref(), Some("src/lib/f.ts"));
        assert_eq!(found("./both.js").as_deref(), Some("src/both.js"));
        assert_eq!(found("./m.mjs").as_deref(), Some("src/m.mts"));
        assert_eq!(found("./folder").as_deref(), Some("src/folder/index.ts"));
        assert_eq!(found("@/f").as_deref(), Some("src/lib/f.ts"));
        assert_eq!(found("folder").as_deref(), Some("src/folder/index.ts"));
        assert_eq!(from("src/both.js", "folder"), None);
    }
}
