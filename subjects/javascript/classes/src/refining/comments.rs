//! Examples in documentation comments, and kinds of options in documentation.

use std::collections::BTreeMap;

use catherd_javascript_machine::Package;
use catherd_javascript_machine::instrument::{Words as Found, words};

use crate::words::Words;

/// Maximum size of a file in which examples are looked for, in bytes.
const LARGEST: usize = 1 << 20;

/// Maximum number of files in which examples are looked for.
const MAX_FILES: usize = 100;

/// Adds the calls of examples in comments to the words of a package. Returns the code of the
/// examples.
pub(super) fn read(package: &Package, words_of: &mut Words) -> String {
    let mut texts = String::new();
    for example in all(package) {
        let found = words("example.js", &example);
        let (calls, owners) = (found.calls, found.owners);
        words_of.take(&Found { calls, owners, ..Found::default() });
        texts.push_str(&example);
        texts.push('\n');
    }
    texts
}

pub(super) fn all(package: &Package) -> impl Iterator<Item = String> {
    sources(package).flat_map(|source| examples(&source))
}

pub(super) fn sources(package: &Package) -> impl Iterator<Item = String> {
    let files = package.files.iter().filter(|(path, bytes)| {
        let ends = [".js", ".mjs", ".cjs", ".ts", ".mts", ".cts"];
        !path.contains("node_modules/")
            && bytes.len() <= LARGEST
            && ends.iter().any(|end| path.ends_with(end))
    });
    files.take(MAX_FILES).map(|(path, _)| package.text(path).unwrap_or_default())
}

fn examples(source: &str) -> Vec<String> {
    let mut found = Vec::new();
    for comment in source.split("/**").skip(1) {
        let comment = comment.split("*/").next().unwrap_or_default();
        let (mut example, mut inside): (Option<String>, bool) = (None, false);
        for line in comment.lines() {
            let line = line.trim_start();
            let line =
                line.strip_prefix('*').map_or(line, |line| line.strip_prefix(' ').unwrap_or(line));
            let tag = line.trim_start();
            if let Some(rest) = tag.strip_prefix("```") {
                inside = !inside;
                let script = ["", "js", "javascript", "ts", "typescript"].contains(&rest.trim());
                if inside && script {
                    found.extend(example.replace(String::new()));
                }
            } else if tag.starts_with("@example") {
                found.extend(example.replace(String::new()));
            } else if tag.starts_with('@') && !inside {
                found.extend(example.take());
            } else if let Some(text) = &mut example {
                text.push_str(line);
                text.push('\n');
            }
        }
        found.extend(example);
    }
    found.retain(|text| !text.trim().is_empty());
    found
}

/// The names by which examples call the export of a package whose name is in `own`:
/// `const NAME = require('package')` or `import NAME from 'package'`.
pub(super) fn bindings(texts: &str, own: &[String]) -> Vec<String> {
    let mut names = Vec::new();
    for line in texts.lines().filter(|line| modules(line).any(|it| is_own(it, own))) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let name = match &words[..] {
            // `require('package')()` binds a result, not the export.
            ["const" | "let" | "var", name, "=", call, ..]
                if call.starts_with("require(")
                    && call.split_once(')').is_some_and(|(_, rest)| ["", ";"].contains(&rest)) =>
            {
                name
            }
            ["import", name, "from", ..] => name,
            _ => continue,
        };
        if name.chars().all(in_name) && !names.contains(&(*name).to_owned()) {
            names.push((*name).to_owned());
        }
    }
    names
}

fn in_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_$".contains(c)
}

/// The strings in a line that may name modules.
fn modules(line: &str) -> impl Iterator<Item = &str> {
    line.split(['\'', '"']).skip(1).step_by(2)
}

/// Whether a module is the package with one of these names, possibly with a scope.
fn is_own(module: &str, own: &[String]) -> bool {
    let plain = |name: &str| -> String {
        name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
    };
    let scoped = module.strip_prefix('@').and_then(|it| it.split_once('/'));
    let name = scoped.map_or(module, |(_, name)| name);
    let known = |it: &String| it == name || !plain(name).is_empty() && plain(it) == plain(name);
    !name.contains('/') && !name.starts_with('.') && own.iter().any(known)
}

/// The only name that examples call without saying what it is. If they load the export of the
/// package but never call it, this is probably a former name of the export.
pub(super) fn former_name(texts: &str, words_of: &Words, exported: &[&str]) -> Option<String> {
    let own = &words_of.own_names;
    let called = |name: &String| words_of.calls.get(name).is_some_and(|it| !it.is_empty());
    if bindings(texts, own).is_empty() || own.iter().any(called) {
        return None;
    }
    let free = |name: &str| {
        let places = || texts.match_indices(name).filter(|(at, _)| is_word(texts, *at, name));
        let calls = |at: usize| {
            let before = texts[..at].trim_end_matches(' ');
            let word = before.rsplit(|c: char| !in_name(c)).next().unwrap_or_default();
            texts[at + name.len()..].starts_with('(')
                && !before.ends_with('.')
                && !["function", "new", "class"].contains(&word)
        };
        places().next().is_some() && places().all(|(at, _)| calls(at))
    };
    let unknown = |name: &&String| {
        let known = exported.contains(&name.as_str()) || OF_SCRIPTS.contains(&name.as_str());
        !known && name.starts_with(|c: char| c.is_ascii_lowercase()) && free(name)
    };
    let mut names = words_of.calls.keys().filter(unknown);
    names.next().filter(|_| names.next().is_none()).cloned()
}

