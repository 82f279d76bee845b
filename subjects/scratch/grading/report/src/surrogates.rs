//! Strings of JavaScript that strings in Rust cannot contain.

/// Replaces escaped surrogates in a line of JSON by escaped replacement characters. `JSON.stringify`
/// escapes only surrogates without a partner, which strings in Rust cannot contain.
pub fn without_lone_surrogates(line: String) -> String {
    if !line.contains("\\ud") {
        return line;
    }
    let mut result = String::with_capacity(line.len());
    let mut rest = &*line;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        result.push_str(before);
        let digit = escape.as_bytes().get(3).copied();
        let lone = escape.starts_with("\\ud") && digit.is_some_and(|digit| digit >= b'8');
        let length = if lone { 6 } else { 2 };
        let (escape, after) = escape.split_at_checked(length).unwrap_or((escape, ""));
        result.push_str(if lone { "\\ufffd" } else { escape });
        rest = after;
    }
    result + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lone_surrogates_are_replaced() {
        let text = r#"{"a":"\\ud83d \\\ud83d \udead \ud7ff \" \ud"#;
        let expected = r#"{"a":"\\ud83d \\\ufffd \ufffd \ud7ff \" \ud"#;
        assert_eq!(without_lone_surrogates(text.to_owned()), expected);
    }
}
