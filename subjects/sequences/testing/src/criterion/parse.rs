//! The notation of criteria, such as `subsequence:2` or `order([a b], [c]) until=d`.

mod group;
mod states;

use rustc_hash::FxHashMap;

use crate::alphabet::{Alphabet, Letter};
use crate::events::Events;
use crate::model::closest;
use crate::space::Space;

use super::automaton::{Expression, MAX_TRANSITIONS};
use super::{Criterion, Kind, Relax};
use group::group;
use states::over_states;

const MAX_EXPRESSIONS: usize = 100_000;

/// Maximum number of letters of a word.
const MAX_WORD: usize = 64;

const NAMES: [&str; 13] = [
    "subsequence:T",
    "consecutive:T",
    "exclusive:T",
    "unordered-cube:T",
    "positions:T length=N",
    "order([a b], [c])",
    "safety([a], [b c])",
    "expressions(E; E)",
    "expressions FILE",
    "states",
    "transitions",
    "edge-pairs",
    "symmetry FILE",
];

/// The reason why a criterion cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("criterion `{}`: {cause}", beginning(text))]
pub struct CriterionError {
    /// The text of the criterion.
    pub text: String,
    /// What is wrong, in one line.
    pub cause: String,
    /// Advice, usually on what to write instead.
    pub hint: String,
}

fn beginning(text: &str) -> String {
    const SHOWN: usize = 100;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

/// Splits a list at commas and semicolons outside parentheses and brackets.
pub fn split_list(text: &str) -> Vec<String> {
    let (mut depth, mut parts) = (0_usize, vec![String::new()]);
    for character in text.chars() {
        match character {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        match (character, parts.last_mut()) {
            (',' | ';', _) if depth == 0 => parts.push(String::new()),
            (_, Some(part)) => part.push(character),
            _ => {}
        }
    }
    let parts = parts.into_iter().map(|part| part.trim().to_owned());
    parts.filter(|part| !part.is_empty()).collect()
}

struct Context<'c> {
    text: &'c str,
    alphabet: &'c Alphabet,
    read: &'c dyn Fn(&str) -> Result<String, String>,
    /// Without a model, every event and state is assumed to exist.
    model: bool,
}

impl Context<'_> {
    fn error(&self, cause: impl Into<String>, hint: impl Into<String>) -> CriterionError {
        CriterionError { text: self.text.to_owned(), cause: cause.into(), hint: hint.into() }
    }

    fn letter(&self, name: &str) -> Result<Letter, CriterionError> {
        let any = || (!self.model).then_some(0);
        self.alphabet.find(name).or_else(any).ok_or_else(|| {
            let near = crate::model::closest(name, self.alphabet.letters().iter().map(|l| &**l));
            let hint = match near {
                Some(near) => format!("write `{near}`, if that is what you mean"),
                None => "use letters of the alphabet, by default names of events".to_owned(),
            };
            self.error(format!("unknown event `{name}`"), hint)
        })
    }

    fn letters(&self, text: &str) -> Result<Vec<Letter>, CriterionError> {
        let inside = text.trim().trim_start_matches('[').trim_end_matches(']');
        let mut letters = Vec::new();
        for name in inside.split([' ', '|']).filter(|name| !name.is_empty()) {
            let letter = self.letter(name)?;
            if !letters.contains(&letter) {
                letters.push(letter);
            }
        }
        if letters.is_empty() {
            return Err(self.error("a set without events", "write [a b]"));
        }
        Ok(letters)
    }

    fn file(&self, path: &str) -> Result<String, CriterionError> {
        (self.read)(path)
            .map_err(|cause| self.error(format!("{path}: {cause}"), "check the path of the file"))
    }

    fn word(&self, text: &str) -> Result<Vec<Letter>, CriterionError> {
        let names = text.split([',', ' ']).filter(|name| !name.is_empty());
        names.map(|name| self.letter(name)).collect()
    }
}

impl Criterion {
    /// Parses a criterion. `strength` is the value of `auto`, as in `subsequence:auto`. Criteria
    /// over states need `space`. `read` reads files that the criterion names.
    ///
    /// # Errors
    ///
    /// If the criterion is not valid or too large, or a file cannot be read.
    pub fn parse(
        text: &str,
        alphabet: &Alphabet,
        strength: Option<u32>,
        space: Option<&Space>,
        read: &dyn Fn(&str) -> Result<String, String>,
    ) -> Result<Criterion, CriterionError> {
        let context = Context { text, alphabet, read, model: true };
        Criterion::read(&context, strength, space)
    }

