//! `catherd run --trials`: imports trials of other results, which are measured again without being
//! executed.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::Path;

use catherd_analysis_results::StudyFolder;
use catherd_cli_console::Failure;
use catherd_cli_console::terminal::{self, plural};
use catherd_coordinator::store::StoreReader;
use catherd_coordinator::{StoreError, StoreUrl};
use catherd_experiments::{Digest, Plan};
use catherd_interface::command::{import_trial, trial_id};

/// Name of the folder of unmeasured trials, in the folder of the workers' spools.
pub(crate) const TRIALS: &str = "trials";

/// Copies the trials of a plan from other results into the folder of the study: trials of stored
/// records, and unmeasured trials.
pub(super) fn import(results: &Path, folder: &StudyFolder, plan: &Plan) -> Result<(), Failure> {
    let planned: BTreeSet<Digest> = plan.clone().into_runs().map(|spec| trial_id(&spec)).collect();
    let trials = folder.spools().join(TRIALS);
    let unusable = |path: &Path, cause: &dyn std::fmt::Display| {
        Failure::new(format_args!("--trials: {}: {cause}", path.display()))
            .hint("name the folder of results of a study with measure = \"apart\"")
    };
    let store = results.join("study.db");
    if !store.is_file() {
        return Err(unusable(results, &"not a folder of results of a study"));
    }
    let mut found = BTreeSet::new();
    let broken = |cause: &StoreError| unusable(&store, cause);
    let url = StoreUrl::Sqlite(store.clone());
    let studies = StoreReader::open(&url).and_then(|mut reader| reader.studies());
    for study in studies.map_err(|cause| broken(&cause))? {
        let reader = StoreReader::open(&url).map_err(|cause| broken(&cause))?;
        for record in reader.records(study.number) {
            let (spec, record) = record.map_err(|cause| broken(&cause))?;
            let id = trial_id(&spec);
            if !planned.contains(&id) || found.contains(&id) {
                continue;
            }
            let imported = import_trial(&trials, &spec, &record);
            if imported.map_err(|cause| unusable(&trials, &cause))? {
                found.insert(id);
            }
        }
    }
    let waiting = StudyFolder { path: results.to_owned() }.spools().join(TRIALS);
    for id in planned.difference(&found.clone()) {
        let (from, to) = (waiting.join(id.to_string()), trials.join(id.to_string()));
        match copy(&from, &to) {
            Ok(()) => drop(found.insert(*id)),
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => {}
            Err(cause) => return Err(unusable(&from, &cause)),
        }
    }
    let (trials, runs) = (plural(found.len(), "trial"), plural(plan.count(), "run"));
    terminal::note(&format!("{trials} of {} for {runs}", results.display()));
    Ok(())
}

/// Copies the files of a trial. An incomplete copy is not used as a trial, because digests are
/// compared when a trial is read.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        fs::create_dir_all(to)?;
        fs::copy(entry.path(), to.join(entry.file_name()))?;
    }
    Ok(())
}
