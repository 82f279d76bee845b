//! The records of a study on their way from its store into a package.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use catherd_analysis_archive::PackageError;
use catherd_analysis_archive::records::{self, End, Quarantined, ResultsDigest};
use catherd_analysis_results::{RunResult, StoredStudies};
use catherd_cli_console::{Failure, terminal};
use catherd_coordinator::store::StoreReader;
use catherd_coordinator::{Breakdown, CoordinatorError, QuarantinedRun, StoreUrl};
use catherd_experiments::{Digest, RunOutcome};

use super::StudyFolder;
use crate::failure::Worded;

/// What was written.
pub(super) struct Written {
    /// See [`catherd_analysis_archive::Contents::results`].
    pub(super) digest: Digest,
}

/// Writes the records of a study as JSON lines. They must be those of the tables in its folder.
pub(super) fn write(
    study: &StudyFolder,
    store: &StoreUrl,
    path: &Path,
) -> Result<Written, Failure> {
    let failed = |cause| PackageError::Io { path: path.to_owned(), cause }.worded();
    let mut file = BufWriter::new(File::create(path).map_err(failed)?);
    let mut rows = Rows::open(&study.folder)?;
    let mut digest = ResultsDigest::default();
    let (mut done, mut other, mut quarantined) = (0, 0, 0);
    let studies = StoredStudies { store: store.clone(), names: names(study, store)? };
    let bar = terminal::bar(study.states.ended() as usize);
    for result in studies.results() {
        let (spec, end) = match result.map_err(Worded::worded)? {
            RunResult::Record(run) => {
                let (spec, record) = *run;
                let fine = matches!(record.outcome, RunOutcome::Done | RunOutcome::NoGoals);
                *(if fine { &mut done } else { &mut other }) += 1;
                (spec, End::Record(Box::new(record)))
            }
            RunResult::Quarantined(run) => {
                quarantined += 1;
                let QuarantinedRun { spec, attempts, kind, reason } = *run;
                let kind = word(kind).to_owned();
                (spec, End::Quarantined(Quarantined { attempts, kind, reason }))
            }
        };
        let run = spec.id();
        let (line, record) = records::line(&spec, &end).map_err(Failure::new)?;
        rows.compare(run, record)?;
        if let Some(record) = record {
            digest.add(run, record);
        }
        file.write_all(&line).map_err(failed)?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    rows.end()?;
    let states = (study.states.done, study.states.failed, study.states.quarantined);
    if states != (done, other, quarantined) {
        return Err(rows.other_records());
    }
    file.flush().map_err(failed)?;
    Ok(Written { digest: digest.finish() })
}

/// How the last attempt at a quarantined run ended.
fn word(kind: Breakdown) -> &'static str {
    match kind {
        Breakdown::Crashed => "crashed",
        Breakdown::TimedOut => "timed-out",
        Breakdown::OutOfMemory => "out-of-memory",
        Breakdown::Lost => "lost",
    }
}

/// The names of the studies in the store that make up the study: itself, or the rounds of a race.
fn names(study: &StudyFolder, store: &StoreUrl) -> Result<Vec<String>, Failure> {
    let name = &study.plan.name;
    let open = || StoreReader::open(store).and_then(|mut reader| reader.studies());
    let failed = |cause| {
        let failure = CoordinatorError::Store { url: store.clone(), cause }.worded();
        failure.hint("name the store with the study's records with --store")
    };
    let stored: Vec<String> = open().map_err(failed)?.into_iter().map(|study| study.name).collect();
    let rounds: Vec<String> = match study.plan.race {
        None => vec![name.clone()],
        Some(_) => {
            let round = |number: usize| study.plan.round(number, &[], 0..0).name;
            (1..).map(round).take_while(|round| stored.contains(round)).collect()
        }
    };
    match rounds.iter().all(|round| stored.contains(round)) && !rounds.is_empty() {
        true => Ok(rounds),
        false => Err(Failure::new(format_args!("{store}: has no study `{name}`"))
            .hint("name the store with the study's records with --store")),
    }
}

/// The rows of `runs.csv`, which are compared with the records of the store.
struct Rows {
    path: std::path::PathBuf,
    rows: csv::StringRecordsIntoIter<File>,
}

impl Rows {
    fn open(folder: &Path) -> Result<Rows, Failure> {
        let path = folder.join("runs.csv");
        let file = csv::Reader::from_path(&path);
        let file = file.map_err(|cause| {
            Failure::new(format_args!("{}: {cause}", path.display()))
                .hint("write the tables again: repeat catherd run or catherd results")
        })?;
        Ok(Rows { path, rows: file.into_records() })
    }

    /// Compares the next row with the digests of a run and its record.
    fn compare(&mut self, run: Digest, record: Option<Digest>) -> Result<(), Failure> {
        let row = self.rows.next().and_then(Result::ok);
        let same = row.is_some_and(|row| {
            let record = record.map(|digest| digest.to_string()).unwrap_or_default();
            row.get(0) == Some(&run.to_string()) && row.get(1) == Some(&record)
        });
        if same { Ok(()) } else { Err(self.other_records()) }
    }

    fn end(&mut self) -> Result<(), Failure> {
        if self.rows.next().is_none() { Ok(()) } else { Err(self.other_records()) }
    }

    fn other_records(&self) -> Failure {
        Failure::new(format_args!("{}: is not of the records in the store", self.path.display()))
            .hint("write the tables again: repeat catherd run or catherd results")
    }
}
