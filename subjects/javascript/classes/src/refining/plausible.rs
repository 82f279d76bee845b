//! Whether a person would write a test: its calls fit what is known of their parameters, and its values are words,
//! small numbers and plain structures, or written in the documentation.

use std::collections::BTreeSet;

use catherd_javascript_machine::instrument::Literal;
use catherd_javascript_machine::{Argument, Operation, Statement};

use super::arguments::{inlined, is_options};
use super::kinds::{kind, kind_of};
use super::usage::Usage;
use super::{conventions, weights};
use crate::model::{RECEIVER, Target};
use crate::suite::{SuiteTest, is_error};

/// Maximum number of calls of a test.
const MAX_CALLS: usize = 4;

/// Maximum length of a text that is not written in the documentation, in characters.
const LONGEST: usize = 40;

/// Maximum number of elements of a collection that is not written in the documentation.
const LARGEST: usize = 5;

/// The largest number that a person would choose without a reason in the documentation.
const MOST: f64 = 1000.0;

/// The words of a text: its runs of letters.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty())
}

/// The words of texts in lower case.
pub(super) fn known_words(texts: &str) -> BTreeSet<String> {
    words(texts).map(str::to_lowercase).collect()
}

/// Whether a text stands for another one in documentation, such as `<file name>`.
fn is_placeholder(value: &Argument) -> bool {
    let Argument::String(text) = value else { return false };
    let inner = text.strip_prefix('<').and_then(|text| text.strip_suffix('>'));
    inner.is_some_and(|inner| inner.contains(' ') && !inner.contains(['<', '>', '=']))
}

/// The kinds of values that a person would pass without knowing anything of a parameter.
const KINDS: [&str; 8] = ["string", "number", "array", "object", "regexp", "date", "map", "set"];

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

/// Whether the result of a test is a simple argument.
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

/// Whether the error that a test shows says which arguments are right, so that wrong ones show something.
fn says_what_is_wrong(test: &SuiteTest) -> bool {
    let words = [
        "argument", "bad", "expect", "invalid", "missing", "must", "need", "not a", "requir",
        "should", "support", "unknown", "wrong",
    ];
    let last = test.assertions.last();
    let message = last.and_then(|it| it["message"].as_str()).unwrap_or_default().to_lowercase();
    words.iter().any(|word| message.contains(word))
}

/// Milliseconds of a day.
const DAY: f64 = 86_400_000.0;

/// Whether a value says nothing: a boolean, null, or an empty text or collection.
fn is_empty(argument: &Argument) -> bool {
    match argument {
        Argument::Null | Argument::Boolean(_) => true,
        Argument::String(text) => text.is_empty(),
        Argument::Array(items) => items.is_empty(),
        Argument::Object(members) => members.is_empty(),
        _ => false,
    }
}

/// Names of members that objects inherit from built-in classes, which a person would hardly give to a member.
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

/// Whether a parameter is a function of two values, by its name. No function of a test reads its second argument.
fn is_comparator(target: &Target, position: usize) -> bool {
    let names = ["cmp", "comp", "compare", "comparator", "comparefn", "reducer", "sorter"];
    let parameter = target.parameters.get(position);
    parameter.is_some_and(|it| names.contains(&it.name.to_lowercase().as_str()))
}

/// Whether a function asks something about any value, by its name.
fn asks(target: &Target) -> bool {
    let name = target.path.last().unwrap_or(&target.member);
    ["is", "has"].iter().any(|word| name.starts_with(word))
}

