//! Tests the search on a small system: a number that actions increase, decrease and double.

use std::ops::ControlFlow;

use catherd_search::{Budget, Stop, Stream};

use super::archive::{Archive, Offer};
use super::{Cells, Counts, Explore, StateSpace, bucket, explore};
use crate::account::{Account, Counted};

/// State of a system with a number that starts at 0. The goals are to reach exactly 7, 77 and 777,
/// in this order; above 1,000 the number no longer changes.
#[derive(Clone, Copy, Debug, Default)]
struct Now {
    number: i64,
    reached: usize,
    steps: u64,
}

#[derive(Debug, Default)]
struct Toy {
    now: Now,
    dependencies: Vec<Vec<usize>>,
}

const WANTED: [i64; 3] = [7, 77, 777];

impl Toy {
    fn new() -> Self {
        Self { dependencies: vec![vec![], vec![0], vec![1]], ..Self::default() }
    }
}

impl StateSpace for Toy {
    type State = Now;
    type Action = u64;

    fn goals(&self) -> usize {
        3
    }
    fn independent(&self) -> &[usize] {
        &[0, 1, 2]
    }
    fn dependencies(&self) -> &[Vec<usize>] {
        &self.dependencies
    }
    fn root(&mut self, _: u64) -> Now {
        self.now = Now::default();
        self.now
    }
    fn enter(&mut self, state: &Now) {
        self.now = *state;
    }
    fn propose(&mut self, rng: &mut Stream, _: Option<u64>) -> Option<u64> {
        Some(rng.below(3))
    }
    fn act(&mut self, action: u64) -> (u64, bool) {
        let now = &mut self.now;
        if now.number <= 1_000 {
            now.number = [now.number + 1, now.number - 1, 2 * now.number][action as usize];
        }
        now.steps += 1;
        if now.reached < 3 && now.number == WANTED[now.reached] {
            now.reached += 1;
        }
        (1, false)
    }
    fn idle(&mut self, steps: u64) -> bool {
        self.now.steps += steps;
        false
    }
    fn length(&self) -> u64 {
        self.now.steps
    }
    fn length_of(&self, state: &Now) -> u64 {
        state.steps
    }
    fn fitness(&mut self, to: &mut Vec<f64>) {
        to.clear();
        to.extend((0..3).map(|goal| {
            if goal < self.now.reached {
                0.0
            } else if goal > self.now.reached {
                f64::INFINITY
            } else {
                let distance = (WANTED[goal] - self.now.number).abs() as f64;
                1.0 + distance / (1.0 + distance)
            }
        }));
    }
    fn place(&mut self, _: usize) -> u64 {
        self.now.number as u64
    }
    fn novelty(&mut self) -> u64 {
        self.now.number as u64
    }
    fn digest(&self) -> u128 {
        u128::from(self.now.number.cast_unsigned()) << 2 | self.now.reached as u128
    }
    fn features(&mut self, to: &mut Vec<u32>) {
        to.clear();
        to.push(u32::from(self.now.number > 1_000));
    }
    fn leave(&mut self) -> Now {
        self.now
    }
    fn probe(&mut self, _: &Now, _: &mut Stream) -> u64 {
        2
    }
}

fn run(settings: &Explore, steps: u64, counted: Counted) -> (usize, Stop, u64, u64) {
    let budget = Budget { steps: Some(steps), ..Budget::default() };
    let mut on_progress = |_: &catherd_search::Progress| ControlFlow::Continue(());
    let mut account = Account::new(&budget, counted, 3, &mut on_progress);
    let mut rng = Stream::new(1, Stream::SEARCH);
    let known = [false; 3];
    let (found, stop) =
        explore(&mut Toy::new(), settings, (&[1], false), &mut rng, &mut account, 1.0, &known);
    let covered = found.states.iter().flatten().count();
    let last = account.timeline.last().map_or(0, |point| point.covered);
    assert_eq!(last, covered, "the timeline ends with what was found");
    (covered, stop, account.executed, account.logical)
}

