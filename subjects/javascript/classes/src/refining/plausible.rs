//! Whether a person would write a test.

use std::collections::BTreeSet;

use catherd_javascript_machine::instrument::Literal;
use catherd_javascript_machine::{Argument, Operation, Statement};

use super::arguments::{inlined, is_options};
use super::kinds::{kind, kind_of};
use super::usage::Usage;
use super::{conventions, weights};
use crate::model::{RECEIVER, Target};
use crate::suite::{SuiteTest, is_error};

/// Maximum number of calls of a test that is not documented.
const MAX_CALLS: usize = 4;

/// Maximum length of a string that is not written in the documentation, in characters.
const LONGEST: usize = 16;

/// Maximum number of elements of a collection that is not written in the documentation.
const LARGEST: usize = 5;

/// The largest number that a person would choose without a reason in the documentation.
const MOST: f64 = 1000.0;

/// Marks that usually separate the parts of a string.
const SEPARATORS: [char; 10] = ['-', '_', '.', ',', ':', ';', '/', '|', '+', '*'];

/// Whether a parameter is a separator, a prefix or a similar string, according to its name.
fn separates(name: &str) -> bool {
    let name = name.to_lowercase();
    ["sep", "delim", "char", "pad", "fill", "glue", "join", "prefix", "suffix", "replace", "quote"]
        .iter()
        .any(|part| name.contains(part))
}

/// The words of a string: its runs of letters.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty())
}

/// The words of a string in lower case.
pub(super) fn known_words(texts: &str) -> BTreeSet<String> {
    words(texts).map(str::to_lowercase).collect()
}

/// Whether a string is a placeholder in documentation, such as `<file name>`.
fn is_placeholder(value: &Argument) -> bool {
    let Argument::String(text) = value else { return false };
    let inner = text.strip_prefix('<').and_then(|text| text.strip_suffix('>'));
    inner.is_some_and(|inner| inner.contains(' ') && !inner.contains(['<', '>', '=']))
}

/// The kinds of values that a person would pass without knowledge of a parameter.
const KINDS: [&str; 4] = ["string", "number", "array", "object"];

/// Names of parameters that are usually optional, unless they come first.
const OPTIONAL: [&str; 14] = [
    "cb",
    "callback",
    "fn",
    "cmp",
    "compare",
    "comparator",
    "context",
    "ctx",
    "thisarg",
    "radix",
    "encoding",
    "separator",
    "delimiter",
    "locale",
];

pub(super) fn is_optional(name: &str) -> bool {
    is_options(name) || OPTIONAL.contains(&name.to_lowercase().as_str())
}

/// Whether the result of a test equals a simple argument.
fn is_shown(argument: &Argument, test: &SuiteTest) -> bool {
    let Some(result) = test.assertions.last() else { return false };
    match argument {
        Argument::Null => result.get("null").is_some(),
        Argument::Undefined => result.get("undefined").is_some(),
        Argument::Boolean(value) => result["boolean"] == *value,
        Argument::String(text) => result["string"] == **text,
        Argument::Number(number) => {
            result["number"].as_str().and_then(|it| it.parse::<f64>().ok()) == Some(*number)
        }
        _ => false,
    }
}

/// Whether the message of the error that a test shows seems to state what is wrong.
fn says_what_is_wrong(test: &SuiteTest) -> bool {
    let words = [
        "argument", "bad", "expect", "invalid", "missing", "must", "need", "not a", "requir",
        "should", "support", "unknown", "wrong",
    ];
    let last = test.assertions.last();
    let message = last.and_then(|it| it["message"].as_str()).unwrap_or_default().to_lowercase();
    words.iter().any(|word| message.contains(word))
}

/// Whether a number is a small whole number, a multiple of five, or a power of two.
fn is_round(number: f64) -> bool {
    let whole = number.fract() == 0.0;
    let power = whole && number > 0.0 && (number as u64).is_power_of_two();
    whole && (number.abs() <= 12.0 || number % 5.0 == 0.0 || power)
}

/// Milliseconds in a day.
const DAY: f64 = 86_400_000.0;

/// Whether a value has little meaning: a boolean, null, or an empty string or collection.
fn is_empty(argument: &Argument) -> bool {
    match argument {
        Argument::Null | Argument::Boolean(_) => true,
        Argument::String(text) => text.is_empty(),
        Argument::Array(items) => items.is_empty(),
        Argument::Object(members) => members.is_empty(),
        _ => false,
    }
}

/// Names of members that objects inherit from built-in classes, which a person would hardly use for
/// another member.
const INHERITED: [&str; 24] = [
    "apply",
    "bind",
    "call",
    "concat",
    "constructor",
    "every",
    "filter",
    "forEach",
    "hasOwnProperty",
    "indexOf",
    "join",
    "length",
    "map",
    "pop",
    "prototype",
    "push",
    "reduce",
    "replace",
    "shift",
    "slice",
    "splice",
    "then",
    "toString",
    "valueOf",
];

