//! Words for titles and captions, derived from subject kinds and numbers.

use catherd_experiments::SubjectInfo;

use crate::tidy::Clock;

/// Returns the plural noun for the goals of the criterion that the search optimises.
pub(crate) fn goals(subject: &SubjectInfo) -> &str {
    subject.main_criterion().map_or("goals", |criterion| &criterion.goals)
}

/// Returns the title for a number of goals.
pub(crate) fn goals_title(subject: &SubjectInfo) -> String {
    match goals(subject) {
        "goals" => "Goals".to_owned(),
        goals => format!("Goals ({goals})"),
    }
}

/// Returns the plural name of the first unit of work.
pub(crate) fn work(subject: &SubjectInfo) -> &str {
    subject.units.first().map_or("units of work", |unit| &unit.plural)
}

/// Returns the title of an axis for a clock. A unit of program time is followed by its meaning in
/// brackets.
pub(crate) fn clock_title(clock: &Clock) -> String {
    let title = capitalised(clock.unit());
    match clock {
        Clock::Work(unit) if unit.per_second.is_some() => format!("{title} ({})", unit.meaning),
        Clock::Work(_) | Clock::Wall => title,
    }
}

/// Returns a number with a noun, in the plural unless the number is 1.
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
