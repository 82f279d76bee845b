//! Names of variables in examples, such as `const color = tinycolor('red')`.

use std::collections::BTreeMap;

/// Names of variables, by the last part of the name of the function, method or class that returns
/// their values.
pub type Variables = BTreeMap<String, String>;

/// Maximum number of names of members.
const MAX_MEMBERS: usize = 1000;

/// Maximum length of a name that is taken from examples, in characters.
const LONGEST: usize = 20;

/// The names that examples most often use for the values that each function, method or class
/// returns.
pub(super) fn variables(texts: &str) -> Variables {
    let mut counts: BTreeMap<&str, Vec<(&str, usize)>> = BTreeMap::new();
    let mut start = 0;
    for line in texts.split_inclusive('\n') {
        for word in ["const ", "let ", "var "] {
            let places = line.match_indices(word).map(|(at, _)| start + at + word.len());
            let ends = start + line.len();
            let of = |at: usize| declared(&texts[at..ends], &texts[at..]);
            for (name, callee) in places.filter_map(of) {
                let known = counts.entry(callee).or_default();
                match known.iter_mut().find(|(known, _)| *known == name) {
                    Some((_, count)) => *count += 1,
                    None => known.push((name, 1)),
                }
            }
        }
        start += line.len();
    }
    let best = |names: Vec<(&str, usize)>| {
        let most = names.iter().map(|(_, count)| *count).max()?;
        // Use a name only if most names are the same; otherwise, names depend on the arguments.
        let all: usize = names.iter().map(|(_, count)| *count).sum();
        if 2 * most <= all {
            return None;
        }
        names.into_iter().find(|(_, count)| *count == most).map(|(name, _)| name.to_owned())
    };
    counts
        .into_iter()
        .filter_map(|(callee, names)| Some((callee.to_owned(), best(names)?)))
        .collect()
}

/// The names of members, such as `r` in `{ r: 255 }`, in the order in which documents first
/// mention them.
pub(super) fn members(texts: &str) -> Vec<String> {
    let letters = |c: char| c.is_ascii_alphanumeric() || "_$".contains(c);
    let mut found: Vec<String> = Vec::new();
    for (at, _) in texts.match_indices(':') {
        let before = texts[..at].trim_end_matches(['\'', '"']);
        let name: usize = before.chars().rev().take_while(|c| letters(*c)).count();
        // Letters of names have one byte.
        let (around, name) = before.split_at(before.len() - name);
        let opens = around.trim_end_matches(['\'', '"']).trim_end().ends_with(['{', ',']);
        if opens
            && !name.is_empty()
            && found.len() < MAX_MEMBERS
            && !found.iter().any(|it| it == name)
        {
            found.push(name.to_owned());
        }
    }
    found
}

/// Names that only suit a particular value of a function.
const OF_ONE: [&str; 12] = [
    "zero", "one", "two", "three", "four", "five", "six", "ten", "hundred", "first", "second",
    "third",
];

/// Maximum length of a call, in bytes.
const LONGEST_CALL: usize = 2_000;

/// Whether the result of a call is used further, as in `f(1).x`. `code` starts with the opening
/// bracket of the call.
fn is_chain(code: &str) -> bool {
    let (mut depth, mut quote) = (0, None);
    for (at, c) in code.char_indices().take_while(|(at, _)| *at < LONGEST_CALL) {
        match (quote, c) {
            (Some(open), c) if open == c => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"' | '`') => quote = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth -= 1,
            _ => {}
        }
        if depth == 0 && quote.is_none() {
            return code[at + 1..].trim_start().starts_with(['.', '[', '?', '(']);
        }
    }
    false
}

/// The name of a variable, and the name of the function that is called for its value. `text` is the
/// rest of a line; `all` also contains the following lines.
fn declared<'t>(text: &'t str, all: &str) -> Option<(&'t str, &'t str)> {
    let (name, rest) = text.split_once('=')?;
    let name = name.trim();
    let usual = name.len() > 1
        && name.len() <= LONGEST
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_alphabetic());
    let mut rest = rest.trim_start();
    for word in ["await ", "new "] {
        rest = rest.strip_prefix(word).unwrap_or(rest).trim_start();
    }
    let callee = &rest[..rest.find('(')?];
    let plain = callee.chars().all(|c| c.is_ascii_alphanumeric() || "_$.".contains(c));
    let last = callee.rsplit('.').next()?;
    let open = text.len() - rest.len() + callee.len();
    if is_chain(&all[open..]) {
        return None;
    }
    (usual
        && !OF_ONE.contains(&name)
        && plain
        && !last.is_empty()
        && last != "require"
        && last != name)
        .then_some((name, last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_have_the_order_of_examples() {
        let texts = "é: { r: 255, g: { x: 1 },\n 'b': 2, r: 3 } see: here, a ? b : c";
        assert_eq!(members(texts), ["r", "g", "x", "b"]);
    }

    #[test]
    fn examples_name_what_calls_return() {
        let texts = "var color = tinycolor('red');\nlet other = tinycolor('a'); var color = tinycolor(1)\n\
            const heap = new lib.MinHeap();\nconst x = f(1);\nconst fs = require('fs');\nconst a1 = g();\nlet two = big(2);\n\
            const list = new Sorter(')', [1])\n  .sort();";
        let expected = [("MinHeap", "heap"), ("tinycolor", "color")];
        let expected = expected.map(|(callee, name)| (callee.to_owned(), name.to_owned()));
        assert_eq!(variables(texts), expected.into());
    }
}
