//! Examples in documentation, such as code between fences, indented blocks and sessions with
//! prompts.

use catherd_javascript_machine::instrument::{Literal, Words as Found, words};

/// Maximum number of lines of a statement.
const MAX_LINES: usize = 30;

/// Maximum length of a document in which examples are looked for, in bytes.
const LONGEST: usize = 1 << 18;

/// A call that shows whether the code before it can be parsed.
const PROBE: &str = "\n;probe_of_examples(1);";

/// The code in a document: each block, without lines that cannot be parsed; all blocks together;
/// and possible calls in prose.
pub(super) fn code(text: &str) -> Vec<String> {
    if text.len() > LONGEST {
        return Vec::new();
    }
    let parsed = |(block, _): (String, bool)| match parses(&block) {
        true => block,
        false => statements(&block),
    };
    let (blocks, prose) = blocks(text);
    let mut code: Vec<String> = blocks.into_iter().map(parsed).collect();
    code.push(code.join("\n;\n"));
    code.extend(spans(&prose).map(str::to_owned));
    code
}

/// The parts of prose between backticks that may be calls.
fn spans(prose: &str) -> impl Iterator<Item = &str> {
    let parts = prose.lines().flat_map(|line| line.split('`').enumerate());
    parts.filter(|(at, it)| at % 2 == 1 && it.contains('(')).map(|(_, span)| span)
}

/// The calls in the examples of a document, except calls in blocks between fences that can be
/// parsed.
pub(super) fn calls(text: &str) -> Found {
    let mut all = Found::default();
    if text.len() > LONGEST {
        return all;
    }
    let mut add = |found: Found, whole: bool| {
        for (call, owner) in found.calls.into_iter().zip(found.owners) {
            // A call in prose may describe parameters.
            if !whole || call.1.iter().all(is_whole) {
                all.calls.push(call);
                all.owners.push(owner);
            }
        }
    };
    let (blocks, prose) = blocks(text);
    for (block, fenced) in blocks {
        if !parses(&block) {
            add(words("example.js", &statements(&block)), false);
        } else if !fenced {
            add(words("example.js", &block), false);
        }
    }
    for span in spans(&prose) {
        add(words("example.js", span), true);
    }
    all
}

/// The calls of the export of a package in the expression that loads it:
/// `require('package')('text')`.
pub(super) fn direct_calls(texts: &str, own: &[String]) -> Found {
    let mut all = Found::default();
    let Some(name) = own.last() else { return all };
    for own in own {
        for quote in ['\'', '"'] {
            let loads = format!("require({quote}{own}{quote})(");
            for line in texts.lines().filter(|line| line.contains(&loads)) {
                let code = line.trim_start().trim_start_matches(['>', '$', ' ']);
                let found = words("example.js", &code.replace(&loads, &format!("{name}(")));
                let calls = found.calls.into_iter().zip(found.owners);
                for (call, owner) in calls.filter(|(call, _)| call.0 == *name) {
                    all.calls.push(call);
                    all.owners.push(owner);
                }
            }
        }
    }
    all
}

fn is_whole(literal: &Literal) -> bool {
    match literal {
        Literal::Other => false,
        Literal::Array(items) => items.iter().all(is_whole),
        Literal::Object(members) => members.iter().all(|(_, it)| is_whole(it)),
        _ => true,
    }
}

fn parses(code: &str) -> bool {
    let found = words("example.js", &format!("{code}{PROBE}"));
    found.calls.iter().any(|(name, _)| name == "probe_of_examples")
}

