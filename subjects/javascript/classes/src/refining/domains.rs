//! The numbers that a parameter or a member can have.

use std::collections::BTreeMap;

use catherd_javascript_machine::Argument;
use catherd_javascript_machine::instrument::Literal;

use super::usage::Usage;
use crate::model::Target;

/// The smallest and the largest number, both included.
pub(super) type Range = (f64, f64);

/// Ranges by the name of a function, which may be empty, and of a parameter or member.
pub(super) type Ranges = BTreeMap<(String, String), Range>;

/// Ranges by the names of parameters and members that usually have them. Months and days are
/// permitted only if they are valid when counted from 0 and when counted from 1.
const NAMED: [(&str, Range); 8] = [
    ("month monthindex", (1.0, 11.0)),
    ("day dayofmonth weekday dayofweek", (1.0, 6.0)),
    ("hour hours24", (0.0, 23.0)),
    ("minute second", (0.0, 59.0)),
    ("percent percentage saturation lightness hue", (0.0, 100.0)),
    ("red green blue", (0.0, 255.0)),
    ("opacity alpha probability ratio fraction", (0.0, 1.0)),
    ("base radix", (2.0, 36.0)),
];

/// Names of parameters and members whose numbers are not negative.
const COUNTS: [&str; 20] = [
    "count",
    "length",
    "len",
    "size",
    "width",
    "height",
    "limit",
    "depth",
    "times",
    "repeat",
    "precision",
    "decimals",
    "digits",
    "places",
    "capacity",
    "maxlength",
    "columns",
    "rows",
    "radius",
    "age",
];

/// Names of parameters and members whose numbers are positive.
const DEVIATIONS: [&str; 5] = ["sd", "sigma", "stddev", "variance", "df"];

/// Names of parameters whose numbers are whole.
const WHOLE: [&str; 20] = [
    "index", "idx", "i", "j", "row", "col", "column", "columns", "rows", "count", "length", "len",
    "offset", "position", "times", "repeat", "digits", "places", "decimals", "capacity",
];

/// The lower bound of ranges of positive numbers.
const POSITIVE: f64 = f64::MIN_POSITIVE;

/// The range that the name of a parameter or member suggests.
fn by_name(name: &str) -> Option<Range> {
    let name = name.trim_start_matches('_').to_lowercase();
    let named = NAMED.iter().find(|(names, _)| names.split(' ').any(|known| known == name));
    let count = COUNTS.contains(&name.as_str()).then_some((0.0, f64::INFINITY));
    let deviation = DEVIATIONS.contains(&name.as_str()).then_some((POSITIVE, f64::INFINITY));
    named.map(|(_, range)| *range).or(count).or(deviation)
}

/// A part of a description: a number or a word, or a mark between them.
#[derive(Clone, Debug, PartialEq)]
enum Token<'t> {
    Number(f64),
    Word(&'t str),
    Mark(&'t str),
}

fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = |is: fn(char) -> bool| rest.find(|c| !is(c)).unwrap_or(rest.len());
        let digits = |c: char| c.is_ascii_digit();
        let before = text[..text.len() - rest.len()].chars().next_back();
        let negative = first == '-'
            && rest[1..].starts_with(digits)
            && before.is_none_or(|c| c.is_whitespace() || "([,".contains(c));
        let size = if first.is_ascii_digit() || negative {
            let start = usize::from(negative);
            let whole = rest[start..].find(|c| !digits(c)).map_or(rest.len(), |it| start + it);
            let part = rest[whole..].strip_prefix('.').filter(|it| it.starts_with(digits));
            let part = part.map_or(0, |it| 1 + it.find(|c| !digits(c)).unwrap_or(it.len()));
            let size = whole + part;
            found.push(Token::Number(rest[..size].parse().unwrap_or(f64::NAN)));
            size
        } else if first.is_alphabetic() {
            let size = length(char::is_alphanumeric);
            found.push(Token::Word(&rest[..size]));
            size
        } else if first.is_whitespace() {
            length(char::is_whitespace)
        } else {
            let marks = ["...", "..", "<=", ">="];
            let size = marks.iter().find(|it| rest.starts_with(**it));
            let size = size.map_or(first.len_utf8(), |it| it.len());
            found.push(Token::Mark(&rest[..size]));
            size
        };
        rest = &rest[size..];
    }
    found
}

