//! Group-sequential bounds: the level of a p-value at each of several looks at growing data, such
//! that the probability of rejecting a true null hypothesis at any look is at most the overall
//! level.
//!
//! The probability of a rejection is spent in proportion to the share of the data raised to the
//! power of 1.5 (Lan and DeMets, 1983; Kim and DeMets, 1987). The bounds are computed look by look,
//! from the distribution of the sums of normal values that have not crossed any bound so far
//! (Armitage, McPherson and Rowe, 1969).

use std::f64::consts::{PI, SQRT_2};

/// The exponent of the share of the data in the error-spending function.
const POWER: f64 = 1.5;

/// Minimum number of grid points per standard deviation of the sum of the values between two looks.
const FINENESS: f64 = 3.0;

/// Distance in standard deviations beyond which the normal density is taken as 0.
const REACH: f64 = 8.5;

/// The bounds of a two-sided test, which are computed as they are needed.
#[derive(Clone, Debug)]
pub struct ErrorSpending {
    level: f64,
    looks: Vec<usize>,
    nominal: Vec<f64>,
    /// The density of the sum of the values if no bound has been crossed, on a grid of points. A
    /// mass is the density at a point times the weight of the point in the integral.
    points: Vec<f64>,
    masses: Vec<f64>,
}

impl ErrorSpending {
    /// The bounds at looks after these counts of values, which must be positive and ascending. The
    /// probability of crossing any bound is `level`, in 0..1.
    pub fn new(level: f64, looks: Vec<usize>) -> ErrorSpending {
        let (points, masses) = (vec![0.0], vec![1.0]);
        ErrorSpending { level, looks, nominal: Vec::new(), points, masses }
    }

    /// The level of the two-sided p-value at a look, counted from 0. The null hypothesis is
    /// rejected if p is smaller than this level.
    pub fn nominal(&mut self, look: usize) -> f64 {
        while self.nominal.len() <= look && self.nominal.len() < self.looks.len() {
            self.advance();
        }
        self.nominal.get(look).copied().unwrap_or(0.0)
    }

    fn advance(&mut self) {
        let at = self.nominal.len();
        let all = self.looks.last().copied().unwrap_or(1) as f64;
        let count = self.looks[at] as f64;
        let before = if at == 0 { 0.0 } else { self.looks[at - 1] as f64 };
        let spent = |count: f64| self.level * libm::pow(count / all, POWER);
        let spend = spent(count) - spent(before);
        let step = (count - before).sqrt();
        // The probability of crossing the bound in either direction decreases with the bound.
        let (mut low, mut high) = (0.0, 40.0 * count.sqrt());
        for _ in 0..60 {
            let middle = (low + high) / 2.0;
            if self.crossing(middle, step) > spend { low = middle } else { high = middle }
        }
        let bound = (low + high) / 2.0;
        self.nominal.push(libm::erfc(bound / (count.sqrt() * SQRT_2)));
        if let Some(&next) = self.looks.get(at + 1) {
            self.spread(bound, step, (next as f64 - count).sqrt());
        }
    }

    fn crossing(&self, bound: f64, step: f64) -> f64 {
        let beyond = |point: f64| {
            let distance = (bound - point) / step;
            if distance > REACH { 0.0 } else { libm::erfc(distance / SQRT_2) / 2.0 }
        };
        // The density is symmetric, so both sides have the same probability.
        2.0 * self.points.iter().zip(&self.masses).map(|(&x, mass)| mass * beyond(x)).sum::<f64>()
    }

