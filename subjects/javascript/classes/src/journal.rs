//! The tests of a search in a file, written while it searches, so that they survive the process of the engine.

use std::fs::File;
use std::io::{self, Seek as _, Write as _};
use std::path::Path;

use catherd_javascript_machine::Statement;
use catherd_search::Stop;
use serde_json::{Value, json};

use crate::genes::Genes;
use crate::progress::Searched;

/// An execution that ended its process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crash {
    /// Its number among the executions of a search, from 1.
    pub number: u64,
    /// The target that its last statement calls.
    pub target: u64,
}

/// Keeps the tests of a search, or has those of an earlier one. By default it does neither.
#[derive(Debug, Default)]
pub struct Journal {
    file: Option<File>,
    /// The file with the number of the execution that is under way.
    number: Option<File>,
    executions: u64,
    crashed: Vec<Crash>,
    found: Option<String>,
}

impl Journal {
    /// A journal in a file, which is emptied. Another file has the number of the execution that is under way. The
    /// executions `crashed` have ended the processes of earlier searches and are left out. From the second one on that
    /// ends with a call of a target, so are all executions that call it.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn create(path: &Path, number: &Path, crashed: Vec<Crash>) -> io::Result<Journal> {
        Ok(Journal {
            file: Some(File::create(path)?),
            number: Some(File::create(number)?),
            crashed,
            ..Journal::default()
        })
    }

    /// What the second file of a journal names; `None` if no execution has begun.
    pub fn under_way(number: &Path) -> Option<Crash> {
        let bytes: [u8; 16] = std::fs::read(number).ok()?.try_into().ok()?;
        let both = u128::from_le_bytes(bytes);
        Some(Crash { number: (both >> 64) as u64, target: both as u64 })
    }

    /// Counts an execution that begins. Returns whether it must be left out.
    pub(crate) fn begin(&mut self, targets: &[usize]) -> bool {
        self.executions += 1;
        if let Some(file) = &mut self.number {
            let target = targets.last().map_or(u64::MAX, |target| *target as u64);
            let both = u128::from(self.executions) << 64 | u128::from(target);
            if file.rewind().and_then(|()| file.write_all(&both.to_le_bytes())).is_err() {
                self.number = None;
            }
        }
        self.crashed.iter().enumerate().any(|(at, crash)| {
            let again = || self.crashed[..at].iter().any(|other| other.target == crash.target);
            let calls = || targets.iter().any(|target| *target as u64 == crash.target);
            crash.number == self.executions || crash.number < self.executions && calls() && again()
        })
    }

    /// The journal of an earlier search on the same program with the same settings. Its tests replace the search.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn read(path: &Path) -> io::Result<Journal> {
        // The last line may be cut off, even within a character.
        let text = String::from_utf8_lossy(&std::fs::read(path)?).into_owned();
        Ok(Journal { found: Some(text), ..Journal::default() })
    }

    /// Keeps a test with the goals that it covers, found with so much work in executions and steps.
    pub(crate) fn add(&mut self, genes: &Genes, goals: &[usize], work: (u64, u64)) {
        let Some(file) = &mut self.file else { return };
        let statements: Vec<Value> = genes.statements.iter().map(Statement::to_json).collect();
        let line = json!({"statements": statements, "targets": genes.targets, "goals": goals, "work": work});
        // The search continues without a journal.
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
            let Some(line) = read_line(line, targets, goals) else { continue };
            searched.tests.push((line.genes, line.goals));
            searched.meter = line.work;
        }
        Some(searched)
    }
}

/// A line of a journal.
struct Line {
    genes: Genes,
    goals: Vec<usize>,
    /// Executions and steps until it was found.
    work: (u64, u64),
}

/// Reads a line, for a subject with so many targets and goals. `None` if it is damaged.
fn read_line(line: &str, targets: usize, goals: usize) -> Option<Line> {
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
    let genes = Genes { statements, targets: called, ends: false };
    Some(Line { genes, goals: covered, work })
}
