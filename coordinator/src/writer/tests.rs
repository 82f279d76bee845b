//! Tests of the writer on a full disk, simulated by a maximum size of the SQLite file, and of the
//! ledger in memory, which must equal a ledger loaded from the store.

use catherd_experiments::format_1::subject_info;
use catherd_experiments::{
    Algorithm, Budget, Criterion, Digest, Engines, Plan, PlannedProject, ProjectSource, RunRecord,
    RunSpec, Study,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tokio::sync::oneshot;

use super::load::{LoadedState, load};
use super::*;
use crate::auth::Caller;
use crate::ledger::{Grant, Ledger, Phase, Verdict};
use crate::store::{ClaimChange, StoreReader, StoredRecord, StudyState};

const RUNS: u64 = 12;

fn plan() -> Plan {
    plan_of("study", (1..=RUNS).collect())
}

fn plan_of(name: &str, seeds: Vec<u64>) -> Plan {
    let study = Study {
        name: name.into(),
        projects: ProjectSource::Paths(Vec::new()),
        algorithms: vec![Algorithm::plain("random")],
        seeds,
        budget: Budget::of("executions", 1),
        mutation: None,
        race: None,
        stop: None,
        subject: None,
    };
    let project = PlannedProject { name: "p".into(), digest: Digest::of(b"p") };
    Plan::new(&study, &subject_info("noop", "noop/1"), vec![project], |_| Ok(())).unwrap()
}

fn engines() -> Engines {
    [("noop".to_owned(), "noop/1".to_owned())].into()
}

/// A record that is larger than a page of the database.
fn record(spec: &RunSpec) -> RunRecord {
    let goals = Criterion { name: "goals".into(), goals: 4, covered: vec![0, 1] };
    RunRecord {
        work: [("executions".to_owned(), 1)].into(),
        artifacts: [("suite.txt".to_owned(), "x".repeat(5000))].into(),
        ..RunRecord::new(spec, vec![goals])
    }
}

struct Harness {
    writer: Writer,
    handle: WriterHandle,
}

impl Harness {
    fn ask<T>(&mut self, request: impl FnOnce(oneshot::Sender<T>) -> Request) -> Option<T> {
        let (reply, mut replied) = oneshot::channel();
        self.handle.send(request(reply)).unwrap();
        let written = self.writer.process_pending();
        let reply = replied.try_recv().ok();
        assert_eq!(written, reply.is_some());
        reply
    }

    fn lease(&mut self) -> Vec<(Grant, Vec<u8>)> {
        let lease = LeaseRequest { engines: engines(), ..LeaseRequest::default() };
        let worker = "w".to_owned();
        self.ask(|reply| Request::Lease { worker, lease, reply }).unwrap().leases
    }

    fn commit(&mut self, (grant, spec): &(Grant, Vec<u8>)) -> Option<CommitResult> {
        let record = record(&serde_json::from_slice(spec).unwrap());
        let stored = StoredRecord::new(&record, serde_json::to_vec(&record).unwrap());
        let result = AttemptResult::Record(Box::new(stored));
        let completions = vec![Completion { run: grant.run, token: grant.token, result }];
        let request = |reply| Request::Commit { worker: "w".into(), completions, reply };
        self.ask(request)?.pop()
    }

    fn set_full(&mut self, full: bool) {
        let store = &mut self.writer.leader.as_mut().unwrap().store;
        store.set_max_pages(if full { 1 } else { 1 << 20 });
    }
}

fn harness(folder: &std::path::Path, store: Store, url: &StoreUrl) -> Harness {
    let config = WriterConfig {
        url: url.clone(),
        project_files: folder.join("projects"),
        scope: Scope::All,
        policy: Policy::default(),
        criteria: Arc::default(),
        observer: None,
    };
    let clock = Arc::new(crate::clock::Manual::default());
    let (writer, handle) = Writer::open(config, Ok(store), clock, None, false).unwrap();
    Harness { writer, handle }
}

#[test]
fn a_full_disk_is_reported_and_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let url = StoreUrl::Sqlite(folder.path().join("study.db"));
    let mut store = Store::open(&url).unwrap();
    store.plan(plan()).unwrap();
    let mut harness = harness(folder.path(), store, &url);

    let (mut accepted, mut refused) = (0, 0);
    while accepted < RUNS {
        for lease in harness.lease() {
            harness.set_full(true);
            let mut verdict = harness.commit(&lease);
            if verdict.is_none() {
                refused += 1;
                let last_error = harness.handle.progress.borrow().last_error.clone().unwrap();
                assert!(last_error.contains("disk is full"), "{last_error}");
                // Repeated requests fail in the same way.
                assert_eq!(harness.commit(&lease), None);
            }
            harness.set_full(false);
            verdict = verdict.or_else(|| harness.commit(&lease));
            assert_eq!(verdict, Some(Ok(Verdict::Accepted)));
            accepted += 1;
        }
    }
    assert!(refused > 3, "{refused} of {RUNS}");
    assert!(harness.writer.process_pending());
    let records = StoreReader::open(&url).unwrap().records(0).map(|record| record.unwrap().0.seed);
    assert_eq!(records.collect::<Vec<_>>(), (1..=RUNS).collect::<Vec<_>>());
    let progress = harness.handle.progress.borrow();
    assert_eq!((progress.done, &progress.last_error), (RUNS, &None));
}

