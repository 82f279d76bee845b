//! Recognises tests with accidental arguments or results, such as undocumented digests.

use std::collections::BTreeMap;

use catherd_javascript_machine::instrument::Literal;
use catherd_javascript_machine::{Argument, Operation, Statement};
use serde_json::Value;

use super::arguments::inlined;
use super::conventions;
use super::outcomes::is_value_of;
use super::plausible::words;
use super::usage::Usage;
use crate::export::Possible;
use crate::model::Target;
use crate::suite::{SuiteTest, is_error};

/// Words in names of functions and packages whose results look random.
const DIGESTS: [&str; 14] = [
    "adler",
    "checksum",
    "crc",
    "ctph",
    "digest",
    "fingerprint",
    "fnv",
    "hash",
    "hmac",
    "md5",
    "murmur",
    "random",
    "sha",
    "uuid",
];

/// Words in names of classes whose constructors need a string in a certain format.
const FORMED: [&str; 12] = [
    "address", "color", "colour", "date", "duration", "email", "time", "uri", "url", "uuid",
    "version", "xml",
];

/// Minimum length of a digest, in characters.
const SHORTEST: usize = 6;

/// Minimum length of a word that looks random, in characters.
const LONG: usize = 20;

/// Minimum number of changes between kinds of characters in a word that looks random.
const CHANGES: usize = 6;

/// Collects the strings and numbers in a result.
fn parts(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (name, part) in members {
                match part {
                    Value::String(text) if ["string", "number"].contains(&name.as_str()) => {
                        found.push(text.clone());
                    }
                    part => parts(part, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| parts(item, found)),
        _ => {}
    }
}

/// The words of a name such as `createHash` or `unique-hash`, in lower case.
fn parts_of_name(name: &str) -> Vec<String> {
    let mut spaced = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() {
            spaced.push(' ');
        }
        spaced.push(if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { ' ' });
    }
    spaced.split_whitespace().map(str::to_owned).collect()
}

fn is_digest(name: &str) -> bool {
    let stem = |word: &str| word.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned();
    parts_of_name(name).iter().any(|word| DIGESTS.iter().any(|it| stem(it) == stem(word)))
}

/// Whether a string contains a long word of mixed letters and digits.
fn looks_like_chance(text: &str) -> bool {
    let class = |c: char| match c {
        c if c.is_ascii_digit() => 0,
        c if c.is_ascii_uppercase() => 1,
        _ => 2,
    };
    text.split(|c: char| !(c.is_ascii_alphanumeric() || "+/=".contains(c))).any(|word| {
        let classes: Vec<i32> = word.chars().map(class).collect();
        let changes = classes.windows(2).filter(|pair| pair[0] != pair[1]).count();
        classes.len() >= LONG && changes >= CHANGES && classes.contains(&0)
    })
}

/// Whether too few of three or more numbers are different, or a number is not finite.
fn are_odd_numbers(given: &[Argument]) -> bool {
    let number = |it: &Argument| match it {
        Argument::Number(number) => Some(*number),
        _ => None,
    };
    let numbers: Vec<f64> = given.iter().filter_map(number).collect();
    let different =
        numbers.iter().enumerate().filter(|(at, it)| !numbers[..*at].contains(it)).count();
    let fewest = if numbers.len() > 3 { 3 } else { 2 };
    let alike = numbers.len() > 2 && numbers.len() == given.len() && different < fewest;
    alike || numbers.iter().any(|it| !it.is_finite())
}

/// Whether all arguments are equal and the result is a list of equal numbers.
fn are_equal(given: &[Argument], result: &Value) -> bool {
    let equal = |it: &[Argument]| it.len() > 1 && it.iter().all(|other| *other == it[0]);
    let shown = result["array"].as_array().is_some_and(|it| {
        it.len() > 1 && it.iter().all(|other| *other == it[0] && other.get("number").is_some())
    });
    shown && equal(given)
}

/// Whether two arguments are the same variable.
fn gives_twice(given: &[Argument]) -> bool {
    let variables: Vec<&Argument> =
        given.iter().filter(|it| matches!(it, Argument::Variable(_))).collect();
    (1..variables.len()).any(|at| variables[..at].contains(&variables[at]))
}

