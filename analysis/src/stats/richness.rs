//! Estimators of the number of reachable goals, computed from the number of runs that cover each
//! goal.
//!
//! In the terms of ecology, a goal is a species, a run is a sampling unit, and a goal is present in
//! the runs that cover it (Böhme, 2018; Colwell et al., 2012; Chao and Colwell, 2017).

use super::Unavailable;
use super::effect_size::Interval;
use super::posterior::Normals;

/// How many of several runs cover each of the goals.
#[derive(Clone, Debug, PartialEq)]
pub struct Incidence {
    runs: u64,
    /// For each goal that at least one run covers, the number of runs that cover the goal.
    covering: Vec<u64>,
    /// The number of all goals, reachable or not.
    goals: u64,
}

/// An estimator of the number of reachable goals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Estimator {
    /// A lower bound from the goals that one and two runs cover (Chao, 1987).
    Chao2,
    /// Chao2 with a correction from the goals that three and four runs cover (Chiu et al., 2014).
    ImprovedChao2,
    /// The first-order jackknife (Burnham and Overton, 1978).
    Jackknife1,
    /// The second-order jackknife.
    Jackknife2,
    /// The incidence-based coverage estimator (Lee and Chao, 1994), from goals that at most ten
    /// runs cover.
    Ice,
}

impl Estimator {
    /// All estimators.
    pub const ALL: [Estimator; 5] = [
        Estimator::Chao2,
        Estimator::ImprovedChao2,
        Estimator::Jackknife1,
        Estimator::Jackknife2,
        Estimator::Ice,
    ];

    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Estimator::Chao2 => "chao2",
            Estimator::ImprovedChao2 => "ichao2",
            Estimator::Jackknife1 => "jackknife1",
            Estimator::Jackknife2 => "jackknife2",
            Estimator::Ice => "ice",
        }
    }
}

/// An estimate with its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The estimate.
    pub value: f64,
    /// The confidence interval of the estimate.
    pub interval: Interval,
}

const RARE: u64 = 10;

const REPLICATES: u64 = 200;

impl Incidence {
    /// The incidence of `goals` goals in `runs` runs. `covering` contains the number of runs that
    /// cover each goal.
    ///
    /// # Errors
    /// [`Unavailable`] if there are fewer than two runs, or if the counts are impossible.
    pub fn new(
        runs: u64,
        goals: u64,
        covering: impl IntoIterator<Item = u64>,
    ) -> Result<Incidence, Unavailable> {
        if runs < 2 {
            return Err(Unavailable::TooFew { needed: 2, found: runs as usize });
        }
        let covering: Vec<u64> = covering.into_iter().filter(|&count| count > 0).collect();
        if covering.iter().any(|&count| count > runs) || covering.len() as u64 > goals {
            return Err(Unavailable::TooMany);
        }
        Ok(Incidence { runs, covering, goals })
    }

    /// The number of goals that at least one run covers.
    pub fn observed(&self) -> u64 {
        self.covering.len() as u64
    }

    fn frequency(&self, runs: u64) -> f64 {
        self.covering.iter().filter(|&&count| count == runs).count() as f64
    }

    /// The mean number of goals that `runs` of the runs cover together: the accumulation curve
    /// (Colwell et al., 2012, equation 4). `runs` must not exceed the number of all runs.
    pub fn interpolated(&self, runs: u64) -> f64 {
        let all = self.runs;
        let missed = |count: u64| -> f64 {
            // The share of subsets of runs in which no run covers the goal.
            (0..count).map(|i| (all - runs).saturating_sub(i) as f64 / (all - i) as f64).product()
        };
        self.covering.iter().map(|&count| 1.0 - missed(count)).sum()
    }

    /// Of the goals that a further run would cover, the expected share, in 0..=1, that earlier runs
    /// have already covered (Good, 1953; Chao and Jost, 2012).
    pub fn sample_coverage(&self) -> f64 {
        let (q1, q2) = (self.frequency(1), self.frequency(2));
        let m = self.runs as f64;
        let all: f64 = self.covering.iter().map(|&count| count as f64).sum();
        if q1 == 0.0 || all == 0.0 {
            return 1.0;
        }
        let factor = if q2 > 0.0 {
            (m - 1.0) * q1 / ((m - 1.0) * q1 + 2.0 * q2)
        } else {
            (m - 1.0) * (q1 - 1.0) / ((m - 1.0) * (q1 - 1.0) + 2.0)
        };
        1.0 - q1 / all * factor
    }

