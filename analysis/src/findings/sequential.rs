//! Comparisons in rounds, with a round for each seed. Pairs may be decided at planned looks.
//!
//! Projects are fixed, and only seeds vary. The degrees of freedom follow Satterthwaite (1946), and
//! the levels of tests for differences follow Shaffer (1986).

use std::collections::{BTreeMap, BTreeSet};

use catherd_experiments::Stop;

use crate::comparison::{LEVEL, MAX_ALL_COMPARED};
use crate::stats::{ErrorSpending, Interval, student_quantile, student_within};
use crate::tidy::Results;

use super::decision::Verdict;

/// Coverage of the runs with a seed, by algorithm and project.
pub type Round = Vec<Vec<Option<f64>>>;

/// Minimum number of seeds on a project. With fewer seeds, a coarse measure would often have equal
/// values by chance, and its variance would be estimated as 0.
pub const MIN_ROUNDS: usize = 5;

/// Maximum degrees of freedom of a bound. Larger values change the bound very little.
const MAX_FREEDOM: f64 = 200.0;

const MAX_LOOKS: usize = 50;

/// With [`Looks::gives_up`], a pair with a smaller probability of being decided gets no more seeds.
const HOPELESS: f64 = 0.1;

/// The plan of a sequential analysis: its looks, and the rules by which pairs are decided.
#[derive(Clone, Debug, PartialEq)]
pub struct Looks {
    /// The margin of equivalence, in 0..=1.
    pub margin: f64,
    /// Counts of rounds after which pairs are analysed, ascending. The last count is the number of
    /// planned seeds.
    pub after: Vec<usize>,
    /// Whether pairs end undecided if the planned seeds are unlikely to decide them.
    pub gives_up: bool,
}

impl Looks {
    /// The looks at a study that ends when it is decided.
    pub fn of_stop(stop: Stop, seeds: usize) -> Looks {
        let after = stop.rounds(seeds).map(|round| round.end).collect();
        Looks { margin: stop.margin, after, gives_up: true }
    }

    /// The looks at a study that executes all seeds and may be analysed at any time.
    pub fn at_any_time(margin: f64, seeds: usize) -> Looks {
        let every = seeds.div_ceil(MAX_LOOKS) as u64;
        let stop = Stop { margin, first: MIN_ROUNDS as u64, every };
        Looks { gives_up: false, ..Looks::of_stop(stop, seeds) }
    }
}

/// A pair of algorithms after some rounds.
#[derive(Clone, Debug, PartialEq)]
pub struct SequentialPair {
    /// Number of rounds before the last look at the pair.
    pub rounds: usize,
    /// The mean over projects of the difference between the coverages at the last look at the pair.
    pub difference: f64,
    /// The verdict.
    pub verdict: Verdict,
    /// Whether the pair needs no more seeds.
    pub has_ended: bool,
    /// The difference at the last look at the pair, and the level of its test.
    found: Option<(Found, f64)>,
    projects: Vec<Running>,
}

impl SequentialPair {
    /// The interval of the difference at the last look at the pair.
    pub fn interval(&self) -> Option<Interval> {
        self.found.map(|(found, outside)| found.interval(outside))
    }
}

/// The differences of all pairs, round by round.
#[derive(Clone, Debug)]
pub struct Sequential {
    looks: Looks,
    algorithms: usize,
    rounds: usize,
    pairs: BTreeMap<(usize, usize), SequentialPair>,
    possible: BTreeSet<usize>,
    /// Bounds for differences, by the divisor of the level.
    bounds: BTreeMap<usize, ErrorSpending>,
    /// Bounds for equivalences, whose tests are one-sided, by the divisor of the level.
    near_bounds: BTreeMap<usize, ErrorSpending>,
}

/// Count, mean and sum of squared deviations of values (Welford, 1962).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Running {
    count: usize,
    mean: f64,
    squares: f64,
}

impl Running {
    fn add(&mut self, value: f64) {
        self.count += 1;
        let before = value - self.mean;
        self.mean += before / self.count as f64;
        self.squares += before * (value - self.mean);
    }