impl Usage {
    /// Whether the arguments or the result of a test are accidental; false if it shows an error.
    pub(super) fn is_accident(&self, test: &SuiteTest) -> bool {
        let statements = inlined(&test.statements);
        let last = statements.len() - 1;
        let at = test.focus.unwrap_or(last).min(last);
        let Some(result) = test.assertions.last() else { return false };
        let odd = |at: usize| {
            let target = self.target(&test.statements, at);
            let documented = target.is_some_and(|it| self.is_documented_call(it, &statements[at]));
            let made = |it: &Argument| match it {
                Argument::Variable(made) => test.statements[*made].operation != Operation::Value,
                _ => false,
            };
            let given = &test.statements[at].arguments;
            let objects: Vec<Argument> = given.iter().filter(|it| made(it)).cloned().collect();
            let given = &statements[at].arguments;
            !documented && are_odd_numbers(given)
                || gives_twice(&objects)
                || are_equal(given, result)
        };
        if (0..statements.len()).any(odd) || is_error(result) {
            return !is_error(result);
        }
        let nothing = result["number"] == "NaN" || result["number"] == "Infinity";
        if nothing && !self.documents(&test.statements) {
            return true;
        }
        if statements.iter().any(|it| self.is_made_of_a_word(it)) {
            return true;
        }
        let target = self.target(&test.statements, at);
        self.is_unknown_digest(target, &statements[at], result)
            || target.is_some_and(|it| self.has_nothing_to_do(it, &statements[at], result))
            || is_empty_instance(test, result)
            || is_undivided(&statements[at], result)
            || is_unreplaced(&self.name_of(target, &statements[at]), &statements[at], result)
            || self.is_key_of_nothing(test, at, result)
            || self.is_zero(target, &statements[at], result)
            || is_plain_copy(&self.name_of(target, &statements[at]), &statements[at], result)
            || is_identity(&self.name_of(target, &statements[at]), &statements[at])
            || target.is_some_and(|it| self.is_of_other_type(it, result))
    }

    /// Whether a constructor that needs a formatted string gets a common word that no example has.
    fn is_made_of_a_word(&self, statement: &Statement) -> bool {
        let Some(Argument::String(text)) = statement.arguments.first() else { return false };
        let class = statement.path.iter().rev().find(|name| *name != "default");
        let class = class.or(self.words.own_names.first());
        let formed = class
            .is_some_and(|name| parts_of_name(name).iter().any(|it| FORMED.contains(&it.as_str())));
        statement.operation == Operation::New
            && formed
            && conventions::is_plain(text)
            && !self.is_text(text)
    }

    /// Whether a result contains an undocumented digest or random value.
    fn is_unknown_digest(
        &self,
        target: Option<&Target>,
        statement: &Statement,
        result: &Value,
    ) -> bool {
        let name = target.map_or(&statement.name, |it| it.path.last().unwrap_or(&it.member));
        let member = target.map_or("", |it| it.member.as_str());
        let mut owners = self.words.own_names.iter();
        let named = is_digest(name) || is_digest(member) || owners.any(|it| is_digest(it));
        let mut given = String::new();
        for argument in &statement.arguments {
            argument.visit(&mut |inner| {
                if let Argument::String(text) = inner {
                    given.push_str(text);
                    given.push('\n');
                }
            });
        }
        let mut found = Vec::new();
        parts(result, &mut found);
        found.iter().any(|text| {
            let digest = text.chars().count() >= SHORTEST
                && text.chars().any(|c| c.is_ascii_digit())
                && words(text).all(|word| !self.knows(word) || word.len() < 3);
            (named && digest || looks_like_chance(text))
                && !given.contains(text.as_str())
                && !self.texts.contains(text.as_str())
        })
    }

    /// The name of the function that a statement calls.
    fn name_of(&self, target: Option<&Target>, statement: &Statement) -> String {
        let name = target.and_then(|it| it.path.iter().rev().find(|it| *it != "default"));
        let own = || self.words.own_names.first().cloned().unwrap_or_default();
        match statement.operation {
            Operation::Method => statement.name.clone(),
            _ => name.cloned().unwrap_or_else(own),
        }
    }

    /// Whether a call does nothing useful with a collection, its only argument, because the
    /// collection is empty or further arguments are missing.
    fn has_nothing_to_do(&self, target: &Target, statement: &Statement, result: &Value) -> bool {
        let [only] = &statement.arguments[..] else { return false };
        let empty = match only {
            Argument::Array(items) => items.is_empty(),
            Argument::Object(members) => members.is_empty(),
            _ => return false,
        };
        let calls = self.calls(target);
        let several = !calls.is_empty() && calls.iter().all(|call| call.len() > 1);
        let more = several
            || target.parameters.len() > 1
            || target.parameters.iter().any(|it| it.name.starts_with("..."));
        let same = is_value_of(only, result);
        let none = result["array"].as_array().is_some_and(Vec::is_empty)
            || result["object"].as_object().is_some_and(|it| it.is_empty());
        empty && same || more && (same || none)
    }

