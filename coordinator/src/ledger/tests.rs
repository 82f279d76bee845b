//! Tests of the ledger.

use super::*;
use catherd_experiments::{Digest, Engines};

use crate::ids::GroupNumber;
use crate::queue::SubjectEngine;

const POLICY: Policy = Policy {
    term: Duration::from_secs(10),
    max_crashes: 2,
    max_losses: 4,
    max_consecutive_crashes: 3,
};

fn engine(id: &str) -> SubjectEngine {
    SubjectEngine { kind: "kind".into(), engine: id.into() }
}

/// Two groups, the first for the engine `e` and the second for `f`, and two runs in each.
fn ledger() -> (Ledger, [GroupNumber; 2]) {
    let snapshot = LedgerSnapshot {
        runs: Vec::new(),
        sets: vec![StudySet::new(vec![9], false)],
        queue: Queue::default(),
        holders: BTreeMap::new(),
        crashed_on: BTreeMap::new(),
    };
    let mut ledger = Ledger::restore(POLICY, snapshot, Duration::ZERO);
    let engines = ["e", "f"].map(|id| ledger.engine_number(&engine(id)));
    assert_ne!(engines[0], engines[1]);
    assert_eq!(ledger.engine_number(&engine("f")), engines[1]);
    let groups = [0, 1].map(|group| {
        let project = Digest([group as u8; 32]);
        ledger.add_group(project, engines[group])
    });
    for run in 0..4 {
        ledger.add_run(run, groups[run as usize / 2]);
    }
    (ledger, groups)
}

fn waiting(ledger: &Ledger) -> Vec<(&str, usize)> {
    ledger.unserved().map(|(engine, runs)| (&*engine.engine, runs)).collect()
}

#[test]
fn studies_share_runs() {
    let (mut ledger, _) = ledger();
    ledger.assign(7, &[0, 1, 2]);
    ledger.assign(8, &[2, 3]);
    assert_eq!([7, 8, 9].map(|study| ledger.counts_of(study).planned()), [3, 2, 0]);
    assert_eq!([0, 2, 3].map(|run| ledger.studies_of(run)), [&[7][..], &[7, 8], &[8]]);
    assert!(ledger.is_finished(), "no study is active");
    assert_eq!(waiting(&ledger), []);
    ledger.activate(&[8]);
    assert_eq!(waiting(&ledger), [("f", 2)]);
    ledger.activate(&[7]);
    assert_eq!((waiting(&ledger), ledger.counts().planned()), (vec![("e", 2), ("f", 1)], 3));
    ledger.assign(7, &[0, 3]);
    assert_eq!(waiting(&ledger), [("e", 1), ("f", 1)]);
    assert_eq!([1, 2, 3].map(|run| ledger.studies_of(run)), [&[][..], &[8], &[7, 8]]);
    assert_eq!([7, 8].map(|study| ledger.counts_of(study).planned()), [2, 2]);
}

#[test]
fn only_a_run_without_engine_and_study_moves_to_another_group() {
    let (mut ledger, [first, second]) = ledger();
    let group = |ledger: &Ledger, run| ledger.run(run).unwrap().group;
    ledger.add_run(0, second);
    assert_eq!(group(&ledger, 0), first, "its engine is known");
    let unknown = ledger.engine_number(&SubjectEngine::default());
    let unknown = ledger.add_group(Digest([9; 32]), unknown);
    for run in [4, 5] {
        ledger.add_run(run, unknown);
    }
    ledger.assign(7, &[5]);
    for run in [4, 5] {
        ledger.add_run(run, second);
    }
    assert_eq!([4, 5].map(|run| group(&ledger, run)), [second, unknown]);
}

#[test]
fn numbers_that_are_skipped_are_not_leased() {
    let (mut ledger, [first, _]) = ledger();
    ledger.add_run(6, first);
    let phases = [4, 5, 6].map(|run| ledger.run(run).unwrap().phase);
    assert_eq!(phases, [Phase::Quarantined, Phase::Quarantined, Phase::Pending]);
    assert_eq!(ledger.run(7), None);
}

#[test]
fn the_last_worker_is_not_drained() {
    let (mut ledger, _) = ledger();
    ledger.assign(7, &[0, 1, 2, 3]);
    ledger.activate(&[7]);
    // Both engines are of the same kind, so the worker executes only one of them at a time.
    let mut crashes = BTreeMap::new();
    for id in ["e", "f"] {
        let engines: Engines = [("kind".to_owned(), id.to_owned())].into();
        let (loaded, held) = (BTreeSet::new(), BTreeSet::new());
        for _ in 0..20 {
            let wish = LeaseWish {
                engines: &engines,
                loaded: &loaded,
                held: &held,
                host: "",
                remaining: None,
                withheld: &BTreeSet::new(),
            };
            let event = LedgerEvent::Lease { worker: "w", wish };
            for effect in ledger.step(Duration::ZERO, event) {
                if let Effect::Grant(Grant { run, token, .. }) = effect {
                    *crashes.entry(run).or_insert(0) += 1;
                    let end = AttemptEnd::Crashed;
                    let commit = LedgerEvent::Commit { worker: "w", run, token, end };
                    ledger.step(Duration::ZERO, commit);
                }
            }
        }
    }
    // More runs crash than the number after which another worker would be drained.
    assert!(crashes.len() > POLICY.max_consecutive_crashes);
    assert!(crashes.values().all(|&crashes| crashes == 2 * POLICY.max_crashes), "{crashes:?}");
    assert!(ledger.workers().all(|worker| !worker.drained));
    assert!(ledger.is_finished());
}
