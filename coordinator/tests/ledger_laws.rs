//! Tests the laws of the ledger under random events.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use catherd_coordinator::ids::{RunNumber, Token};
use catherd_coordinator::ledger::{
    AttemptEnd, Effect, Grant, LeaseWish, Ledger, LedgerEvent, LedgerSnapshot, Phase, Policy,
    RunStatus, StudySet, Verdict,
};
use catherd_coordinator::queue::{Queue, SubjectEngine};
use catherd_experiments::{Digest, Engines};
use proptest::prelude::*;

const RUNS: u32 = 12;
const POLICY: Policy = Policy {
    term: Duration::from_secs(10),
    max_crashes: 3,
    max_losses: 4,
    max_consecutive_crashes: 4,
};

fn wish<'a>(
    engines: &'a Engines,
    none: &'a BTreeSet<Digest>,
    held: &'a BTreeSet<Token>,
) -> LeaseWish<'a> {
    LeaseWish { engines, loaded: none, held, host: "", remaining: None, withheld: none }
}

#[derive(Clone, Debug)]
enum Act {
    Register(u8),
    /// A worker requests leases. With the flag, it has not received its earlier leases.
    Lease(u8, bool),
    Heartbeat(u8),
    /// A granted lease, which may have ended, is committed: with the flag by its worker, otherwise
    /// by a stranger.
    Commit(prop::sample::Index, AttemptEnd, bool),
    Wait(u64),
    Restart,
}

fn act() -> impl Strategy<Value = Act> {
    let end = prop_oneof![
        4 => Just(AttemptEnd::Done(Duration::from_millis(5))),
        1 => Just(AttemptEnd::Failed(Duration::from_millis(5))),
        1 => Just(AttemptEnd::Crashed),
        1 => Just(AttemptEnd::Returned),
    ];
    prop_oneof![
        1 => (0..3_u8).prop_map(Act::Register),
        4 => (0..3_u8, prop::bool::weighted(0.2)).prop_map(|(w, lost)| Act::Lease(w, lost)),
        2 => (0..3_u8).prop_map(Act::Heartbeat),
        6 => (any::<prop::sample::Index>(), end, prop::bool::weighted(0.9))
            .prop_map(|(i, end, own)| Act::Commit(i, end, own)),
        2 => (0..12_u64).prop_map(Act::Wait),
        1 => Just(Act::Restart),
    ]
}

struct World {
    ledger: Ledger,
    now: Duration,
    saved: Vec<(RunStatus, Option<String>)>,
    /// The workers on which runs crashed, as the store keeps them.
    crashed_on: CrashedOn,
    granted: Vec<Grant>,
    holders: BTreeMap<Token, String>,
    /// The leases that workers believe they hold.
    believed: BTreeMap<Token, String>,
    accepted: BTreeMap<RunNumber, Token>,
}

fn engines() -> Engines {
    [("kind".to_owned(), "e".to_owned())].into()
}

fn queue() -> Queue {
    let mut queue = Queue::default();
    let engine = SubjectEngine { kind: "kind".into(), engine: "e".into() };
    let engine = queue.engine_number(&engine);
    for project in 0..3 {
        queue.add_group(Digest([project; 32]), engine);
    }
    queue
}

type CrashedOn = BTreeMap<RunNumber, BTreeSet<String>>;

fn restore_with(
    queue: Queue,
    rows: &[(RunStatus, Option<String>)],
    crashed_on: &CrashedOn,
    now: Duration,
) -> Ledger {
    let runs = rows.iter().map(|(run, _)| *run).collect();
    let held = (0..).zip(rows).filter_map(|(run, (_, holder))| Some((run, holder.clone()?)));
    let (holders, crashed_on) = (held.collect(), crashed_on.clone());
    let sets = vec![StudySet::new(vec![0], true)];
    Ledger::restore(POLICY, LedgerSnapshot { runs, sets, queue, holders, crashed_on }, now)
}

