//! The titles of a test, which describe its call, the receiver and earlier calls.

use catherd_javascript_machine::{Argument, Operation, Statement};

use super::layout::length;
use super::literals::argument;
use super::phrases::short;
use super::row::options;
use super::test::{Found, Test, class_of};
use super::titles::{LONGEST, LONGEST_OF_LINE, Reader, Shown, brief, full, title, with_message};
use super::told::Tells;
use crate::refining::key;

/// Maximum length of code that is short enough to describe an argument, in characters.
const LONGEST_MADE: usize = 24;

/// Maximum length of a call that is short enough to describe the receiver, in characters.
const LONGEST_RECEIVER: usize = 40;

/// The fields of `Written` that are about titles.
pub(super) struct Heading {
    pub(super) title: String,
    pub(super) brief: String,
    pub(super) longer: Vec<String>,
    pub(super) tells: Tells,
    pub(super) complete: bool,
}

impl Test<'_> {
    pub(super) fn heading(&self, name: &str, found: &[Found]) -> Option<Heading> {
        let (focus, last) = (self.focus, self.test.statements.len().saturating_sub(1));
        let statement = self.test.statements.get(focus)?;
        let of_last = found.iter().find(|each| each.index == last && !each.at_end);
        let state = found.iter().find(|each| each.at_end);
        let changed =
            state.filter(|it| self.is_value(it.index)).map(|it| self.names[it.index].as_str());
        let state = state.and_then(|each| each.claims.first());
        let reader = &self.test.statements[last];
        let call = if reader.operation == Operation::Method { "()" } else { "" };
        let (names, whole): (Vec<String>, Vec<bool>) = (0..=last).map(|at| self.words(at)).unzip();
        let shown = Shown {
            name,
            statement,
            expected: &self.test.assertions[last],
            claims: of_last.map_or(&[][..], |each| &each.claims),
            state,
            changed,
            left_out: usize::from(self.applies(statement)),
            names: &names,
            whole: &whole,
            parameters: key(statement)
                .and_then(|key| self.code.parameters.get(&key))
                .map_or(&[], Vec::as_slice),
            reader: (focus != last).then(|| Reader {
                name: format!("{}{call}", reader.name),
                of_result: reader.receiver == focus,
                result: &self.test.assertions[focus],
            }),
        };
        let of_call = title(&shown);
        let (text, brief, full) = (of_call.text.clone(), brief(&shown), full(&shown));
        let on_receiver =
            matches!(statement.operation, Operation::Method | Operation::Get | Operation::Set);
        let receiver = if on_receiver {
            self.made(statement.receiver, LONGEST_RECEIVER)
        } else {
            String::new()
        };
        let before = self.before();
        let mut longer = Vec::new();
        for before in &before {
            let named = [&text, &brief].map(|title| format!("{title} after {before}"));
            longer.extend(named);
        }
        if !receiver.ends_with("()") && length(&receiver) <= 40 && !receiver.is_empty() {
            longer.push(format!("{text} for {receiver}"));
        }
        longer.push(full);
        // Name the earlier calls in the title if there is room.
        let said = longer.first().filter(|longer| !before.is_empty() && length(longer) <= LONGEST);
        let of_receiver = self.of_receiver(&receiver).map(|of| format!("{text} {of}"));
        let of_receiver =
            of_receiver.filter(|it| before.is_empty() && length(it) <= LONGEST_OF_LINE);
        // If the code that makes the receiver is left out, describe the receiver by its options.
        let of_receiver = of_receiver.or_else(|| {
            let options =
                self.options_of(statement).filter(|_| on_receiver && before.is_empty())?;
            Some(format!("{text} with {options}")).filter(|it| length(it) <= LONGEST)
        });
        let has_receiver =
            !on_receiver || of_receiver.is_some() || self.is_plain(statement.receiver);
        let others = match before.is_empty() {
            true => has_receiver,
            false => said.is_some() && self.is_plain(statement.receiver),
        };
        let result = of_call.tells(&shown, others);
        // If the title shows the whole call, only the flags of the receiver matter.
        let flags = !has_receiver && self.has_flags(statement);
        let own = of_call.is_whole_call(&shown) && before.is_empty() && !flags;
        let tells = match of_call.tells_example(&shown, others) {
            _ if own || result && (has_receiver || !self.has_options(statement)) => Tells::Call,
            true => Tells::Example,
            false => Tells::Nothing,
        };
        let title = said.cloned().or(of_receiver).unwrap_or(text);
        let title = with_message(&title, shown.expected).unwrap_or(title);
        Some(Heading { title, brief, longer, tells, complete: of_call.arguments })
    }

    /// A receiver that was made without arguments needs no description.
    fn is_plain(&self, index: usize) -> bool {
        self.test.statements.get(index).is_some_and(|made| made.arguments.is_empty())
    }

    fn maker(&self, statement: &Statement) -> Option<&Statement> {
        self.test.statements.get(statement.receiver)
    }

    /// Whether the receiver was made with options or flags.
    fn has_options(&self, statement: &Statement) -> bool {
        let flag = |it: &Argument| matches!(it, Argument::Boolean(_) | Argument::Object(_));
        self.maker(statement).is_some_and(|made| made.arguments.iter().any(flag))
    }

    /// Whether the receiver was made with flags, including nested ones.
    fn has_flags(&self, statement: &Statement) -> bool {
        let mut any = false;
        for argument in self.maker(statement).map_or(&[][..], |made| &made.arguments) {
            argument.visit(&mut |it| any |= matches!(it, Argument::Boolean(_)));
        }
        any
    }

    /// The options with which the receiver was made, in words, if it was made with nothing else.
    fn options_of(&self, statement: &Statement) -> Option<String> {
        match &self.maker(statement)?.arguments[..] {
            [Argument::Object(members)] => options(members),
            _ => None,
        }
    }

    /// The code of a constructor call, or of another call of at most `longest` characters; otherwise
    /// empty.
    fn made(&self, index: usize, longest: usize) -> String {
        match self.test.statements.get(index) {
            Some(made) if made.operation == Operation::New => {
                let class = class_of(self.test, self.code, index).unwrap_or("an instance");
                let arguments =
                    made.arguments.iter().map(|value| argument(value, &self.names).flat());
                format!("new {class}({})", arguments.collect::<Vec<_>>().join(", "))
            }
            Some(made) if made.operation == Operation::Call => {
                let text = self.expression(made).flat();
                if length(&text) <= longest { text } else { String::new() }
            }
            _ => String::new(),
        }
    }

    /// The value of a statement in a few words, and whether they leave nothing out.
    fn words(&self, index: usize) -> (String, bool) {
        let Some(statement) = self.test.statements.get(index) else { return Default::default() };
        let of_variables = statement.arguments.iter().any(|it| {
            let mut any = false;
            it.visit(&mut |inner| any |= matches!(inner, Argument::Variable(_)));
            any
        });
        let made = self.made(index, LONGEST_MADE);
        if !made.is_empty() && length(&made) <= LONGEST_MADE {
            return (made, !of_variables);
        }
        if let (Operation::Value, Some(value)) = (statement.operation, statement.arguments.first())
        {
            let words = short(value, &[]);
            let whole = words == argument(value, &[]).flat() && !of_variables;
            return (words, whole);
        }
        let class = class_of(self.test, self.code, index).filter(|_| !made.is_empty());
        let words = match class {
            Some(class) => format!("an instance of {class}"),
            None if !made.is_empty() => "an instance".to_owned(),
            None => "a result".to_owned(),
        };
        (words, false)
    }

    /// The words of a title about the receiver of a call. `made` is the code that makes the
    /// receiver.
    fn of_receiver(&self, made: &str) -> Option<String> {
        let statement = &self.test.statements[self.focus];
        let receiver = self.test.statements.get(statement.receiver)?;
        let instance = matches!(statement.operation, Operation::Method | Operation::Get);
        if made.is_empty()
            || !instance
            || self.applies(statement)
            || self.focus == statement.receiver
        {
            return None;
        }
        match made.strip_suffix("()") {
            Some(_) if receiver.operation == Operation::New => {
                let class = class_of(self.test, self.code, statement.receiver)?;
                Some(format!("on a new {class}"))
            }
            _ if statement.arguments.is_empty() => Some(format!("for {made}")),
            _ => Some(format!("on {made}")),
        }
    }

    /// Two descriptions of the earlier method calls: one with their arguments, and one with only
    /// their names and counts. Empty if there are no such calls.
    fn before(&self) -> Vec<String> {
        let mut counts: Vec<(&str, usize)> = Vec::new();
        let mut calls: Vec<String> = Vec::new();
        for statement in &self.test.statements[..self.focus] {
            if statement.operation != Operation::Method || self.applies(statement) {
                continue;
            }
            let arguments = statement.arguments.iter().map(|value| short(value, &self.names));
            calls.push(format!("{}({})", statement.name, arguments.collect::<Vec<_>>().join(", ")));
            match counts.iter_mut().find(|(name, _)| *name == statement.name) {
                Some((_, count)) => *count += 1,
                None => counts.push((&statement.name, 1)),
            }
        }
        let words = counts.into_iter().map(|(name, count)| match count {
            1 => format!("a call of {name}"),
            count => format!("{count} calls of {name}"),
        });
        let words = words.collect::<Vec<_>>().join(" and ");
        if words.is_empty() { Vec::new() } else { vec![listed(&calls), words] }
    }
}

fn listed(calls: &[String]) -> String {
    match calls {
        [others @ .., last] if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        _ => calls.concat(),
    }
}