/// Functions that examples can call without saying what they are.
const OF_SCRIPTS: [&str; 40] = [
    "after",
    "afterAll",
    "afterEach",
    "alert",
    "assert",
    "atob",
    "before",
    "beforeAll",
    "beforeEach",
    "btoa",
    "clearImmediate",
    "clearInterval",
    "clearTimeout",
    "confirm",
    "decodeURI",
    "decodeURIComponent",
    "define",
    "describe",
    "encodeURI",
    "encodeURIComponent",
    "eval",
    "expect",
    "fetch",
    "import",
    "isFinite",
    "isNaN",
    "it",
    "parseFloat",
    "parseInt",
    "print",
    "prompt",
    "queueMicrotask",
    "requestAnimationFrame",
    "require",
    "setImmediate",
    "setInterval",
    "setTimeout",
    "structuredClone",
    "suite",
    "test",
];

fn is_word(texts: &str, at: usize, word: &str) -> bool {
    let before = texts[..at].chars().next_back();
    let after = texts[at + word.len()..].chars().next();
    !before.is_some_and(in_name) && !after.is_some_and(in_name)
}

/// The kinds of options according to documentation.
pub(super) fn kinds(texts: &str) -> BTreeMap<String, &'static str> {
    const KINDS: [&str; 7] =
        ["string", "number", "boolean", "array", "object", "function", "regexp"];
    let mut found = BTreeMap::new();
    let lines: Vec<&str> = texts.lines().collect();
    for (at, line) in lines.iter().enumerate() {
        let start = line.trim_start();
        if !start.starts_with(['#', '-', '*', '|', '`']) {
            continue;
        }
        let name = start.trim_start_matches(|c: char| !c.is_ascii_alphanumeric());
        let end = name.find(|c: char| !c.is_ascii_alphanumeric() && !"_.".contains(c));
        let (name, rest) = name.split_at(end.unwrap_or(name.len()));
        let name = name.rsplit('.').next().unwrap_or(name);
        let is_kind = KINDS.contains(&name.to_lowercase().as_str());
        if name.is_empty() || is_kind && !start.starts_with('#') {
            continue;
        }
        let marked = |line: &str| {
            let lower = line.to_lowercase();
            let after = lower.find("type").map(|at| lower[at + 4..].to_owned());
            let after = after.or_else(|| {
                let open = lower.find(['{', '(', '|', '_'])?;
                Some(lower[open..].to_owned())
            })?;
            let word = after.trim_start_matches(|c: char| !c.is_ascii_alphabetic());
            KINDS.iter().find(|kind| word.starts_with(*kind)).copied()
        };
        let of_line = marked(rest);
        let next =
            lines[at + 1..].iter().take(4).filter(|line| line.to_lowercase().contains("type"));
        let kind = of_line.or_else(|| next.filter_map(|line| marked(line)).next());
        if let Some(kind) = kind {
            found.entry(name.to_owned()).or_insert(kind);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_follow_their_tag_or_are_between_fences() {
        let source = "
/** Adds.
 * @param {number} a
 * @example
 * add(1, 2); // 3
 *
 * add(2, 2);
 * @returns {number}
 */
function add() {}
/**
 @example
 ```js
 import {add} from 'add';
 add(5);
 ```
*/
export function other() {}
/** No example, add(7). */";
        let found = examples(source);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].contains("add(1, 2)") && found[0].contains("add(2, 2)"), "{found:?}");
        assert!(found[1].contains("add(5);") && !found[1].contains("```"), "{found:?}");
    }

    #[test]
    fn examples_bind_the_export_to_a_name() {
        let texts = "var wrap = require('word-wrap');\nimport other from \"word-wrap\";\nconst fs = require('fs');\nlet b = require('wordWrap')('a');";
        let own = ["word-wrap".to_owned(), "wordWrap".to_owned()];
        assert_eq!(bindings(texts, &own), ["wrap", "other"]);
        let texts = "let a = require('WordWrap');\nlet b = require('@x/word-wrap');\nlet c = require('./word-wrap');\nlet d = require('x/word-wrap');\n";
        assert_eq!(bindings(texts, &own), ["a", "b"]);
    }

    #[test]
    fn examples_may_call_the_export_by_a_former_name() {
        let load = "const hslRgb = require('hsl-rgb');\n";
        let name = |code: &str| {
            let texts = format!("{load}{code}");
            let mut words_of = Words::default();
            words_of.own_names.extend(["hsl-rgb".to_owned(), "hslRgb".to_owned()]);
            let Found { calls, owners, .. } = words("example.js", &texts);
            words_of.take(&Found { calls, owners, ..Found::default() });
            former_name(&texts, &words_of, &["other"])
        };
        assert_eq!(name("hsl2rgb(340, 1);").as_deref(), Some("hsl2rgb"));
        let known = [
            "hsl2rgb(340, 1); hslRgb(1);",
            "hsl2rgb(340, 1); color(2);",
            "const hsl2rgb = hslRgb; hsl2rgb(340);",
            "color.hsl2rgb(340);",
            "other(340);",
            "expect(1);",
        ];
        for code in known {
            assert_eq!(name(code), None, "{code}");
        }
    }

    #[test]
    fn documentation_gives_the_kinds_of_options() {
        let texts = "### options.width\n\nType: `Number`\n\n- `trim` {Boolean} cuts\n| indent | string | x |\n\nplain text";
        let found = kinds(texts);
        let expected = [("indent", "string"), ("trim", "boolean"), ("width", "number")];
        assert_eq!(found, expected.map(|(name, kind)| (name.to_owned(), kind)).into());
    }
}