impl Usage {
    /// Whether a person would write a test.
    pub(super) fn is_plausible(&self, test: &SuiteTest) -> bool {
        let statements = inlined(&test.statements);
        let calls = statements.iter().filter(|it| it.operation != Operation::Value).count();
        let last = statements.len().saturating_sub(1);
        let fails = test.assertions.last().is_some_and(is_error);
        // A function of the test has thrown it.
        let own = test.assertions.last().is_some_and(|it| it["message"] == "e");
        if calls > MAX_CALLS || own || self.unusual(test) >= super::usage::WRONG {
            return false;
        }
        statements.iter().enumerate().all(|(at, statement)| {
            let checked = fails && at == last && says_what_is_wrong(test);
            let applied = usize::from(weights::is_applied(test, at));
            let target = self.target(&test.statements, at);
            let receiver = match statement.operation {
                Operation::Method => statement.receiver,
                _ => usize::MAX,
            };
            let plausible = |(position, argument): (usize, &Argument)| {
                let like = checked || self.is_like_examples(target, position, argument);
                let chosen =
                    || self.is_plausible_argument(argument, checked, receiver, &statements);
                like && (self.is_documented(target, position, argument) || chosen())
            };
            // Of what a function takes that another one returned, nothing is known.
            if applied > 0 {
                let given = &statement.arguments[applied.min(statement.arguments.len())..];
                let same = at == last && given.first().is_some_and(|it| is_shown(it, test));
                if given.len() > 1 || same {
                    return false;
                }
            }
            // A letter that is returned as it is shows nothing.
            if at == last
                && let [Argument::String(text)] = &statement.arguments[..]
                && text.len() <= 3
                && is_shown(&statement.arguments[0], test)
                && !self.is_documented(target, 0, &statement.arguments[0])
            {
                return false;
            }
            statement.operation == Operation::Value
                || target.is_none_or(|target| checked || self.is_plausible_call(target, statement))
                    && statement.arguments.iter().skip(applied).enumerate().all(plausible)
        })
    }

    /// Whether a text has what all examples of an argument have: a digit, a space or the same mark. Other arguments
    /// are like examples.
    fn is_like_examples(&self, target: Option<&Target>, position: usize, value: &Argument) -> bool {
        let (Argument::String(text), Some(target)) = (value, target) else { return true };
        if text.chars().count() > 1 && self.is_text(text) {
            return true;
        }
        let calls = self.calls(target);
        let texts: Vec<&String> = calls
            .iter()
            .filter_map(|call| match call.get(position) {
                Some(Literal::Text(text)) => Some(text),
                _ => None,
            })
            .collect();
        let Some(first) = texts.first() else { return true };
        let in_all = |letter: &char| texts.iter().all(|text| text.contains(*letter));
        let digits = |text: &str| text.contains(|c: char| c.is_ascii_digit());
        let mut marks = first.chars().filter(|c| !c.is_alphanumeric()).filter(in_all);
        marks.all(|mark| text.contains(mark))
            && (digits(text) || !texts.iter().all(|text| digits(text)))
    }

    /// Whether an argument is that of an example.
    fn is_documented(&self, target: Option<&Target>, position: usize, value: &Argument) -> bool {
        let calls = target.map(|target| self.calls(target)).unwrap_or_default();
        let same = |call: &&Vec<Literal>| {
            call.get(position).and_then(super::kinds::argument).as_ref() == Some(value)
        };
        calls.iter().any(same) && !is_placeholder(value)
    }

    /// Whether the kinds of all arguments are those of examples, declared, or usual for a parameter of the name.
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
            && self.is_class(&target.path)
        {
            return false;
        }
        // Nothing is not passed as a last argument that is not needed.
        if let [_, .., last] = &given[..] {
            let position = given.len() - 1;
            let options = target.parameters.get(position).is_some_and(|it| is_options(&it.name));
            let nothing = match last {
                Argument::Null => !asks(target),
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
        given.iter().enumerate().all(|(position, argument)| {
            let Some(of) = kind(argument) else { return true };
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
                // What a type permits, but no example has, is at least not empty.
                let used = kinds.is_empty() || kinds.contains(of) || !is_empty(argument);
                return used && self.fits(shape, argument, 0);
            }
            let named = target.parameters.get(position);
            let named = named.and_then(|it| conventions::kind_by_name(&it.name));
            let empty = is_empty(argument) && matches!(of, "array" | "object");
            match (kinds.is_empty(), named, of) {
                (false, ..) => kinds.contains(of),
                (true, Some(named), _) => named == of,
                // Of such parameters nothing is known.
                (true, None, "null") => asks(target),
                (true, None, _) => !empty && KINDS.contains(&of),
            }
        })
    }

    /// The number of arguments that a call without an example has: all but those that are usually optional.
    fn usually_given(&self, target: &Target) -> usize {
        let parameters = target.parameters.iter().enumerate();
        let given = parameters.take_while(|(position, it)| {
            let last = *position > 0
                && (is_options(&it.name) || OPTIONAL.contains(&it.name.to_lowercase().as_str()));
            it.default.is_none() && !it.name.starts_with("...") && it.name != RECEIVER && !last
        });
        given.count().min(2)
    }