/// The blocks of code of a document, each with whether it is between fences, and the prose.
fn blocks(text: &str) -> (Vec<(String, bool)>, String) {
    let (mut found, mut prose) = (Vec::new(), String::new());
    let (mut fenced, mut indented): (Option<(bool, String)>, String) = (None, String::new());
    let mut blank = true;
    for line in text.lines() {
        if let Some(rest) = line.trim_start().strip_prefix("```") {
            match fenced.take() {
                Some((true, block)) => found.push((block, true)),
                Some(_) => {}
                None => {
                    let language = rest.trim().to_lowercase();
                    let script = ["", "js", "javascript", "jsx", "ts", "typescript", "mjs", "node"];
                    fenced = Some((script.contains(&language.as_str()), String::new()));
                }
            }
            continue;
        }
        if let Some((_, block)) = &mut fenced {
            block.push_str(line);
            block.push('\n');
            continue;
        }
        let inside = line.starts_with("    ") || line.starts_with('\t');
        if inside && (blank || !indented.is_empty()) {
            indented.push_str(line);
            indented.push('\n');
        } else if line.trim().is_empty() && !indented.is_empty() {
            indented.push('\n');
        } else {
            if !indented.is_empty() {
                found.push((std::mem::take(&mut indented), false));
            }
            prose.push_str(line);
            prose.push('\n');
        }
        blank = line.trim().is_empty();
    }
    if !indented.is_empty() {
        found.push((indented, false));
    }
    (found, prose)
}

/// The statements of code that also contains prompts and other lines, such as results.
fn statements(code: &str) -> String {
    let prompts = ["> ", ">>> ", "$ ", "» "];
    let lines: Vec<&str> = code
        .lines()
        .map(|line| {
            let start = line.trim_start();
            prompts.iter().find_map(|it| start.strip_prefix(it)).unwrap_or(line)
        })
        .collect();
    let mut found = String::new();
    let mut at = 0;
    while at < lines.len() {
        let end = (1..=MAX_LINES.min(lines.len() - at)).find(|count| {
            let part = lines[at..at + count].join("\n");
            !part.trim().is_empty() && may_end(&part) && parses(&part)
        });
        if let Some(count) = end {
            found.push_str(&lines[at..at + count].join("\n"));
            found.push_str("\n;\n");
        }
        at += end.unwrap_or(1);
    }
    found
}

/// Whether as many brackets are closed as opened, so the code may end here.
fn may_end(code: &str) -> bool {
    let count = |letters: &[char]| code.matches(letters).count();
    count(&['(', '[', '{']) == count(&[')', ']', '}'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(String, Vec<Literal>)> {
        calls(text).calls
    }

    fn call(name: &str, text: &str) -> (String, Vec<Literal>) {
        (name.to_owned(), vec![Literal::Text(text.to_owned())])
    }

    #[test]
    fn indented_code_and_sessions_have_examples() {
        let text = "Example\n\n    > var stem = require('stem')\n    > stem('running')\n    'run'\n\nOr\n\n    var a = 'x';\n    other(a)\n";
        let expected = [call("require", "stem"), call("stem", "running"), call("other", "x")];
        assert_eq!(found(text), expected);
    }

    #[test]
    fn lines_that_are_not_code_are_left_out() {
        let text = "```js\nf(a?: string) -> text\nf('a');\ng(\n  'b'\n)\n  => no code\n```\n";
        assert_eq!(found(text), [call("f", "a"), call("g", "b")]);
        assert_eq!(found("```sh\nf('a')\n```\n"), []);
        // Calls in blocks that can be parsed are collected elsewhere.
        assert_eq!(found("```js\nf('a');\n```\n"), []);
    }

    #[test]
    fn what_is_loaded_may_be_called_at_once() {
        let text = "> console.log(require('my-tool')('a', 1));\nlet x = require('other')('b');\n";
        let found = direct_calls(text, &["my-tool".to_owned(), "myTool".to_owned()]);
        let one = Literal::Number(1.0_f64.to_bits());
        assert_eq!(found.calls, [("myTool".to_owned(), vec![Literal::Text("a".to_owned()), one])]);
    }

    #[test]
    fn backticks_have_examples_but_no_signatures() {
        let text = "`f('a')` returns `g(text, [options])`, as `h({ a, b: 1 })`.\n";
        assert_eq!(found(text), [call("f", "a")]);
    }
}
