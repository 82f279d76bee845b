//! Execution of the code of a suite.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::Path;

use catherd_javascript_classes::{Code, Exported, Style, Suite, export};
use serde_json::{Value, json};

use super::{Node, NotConfirmed, TYPED, WORKERS, token, typed};

const SCRIPT: &str = include_str!("file.js");

const REPORTER: &str = include_str!("reporter.js");

const MAX_EXECUTIONS: usize = 8;

type Name = (String, String);

impl Node {
    /// Exports a suite as code for the path `out`. Unless the code has snapshots, executes the code
    /// and leaves out tests that fail. `note` maps the number of such tests to the note in the
    /// code.
    ///
    /// Returns the code and the titles of the tests that were left out.
    ///
    /// # Errors
    /// If the code cannot be executed, or tests fail in every execution.
    pub fn write(
        &self,
        suite: &mut Suite,
        code: &mut Code,
        out: &Path,
        note: &dyn Fn(usize) -> String,
    ) -> Result<(Exported, Vec<String>), NotConfirmed> {
        let mut dropped = Vec::new();
        for _ in 0..MAX_EXECUTIONS {
            (code.confirmed, code.note) = (true, note(dropped.len()));
            let exported = export(suite, code);
            if code.snapshots || exported.titles.is_empty() {
                return Ok((exported, dropped));
            }
            let tested = Code { style: Style::NodeTest, ..code.clone() };
            let text = export(suite, &tested).text;
            let names =
                exported.titles.iter().map(|(_, group, title)| (group.clone(), title.clone()));
            let names: Vec<Name> = names.collect();
            let mut ordered = names.clone();
            ordered.sort_by(|a, b| a.0.cmp(&b.0));
            let failing = self.failing(&text, &tested, out, &ordered)?;
            if failing.is_empty() {
                return Ok((exported, dropped));
            }
            let mut kept = vec![true; suite.tests.len()];
            for ((number, ..), name) in exported.titles.iter().zip(names) {
                if failing.contains(&name) {
                    kept[*number] = false;
                    dropped.push(name.1);
                }
            }
            let mut kept = kept.into_iter();
            suite.tests.retain(|_| kept.next() == Some(true));
        }
        Err(NotConfirmed("different tests fail in each execution".to_owned()))
    }

    fn failing(
        &self,
        text: &str,
        code: &Code,
        out: &Path,
        names: &[Name],
    ) -> Result<Vec<Name>, NotConfirmed> {
        let folder = out.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        let root = folder.join(&code.root);
        let root = root.canonicalize().unwrap_or(root);
        let job = json!({
            "text": text,
            "path": folder.join(out.file_name().unwrap_or_default()).display().to_string(),
            "in_module": code.in_module,
            "module": code.module,
            "typed": typed(code, &root),
            "token": token(),
        });
        let reporter = encoded(&REPORTER.replace("TOKEN", &token()));
        let options =
            [WORKERS.to_owned(), format!("--test-reporter=data:text/javascript,{reporter}")];
        let mut results = Results::default();
        let mut said = |line: &str| {
            if let Ok(event) = serde_json::from_str(line) {
                results.add(&event);
            }
            ControlFlow::Continue(())
        };
        let script = format!("{TYPED}\n{SCRIPT}");
        let ended = self.script(&script, &options, &job, (None, &folder), &mut said)?;
        if ended && results.is_empty() {
            return Err(NotConfirmed("the code cannot be executed".to_owned()));
        }
        Ok(results.failing(names))
    }
}

#[derive(Debug, Default)]
struct Results {
    passed: BTreeSet<Name>,
    failed: Vec<Name>,
    /// Tests of the current group: the title, whether the test passes, and how it fails.
    open: Vec<(String, bool, String)>,
    /// Number of the test that began last.
    begun: usize,
}

impl Results {
    fn is_empty(&self) -> bool {
        self.passed.is_empty() && self.failed.is_empty() && self.open.is_empty()
    }

    fn add(&mut self, event: &Value) {
        if let Some(number) = event[0].as_u64() {
            self.begun = number as usize;
            return;
        }
        let text = |at: usize| event[at].as_str().unwrap_or_default().to_owned();
        match event[1].as_u64() {
            Some(1) => self.open.push((text(2), event[0] == true, text(3))),
            Some(0) => self.close(&text(2)),
            _ => {}
        }
    }

    fn close(&mut self, group: &str) {
        for (title, passes, how) in self.open.drain(..) {
            let name = (group.to_owned(), title);
            match (passes, how.as_str()) {
                (true, _) => drop(self.passed.insert(name)),
                // Ignore the test, because another test has ended the execution.
                (_, "cancelledByParent") => {}
                _ => self.failed.push(name),
            }
        }
    }

    /// Returns the tests that fail, or else a test without a result, if any.
    fn failing(mut self, names: &[Name]) -> Vec<Name> {
        let ended = |it: &&Name| self.passed.contains(it) || self.failed.contains(it);
        if let Some((group, _)) = names.iter().find(|it| !ended(it)) {
            self.close(group);
        }
        let left = |it: &&Name| !self.passed.contains(*it);
        if self.failed.is_empty()
            && let Some(first) = names.iter().find(left)
        {
            // The results of the tests before the one that began last may be missing.
            self.failed.push(names.get(self.begun).filter(left).unwrap_or(first).clone());
        }
        self.failed
    }
}

fn encoded(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => encoded.push(char::from(byte)),
            _ => drop(write!(encoded, "%{byte:02X}")),
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(titles: &[(&str, &str)]) -> Vec<Name> {
        titles.iter().map(|(group, title)| ((*group).to_owned(), (*title).to_owned())).collect()
    }

    fn results(events: &[Value]) -> Results {
        let mut results = Results::default();
        events.iter().for_each(|event| results.add(event));
        results
    }

    #[test]
    fn tests_that_fail_are_found_by_group_and_title() {
        let all = names(&[("a", "x"), ("a", "y"), ("b", "x")]);
        let ended = results(&[
            json!([true, 1, "x", ""]),
            json!([false, 1, "y", "testCodeFailure"]),
            json!([false, 0, "a", "subtestsFailed"]),
            json!([true, 1, "x", ""]),
            json!([true, 0, "b", ""]),
        ]);
        assert_eq!(ended.failing(&all), names(&[("a", "y")]));
    }

    #[test]
    fn the_test_that_does_not_end_fails() {
        let all = names(&[("a", "x"), ("b", "x"), ("b", "y"), ("b", "z")]);
        let before = [json!([true, 1, "x", ""]), json!([true, 0, "a", ""])];
        let blocked = results(&[before.as_slice(), &[json!([true, 1, "x", ""])]].concat());
        assert_eq!(blocked.failing(&all), names(&[("b", "y")]));
        assert_eq!(
            results(&[json!([0]), json!([1]), json!([2])]).failing(&all),
            names(&[("b", "y")])
        );
        let cancelled = |title: &str| json!([false, 1, title, "cancelledByParent"]);
        let pending = [cancelled("x"), cancelled("y"), cancelled("z"), json!([false, 0, "b", ""])];
        assert_eq!(results(&[&before[..], &pending].concat()).failing(&all), names(&[("b", "x")]));
    }
}
