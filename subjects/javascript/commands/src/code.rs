//! Suites as code.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use catherd_cli_console::Failure;
use catherd_cli_console::terminal::plural;
use catherd_javascript_kind::classes::{self, Code, Exported, Refined, Refinement, Suite, export};
use catherd_javascript_kind::confirmation::{Confirmation, Node};
use catherd_javascript_kind::project::Project;
use clap::{Args, ValueEnum};

use crate::suites::unusable;

/// Flags about suites that are written as code.
#[derive(Args)]
#[group(id = "javascript-code-flags")]
pub(crate) struct CodeFlags {
    /// Test framework of a suite that is written as code (JavaScript)
    #[arg(long, value_name = "NAME", default_value = "node-test")]
    style: Style,

    /// Node.js in which a suite that is written as code is confirmed: its tests are executed there
    /// three times, and values that differ are asserted as in Node.js or left out (JavaScript)
    #[arg(long, value_name = "PROGRAM", default_value = "node")]
    node: PathBuf,

    /// Do not confirm a suite that is written as code (JavaScript)
    #[arg(long)]
    no_confirmation: bool,

    /// Write all tests of errors as code. Otherwise errors of the language are left out, and at
    /// most a tenth of the tests show errors that the program throws itself (JavaScript)
    #[arg(long)]
    all_errors: bool,

    /// Also write as code the tests that a person would not write, such as tests with random
    /// strings (JavaScript)
    #[arg(long)]
    all_values: bool,

