//! The accepted records of a study. Records are compared with the study's plan and with their
//! checksums.

use std::collections::VecDeque;

use catherd_experiments::{Digest, RunRecord, RunSpec};

use super::checksum::RecordIntegers;
use super::error::StoreError;
use super::planned::PlannedRuns;
use super::reader::StoreReader;
use super::row::{Row, Value};
use crate::ids::StudyNumber;
use crate::ledger::Phase;

const PAGE: i64 = 256;

/// Version 3 of the schema has no checksums.
macro_rules! select_records {
    ($checksum:literal) => {
        concat!(
            "select position, runs.id, spec, members.project, members.label, records.number,
                    records.token, goals, covered, done, wall_ms, digest, ",
            $checksum,
            ", record
             from members join runs on runs.number = members.run
             join records on records.number = members.run
             where study = ?1 and position > ?2 order by position limit ?3"
        )
    };
}

pub(super) struct RecordRow {
    integers: RecordIntegers,
    digest: Digest,
    checksum: Option<Digest>,
    json: Vec<u8>,
}

impl RecordRow {
    pub(super) fn read(row: &mut Row) -> Result<RecordRow, StoreError> {
        let integers = RecordIntegers {
            number: row.integer()?,
            token: row.integer()?,
            goals: row.integer()?,
            covered: row.integer()?,
            done: row.integer()?,
            wall_ms: row.integer()?,
        };
        let digest = row.digest()?;
        let checksum = row.optional_digest()?;
        Ok(RecordRow { integers, digest, checksum, json: row.bytes()? })
    }

    /// The record, after comparisons with the checksum and the digest. An error states what differs
    /// or cannot be read.
    pub(super) fn record(&self, run: Digest, kind: &str) -> Result<RunRecord, String> {
        self.compare_checksum()?;
        let record = RunRecord::from_json(&self.json, kind)
            .map_err(|cause| format!("its record: {cause}"))?;
        if record.run != run {
            return Err(format!("its record belongs to run {}", record.run.short()));
        }
        let now = record.digest();
        // Version 0.3.0 stored the digest of format 1.
        if now == self.digest || record.digest_of_format_1() == Some(self.digest) {
            Ok(record)
        } else {
            let before = self.digest.short();
            Err(format!("the digest of its record was {before} and is {}", now.short()))
        }
    }

    /// A row with a checksum is compared only with the checksum, which is faster than reading the
    /// record.
    pub(super) fn check(&self, run: Digest) -> Result<(), String> {
        match self.checksum {
            Some(_) => self.compare_checksum(),
            // The kind determines only the name of the criterion in format 1, and the digest of
            // that format does not contain names.
            None => self.record(run, "").map(drop),
        }
    }

    fn compare_checksum(&self) -> Result<(), String> {
        let content = Digest::of(&self.json);
        let now = self.integers.checksum(self.digest, content);
        match self.checksum {
            Some(before) if before != now => {
                Err("its record does not match its checksum".to_owned())
            }
            _ => Ok(()),
        }
    }

    /// The phase that a run with this record must have.
    pub(super) fn phase(&self) -> Option<Phase> {
        use catherd_experiments::RunOutcome::{Done, NoGoals};
        if self.integers.done == 1 {
            return Some(Phase::Done);
        }
        let record: RunRecord = serde_json::from_slice(&self.json).ok()?;
        let done = matches!(record.outcome, Done | NoGoals);
        Some(if done { Phase::Done } else { Phase::Failed })
    }
}

impl StoreReader {
    /// The accepted records of a study, in the order and with the names of the study. They are read
    /// page by page.
    ///
    /// After an item with [`StoreError::DamagedRun`], the iteration continues. Any other error ends
    /// the iteration.
    pub fn records(self, study: StudyNumber) -> Records {
        self.records_after(study, None)
    }

    /// The same as [`StoreReader::records`], but only for the runs after this position in the
    /// study.
    pub fn records_after(self, study: StudyNumber, position: Option<u32>) -> Records {
        let after = position.map_or(-1, i64::from);
        Records { reader: self, study, started: None, after, found: 0, page: VecDeque::new() }
    }