    /// An estimate of the number of reachable goals, with an interval at `level`. Both are limited
    /// to the range from the number of observed goals to the number of all goals.
    pub fn reachable(&self, estimator: Estimator, level: f64) -> Estimate {
        let (unseen, variance) = self.unseen(estimator);
        let seen = self.observed() as f64;
        let interval = if unseen > 0.0 && variance > 0.0 {
            // The interval is log-normal, because at least the observed goals are reachable (Chao,
            // 1987).
            let z = super::normal_quantile(1.0 - (1.0 - level) / 2.0);
            let k = libm::exp(z * libm::log1p(variance / (unseen * unseen)).sqrt());
            Interval { low: seen + unseen / k, high: seen + unseen * k }
        } else {
            Interval { low: seen, high: seen + unseen }
        };
        self.bounded(Estimate { value: seen + unseen, interval })
    }

    fn bounded(&self, found: Estimate) -> Estimate {
        let within = |value: f64| value.clamp(self.observed() as f64, self.goals as f64);
        let Estimate { value, interval: Interval { low, high } } = found;
        let interval = Interval { low: within(low), high: within(high) };
        Estimate { value: within(value), interval }
    }

    fn unseen(&self, estimator: Estimator) -> (f64, f64) {
        match estimator {
            Estimator::Chao2 => self.chao2(),
            Estimator::ImprovedChao2 => self.improved_chao2(),
            Estimator::Jackknife1 => {
                let m = self.runs as f64;
                self.jackknife(&[(m - 1.0) / m])
            }
            Estimator::Jackknife2 => {
                let m = self.runs as f64;
                let second = (m - 2.0) * (m - 2.0) / (m * (m - 1.0));
                self.jackknife(&[(2.0 * m - 3.0) / m, -second])
            }
            Estimator::Ice => self.ice(),
        }
    }

    fn chao2(&self) -> (f64, f64) {
        let (q1, q2) = (self.frequency(1), self.frequency(2));
        let m = self.runs as f64;
        let a = (m - 1.0) / m;
        if q2 > 0.0 {
            let ratio = q1 / q2;
            let squared = ratio * ratio;
            let variance = q2
                * (a / 2.0 * squared + a * a * squared * ratio + a * a / 4.0 * squared * squared);
            return (a * q1 * q1 / (2.0 * q2), variance);
        }
        let unseen = a * q1 * (q1 - 1.0) / 2.0;
        let all = self.observed() as f64 + unseen;
        let odd = 2.0 * q1 - 1.0;
        let variance = a * q1 * (q1 - 1.0) / 2.0 + a * a * q1 * odd * odd / 4.0
            - a * a * q1 * q1 * q1 * q1 / (4.0 * all.max(1.0));
        (unseen, variance.max(0.0))
    }

    fn improved_chao2(&self) -> (f64, f64) {
        let (unseen, variance) = self.chao2();
        let m = self.runs as f64;
        let [q1, q2, q3] = [1, 2, 3].map(|runs| self.frequency(runs));
        let q4 = self.frequency(4).max(1.0);
        if m <= 3.0 {
            return (unseen, variance);
        }
        let inner = (q1 - (m - 3.0) / (m - 1.0) * q2 * q3 / (2.0 * q4)).max(0.0);
        let more = (m - 3.0) / (4.0 * m) * q3 / q4 * inner;
        // The correction is small, so the variance is only scaled with the estimate.
        let scale = if unseen > 0.0 { (unseen + more) / unseen } else { 1.0 };
        (unseen + more, variance * scale * scale)
    }

    /// A jackknife: the weighted sum of the counts of goals that exactly 1, 2, ... runs cover. The
    /// variance is computed according to Burnham and Overton (1978), because the estimate is linear
    /// in these counts.
    fn jackknife(&self, weights: &[f64]) -> (f64, f64) {
        let frequencies = (1..).map(|runs| self.frequency(runs));
        let terms: Vec<(f64, f64)> = frequencies.zip(weights).map(|(q, w)| (q, *w)).collect();
        let unseen: f64 = terms.iter().map(|(q, w)| q * w).sum();
        let all = self.observed() as f64 + unseen;
        let rest = self.observed() as f64 - terms.iter().map(|term| term.0).sum::<f64>();
        let squares: f64 = terms.iter().map(|(q, w)| q * (1.0 + w) * (1.0 + w)).sum();
        (unseen.max(0.0), (squares + rest - all).max(0.0))
    }

