//! Names of variables.

use catherd_javascript_machine::{Argument, Statement};

/// Turns a name into the name of a variable: `HTMLParser` becomes `htmlParser`.
pub(super) fn name_of_variable(base: &str) -> String {
    let letters: Vec<char> = base.chars().filter(char::is_ascii_alphanumeric).collect();
    let capitals = letters.iter().take_while(|c| c.is_ascii_uppercase()).count();
    let word = letters[capitals..].iter().take_while(|c| c.is_ascii_lowercase()).count();
    // The last capital begins a word if several lower-case letters follow.
    let lower = if capitals > 1 && word > 1 { capitals - 1 } else { capitals };
    let lower_case = |(at, c): (usize, &char)| if at < lower { c.to_ascii_lowercase() } else { *c };
    let name: String = letters.iter().enumerate().map(lower_case).collect();
    match name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        true => name,
        false => "value".to_owned(),
    }
}

/// The name of the variable of a value: the name of its parameter, or else a name for its kind.
pub(super) fn name_of_value(statement: &Statement) -> &str {
    match statement.arguments.first() {
        _ if !statement.name.is_empty() => &statement.name,
        Some(Argument::Array(_)) => "list",
        Some(Argument::Map(_)) => "map",
        Some(Argument::Set(_)) => "set",
        _ => "object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_variables_begin_with_a_small_word() {
        let names = ["IPv4", "HTMLParser", "URL", "List", "XMap", "$", "2d", "AvlTree"];
        let expected = ["ipv4", "htmlParser", "url", "list", "xMap", "value", "value", "avlTree"];
        assert_eq!(names.map(name_of_variable), expected);
    }
}