    /// Whether a method of a returned value gets a word that is unlikely to be a key.
    fn is_key_of_nothing(&self, test: &SuiteTest, at: usize, result: &Value) -> bool {
        let statement = &test.statements[at];
        let [Argument::String(word)] = &statement.arguments[..] else { return false };
        let made = test.statements.get(statement.receiver).filter(|_| statement.receiver < at);
        let of_call = made.is_some_and(|it| it.operation == Operation::Call);
        let elsewhere = |it: &Statement| {
            it.arguments.iter().any(|it| it.to_json().to_string().contains(word.as_str()))
        };
        let collection = result.get("array").or(result.get("object")).is_some();
        statement.operation == Operation::Method
            && of_call
            && collection
            && !test.statements[..at].iter().any(elsewhere)
            && !self.gives_text(&statement.name, word)
            && !result.to_string().contains(word.as_str())
    }

    /// Whether an example calls a function of this name with this string as the first argument.
    fn gives_text(&self, name: &str, text: &str) -> bool {
        let mut calls = self.words.calls.get(name).into_iter().flatten();
        calls.any(|call| matches!(call.first(), Some(Literal::Text(known)) if known == text))
    }

    /// Whether a call returns zero for zero, and no example has this call.
    fn is_zero(&self, target: Option<&Target>, statement: &Statement, result: &Value) -> bool {
        let zero = matches!(&statement.arguments[..], [Argument::Number(number)] if *number == 0.0);
        let documented = target.is_some_and(|it| self.is_documented_call(it, statement));
        zero && result["number"] == "0" && !documented
    }

    /// Whether a result contradicts the type that a comment declares.
    fn is_of_other_type(&self, target: &Target, result: &Value) -> bool {
        let names = self.words.names(target, &self.model);
        let declared = names.iter().find_map(|name| self.returned.get(name));
        let other = |declared: &String| match declared.as_str() {
            "number" => result.get("string").is_some(),
            "string" => result.get("number").is_some(),
            "boolean" => result.get("string").or(result.get("number")).is_some(),
            _ => false,
        };
        declared.is_some_and(other)
    }
}

/// Whether a test without arguments shows a list of zeros.
fn is_empty_instance(test: &SuiteTest, result: &Value) -> bool {
    let zero = |it: &Value| it["number"] == "0";
    let zeros = result["array"].as_array().is_some_and(|it| !it.is_empty() && it.iter().all(zero));
    zeros && test.statements.iter().all(|it| it.arguments.is_empty())
}

/// Whether a string is returned undivided, as the only element of a list.
fn is_undivided(statement: &Statement, result: &Value) -> bool {
    let Some(Argument::String(text)) = statement.arguments.first() else { return false };
    let items = result["array"].as_array().map(Vec::as_slice);
    text.len() > 1 && matches!(items, Some([only]) if only["string"] == **text)
}

/// Whether a string in which a part should be replaced lacks the string that replaces it.
fn is_unreplaced(name: &str, statement: &Statement, result: &Value) -> bool {
    let replaces = parts_of_name(name).first().is_some_and(|it| it == "replace");
    // With two arguments, a function gets the whole string and the part, but a method of the string the
    // part and what replaces it.
    let with = match &statement.arguments[..] {
        [_, with] if statement.operation == Operation::Method => with,
        [_, _, .., with] => with,
        _ => return false,
    };
    match (with, result["string"].as_str()) {
        (Argument::String(with), Some(text)) => {
            replaces && !with.contains('$') && !text.contains(with.as_str())
        }
        _ => false,
    }
}

/// Whether a copy does not show what further arguments do.
fn is_plain_copy(name: &str, statement: &Statement, result: &Value) -> bool {
    let copies = parts_of_name(name).iter().any(|it| it == "copy" || it == "clone");
    copies && matches!(&statement.arguments[..], [first, _, ..] if is_value_of(first, result))
}

/// Whether a function that should change values gets a function that returns them unchanged.
fn is_identity(name: &str, statement: &Statement) -> bool {
    let identity = |it: &Argument| matches!(it, Argument::Function(what, _) if what == "first");
    let changes = ["apply", "convert", "each", "map", "object", "transform", "update"];
    parts_of_name(name).iter().any(|it| changes.contains(&it.as_str()))
        && statement.arguments.iter().any(identity)
}

/// Whether a test only shows arguments that a new object keeps, apart from flags.
pub(super) fn only_keeps(test: &SuiteTest, possible: &[Possible]) -> bool {
    let Some(last) = test.statements.last() else { return false };
    let made = match last.operation {
        Operation::New | Operation::Call => last,
        Operation::Get => &test.statements[last.receiver],
        _ => return false,
    };
    let makes = matches!(made.operation, Operation::New | Operation::Call);
    if !makes || test.assertions.last().is_some_and(is_error) {
        return false;
    }
    let mut given = Vec::new();
    made.arguments.iter().for_each(|it| it.visit(&mut |inner| given.push(inner.clone())));
    let keeps = |value: &Value| given.iter().any(|it| is_value_of(it, value));
    if last.operation == Operation::Get {
        return test.assertions.last().is_some_and(keeps);
    }
    let flag = |it: &Value| ["boolean", "null", "undefined"].iter().any(|of| it.get(of).is_some());
    let keeps = |value: &Value| keeps(value) || flag(value);
    let mut shown = possible.iter().filter(|it| !it.is_type()).peekable();
    shown.peek().is_some() && shown.all(|it| it.part().is_some_and(|(_, value)| keeps(value)))
}