    /// Checks a criterion without a model: events and states are not checked. The criterion must
    /// not name files.
    ///
    /// # Errors
    ///
    /// If the criterion is not valid or too large, or names a file.
    pub fn check(text: &str) -> Result<(), CriterionError> {
        let alphabet = Alphabet::names(&Events::plain(["a", "b"]));
        let read = |_: &str| Err("files of criteria do not travel with a study".to_owned());
        let context = Context { text, alphabet: &alphabet, read: &read, model: false };
        Criterion::read(&context, Some(2), None).map(drop)
    }

    fn read(
        context: &Context<'_>,
        strength: Option<u32>,
        space: Option<&Space>,
    ) -> Result<Criterion, CriterionError> {
        let text = context.text;
        let (head, options) = split_options(text.trim());
        let mut options = options.into_iter();
        let name_end = head.find([':', '(']).unwrap_or(head.len());
        let (name, rest) = head.split_at(name_end);
        let inside = || rest.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
        let mut options: Vec<String> = match name {
            // Without parentheses, the word after the name is the name of a file.
            "expressions" | "symmetry" if rest.is_empty() => options.by_ref().collect(),
            _ => options.collect(),
        };
        let kind = match name {
            "subsequence" | "consecutive" | "exclusive" | "unordered-cube" | "positions" => {
                let t = word_length(context, rest, strength)?;
                match name {
                    "subsequence" => Kind::Subsequence(t),
                    "consecutive" => Kind::Consecutive(t),
                    "exclusive" => Kind::Exclusive(t),
                    "unordered-cube" => Kind::UnorderedCube(t),
                    _ => Kind::Positions(t, length_option(context, &mut options, t)?),
                }
            }
            "order" | "safety" => {
                let sets = inside().map(|inside| inside.split(',').collect::<Vec<_>>());
                let Some([first, then]) = sets.as_deref() else {
                    let hint = format!("write {name}([a b], [c])");
                    return Err(context.error("two sets of events are needed", hint));
                };
                let (first, then) = (context.letters(first)?, context.letters(then)?);
                if name == "order" { Kind::Order(first, then) } else { Kind::Safety(first, then) }
            }
            "expressions" => {
                let lines = match inside() {
                    Some(inside) => inside.split(';').map(str::to_owned).collect(),
                    None if !options.is_empty() => {
                        let text = context.file(&options.remove(0))?;
                        text.lines().map(str::to_owned).collect::<Vec<_>>()
                    }
                    None => {
                        let hint = "write expressions(E; E), or name a file of expressions";
                        return Err(context.error("no expressions", hint));
                    }
                };
                expressions(context, &lines)?
            }
            "symmetry" => {
                if options.is_empty() {
                    return Err(context.error("no file of the group", "write symmetry FILE"));
                }
                let text = context.file(&options.remove(0))?;
                Kind::Symmetry(group(context, &text)?)
            }
            "states" | "transitions" | "edge-pairs" => match space {
                Some(space) => over_states(context, name, space)?,
                None if !context.model => Kind::States(1),
                None => {
                    return Err(context.error(
                        "there is no model whose states are known",
                        "choose a criterion over events",
                    ));
                }
            },
            _ => {
                let cause = format!("unknown criterion `{name}`");
                let word = |known: &&'static str| {
                    known.split(|c: char| !c.is_ascii_alphabetic() && c != '-').next()
                };
                let hint = match closest(name, NAMES.iter().filter_map(word)) {
                    Some(near) => format!("write {near}"),
                    None => format!("choose one of {}", NAMES.join(", ")),
                };
                return Err(context.error(cause, hint));
            }
        };
        let span = span(context, &kind)?;
        let mut criterion = Criterion {
            text: text.trim().to_owned(),
            letters: context.alphabet.len(),
            kind,
            span,
            distinct: false,
            relax: None,
            weights: None,
            until: None,
        };
        for option in options {
            criterion.option(&option, context)?;
        }
        Ok(criterion)
    }

    fn option(&mut self, option: &str, context: &Context<'_>) -> Result<(), CriterionError> {
        let (name, value) = option.split_once('=').unwrap_or((option, ""));
        let words = self.strength().is_some() && !matches!(self.kind, Kind::Positions(..));
        match (name, value) {
            ("distinct", "" | "true") if self.strength().is_some() => self.distinct = true,
            ("until", letter) if !letter.is_empty() => self.until = Some(context.letter(letter)?),
            ("relax", "by-first") if words => self.relax = Some(Relax::First),
            ("relax", "by-last") if words => self.relax = Some(Relax::Last),
            ("relax", "by-set") if words => self.relax = Some(Relax::Set),
            ("relax", path) if words && !path.is_empty() => {
                let (mut classes, mut number) = (FxHashMap::default(), 0);
                // Each line is a class, whose words are separated by semicolons.
                for line in context.file(path)?.lines().filter(|line| !line.trim().is_empty()) {
                    for word in line.split(';').filter(|word| !word.trim().is_empty()) {
                        classes.insert(self.item(word, context)?, number);
                    }
                    number += 1;
                }
                self.relax = Some(Relax::Classes(classes, number));
            }
            ("weights", path) if words && !path.is_empty() => {
                let mut weights = FxHashMap::default();
                for line in context.file(path)?.lines().filter(|line| !line.trim().is_empty()) {
                    let parts = line.rsplit_once([' ', ',', '\t']);
                    let weight = parts.and_then(|(word, n)| Some((word, n.trim().parse().ok()?)));
                    let Some((word, weight)) =
                        weight.filter(|(_, weight)| *weight <= u32::MAX.into())
                    else {
                        let cause = format!("{path}: `{line}` has no valid weight");
                        return Err(
                            context.error(cause, "write a word and a whole number on each line")
                        );
                    };
                    weights.insert(self.item(word, context)?, weight);
                }
                self.weights = Some(weights);
            }
            _ => {
                let cause = format!("unknown option `{option}`");
                let hint = "options of words are distinct, until=EVENT, relax=by-first, \
                            relax=by-last, relax=by-set, relax=FILE, weights=FILE";
                return Err(context.error(cause, hint));
            }
        }
        Ok(())
    }

    fn item(&self, word: &str, context: &Context<'_>) -> Result<u64, CriterionError> {
        let letters = context.word(word)?;
        match self.strength() {
            Some(t) if t == letters.len() => Ok(self.number(&letters)),
            _ => {
                Err(context.error(format!("`{word}` is not a word of the criterion"), "correct it"))
            }
        }
    }
}

