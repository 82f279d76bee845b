//! Tests fair shares and quotas of workers in simulated time.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use catherd_coordinator::ids::{RunNumber, StudyNumber, Token};
use catherd_coordinator::ledger::{
    AttemptEnd, Effect, LeaseWish, Ledger, LedgerEvent, LedgerSnapshot, Phase, Policy, RunStatus,
    StudyClaim, StudySet,
};
use catherd_coordinator::queue::{Queue, SubjectEngine};
use catherd_experiments::{Digest, Engines};

const STEP: Duration = Duration::from_millis(50);
const TICK: Duration = Duration::from_millis(200);
const MINUTE: Duration = Duration::from_secs(60);

struct Study {
    owner: &'static str,
    share: u32,
    runs: u32,
    length: Duration,
    from: Duration,
    quota: Option<u32>,
}

fn study(owner: &'static str, share: u32, length_ms: u64) -> Study {
    let length = Duration::from_millis(length_ms);
    Study { owner, share, runs: 40_000, length, from: Duration::ZERO, quota: None }
}

#[derive(Default)]
struct Worker {
    leases: VecDeque<(RunNumber, Token)>,
    /// The time at which the first run ends.
    ends: Duration,
}

/// The study, the start and the end of each executed run.
struct Trace(Vec<(StudyNumber, Duration, Duration)>);

impl Trace {
    /// The time of a study's runs in a period, in seconds.
    fn time(&self, study: StudyNumber, from: Duration, to: Duration) -> f64 {
        let of = self.0.iter().filter(|(of, ..)| *of == study);
        of.map(|(_, start, end)| (*end).min(to).saturating_sub((*start).max(from)).as_secs_f64())
            .sum()
    }

    /// Asserts that in each minute of a period, given in seconds, a study gets this fraction of the
    /// time of all workers, with an error of at most 10 % of the fraction.
    fn assert_share(&self, study: StudyNumber, share: f64, workers: usize, from: u64, to: u64) {
        for start in from..=to - MINUTE.as_secs() {
            let start = Duration::from_secs(start);
            let time = self.time(study, start, start + MINUTE);
            let found = time / (workers as f64 * MINUTE.as_secs_f64());
            let error = (found - share).abs() / share;
            assert!(error <= 0.1, "study {study} has {found:.3} instead of {share} from {start:?}");
        }
    }
}

fn simulate(studies: &[Study], workers: usize, until: u64) -> Trace {
    let mut queue = Queue::default();
    let engine = SubjectEngine { kind: "noop".into(), engine: "1".into() };
    let number = queue.engine_number(&engine);
    let engines: Engines = [(engine.kind, engine.engine)].into();
    let (mut runs, mut of, mut sets) = (Vec::new(), Vec::new(), Vec::new());
    for (study, set) in studies.iter().zip(0..) {
        sets.push(StudySet::new(vec![set], false));
        let groups = [0, 1].map(|part| queue.add_group(Digest([set as u8 * 2 + part; 32]), number));
        for run in 0..study.runs {
            runs.push(RunStatus {
                set,
                ..RunStatus::new(Phase::Pending, groups[run as usize % 2])
            });
            of.push(set);
        }
    }
    let snapshot = LedgerSnapshot { runs, sets, queue, ..LedgerSnapshot::default() };
    let policy = Policy { term: Duration::from_secs(1 << 20), ..Policy::default() };
    let mut ledger = Ledger::restore(policy, snapshot, Duration::ZERO);
    let mut all: BTreeMap<String, Worker> =
        (0..workers).map(|number| (format!("w{number}"), Worker::default())).collect();
    let (mut trace, mut active) = (Vec::new(), 0);
    let (mut now, mut ticked) = (Duration::ZERO, Duration::ZERO);
    let (none, none_held) = (BTreeSet::new(), BTreeSet::new());
    while now < Duration::from_secs(until) {
        let arrived = studies.iter().filter(|study| study.from <= now).count();
        if arrived != active {
            active = arrived;
            let claims = (0..).zip(studies).filter(|(_, study)| study.from <= now);
            let claims = claims.map(|(number, study)| StudyClaim {
                owner: study.owner.to_owned(),
                share: study.share,
                quota: study.quota,
                ..StudyClaim::usual(number)
            });
            ledger.activate_claims(claims.collect());
        }
        for (name, worker) in &mut all {
            while let Some(&(run, token)) = worker.leases.front().filter(|_| worker.ends <= now) {
                let length = studies[of[run as usize] as usize].length;
                trace.push((of[run as usize], worker.ends - length, worker.ends));
                let end = AttemptEnd::Done(length);
                ledger.step(now, LedgerEvent::Commit { worker: name, run, token, end });
                worker.leases.pop_front();
                if let Some(&(next, _)) = worker.leases.front() {
                    worker.ends += studies[of[next as usize] as usize].length;
                }
            }
            if !worker.leases.is_empty() {
                continue;
            }
            let wish = LeaseWish {
                engines: &engines,
                loaded: &none,
                held: &none_held,
                host: "",
                remaining: None,
                withheld: &none,
            };
            for effect in ledger.step(now, LedgerEvent::Lease { worker: name, wish }) {
                if let Effect::Grant(grant) = effect {
                    worker.leases.push_back((grant.run, grant.token));
                }
            }
            if let Some(&(first, _)) = worker.leases.front() {
                worker.ends = now + studies[of[first as usize] as usize].length;
            }
        }
        now += STEP;
        if now - ticked >= TICK {
            ticked = now;
            ledger.step(now, LedgerEvent::Tick);
        }
    }
    Trace(trace)
}

