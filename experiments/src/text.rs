//! Makes strings from other programs safe to display.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Whether a character may be shown as it is. Control characters must not be shown, because
/// terminals interpret escape sequences; nor must characters that change the direction of the
/// surrounding text or separate lines.
pub fn is_printable(c: char) -> bool {
    let reverses = matches!(
        c,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    );
    !c.is_control() && !reverses
}

/// The string on one line, with escapes such as `\n` or `\u{1b}` for characters that are not
/// printable.
pub fn printable(text: &str) -> Cow<'_, str> {
    escape_unless(text, is_printable)
}

/// The string with its line breaks and tabs, and with escapes for other characters that are not
/// printable.
pub fn printable_lines(text: &str) -> Cow<'_, str> {
    escape_unless(text, |c| is_printable(c) || matches!(c, '\n' | '\t'))
}

fn escape_unless(text: &str, is_shown: impl Fn(char) -> bool) -> Cow<'_, str> {
    if text.chars().all(&is_shown) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if is_shown(c) {
            escaped.push(c);
        } else {
            escaped.extend(c.escape_default());
        }
    }
    Cow::Owned(escaped)
}

/// The string, cut to at most `most` bytes, with a note about the bytes that are left out.
pub fn truncated(text: &str, most: usize) -> Cow<'_, str> {
    if text.len() <= most {
        return Cow::Borrowed(text);
    }
    let end = (0..=most).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
    let mut cut = text[..end].to_owned();
    // Writing to a string does not fail.
    let _ = write!(cut, " ... ({} more bytes)", text.len() - end);
    Cow::Owned(cut)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_are_not_shown() {
        assert_eq!(printable("größer, 猫"), "größer, 猫");
        assert_eq!(printable("a\u{1b}[2Jb\nc"), "a\\u{1b}[2Jb\\nc");
        assert_eq!(printable("safe\u{202e}txt"), "safe\\u{202e}txt");
        assert_eq!(printable_lines("a\tb\n\u{7}c"), "a\tb\n\\u{7}c");
    }

    #[test]
    fn long_strings_are_cut_between_characters() {
        assert_eq!(truncated("abc", 3), "abc");
        assert_eq!(truncated("größer", 3), "gr ... (6 more bytes)");
    }
}