    fn ice(&self) -> (f64, f64) {
        let rare: Vec<f64> =
            self.covering.iter().filter(|&&c| c <= RARE).map(|&c| c as f64).collect();
        let (q1, m) = (self.frequency(1), self.runs as f64);
        let sum: f64 = rare.iter().sum();
        let (_, variance) = self.chao2();
        if sum == q1 || sum == 0.0 {
            return self.chao2();
        }
        let coverage = 1.0 - q1 / sum;
        let pairs: f64 = rare.iter().map(|count| count * (count - 1.0)).sum();
        let spread = rare.len() as f64 / coverage * m / (m - 1.0) * pairs / (sum * sum) - 1.0;
        let unseen =
            rare.len() as f64 / coverage - rare.len() as f64 + q1 / coverage * spread.max(0.0);
        (unseen, variance)
    }

    /// An estimate of the number of goals that `factor` times as many runs cover, where `factor` is
    /// at least 1 (Colwell et al., 2012; Chao et al., 2014).
    pub fn extrapolated(&self, factor: f64, level: f64, seed: u64) -> Estimate {
        let value = self.expected(factor);
        let mut values: Vec<f64> = self
            .draws(&[factor], seed)
            .into_iter()
            .filter_map(|draw| draw.first().copied())
            .collect();
        values.sort_unstable_by(f64::total_cmp);
        let outside = (1.0 - level) / 2.0;
        let at = |share: f64| values[((values.len() - 1) as f64 * share).round() as usize];
        let interval = Interval { low: at(outside), high: at(1.0 - outside) };
        self.bounded(Estimate { value, interval })
    }

    /// Draws of the counts of goals that these multiples of the runs cover, computed from
    /// incidences drawn with the estimated probabilities of the goals.
    pub fn draws(&self, factors: &[f64], seed: u64) -> Vec<Vec<f64>> {
        // Goals that many runs cover hardly influence estimates.
        let rare = Incidence {
            runs: self.runs,
            covering: self.covering.iter().copied().filter(|&count| count <= RARE).collect(),
            goals: self.goals,
        };
        let frequent = self.observed() - rare.observed();
        let rare = Incidence { goals: self.goals - frequent, ..rare };
        let probabilities = rare.assemblage();
        let seen = self.observed() as f64;
        let draw = |stream: u64| -> Vec<f64> {
            let mut rng = Normals::new(seed, stream);
            let counts = probabilities.iter().map(|&p| binomial(&mut rng, self.runs, p));
            let covering: Vec<u64> = counts.filter(|&count| count > 0).collect();
            let drawn = Incidence { covering, ..rare.clone() };
            let more = |&factor: &f64| drawn.expected(factor) - drawn.observed() as f64;
            factors
                .iter()
                .map(|factor| (seen + more(factor)).clamp(seen, self.goals as f64))
                .collect()
        };
        (0..REPLICATES).map(draw).collect()
    }

    /// Draws of the number of goals that `runs` runs cover together, in ascending order.
    pub fn interpolated_draws(&self, runs: u64, seed: u64) -> Vec<f64> {
        let probabilities = self.assemblage();
        let draw = |stream: u64| {
            let mut rng = Normals::new(seed, stream);
            let counts = probabilities.iter().map(|&p| binomial(&mut rng, runs, p));
            counts.filter(|&count| count > 0).count() as f64
        };
        let mut draws: Vec<f64> = (0..REPLICATES).map(draw).collect();
        draws.sort_unstable_by(f64::total_cmp);
        draws
    }

    /// The estimate of the number of goals that `factor` times as many runs cover, without an
    /// interval.
    pub fn expected(&self, factor: f64) -> f64 {
        let (unseen, _) = self.chao2();
        let (q1, m) = (self.frequency(1), self.runs as f64);
        let unseen = unseen.min((self.goals - self.observed()) as f64);
        if unseen <= 0.0 {
            return self.observed() as f64;
        }
        let kept = libm::exp(m * (factor - 1.0) * libm::log1p(-q1 / (m * unseen + q1)));
        self.observed() as f64 + unseen * (1.0 - kept)
    }

    /// The probabilities with which a run covers each goal that is estimated to be reachable. The
    /// probabilities of observed goals are lowered, because goals that no run covers account for a
    /// part of the total probability.
    fn assemblage(&self) -> Vec<f64> {
        let m = self.runs as f64;
        let (unseen, _) = self.chao2();
        let unseen = unseen.min((self.goals - self.observed()) as f64).ceil();
        let all: f64 = self.covering.iter().map(|&count| count as f64).sum();
        let missing = all / m * (1.0 - self.sample_coverage());
        let shrink: f64 = self
            .covering
            .iter()
            .map(|&count| count as f64 / m * libm::pow(1.0 - count as f64 / m, m))
            .sum();
        let factor = if shrink > 0.0 { (missing / shrink).min(1.0) } else { 0.0 };
        let seen = self.covering.iter().map(|&count| {
            let share = count as f64 / m;
            share * (1.0 - factor * libm::pow(1.0 - share, m))
        });
        let rest = if unseen > 0.0 { (missing / unseen).min(1.0) } else { 0.0 };
        seen.chain(std::iter::repeat_n(rest, unseen as usize)).collect()
    }
}