    /// Computes the density within the bound after a step, with the weights of Simpson's rule.
    fn spread(&mut self, bound: f64, step: f64, next: f64) {
        let width = step.min(next) / FINENESS;
        let half = ((bound / width).ceil() as usize).max(20);
        let width = bound / half as f64;
        let points: Vec<f64> = (0..=2 * half).map(|i| (i as f64 - half as f64) * width).collect();
        let density = |point: f64| {
            let first = self.points.partition_point(|x| *x < point - REACH * step);
            let near = self.points[first..].iter().zip(&self.masses[first..]);
            let near = near.take_while(|(x, _)| **x <= point + REACH * step);
            let sum: f64 = near
                .map(|(x, mass)| {
                    let distance = (point - x) / step;
                    mass * libm::exp(-distance * distance / 2.0)
                })
                .sum();
            sum / (step * (2.0 * PI).sqrt())
        };
        let weight = |i: usize| match i {
            _ if i == 0 || i == 2 * half => width / 3.0,
            _ if i % 2 == 1 => 4.0 * width / 3.0,
            _ => 2.0 * width / 3.0,
        };
        self.masses =
            points.iter().enumerate().map(|(i, &point)| density(point) * weight(i)).collect();
        self.points = points;
    }
}

#[cfg(test)]
mod tests {
    use super::super::posterior::Normals;
    use super::*;

    /// Bounds of z statistics, computed by bisection on the multivariate normal distribution of
    /// SciPy 1.17 with the correlations of sums (`multivariate_normal.cdf`, errors below 1e-7).
    #[test]
    fn bounds_have_the_values_of_the_multivariate_normal_distribution() {
        for (level, looks, expected) in REFERENCE {
            let mut bounds = ErrorSpending::new(level, looks.to_vec());
            for (look, z) in expected.iter().enumerate() {
                let p = libm::erfc(z / SQRT_2);
                let found = bounds.nominal(look);
                assert!((found / p - 1.0).abs() < 1e-3, "{looks:?} {look}: {found} {p}");
            }
            assert_eq!(bounds.nominal(looks.len()), 0.0);
        }
    }

    /// 20,000 sequences of 40 values without an effect, with a look after each value from the fifth
    /// on.
    #[test]
    fn all_looks_together_reject_with_the_probability_of_the_level() {
        let looks: Vec<usize> = (5..=40).collect();
        let mut bounds = ErrorSpending::new(0.05, looks.clone());
        let nominal: Vec<f64> = (0..looks.len()).map(|look| bounds.nominal(look)).collect();
        let mut rejected = 0;
        for sequence in 0..20_000 {
            let mut rng = Normals::new(5, sequence);
            let (mut sum, mut crossed) = (0.0, false);
            for count in 1..=40_usize {
                sum += rng.next();
                if let Some(look) = count.checked_sub(5) {
                    let p = libm::erfc(f64::abs(sum) / (2.0 * count as f64).sqrt());
                    crossed |= p < nominal[look];
                }
            }
            rejected += usize::from(crossed);
        }
        // The standard error of the number is 31.
        assert!((900..=1_100).contains(&rejected), "{rejected} of 20,000");
    }

    #[test]
    #[ignore = "slow"]
    fn more_looks_and_smaller_levels_have_stricter_bounds() {
        let last = |level, looks: Vec<usize>| {
            let look = looks.len() - 1;
            ErrorSpending::new(level, looks).nominal(look)
        };
        assert!((last(0.05, vec![30]) - 0.05).abs() < 1e-12);
        let few = last(0.05, vec![10, 20, 30]);
        let many = last(0.05, (5..=1_000).collect());
        assert!(0.05 > few && few > many && many > 0.01, "{few} {many}");
        let mut strict = ErrorSpending::new(0.05 / 21.0, (5..=30).collect());
        let mut wide = ErrorSpending::new(0.05 / 6.0, (5..=30).collect());
        assert!((0..26).all(|look| strict.nominal(look) < wide.nominal(look)));
    }

    const REFERENCE: [(f64, &[usize], &[f64]); 3] = [
        (0.05, &[10, 20, 30], &[2.589_11, 2.306_33, 2.112_71]),
        (0.05, &[5, 12, 30], &[2.928_86, 2.570_93, 2.036_62]),
        (0.01, &[5, 6, 7, 8], &[2.810_85, 2.905_12, 2.873_11, 2.828_73]),
    ];
}
