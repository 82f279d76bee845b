//! Writes the tidy tables of runs.

mod rows;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use catherd_experiments::{Budget, Digest, RunOutcome, RunRecord, RunSpec, SubjectInfo};

use super::evidence::Evidence;
use super::table::{Layout, TableWriter};
use super::{Dropped, Error, Skipped, subject};
use rows::{CriterionRow, CriterionTimelineRow, MutantRow, RunKey, RunRow, TimelineRow};

/// Writes the tables of a study into a folder, which is created if it is missing.
///
/// `runs` must be in the order of the study.
///
/// # Errors
/// [`Error`] if a table cannot be written.
pub fn write(
    dir: &Path,
    subject: &SubjectInfo,
    runs: impl IntoIterator<Item = (RunSpec, RunRecord)>,
    skipped: &[Skipped],
) -> Result<(), Error> {
    let mut writer = Writer::create(dir, subject)?;
    for (spec, record) in runs {
        writer.push(&spec, &record)?;
    }
    writer.finish(skipped, &[])
}

/// The tables of a study while they are being written. The names of their files end in `.partial`
/// until [`Writer::finish`] has completed them.
pub struct Writer {
    dir: PathBuf,
    subject: SubjectInfo,
    layout: Layout,
    runs: TableWriter<RunRow>,
    criteria: TableWriter<CriterionRow>,
    timeline: TableWriter<TimelineRow>,
    criteria_timeline: Option<TableWriter<CriterionTimelineRow>>,
    mutants: TableWriter<MutantRow>,
    skipped: TableWriter<Skipped>,
    dropped: TableWriter<Dropped>,
    evidence: Evidence,
}

impl Writer {
    /// Starts the tables in a folder. The units and levels in `subject` become columns.
    ///
    /// # Errors
    /// [`Error`] if the folder or a table cannot be created.
    pub fn create(dir: &Path, subject: &SubjectInfo) -> Result<Writer, Error> {
        fs::create_dir_all(dir).map_err(|cause| Error::Io { path: dir.to_owned(), cause })?;
        let layout = Layout {
            units: subject.units.iter().map(|unit| unit.name.clone()).collect(),
            levels: subject.mutant_levels.clone(),
        };
        Ok(Writer {
            dir: dir.to_owned(),
            subject: subject.clone(),
            runs: TableWriter::create(dir, &layout)?,
            criteria: TableWriter::create(dir, &layout)?,
            timeline: TableWriter::create(dir, &layout)?,
            criteria_timeline: None,
            mutants: TableWriter::create(dir, &layout)?,
            skipped: TableWriter::create(dir, &layout)?,
            dropped: TableWriter::create(dir, &layout)?,
            evidence: Evidence::default(),
            layout,
        })
    }

    /// Adds a run.
    ///
    /// # Errors
    /// [`Error`] if a table cannot be written.
    pub fn push(&mut self, spec: &RunSpec, record: &RunRecord) -> Result<(), Error> {
        let row = RunRow::new(spec, record, &self.layout);
        for criterion in &record.criteria {
            self.criteria.push(CriterionRow::new(row.run.clone(), record, criterion))?;
        }
        let units: Vec<_> =
            self.layout.units.iter().map(|unit| record.unit_position(unit)).collect();
        let key = RunKey::of(&row);
        for point in &record.timeline {
            let amount = |at: &Option<usize>| at.and_then(|at| point.work.get(at).copied());
            self.timeline.push(TimelineRow {
                of: key.clone(),
                work: units.iter().map(amount).collect(),
                wall_ms: point.wall_ms,
                covered: point.covered,
            })?;
        }
        for (name, points) in &record.timelines {
            let table = match &mut self.criteria_timeline {
                Some(table) => table,
                none => none.insert(TableWriter::create(&self.dir, &self.layout)?),
            };
            let own = record.criteria.iter().find(|criterion| criterion.name == *name);
            for point in points {
                let amount = |at: &Option<usize>| at.and_then(|at| point.work.get(at).copied());
                table.push(CriterionTimelineRow {
                    of: key.clone(),
                    criterion: name.clone(),
                    work: units.iter().map(amount).collect(),
                    wall_ms: point.wall_ms,
                    covered: point.covered,
                    goals: own.map_or(0, |criterion| criterion.goals),
                })?;
            }
        }
        for mutant in &record.mutants {
            self.mutants.push(MutantRow { run: row.run.clone(), mutant: mutant.clone() })?;
        }
        self.evidence.add(spec, record);
        self.runs.push(row)
    }

