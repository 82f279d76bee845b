//! The faults of a simulation, drawn from its seed.

use std::time::Duration;

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Drawn faults begin within this time.
pub(crate) const FAULT_PERIOD: Duration = Duration::from_secs(12);

/// A moment relative to a transaction of the coordinator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Before,
    After,
}

/// The messages that the connection between a worker and the coordinator loses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Loss {
    Everything,
    /// Replies of the coordinator: acknowledgements and leases.
    Answers,
    Requests,
    /// Messages are delayed until the fault is over, as if the worker were suspended.
    Time,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Fault {
    /// The coordinator dies for a while: at once, or before or after its next transaction. If its
    /// computer also fails, workers do not learn that their connections have ended.
    Crash {
        at: Option<Side>,
        down: Duration,
        machine: bool,
    },
    /// The store fails this many times, before or after it has written.
    Store {
        side: Side,
        times: u32,
    },
    /// The clock of leases jumps ahead.
    Leap(Duration),
    Line {
        worker: usize,
        loss: Loss,
        lasts: Duration,
    },
    /// A worker dies for a while. Its spool may be damaged.
    Kill {
        worker: usize,
        down: Duration,
        tear: bool,
    },
    /// A worker dies permanently, and its spool is lost. This does not happen to the last worker.
    Lose {
        worker: usize,
    },
}

#[derive(Clone, Debug)]
pub(crate) struct Scenario {
    pub(crate) seed: u64,
    /// For each worker, the true time in which its clock advances by one second.
    pub(crate) workers: Vec<Duration>,
    /// Seconds of the coordinator's clock per second of true time.
    pub(crate) rate: f64,
    pub(crate) latency: Duration,
    /// The faults in the order of their times.
    pub(crate) faults: Vec<(Duration, Fault)>,
    /// Number of a transaction, from 1, before or after which the coordinator dies.
    pub(crate) dies: Option<(u64, Side)>,
}

impl Scenario {
    pub(crate) fn undisturbed(workers: usize) -> Scenario {
        let (second, latency) = (Duration::from_secs(1), Duration::from_millis(10));
        let workers = vec![second; workers];
        Scenario { seed: 0, workers, rate: 1.0, latency, faults: Vec::new(), dies: None }
    }

    pub(crate) fn draw(seed: u64) -> Scenario {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let workers = random.random_range(2..=4);
        let mut faults: Vec<_> = (0..random.random_range(2..=9))
            .map(|_| (between(&mut random, 200, FAULT_PERIOD), fault(&mut random, workers)))
            .collect();
        faults.sort_by_key(|&(at, _)| at);
        let mut second = || Duration::from_millis(random.random_range(600..=1500));
        let workers = (0..workers).map(|_| second()).collect();
        let rate = [1.0, 1.0, 0.5, 1.5, 2.0][random.random_range(0..5)];
        let latency = Duration::from_millis([5, 40, 120, 300][random.random_range(0..4)]);
        Scenario { seed, workers, rate, latency, faults, dies: None }
    }
}

fn between(random: &mut impl Rng, least_ms: u64, most: Duration) -> Duration {
    Duration::from_millis(random.random_range(least_ms..=most.as_millis() as u64))
}

fn fault(random: &mut impl Rng, workers: usize) -> Fault {
    let worker = random.random_range(0..workers);
    let side = if random.random() { Side::Before } else { Side::After };
    let down = between(random, 100, Duration::from_secs(6));
    match random.random_range(0..18) {
        0..=3 => Fault::Crash { at: Some(side), down, machine: random.random_bool(0.3) },
        4 => Fault::Crash { at: None, down, machine: random.random_bool(0.3) },
        5..=6 => Fault::Store { side, times: random.random_range(1..=3) },
        7 => Fault::Leap(down),
        8..=12 => {
            let kinds =
                [Loss::Everything, Loss::Answers, Loss::Answers, Loss::Requests, Loss::Time];
            let loss = kinds[random.random_range(0..kinds.len())];
            Fault::Line { worker, loss, lasts: between(random, 200, Duration::from_secs(9)) }
        }
        13..=14 => Fault::Lose { worker },
        _ => Fault::Kill { worker, down, tear: random.random_bool(0.3) },
    }
}
