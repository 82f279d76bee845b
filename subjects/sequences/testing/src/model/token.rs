//! Tokens of the model language.

use super::error::ModelError;
use crate::span::Span;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A name or a keyword.
    Word(String),
    /// A string in quotation marks.
    Text(String),
    Number(i32),
    /// A sign, such as `{` or `..`.
    Sign(&'static str),
    End,
}

impl Token {
    pub(super) fn shown(&self) -> String {
        match self {
            Token::Word(word) => format!("`{word}`"),
            Token::Text(text) => format!("\"{text}\""),
            Token::Number(number) => format!("`{number}`"),
            Token::Sign(sign) => format!("`{sign}`"),
            Token::End => "the end of the file".to_owned(),
        }
    }
}

const SIGNS: [&str; 25] = [
    "..", "==", "!=", "<=", ">=", "{", "}", "(", ")", "[", "]", ",", ":", ";", "=", "<", ">", "+",
    "-", "*", "|", ".", "/", "%", "&",
];

/// Splits a string into tokens; the last token is [`Token::End`].
pub(super) fn tokens(text: &str, file: u32) -> Result<Vec<(Token, Span)>, ModelError> {
    let mut found = Vec::new();
    let mut span = Span { file, line: 1, column: 1 };
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let (length, token) = match first {
            '\n' => {
                span = Span { line: span.line + 1, column: 1, ..span };
                rest = &rest[1..];
                continue;
            }
            '#' => (rest.find('\n').unwrap_or(rest.len()), None),
            _ if first.is_whitespace() || first == '\u{feff}' => (first.len_utf8(), None),
            '"' => {
                let (length, text) = quoted(rest, span)?;
                (length, Some(Token::Text(text)))
            }
            '0'..='9' => {
                let length = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
                let number = rest[..length].parse().map_err(|_| {
                    ModelError::new(span, format!("the number {} is too large", &rest[..length]))
                        .hint(format!("write at most {}", i32::MAX))
                })?;
                (length, Some(Token::Number(number)))
            }
            _ if first.is_alphabetic() || first == '_' => {
                let end = |c: char| !c.is_alphanumeric() && c != '_';
                let length = rest.find(end).unwrap_or(rest.len());
                (length, Some(Token::Word(rest[..length].to_owned())))
            }
            _ => {
                let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) else {
                    let cause = format!("the character `{}` has no meaning", first.escape_debug());
                    return Err(ModelError::new(span, cause)
                        .hint("put names with such characters into quotation marks"));
                };
                (sign.len(), Some(Token::Sign(sign)))
            }
        };
        found.extend(token.map(|token| (token, span)));
        span.column += rest[..length].chars().count() as u32;
        rest = &rest[length..];
    }
    found.push((Token::End, span));
    Ok(found)
}

/// Reads a string in quotation marks. Returns the length in bytes and the value.
fn quoted(rest: &str, span: Span) -> Result<(usize, String), ModelError> {
    let mut text = String::new();
    let mut characters = rest.char_indices().skip(1);
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return Ok((at + 1, text)),
            '\n' => break,
            '\\' => match characters.next() {
                Some((_, escaped @ ('"' | '\\'))) => text.push(escaped),
                _ => {
                    return Err(ModelError::new(span, "a backslash that escapes nothing")
                        .hint("write \\\" or \\\\"));
                }
            },
            _ => text.push(character),
        }
    }
    Err(ModelError::new(span, "a string without a closing quotation mark"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_know_line_and_column() {
        let found = tokens("let é = 1..9 # note\n  \"a\\\"b\" !=", 0).unwrap();
        let shown: Vec<_> =
            found.iter().map(|(t, s)| format!("{} {}:{}", t.shown(), s.line, s.column)).collect();
        assert_eq!(
            shown,
            [
                "`let` 1:1",
                "`é` 1:5",
                "`=` 1:7",
                "`1` 1:9",
                "`..` 1:10",
                "`9` 1:12",
                "\"a\"b\" 2:3",
                "`!=` 2:10",
                "the end of the file 2:12"
            ]
        );
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        let cause = |text: &str| tokens(text, 0).unwrap_err().to_string();
        assert_eq!(cause("a ?"), "line 1, column 3: the character `?` has no meaning");
        assert_eq!(cause("99999999999"), "line 1, column 1: the number 99999999999 is too large");
        assert!(cause("\"a\n\"").contains("closing quotation mark"));
    }
}