/// Whether a parameter is a function of two values, according to its name. No function of a test
/// reads its second argument.
fn is_comparator(target: &Target, position: usize) -> bool {
    let names = ["cmp", "comp", "compare", "comparator", "comparefn", "reducer", "sorter"];
    let parameter = target.parameters.get(position);
    parameter.is_some_and(|it| names.contains(&it.name.to_lowercase().as_str()))
}

/// Whether, according to its name, a function tests a property of any value.
pub(super) fn asks(target: &Target) -> bool {
    let name = target.path.last().unwrap_or(&target.member);
    ["is", "has"].iter().any(|word| name.starts_with(word))
}

impl Usage {
    /// Number of reasons why a person would not write a test.
    pub(super) fn faults(&self, test: &SuiteTest) -> usize {
        let statements = inlined(&test.statements);
        let calls = statements.iter().filter(|it| it.operation != Operation::Value).count();
        // A function of the test has thrown the error.
        let own = test.assertions.last().is_some_and(|it| it["message"] == "e");
        let wrong = self.unusual(test) >= super::usage::WRONG;
        let faults = (0..statements.len()).map(|at| self.faults_of(test, &statements, at));
        let most = MAX_CALLS + usize::from(self.documents(&test.statements));
        usize::from(calls > most) + usize::from(own) + usize::from(wrong) + faults.sum::<usize>()
    }

    /// Number of reasons why a person would not write a statement.
    fn faults_of(&self, test: &SuiteTest, statements: &[Statement], at: usize) -> usize {
        let statement = &statements[at];
        let last = statements.len().saturating_sub(1);
        let fails = test.assertions.last().is_some_and(is_error);
        let checked = fails && at == last && says_what_is_wrong(test);
        let applied = usize::from(weights::is_applied(test, at));
        let target = self.target(&test.statements, at);
        let receiver = match statement.operation {
            Operation::Method => statement.receiver,
            _ => usize::MAX,
        };
        let plausible = |(position, argument): (usize, &Argument)| {
            let like = checked || self.is_like_examples(target, position, argument);
            let chosen = || self.is_plausible_argument(argument, checked, receiver, statements);
            let own = || match (argument, target) {
                (Argument::String(text), Some(target)) => {
                    let name = target.parameters.get(position).map_or("", |it| it.name.as_str());
                    self.own_words(target, position).any(|word| word == text)
                        || self.is_formatted(target, position, text)
                        || text.len() == 1 && text.contains(SEPARATORS) && separates(name)
                }
                _ => false,
            };
            let formed = || self.is_formed_like_an_example(target, position, argument);
            let parameter = target.and_then(|target| target.parameters.get(position));
            let year = parameter.is_some_and(|it| conventions::is_year(&it.name));
            let chosen = || match argument {
                Argument::Number(number) if year => conventions::may_be_a_year(*number),
                _ => chosen(),
            };
            let known = || self.is_documented(target, position, argument) || own() || formed();
            like && (known() || chosen())
        };
        // A returned function that returns its argument unchanged shows nothing.
        let given = &statement.arguments[applied.min(statement.arguments.len())..];
        let same = at == last && given.first().is_some_and(|it| is_shown(it, test));
        let unknown = applied > 0 && same;
        // A short string that is returned unchanged has no meaning.
        let mut returned = false;
        if at == last
            && let [Argument::String(text)] = &statement.arguments[..]
        {
            returned = text.len() <= 3
                && is_shown(&statement.arguments[0], test)
                && !self.is_documented(target, 0, &statement.arguments[0]);
        }
        if statement.operation == Operation::Value {
            return 0;
        }
        let together =
            target.is_none_or(|target| checked || self.is_plausible_call(target, statement));
        let faults = given.iter().enumerate().filter(|it| !plausible(*it)).count();
        faults + usize::from(unknown) + usize::from(returned) + usize::from(!together)
    }

    /// Whether an example has the same argument.
    pub(super) fn is_documented(
        &self,
        target: Option<&Target>,
        position: usize,
        value: &Argument,
    ) -> bool {
        let calls = target.map(|target| self.calls(target)).unwrap_or_default();
        let same = |call: &&Vec<Literal>| {
            call.get(position).and_then(super::kinds::argument).as_ref() == Some(value)
        };
        calls.iter().any(same) && !is_placeholder(value)
    }