    fn variance(self) -> f64 {
        let count = self.count as f64;
        self.squares / (count * (count - 1.0))
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Found {
    difference: f64,
    error: f64,
    freedom: usize,
}

impl Found {
    fn new(projects: &[Running]) -> Option<Found> {
        let usable = || projects.iter().filter(|one| one.count >= MIN_ROUNDS);
        let count = usable().count() as f64;
        if count == 0.0 {
            return None;
        }
        let variance: f64 = usable().map(|one| one.variance()).sum();
        let part = |one: &Running| one.variance() * one.variance() / (one.count - 1) as f64;
        let parts: f64 = usable().map(part).sum();
        let freedom = if parts > 0.0 { variance * variance / parts } else { MAX_FREEDOM };
        let freedom = freedom.clamp(1.0, MAX_FREEDOM) as usize;
        let difference = usable().map(|one| one.mean).sum::<f64>() / count;
        Some(Found { difference, error: variance.sqrt() / count, freedom })
    }

    /// Whether a distance from the difference has a two-sided p-value below `outside`.
    fn excludes(self, distance: f64, outside: f64) -> bool {
        if self.error == 0.0 {
            return distance > 0.0;
        }
        1.0 - student_within(distance.max(0.0) / self.error, self.freedom) < outside
    }

    fn interval(self, outside: f64) -> Interval {
        let half = student_quantile(outside, self.freedom) * self.error;
        Interval { low: self.difference - half, high: self.difference + half }
    }

    /// The probability that a single analysis after all planned seeds decides the pair, if the
    /// remaining seeds are like the seeds so far. `share` is the share of the seeds that have been
    /// used.
    fn chance(self, share: f64, margin: f64, levels: (f64, f64)) -> f64 {
        let below = |x: f64, spread: f64| {
            let distance = (x - self.difference) / spread;
            libm::erfc(-distance / std::f64::consts::SQRT_2) / 2.0
        };
        let end = self.error * share.sqrt();
        let spread = self.error * (1.0 - share).sqrt();
        if spread == 0.0 {
            return 0.0;
        }
        let differs = student_quantile(levels.0, self.freedom) * end;
        let near = margin - student_quantile(levels.1, self.freedom) * end;
        let different = below(-differs, spread) + 1.0 - below(differs, spread);
        let equivalent = (below(near, spread) - below(-near, spread)).max(0.0);
        different + equivalent
    }
}

impl Sequential {
    /// Makes a sequential analysis without rounds.
    pub fn new(algorithms: usize, looks: Looks) -> Sequential {
        let all = algorithms <= MAX_ALL_COMPARED;
        let none = SequentialPair {
            rounds: 0,
            difference: f64::NAN,
            found: None,
            verdict: Verdict::TooFew,
            has_ended: false,
            projects: Vec::new(),
        };
        let seconds = |first: usize| 0..if all { first } else { 1 };
        let pairs: BTreeMap<(usize, usize), SequentialPair> = (1..algorithms)
            .flat_map(|first| seconds(first).map(move |second| (first, second)))
            .map(|pair| (pair, none.clone()))
            .collect();
        let possible = if all { equal_pairs(algorithms) } else { (0..=pairs.len()).collect() };
        Sequential {
            looks,
            algorithms,
            rounds: 0,
            pairs,
            possible,
            bounds: BTreeMap::new(),
            near_bounds: BTreeMap::new(),
        }
    }

    /// The same analysis without rounds. The computed bounds are kept, because they do not depend
    /// on the rounds.
    #[must_use]
    pub fn restarted(&self) -> Sequential {
        Sequential {
            bounds: self.bounds.clone(),
            near_bounds: self.near_bounds.clone(),
            ..Sequential::new(self.algorithms, self.looks.clone())
        }
    }

    /// Analyses the rounds of results, in ascending order of seeds, until all pairs have ended or a
    /// run of an active algorithm is missing.
    pub fn of_results(results: &Results) -> Sequential {
        let (algorithms, projects) = (results.algorithms.len(), results.projects.len());
        let seeds = results.seed_list();
        let looks = match results.stop {
            Some(stop) => Looks::of_stop(stop, seeds.len()),
            None => Looks::at_any_time(results.margin(), seeds.len()),
        };
        let mut by_seed: BTreeMap<u64, (Vec<usize>, Round)> = BTreeMap::new();
        for run in &results.runs {
            let (ended, round) = by_seed
                .entry(run.seed)
                .or_insert_with(|| (vec![0; algorithms], vec![vec![None; projects]; algorithms]));
            ended[run.algorithm as usize] += 1;
            round[run.algorithm as usize][run.project as usize] = run.coverage();
        }
        let mut all = Sequential::new(algorithms, looks);
        for seed in seeds {
            let Some((ended, round)) = by_seed.remove(&seed) else { break };
            let active = (0..algorithms).filter(|&algorithm| all.is_active(algorithm));
            if all.is_decided() || active.into_iter().any(|one| ended[one] < projects) {
                break;
            }
            all.push(&round);
        }
        all
    }

    /// The margin of equivalence.
    pub fn margin(&self) -> f64 {
        self.looks.margin
    }

    /// The number of rounds that have been added.
    pub fn rounds(&self) -> usize {
        self.rounds
    }

    /// The comparison of an algorithm with an earlier algorithm.
    pub fn pair(&self, first: usize, second: usize) -> Option<&SequentialPair> {
        self.pairs.get(&(first, second))
    }

    /// Whether an algorithm needs more seeds.
    pub fn is_active(&self, algorithm: usize) -> bool {
        let own = |&(first, second): &(usize, usize)| first == algorithm || second == algorithm;
        self.pairs.iter().any(|(pair, found)| own(pair) && !found.has_ended)
    }

    /// The algorithms that need more seeds.
    pub fn active(&self) -> Vec<usize> {
        (0..self.algorithms).filter(|&algorithm| self.is_active(algorithm)).collect()
    }

    /// Whether every pair has ended.
    pub fn is_decided(&self) -> bool {
        self.pairs.values().all(|pair| pair.has_ended)
    }

    /// Adds a round, and looks at the pairs if a look is planned after this round.
    pub fn push(&mut self, round: &Round) {
        self.rounds += 1;
        for (&(first, second), pair) in &mut self.pairs {
            if pair.has_ended {
                continue;
            }
            let (one, other) = (&round[first], &round[second]);
            pair.projects.resize(one.len(), Running::default());
            for (project, values) in one.iter().zip(other).enumerate() {
                if let (Some(one), Some(other)) = values {
                    pair.projects[project].add(one - other);
                }
            }
        }
        if let Ok(look) = self.looks.after.binary_search(&self.rounds) {
            self.look(look);
        }
    }

    fn look(&mut self, look: usize) {
        let mut open: Vec<((usize, usize), Found)> = Vec::new();
        for (&pair, found) in self.pairs.iter().filter(|(_, pair)| !pair.has_ended) {
            open.extend(Found::new(&found.projects).map(|found| (pair, found)));
        }
        // A decision increases the level of the other pairs, so more of them may be decided.
        loop {
            let before = open.len();
            let outside = self.near_level(look);
            open.retain(|&(pair, found)| !self.is_near(pair, found, outside));
            if open.len() == before {
                break;
            }
        }
        loop {
            let before = open.len();
            let outside = self.level(look);
            open.retain(|&(pair, found)| !self.differs(pair, found, outside));
            if open.len() == before {
                break;
            }
        }
        let outside = self.level(look);
        for &(pair, found) in &open {
            self.set(pair, found, outside, Verdict::Undecided);
        }
        let share = self.rounds as f64 / self.looks.after.last().copied().unwrap_or(1) as f64;
        if self.looks.gives_up && share < 1.0 {
            let levels = (LEVEL / self.divisor() as f64, 2.0 * LEVEL / self.near_divisor() as f64);
            for (pair, found) in open {
                let hopeless = found.chance(share, self.looks.margin, levels) < HOPELESS;
                if let Some(pair) = self.pairs.get_mut(&pair) {
                    pair.has_ended = hopeless;
                }
            }
        }
    }

    fn is_near(&mut self, pair: (usize, usize), found: Found, outside: f64) -> bool {
        let near = found.excludes(self.looks.margin - found.difference.abs(), outside);
        if near {
            self.set(pair, found, outside, Verdict::Equivalent);
        }
        near
    }

    fn differs(&mut self, pair: (usize, usize), found: Found, outside: f64) -> bool {
        let differs = found.excludes(found.difference.abs(), outside);
        if differs {
            let verdict = if found.difference > 0.0 { Verdict::Better } else { Verdict::Worse };
            self.set(pair, found, outside, verdict);
        }
        differs
    }

    fn set(&mut self, pair: (usize, usize), found: Found, outside: f64, verdict: Verdict) {
        let rounds = self.rounds;
        if let Some(pair) = self.pairs.get_mut(&pair) {
            pair.rounds = rounds;
            pair.difference = found.difference;
            pair.found = Some((found, outside));
            pair.verdict = verdict;
            pair.has_ended = verdict != Verdict::Undecided;
        }
    }

    fn count(&self, verdicts: &[Verdict]) -> usize {
        self.pairs.values().filter(|pair| verdicts.contains(&pair.verdict)).count()
    }

    fn divisor(&self) -> usize {
        let left = self.pairs.len() - self.count(&[Verdict::Better, Verdict::Worse]);
        self.possible.range(..=left).next_back().copied().unwrap_or(1).max(1)
    }

    fn near_divisor(&self) -> usize {
        (self.pairs.len() - self.count(&[Verdict::Equivalent])).max(1)
    }

    fn level(&mut self, look: usize) -> f64 {
        let divisor = self.divisor();
        let bounds = self.bounds.entry(divisor).or_insert_with(|| {
            ErrorSpending::new(LEVEL / divisor as f64, self.looks.after.clone())
        });
        bounds.nominal(look)
    }

    fn near_level(&mut self, look: usize) -> f64 {
        let divisor = self.near_divisor();
        let bounds = self.near_bounds.entry(divisor).or_insert_with(|| {
            ErrorSpending::new(2.0 * LEVEL / divisor as f64, self.looks.after.clone())
        });
        bounds.nominal(look)
    }
}

/// Equality divides the algorithms into groups, so not every number of equal pairs is possible.
fn equal_pairs(algorithms: usize) -> BTreeSet<usize> {
    let mut numbers: Vec<BTreeSet<usize>> = vec![BTreeSet::from([0])];
    for all in 1..=algorithms {
        let group =
            |size: usize| numbers[all - size].iter().map(move |rest| size * (size - 1) / 2 + rest);
        let own = (1..=all).flat_map(group).collect();
        numbers.push(own);
    }
    numbers.pop().unwrap_or_default()
}

#[cfg(test)]
mod tests;