    fn page(
        &mut self,
        study: StudyNumber,
        runs: &PlannedRuns,
        mut after: i64,
    ) -> Result<VecDeque<PageItem>, StoreError> {
        let sql = if self.has_checksums() {
            select_records!("records.checksum")
        } else {
            select_records!("null")
        };
        let mut page = VecDeque::with_capacity(PAGE as usize);
        self.database.query(sql, &[study.into(), after.into(), PAGE.into()], &mut |mut row| {
            let position = row.integer()?;
            if position <= after {
                return Err(StoreError::Damaged("the runs of a study are out of order".to_owned()));
            }
            after = position;
            let spec = runs.run(position, &mut row)?;
            let record = RecordRow::read(&mut row).map_err(|cause| cause.to_string());
            let record = record.and_then(|row| row.record(spec.id(), &spec.subject));
            let item = record.map_err(|cause| runs.damaged(&spec, cause));
            page.push_back((position, item.map(|record| (spec, record))));
            Ok(())
        })?;
        Ok(page)
    }

    /// The runs of a study according to its plan, and how many of them after a position have ended
    /// with a record.
    fn start(&mut self, study: StudyNumber, after: i64) -> Result<(PlannedRuns, u64), StoreError> {
        let stored = self.study(study)?;
        let sql = "select count(*) from members join runs on runs.number = members.run
                   where study = ?1 and phase in (?2, ?3) and position > ?4";
        let phases = [Phase::Done, Phase::Failed].map(|phase| Value::Integer(phase as i64));
        let [done, failed] = phases;
        let ended = self
            .database
            .first(sql, &[study.into(), done, failed, after.into()], |row| row.integer_as());
        Ok((PlannedRuns::of(&stored)?, ended?.unwrap_or(0)))
    }
}

type Item = Result<(RunSpec, RunRecord), StoreError>;
type PageItem = (i64, Item);

/// An iterator over the records of a study ([`StoreReader::records`]).
#[derive(Debug)]
pub struct Records {
    reader: StoreReader,
    study: StudyNumber,
    /// The runs of the study, and the number of records to read.
    started: Option<(PlannedRuns, u64)>,
    /// Position after which the next run is read, from -1; `i64::MAX` after the end.
    after: i64,
    /// The number of records found, including damaged records.
    found: u64,
    page: VecDeque<PageItem>,
}

impl Records {
    /// The position of the run whose record was returned last. Before the first record, it is the
    /// position after which the iteration begins, or `u32::MAX`; after the end, it is `u32::MAX`.
    pub fn position(&self) -> u32 {
        u32::try_from(self.after).unwrap_or(u32::MAX)
    }

    fn read(&mut self) -> Result<Option<PageItem>, StoreError> {
        if self.started.is_none() {
            self.started = Some(self.reader.start(self.study, self.after)?);
        }
        let Some((runs, ended)) = &self.started else { return Ok(None) };
        if self.page.is_empty() {
            self.page = self.reader.page(self.study, runs, self.after)?;
        }
        let next = self.page.pop_front();
        if next.is_none() && self.found < *ended {
            if !self.reader.counts(self.study)? {
                return Err(StoreError::StudyChanged);
            }
            let (study, missing) = (&runs.study, *ended - self.found);
            let cause = match missing {
                1 => format!("a run of study `{study}` has ended without a record"),
                _ => format!("{missing} runs of study `{study}` have ended without a record"),
            };
            return Err(StoreError::Damaged(cause));
        }
        Ok(next)
    }
}

impl Iterator for Records {
    type Item = Item;

    fn next(&mut self) -> Option<Item> {
        if self.after == i64::MAX {
            return None;
        }
        match self.read() {
            Ok(Some((position, item))) => {
                (self.after, self.found) = (position, self.found + 1);
                Some(item)
            }
            Ok(None) => {
                self.after = i64::MAX;
                None
            }
            Err(error) => {
                self.after = i64::MAX;
                Some(Err(error))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    /// Format 1 does not name the criterion of a record.
    #[test]
    fn records_of_version_0_3_0_have_the_criterion_of_their_kind() {
        let lines = include_str!("../../../experiments/tests/format_1.jsonl").lines().take(3);
        let criteria = lines.map(|line| {
            let line: Value = serde_json::from_str(line).unwrap();
            let digest = |name: &str| serde_json::from_value::<Digest>(line[name].clone()).unwrap();
            let integers =
                RecordIntegers { number: 0, token: 1, goals: 4, covered: 2, done: 1, wall_ms: 0 };
            let json = line["record"].to_string().into_bytes();
            let row = RecordRow { integers, digest: digest("digest"), checksum: None, json };
            let kind = line["spec"]["subject"].as_str().unwrap();
            row.check(digest("run")).unwrap();
            row.record(digest("run"), kind).unwrap().criteria[0].name.clone()
        });
        assert_eq!(criteria.collect::<Vec<_>>(), ["blocks", "blocks", "goals"]);
    }
}
