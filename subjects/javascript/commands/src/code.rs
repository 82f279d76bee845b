//! Suites as code: flags, confirmation in Node.js, and what is left out.

use std::path::{Path, PathBuf};

use catherd_cli_console::Failure;
use catherd_cli_console::terminal::plural;
use catherd_javascript_kind::classes::{self, Code, Refinement, Suite, export};
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

    /// Node.js in which a suite that is written as code is confirmed: its tests are executed there three times, and
    /// what differs is asserted as Node.js shows it or left out (JavaScript)
    #[arg(long, value_name = "PROGRAM", default_value = "node")]
    node: PathBuf,

    /// Do not confirm a suite that is written as code (JavaScript)
    #[arg(long)]
    no_confirmation: bool,

    /// Write all tests of errors as code. Otherwise errors of the language are left out, and at most a tenth of the
    /// tests shows errors that the program throws itself (JavaScript)
    #[arg(long)]
    all_errors: bool,

    /// Also write tests with values that a person would not choose as code, such as random texts (JavaScript)
    #[arg(long)]
    all_values: bool,

    /// Compare values of more than 400 characters with snapshots, which the test framework stores; not for Mocha
    /// (JavaScript)
    #[arg(long)]
    snapshots: bool,
}

/// The test framework of code.
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

/// A suite as code.
pub(crate) struct Written {
    pub(crate) text: String,
    /// A line that says whether the suite was confirmed; empty if this was not asked for.
    pub(crate) note: String,
    /// The tests that are not in the code, as numbers, each with the reason.
    pub(crate) skipped: Vec<(usize, String)>,
}

impl CodeFlags {
    /// Writes a suite for the project at `path` as code for the file `out`.
    ///
    /// # Errors
    /// If the project cannot be loaded, or the framework has no snapshots.
    pub(crate) fn write(
        &self,
        project: &Project,
        path: &Path,
        out: &Path,
        suite: &Suite,
    ) -> Result<Written, Failure> {
        if self.snapshots && self.style == Style::Mocha {
            let error = Failure::new("Mocha has no snapshots");
            return Err(error.hint("leave out --snapshots, or use --style jest"));
        }
        if self.snapshots && self.style == Style::NodeTest {
            let has = Node::find(&self.node).is_ok_and(|node| node.has_snapshots());
            if !has {
                let error = Failure::new("the test runner of this Node.js has no snapshots");
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
            ..Refinement::default()
        };
        let refined = project.refine(suite, &refinement);
        let refined = refined.map_err(|cause| unusable(path, &cause))?;
        let mut suite = refined.suite;
        let reason =
            "their values are not those that a person would choose; --all-values writes all";
        let mut skipped = vec![(0, reason.to_owned()); refined.implausible];
        let mut note = String::new();
        if !self.no_confirmation {
            code.note = confirm(&mut suite, &code, out, &self.node, &mut skipped);
            note = format!("{}\n", code.note);
        }
        let exported = export(&suite, &code);
        skipped.extend(exported.skipped);
        Ok(Written { text: exported.text, note, skipped })
    }
}

/// A line for each reason for which tests are not in the code, with their number.
pub(crate) fn left_out(skipped: &[(usize, String)]) -> String {
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

/// Confirms a suite in Node.js. Returns a line that says whether it was confirmed, and adds the tests that were
/// dropped to `skipped`.
fn confirm(
    suite: &mut Suite,
    code: &Code,
    out: &Path,
    node: &Path,
    skipped: &mut Vec<(usize, String)>,
) -> String {
    let folder = out.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let confirmed = Node::find(node).and_then(|node| node.confirm(suite, code, folder));
    match confirmed {
        Ok(Confirmation { version, rewritten, dropped }) => {
            let line = format!(
                "Confirmed in Node.js {version}, in three random orders: {} changed, {} left out.",
                plural(rewritten, "assertion"),
                plural(dropped.len(), "test")
            );
            skipped.extend(dropped);
            line
        }
        Err(cause) => format!("Not confirmed in Node.js: {cause}."),
    }
}
