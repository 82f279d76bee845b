//! A disk that is really full: SQLite may not make its file larger.

use std::collections::BTreeSet;

use catherd_experiments::format_1::subject_info;
use catherd_experiments::{
    Algorithm, Budget, Criterion, Digest, Plan, PlannedProject, ProjectSource, RunRecord, RunSpec,
    Study,
};
use tokio::sync::oneshot;

use super::load::{Loaded, load};
use super::*;
use crate::ledger::{Grant, Ledger, Phase, Verdict};
use crate::store::{Reader, StoredRecord, StudyState};

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
        subject: None,
    };
    let project = PlannedProject { name: "p".into(), digest: Digest::of(b"p") };
    Plan::new(&study, &subject_info("noop", "noop/1"), vec![project], |_| Ok(())).unwrap()
}

/// A record of more than a page.
fn record(spec: &RunSpec) -> RunRecord {
    let goals = Criterion { name: "goals".into(), goals: 4, covered: vec![0, 1] };
    RunRecord {
        work: [("executions".to_owned(), 1)].into(),
        artifacts: [("suite.txt".to_owned(), "x".repeat(5000))].into(),
        ..RunRecord::new(spec, vec![goals])
    }
}

/// A writer and the way to it.
struct Room {
    writer: Writer,
    requests: Sender<Request>,
}

impl Room {
    /// The answer to a request; none if the store refused.
    fn ask<T>(&mut self, request: impl FnOnce(oneshot::Sender<T>) -> Request) -> Option<T> {
        let (answer, mut answered) = oneshot::channel();
        self.requests.send(request(answer)).unwrap();
        let written = self.writer.process_pending();
        let answer = answered.try_recv().ok();
        assert_eq!(written, answer.is_some());
        answer
    }

    fn lease(&mut self) -> Vec<(Grant, Vec<u8>)> {
        let (loaded, held) = (BTreeSet::new(), BTreeSet::new());
        let request = |answer| Request::Lease { worker: "w".into(), loaded, held, answer };
        self.ask(request).unwrap().0
    }

    fn commit(&mut self, (grant, spec): &(Grant, Vec<u8>)) -> Option<Outcomes> {
        let record = record(&serde_json::from_slice(spec).unwrap());
        let stored = StoredRecord::new(&record, serde_json::to_vec(&record).unwrap());
        let end = AttemptResult::Record(Box::new(stored));
        let completions = vec![Completion { run: grant.run, token: grant.token, end }];
        let request = |answer| Request::Commit { worker: "w".into(), completions, answer };
        self.ask(request)?.pop()
    }

    /// The disk has no room left, or some again.
    fn fill(&mut self, full: bool) {
        let store = &mut self.writer.leader.as_mut().unwrap().store;
        store.limit(if full { 1 } else { 1 << 20 });
    }
}

fn room(folder: &std::path::Path, store: Store, url: &StoreUrl) -> Room {
    let config = WriterConfig {
        url: url.clone(),
        archives: folder.join("projects"),
        scope: Scope::All,
        policy: Policy::default(),
        observer: None,
    };
    let clock = Arc::new(crate::clock::Manual::default());
    let (writer, requests) = Writer::open(config, Ok(store), clock, None, false).unwrap();
    Room { writer, requests }
}

