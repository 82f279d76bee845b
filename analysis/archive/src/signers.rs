//! Files of trusted signers, in the format that `ssh-keygen` calls `allowed_signers`.

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, Utc};

use crate::signature::{Key, NAMESPACE};

/// Maximum size of a file of signers in bytes.
pub const MAX_SIGNERS_BYTES: u64 = 16 << 20;

/// A malformed line of a file of signers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {cause}")]
pub struct SignersError {
    /// Number of the line, from 1.
    pub line: usize,
    /// What is wrong with the line.
    pub cause: String,
}

/// Signers that are trusted.
#[derive(Clone, Debug, Default)]
pub struct AllowedSigners(Vec<Signer>);

#[derive(Clone, Debug)]
struct Signer {
    names: String,
    key: Key,
    /// Comma-separated patterns of the allowed namespaces. `None` allows every namespace.
    namespaces: Option<String>,
    after: Option<DateTime<Utc>>,
    before: Option<DateTime<Utc>>,
}

impl AllowedSigners {
    /// Reads the lines of a file.
    ///
    /// # Errors
    /// If a line is malformed.
    pub fn read(text: &str) -> Result<AllowedSigners, SignersError> {
        let mut signers = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let signer = signer(line);
            signers.extend(signer.map_err(|cause| SignersError { line: number + 1, cause })?);
        }
        Ok(AllowedSigners(signers))
    }

    /// The names of the first signer with this key who may sign packages at the time `now`.
    pub fn names(&self, key: &Key, now: DateTime<Utc>) -> Option<&str> {
        let is_allowed = |signer: &&Signer| {
            signer.key == *key
                && signer.namespaces.as_ref().is_none_or(|list| matches_list(list, NAMESPACE))
                && signer.after.is_none_or(|after| after <= now)
                && signer.before.is_none_or(|before| now <= before)
        };
        self.0.iter().find(is_allowed).map(|signer| &*signer.names)
    }
}

fn signer(line: &str) -> Result<Option<Signer>, String> {
    let (names, rest) = word(line)?;
    let (first, after) = word(rest)?;
    let is_kind = ["ssh-", "ecdsa-", "sk-", "rsa-"].iter().any(|start| first.starts_with(start));
    let (options, key) = if is_kind { ("", rest) } else { (&*first, after) };
    let mut parts = key.split_whitespace();
    let (Some(kind), Some(data)) = (parts.next(), parts.next()) else {
        return Err("has no key: write NAMES [OPTIONS] KIND KEY".to_owned());
    };
    let mut signer = Signer {
        names: unquoted(&names),
        key: match Key::read(&format!("{kind} {data}")) {
            Some(key) => key,
            None if kind == "ssh-ed25519" => return Err("its key is malformed".to_owned()),
            None => return Ok(None),
        },
        namespaces: None,
        after: None,
        before: None,
    };
    for option in split(options, ',') {
        let (name, value) = option.split_once('=').unwrap_or((option, ""));
        let value = unquoted(value);
        match &*name.to_ascii_lowercase() {
            "" => {}
            "cert-authority" => return Ok(None),
            "namespaces" => signer.namespaces = Some(value),
            "valid-after" => signer.after = Some(time(&value)?),
            "valid-before" => signer.before = Some(time(&value)?),
            _ => return Err(format!("unknown option `{name}`")),
        }
    }
    Ok(Some(signer))
}

/// A word can contain spaces in quotation marks.
fn word(text: &str) -> Result<(String, &str), String> {
    let mut quoted = false;
    let end = text.find(|c: char| {
        quoted ^= c == '"';
        !quoted && c.is_whitespace()
    });
    match (quoted, end) {
        (true, _) => Err("a quotation mark is not closed".to_owned()),
        (false, Some(end)) => Ok((text[..end].to_owned(), text[end..].trim_start())),
        (false, None) => Ok((text.to_owned(), "")),
    }
}

fn split(text: &str, separator: char) -> Vec<&str> {
    let mut quoted = false;
    let parts = text.split(|c: char| {
        quoted ^= c == '"';
        !quoted && c == separator
    });
    parts.collect()
}

fn unquoted(text: &str) -> String {
    text.replace('"', "")
}

