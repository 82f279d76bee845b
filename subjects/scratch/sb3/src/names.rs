//! Unique names and safe ids as in Scratch, and interned strings.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Stores one copy of each string, because ids, names and literals are often repeated.
#[derive(Default)]
pub(crate) struct Interner(HashSet<Arc<str>>);

impl Interner {
    pub(crate) fn intern(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.0.get(text) {
            return known.clone();
        }
        let new: Arc<str> = text.into();
        self.0.insert(new.clone());
        new
    }
}

#[derive(Default)]
pub(crate) struct UniqueNames {
    taken: HashSet<Arc<str>>,
    /// For each name without final digits, the smallest suffix that may be free. Names are never
    /// released, so suffixes never decrease.
    next: HashMap<Arc<str>, u64>,
}

impl UniqueNames {
    /// As in Scratch, replaces the final ASCII digits of a taken name by the smallest free number
    /// from 2.
    pub(crate) fn unique(&mut self, name: Arc<str>) -> Arc<str> {
        if self.taken.insert(name.clone()) {
            return name;
        }
        let stem: Arc<str> = name.trim_end_matches(|c: char| c.is_ascii_digit()).into();
        let suffix = self.next.entry(stem.clone()).or_insert(2);
        loop {
            let unique: Arc<str> = format!("{stem}{suffix}").into();
            *suffix += 1;
            if self.taken.insert(unique.clone()) {
                return unique;
            }
        }
    }

    /// Like [`UniqueNames::unique`], but changes neither empty names nor names that menus use.
    pub(crate) fn unique_sprite(&mut self, name: Arc<str>) -> Arc<str> {
        const RESERVED: [&str; 6] = ["", "_mouse_", "_stage_", "_edge_", "_myself_", "_random_"];
        if RESERVED.contains(&&*name) { name } else { self.unique(name) }
    }
}

/// The id of a variable, list or message, with the characters that XML reserves replaced.
pub(crate) fn safe_id(id: &str) -> String {
    let mut safe = String::with_capacity(id.len());
    for c in id.chars() {
        match c {
            '<' => safe.push_str("lt"),
            '>' => safe.push_str("gt"),
            '&' => safe.push_str("amp"),
            '\'' => safe.push_str("apos"),
            '"' => safe.push_str("quot"),
            other => safe.push(other),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clashing_names_get_the_smallest_free_number() {
        let mut names = UniqueNames::default();
        let given = ["cat", "cat", "cat3", "cat", "cat3", "dog12", "dog12", "7", "7"];
        let unique = given.map(|name| names.unique(name.into()).to_string());
        assert_eq!(unique, ["cat", "cat2", "cat3", "cat4", "cat5", "dog12", "dog2", "7", "2"]);
    }

    #[test]
    fn reserved_sprite_names_stay() {
        let mut names = UniqueNames::default();
        for name in ["_mouse_", "_mouse_", "", ""] {
            assert_eq!(&*names.unique_sprite(name.into()), name);
        }
    }

    #[test]
    fn characters_that_xml_reserves_are_replaced() {
        assert_eq!(safe_id(r#"a<b>&'"c"#), "altbgtampaposquotc");
    }
}
