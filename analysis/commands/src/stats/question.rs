//! Questions: the lines of the input.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, de};

#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default, expecting = "an object with x and y, blocks, p, or table")]
pub(super) struct Question {
    #[serde(deserialize_with = "sample")]
    pub(super) x: Option<Vec<f64>>,
    #[serde(deserialize_with = "sample")]
    pub(super) y: Option<Vec<f64>>,
    #[serde(deserialize_with = "samples")]
    pub(super) blocks: Option<Vec<Vec<f64>>>,
    #[serde(deserialize_with = "sample")]
    pub(super) p: Option<Vec<f64>>,
    pub(super) table: Option<[[u64; 2]; 2]>,
}

impl Question {
    pub(super) fn read(line: &[u8]) -> Result<Question, String> {
        let text =
            std::str::from_utf8(line.trim_ascii_end()).map_err(|_| "not UTF-8".to_owned())?;
        // Serde would read a list as the fields of a struct.
        if text.trim_start().starts_with('[') {
            return Err(
                "a list, where an object with x and y, blocks, p, or table is needed".into()
            );
        }
        let question: Question = serde_json::from_str(&quote_numbers(text)).map_err(|error| {
            // The caller adds the number of the line.
            let words = error.to_string();
            let words = words.split(" at line ").next().unwrap_or(&words);
            format!("{words} (column {})", error.column())
        })?;
        match (&question.x, &question.y) {
            (Some(_), None) => Err("x without y".to_owned()),
            (None, Some(_)) => Err("y without x".to_owned()),
            (None, None)
                if question.blocks.is_none()
                    && question.p.is_none()
                    && question.table.is_none() =>
            {
                Err("none of the fields x and y, blocks, p, table".to_owned())
            }
            _ => Ok(question),
        }
    }
}

/// Python writes `NaN` and `Infinity`, which are not valid in JSON.
fn quote_numbers(text: &str) -> Cow<'_, str> {
    const NUMBERS: [&str; 3] = ["NaN", "-Infinity", "Infinity"];
    if !text.contains("NaN") && !text.contains("Infinity") {
        return Cow::Borrowed(text);
    }
    let mut quoted = String::with_capacity(text.len() + 64);
    let (mut rest, mut in_text) = (text, false);
    while let Some(c) = rest.chars().next() {
        if !in_text && let Some(number) = NUMBERS.iter().find(|n| rest.starts_with(**n)) {
            quoted.extend(["\"", number, "\""]);
            rest = &rest[number.len()..];
            continue;
        }
        let mut taken = c.len_utf8();
        if in_text && c == '\\' {
            taken += rest[taken..].chars().next().map_or(0, char::len_utf8);
        }
        in_text ^= c == '"';
        quoted.push_str(&rest[..taken]);
        rest = &rest[taken..];
    }
    Cow::Owned(quoted)
}

/// A number. Infinities and NaN are strings in JSON, `null` is read as NaN, and truth values are
/// read as 0 and 1.
struct Number(f64);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Number, D::Error> {
        struct Visitor;

        impl de::Visitor<'_> for Visitor {
            type Value = Number;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a number")
            }

            fn visit_f64<E>(self, value: f64) -> Result<Number, E> {
                Ok(Number(value))
            }

            fn visit_i64<E>(self, value: i64) -> Result<Number, E> {
                Ok(Number(value as f64))
            }

            fn visit_u64<E>(self, value: u64) -> Result<Number, E> {
                Ok(Number(value as f64))
            }

            fn visit_bool<E>(self, value: bool) -> Result<Number, E> {
                Ok(Number(f64::from(u8::from(value))))
            }

            fn visit_unit<E>(self) -> Result<Number, E> {
                Ok(Number(f64::NAN))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Number, E> {
                match text {
                    "NaN" => Ok(Number(f64::NAN)),
                    "Infinity" => Ok(Number(f64::INFINITY)),
                    "-Infinity" => Ok(Number(f64::NEG_INFINITY)),
                    _ => Err(E::invalid_value(de::Unexpected::Str(text), &self)),
                }
            }
        }

        deserializer.deserialize_any(Visitor)
    }
}

fn sample<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<f64>>, D::Error> {
    let numbers: Vec<Number> = Deserialize::deserialize(deserializer)?;
    Ok(Some(numbers.into_iter().map(|n| n.0).collect()))
}

fn samples<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<Vec<f64>>>, D::Error> {
    let rows: Vec<Vec<Number>> = Deserialize::deserialize(deserializer)?;
    Ok(Some(rows.into_iter().map(|row| row.into_iter().map(|n| n.0).collect()).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Question, String> {
        Question::read(line.as_bytes())
    }

    #[test]
    fn numbers_that_json_does_not_have() {
        let found = read(r#"{"x": [1, NaN, -Infinity], "y": [null, "Infinity", 1e-3]}"#).unwrap();
        let x = found.x.unwrap();
        assert!(x[0] == 1.0 && x[1].is_nan() && x[2] == f64::NEG_INFINITY);
        let y = found.y.unwrap();
        assert!(y[0].is_nan() && y[1] == f64::INFINITY && y[2] == 0.001);
        let line = r#"{"p": [0.5], "note": "a \" NaN"}"#;
        assert_eq!(quote_numbers(line), line);
        assert_eq!(read(line).unwrap().p, Some(vec![0.5]));
    }

    #[test]
    fn lines_that_cannot_be_read() {
        for (line, words) in [
            ("{", "EOF"),
            ("[1, 2]", "x and y"),
            ("7", "an object with x and y"),
            ("{}", "none of the fields"),
            (r#"{"x": [1]}"#, "x without y"),
            (r#"{"x": [1], "y": ["one"]}"#, "a number"),
            (r#"{"x": 1, "y": [1]}"#, "a sequence"),
            (r#"{"blocks": [1, 2]}"#, "a sequence"),
            (r#"{"table": [[1, 2], [3, -4]]}"#, "u64"),
        ] {
            let problem = read(line).unwrap_err();
            assert!(problem.contains(words), "{line}: {problem}");
            assert!(!problem.contains("line 1"), "{problem}");
        }
        assert!(Question::read(b"\xff").is_err());
    }
}
