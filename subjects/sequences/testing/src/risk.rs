//! Risk: evidence of passed and failed tests about each item.

use catherd_search::Stream;

use crate::streams::RISK;

/// The beta distribution of the probability that uses of an item fail or pass, beginning with the
/// uniform prior.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Beta {
    /// 1 plus the number of tests that cover the item and failed, or that passed for
    /// [`Orientation::Confidence`].
    pub alpha: f64,
    /// 1 plus the number of tests that cover the item and passed, or that failed for
    /// [`Orientation::Confidence`].
    pub beta: f64,
}

/// The probability that a [`Beta`] describes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Orientation {
    /// The probability that a use that covers the item fails.
    #[default]
    Risk,
    /// The probability that a use that covers the item passes.
    Confidence,
}

impl Beta {
    /// The distribution after some tests.
    pub fn new(passed: f64, failed: f64, orientation: Orientation) -> Beta {
        match orientation {
            Orientation::Risk => Beta { alpha: 1.0 + failed, beta: 1.0 + passed },
            Orientation::Confidence => Beta { alpha: 1.0 + passed, beta: 1.0 + failed },
        }
    }

    /// The mean, from 0 to 1.
    pub fn mean(self) -> f64 {
        self.alpha / (self.alpha + self.beta)
    }

    /// The variance.
    pub fn variance(self) -> f64 {
        let sum = self.alpha + self.beta;
        self.alpha * self.beta / (sum * sum * (sum + 1.0))
    }

    /// The bounds of the central interval with this probability, such as 0.95.
    pub fn interval(self, probability: f64) -> (f64, f64) {
        let tail = (1.0 - probability) / 2.0;
        (self.quantile(tail), self.quantile(1.0 - tail))
    }

    /// The quantile for a probability, by bisection.
    fn quantile(self, probability: f64) -> f64 {
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if self.below(middle) < probability { low = middle } else { high = middle }
        }
        0.5 * (low + high)
    }

    /// The probability that a draw is below x: the regularised incomplete beta function, by its
    /// continued fraction (Press et al., "Numerical Recipes", section 6.4).
    fn below(self, x: f64) -> f64 {
        let (a, b) = (self.alpha, self.beta);
        if x <= 0.0 || x >= 1.0 {
            return f64::from(u8::from(x >= 1.0));
        }
        let logarithm = libm::lgamma(a + b) - libm::lgamma(a) - libm::lgamma(b)
            + a * libm::log(x)
            + b * libm::log1p(-x);
        let front = libm::exp(logarithm);
        if x < (a + 1.0) / (a + b + 2.0) {
            front * fraction(a, b, x) / a
        } else {
            1.0 - front * fraction(b, a, 1.0 - x) / b
        }
    }
}

/// The continued fraction of the incomplete beta function (Lentz's method).
fn fraction(a: f64, b: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let keep = |value: f64| if value.abs() < TINY { TINY } else { value };
    let (mut c, mut d) = (1.0, 1.0 / keep(1.0 - (a + b) * x / (a + 1.0)));
    let mut result = d;
    for step in 1..10_000 {
        let m = f64::from(step);
        for numerator in [
            m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0)),
        ] {
            d = 1.0 / keep(1.0 + numerator * d);
            c = keep(1.0 + numerator / c);
            result *= c * d;
        }
        if (c * d - 1.0).abs() < 1e-15 {
            break;
        }
    }
    result
}

/// The evidence about an item.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Evidence {
    /// Number of tests that cover the item and passed, possibly weighted.
    pub passed: f64,
    /// Number of tests that cover the item and failed, possibly weighted.
    pub failed: f64,
    /// The probability that a use of the system covers the item.
    pub profile: f64,
    /// The loss that a failure of the item causes.
    pub loss: f64,
}

impl Evidence {
    /// The distribution of the probability that the item fails.
    pub fn risk(&self) -> Beta {
        Beta::new(self.passed, self.failed, Orientation::Risk)
    }
}

/// The remaining risk over all items.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Assessment {
    /// The sum of mean times profile.
    pub risk: f64,
    /// The sum of loss times mean times profile.
    pub expected_loss: f64,
    /// The largest variance.
    pub largest_variance: f64,
}

/// Computes the remaining risk.
pub fn assess(items: &[Evidence]) -> Assessment {
    let mut sum = Assessment::default();
    for item in items {
        let beta = item.risk();
        sum.risk += beta.mean() * item.profile;
        sum.expected_loss += item.loss * beta.mean() * item.profile;
        sum.largest_variance = sum.largest_variance.max(beta.variance());
    }
    sum
}

