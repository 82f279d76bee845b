//! Titles that describe the arguments of a call in more or less detail.

use catherd_javascript_machine::{Argument, Operation};

use super::literals::{argument, is_name};
use super::phrases::short;
use super::titles::{Detail, Shown, outcome};
use super::told::{Title, has_options, said};
use crate::suite::is_error;

/// The arguments of the call that a title describes.
pub(super) struct Row<'s> {
    pub(super) shown: &'s Shown<'s>,
    pub(super) arguments: &'s [Argument],
    /// Short phrases for the arguments.
    pub(super) values: Vec<String>,
    /// Whether each phrase leaves nothing out.
    whole: Vec<bool>,
}

impl<'s> Row<'s> {
    pub(super) fn of(shown: &'s Shown<'s>) -> Row<'s> {
        let arguments = shown.statement.arguments.get(shown.left_out..).unwrap_or_default();
        let named = |(at, value): (usize, &Argument)| {
            let name = shown.parameters.get(at).filter(|name| !name.is_empty());
            let name = name.filter(|_| match value {
                Argument::Boolean(_) => true,
                Argument::Number(_) => at > 0 && !matches!(arguments[0], Argument::Number(_)),
                _ => false,
            });
            let value = short(value, shown.names);
            name.map_or(value.clone(), |name| format!("{name} {value}"))
        };
        let values = arguments.iter().enumerate().map(named).collect();
        let whole = |it: &Argument| match it {
            Argument::Variable(made) => shown.whole.get(*made) == Some(&true),
            it => {
                let made = variables(it).iter().all(|at| shown.whole.get(*at) == Some(&true));
                made && short(it, shown.names) == argument(it, shown.names).flat()
            }
        };
        let whole = arguments.iter().map(whole).collect();
        Row { shown, arguments, values, whole }
    }

    /// `whole` tells whether the words leave nothing out, and `options` whether they contain all
    /// options and flags of the call.
    pub(super) fn title(&self, words: &str, whole: bool, options: bool, detail: Detail) -> Title {
        let Shown { name, statement, .. } = self.shown;
        let result = outcome(self.shown, detail);
        let none = self.arguments.is_empty();
        let text = match (statement.operation, words) {
            (Operation::Get, _) => format!("{name} {result}"),
            (Operation::Set, _) => format!("{name} can be set to {words}"),
            (Operation::New | Operation::Call | Operation::Method, "")
                if none && is_error(self.shown.expected) =>
            {
                format!("{name} {result} without arguments")
            }
            (Operation::Call, "") if none && self.shown.reader.is_none() => {
                format!("{name} {result} without arguments")
            }
            (_, "") => format!("{name} {result}"),
            _ => format!("{name} {result} for {words}"),
        };
        let arguments = whole || none;
        let made = statement.operation == Operation::New;
        let options = options || arguments || !has_options(self.arguments, made);
        Title { text, arguments, options, said: said(self.shown, &result) }
    }

    /// A title with short phrases for all arguments.
    pub(super) fn all(&self, detail: Detail) -> Title {
        let whole = self.whole.iter().all(|whole| *whole);
        self.title(&self.values.join(", "), whole, whole, detail)
    }

    /// A title without arguments.
    pub(super) fn bare(&self, detail: Detail) -> Title {
        self.title("", false, false, detail)
    }

    /// A title with these words for the arguments; empty words are left out.
    pub(super) fn described(&self, words: &[String], detail: Detail) -> Title {
        let same = |at: usize| words[at] == self.values[at] && self.whole[at];
        let made = self.shown.statement.operation == Operation::New;
        let options = (usize::from(!made)..words.len()).all(|at| {
            same(at) || !matches!(self.arguments[at], Argument::Boolean(_) | Argument::Object(_))
        });
        let whole = (0..words.len()).all(same);
        self.title(&listed(words), whole, options, detail)
    }

    /// A title with whole strings, arrays and objects.
    pub(super) fn complete(&self) -> Title {
        let code = |(at, value): (usize, &Argument)| match value {
            Argument::String(_) | Argument::Array(_) | Argument::Object(_) => {
                (argument(value, self.shown.names).flat(), true)
            }
            _ => (self.values[at].clone(), self.whole[at]),
        };
        let code: Vec<(String, bool)> = self.arguments.iter().enumerate().map(code).collect();
        let used = self.arguments.iter().flat_map(variables);
        let made = used.into_iter().all(|at| self.shown.whole.get(at) == Some(&true));
        let whole = made && code.iter().all(|it| it.1);
        let words: Vec<String> = code.into_iter().map(|it| it.0).collect();
        self.title(&words.join(", "), whole, whole, Detail::Long)
    }

    /// The options in the last argument. An object that shares members with another argument does
    /// not contain options.
    pub(super) fn last_options(&self) -> Option<&'s [(String, Argument)]> {
        let members = |argument: &'s Argument| match argument {
            Argument::Object(members) => &members[..],
            _ => &[],
        };
        let (last, others) = self.arguments.split_last()?;
        let own = members(last);
        let same = |other: &'s Argument| {
            members(other).iter().any(|(name, _)| own.iter().any(|(known, _)| known == name))
        };
        let operation = self.shown.statement.operation;
        let calls = matches!(operation, Operation::Call | Operation::Method | Operation::New);
        (calls && !own.is_empty() && !others.iter().any(same)).then_some(own)
    }

    /// A title with the options of the call instead of its arguments.
    pub(super) fn with_options(&self, detail: Detail) -> Option<Title> {
        let made = self.shown.statement.operation == Operation::New;
        let few = self.arguments.len() > 1 || made;
        let options = self.last_options().filter(|_| few).and_then(options)?;
        let result = outcome(self.shown, detail);
        let text = format!("{} with {options} {result}", self.shown.name);
        let said = said(self.shown, &result);
        Some(Title { text, arguments: false, options: true, said })
    }
}

fn listed(described: &[String]) -> String {
    let shown = described.iter().filter(|it| !it.is_empty()).map(String::as_str);
    shown.collect::<Vec<_>>().join(", ")
}

/// The members of an object with options, in words.
pub(super) fn options(members: &[(String, Argument)]) -> Option<String> {
    let word = |(name, value): &(String, Argument)| match value {
        _ if !is_name(name) => None,
        Argument::Boolean(true) => Some(name.clone()),
        Argument::Boolean(_) | Argument::Number(_) | Argument::String(_) | Argument::Null => {
            Some(format!("{name} {}", argument(value, &[]).flat()))
        }
        _ => None,
    };
    let words: Vec<String> = members.iter().map(word).collect::<Option<_>>()?;
    match &words[..] {
        [one, two, three] => Some(format!("{one}, {two} and {three}")),
        [_] | [_, _] => Some(words.join(" and ")),
        _ => None,
    }
}

fn variables(argument: &Argument) -> Vec<usize> {
    let mut found = Vec::new();
    argument.visit(&mut |inner| {
        if let Argument::Variable(at) = inner {
            found.push(*at);
        }
    });
    found
}