/// The range of numbers in a description of a parameter, such as `1-12`, `from 0 to 255` or `must be
/// positive`.
pub(super) fn range_in(description: &str) -> Option<Range> {
    let lower = description.to_lowercase().replace('`', "");
    let found = tokens(&lower);
    let known = |at: usize| found.get(at);
    for (at, token) in found.iter().enumerate() {
        let Token::Number(low) = *token else { continue };
        let before = at.checked_sub(1).and_then(known);
        let Some(Token::Number(high)) = known(at + 2) else { continue };
        let asks = matches!(before, Some(Token::Word("between" | "from" | "range")));
        let mark = matches!(
            before,
            None | Some(Token::Mark("(" | ":" | "[" | "|" | "," | "-" | "\u{2013}"))
        );
        let word = matches!(before, Some(Token::Word(_)));
        let number = at.checked_sub(2).and_then(known);
        let opens = word || mark && !matches!(number, Some(Token::Number(_)));
        let joined = match known(at + 1) {
            Some(Token::Word("to" | "and" | "through")) => asks || opens,
            Some(Token::Mark("-" | "\u{2013}" | ".." | "...")) => asks || opens,
            Some(Token::Mark(",")) => {
                matches!(before, Some(Token::Mark("["))) && lower.contains("range")
            }
            _ => false,
        };
        // A date, a version or a longer list has further numbers.
        let further = matches!(known(at + 3), Some(Token::Mark("-" | "." | "," | "/" | ":")))
            && matches!(known(at + 4), Some(Token::Number(_)));
        let and = matches!(known(at + 1), Some(Token::Word("and"))) && !asks;
        // A number of characters is not a range of values.
        let units =
            ["digit", "digits", "character", "characters", "chars", "letters", "words", "times"];
        let of_units = matches!(known(at + 3), Some(Token::Word(word)) if units.contains(word));
        if joined && !further && !and && !of_units && low < *high {
            return Some((low, *high));
        }
    }
    let has = |words: &[&str]| words.iter().any(|it| lower.contains(it));
    if has(&[
        "non-negative",
        "nonnegative",
        "not negative",
        "not be negative",
        ">= 0",
        ">=0",
        "\u{2265} 0",
    ]) {
        return Some((0.0, f64::INFINITY));
    }
    let negative = lower.contains("negative");
    let positive = has(&[
        "must be positive",
        "positive integer",
        "positive number",
        "> 0",
        "greater than 0",
        "greater than zero",
    ]);
    (positive && !negative).then_some((POSITIVE, f64::INFINITY))
}

/// Ranges in comments, such as `@param {number} month the month, 1-12`. A comment belongs to the
/// function whose name follows it.
pub(super) fn of_comments(source: &str, ranges: &mut Ranges) {
    let letters = |c: char| c.is_ascii_alphanumeric() || "_$".contains(c);
    for part in source.split("/**").skip(1) {
        let Some((comment, code)) = part.split_once("*/") else { continue };
        let head: String = code.chars().take(120).collect();
        let head = head.split(['{', ';']).next().unwrap_or_default();
        let names = head.split(|c| !letters(c)).filter(|it| !it.is_empty());
        let names: Vec<&str> = names.collect();
        for tag in comment.split("@param").skip(1) {
            let tag = tag.split("\n * @").next().unwrap_or_default();
            let tag = tag.split("@").next().unwrap_or_default();
            let tag = tag.trim_start();
            let rest = match tag.strip_prefix('{') {
                Some(inner) => inner.split_once('}').map_or("", |(_, rest)| rest),
                None => tag,
            };
            let rest = rest.trim_start().trim_start_matches('[');
            let end = rest.find(|c: char| !letters(c) && c != '.').unwrap_or(rest.len());
            let (name, description) = rest.split_at(end);
            let description = description.split_once(']').map_or(description, |(_, it)| it);
            let name = name.rsplit('.').next().unwrap_or_default();
            let Some(range) = range_in(description) else { continue };
            for function in &names {
                ranges.insert(((*function).to_owned(), name.to_owned()), range);
            }
        }
    }
}

/// Ranges of parameters and members in lists and tables of documentation.
pub(super) fn of_documentation(texts: &str, ranges: &mut Ranges) {
    for line in texts.lines() {
        let start = line.trim_start();
        if !start.starts_with(['-', '*', '|', '`', '#']) {
            continue;
        }
        let name = start.trim_start_matches(|c: char| !c.is_ascii_alphanumeric());
        let end = name.find(|c: char| !c.is_ascii_alphanumeric() && !"_.".contains(c));
        let (name, rest) = name.split_at(end.unwrap_or(name.len()));
        let name = name.rsplit('.').next().unwrap_or(name);
        // A call of a function is not a description of a parameter.
        if name.is_empty() || rest.starts_with('(') {
            continue;
        }
        if let Some(range) = range_in(rest) {
            ranges.entry((String::new(), name.to_owned())).or_insert(range);
        }
    }
}