/// Times without `Z` are refused, because they are local times.
fn time(text: &str) -> Result<DateTime<Utc>, String> {
    let wrong = || format!("`{text}` is not a time such as 20261231Z or 202612312359Z");
    let digits = text.strip_suffix('Z').ok_or_else(wrong)?;
    if !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return Err(wrong());
    }
    let number = |from: usize, to: usize| digits.get(from..to)?.parse::<u32>().ok();
    let read = || {
        let day = NaiveDate::from_ymd_opt(number(0, 4)? as i32, number(4, 6)?, number(6, 8)?)?;
        let (hour, minute, second) = match digits.len() {
            8 => (0, 0, 0),
            12 => (number(8, 10)?, number(10, 12)?, 0),
            14 => (number(8, 10)?, number(10, 12)?, number(12, 14)?),
            _ => return None,
        };
        let time = NaiveTime::from_hms_opt(hour, minute, second)?;
        Some(NaiveDateTime::new(day, time).and_utc())
    };
    read().ok_or_else(wrong)
}

/// Patterns that begin with `!` exclude strings.
fn matches_list(list: &str, text: &str) -> bool {
    let (excluded, included): (Vec<&str>, Vec<&str>) =
        list.split(',').map(str::trim).partition(|pattern| pattern.starts_with('!'));
    included.iter().any(|pattern| matches(pattern.as_bytes(), text.as_bytes()))
        && !excluded.iter().any(|pattern| matches(&pattern.as_bytes()[1..], text.as_bytes()))
}

fn matches(pattern: &[u8], text: &[u8]) -> bool {
    match (pattern, text) {
        ([], []) => true,
        ([b'*', rest @ ..], _) => (0..=text.len()).any(|at| matches(rest, &text[at..])),
        ([b'?', pattern @ ..], [_, text @ ..]) => matches(pattern, text),
        ([own, pattern @ ..], [other, text @ ..]) => own == other && matches(pattern, text),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str =
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILM+rvN+ot98qgEN796jTiQfZfG1KaT0PtFDJ/XFSqti";

    fn names(line: &str) -> Result<Option<String>, SignersError> {
        let now = time("20260601Z").unwrap();
        let key = Key::read(KEY).unwrap();
        AllowedSigners::read(line).map(|signers| signers.names(&key, now).map(str::to_owned))
    }

    #[test]
    fn lines_of_signers_are_read_with_their_restrictions() {
        let found = |line: &str| names(line).unwrap();
        assert_eq!(found(&format!("# x\n\nada@x,b@x {KEY} comment")).as_deref(), Some("ada@x,b@x"));
        assert_eq!(found(&format!("\"Ada L\" {KEY}")).as_deref(), Some("Ada L"));
        for (options, allowed) in [
            ("namespaces=\"git,catherd-*\"", true),
            ("namespaces=\"git\"", false),
            ("namespaces=\"*,!catherd-package\"", false),
            ("namespaces=\"catherd-packag?\",valid-before=\"20260601Z\"", true),
            ("valid-after=\"202606010001Z\"", false),
            ("valid-before=\"20260531235959Z\"", false),
            ("cert-authority", false),
        ] {
            assert_eq!(found(&format!("ada {options} {KEY}")).is_some(), allowed, "{options}");
        }
        assert_eq!(found("ada ssh-rsa AAAA\nada sk-ssh-ed25519@openssh.com AAAA"), None);
    }

    #[test]
    fn lines_that_cannot_be_read_are_named() {
        for (line, part) in [
            ("ada".to_owned(), "has no key"),
            (format!("ada {}", &KEY[..40]), "its key is malformed"),
            (format!("ada unknown {KEY}"), "unknown option `unknown`"),
            (format!("ada valid-after=\"20260101\" {KEY}"), "is not a time such as"),
            (format!("ada valid-after=\"20261301Z\" {KEY}"), "is not a time such as"),
            (format!("\"ada {KEY}"), "is not closed"),
        ] {
            let error = names(&format!("# first\n{line}")).unwrap_err();
            assert_eq!(error.line, 2);
            assert!(error.cause.contains(part), "{line}: {}", error.cause);
        }
    }
}
