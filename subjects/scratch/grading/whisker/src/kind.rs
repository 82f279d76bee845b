//! Kinds of JavaScript suites, which are recognised by their content.

use thiserror::Error;

/// The framework for which a suite was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SuiteKind {
    /// Whisker: the suite assigns an array of tests to `module.exports`, or exports the array.
    Whisker,
    /// Itch: the plan defines functions for at least one of the phases before, during and after the
    /// execution.
    Itch,
}

/// Error for a file that is not a suite of a known kind.
#[derive(Debug, Error, PartialEq, Eq)]
#[error(
    "neither a Whisker suite (it exports no tests with `module.exports =` or `export`) nor an Itch \
     plan (it defines none of `beforeExecution`, `duringExecution`, `afterExecution`)"
)]
pub struct KindError;

const PHASES: [&str; 3] = ["beforeExecution", "duringExecution", "afterExecution"];

impl SuiteKind {
    /// The kind of a suite.
    ///
    /// # Errors
    /// If the kind is not known.
    pub fn of(text: &str) -> Result<SuiteKind, KindError> {
        let assigns = text.match_indices("module.exports").any(|(at, found)| {
            let rest = text[at + found.len()..].trim_start();
            rest.starts_with('=') && !rest.starts_with("==")
        });
        if assigns || exported(text).is_some() {
            return Ok(SuiteKind::Whisker);
        }
        let defines = |line: &str| {
            let mut line = line.strip_prefix("export ").unwrap_or(line);
            line = line.strip_prefix("async ").unwrap_or(line);
            let keywords = ["function ", "const ", "let ", "var "];
            let name = keywords.iter().find_map(|keyword| line.strip_prefix(keyword));
            name.is_some_and(|name| {
                PHASES.iter().any(|phase| {
                    let rest = name.trim_start().strip_prefix(phase);
                    rest.is_some_and(|rest| rest.trim_start().starts_with(['(', '=']))
                })
            })
        };
        if text.lines().any(defines) { Ok(SuiteKind::Itch) } else { Err(KindError) }
    }
}

/// Start and length of the keywords with which a module exports its tests.
pub(crate) fn exported(text: &str) -> Option<(usize, usize)> {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        for words in ["export default ", "export const tests ="] {
            if line.starts_with(words) {
                return Some((start, words.len()));
            }
        }
        start += line.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_recognised_by_content() {
        let whisker = [
            "module.exports = [];",
            "module.exports=[a]",
            "x\nexport default [a];\n",
            "export const tests = []",
            "if (module.exports == 1) {}\nmodule.exports = []",
        ];
        for text in whisker {
            assert_eq!(SuiteKind::of(text), Ok(SuiteKind::Whisker), "{text}");
        }
        let itch = [
            "function beforeExecution(e) {}",
            "async function duringExecution (e) {}",
            "const afterExecution = e => 1",
            "export function afterExecution(e) {}",
        ];
        for text in itch {
            assert_eq!(SuiteKind::of(text), Ok(SuiteKind::Itch), "{text}");
        }
        for text in ["", "let x = 1", "beforeExecution(e)", "module.exports == 1", "[]"] {
            assert_eq!(SuiteKind::of(text), Err(KindError), "{text}");
        }
    }
}