/// Whether a number fits the numbers of examples.
fn is_like_numbers(number: f64, known: &[f64]) -> bool {
    if known.is_empty() || known.contains(&number) {
        return true;
    }
    let whole = |it: &f64| it.fract() == 0.0;
    let least = known.iter().copied().fold(f64::INFINITY, f64::min);
    let most = known.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let fractions = !known.iter().all(whole) && least >= 0.0 && most <= 1.0;
    let wholes = known.iter().all(whole) && known.iter().any(|it| *it != known[0]);
    (!fractions || (0.0..=1.0).contains(&number))
        && (!wholes || whole(&number))
        && (least < 0.0 || number >= 0.0)
        && (least < 100.0 || (least / 10.0..=most * 10.0).contains(&number))
}

impl Usage {
    /// Whether an argument occurs in an example, or its numbers fit the known ranges and examples.
    pub(super) fn is_in_range(&self, target: &Target, position: usize, value: &Argument) -> bool {
        if self.is_documented(Some(target), position, value) {
            return true;
        }
        let name = target.parameters.get(position).map_or("", |it| it.name.as_str());
        let numbers = self.calls(target).into_iter().filter_map(|call| match call.get(position) {
            Some(Literal::Number(bits)) => Some(f64::from_bits(*bits)),
            _ => None,
        });
        let known: Vec<f64> = numbers.collect();
        let names = self.words.names(target, &self.model);
        match value {
            Argument::Number(number) => {
                let range = self.range(&names, name);
                let whole = WHOLE.contains(&name.to_lowercase().as_str());
                range.is_none_or(|(low, high)| (low..=high).contains(number))
                    && (!whole || number.fract() == 0.0)
                    && is_like_numbers(*number, &known)
            }
            Argument::Object(members) => members.iter().all(|(name, it)| match it {
                Argument::Number(number) => {
                    let range = self.range(&names, name);
                    range.is_none_or(|(low, high)| (low..=high).contains(number))
                }
                _ => true,
            }),
            _ => true,
        }
    }

    fn range(&self, functions: &[String], name: &str) -> Option<Range> {
        if name.is_empty() {
            return None;
        }
        let of = |function: &str| self.ranges.get(&(function.to_owned(), name.to_owned())).copied();
        functions.iter().find_map(|it| of(it)).or_else(|| of("")).or_else(|| by_name(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_have_ranges() {
        let of = |text: &str| range_in(text);
        for text in [
            "month (1-12)",
            "the month, 1..12",
            "between 1 and 12",
            "from 1 to 12",
            "1 to 12",
            "Number: 1 – 12",
        ] {
            assert_eq!(of(text), Some((1.0, 12.0)), "{text}");
        }
        assert_eq!(of("from -90 to 90"), Some((-90.0, 90.0)));
        assert_eq!(of("in the range [0, 1]"), Some((0.0, 1.0)));
        for text in [
            "2020-01-15",
            "1 and 2 are added",
            "a string of 1-3 digits",
            "12",
            "version 1.2",
            "10-5",
        ] {
            assert_eq!(of(text), None, "{text}");
        }
        assert_eq!(of("must be positive"), Some((POSITIVE, f64::INFINITY)));
        assert_eq!(of("a non-negative integer"), Some((0.0, f64::INFINITY)));
        assert_eq!(of("negative or positive number"), None);
    }

    #[test]
    fn comments_and_lists_give_ranges_of_names() {
        let mut ranges = Ranges::new();
        let source = "/**\n * Days.\n * @param {number} year\n * @param {number} month - 1..12\n * @returns {number} 28 to 31\n */\n\
            export function days(year, month) {}";
        of_comments(source, &mut ranges);
        let key = |function: &str, name: &str| (function.to_owned(), name.to_owned());
        assert_eq!(ranges.get(&key("days", "month")), Some(&(1.0, 12.0)));
        assert_eq!(ranges.get(&key("days", "year")), None);
        of_documentation("* `opts.level` (0-9)\nlevel 1-2\n- days(1-3)\n", &mut ranges);
        assert_eq!(ranges.get(&key("", "level")), Some(&(0.0, 9.0)));
    }

    #[test]
    fn numbers_are_like_those_of_examples() {
        assert!(is_like_numbers(7.0, &[1.0, 3.0]) && !is_like_numbers(1.5, &[1.0, 3.0]));
        assert!(!is_like_numbers(2.0, &[0.5, 1.0]) && !is_like_numbers(-1.0, &[2.0]));
        assert!(!is_like_numbers(2.0, &[1e9]) && is_like_numbers(1.5, &[2.0]));
    }
}
