//! Names of files in packages.

use unicode_normalization::UnicodeNormalization as _;

const MAX_NAME_BYTES: usize = 512;

pub(crate) fn flaw(name: &str) -> Option<&'static str> {
    if name.is_empty() {
        Some("is empty")
    } else if name.len() > MAX_NAME_BYTES {
        Some("is longer than 512 bytes")
    } else if name.starts_with('/') {
        Some("is an absolute path")
    } else if name.contains('\\') || name.contains(':') {
        Some("has a backslash or a colon, which separate parts of a path on some systems")
    } else if name.chars().any(|c| !catherd_experiments::text::is_printable(c)) {
        Some("has a character that cannot be shown")
    } else if name.split('/').any(|part| part == "..") {
        Some("has the part `..`")
    } else if name.split('/').any(|part| part.is_empty() || part == ".") {
        Some("has an empty part or the part `.`")
    } else {
        None
    }
}

/// Returns equal strings for names that some file systems do not distinguish.
pub(crate) fn folded(name: &str) -> String {
    let lower: String =
        name.nfc().flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect();
    lower.nfc().collect()
}

#[cfg(test)]
mod tests {
    use super::flaw;

    #[test]
    fn names_that_cannot_be_used_are_refused() {
        for valid in ["a", "projects/größer.sb3", "a/b/c.txt", "..a", "a..", "..."] {
            assert_eq!(flaw(valid), None, "{valid}");
        }
        let bad = [
            "",
            "/etc/passwd",
            "../a",
            "a/../b",
            "a/..",
            "..",
            "a//b",
            "a/",
            "./a",
            "a\\b",
            "C:/a",
            "a\nb",
            "a\u{202e}b",
        ];
        for name in bad {
            assert!(flaw(name).is_some(), "{name}");
        }
        assert!(flaw(&"x".repeat(513)).is_some());
    }
}
