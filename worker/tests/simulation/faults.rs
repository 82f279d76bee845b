//! What goes wrong in a simulation, drawn from its seed.

use std::time::Duration;

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Faults begin within this time; later the world is whole and the study must end.
pub(crate) const TROUBLED: Duration = Duration::from_secs(12);

/// A side of the coordinator's transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Before,
    After,
}

/// What a line between a worker and the coordinator loses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Loss {
    Everything,
    /// What the coordinator says: acknowledgements and leases.
    Answers,
    Requests,
    /// Nothing, but it comes when the fault is over: the worker looks frozen.
    Time,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Fault {
    /// The coordinator dies for a while: just now, or on a side of its next transaction.
    /// When its machine dies, too, nobody is told that connections have ended.
    Crash {
        at: Option<Side>,
        down: Duration,
        machine: bool,
    },
    /// The store fails as often, having written or not.
    Store {
        side: Side,
        times: u32,
    },
    /// The clock of leases leaps ahead.
    Leap(Duration),
    Line {
        worker: usize,
        loss: Loss,
        lasts: Duration,
    },
    /// A worker dies for a while; what it spooled may be torn.
    Kill {
        worker: usize,
        down: Duration,
        tear: bool,
    },
    /// A worker dies for good, with all that it spooled; the last one does not.
    Lose {
        worker: usize,
    },
}

/// All that is drawn for a simulation.
#[derive(Clone, Debug)]
pub(crate) struct Scenario {
    pub(crate) seed: u64,
    /// A second of each worker's clock.
    pub(crate) workers: Vec<Duration>,
    /// Seconds of the coordinator's clock in one of true time.
    pub(crate) rate: f64,
    /// The longest way of a message.
    pub(crate) latency: Duration,
    /// By time.
    pub(crate) faults: Vec<(Duration, Fault)>,
    /// The transaction, from 1, at which the coordinator dies beside all this.
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
            .map(|_| (between(&mut random, 200, TROUBLED), fault(&mut random, workers)))
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
