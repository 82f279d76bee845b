//! Permutation tests of the hypothesis that measurements depend only on their group, and not on a
//! further factor. If the hypothesis is true, the measurements of a group are exchangeable (Good,
//! 2005, chapter 3).

use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng as _;
use rayon::prelude::*;

use super::rank::Ranks;

/// Scores of measurements, and their groups.
#[derive(Clone, Debug, PartialEq)]
pub struct Exchangeability {
    /// The score of each measurement: the rank within its group, scaled from -1 for the smallest to
    /// 1 for the largest measurement.
    pub scores: Vec<f64>,
    /// The members of each group with at least two measurements.
    groups: Vec<Vec<usize>>,
}

impl Exchangeability {
    /// Number of permutations. The smallest possible p-value is 1/2000.
    pub const PERMUTATIONS: u64 = 1_999;

    const SEED: u64 = 45;

    /// Computes the scores of measurements. `groups` contains the group number of each measurement.
    pub fn new(values: &[f64], groups: &[usize]) -> Exchangeability {
        let count = groups.iter().max().map_or(0, |last| last + 1);
        let mut members = vec![Vec::new(); count];
        for (at, &group) in groups.iter().enumerate() {
            members[group].push(at);
        }
        members.retain(|members| members.len() > 1);
        let mut scores = vec![0.0; values.len()];
        for members in &members {
            let own: Vec<f64> = members.iter().map(|&at| values[at]).collect();
            let size = own.len() as f64;
            // The scores remain 0 if a value of the group is NaN.
            let ranks = Ranks::of(&own).map(|found| found.ranks).unwrap_or_default();
            for (&at, rank) in members.iter().zip(ranks) {
                scores[at] = (2.0 * rank - size - 1.0) / (size - 1.0);
            }
        }
        Exchangeability { scores, groups: members }
    }

    /// The one-sided p-value of a statistic of the scores. The statistic must be large if the
    /// hypothesis is false.
    pub fn p(&self, statistic: impl Fn(&[f64]) -> f64 + Sync) -> f64 {
        let observed = statistic(&self.scores);
        let above: u64 = (0..Exchangeability::PERMUTATIONS)
            .into_par_iter()
            .map_init(
                || self.scores.clone(),
                |drawn, permutation| {
                    let mut rng = ChaCha8Rng::seed_from_u64(Exchangeability::SEED);
                    rng.set_stream(permutation);
                    drawn.copy_from_slice(&self.scores);
                    for members in &self.groups {
                        for last in (1..members.len()).rev() {
                            let other = rng.random_range(0..=last as u64) as usize;
                            drawn.swap(members[last], members[other]);
                        }
                    }
                    // Allow for a small difference, because sums in another order may differ in
                    // their last digits.
                    u64::from(statistic(drawn) >= observed - observed.abs() * 1e-9)
                },
            )
            .sum();
        (above + 1) as f64 / (Exchangeability::PERMUTATIONS + 1) as f64
    }

    /// The p-value of a difference between places, such as cores or workers. `places` contains the
    /// place number of each measurement.
    pub fn of_places(&self, places: &[usize]) -> f64 {
        let count = places.iter().max().map_or(0, |last| last + 1);
        let mut sizes = vec![0.0_f64; count];
        places.iter().for_each(|&place| sizes[place] += 1.0);
        self.p(|scores| {
            let mut sums = vec![0.0; count];
            for (&place, score) in places.iter().zip(scores) {
                sums[place] += score;
            }
            sums.iter().zip(&sizes).map(|(sum, size)| sum * sum / size.max(1.0)).sum()
        })
    }

    /// The p-value of a change at some time, and the number of measurements before the change.
    /// `order` contains the measurements in the order of time.
    pub fn of_change(&self, order: &[usize]) -> (f64, usize) {
        let p = self.p(|scores| largest_change(scores, order).0);
        (p, largest_change(&self.scores, order).1)
    }

    /// Tests whether measurements are more similar to the next measurements in time than to other
    /// measurements, and returns the p-value. `order` contains the measurements in the order of
    /// time.
    pub fn of_succession(&self, order: &[usize]) -> f64 {
        self.p(|scores| {
            let sum = |(at, &one): (usize, &usize)| {
                let next = order.iter().skip(at + 1).take(NEIGHBOURS);
                scores[one] * next.map(|&other| scores[other]).sum::<f64>()
            };
            order.iter().enumerate().map(sum).sum()
        })
    }