impl World {
    fn new() -> World {
        let saved: Vec<_> =
            (0..RUNS).map(|run| (RunStatus::new(Phase::Pending, run % 3), None)).collect();
        let crashed_on = CrashedOn::new();
        let ledger = restore_with(queue(), &saved, &crashed_on, Duration::ZERO);
        let (granted, believed) = (Vec::new(), BTreeMap::new());
        let (now, accepted) = (Duration::ZERO, BTreeMap::new());
        let holders = BTreeMap::new();
        World { ledger, now, saved, crashed_on, granted, holders, believed, accepted }
    }

    fn held(&self, worker: &str) -> BTreeSet<Token> {
        let own = self.believed.iter().filter(|(_, name)| *name == worker);
        own.map(|(&token, _)| token).collect()
    }

    fn play(&mut self, act: &Act) -> Result<(), TestCaseError> {
        let name = |worker: &u8| format!("w{worker}");
        let (none, engines) = (BTreeSet::new(), engines());
        match act {
            Act::Register(worker) => {
                self.believed.retain(|_, holder| *holder != name(worker));
                self.step(LedgerEvent::Register { worker: &name(worker) }, None)
            }
            Act::Lease(worker, deaf) => {
                let worker = name(worker);
                if *deaf {
                    self.believed.retain(|_, holder| *holder != worker);
                }
                let held = self.held(&worker);
                let wish = wish(&engines, &none, &held);
                self.step(LedgerEvent::Lease { worker: &worker, wish }, None)
            }
            Act::Heartbeat(worker) => {
                let worker = name(worker);
                let held = self.held(&worker);
                self.step(LedgerEvent::Heartbeat { worker: &worker, held: &held }, None)
            }
            Act::Commit(index, end, own) => {
                if self.granted.is_empty() {
                    return Ok(());
                }
                let Grant { run, token, .. } = *index.get(&self.granted);
                if *own {
                    self.believed.remove(&token);
                    return self.commit(run, token, *end);
                }
                let event = LedgerEvent::Commit { worker: "stranger", run, token, end: *end };
                self.step(event, Some((run, token, *end)))
            }
            Act::Wait(seconds) => {
                self.now += Duration::from_secs(*seconds);
                self.step(LedgerEvent::Tick, None)
            }
            Act::Restart => {
                self.ledger = restore_with(queue(), &self.saved, &self.crashed_on, self.now);
                Ok(())
            }
        }
    }

    /// Commits as the worker to which the lease was granted.
    fn commit(
        &mut self,
        run: RunNumber,
        token: Token,
        end: AttemptEnd,
    ) -> Result<(), TestCaseError> {
        let worker = self.holders[&token].clone();
        self.step(LedgerEvent::Commit { worker: &worker, run, token, end }, Some((run, token, end)))
    }

