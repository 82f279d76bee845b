//! Copies the records of a study from its store into a package.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use catherd_analysis_archive::PackageError;
use catherd_analysis_archive::records::{self, End, Quarantined, ResultsDigest};
use catherd_analysis_results::{RunResult, StoredStudies};
use catherd_cli_console::{Failure, terminal};
use catherd_cli_failures::Worded;
use catherd_coordinator::store::StoreReader;
use catherd_coordinator::{CoordinatorError, QuarantinedRun, StoreUrl};
use catherd_experiments::{Digest, Plan, RunOutcome};

use super::cost::Cost;
use super::{StudyFolder, assembly};

pub(super) fn write(
    study: &StudyFolder,
    store: &StoreUrl,
    path: &Path,
) -> Result<(Digest, Cost), Failure> {
    let failed = |cause| PackageError::Io { path: path.to_owned(), cause }.worded();
    let mut file = BufWriter::new(File::create(path).map_err(failed)?);
    let mut digest = ResultsDigest::default();
    let (mut done, mut other, mut quarantined) = (0, 0, 0);
    let mut cost = Cost::default();
    let studies = StoredStudies { store: store.clone(), names: names(&study.plan, store)? };
    let bar = terminal::bar(study.states.ended() as usize);
    for result in studies.results() {
        let (spec, end) = match result.map_err(Worded::worded)? {
            RunResult::Record(run) => {
                let (spec, record) = *run;
                cost.add(&spec, &record);
                let passed = matches!(record.outcome, RunOutcome::Done | RunOutcome::NoGoals);
                *(if passed { &mut done } else { &mut other }) += 1;
                (spec, End::Record(Box::new(record)))
            }
            RunResult::Quarantined(run) => {
                quarantined += 1;
                let QuarantinedRun { spec, attempts, kind, reason } = *run;
                let kind = assembly::word(kind).to_owned();
                (spec, End::Quarantined(Quarantined { attempts, kind, reason }))
            }
        };
        let run = spec.id();
        let (line, record) = records::line(&spec, &end).map_err(Failure::new)?;
        if let Some(record) = record {
            digest.add(run, record);
        }
        file.write_all(&line).map_err(failed)?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    let states = (study.states.done, study.states.failed, study.states.quarantined);
    if states != (done, other, quarantined) {
        return Err(Failure::new(format_args!(
            "the counts of runs in {} differ from the counts of the records in the store",
            study.folder.join("study-state.json").display()
        ))
        .hint(super::TABLES_AGAIN));
    }
    file.flush().map_err(failed)?;
    Ok((digest.finish(), cost))
}

pub(crate) fn names(plan: &Plan, store: &StoreUrl) -> Result<Vec<String>, Failure> {
    let name = &plan.name;
    let open = || StoreReader::open(store).and_then(|mut reader| reader.studies());
    let failed = |cause| {
        let failure = CoordinatorError::Store { url: store.clone(), cause }.worded();
        failure.hint("use --store to name the store with the study's records")
    };
    let studies = open().map_err(failed)?;
    if !plan.has_rounds()
        && let Some(study) = studies.iter().find(|study| study.name == *name)
    {
        let stored = serde_json::from_slice(&study.plan).map_err(Failure::new)?;
        plan.is_variant_of(&stored).map_err(|part| {
            let file = catherd_analysis_results::MANIFEST;
            Failure::new(format_args!(
                "{file} is not the plan of the study in {store}: it has {part}"
            ))
            .hint(super::TABLES_AGAIN)
        })?;
    }
    let stored: Vec<String> = studies.into_iter().map(|study| study.name).collect();
    let rounds: Vec<String> = match plan.has_rounds() {
        false => vec![name.clone()],
        true => {
            let round = |number: usize| plan.round(number, &[], 0..0).name;
            (1..).map(round).take_while(|round| stored.contains(round)).collect()
        }
    };
    match rounds.iter().all(|round| stored.contains(round)) && !rounds.is_empty() {
        true => Ok(rounds),
        false => Err(Failure::new(format_args!("{store}: has no study `{name}`"))
            .hint("use --store to name the store with the study's records")),
    }
}