/// Collects the types that comments such as `@returns {string}` declare, in lower case, by the
/// names that follow the comments.
pub(super) fn returned(source: &str, found: &mut BTreeMap<String, String>) {
    let letters = |c: char| c.is_ascii_alphanumeric() || "_$".contains(c);
    for part in source.split("/**").skip(1) {
        let Some((comment, code)) = part.split_once("*/") else { continue };
        let Some((_, tag)) = comment.split_once("@return") else { continue };
        let kind = tag.trim_start_matches('s').trim_start().strip_prefix('{');
        let Some((kind, _)) = kind.and_then(|it| it.split_once('}')) else { continue };
        let kind = kind.trim().to_lowercase();
        let head: String = code.chars().take(120).collect();
        let head = head.split(['{', ';', '(']).next().unwrap_or_default();
        for name in head.split(|c| !letters(c)).filter(|it| it.len() > 1) {
            found.insert(name.to_owned(), kind.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn digests_are_recognised_by_names_and_letters() {
        assert!(
            ["uniqueHash", "unique-hash", "md5", "crc32", "getDigest"]
                .iter()
                .all(|it| is_digest(it))
        );
        assert!(["shape", "merge", "hashtag", "chart"].iter().all(|it| !is_digest(it)));
        assert!(looks_like_chance("A:hRW0piKIMqELT4rsFrfHAF6dTAzpL:x"));
        assert!(!looks_like_chance("mongodb://user:p%40ssw0rd@host1,host2:2700/db?w=majority"));
        assert!(!looks_like_chance("aVeryLongNameOfAFunctionInCamelCase"));
        let mut found = Vec::new();
        parts(&json!({"object": {"a": {"array": [{"number": "1"}, {"string": "b"}]}}}), &mut found);
        assert_eq!(found, ["1", "b"]);
    }

    #[test]
    fn equal_numbers_and_equal_variables_are_odd() {
        let numbers =
            |list: &[f64]| list.iter().map(|it| Argument::Number(*it)).collect::<Vec<_>>();
        assert!(are_odd_numbers(&numbers(&[1.0, 1.0, 1.0])));
        assert!(are_odd_numbers(&numbers(&[f64::INFINITY])));
        assert!(
            !are_odd_numbers(&numbers(&[1.0, 1.0])) && !are_odd_numbers(&numbers(&[1.0, 2.0, 1.0]))
        );
        let result = json!({"array": [{"number": "1"}, {"number": "1"}]});
        assert!(are_equal(&numbers(&[1.0, 1.0]), &result));
        assert!(!are_equal(&numbers(&[1.0, 2.0]), &result));
        assert!(gives_twice(&[Argument::Variable(0), Argument::Variable(0)]));
        assert!(!gives_twice(&[Argument::Variable(0), Argument::Variable(1), Argument::Null]));
    }

    #[test]
    fn copies_and_identities_show_little() {
        let call = |arguments| Statement {
            operation: Operation::Call,
            path: Vec::new(),
            receiver: 0,
            name: String::new(),
            arguments,
            awaits: false,
        };
        let list = Argument::Array(vec![Argument::Number(1.0)]);
        let result = json!({"array": [{"number": "1"}]});
        let depth = call(vec![list.clone(), Argument::Number(1.0)]);
        assert!(is_plain_copy("deepClone", &depth, &result));
        assert!(!is_plain_copy("deepClone", &call(vec![list.clone()]), &result));
        assert!(!is_plain_copy("take", &depth, &result));
        let text = call(vec![Argument::String("a b".to_owned())]);
        assert!(is_undivided(&text, &json!({"array": [{"string": "a b"}]})));
        assert!(!is_undivided(&text, &json!({"array": [{"string": "a"}]})));
        let first = Argument::Function("first".to_owned(), Box::new(Argument::Undefined));
        assert!(is_identity("mapValues", &call(vec![list.clone(), first.clone()])));
        assert!(!is_identity("sortBy", &call(vec![list, first])));
    }

    #[test]
    fn comments_declare_the_kinds_of_results() {
        let mut found = BTreeMap::new();
        let source = "/**\n * Hashes.\n * @param {string} text\n * @return {number} the hash\n */\n\
            function createNumberHash(text) {}\n/** @returns {String} */\nexports.name = (a) => a;";
        returned(source, &mut found);
        assert_eq!(found.get("createNumberHash").map(String::as_str), Some("number"));
        assert_eq!(found.get("name").map(String::as_str), Some("string"));
        assert_eq!(found.get("text"), None);
    }
}
