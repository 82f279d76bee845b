//! Words for titles and captions, derived from subject kinds and numbers.

use catherd_experiments::SubjectInfo;

use crate::tidy::Clock;

pub(crate) fn goals(subject: &SubjectInfo) -> &str {
    subject.main_criterion().map_or("goals", |criterion| &criterion.goals)
}

pub(crate) fn goals_title(subject: &SubjectInfo) -> String {
    match goals(subject) {
        "goals" => "Goals".to_owned(),
        goals => format!("Goals ({goals})"),
    }
}

pub(crate) fn work(subject: &SubjectInfo) -> &str {
    subject.units.first().map_or("units of work", |unit| &unit.plural)
}

pub(crate) fn clock_title(clock: &Clock) -> String {
    let title = capitalised(clock.unit());
    match clock {
        Clock::Work(unit) if unit.per_second.is_some() => format!("{title} ({})", unit.meaning),
        Clock::Work(_) | Clock::Wall => title,
    }
}

pub(crate) fn counted(n: usize, singular: &str) -> String {
    format!("{n} {singular}{}", if n == 1 { "" } else { "s" })
}

pub(crate) fn capitalised(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

pub(crate) fn uncapitalised(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next().map(|first| first.to_ascii_lowercase());
    first.into_iter().chain(letters).collect()
}
