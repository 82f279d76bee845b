//! Words that pages, comments and messages avoid.

use std::fs;
use std::path::PathBuf;

use super::{read, root, shown};

/// Words to avoid, each with a replacement.
const AVOIDED: [(&str, &str); 10] = [
    ("alone", "only"),
    ("beside", "next to"),
    ("goes on", "continues"),
    ("go on", "continue"),
    ("going on", "continuing"),
    ("behind the", "after the"),
    ("behind its", "after its"),
    ("Numbers of", "Counts of, Ids of, or Numbers of the"),
    ("is no", "is not a, or is not"),
    ("are no", "are not"),
];

/// Correct uses of these words.
const CORRECT: [&str; 15] = [
    // The word with the meaning "without others".
    "is alone",
    "was alone",
    "left alone",
    // Pictures in which one object covers another.
    "draw behind the",
    "behind the others",
    "behind the drawable",
    "behind the other drawable",
    "behind the first opaque",
    // Ids of objects, one for each object.
    "Numbers of the",
    "Numbers of its",
    // Statements that something does not exist, and comparisons.
    "here is no",
    "here are no",
    "is no longer",
    "are no longer",
    "are no larger",
];

/// Returns the handwritten Rust and Markdown files of the repository.
fn files() -> Vec<PathBuf> {
    let skipped = ["target", "results", "proto/src/generated", "cli/src/documentation/words.rs"];
    let skipped = skipped.map(|path| root().join(path));
    let mut files = Vec::new();
    let mut folders = vec![root()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let hidden = path.file_name().is_some_and(|name| name.as_encoded_bytes()[0] == b'.');
            if hidden || skipped.contains(&path) {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|kind| kind == "rs" || kind == "md") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// Returns the comments and strings of a program, on the same lines.
fn prose(program: &str) -> String {
    let mut prose = String::new();
    let mut rest = program;
    while let Some(first) = rest.chars().next() {
        let hashes =
            rest.strip_prefix('r').map_or(0, |raw| raw.len() - raw.trim_start_matches('#').len());
        let (length, is_prose) = if rest.starts_with("//") {
            (rest.find('\n').unwrap_or(rest.len()), true)
        } else if rest.starts_with("'\"'") || rest.starts_with("'\\\"'") {
            (rest[1..].find('\'').unwrap() + 2, false)
        } else if rest.starts_with('r') && rest[1 + hashes..].starts_with('"') {
            let end = format!("\"{}", "#".repeat(hashes));
            let start = hashes + 2;
            (rest[start..].find(&end).map_or(rest.len(), |at| start + at + end.len()), true)
        } else if first == '"' {
            let mut escaped = false;
            let end = rest[1..].find(|c: char| {
                let ends = c == '"' && !escaped;
                escaped = c == '\\' && !escaped;
                ends
            });
            (end.map_or(rest.len(), |at| at + 2), true)
        } else {
            (first.len_utf8(), first == '\n')
        };
        prose.push_str(if is_prose { &rest[..length] } else { " " });
        rest = &rest[length..];
    }
    prose
}

/// Returns a line without a verb that completes "there" at the end of the line before.
fn after<'a>(before: &str, line: &'a str) -> &'a str {
    let line = line.trim_start_matches([' ', '/', '!']);
    let verbs = before.ends_with("here").then_some(["is ", "are "]).into_iter().flatten();
    verbs.fold(line, |line, verb| line.strip_prefix(verb).unwrap_or(line))
}

/// Whether a line contains a word or a sequence of words, not only as part of a longer word.
fn has(line: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    line.match_indices(word).any(|(at, _)| {
        !line[..at].ends_with(is_part) && !line[at + word.len()..].starts_with(is_part)
    })
}

#[test]
fn comments_and_pages_use_plain_words() {
    let mut found = Vec::new();
    for file in files() {
        let text = read(&file);
        // Do not parse the many files that contain none of the words.
        if !AVOIDED.iter().any(|(word, _)| text.contains(word)) && !text.contains("MOST_") {
            continue;
        }
        let is_program = file.extension().is_some_and(|kind| kind == "rs");
        let prose = if is_program { prose(&text) } else { text.clone() };
        let mut before = "";
        for (number, line) in prose.lines().enumerate() {
            let line = after(std::mem::replace(&mut before, line), line);
            let line =
                CORRECT.iter().fold(line.to_owned(), |line, correct| line.replace(correct, ""));
            for (avoided, instead) in AVOIDED {
                if has(&line, avoided) {
                    found.push(format!(
                        "{}:{}: `{avoided}`; write `{instead}`",
                        shown(&file),
                        number + 1
                    ));
                }
            }
        }
        for (number, line) in text.lines().enumerate() {
            if line
                .split(|c: char| !c.is_alphanumeric() && c != '_')
                .any(|name| name.starts_with("MOST_"))
            {
                found.push(format!("{}:{}: `MOST_`; write `MAX_`", shown(&file), number + 1));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn prose_is_comments_and_strings() {
    let program = "let alone = '\"'; // a \"b\nlet b = \"c\\\"d\" + r#\"e\"f\"#; x";
    let words: Vec<String> = prose(program)
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    assert_eq!(words, ["// a \"b", "\"c\\\"d\" r#\"e\"f\"#"]);
    assert!(
        after("/// `None` if there", "/// is no such item.") == "no such item."
            && after("/// because it", "/// is no item.") == "is no item."
    );
    assert!(
        has("it goes on.", "goes on") && !has("stand-alone", "alone") && !has("besides", "beside")
    );
}