    /// Tests whether measurements are smaller if their `cause` is larger, within groups, and
    /// returns the p-value. Measurements without a cause are ignored.
    pub fn of_cause(&self, cause: &[Option<f64>]) -> f64 {
        let mut centred = vec![0.0; cause.len()];
        for members in &self.groups {
            let known: Vec<f64> = members.iter().filter_map(|&at| cause[at]).collect();
            let mean = known.iter().sum::<f64>() / known.len().max(1) as f64;
            for &at in members {
                centred[at] = cause[at].map_or(0.0, |cause| cause - mean);
            }
        }
        self.p(|scores| -scores.iter().zip(&centred).map(|(s, c)| s * c).sum::<f64>())
    }
}

/// Number of following measurements with which each measurement is compared.
const NEIGHBOURS: usize = 6;

/// The largest standardised difference between the scores before and after a time, and the number
/// of scores before this time.
fn largest_change(scores: &[f64], order: &[usize]) -> (f64, usize) {
    let size = order.len();
    let total: f64 = order.iter().map(|&at| scores[at]).sum();
    let margin = (size / 20).max(1);
    let (mut sum, mut found) = (0.0, (0.0, 0));
    for (before, &at) in (1..size).zip(order) {
        sum += scores[at];
        if before < margin || before > size - margin {
            continue;
        }
        let share = before as f64 / size as f64;
        let change = (sum - share * total).abs() / (share * (1.0 - share)).sqrt();
        if change > found.0 {
            found = (change, before);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(n: usize) -> f64 {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        rng.set_stream(n as u64);
        rng.random_range(0.0..1.0)
    }

    #[test]
    fn scores_are_ranks_within_groups() {
        let found = Exchangeability::new(&[5.0, 1.0, 9.0, 100.0, 300.0, 2.0], &[0, 0, 0, 1, 1, 2]);
        assert_eq!(found.scores, [0.0, -1.0, 1.0, -1.0, 1.0, 0.0]);
    }

    #[test]
    #[ignore = "slow"]
    fn injected_differences_are_found_and_noise_is_not() {
        let groups: Vec<usize> = (0..120).map(|n| n % 6).collect();
        let order: Vec<usize> = (0..120).collect();
        // The groups differ by a factor of 10, and the effect is one fifth of a value.
        let value = |n: usize, slow: bool| {
            let factor = if slow { 0.8 } else { 1.0 };
            10_f64.powi((n % 6) as i32) * factor * (1.0 + 0.2 * noise(n))
        };
        let test = |slow: &dyn Fn(usize) -> bool| {
            let values: Vec<f64> = (0..120).map(|n| value(n, slow(n))).collect();
            Exchangeability::new(&values, &groups)
        };
        let places: Vec<usize> = (0..120).map(|n| n / 6 % 4).collect();
        let load = |slow: &dyn Fn(usize) -> bool| -> Vec<Option<f64>> {
            (0..120).map(|n| Some(if slow(n) { 0.9 } else { 0.1 })).collect()
        };
        let on_a_core = |n: usize| n / 6 % 4 == 2;
        assert!(test(&on_a_core).of_places(&places) < 0.005);
        assert!(test(&on_a_core).of_cause(&load(&on_a_core)) < 0.005);
        let late = |n: usize| n >= 70;
        let (p, at) = test(&late).of_change(&order);
        assert!(p < 0.005 && (60..80).contains(&at), "{p} {at}");
        let at_times = |n: usize| (n / 15).is_multiple_of(2);
        assert!(test(&at_times).of_succession(&order) < 0.005);
        let none = test(&|_| false);
        let all = [
            none.of_places(&places),
            none.of_change(&order).0,
            none.of_succession(&order),
            none.of_cause(&load(&on_a_core)),
        ];
        assert!(all.iter().all(|&p| p > 0.02), "{all:?}");
    }

    #[test]
    fn without_groups_nothing_is_found() {
        let ungrouped = Exchangeability::new(&[1.0, 2.0, 3.0], &[0, 1, 2]);
        assert_eq!(ungrouped.of_places(&[0, 1, 2]), 1.0);
        assert_eq!(Exchangeability::new(&[], &[]).of_change(&[]), (1.0, 0));
    }
}
