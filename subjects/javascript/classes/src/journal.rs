//! The tests of a search in a file, written while it searches, so that they survive the process of the engine.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;

use catherd_javascript_machine::Statement;
use catherd_search::Stop;
use serde_json::{Value, json};

use crate::genes::Genes;
use crate::progress::Searched;

/// Keeps the tests of a search, or has those of an earlier one. By default it does neither.
#[derive(Debug, Default)]
pub struct Journal {
    file: Option<File>,
    found: Option<String>,
}

impl Journal {
    /// A journal in a file, which is emptied.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn create(path: &Path) -> io::Result<Journal> {
        Ok(Journal { file: Some(File::create(path)?), found: None })
    }

    /// The journal of an earlier search on the same program with the same settings. Its tests replace the search.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn read(path: &Path) -> io::Result<Journal> {
        // The last line may be cut off, even within a character.
        let text = String::from_utf8_lossy(&std::fs::read(path)?).into_owned();
        Ok(Journal { file: None, found: Some(text) })
    }

    /// Keeps a test with the goals that it covers, found with so much work in executions and steps.
    pub(crate) fn add(&mut self, genes: &Genes, goals: &[usize], work: (u64, u64)) {
        let Some(file) = &mut self.file else { return };
        let statements: Vec<Value> = genes.statements.iter().map(Statement::to_json).collect();
        let line = json!({"statements": statements, "targets": genes.targets, "goals": goals, "work": work});
        // The journal is a precaution: without it, the search goes on.
        if file.write_all(format!("{line}\n").as_bytes()).is_err() {
            self.file = None;
        }
    }

    /// The tests of the earlier search, for a subject with so many targets and goals; `None` if there was none.
    pub(crate) fn take_found(&mut self, targets: usize, goals: usize) -> Option<Searched> {
        let text = self.found.take()?;
        let mut searched = Searched {
            tests: Vec::new(),
            timeline: Vec::new(),
            meter: (0, 0),
            stop: Stop::Cancelled,
        };
        for line in text.lines() {
            let Some((test, work)) = read_line(line, targets, goals) else { continue };
            searched.tests.push(test);
            searched.meter = work;
        }
        Some(searched)
    }
}

/// Reads a test with its goals, and the work until it was found. `None` if the line is damaged.
fn read_line(
    line: &str,
    targets: usize,
    goals: usize,
) -> Option<((Genes, Vec<usize>), (u64, u64))> {
    let line: Value = serde_json::from_str(line).ok()?;
    let statements: Option<Vec<Statement>> =
        line["statements"].as_array()?.iter().map(Statement::from_json).collect();
    let statements = statements?;
    let numbers = |name: &str| -> Option<Vec<usize>> {
        let numbers = line[name].as_array()?.iter();
        numbers.map(|number| usize::try_from(number.as_u64()?).ok()).collect()
    };
    let mut called = numbers("targets")?;
    if called.len() != statements.len() || targets == 0 {
        return None;
    }
    // Targets of classes that the earlier search saw in results are not known yet. Targets only tell to which
    // parameters evidence belongs, and there is no search that uses it.
    called.iter_mut().for_each(|target| *target = (*target).min(targets - 1));
    let covered = numbers("goals")?.into_iter().filter(|goal| *goal < goals).collect();
    let work = (line["work"][0].as_u64()?, line["work"][1].as_u64()?);
    Some(((Genes { statements, targets: called, ends: false }, covered), work))
}
