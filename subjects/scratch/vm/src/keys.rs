//! Keyboard keys and their names in Scratch.

use crate::text::Text;
use crate::value::Value;

/// A key of the keyboard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Key {
    Space,
    Left,
    Up,
    Right,
    Down,
    Enter,
    /// The first UTF-16 code unit of the character in upper case.
    CodeUnit(u16),
}

/// The key of a hat or of `key pressed?`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum KeyQuery {
    Any,
    Key(Key),
}

impl Key {
    fn named(name: &str) -> Option<Key> {
        Some(match name {
            "space" | " " => Key::Space,
            "left arrow" => Key::Left,
            "up arrow" => Key::Up,
            "right arrow" => Key::Right,
            "down arrow" => Key::Down,
            "enter" => Key::Enter,
            _ => return None,
        })
    }

    pub(crate) fn pressed(name: &str) -> Option<Key> {
        Key::named(name).or_else(|| {
            let upper = Text::new(name).upper();
            let first = upper.units().next()?;
            (Text::new(name).len() == 1).then_some(Key::CodeUnit(first))
        })
    }

    pub(crate) fn of_hat(option: &str) -> Option<KeyQuery> {
        let lower = option.to_lowercase();
        if lower == "any" {
            return Some(KeyQuery::Any);
        }
        Key::pressed(if Key::named(&lower).is_some() { &lower } else { option }).map(KeyQuery::Key)
    }

    /// The key that `key [v] pressed?` checks.
    pub(crate) fn of_sensing(value: &Value) -> KeyQuery {
        if let Value::Number(n) = value {
            let code = n.trunc();
            if (48.0..=90.0).contains(n) {
                return KeyQuery::Key(Key::CodeUnit(code as u16));
            }
            for (key, at) in [
                (Key::Space, 32.0),
                (Key::Left, 37.0),
                (Key::Up, 38.0),
                (Key::Right, 39.0),
                (Key::Down, 40.0),
            ] {
                if *n == at {
                    return KeyQuery::Key(key);
                }
            }
        }
        let text = value.text();
        let name = text.to_str();
        if name == "any" {
            return KeyQuery::Any;
        }
        if let Some(key) = Key::named(&name) {
            return KeyQuery::Key(key);
        }
        let first = match text.units().next() {
            Some(unit) if unit < 0x80 => Some(u16::from((unit as u8).to_ascii_uppercase())),
            _ => text.truncated(1).upper().units().next(),
        };
        match first {
            Some(32) => KeyQuery::Key(Key::Space),
            Some(unit) => KeyQuery::Key(Key::CodeUnit(unit)),
            None => KeyQuery::Key(Key::CodeUnit(0)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_inputs_hats_and_sensing_agree() {
        assert_eq!(Key::pressed("a"), Some(Key::CodeUnit(65)));
        assert_eq!(Key::of_hat("A"), Some(KeyQuery::Key(Key::CodeUnit(65))));
        assert_eq!(Key::of_hat("Left Arrow"), Some(KeyQuery::Key(Key::Left)));
        assert_eq!(Key::of_sensing(&Value::Number(65.5)), KeyQuery::Key(Key::CodeUnit(65)));
        assert_eq!(Key::of_sensing(&Value::from("apple")), KeyQuery::Key(Key::CodeUnit(65)));
        assert_eq!(Key::of_sensing(&Value::Number(5.0)), KeyQuery::Key(Key::CodeUnit(53)));
        assert_eq!(Key::pressed("F1"), None);
    }
}
