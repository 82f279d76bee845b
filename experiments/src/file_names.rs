//! File names for studies, projects and algorithms.

use std::collections::{BTreeMap, BTreeSet};

/// Converts a name to a file name of letters, digits, `-`, `_` and `.`, with at most 81 characters.
pub fn safe_name(name: &str) -> String {
    const MAX_LENGTH: usize = 80;
    let valid = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    let mut safe: String = name.chars().map(valid).take(MAX_LENGTH).collect();
    if safe.is_empty() || safe.starts_with('.') {
        safe.insert(0, '_');
    }
    safe
}

/// Assigns a different file name to each key. Some file systems do not distinguish upper and lower
/// case, so the file names differ in more than case.
pub struct FileNames<K> {
    given: BTreeMap<K, String>,
    taken: BTreeSet<String>,
}

impl<K> Default for FileNames<K> {
    fn default() -> FileNames<K> {
        FileNames { given: BTreeMap::new(), taken: BTreeSet::new() }
    }
}

impl<K: Ord> FileNames<K> {
    /// The file name of a key, made from `name`. The same key always gets the same file name.
    pub fn of(&mut self, key: K, name: &str) -> &str {
        let taken = &mut self.taken;
        self.given.entry(key).or_insert_with(|| {
            let safe = safe_name(name);
            let others = (2..).map(|number| format!("{safe}~{number}"));
            let mut names = std::iter::once(safe.clone()).chain(others);
            // The sequence of names is infinite, so a free name is always found.
            names.find(|name| taken.insert(name.to_lowercase())).unwrap_or_default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_safe() {
        assert_eq!(safe_name("Snake 2: größer?"), "Snake_2__größer_");
        assert_eq!(safe_name("../../etc"), "_.._.._etc");
        assert_eq!((safe_name(""), safe_name("..")), ("_".to_owned(), "_..".to_owned()));
        assert_eq!(safe_name(&"x".repeat(500)).len(), 80);
    }

    #[test]
    fn file_names_are_different() {
        let mut names = FileNames::default();
        assert_eq!(names.of(1, "a/b"), "a_b");
        assert_eq!(names.of(2, "a?b"), "a_b~2");
        assert_eq!(names.of(3, "A b"), "A_b~3");
        assert_eq!(names.of(1, "a/b"), "a_b");
    }
}
