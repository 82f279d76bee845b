//! Finds the known name that a wrong name most likely stands for.

use strsim::damerau_levenshtein;

/// Maximum number of known names for which a hint with a near name lists the others.
const MAX_LISTED: usize = 24;

/// Minimum length of an abbreviation in characters. For example, `exec` stands for `executions`.
const MIN_SHORT: usize = 3;

/// The known name that `name` most likely stands for: a name that differs in few characters, or the
/// only name that `name` abbreviates.
pub fn nearest<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let plain = |text: &str| text.to_lowercase().replace(['-', '_', ' ', '.'], "");
    let wanted = plain(name);
    let length = wanted.chars().count();
    if length == 0 {
        return None;
    }
    let most = (length / 3).max(1);
    let known: Vec<&str> = known.into_iter().collect();
    let distance = |one: &str| damerau_levenshtein(&wanted, &plain(one));
    // Without the second condition, all names of one character would be near each other.
    let changed = known.iter().map(|&one| (distance(one), one)).filter(|(changes, one)| {
        *changes == 0 || (*changes <= most && *changes < plain(one).chars().count().min(length))
    });
    if let Some((_, one)) = changed.min_by_key(|(changes, _)| *changes) {
        return Some(one);
    }
    let mut longer = known.iter().filter(|one| abbreviates(&wanted, &plain(one)));
    match (longer.next(), longer.next()) {
        (Some(one), None) if length >= MIN_SHORT => Some(one),
        _ => None,
    }
}

/// Whether `short` begins like `long` and consists of characters of `long` in the same order.
fn abbreviates(short: &str, long: &str) -> bool {
    let mut rest = long.chars();
    short.chars().next() == long.chars().next()
        && short.chars().all(|c| rest.any(|other| other == c))
}

/// A hint about what to write instead of an unknown name.
pub fn instead(name: &str, known: &[impl AsRef<str>]) -> String {
    let known: Vec<&str> = known.iter().map(AsRef::as_ref).collect();
    let others = |near: &str| {
        let others = known.iter().copied().filter(|one| *one != near);
        others.collect::<Vec<_>>().join(", ")
    };
    match nearest(name, known.iter().copied()) {
        Some(near) if known.len() == 2 => {
            format!("write `{near}`; the other is {}", others(near))
        }
        Some(near) if (3..=MAX_LISTED).contains(&known.len()) => {
            format!("write `{near}`; the others are {}", others(near))
        }
        Some(near) => format!("write `{near}`"),
        None => match &known[..] {
            [] => "leave it out: there is none".to_owned(),
            [only] => format!("write `{only}`: there is no other"),
            several => format!("use one of {}", several.join(", ")),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typing_error_has_a_nearest_name() {
        let known = ["random", "mosa", "mio", "executions", "max_events", "projects"];
        let near = |name| nearest(name, known);
        for (name, expected) in [
            ("moi", "mio"),
            ("MIO", "mio"),
            ("project", "projects"),
            ("excutions", "executions"),
            ("max-events", "max_events"),
            ("maxEvents", "max_events"),
            ("exec", "executions"),
            ("mxevt", "max_events"),
            ("randon", "random"),
        ] {
            assert_eq!(near(name), Some(expected), "{name}");
        }
        for name in ["", "x", "ab", "tabu", "genetic", "steps"] {
            assert_eq!(near(name), None, "{name}");
        }
        assert_eq!(nearest("min", ["min_events", "min_time"]), None);
    }

    #[test]
    fn the_advice_names_the_nearest_and_the_others() {
        assert_eq!(instead("moi", &["mosa", "mio"]), "write `mio`; the other is mosa");
        assert_eq!(instead("tabu", &["mosa", "mio"]), "use one of mosa, mio");
        assert_eq!(instead("tabu", &["mio"]), "write `mio`: there is no other");
        assert_eq!(instead("tabu", &[""; 0]), "leave it out: there is none");
        let many: Vec<String> = (0..30).map(|number| format!("parameter{number}")).collect();
        assert_eq!(instead("parametr7", &many), "write `parameter7`");
    }
}
