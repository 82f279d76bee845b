//! A disk that is really full: SQLite may not make its file larger.

use catherd_experiments::{
    Algorithm, Budget, Digest, Plan, PlannedProject, ProjectSource, Provenance, Resources,
    RunRecord, RunSpec, Study,
};
use tokio::sync::oneshot;

use super::*;
use crate::ledger::{Grant, Verdict};
use crate::store::Reader;

const RUNS: u64 = 12;

fn plan() -> Plan {
    let study = Study {
        name: "study".into(),
        projects: ProjectSource::Paths(Vec::new()),
        algorithms: vec![Algorithm::plain("random")],
        seeds: (1..=RUNS).collect(),
        budget: Budget { executions: Some(1), ..Budget::default() },
        mutation: None,
        race: None,
        subject: "noop".into(),
    };
    let project = PlannedProject { name: "p".into(), digest: Digest::of(b"p") };
    Plan::new(&study, vec![project], |_| Ok(())).unwrap()
}

/// A record of more than a page.
fn record(spec: &RunSpec) -> RunRecord {
    RunRecord {
        run: spec.id(),
        outcome: Outcome::Done,
        reason: String::new(),
        goals: 4,
        covered: vec![0, 1],
        executions: 1,
        steps: 1,
        timeline: Vec::new(),
        suite_tests: 0,
        suite_events: 0,
        minimised_events: 0,
        counts: Default::default(),
        suite: "x".repeat(5000),
        mutants: Vec::new(),
        resources: Resources::default(),
        provenance: Provenance::default(),
    }
}

/// A desk and the way to it.
struct Room {
    desk: Desk,
    requests: Sender<Request>,
}

impl Room {
    /// The answer to a request; none if the store refused.
    fn ask<T>(&mut self, request: impl FnOnce(oneshot::Sender<T>) -> Request) -> Option<T> {
        let (answer, mut answered) = oneshot::channel();
        self.requests.send(request(answer)).unwrap();
        let written = self.desk.turn();
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
        let sealed = Sealed::new(&record, serde_json::to_vec(&record).unwrap());
        let end = Told::Record(Box::new(sealed));
        let completions = vec![Completion { run: grant.run, token: grant.token, end }];
        let request = |answer| Request::Commit { worker: "w".into(), completions, answer };
        self.ask(request)?.pop()
    }

    /// The disk has no room left, or some again.
    fn fill(&mut self, full: bool) {
        let store = &mut self.desk.seat.as_mut().unwrap().store;
        store.limit(if full { 1 } else { 1 << 20 });
    }
}

#[test]
fn a_full_disk_is_told_and_forgets_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let place = Place::File(folder.path().join("study.db"));
    let mut store = Store::open(&place).unwrap();
    store.plan(plan()).unwrap();
    let charge = Charge {
        place: place.clone(),
        archives: folder.path().join("projects"),
        scope: Scope::All,
        policy: Policy::default(),
        witness: None,
    };
    let clock = Arc::new(crate::clock::Manual::default());
    let (desk, requests) = Desk::open(charge, Ok(store), clock, None, false).unwrap();
    let mut room = Room { desk, requests };

    let (mut accepted, mut refused) = (0, 0);
    while accepted < RUNS {
        for lease in room.lease() {
            room.fill(true);
            let mut verdict = room.commit(&lease);
            if verdict.is_none() {
                refused += 1;
                let trouble = room.desk.watch().borrow().trouble.clone().unwrap();
                assert!(trouble.contains("disk is full"), "{trouble}");
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
    assert!(room.desk.turn());
    let records = Reader::open(&place).unwrap().records(0).map(|record| record.unwrap().0.seed);
    assert_eq!(records.collect::<Vec<_>>(), (1..=RUNS).collect::<Vec<_>>());
    let watch = room.desk.watch();
    let progress = watch.borrow();
    assert_eq!((progress.done, &progress.trouble), (RUNS, &None));
}
