//! From what was saved to what is known.

use std::collections::BTreeMap;
use std::time::Duration;

use super::{Charge, Scope};
use crate::ledger::{Ledger, Phase, Run, RunNumber, Saved, Set};
use crate::progress::Meter;
use crate::store::{Store, StoreError, StudyNumber, StudyState};

/// Loads the ledger and the meter from the store.
pub(super) fn load(
    store: &mut Store,
    Charge { scope, policy, .. }: &Charge,
    now: Duration,
) -> Result<(Ledger, Meter, Vec<String>), StoreError> {
    let studies = store.studies()?;
    let active: Vec<StudyNumber> = studies
        .iter()
        .filter(|study| study.state == StudyState::Active)
        .filter(|study| matches!(scope, Scope::All) || *scope == Scope::Only(study.name.clone()))
        .map(|study| study.number)
        .collect();

    // Runs that nobody wants, and numbers without a run, are in the first set.
    let mut saved = Saved { sets: vec![Set::new(Vec::new(), false)], ..Saved::default() };
    let mut groups = BTreeMap::new();
    let mut labels = Vec::new();
    store.runs(|row| {
        let group = *groups.entry((row.project, row.label)).or_insert_with_key(|key| {
            labels.push(key.1.clone());
            saved.queue.add_group(key.0)
        });
        if let Some(wall) = row.wall {
            saved.queue.measure(group, wall);
        }
        let nobody = Run::new(Phase::Quarantined, group);
        saved.runs.resize(row.number as usize, nobody);
        saved.runs.push(Run { group, ..row.run });
        if let Some(worker) = row.worker {
            saved.holders.insert(row.number, worker);
        }
        Ok(())
    })?;

    let mut numbers = BTreeMap::from([(Vec::new(), 0)]);
    let mut wanted: (RunNumber, Vec<StudyNumber>) = (0, Vec::new());
    let mut place_run = |(run, studies): (RunNumber, Vec<StudyNumber>)| {
        let set = *numbers.entry(studies).or_insert_with_key(|studies| {
            let given_out = studies.iter().any(|study| active.contains(study));
            saved.sets.push(Set::new(studies.clone(), given_out));
            (saved.sets.len() - 1) as u32
        });
        if let Some(run) = saved.runs.get_mut(run as usize) {
            run.set = set;
        }
    };
    store.members(|run, study| {
        if wanted.0 != run {
            place_run(std::mem::replace(&mut wanted, (run, Vec::new())));
        }
        wanted.1.push(study);
    })?;
    place_run(wanted);

    store.culprits(|run, worker| {
        saved.culprits.entry(run).or_default().insert(worker);
    })?;
    let coverage = store.coverage(None)?;
    let meter = Meter::new(now, studies, active, coverage);
    Ok((Ledger::restore(*policy, saved, now), meter, labels))
}