    /// Whether a person would combine the arguments of a call.
    fn is_plausible_call(&self, target: &Target, statement: &Statement) -> bool {
        let calls = self.calls(target);
        let most = calls.iter().map(|call| call.len()).max().unwrap_or(0);
        let rest = target.parameters.iter().any(|it| it.name.starts_with("..."));
        let given = &statement.arguments;
        if !rest && given.len() > most.max(target.parameters.len()) {
            return false;
        }
        // A class is not called without `new`.
        if statement.operation == Operation::Call
            && target.path.last().is_some_and(|name| name.starts_with(char::is_uppercase))
            && (self.is_class(&target.path) || self.is_name_of_class(target))
        {
            return false;
        }
        // A person does not pass `null` or empty options as the last argument.
        if let [.., last] = &given[..] {
            let position = given.len() - 1;
            let options = target.parameters.get(position).is_some_and(|it| is_options(&it.name));
            let nothing = match last {
                Argument::Null => position > 0 && !asks(target),
                Argument::Object(members) => members.is_empty() && options,
                _ => false,
            };
            if nothing && !self.is_documented(Some(target), position, last) {
                return false;
            }
        }
        let usually = if calls.is_empty() { self.usually_given(target) } else { 0 };
        if given.len() < usually || self.missing(target, given.len()) > 0 {
            return false;
        }
        given.iter().enumerate().all(|(position, it)| {
            self.is_usual_kind(target, position, it)
                && self.is_in_range(target, position, it)
                && self.is_as_read(target, position, it)
        })
    }

    /// Whether the kind of an argument occurs in examples, is declared, or is usual for the name of
    /// the parameter.
    pub(super) fn is_usual_kind(
        &self,
        target: &Target,
        position: usize,
        argument: &Argument,
    ) -> bool {
        let calls = self.calls(target);
        let Some(of) = kind(argument) else { return true };
        // An example counts more than a declaration, which may not be understood.
        if of == "object" && self.is_documented(Some(target), position, argument) {
            return true;
        }
        if of == "function" && is_comparator(target, position) {
            return false;
        }
        let kinds: BTreeSet<&str> =
            calls.iter().filter_map(|call| kind_of(call.get(position)?)).collect();
        let options = target.parameters.get(position).is_some_and(|it| is_options(&it.name));
        if options && !["object", "function"].contains(&of) && !kinds.contains(of) {
            return false;
        }
        if let Some(shape) = self.shape_of(target, position) {
            // A value of a kind that no example has must at least not be empty.
            let used = kinds.is_empty() || kinds.contains(of) || !is_empty(argument);
            return used && self.fits(shape, argument, 0);
        }
        let named = target.parameters.get(position);
        let named = named.and_then(|it| conventions::kind_by_name(&it.name));
        let empty = is_empty(argument) && matches!(of, "array" | "object");
        match (kinds.is_empty(), named, of) {
            (false, ..) => kinds.contains(of),
            (true, Some(named), _) => named == of,
            // Nothing is known about such parameters.
            (true, None, "null") => asks(target),
            (true, None, _) => !empty && KINDS.contains(&of),
        }
    }

    /// The number of arguments that a call without an example usually has.
    fn usually_given(&self, target: &Target) -> usize {
        let parameters = target.parameters.iter().enumerate();
        let given = parameters.take_while(|(position, it)| {
            let last = *position > 0 && is_optional(&it.name);
            it.default.is_none() && !it.name.starts_with("...") && it.name != RECEIVER && !last
        });
        given.count()
    }

    /// `checked` states whether the test shows that wrong arguments are refused.
    fn is_plausible_argument(
        &self,
        argument: &Argument,
        checked: bool,
        receiver: usize,
        statements: &[Statement],
    ) -> bool {
        match argument {
            Argument::Variable(made) => {
                *made != receiver
                    && statements.get(*made).is_some_and(|it| it.operation != Operation::Method)
            }
            Argument::Undefined => checked,
            // Whether the value fits its parameter is decided elsewhere.
            Argument::Null | Argument::Boolean(_) => true,
            value => self.is_plausible_value(value, 0),
        }
    }