fn split_options(text: &str) -> (String, Vec<String>) {
    let (mut depth, mut parts) = (0_usize, vec![String::new()]);
    for character in text.chars() {
        match character {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        match parts.last_mut() {
            Some(last) if !character.is_whitespace() || depth > 0 => last.push(character),
            Some(last) if !last.is_empty() => parts.push(String::new()),
            _ => {}
        }
    }
    parts.retain(|part| !part.is_empty());
    let head = if parts.is_empty() { String::new() } else { parts.remove(0) };
    (head, parts)
}

fn word_length(
    context: &Context<'_>,
    rest: &str,
    strength: Option<u32>,
) -> Result<usize, CriterionError> {
    let text = rest.strip_prefix(':').unwrap_or(rest);
    if text == "auto" {
        return strength.map(|t| t as usize).ok_or_else(|| {
            context.error("the model has no `default t`", "write the length, as in subsequence:2")
        });
    }
    match text.parse::<usize>() {
        Ok(t @ 1..=MAX_WORD) => Ok(t),
        _ => Err(context.error(
            format!("`{text}` is not a length of words"),
            format!("write a number from 1 to {MAX_WORD}, as in subsequence:2"),
        )),
    }
}

fn length_option(
    context: &Context<'_>,
    options: &mut Vec<String>,
    t: usize,
) -> Result<usize, CriterionError> {
    let found = options.iter().position(|option| option.starts_with("length="));
    let length = found.map(|at| options.remove(at));
    let length = length.and_then(|option| option["length=".len()..].parse::<usize>().ok());
    length.filter(|length| (t..=10_000).contains(length)).ok_or_else(|| {
        let cause = "the length of the tests is missing or out of range";
        context.error(cause, format!("add length=N, from {t} to 10000"))
    })
}

fn span(context: &Context<'_>, kind: &Kind) -> Result<u64, CriterionError> {
    let s = context.alphabet.len() as u64;
    let words = |t: usize| {
        let words = s.checked_pow(t as u32).filter(|words| *words < 1 << 63);
        words.ok_or_else(|| {
            let cause = format!("{s} letters have 2^63 or more words of length {t}");
            context.error(cause, "use shorter words or a smaller alphabet")
        })
    };
    Ok(match kind {
        Kind::Subsequence(t)
        | Kind::Consecutive(t)
        | Kind::Exclusive(t)
        | Kind::UnorderedCube(t) => words(*t)?,
        Kind::Positions(t, length) => {
            let places = super::binomial(*length as u64, *t as u64);
            let items = words(*t)?.checked_mul(places).filter(|items| *items < 1 << 63);
            items.ok_or_else(|| context.error("2^63 or more items", "use shorter tests"))?
        }
        Kind::Order(first, then) | Kind::Safety(first, then) => (first.len() * then.len()) as u64,
        Kind::Expressions(list) => list.len() as u64,
        Kind::States(count) | Kind::Transitions(count) => *count as u64,
        Kind::EdgePairs(pairs) => pairs.len() as u64,
        Kind::Symmetry(_) => u64::MAX,
    })
}

/// Reads expressions, one per line. `NAME = [a b]` names a set; `for x in NAME, y in [c d]: E`
/// makes one expression for each combination of letters.
fn expressions(context: &Context<'_>, lines: &[String]) -> Result<Kind, CriterionError> {
    let mut sets: FxHashMap<String, Vec<String>> = FxHashMap::default();
    let (mut found, mut transitions) = (Vec::new(), 0);
    for line in lines.iter().map(|line| line.trim()) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some((name, set)) = line.split_once('=')
            && name.trim().chars().all(|c| c.is_alphanumeric() || c == '_')
            && set.trim().starts_with('[')
        {
            sets.insert(name.trim().to_owned(), members(set));
            continue;
        }
        let template = match line.strip_prefix("for ") {
            None => vec![line.to_owned()],
            Some(rest) => instances(context, rest, &sets)?,
        };
        for text in template {
            if found.len() == MAX_EXPRESSIONS {
                let cause = format!("more than {MAX_EXPRESSIONS} expressions");
                return Err(context.error(cause, "use fewer"));
            }
            let hint = "letters are events, . is any, [a b] one of some, [^a b] any other";
            let refused = |error| context.error(format!("`{text}`: {error}"), hint);
            let expression = Expression::parse(&text).map_err(refused)?;
            if context.model {
                let automaton = expression.automaton(context.alphabet).map_err(refused)?;
                transitions += automaton.next.len();
                if transitions > MAX_TRANSITIONS {
                    let cause = format!("more than {MAX_TRANSITIONS} transitions of automata");
                    return Err(context.error(cause, "use fewer or simpler expressions"));
                }
                found.push((text, automaton));
            } else {
                return Ok(Kind::States(1));
            }
        }
    }
    if found.is_empty() {
        return Err(context.error("no expressions", "write at least one"));
    }
    Ok(Kind::Expressions(found))
}