    fn step(
        &mut self,
        event: LedgerEvent<'_>,
        commit: Option<(RunNumber, Token, AttemptEnd)>,
    ) -> Result<(), TestCaseError> {
        let before: Vec<_> = (0..RUNS).map(|run| *self.ledger.run(run).unwrap()).collect();
        let latest = commit.map(|(run, token, _)| {
            let RunStatus { phase, token: latest, .. } = before[run as usize];
            (latest == token).then_some(phase)
        });
        let (asking, believing) = match event {
            LedgerEvent::Lease { worker, wish } => (Some(worker.to_owned()), wish.held.clone()),
            LedgerEvent::Heartbeat { worker, held } => (Some(worker.to_owned()), held.clone()),
            _ => (None, BTreeSet::new()),
        };
        let committer = match event {
            LedgerEvent::Commit { worker, .. } => Some(worker.to_owned()),
            _ => None,
        };
        let holder = commit.and_then(|(run, ..)| self.ledger.holder(run).map(str::to_owned));
        let drained = self.drained();
        let effects = self.ledger.step(self.now, event);
        let mut dirty = BTreeSet::new();
        for effect in effects {
            match effect {
                Effect::Save(run) => {
                    dirty.insert(run);
                    let holder = self.ledger.holder(run).map(str::to_owned);
                    self.saved[run as usize] = (*self.ledger.run(run).unwrap(), holder);
                }
                Effect::Accept(run) => {
                    let (of, token, _) = commit.unwrap();
                    prop_assert_eq!(run, of);
                    let earlier = self.accepted.insert(run, token);
                    prop_assert_eq!(earlier, None, "law 1: run {} accepted twice", run);
                }
                Effect::Crashed { run, .. } => {
                    self.crashed_on.entry(run).or_default().extend(holder.clone());
                }
                Effect::Grant(grant) => {
                    let last = self.granted.last().map_or(0, |g| g.token);
                    prop_assert!(grant.token > last, "law 3: {} after {}", grant.token, last);
                    self.granted.push(grant);
                    self.holders.insert(grant.token, asking.clone().unwrap());
                    self.believed.insert(grant.token, asking.clone().unwrap());
                }
                Effect::DropLease(token) => {
                    prop_assert!(self.believed.remove(&token).is_some());
                }
                Effect::Verdict(Verdict::OtherHolder) => {
                    let (_, token, _) = commit.unwrap();
                    prop_assert_ne!(committer.as_ref(), self.holders.get(&token));
                    prop_assert!(dirty.is_empty(), "a worker ended the lease of another");
                }
                Effect::Verdict(verdict) => {
                    let (run, token, _) = commit.unwrap();
                    let own = committer.as_ref() == self.holders.get(&token);
                    prop_assert!(own || verdict != Verdict::Accepted, "fencing");
                    // A commit is accepted if its lease has not ended, or has expired and the run
                    // was not leased again. It counts as repeated only if it is the commit that was
                    // accepted.
                    let phase = latest.unwrap();
                    let (open, expired) = (Some(Phase::Leased), Some(Phase::Pending));
                    let counts = verdict == Verdict::Accepted;
                    let fits =
                        if counts { phase == open || phase == expired } else { phase != open };
                    prop_assert!(fits, "{:?} with {:?}", verdict, phase);
                    if !counts {
                        let repeated = self.accepted.get(&run) == Some(&token);
                        prop_assert_eq!(verdict == Verdict::Repeated, repeated);
                    }
                }
                _ => {}
            }
        }
        for (run, before) in (0..RUNS).zip(&before) {
            let after = self.ledger.run(run).unwrap();
            if before.phase.is_final() {
                prop_assert_eq!(after, before, "law 4: run {} changed after its end", run);
            }
            if after.phase == Phase::Leased && before.phase != Phase::Leased {
                // The run was leased again, or reinstated for its last worker.
                let anew = after.token > before.token;
                let again = after.token == before.token && believing.contains(&after.token);
                prop_assert!(anew || again, "run {} was leased to the wrong worker", run);
            }
            let reverted = after.losses < before.losses;
            let heard = asking.is_some() || commit.is_some();
            prop_assert!(!reverted || heard, "a loss of run {} was reverted", run);
            // A change that is not stored would be undone by a restart.
            prop_assert!(after == before || dirty.contains(&run), "run {} not saved", run);
        }
        let all = self.ledger.workers().len();
        let drains = self.drained().iter().any(|name| !drained.contains(name));
        prop_assert!(!drains || self.drained().len() < all, "law 5: all workers are drained");
        self.check_counts()
    }

    fn drained(&self) -> BTreeSet<String> {
        let drained = self.ledger.workers().filter(|worker| worker.drained);
        drained.map(|worker| worker.name.to_owned()).collect()
    }