#[test]
fn a_full_disk_is_told_and_forgets_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let url = StoreUrl::Sqlite(folder.path().join("study.db"));
    let mut store = Store::open(&url).unwrap();
    store.plan(plan()).unwrap();
    let mut room = room(folder.path(), store, &url);

    let (mut accepted, mut refused) = (0, 0);
    while accepted < RUNS {
        for lease in room.lease() {
            room.fill(true);
            let mut verdict = room.commit(&lease);
            if verdict.is_none() {
                refused += 1;
                let last_error = room.writer.watch().borrow().last_error.clone().unwrap();
                assert!(last_error.contains("disk is full"), "{last_error}");
                // As often as somebody asks.
                assert_eq!(room.commit(&lease), None);
            }
            room.fill(false);
            verdict = verdict.or_else(|| room.commit(&lease));
            assert_eq!(verdict, Some(Ok(Verdict::Accepted)));
            accepted += 1;
        }
    }
    assert!(refused > 3, "{refused} of {RUNS}");
    assert!(room.writer.process_pending());
    let records = Reader::open(&url).unwrap().records(0).map(|record| record.unwrap().0.seed);
    assert_eq!(records.collect::<Vec<_>>(), (1..=RUNS).collect::<Vec<_>>());
    let watch = room.writer.watch();
    let progress = watch.borrow();
    assert_eq!((progress.done, &progress.last_error), (RUNS, &None));
}

/// What can be seen of a ledger: its runs with their studies, the studies' counts, and the runs
/// in the order in which they would be given out.
fn seen(ledger: &Ledger) -> impl PartialEq + std::fmt::Debug + use<> {
    let runs = (0..).map_while(|run| ledger.run(run).map(|known| (run, known)));
    let runs = runs.filter(|(_, run)| run.group > 0 || run.phase != Phase::Quarantined);
    let runs = runs.map(|(run, known)| (run, known.phase, known.token, ledger.studies_of(run)));
    let runs: Vec<_> =
        runs.map(|(run, phase, token, of)| (run, phase, token, of.to_vec())).collect();
    let mut queue = ledger.queue().clone();
    let batches = std::iter::repeat_with(|| queue.take(&BTreeSet::new(), 1, |_| false));
    let waiting: Vec<_> = batches.take_while(|batch| !batch.is_empty()).flatten().collect();
    (
        runs,
        waiting,
        ledger.counts(),
        (0..4).map(|study| ledger.counts_of(study)).collect::<Vec<_>>(),
    )
}

/// Studies are added, extended, made smaller, paused and resumed, and nothing is loaded again.
#[test]
fn what_is_known_is_what_the_store_says() {
    let folder = tempfile::tempdir().unwrap();
    let url = StoreUrl::Sqlite(folder.path().join("study.db"));
    let mut room = room(folder.path(), Store::open(&url).unwrap(), &url);
    let mut dice = 1_u64;
    let mut roll = |sides: u64| {
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (dice >> 33) % sides
    };
    let mut changed = 0;
    for _ in 0..150 {
        let name = ["a", "b", "c"][roll(3) as usize];
        match roll(4) {
            0 => {
                let (first, count) = (roll(20), roll(12) + 1);
                let plan = plan_of(name, (first..first + count).collect());
                let (answer, mut answered) = oneshot::channel();
                room.requests.send(Request::Plan { plan: Box::new(plan), answer }).unwrap();
                while answered.try_recv().is_err() {
                    assert!(room.writer.process_pending());
                }
                changed += 1;
            }
            1 => {
                let state = StudyState::ALL[roll(3) as usize];
                let name = name.to_owned();
                let known = room.ask(|answer| Request::SetState { name, state, answer }).unwrap();
                changed += u32::from(known);
            }
            _ => {
                for lease in room.lease() {
                    assert_eq!(room.commit(&lease), Some(Ok(Verdict::Accepted)));
                }
            }
        }
        assert!(room.writer.process_pending());
        let leader = room.writer.leader.as_mut().unwrap();
        let now = Duration::ZERO;
        let Loaded { ledger, mut tracker, .. } =
            load(&mut leader.store, &room.writer.config, now).unwrap();
        assert_eq!(seen(&leader.ledger), seen(&ledger));
        let (known, stored) =
            (leader.tracker.snapshot(now, &leader.ledger), tracker.snapshot(now, &ledger));
        assert_eq!((known.studies, known.mean_coverage), (stored.studies, stored.mean_coverage));
    }
    assert!(changed > 50 && room.writer.watch().borrow().done > 10, "{changed}");
}
