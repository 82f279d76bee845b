//! The laws of the ledger under arbitrary events: workers that die, come back, commit
//! late or twice, and a coordinator that starts again from what was saved.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use catherd_coordinator::ledger::{
    Effect, End, Event, Grant, Ledger, Phase, Policy, Run, RunNumber, Token, Verdict,
};
use catherd_coordinator::queue::Queue;
use catherd_experiments::Digest;
use proptest::prelude::*;

const RUNS: u32 = 12;
const POLICY: Policy = Policy { term: Duration::from_secs(10), crashes: 3, losses: 4 };

#[derive(Clone, Debug)]
enum Act {
    Register(u8),
    /// A worker asks; it may not have heard of some of its leases.
    Lease(u8, bool),
    /// A worker renews the leases it heard of.
    Heartbeat(u8),
    /// Any lease ever given is committed, whether it still holds or not.
    Commit(prop::sample::Index, End),
    Wait(u64),
    Restart,
}

fn act() -> impl Strategy<Value = Act> {
    let end = prop_oneof![
        4 => Just(End::Done(Duration::from_millis(5))),
        1 => Just(End::Failed(Duration::from_millis(5))),
        1 => Just(End::Crashed),
        1 => Just(End::Returned),
    ];
    prop_oneof![
        1 => (0..3_u8).prop_map(Act::Register),
        4 => (0..3_u8, prop::bool::weighted(0.2)).prop_map(|(w, lost)| Act::Lease(w, lost)),
        2 => (0..3_u8).prop_map(Act::Heartbeat),
        6 => (any::<prop::sample::Index>(), end).prop_map(|(i, end)| Act::Commit(i, end)),
        2 => (0..12_u64).prop_map(Act::Wait),
        1 => Just(Act::Restart),
    ]
}

/// The world around a ledger: what was saved, and what the outside has seen.
struct World {
    ledger: Ledger,
    now: Duration,
    saved: Vec<(Run, Option<String>)>,
    granted: Vec<Grant>,
    accepted: BTreeMap<RunNumber, Token>,
}

fn queue() -> Queue {
    let mut queue = Queue::default();
    for project in 0..3 {
        queue.add_group(Digest([project; 32]));
    }
    queue
}

fn restore_with(queue: Queue, rows: &[(Run, Option<String>)], now: Duration) -> Ledger {
    let runs = rows.iter().map(|(run, _)| *run).collect();
    let held = (0..).zip(rows).filter_map(|(run, (_, holder))| Some((run, holder.clone()?)));
    Ledger::restore(POLICY, queue, runs, held.collect(), now)
}

fn restore(rows: &[(Run, Option<String>)], now: Duration) -> Ledger {
    restore_with(queue(), rows, now)
}

impl World {
    fn new() -> World {
        let saved: Vec<_> =
            (0..RUNS).map(|run| (Run::new(Phase::Pending, run % 3), None)).collect();
        let ledger = restore(&saved, Duration::ZERO);
        World { ledger, now: Duration::ZERO, saved, granted: Vec::new(), accepted: BTreeMap::new() }
    }

    fn held(&self, worker: &str) -> BTreeSet<Token> {
        self.granted
            .iter()
            .filter(|g| self.ledger.run(g.run).unwrap().token == g.token)
            .filter(|g| self.ledger.holder(g.run) == Some(worker))
            .map(|g| g.token)
            .collect()
    }

    fn play(&mut self, act: &Act) -> Result<(), TestCaseError> {
        let name = |worker: &u8| format!("w{worker}");
        let none = BTreeSet::new();
        match act {
            Act::Register(worker) => self.step(Event::Register { worker: &name(worker) }, None),
            Act::Lease(worker, deaf) => {
                let worker = name(worker);
                let held = if *deaf { BTreeSet::new() } else { self.held(&worker) };
                self.step(Event::Lease { worker: &worker, loaded: &none, held: &held }, None)
            }
            Act::Heartbeat(worker) => {
                let worker = name(worker);
                let held = self.held(&worker);
                self.step(Event::Heartbeat { worker: &worker, held: &held }, None)
            }
            Act::Commit(index, end) => {
                if self.granted.is_empty() {
                    return Ok(());
                }
                let Grant { run, token, .. } = *index.get(&self.granted);
                self.step(Event::Commit { run, token, end: *end }, Some((run, token, *end)))
            }
            Act::Wait(seconds) => {
                self.now += Duration::from_secs(*seconds);
                self.step(Event::Tick, None)
            }
            Act::Restart => {
                self.ledger = restore(&self.saved, self.now);
                Ok(())
            }
        }
    }