/// A policy that chooses the items to test next.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Policy {
    /// The largest product of loss and mean.
    #[default]
    ExpectedLoss,
    /// The largest product of the loss and a draw from the item's distribution.
    Thompson,
    /// The largest variance.
    Variance,
    /// The largest sum of the mean and a multiple of the standard deviation.
    UpperBound(f64),
}

/// Error for an unknown name of a policy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown policy `{0}`: use expected-loss, thompson, variance or ucb")]
pub struct UnknownPolicy(String);

impl std::str::FromStr for Policy {
    type Err = UnknownPolicy;

    fn from_str(name: &str) -> Result<Policy, UnknownPolicy> {
        match name {
            "expected-loss" => Ok(Policy::ExpectedLoss),
            "thompson" => Ok(Policy::Thompson),
            "variance" => Ok(Policy::Variance),
            "ucb" => Ok(Policy::UpperBound(2.0)),
            _ => Err(UnknownPolicy(name.to_owned())),
        }
    }
}

/// The score of each item under a policy. The item with the largest score is tested next.
pub fn scores(items: &[Evidence], policy: Policy, seed: u64) -> Vec<f64> {
    let mut stream = Stream::new(seed, RISK);
    let score = |item: &Evidence| {
        let beta = item.risk();
        match policy {
            Policy::ExpectedLoss => item.loss * beta.mean(),
            Policy::Thompson => item.loss * beta.quantile(stream.unit()),
            Policy::Variance => beta.variance(),
            Policy::UpperBound(deviations) => beta.mean() + deviations * beta.variance().sqrt(),
        }
    };
    items.iter().map(score).collect()
}

/// The indices of items from the highest score to the lowest; items with equal scores keep their
/// order.
pub fn ranking(scores: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
    order
}

/// Chooses tests one after another: each time, the first test with the largest sum of scores,
/// counting only items that no chosen test covers. `tests` contains the items of each test.
pub fn next_tests(tests: &[Vec<usize>], scores: &[f64], count: usize) -> Vec<usize> {
    let mut left = scores.to_vec();
    let mut chosen: Vec<usize> = Vec::new();
    while chosen.len() < count.min(tests.len()) {
        let mut best: Option<(f64, usize)> = None;
        for (test, items) in tests.iter().enumerate().filter(|(test, _)| !chosen.contains(test)) {
            let score: f64 = items.iter().map(|&item| left[item]).sum();
            if best.is_none_or(|(best, _)| score > best) {
                best = Some((score, test));
            }
        }
        let Some((_, test)) = best else { break };
        tests[test].iter().for_each(|&item| left[item] = 0.0);
        chosen.push(test);
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_those_of_known_distributions() {
        let close =
            |(a, b): (f64, f64), c: f64, d: f64| (a - c).abs() < 1e-9 && (b - d).abs() < 1e-9;
        assert!(close(Beta { alpha: 1.0, beta: 1.0 }.interval(0.95), 0.025, 0.975));
        let low = 1.0 - 0.975_f64.powf(1.0 / 1001.0);
        let high = 1.0 - 0.025_f64.powf(1.0 / 1001.0);
        assert!(close(Beta { alpha: 1.0, beta: 1001.0 }.interval(0.95), low, high));
        assert!((Beta { alpha: 50.0, beta: 50.0 }.below(0.5) - 0.5).abs() < 1e-12);
    }

    #[test]
    fn a_batch_covers_different_items() {
        let tests = [vec![0, 1], vec![0, 1], vec![2]];
        assert_eq!(next_tests(&tests, &[1.0, 1.0, 0.5], 2), [0, 2]);
    }

    #[test]
    fn policies_have_their_documented_preferences() {
        let item = |passed, failed, loss| Evidence { passed, failed, profile: 0.5, loss };
        let items = [item(98.0, 0.0, 1.0), item(0.0, 0.0, 1.0), item(48.0, 0.0, 40.0)];
        assert_eq!(ranking(&scores(&items, Policy::ExpectedLoss, 1)), [2, 1, 0]);
        assert_eq!(ranking(&scores(&items, Policy::Variance, 1)), [1, 2, 0]);
        assert_eq!(ranking(&scores(&items, Policy::UpperBound(2.0), 1)), [1, 2, 0]);
        let thompson = scores(&items, Policy::Thompson, 1);
        assert_eq!(thompson, scores(&items, Policy::Thompson, 1));
        assert_ne!(thompson, scores(&items, Policy::Thompson, 2));
    }
}