    fn check_counts(&self) -> Result<(), TestCaseError> {
        let mut counts = [0; Phase::Quarantined as usize + 1];
        for run in 0..RUNS {
            counts[self.ledger.run(run).unwrap().phase as usize] += 1;
        }
        for phase in Phase::ALL {
            prop_assert_eq!(self.ledger.counts().of(phase), counts[phase as usize], "{:?}", phase);
        }
        prop_assert_eq!(self.ledger.counts().planned(), u64::from(RUNS), "law 2");
        let accepted =
            self.ledger.counts().of(Phase::Done) + self.ledger.counts().of(Phase::Failed);
        prop_assert_eq!(accepted, self.accepted.len() as u64);
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    #[ignore = "slow"]
    fn the_laws_hold(acts in prop::collection::vec(act(), 0..120)) {
        let mut world = World::new();
        for act in &acts {
            world.play(act)?;
        }
    }

    /// After any events, a study ends if a worker works without faults.
    #[test]
    fn a_study_ends(acts in prop::collection::vec(act(), 0..60)) {
        let mut world = World::new();
        for act in &acts {
            world.play(act)?;
        }
        for _ in 0..200 {
            if world.ledger.is_finished() {
                break;
            }
            world.play(&Act::Wait(11))?;
            world.play(&Act::Register(9))?;
            world.play(&Act::Lease(9, false))?;
            for token in world.held("w9") {
                let grant = *world.granted.iter().find(|g| g.token == token).unwrap();
                let end = AttemptEnd::Done(Duration::from_millis(1));
                world.commit(grant.run, token, end)?;
            }
        }
        prop_assert!(world.ledger.is_finished());
    }
}

#[test]
fn a_lost_worker_counts_as_a_loss_of_the_run_in_hand_only() {
    let mut world = World::new();
    let mut queue = queue();
    for group in 0..3 {
        queue.record_time(group, Duration::ZERO);
    }
    world.ledger = restore_with(queue, &world.saved, &world.crashed_on, world.now);
    world.play(&Act::Lease(0, false)).unwrap();
    assert!(world.granted.len() > 1);
    world.play(&Act::Register(0)).unwrap();
    let losses: Vec<_> =
        world.granted.iter().map(|g| world.ledger.run(g.run).unwrap().losses).collect();
    assert_eq!(losses[0], 1);
    assert!(losses[1..].iter().all(|&losses| losses == 0));
}

/// Every attempt at the run crashes; other runs are returned. Returns the workers on which the run
/// crashed.
fn crash(world: &mut World, run: RunNumber, workers: &[u8]) -> Vec<String> {
    let mut crashed_on = Vec::new();
    for &worker in workers.iter().cycle().take(100) {
        if world.ledger.run(run).unwrap().phase == Phase::Quarantined {
            break;
        }
        let before = world.granted.len();
        world.play(&Act::Lease(worker, false)).unwrap();
        for grant in Vec::from(&world.granted[before..]) {
            let end = if grant.run == run { AttemptEnd::Crashed } else { AttemptEnd::Returned };
            if grant.run == run {
                crashed_on.push(format!("w{worker}"));
            }
            world.commit(grant.run, grant.token, end).unwrap();
        }
    }
    crashed_on
}

#[test]
fn a_run_that_crashes_too_often_is_quarantined() {
    let mut single_worker = World::new();
    let crashed_on = crash(&mut single_worker, 0, &[0]);
    assert_eq!(crashed_on.len() as u32, 2 * POLICY.max_crashes);

    let mut pair = World::new();
    pair.play(&Act::Register(1)).unwrap();
    assert_eq!(crash(&mut pair, 0, &[0, 1]), ["w0", "w1", "w0"]);

    // The run is leased to each of three workers in turn.
    let mut world = World::new();
    world.play(&Act::Register(1)).unwrap();
    world.play(&Act::Register(2)).unwrap();
    let crashed_on = crash(&mut world, 0, &[0, 1, 2]);
    assert_eq!(crashed_on.len() as u32, POLICY.max_crashes);
    assert_eq!(crashed_on.iter().collect::<BTreeSet<_>>().len(), 3);
}

/// Leases runs for a worker, on which all of them crash. Returns the runs.
fn crash_all(world: &mut World, worker: u8) -> Vec<RunNumber> {
    let before = world.granted.len();
    world.play(&Act::Lease(worker, false)).unwrap();
    let grants = Vec::from(&world.granted[before..]);
    for &Grant { run, token, .. } in &grants {
        world.commit(run, token, AttemptEnd::Crashed).unwrap();
    }
    grants.iter().map(|grant| grant.run).collect()
}

#[test]
fn a_worker_on_which_everything_crashes_is_drained_unless_it_is_the_last() {
    let mut world = World::new();
    world.play(&Act::Register(1)).unwrap();
    let mut crashed = BTreeSet::new();
    while crashed.len() < POLICY.max_consecutive_crashes {
        crashed.extend(crash_all(&mut world, 0));
    }
    let before = world.granted.len();
    world.play(&Act::Lease(0, false)).unwrap();
    assert_eq!(world.granted.len(), before);
    let nothing = BTreeSet::new();
    let beat = LedgerEvent::Heartbeat { worker: "w0", held: &nothing };
    assert_eq!(world.ledger.step(world.now, beat), [Effect::Drain]);
    let mut others = BTreeSet::new();
    while !world.ledger.is_finished() {
        let runs = crash_all(&mut world, 1);
        assert!(!runs.is_empty(), "the last worker is drained");
        others.extend(runs.into_iter().filter(|run| !crashed.contains(run)));
    }
    assert!(others.len() > POLICY.max_consecutive_crashes);
    assert_eq!(world.drained(), ["w0".to_owned()].into());
}

#[test]
fn runs_of_paused_studies_are_not_leased_but_may_be_committed() {
    let mut world = World::new();
    world.play(&Act::Lease(0, false)).unwrap();
    let Grant { run, token, .. } = world.granted[0];
    let rows = world.saved.clone();
    let saved = LedgerSnapshot {
        runs: rows.iter().map(|(run, _)| *run).collect(),
        sets: vec![StudySet::new(vec![0], false)],
        queue: queue(),
        holders: [(run, "w0".to_owned())].into(),
        crashed_on: CrashedOn::new(),
    };
    world.ledger = Ledger::restore(POLICY, saved, world.now);
    assert!(world.ledger.is_finished());
    let counts = world.ledger.counts_of(0);
    assert_eq!((counts.planned(), counts.of(Phase::Leased)), (u64::from(RUNS), 1));
    let (none, held) = (BTreeSet::new(), [token].into());
    let engines = engines();
    let lease = LedgerEvent::Lease { worker: "w0", wish: wish(&engines, &none, &held) };
    assert_eq!(world.ledger.step(world.now, lease), []);
    let end = AttemptEnd::Done(Duration::ZERO);
    let done = LedgerEvent::Commit { worker: "w0", run, token, end };
    let effects = world.ledger.step(world.now, done);
    assert!(effects.contains(&Effect::Verdict(Verdict::Accepted)));
}

#[test]
fn only_its_holder_ends_a_lease() {
    let mut world = World::new();
    world.play(&Act::Lease(0, false)).unwrap();
    let Grant { run, token, .. } = world.granted[0];
    let ends = [AttemptEnd::Done(Duration::ZERO), AttemptEnd::Crashed, AttemptEnd::Returned];
    for expired in [false, true] {
        if expired {
            world.play(&Act::Wait(11)).unwrap();
        }
        let before = *world.ledger.run(run).unwrap();
        for end in ends {
            let commit = LedgerEvent::Commit { worker: "w1", run, token, end };
            let effects = world.ledger.step(world.now, commit);
            assert_eq!(effects, [Effect::Verdict(Verdict::OtherHolder)]);
            assert_eq!(*world.ledger.run(run).unwrap(), before);
        }
    }
    world.commit(run, token, ends[0]).unwrap();
    assert_eq!(world.accepted[&run], token);
}

#[test]
fn a_lease_that_did_not_reach_its_worker_ends_at_once() {
    let mut world = World::new();
    world.play(&Act::Lease(0, false)).unwrap();
    let first = world.granted[0];
    world.play(&Act::Lease(0, true)).unwrap();
    let run = world.ledger.run(first.run).unwrap();
    assert_ne!(run.token, first.token);
    assert_eq!(run.losses, 0);
}

fn expired_lease() -> (World, Grant) {
    let mut world = World::new();
    world.play(&Act::Lease(0, false)).unwrap();
    let grant = world.granted[0];
    world.play(&Act::Wait(11)).unwrap();
    let run = world.ledger.run(grant.run).unwrap();
    assert_eq!((run.phase, run.losses), (Phase::Pending, 1));
    (world, grant)
}

#[test]
fn an_expired_lease_is_reinstated_unless_the_run_was_leased_again() {
    for act in [Act::Heartbeat(0), Act::Lease(0, false)] {
        let (mut world, Grant { run, token, attempt }) = expired_lease();
        world.play(&act).unwrap();
        let RunStatus { phase, token: latest, losses, .. } = *world.ledger.run(run).unwrap();
        assert_eq!((phase, latest, losses), (Phase::Leased, token, 0));
        assert_eq!(world.ledger.holder(run), Some("w0"));
        // Another worker is granted other runs.
        let before = world.granted.len();
        world.play(&Act::Lease(1, false)).unwrap();
        assert!(world.granted[before..].iter().all(|grant| grant.run != run));
        let done = AttemptEnd::Done(Duration::ZERO);
        world.commit(run, token, done).unwrap();
        assert_eq!((world.accepted[&run], attempt), (token, 1));
    }
}

#[test]
fn a_worker_that_reappears_too_late_drops_the_lease_and_the_loss_is_reverted() {
    let (mut world, Grant { run, token, .. }) = expired_lease();
    while world.ledger.holder(run).is_none() {
        world.play(&Act::Lease(1, false)).unwrap();
    }
    let held = [token].into();
    let effects =
        world.ledger.step(world.now, LedgerEvent::Heartbeat { worker: "w0", held: &held });
    let reverted = Effect::LossReverted { run, attempt: 1 };
    assert_eq!(effects, [reverted, Effect::Save(run), Effect::DropLease(token)]);
    let after = world.ledger.run(run).unwrap();
    assert_eq!((world.ledger.holder(run), after.losses), (Some("w1"), 0));
}

#[test]
fn a_late_commit_counts_unless_the_run_was_leased_again() {
    let (mut world, Grant { run, token, .. }) = expired_lease();
    let done = AttemptEnd::Done(Duration::ZERO);
    world.commit(run, token, done).unwrap();
    assert_eq!(world.accepted[&run], token);
    // The run is not leased any more.
    for _ in 0..RUNS {
        world.play(&Act::Lease(1, false)).unwrap();
    }
    assert!(world.granted[1..].iter().all(|grant| grant.run != run));

    let (mut world, Grant { run, token, .. }) = expired_lease();
    let crashed = AttemptEnd::Crashed;
    world.commit(run, token, crashed).unwrap();
    let after = world.ledger.run(run).unwrap();
    assert_eq!((after.crashes, after.losses), (1, 0));

    let (mut world, Grant { run, token, .. }) = expired_lease();
    world.play(&Act::Register(0)).unwrap();
    let held = [token].into();
    let beat = LedgerEvent::Heartbeat { worker: "w0", held: &held };
    assert_eq!(
        world.ledger.step(world.now, beat),
        [Effect::DropLease(token)],
        "its process has exited"
    );
    assert_eq!(world.ledger.run(run).unwrap().losses, 1);
}