fn observable(ledger: &Ledger) -> impl PartialEq + std::fmt::Debug + use<> {
    let runs = (0..).map_while(|run| ledger.run(run).map(|known| (run, known)));
    // Numbers without a run have placeholders, which are left out.
    let runs = runs.filter(|(_, run)| run.attempt > 0 || run.phase != Phase::Quarantined);
    let runs = runs.map(|(run, known)| (run, known.phase, known.token, ledger.studies_of(run)));
    let runs: Vec<_> =
        runs.map(|(run, phase, token, of)| (run, phase, token, of.to_vec())).collect();
    (
        runs,
        ledger.queue().pending(),
        ledger.counts(),
        (0..60).map(|study| ledger.counts_of(study)).collect::<Vec<_>>(),
    )
}

/// Studies are added, extended, reduced, paused and resumed without reloading the ledger.
#[test]
fn the_ledger_in_memory_equals_the_one_in_the_store() {
    let folder = tempfile::tempdir().unwrap();
    let url = StoreUrl::Sqlite(folder.path().join("study.db"));
    let mut harness = harness(folder.path(), Store::open(&url).unwrap(), &url);
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut random_below = |limit: u64| random.random_range(0..limit);
    let mut changed = 0;
    for _ in 0..150 {
        let name = ["a", "b", "c"][random_below(3) as usize];
        match random_below(4) {
            0 => {
                let (first, count) = (random_below(20), random_below(12) + 1);
                let plan = plan_of(name, (first..first + count).collect());
                let (reply, mut replied) = oneshot::channel();
                let plan = Box::new(plan);
                let (caller, claim) = (Caller::anyone(), ClaimChange::default());
                let request = Request::Plan { plan, waiting: false, caller, claim, reply };
                harness.handle.send(request).unwrap();
                while replied.try_recv().is_err() {
                    assert!(harness.writer.process_pending());
                }
                changed += 1;
            }
            1 => {
                let state = StudyState::ALL[random_below(3) as usize];
                let name = name.to_owned();
                let caller = Caller::anyone();
                let request = |reply| Request::SetState { name, state, caller, reply };
                let known = harness.ask(request).unwrap().unwrap();
                changed += u32::from(known);
            }
            _ => {
                for lease in harness.lease() {
                    assert_eq!(harness.commit(&lease), Some(Ok(Verdict::Accepted)));
                }
            }
        }
        assert!(harness.writer.process_pending());
        let leader = harness.writer.leader.as_mut().unwrap();
        let now = Duration::ZERO;
        let LoadedState { ledger, mut tracker, .. } =
            load(&mut leader.store, &harness.writer.config, now).unwrap();
        assert_eq!(observable(&leader.ledger), observable(&ledger));
        let (in_memory, stored) =
            (leader.tracker.snapshot(now, &leader.ledger), tracker.snapshot(now, &ledger));
        assert_eq!(
            (in_memory.studies, in_memory.mean_coverage),
            (stored.studies, stored.mean_coverage)
        );
    }
    assert!(changed > 50 && harness.handle.progress.borrow().done > 10, "{changed}");
}
