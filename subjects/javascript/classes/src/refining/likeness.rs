//! Decides whether strings are similar to the strings of examples.

use catherd_javascript_machine::Argument;
use catherd_javascript_machine::instrument::Literal;

use super::plausible::words;
use super::usage::Usage;
use crate::model::Target;

/// The pattern of a string: `w` for each run of letters, `9` for each run of digits, and the other
/// characters.
fn form_of(text: &str) -> String {
    let mut form = String::new();
    for letter in text.chars() {
        let kind = match letter {
            c if c.is_alphabetic() => 'w',
            c if c.is_ascii_digit() => '9',
            c => c,
        };
        if !(kind.is_alphanumeric() && form.ends_with(kind)) {
            form.push(kind);
        }
    }
    form
}

/// The number of each run of digits in a string.
fn numbers_of(text: &str) -> Vec<f64> {
    let runs = text.split(|c: char| !c.is_ascii_digit()).filter(|run| !run.is_empty());
    runs.filter_map(|run| run.parse().ok()).collect()
}

/// The largest number that counts as small.
const SMALL: f64 = 12.0;

fn text_of(literal: &Literal) -> Option<&str> {
    match literal {
        Literal::Text(text) => Some(text),
        _ => None,
    }
}

fn is_mark(letter: char) -> bool {
    !letter.is_alphanumeric() && letter != ' '
}

/// Whether a string has the features that all other strings have.
fn is_like(text: &str, others: &[&str]) -> bool {
    let in_all = |letter: &char| others.iter().all(|other| other.contains(*letter));
    let all = |has: fn(&str) -> bool| has(text) || !others.iter().all(|other| has(other));
    let first = others.first().map_or("", |first| first);
    let mut marks = first.chars().filter(|c| is_mark(*c)).filter(in_all);
    marks.all(|mark| text.contains(mark))
        && all(|text| text.contains(|c: char| c.is_ascii_digit()))
        && all(|text| text.contains(is_mark))
        && all(|text| text.contains(' '))
}

/// Whether a function reads strings in a certain format or language, according to its name.
fn reads(target: &Target) -> bool {
    let words =
        ["parse", "decode", "compile", "token", "lex", "deserialize", "unescape", "eval", "read"];
    let formats = ["hex", "color", "rgb", "url", "uuid", "json", "iso", "cron", "base64", "parse"];
    let name = target.path.last().filter(|_| target.member.is_empty()).unwrap_or(&target.member);
    let name = if name.is_empty() || name == "default" { &target.name } else { name };
    let name = name.to_lowercase();
    let begins = words.iter().any(|word| name.starts_with(word));
    let format = formats.iter().any(|word| name.contains(word));
    // A function that only asks something about a string accepts any string.
    !super::plausible::asks(target) && !name.contains("valid") && (begins || format)
}

impl Usage {
    /// Whether a string, or the strings of an array, are similar to the strings of examples.
    pub(super) fn is_like_examples(
        &self,
        target: Option<&Target>,
        position: usize,
        value: &Argument,
    ) -> bool {
        let Some(target) = target else { return true };
        if self.is_documented(Some(target), position, value) {
            return true;
        }
        let calls = self.calls(target);
        let literals = calls.iter().filter_map(|call| call.get(position));
        if let Argument::Array(items) = value {
            let lists = literals.filter_map(|it| match it {
                Literal::Array(items) => Some(items),
                _ => None,
            });
            let texts: Vec<&str> = lists.flatten().filter_map(text_of).collect();
            let given = items.iter().filter_map(|it| match it {
                Argument::String(text) => Some(text.as_str()),
                _ => None,
            });
            let known = |text: &str| texts.is_empty() || texts.contains(&text);
            return given.into_iter().all(|text| known(text) || is_like(text, &texts));
        }
        let Argument::String(text) = value else { return true };
        let texts: Vec<&str> = literals.filter_map(text_of).collect();
        if texts.is_empty() {
            let word = !text.contains(is_mark) || !self.is_text(text);
            return position > 0 || !(reads(target) && word);
        }
        let formed = || self.is_formed_like_an_example(Some(target), position, value);
        is_like(text, &texts) && (position > 0 || !reads(target) || formed())
    }

    /// Whether a string has words, numbers and marks in the order of an example, and only known
    /// words.
    pub(super) fn is_formed_like_an_example(
        &self,
        target: Option<&Target>,
        position: usize,
        value: &Argument,
    ) -> bool {
        let (Argument::String(text), Some(target)) = (value, target) else { return false };
        let form = form_of(text);
        let marked = form.chars().any(|c| !c.is_alphanumeric());
        let alike = |call: &&Vec<Literal>| match call.get(position) {
            Some(Literal::Text(example)) => {
                // Numbers are not larger than in the example, unless they are small.
                let numbers = numbers_of(text).into_iter().zip(numbers_of(example));
                form_of(example) == form && { numbers }.all(|(a, b)| a <= b.max(SMALL))
            }
            _ => false,
        };
        let known = |word: &str| word.len() == 1 || self.knows(word);
        marked && words(text).all(known) && self.calls(target).iter().any(alike)
    }
}