fn members(set: &str) -> Vec<String> {
    let inside = set.trim().trim_start_matches('[').trim_end_matches(']');
    inside.split([' ', '|']).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// The expressions of a template, given the part after `for`.
fn instances(
    context: &Context<'_>,
    template: &str,
    sets: &FxHashMap<String, Vec<String>>,
) -> Result<Vec<String>, CriterionError> {
    let hint = "write for a in [x y], b in NAME: .* $a .* $b .*";
    let Some((variables, body)) = template.split_once(':') else {
        return Err(context.error("a template without `:`", hint));
    };
    let mut found = vec![body.trim().to_owned()];
    for variable in split_list(variables) {
        let Some((name, set)) = variable.split_once(" in ") else {
            return Err(context.error(format!("`{variable}` has no `in`"), hint));
        };
        let set = match sets.get(set.trim()) {
            Some(set) => set.clone(),
            None if set.trim().starts_with('[') => members(set),
            None => return Err(context.error(format!("unknown set `{}`", set.trim()), hint)),
        };
        let place = format!("${}", name.trim());
        if found.len() * set.len() > MAX_EXPRESSIONS {
            let cause = format!("more than {MAX_EXPRESSIONS} expressions");
            return Err(context.error(cause, "use smaller sets"));
        }
        found = found
            .iter()
            .flat_map(|text| set.iter().map(|value| text.replace(&place, value)))
            .collect();
    }
    Ok(found)
}