    fn step(
        &mut self,
        event: Event<'_>,
        commit: Option<(RunNumber, Token, End)>,
    ) -> Result<(), TestCaseError> {
        let before: Vec<_> = (0..RUNS).map(|run| *self.ledger.run(run).unwrap()).collect();
        let held_by_token = commit.map(|(run, token, _)| {
            before[run as usize].token == token && before[run as usize].phase == Phase::Leased
        });
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
                Effect::Grant(grant) => {
                    let last = self.granted.last().map_or(0, |g| g.token);
                    prop_assert!(grant.token > last, "law 3: {} after {}", grant.token, last);
                    self.granted.push(grant);
                }
                Effect::Verdict(verdict) => {
                    let (run, token, _) = commit.unwrap();
                    // A commit counts exactly when its lease holds, and is a repetition
                    // exactly when it is the accepted one.
                    let live = held_by_token.unwrap();
                    prop_assert_eq!(verdict == Verdict::Accepted, live);
                    if !live {
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
            // A change that is not saved would be undone by a restart.
            prop_assert!(after == before || dirty.contains(&run), "run {} not saved", run);
        }
        self.check_counts()
    }

    fn check_counts(&self) -> Result<(), TestCaseError> {
        let mut counts = [0; Phase::ALL.len()];
        for run in 0..RUNS {
            counts[self.ledger.run(run).unwrap().phase as usize] += 1;
        }
        for phase in Phase::ALL {
            prop_assert_eq!(self.ledger.count(phase), counts[phase as usize], "{:?}", phase);
        }
        prop_assert_eq!(self.ledger.planned(), u64::from(RUNS), "law 2");
        let accepted = self.ledger.count(Phase::Done) + self.ledger.count(Phase::Failed);
        prop_assert_eq!(accepted, self.accepted.len() as u64);
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_laws_hold(acts in prop::collection::vec(act(), 0..120)) {
        let mut world = World::new();
        for act in &acts {
            world.play(act)?;
        }
    }

    /// Whatever happened, a study ends once a worker works without disturbance.
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
                let end = End::Done(Duration::from_millis(1));
                let event = Event::Commit { run: grant.run, token, end };
                world.step(event, Some((grant.run, token, end)))?;
            }
        }
        prop_assert!(world.ledger.is_finished());
    }
}

#[test]
fn only_the_run_in_hand_is_charged_for_a_lost_worker() {
    let mut world = World::new();
    let mut queue = queue();
    for group in 0..3 {
        queue.measure(group, Duration::ZERO);
    }
    world.ledger = restore_with(queue, &world.saved, world.now);
    world.play(&Act::Lease(0, false)).unwrap();
    assert!(world.granted.len() > 1);
    world.play(&Act::Register(0)).unwrap();
    let losses: Vec<_> =
        world.granted.iter().map(|g| world.ledger.run(g.run).unwrap().losses).collect();
    assert_eq!(losses[0], 1);
    assert!(losses[1..].iter().all(|&losses| losses == 0));
}

#[test]
fn a_run_that_crashes_too_often_is_quarantined() {
    let mut world = World::new();
    let mut crashes = 0;
    while world.ledger.count(Phase::Quarantined) == 0 {
        let before = world.granted.len();
        world.play(&Act::Lease(0, false)).unwrap();
        for grant in Vec::from(&world.granted[before..]) {
            if grant.run == 0 {
                crashes += 1;
            }
            let end = if grant.run == 0 { End::Crashed } else { End::Returned };
            let event = Event::Commit { run: grant.run, token: grant.token, end };
            world.step(event, Some((grant.run, grant.token, end))).unwrap();
        }
    }
    assert_eq!(crashes, POLICY.crashes);
}

#[test]
fn a_lease_that_its_worker_never_heard_of_goes_back_at_once() {
    let mut world = World::new();
    world.play(&Act::Lease(0, false)).unwrap();
    let first = world.granted[0];
    world.play(&Act::Lease(0, true)).unwrap();
    let run = world.ledger.run(first.run).unwrap();
    assert_ne!(run.token, first.token);
    assert_eq!(run.losses, 0);
}

#[test]
fn a_late_heartbeat_is_told_to_drop() {
    let mut world = World::new();
    world.play(&Act::Lease(0, false)).unwrap();
    let token = world.granted[0].token;
    world.play(&Act::Wait(11)).unwrap();
    let held = [token].into();
    let effects = world.ledger.step(world.now, Event::Heartbeat { worker: "w0", held: &held });
    assert_eq!(effects, [Effect::Drop(token)]);
}