    /// Whether a person would choose a value. `depth` is the number of collections around it.
    pub(super) fn is_plausible_value(&self, value: &Argument, depth: usize) -> bool {
        let all = |items: &[Argument]| {
            items.len() <= LARGEST && items.iter().all(|it| self.is_plausible_value(it, depth + 1))
        };
        let alike = |items: &[Argument]| {
            // No value should make up more than half of the elements.
            let again = |it: &Argument| 2 * items.iter().filter(|other| *other == it).count();
            let same = items.len() > 2 && items.iter().any(|it| again(it) > items.len());
            !same && items.iter().map(kind).collect::<BTreeSet<_>>().len() <= 1
        };
        let is_letter = |value: &Argument| match value {
            Argument::String(text) => {
                text.len() == 1 && text.chars().all(|c| c.is_ascii_alphabetic())
            }
            _ => false,
        };
        match value {
            value if is_placeholder(value) => false,
            Argument::String(text) => self.is_plausible_text(text, depth),
            Argument::Number(number) => {
                let negative = depth == 0 && [-1.0, -2.0, -5.0, -10.0].contains(number);
                let whole = is_round(*number) && (0.0..=MOST).contains(number) || negative;
                let short = (number * 4.0).fract() == 0.0 && number.abs() <= MOST;
                let zero = *number == 0.0 && number.is_sign_negative();
                !zero && (whole || short && *number > 0.0 || depth > 0 && self.writes(*number))
            }
            Argument::Boolean(_) => true,
            Argument::Array(items) | Argument::Set(items) => {
                let simple = items.iter().all(|it| match it {
                    Argument::String(text) => text.len() <= 3,
                    _ => true,
                });
                let texts = items.iter().all(|it| match it {
                    Argument::String(text) => text.len() > 1 && self.is_text(text),
                    _ => true,
                });
                (depth == 0 || !items.is_empty())
                    && depth < 3
                    && all(items)
                    && alike(items)
                    && (simple || texts)
            }
            Argument::Object(members) => {
                let usual = |(name, value): &(String, Argument)| {
                    let known = self.kinds_of_member(name);
                    let function = matches!(value, Argument::Function(..));
                    let fits = match (kind(value), self.kind_of_option(name)) {
                        (Some(of), _) if !known.is_empty() => known.contains(of),
                        (Some(of), Some(usual)) => of == usual,
                        (Some("boolean"), None) => self.is_flag(name),
                        _ => !function,
                    };
                    // The value of a named option is hardly a letter.
                    let letter = name.len() > 1 && is_letter(value);
                    fits && !letter && self.is_plausible_name(name)
                };
                let named = members.iter().all(usual);
                let kinds: BTreeSet<_> = members.iter().map(|(_, it)| kind(it)).collect();
                let few = members.len() <= 2 || kinds.len() == 1;
                let values: Vec<Argument> = members.iter().map(|(_, it)| it.clone()).collect();
                (depth == 0 || !members.is_empty()) && depth < 3 && named && few && all(&values)
            }
            Argument::Map(members) => {
                let values: Vec<Argument> =
                    members.iter().flat_map(|(key, it)| [key.clone(), it.clone()]).collect();
                depth == 0 && values.iter().all(|it| self.is_plausible_value(it, depth + 1))
            }
            // Accept a day, or a time in the documentation.
            Argument::Date(time) => {
                time.is_finite() && *time >= 0.0 && (*time % DAY == 0.0 || self.writes(*time))
            }
            Argument::RegExp(pattern, _) => {
                let plain = pattern.chars().all(char::is_alphanumeric);
                plain && pattern.len() <= 8 || self.texts_contain(&format!("/{pattern}/"))
            }
            Argument::Function(what, result) => match what.as_str() {
                "first" => true,
                // A number does not show the purpose of a function.
                "constant" if matches!(&**result, Argument::Number(it) if it.abs() > 1.0) => false,
                "constant" if matches!(**result, Argument::Array(_) | Argument::Object(_)) => false,
                "constant" => {
                    **result != Argument::Undefined && self.is_plausible_value(result, depth + 1)
                }
                _ => false,
            },
            Argument::Promise(inner, false) => self.is_plausible_value(inner, depth + 1),
            _ => false,
        }
    }

    /// Whether a person would choose a string.
    fn is_plausible_text(&self, text: &str, depth: usize) -> bool {
        let count = text.chars().count();
        if count > 1 && self.is_text(text) {
            return true;
        }
        if count == 0 {
            return depth == 0;
        }
        if conventions::is_plain(text) {
            return true;
        }
        // Accept only a single word, because the purpose of several words is unknown.
        let letters = text.chars().all(|c| c.is_ascii_alphabetic());
        let known = match count {
            // A letter may be a name within a collection.
            1 => depth > 0 && text.chars().all(|c| c.is_ascii_lowercase()),
            _ => self.knows(text),
        };
        let number = count <= 4 && text.chars().all(|c| c.is_ascii_digit());
        count <= LONGEST && (letters && known || number)
            || depth > 0 && count == 1 && text.contains(SEPARATORS) && self.quotes(text)
    }

    /// Whether a person would choose a name of a member.
    fn is_plausible_name(&self, name: &str) -> bool {
        let short = name.len() == 1 && name.chars().all(|c| c.is_ascii_alphanumeric());
        let documented = || self.names(name) && self.texts_contain(name);
        short || self.quotes(name) || !INHERITED.contains(&name) && documented()
    }
}