    /// Compare values of more than 400 characters with snapshots, which the test framework stores;
    /// not for Mocha (JavaScript)
    #[arg(long)]
    snapshots: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Style {
    /// The test runner of Node.js
    NodeTest,
    /// Jest
    Jest,
    /// Mocha
    Mocha,
}

impl From<Style> for classes::Style {
    fn from(style: Style) -> classes::Style {
        match style {
            Style::NodeTest => classes::Style::NodeTest,
            Style::Jest => classes::Style::Jest,
            Style::Mocha => classes::Style::Mocha,
        }
    }
}

pub(crate) struct Written {
    pub(crate) text: String,
    /// Whether the suite was confirmed, as a line, or an empty string.
    pub(crate) note: String,
    pub(crate) skipped: Vec<(usize, String)>,
    /// Number of goals that are covered only by tests which `--all-values` would write.
    goals: usize,
    /// Counts of goals that the code and the suite cover.
    covered: (usize, usize),
    interrupted: bool,
}

impl Written {
    /// Returns lines about the differences between the code and the suite.
    pub(crate) fn left_out(&self) -> String {
        let (code, suite) = self.covered;
        let mut text = match self.interrupted {
            true => "An interrupt ended the refining: the tests are as the search made them.\n"
                .to_owned(),
            false => String::new(),
        };
        text += &left_out(&self.skipped);
        if self.goals > 0 {
            let goals = plural(self.goals, "more goal");
            text += &format!("Tests that only --all-values writes cover {goals}.\n");
        }
        if code < suite {
            text += &format!(
                "The code covers {} fewer than the suite.\n",
                plural(suite - code, "goal")
            );
        }
        text
    }
}

impl CodeFlags {
    /// Writes a suite for the project at `path` as code for the file `out`. The suite is not
    /// refined if `stop` becomes true.
    pub(crate) fn write(
        &self,
        project: &Project,
        path: &Path,
        out: &Path,
        whole: &Suite,
        stop: &Arc<AtomicBool>,
    ) -> Result<Written, Failure> {
        if self.snapshots && self.style == Style::Mocha {
            let error = Failure::new("Mocha has no snapshots");
            return Err(error.hint("leave out --snapshots, or use --style jest"));
        }
        if self.snapshots && self.style == Style::NodeTest {
            let has = Node::find(&self.node).is_ok_and(|node| node.has_snapshots());
            if !has {
                let error =
                    Failure::new("--snapshots needs the test runner of Node.js 22.3 or later");
                return Err(
                    error.hint("name Node.js 22.3 or later with --node, or use --style jest")
                );
            }
        }
        let code = project.code(path, out, self.style.into());
        let mut code = code.map_err(|cause| unusable(path, &cause))?;
        code.all_errors = self.all_errors;
        code.snapshots = self.snapshots;
        let refinement = Refinement {
            all_errors: self.all_errors,
            all_values: self.all_values,
            snapshots: self.snapshots,
            stop: Arc::clone(stop),
            ..Refinement::default()
        };
        let refined = project.refine(whole, &refinement);
        let refined = refined.map_err(|cause| unusable(path, &cause))?;
        let interrupted = stop.load(Ordering::Relaxed);
        let (mut skipped, goals) = match interrupted {
            true => (Vec::new(), 0),
            false => (odd(&refined), refined.left_out),
        };
        let mut suite = if interrupted { whole.clone() } else { refined.suite };
        let (exported, note) = match self.no_confirmation {
            true => (export(&suite, &code), String::new()),
            false => {
                let exported = confirmed(&mut suite, &mut code, out, &self.node, &mut skipped);
                (exported, format!("{}\n", code.note))
            }
        };
        let written = exported.titles.iter().map(|(number, ..)| suite.tests[*number].clone());
        let tests = written.collect();
        let written = Suite { tests, ..suite };
        skipped.extend(exported.skipped);
        let covered = |suite: &Suite| {
            let coverage = project.coverage(suite).map_err(|cause| unusable(path, &cause))?;
            Ok::<usize, Failure>(coverage.goals - coverage.uncovered.len())
        };
        let covered = (covered(&written)?, covered(whole)?);
        Ok(Written { text: exported.text, note, skipped, goals, covered, interrupted })
    }
}

/// The tests that only `--all-values` writes, with the reasons.
fn odd(refined: &Refined) -> Vec<(usize, String)> {
    let reasons = [
        (refined.implausible, "not what a person would write"),
        (refined.unclear, "a title would not tell the call"),
        (refined.repeated, "others show the same, or they show nothing"),
    ];
    let skipped = reasons.into_iter().flat_map(|(count, reason)| {
        std::iter::repeat_n((0, format!("{reason}; --all-values writes all")), count)
    });
    skipped.collect()
}

fn left_out(skipped: &[(usize, String)]) -> String {
    let mut reasons: Vec<(&str, usize)> = Vec::new();
    for (_, reason) in skipped {
        match reasons.iter_mut().find(|(known, _)| known == reason) {
            Some((_, count)) => *count += 1,
            None => reasons.push((reason, 1)),
        }
    }
    let line = |(reason, count): &(&str, usize)| {
        let verb = if *count == 1 { "is" } else { "are" };
        format!("{} {verb} not in the code: {reason}\n", plural(*count, "test"))
    };
    reasons.iter().map(line).collect()
}

/// Adds the tests that are left out to `skipped`.
fn confirmed(
    suite: &mut Suite,
    code: &mut Code,
    out: &Path,
    node: &Path,
    skipped: &mut Vec<(usize, String)>,
) -> Exported {
    let folder = out.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let result = Node::find(node).and_then(|node| {
        let Confirmation { version, rewritten, dropped } = node.confirm(suite, code, folder)?;
        let count = dropped.len();
        skipped.extend(dropped);
        let note = |failing: usize| {
            format!(
                "Confirmed in Node.js {version}, in random orders: {} changed, {} left out.",
                plural(rewritten, "assertion"),
                plural(count + failing, "test")
            )
        };
        let (exported, failing) = node.write(suite, code, out, &note)?;
        let reason = "the code fails in Node.js";
        skipped.extend(failing.into_iter().map(|_| (0, reason.to_owned())));
        Ok(exported)
    });
    result.unwrap_or_else(|cause| {
        code.confirmed = false;
        code.note = format!("Not confirmed in Node.js: {cause}.");
        export(suite, code)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interrupt_and_everything_that_is_left_out_are_lines() {
        let skipped = vec![(0, "odd".to_owned()), (2, "odd".to_owned())];
        let written = Written {
            text: String::new(),
            note: String::new(),
            skipped,
            goals: 2,
            covered: (3, 4),
            interrupted: true,
        };
        let text = written.left_out();
        let lines: Vec<_> = text.lines().collect();
        assert!(lines[0].starts_with("An interrupt ended the refining"), "{text}");
        assert_eq!(lines[1], "2 tests are not in the code: odd");
        assert_eq!(lines[2], "Tests that only --all-values writes cover 2 more goals.");
        assert_eq!(lines[3], "The code covers 1 goal fewer than the suite.");
        let skipped = odd(&Refined {
            suite: Suite::default(),
            implausible: 2,
            unclear: 1,
            repeated: 3,
            left_out: 0,
        });
        let whole = Written { skipped, goals: 0, covered: (4, 4), interrupted: false, ..written };
        let text = whole.left_out();
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines.len(), 3, "{text}");
        assert!(lines[0].starts_with("2 tests are not in the code: not what"), "{text}");
        assert!(lines[1].starts_with("1 test is not in the code: a title"), "{text}");
        assert!(lines[2].starts_with("3 tests are not in the code: others"), "{text}");
        let whole = Written { skipped: Vec::new(), ..whole };
        assert_eq!(whole.left_out(), "");
    }
}
