//! The reading end of the store, beside the writer and without disturbing it.

use std::collections::VecDeque;
use std::path::Path;

use catherd_experiments::{RunRecord, RunSpec};
use rusqlite::{Connection, OptionalExtension};

use super::{StoreError, look};
use crate::ledger::Phase;

/// Records fetched at a time.
const PAGE: u32 = 256;

/// A view of the store.
#[derive(Debug)]
pub struct Reader {
    connection: Connection,
}

/// A run that ended without a record, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// The run.
    pub spec: RunSpec,
    /// Attempts at it.
    pub attempts: u32,
    /// Why the last one broke down, in the last worker's words.
    pub reason: String,
}

impl Reader {
    /// Opens an existing store.
    ///
    /// # Errors
    ///
    /// When the file cannot be opened.
    pub fn open(path: &Path) -> Result<Reader, StoreError> {
        Ok(Reader { connection: look(path)? })
    }

    /// Sum and number of the coverages of the plan's runs that are done and have goals.
    ///
    /// # Errors
    ///
    /// When the database refuses.
    pub fn coverage(&self) -> Result<(f64, u64), StoreError> {
        Ok(self.connection.query_row(
            "select coalesce(sum(1.0 * covered / goals), 0.0), count(*)
             from records join runs using (number)
             where done and goals > 0 and position is not null",
            [],
            |row| Ok((row.get(0)?, row.get::<_, i64>(1)?.unsigned_abs())),
        )?)
    }

    /// The accepted records of the plan, in its order. Memory is bounded by a page of
    /// records, whatever the size of the study.
    pub fn records(self) -> Records {
        Records { reader: self, after: -1, page: VecDeque::new() }
    }

    /// The quarantined runs of the plan, in its order.
    ///
    /// # Errors
    ///
    /// When the database refuses.
    pub fn quarantined(&self) -> Result<Vec<Problem>, StoreError> {
        let mut runs = self.connection.prepare(
            "select number, spec, attempt from runs
             where phase = ?1 and position is not null order by position",
        )?;
        let mut reason = self.connection.prepare(
            "select reason from breakdowns where number = ?1 order by attempt desc limit 1",
        )?;
        let mut problems = Vec::new();
        let mut rows = runs.query([Phase::Quarantined as u8])?;
        while let Some(row) = rows.next()? {
            let spec: Vec<u8> = row.get(1)?;
            problems.push(Problem {
                spec: serde_json::from_slice(&spec)?,
                attempts: row.get(2)?,
                reason: reason
                    .query_row([row.get::<_, u32>(0)?], |row| row.get(0))
                    .optional()?
                    .unwrap_or_default(),
            });
        }
        Ok(problems)
    }

    fn page(&self, after: i64) -> Result<Vec<(i64, RunSpec, RunRecord)>, StoreError> {
        let mut statement = self.connection.prepare_cached(
            "select position, spec, record from runs join records using (number)
             where position > ?1 order by position limit ?2",
        )?;
        let mut rows = statement.query((after, PAGE))?;
        let mut page = Vec::with_capacity(PAGE as usize);
        while let Some(row) = rows.next()? {
            let (spec, record): (Vec<u8>, Vec<u8>) = (row.get(1)?, row.get(2)?);
            page.push((
                row.get(0)?,
                serde_json::from_slice(&spec)?,
                serde_json::from_slice(&record)?,
            ));
        }
        Ok(page)
    }
}

/// See [`Reader::records`].
#[derive(Debug)]
pub struct Records {
    reader: Reader,
    after: i64,
    page: VecDeque<(i64, RunSpec, RunRecord)>,
}

impl Iterator for Records {
    type Item = Result<(RunSpec, RunRecord), StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.page.is_empty() {
            match self.reader.page(self.after) {
                Ok(page) => self.page = page.into(),
                Err(error) => {
                    self.after = i64::MAX;
                    return Some(Err(error));
                }
            }
        }
        let (position, spec, record) = self.page.pop_front()?;
        self.after = position;
        Some(Ok((spec, record)))
    }
}