    /// Whether a person would choose an argument. `checked` if the call refuses its arguments.
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
            // Whether it fits its parameter is decided before.
            Argument::Null | Argument::Boolean(_) => true,
            value => self.is_plausible_value(value, 0),
        }
    }

    /// Whether a person would choose a value. `depth` is the number of collections around it.
    pub(super) fn is_plausible_value(&self, value: &Argument, depth: usize) -> bool {
        let all = |items: &[Argument]| {
            items.len() <= LARGEST && items.iter().all(|it| self.is_plausible_value(it, depth + 1))
        };
        let alike = |items: &[Argument]| items.iter().map(kind).collect::<BTreeSet<_>>().len() <= 1;
        match value {
            value if is_placeholder(value) => false,
            Argument::String(text) => self.is_plausible_text(text, depth),
            Argument::Number(number) => {
                let whole = number.fract() == 0.0 && (-1.0..=MOST).contains(number);
                let short = number.to_string().len() <= 5 && number.abs() <= MOST;
                let zero = *number == 0.0 && number.is_sign_negative();
                !zero && (whole || short && *number > 0.0) || self.writes(*number)
            }
            Argument::Boolean(_) => true,
            Argument::Array(items) | Argument::Set(items) => {
                (depth == 0 || !items.is_empty()) && depth < 3 && all(items) && alike(items)
            }
            Argument::Object(members) => {
                let usual = |(name, value): &(String, Argument)| {
                    let known = self.kinds_of_member(name);
                    let function = matches!(value, Argument::Function(..));
                    let fits = match (kind(value), self.kind_of_option(name)) {
                        (Some(of), _) if !known.is_empty() => known.contains(of),
                        (Some(of), Some(usual)) => of == usual,
                        _ => !function,
                    };
                    fits && self.is_plausible_name(name)
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
            // A day, or a time of the documentation.
            Argument::Date(time) => {
                time.is_finite() && *time >= 0.0 && (*time % DAY == 0.0 || self.writes(*time))
            }
            Argument::RegExp(pattern, _) => {
                let plain = pattern.chars().all(char::is_alphanumeric);
                plain && pattern.len() <= 8 || self.texts_contain(&format!("/{pattern}/"))
            }
            Argument::Function(what, result) => match what.as_str() {
                "first" => true,
                // A number says nothing of what the function is for.
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

    /// Whether a person would choose a text: it is between quotes in the documentation, or made of words.
    fn is_plausible_text(&self, text: &str, depth: usize) -> bool {
        let count = text.chars().count();
        if count > 1 && self.is_text(text) {
            return true;
        }
        if count == 0 {
            return depth == 0;
        }
        let ends = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let usual = |c: char| c.is_ascii_alphanumeric() || " -_./:@,".contains(c);
        let letters: Vec<char> = text.chars().collect();
        // Any mark may separate two words.
        let mark = |c: char| !c.is_alphanumeric() && c != ' ';
        let apart = letters.windows(2).all(|pair| !(mark(pair[0]) && mark(pair[1])));
        let rare = letters.iter().filter(|c| !usual(**c)).count();
        let inner = letters.iter().all(char::is_ascii) && (rare == 0 || rare <= 3 && apart);
        let known = |word: &str| {
            word.len() == 1 && word.chars().all(|c| c.is_ascii_lowercase())
                || ["ab", "abc"].contains(&word)
                || word.len() > 1 && self.knows(word)
        };
        // A number among words stands for something.
        let mixed = text.contains(' ') && text.contains(|c: char| c.is_ascii_digit());
        count <= LONGEST
            && !mixed
            && inner
            && ends(text.chars().next())
            && ends(text.chars().next_back())
            && words(text).all(known)
            || count == 1 && !text.chars().all(char::is_alphanumeric) && self.quotes(text)
    }

    /// Whether a person would choose a name of a member.
    fn is_plausible_name(&self, name: &str) -> bool {
        let short = name.len() == 1 && name.chars().all(|c| c.is_ascii_alphanumeric());
        let documented = || self.names(name) && self.texts_contain(name);
        short || self.quotes(name) || !INHERITED.contains(&name) && documented()
    }
}