#[test]
fn archives_find_what_restarts_do_not() {
    let full = Explore { look_ahead: 0, ..Explore::default() };
    let (covered, stop, executed, logical) = run(&full, 20_000, Counted::Executed);
    assert_eq!((covered, stop), (3, Stop::Covered));
    assert!(executed < logical, "restored prefixes cost only logical steps");
    let none = Explore { cells: Cells::None, root_share: 1.0, rollout: 3, ..Explore::default() };
    let (covered, stop, ..) = run(&none, 20_000, Counted::Executed);
    assert!(covered < 3, "{covered} with {none:?}");
    assert_eq!(stop, Stop::Steps);
}

#[test]
fn the_budget_counts_the_steps_that_it_names() {
    let settings = Explore { rollout: 2, look_ahead: 0, ..Explore::default() };
    let (_, stop, executed, logical) = run(&settings, 300, Counted::Logical);
    assert_eq!(stop, Stop::Steps);
    assert!(logical >= 300 && executed < 300, "{executed} {logical}");
}

#[test]
fn every_ablation_ends_at_its_budget_and_repeats() {
    let variants = [
        Explore { cells: Cells::Bucket, ..Explore::default() },
        Explore { cells: Cells::Place, ..Explore::default() },
        Explore { goals: false, ..Explore::default() },
        Explore { viability: false, ..Explore::default() },
        Explore { look_ahead: 5, ..Explore::default() },
        Explore { reseed: 0.5, ..Explore::default() },
        Explore { cells_per_bucket: 1, ..Explore::default() },
        Explore { duplicates: false, ..Explore::default() },
    ];
    for settings in variants {
        let first = run(&settings, 3_000, Counted::Executed);
        assert_eq!(first, run(&settings, 3_000, Counted::Executed), "{settings:?}");
    }
}

#[test]
fn duplicates_are_left_out_on_request() {
    // Of two equal states, the state with the shorter path is kept, unless duplicates are left out.
    let mut archive = Archive::default();
    let mut counts = Counts::default();
    let offer = Offer { bucket: 3, place: 1, fitness: 2.0, steps: 9 };
    archive.insert(offer, ("first", Some(5)), [].into(), 1, &mut counts);
    assert!(archive.accepts(&Offer { steps: 8, ..offer }));
    assert!(archive.has(3, 5) && !archive.has(3, 6) && !archive.has(4, 5));
    // A state that was replaced, or dropped because the bucket was full, is accepted again.
    archive.insert(Offer { steps: 7, ..offer }, ("shorter", Some(6)), [].into(), 1, &mut counts);
    assert!(archive.has(3, 6) && !archive.has(3, 5));
    archive.insert(Offer { place: 2, ..offer }, ("elsewhere", Some(7)), [].into(), 1, &mut counts);
    assert!(archive.has(3, 7) && !archive.has(3, 6));
    assert_eq!((counts.cells, counts.evictions), (1, 1));

    let kept = run(&Explore::default(), 20_000, Counted::Executed);
    let without = Explore { duplicates: false, ..Explore::default() };
    let without = run(&without, 20_000, Counted::Executed);
    assert_eq!((kept.0, without.0), (3, 3));
    assert_ne!(kept, without);
}

#[test]
fn buckets_order_fitness() {
    // Buckets are ordered by approach level, then by branch distance. A distance of 0 has a
    // separate bucket.
    let of = |level: f64, distance: f64| {
        let rest = if distance == 0.0 { 0.5 } else { 1.0 };
        bucket(2.0 * level + distance / (1.0 + distance) + rest)
    };
    let fitness = [(0.0, 0.0), (0.0, 1.0), (0.0, 2.0), (0.0, 33.0), (0.0, 90.0), (1.0, 0.0)];
    let buckets = fitness.map(|(level, distance)| of(level, distance));
    assert!(buckets.is_sorted_by(|a, b| a < b), "{buckets:?}");
    assert_eq!(of(0.0, 100.0), of(0.0, 101.0), "large distances share buckets");
    assert_eq!(bucket(f64::INFINITY), i32::MAX);
}