#[test]
#[ignore = "slow"]
fn two_owners_get_their_shares_over_any_minute() {
    for (share, fraction) in [(1, 0.5), (3, 0.75)] {
        for (lengths, workers) in [
            ([300, 300], 4),
            ([100, 1000], 2),
            ([2000, 2000], 3),
            ([5000, 200], 8),
            ([150, 9000], 12),
            ([50, 50], 1),
        ] {
            let studies = [study("ada", share, lengths[0]), study("bob", 1, lengths[1])];
            let trace = simulate(&studies, workers, 200);
            trace.assert_share(0, fraction, workers, 0, 180);
            trace.assert_share(1, 1.0 - fraction, workers, 0, 180);
        }
    }
}

/// Runs are not interrupted, so shares of long runs are fair only over longer periods.
#[test]
fn long_runs_get_their_share_in_the_long_run() {
    for lengths in [[100_000, 100_000], [60_000, 500]] {
        let studies = [study("ada", 3, lengths[0]), study("bob", 1, lengths[1])];
        let trace = simulate(&studies, 2, 4000);
        let (from, to) = (Duration::ZERO, Duration::from_secs(3800));
        let time = [0, 1].map(|study| trace.time(study, from, to));
        let found = time[0] / (time[0] + time[1]);
        assert!((found - 0.75).abs() < 0.05, "{found} {lengths:?}");
    }
}

#[test]
fn studies_of_an_owner_divide_the_share_of_the_owner() {
    let studies =
        [study("ada", 1, 300), study("ada", 1, 700), study("ada", 2, 200), study("bob", 2, 400)];
    let trace = simulate(&studies, 6, 200);
    for (study, share) in [(0, 0.125), (1, 0.125), (2, 0.25), (3, 0.5)] {
        trace.assert_share(study, share, 6, 10, 180);
    }
}

#[test]
fn a_study_that_arrives_later_gets_its_share_at_once_and_no_more() {
    let late = Study { from: Duration::from_secs(100), ..study("bob", 1, 400) };
    let studies = [study("ada", 1, 250), late];
    let trace = simulate(&studies, 4, 250);
    trace.assert_share(0, 1.0, 4, 0, 99);
    trace.assert_share(0, 0.5, 4, 101, 240);
    trace.assert_share(1, 0.5, 4, 101, 240);
}

#[test]
fn a_small_study_is_not_starved_by_a_large_one() {
    let large = Study { runs: 200, ..study("ada", 1, 5000) };
    let small = Study { runs: 40, from: Duration::from_secs(20), ..study("bob", 1, 500) };
    let trace = simulate(&[large, small], 4, 100);
    let ended: Vec<_> = trace.0.iter().filter(|(study, ..)| *study == 1).collect();
    assert_eq!(ended.len(), 40);
    let last = ended.iter().map(|(_, _, end)| *end).max().unwrap();
    assert!(last < Duration::from_secs(45), "{last:?}");
}

#[test]
fn a_quota_limits_the_workers_of_a_study() {
    let limited = Study { quota: Some(2), ..study("ada", 3, 300) };
    let trace = simulate(&[limited, study("bob", 1, 300)], 8, 130);
    trace.assert_share(0, 0.25, 8, 5, 120);
    trace.assert_share(1, 0.75, 8, 5, 120);
}