    /// Adds a quarantined run, which has no record.
    ///
    /// # Errors
    /// As for [`Writer::push`].
    pub fn push_quarantined(
        &mut self,
        spec: &RunSpec,
        outcome: RunOutcome,
        reason: &str,
        attempts: u32,
    ) -> Result<(), Error> {
        self.runs.push(RunRow::quarantined(spec, outcome, reason, attempts, &self.layout))
    }

    /// Adds a run of another tool.
    ///
    /// # Errors
    /// As for [`Writer::push`].
    pub fn push_imported(&mut self, run: &Imported) -> Result<(), Error> {
        let row = RunRow::imported(run, &self.layout);
        let key = RunKey::of(&row);
        for &(wall_ms, covered) in &run.timeline {
            let work = vec![None; self.layout.units.len()];
            self.timeline.push(TimelineRow { of: key.clone(), work, wall_ms, covered })?;
        }
        self.runs.push(row)
    }

    /// Adds the projects that were not run and the configurations that lost a race, and completes
    /// the tables.
    ///
    /// # Errors
    /// [`Error`] if a table cannot be written.
    pub fn finish(mut self, skipped: &[Skipped], dropped: &[Dropped]) -> Result<(), Error> {
        for project in skipped {
            self.skipped.push(project.clone())?;
        }
        for algorithm in dropped {
            self.dropped.push(algorithm.clone())?;
        }
        self.skipped.finish()?;
        self.dropped.finish()?;
        self.timeline.finish()?;
        self.criteria_timeline.map_or(Ok(()), TableWriter::finish)?;
        self.mutants.finish()?;
        self.criteria.finish()?;
        self.evidence.write(&self.dir)?;
        subject::write(&self.dir, &self.subject)?;
        self.runs.finish()
    }
}

/// A run of another tool.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// Id of the run.
    pub id: Digest,
    /// Name of the project.
    pub project: String,
    /// Name of the subject kind.
    pub subject: String,
    /// Label of the configuration.
    pub algorithm: String,
    /// The seed, or the number of the repetition.
    pub seed: u64,
    /// The budget, with the limits that are known.
    pub budget: Budget,
    /// The tool that executed the run.
    pub engine: String,
    /// How the run ended.
    pub outcome: RunOutcome,
    /// The reason for the outcome.
    pub reason: Option<String>,
    /// Number of goals, or [`UNCOUNTED`](super::UNCOUNTED).
    pub goals: u32,
    /// Number of covered goals, at most `goals`.
    pub covered: u32,
    /// Work of the search, by the name of the unit.
    pub work: BTreeMap<String, u64>,
    /// Work in the first unit until every goal was covered.
    pub to_full: Option<u64>,
    /// Time of the search in milliseconds.
    pub search_ms: Option<u64>,
    /// Time of the whole run in milliseconds.
    pub wall_ms: Option<u64>,
    /// Number of tests in the final suite.
    pub suite_tests: Option<u32>,
    /// Size of the final suite.
    pub suite_size: Option<u32>,
    /// The unit of `suite_size`, in the plural.
    pub suite_unit: String,
    /// Reduction in the size of the suite by minimisation.
    pub suite_removed: Option<u32>,
    /// Additional numbers by name.
    pub metrics: BTreeMap<String, f64>,
    /// Improvements: milliseconds from the start of the search, and the number of goals covered
    /// from this time on.
    pub timeline: Vec<(u64, u32)>,
}
