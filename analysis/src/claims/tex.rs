//! Writes numbers of a report for LaTeX. A paper contains `\catherd{TABLE/ROW/COLUMN}` instead of a
//! number.

use std::fmt::Write as _;

use crate::report::{Address, AddressError, Report};

const MACRO: &str = "\\catherd{";

/// A number that a paper takes from a study.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Used {
    /// The line of the paper, from 1.
    pub line: usize,
    /// The argument of the macro.
    pub address: String,
}

/// The numbers that a paper takes from a study. Comments in the paper are ignored.
pub fn used(paper: &str) -> Vec<Used> {
    let mut found = Vec::new();
    for (line, text) in (1..).zip(paper.lines()) {
        let mut rest = without_comment(text);
        while let Some((_, after)) = rest.split_once(MACRO) {
            let Some((address, after)) = after.split_once('}') else { break };
            // Underscores of names are escaped in LaTeX.
            found.push(Used { line, address: address.replace("\\_", "_").trim().to_owned() });
            rest = after;
        }
    }
    found
}

/// A `%` that does not follow a backslash is taken for the start of a comment.
fn without_comment(line: &str) -> &str {
    let is_comment = |&(at, _): &(usize, &str)| !line[..at].ends_with('\\');
    line.match_indices('%').find(is_comment).map_or(line, |(at, _)| &line[..at])
}

/// The definition of the macro with the numbers at these addresses, as a LaTeX file.
///
/// # Errors
/// If an address does not identify a cell of the report.
pub fn macros<'a>(
    report: &Report<'_>,
    addresses: impl IntoIterator<Item = &'a str>,
) -> Result<String, AddressError> {
    let mut text = "% The numbers of a study, written by `catherd claims --tex`.\n\
        \\newcommand{\\catherd}[1]{\\ifcsname catherd@\\detokenize{#1}\\endcsname\
        \\csname catherd@\\detokenize{#1}\\endcsname\\else\\textbf{??}\\fi}\n"
        .to_owned();
    let mut written = std::collections::BTreeSet::new();
    for address in addresses {
        let found: Address = address.parse()?;
        let number = number(&found.find(report)?.cell.display());
        for name in [address.to_owned(), address.replace('_', "\\_")] {
            if written.insert(name.clone()) {
                let _ = writeln!(
                    text,
                    "\\expandafter\\def\\csname catherd@\\detokenize{{{name}}}\\endcsname{{{number}}}"
                );
            }
        }
    }
    Ok(text)
}

fn number(displayed: &str) -> String {
    let mut text = String::new();
    for c in displayed.chars() {
        match c {
            '%' | '&' | '#' | '_' | '$' | '{' | '}' => text.extend(['\\', c]),
            '\\' => text.push_str("\\textbackslash{}"),
            '~' => text.push_str("\\textasciitilde{}"),
            '^' => text.push_str("\\textasciicircum{}"),
            c => text.push(c),
        }
    }
    // A number and its unit must be on the same line.
    text.replace(" \\%", "\\,\\%")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_a_paper_are_found_with_their_lines() {
        let paper = "Coverage is \\catherd{algorithms/mosa/mean} of\n100\\% % \\catherd{a/b/c}\n\
                     and \\catherd{table6/mosa,random/significantly\\_better} on \\catherd{a/b/d}.";
        let found: Vec<(usize, String)> =
            used(paper).into_iter().map(|used| (used.line, used.address)).collect();
        let expected = [
            (1, "algorithms/mosa/mean"),
            (3, "table6/mosa,random/significantly_better"),
            (3, "a/b/d"),
        ];
        assert_eq!(found, expected.map(|(line, address)| (line, address.to_owned())));
    }

    #[test]
    fn numbers_are_escaped() {
        assert_eq!(number("95.50 %"), "95.50\\,\\%");
        assert_eq!(number("a_b & c"), "a\\_b \\& c");
    }
}
