//! Journals: files to which a search writes its tests, so that the tests are not lost if the
//! process of the engine ends.

use std::fmt;
use std::fs::File;
use std::io::{self, Seek as _, Write as _};
use std::path::Path;
use std::str::FromStr;

use catherd_javascript_machine::Statement;
use catherd_search::Stop;
use serde_json::{Value, json};

use crate::genes::Genes;
use crate::progress::Searched;

/// An execution that ended its process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crash {
    /// Number of the execution in its run, from 1.
    pub number: u64,
    /// Number of the target that the last statement calls.
    pub target: u64,
}

/// Writes the key: both numbers, separated by a colon.
impl fmt::Display for Crash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.number, self.target)
    }
}

/// Error for a string that is not the key of a [`Crash`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not two numbers with a colon between them")]
pub struct NoCrash;

impl FromStr for Crash {
    type Err = NoCrash;

    fn from_str(key: &str) -> Result<Crash, NoCrash> {
        let (number, target) = key.split_once(':').ok_or(NoCrash)?;
        let number_of = |text: &str| text.parse().map_err(|_| NoCrash);
        Ok(Crash { number: number_of(number)?, target: number_of(target)? })
    }
}

/// Stores the tests of a search, or contains the tests of an earlier search. By default it does
/// neither.
#[derive(Debug, Default)]
pub struct Journal {
    file: Option<File>,
    /// The file with the current execution.
    under_way: Option<File>,
    executions: u64,
    crashed: Vec<Crash>,
    found: Option<String>,
}

impl Journal {
    /// A journal in a file, which is emptied. It leaves out executions as [`Journal::without`]
    /// does.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn create(path: &Path, under_way: &Path, crashed: Vec<Crash>) -> io::Result<Journal> {
        let file = Some(File::create(path)?);
        Ok(Journal { file, ..Journal::without(crashed, under_way)? })
    }

    /// A journal that stores no tests. It writes the current execution to a file, and leaves out
    /// executions during which earlier processes ended.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn without(crashed: Vec<Crash>, under_way: &Path) -> io::Result<Journal> {
        let under_way = Some(File::create(under_way)?);
        Ok(Journal { under_way, crashed, ..Journal::default() })
    }

    /// The current execution according to a file; `None` if there is none.
    pub fn under_way(file: &Path) -> Option<Crash> {
        let text = std::fs::read(file).ok()?;
        let key = text.split(|byte| b" \n".contains(byte)).next()?;
        std::str::from_utf8(key).ok()?.parse().ok()
    }

    /// `name` is the name of the last target. Returns whether the execution must be left out.
    pub(crate) fn begin(&mut self, targets: &[usize], name: &str) -> bool {
        self.executions += 1;
        let target = targets.last().map_or(u64::MAX, |target| *target as u64);
        let under_way = Crash { number: self.executions, target };
        self.note(|| format!("{under_way} execution {} of `{name}`\n", under_way.number));
        self.crashed.iter().enumerate().any(|(at, crash)| {
            let again = || self.crashed[..at].iter().any(|other| other.target == crash.target);
            let calls = || targets.iter().any(|target| *target as u64 == crash.target);
            crash.number == self.executions || crash.number < self.executions && calls() && again()
        })
    }

    /// Records that all executions that a repetition can leave out have ended.
    pub(crate) fn end(&mut self) {
        self.note(|| "\n".to_owned());
    }

    fn note(&mut self, line: impl Fn() -> String) {
        let Some(file) = &mut self.under_way else { return };
        if file.rewind().and_then(|()| file.write_all(line().as_bytes())).is_err() {
            self.under_way = None;
        }
    }

    /// The journal of an earlier search on the same program with the same settings. Its tests
    /// replace the search.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn read(path: &Path) -> io::Result<Journal> {
        // The last line may be cut off, even within a character.
        let text = String::from_utf8_lossy(&std::fs::read(path)?).into_owned();
        Ok(Journal { found: Some(text), ..Journal::default() })
    }

    /// `work` counts executions and steps.
    pub(crate) fn add(&mut self, genes: &Genes, goals: &[usize], work: (u64, u64)) {
        let Some(file) = &mut self.file else { return };
        let statements: Vec<Value> = genes.statements.iter().map(Statement::to_json).collect();
        let line = json!({"statements": statements, "targets": genes.targets, "goals": goals, "work": work});
        // The search continues without a journal.
        if file.write_all(format!("{line}\n").as_bytes()).is_err() {
            self.file = None;
        }
    }

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

struct Line {
    genes: Genes,
    goals: Vec<usize>,
    /// Executions and steps until the test was found.
    work: (u64, u64),
}

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
    // Targets of classes that the earlier search found in results are not known yet. They are not
    // needed, because targets only assign evidence to parameters, and no search follows that would
    // use it.
    called.iter_mut().for_each(|target| *target = (*target).min(targets - 1));
    let covered = numbers("goals")?.into_iter().filter(|goal| *goal < goals).collect();
    let work = (line["work"][0].as_u64()?, line["work"][1].as_u64()?);
    let genes = Genes { statements, targets: called, ends: false, varied: false };
    Some(Line { genes, goals: covered, work })
}