/// A number drawn from the binomial distribution by inversion: the number of successes in `n`
/// trials with this probability.
fn binomial(rng: &mut Normals, n: u64, probability: f64) -> u64 {
    if probability >= 1.0 {
        return n;
    }
    let mut left = rng.uniform();
    let odds = probability / (1.0 - probability);
    let mut mass = libm::exp(n as f64 * libm::log1p(-probability));
    for count in 0..n {
        if left < mass {
            return count;
        }
        left -= mass;
        mass *= (n - count) as f64 / (count + 1) as f64 * odds;
    }
    n
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(frequencies: &[usize]) -> Vec<u64> {
        let of = |(i, &n): (usize, &usize)| std::iter::repeat_n(i as u64 + 1, n);
        frequencies.iter().enumerate().flat_map(of).collect()
    }

    #[test]
    fn estimates_are_those_of_the_formulas() {
        // Of the goals of 10 runs, 6 are covered by one run, 3 by two runs, 2 by three, 1 by four,
        // and 8 by all.
        let mut covering = counts(&[6, 3, 2, 1]);
        covering.extend([10; 8]);
        let incidence = Incidence::new(10, 100, covering).unwrap();
        assert_eq!(incidence.observed(), 20);
        let value = |estimator| incidence.reachable(estimator, 0.95).value;
        assert!((value(Estimator::Chao2) - (20.0 + 0.9 * 36.0 / 6.0)).abs() < 1e-12);
        assert!((value(Estimator::Jackknife1) - (20.0 + 6.0 * 0.9)).abs() < 1e-12);
        let second = 20.0 + 6.0 * 17.0 / 10.0 - 3.0 * 64.0 / 90.0;
        assert!((value(Estimator::Jackknife2) - second).abs() < 1e-12);
        assert!(value(Estimator::ImprovedChao2) > value(Estimator::Chao2));
        let interval = incidence.reachable(Estimator::Chao2, 0.95).interval;
        assert!(
            interval.low > 20.0 && interval.high > 30.0 && interval.high < 60.0,
            "{interval:?}"
        );
        assert!((incidence.interpolated(10) - 20.0).abs() < 1e-9);
        let mean = (6 + 6 + 6 + 4 + 80) as f64 / 10.0;
        assert!((incidence.interpolated(1) - mean).abs() < 1e-9);
    }

    #[test]
    fn estimates_stay_between_observed_and_all_goals() {
        let single = Incidence::new(2, 12, vec![1; 10]).unwrap();
        for estimator in Estimator::ALL {
            let found = single.reachable(estimator, 0.95);
            assert!((10.0..=12.0).contains(&found.value), "{estimator:?} {found:?}");
        }
        let all = Incidence::new(5, 8, vec![5; 8]).unwrap();
        assert_eq!(all.reachable(Estimator::Chao2, 0.95).value, 8.0);
        assert_eq!((all.sample_coverage(), all.extrapolated(10.0, 0.95, 1).value), (1.0, 8.0));
        assert!(Incidence::new(1, 3, vec![1]).is_err());
        assert!(Incidence::new(3, 3, vec![4]).is_err());
        let nothing = Incidence::new(3, 3, vec![]).unwrap();
        assert_eq!(nothing.reachable(Estimator::Ice, 0.95).value, 0.0);
    }

    /// Predicts the number of goals that more runs cover, for 40 goals with probabilities around
    /// 0.05.
    #[test]
    fn more_runs_are_predicted() {
        let probabilities: Vec<f64> = (0..40).map(|i| 0.01 + 0.002 * f64::from(i)).collect();
        let mut rng = Normals::new(2, 0);
        let covering: Vec<u64> = probabilities.iter().map(|&p| binomial(&mut rng, 20, p)).collect();
        let incidence = Incidence::new(20, 40, covering).unwrap();
        let truth: f64 = probabilities.iter().map(|&p| 1.0 - libm::pow(1.0 - p, 60.0)).sum();
        let found = incidence.extrapolated(3.0, 0.95, 1);
        assert!(found.interval.low <= truth && truth <= found.interval.high, "{found:?} {truth}");
        assert_eq!(found, incidence.extrapolated(3.0, 0.95, 1));
    }
}
