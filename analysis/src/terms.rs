//! Words for titles and captions, derived from the description of the subject kind and from
//! numbers.

use catherd_experiments::SubjectInfo;

use crate::tidy::Clock;

/// Goals of the criterion that the search optimises, in the plural.
pub(crate) fn goals(subject: &SubjectInfo) -> &str {
    subject.main_criterion().map_or("goals", |criterion| &criterion.goals)
}

/// The title of a column or axis with a number of goals.
pub(crate) fn goals_title(subject: &SubjectInfo) -> String {
    match goals(subject) {
        "goals" => "Goals".to_owned(),
        goals => format!("Goals ({goals})"),
    }
}

/// The name of the first unit of work, in the plural.
pub(crate) fn work(subject: &SubjectInfo) -> &str {
    subject.units.first().map_or("units of work", |unit| &unit.plural)
}

/// The title of an axis of a clock. For a unit of program time it includes the length of the unit
/// in brackets.
pub(crate) fn clock_title(clock: &Clock) -> String {
    let title = capitalised(clock.unit());
    match clock {
        Clock::Work(unit) if unit.per_second.is_some() => format!("{title} ({})", unit.meaning),
        Clock::Work(_) | Clock::Wall => title,
    }
}

/// A noun after a number, in the plural unless the number is 1.
pub(crate) fn counted(n: usize, singular: &str) -> String {
    format!("{n} {singular}{}", if n == 1 { "" } else { "s" })
}

/// Words with a capital letter at the beginning, as in a title.
pub(crate) fn capitalised(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

/// Words with a small letter at the beginning, even if they begin with a name.
pub(crate) fn uncapitalised(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next().map(|first| first.to_ascii_lowercase());
    first.into_iter().chain(letters).collect()
}
