//! The Mann-Whitney U test and effect sizes derived from U (Vargha-Delaney A12, Cliff's delta).

use super::effect_size::{Convention, Interval, Magnitude};
use super::{PValue, Unavailable, normal_quantile, normal_two_sided, ordered};

/// The Mann-Whitney U test of two independent samples.
///
/// The null distribution of U is conditional on the ties of the pooled values: every assignment of
/// these values to samples of the same sizes is equally likely.
#[derive(Clone, Debug, PartialEq)]
pub struct MannWhitney {
    x: usize,
    y: usize,
    /// The groups of equal values in the pooled sample, in ascending order, as counts of values
    /// from the first and from the second sample.
    groups: Vec<(usize, usize)>,
    /// 2 U1, which is an integer even with ties.
    doubled: u64,
}

impl MannWhitney {
    /// Maximum product of the sizes of the samples for which [`MannWhitney::p`] is exact.
    pub const EXACT_PAIRS: usize = 2_500;

    /// Compares two samples.
    ///
    /// # Errors
    /// [`Unavailable`] if a sample is empty or contains NaN.
    pub fn new(x: &[f64], y: &[f64]) -> Result<MannWhitney, Unavailable> {
        ordered(x)?;
        ordered(y)?;
        let mut pooled: Vec<(f64, bool)> = Vec::with_capacity(x.len() + y.len());
        // Adding 0 turns -0 into 0, which `total_cmp` would distinguish.
        pooled.extend(x.iter().map(|v| (v + 0.0, true)));
        pooled.extend(y.iter().map(|v| (v + 0.0, false)));
        pooled.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let mut groups = Vec::new();
        let mut doubled = 0;
        let mut y_below = 0;
        for group in pooled.chunk_by(|a, b| a.0 == b.0) {
            let from_x = group.iter().filter(|v| v.1).count();
            let from_y = group.len() - from_x;
            doubled += from_x as u64 * (2 * y_below + from_y as u64);
            y_below += from_y as u64;
            groups.push((from_x, from_y));
        }
        Ok(MannWhitney { x: x.len(), y: y.len(), groups, doubled })
    }

    /// The sizes of the samples.
    pub fn sizes(&self) -> (usize, usize) {
        (self.x, self.y)
    }

    /// Whether any two of the pooled values are equal.
    pub fn has_ties(&self) -> bool {
        self.groups.len() < self.x + self.y
    }

    /// Whether all of the pooled values are equal.
    pub fn is_degenerate(&self) -> bool {
        self.groups.len() == 1
    }

    fn ties(&self) -> impl Iterator<Item = usize> {
        self.groups.iter().map(|(x, y)| x + y)
    }

    fn pairs(&self) -> u64 {
        self.x as u64 * self.y as u64
    }

    /// U of the first sample: the number of pairs in which the value of the first sample is larger,
    /// plus one half for each tie.
    pub fn u1(&self) -> f64 {
        self.doubled as f64 / 2.0
    }

    /// U of the second sample: the number of all pairs minus [`MannWhitney::u1`].
    pub fn u2(&self) -> f64 {
        (2 * self.pairs() - self.doubled) as f64 / 2.0
    }

    /// The Vargha-Delaney effect size A12 in 0..=1: the probability that a value of the first
    /// sample is larger than a value of the second, plus one half of the probability of a tie.
    pub fn a12(&self) -> f64 {
        self.u1() / self.pairs() as f64
    }

    /// Cliff's delta in -1..=1, which is 2 A12 - 1.
    pub fn cliffs_delta(&self) -> f64 {
        2.0 * self.a12() - 1.0
    }

    /// The magnitude of the effect according to a convention.
    pub fn magnitude(&self, convention: Convention) -> Magnitude {
        // With the larger of U1 and U2, exchanged samples have exactly the same magnitude.
        let larger = self.doubled.max(2 * self.pairs() - self.doubled);
        convention.magnitude(larger as f64 / (2 * self.pairs()) as f64)
    }

    /// A confidence interval for [`MannWhitney::a12`] at a level such as 0.95. The interval is
    /// normal on the logit scale, with the variance of DeLong, DeLong and Clarke-Pearson (1988).
    ///
    /// If the samples do not overlap, the interval is computed from the nearest overlapping
    /// samples, and the end on the side of the observed effect is the observed effect.
    ///
    /// # Errors
    /// [`Unavailable`] if the interval does not exist for these samples.
    pub fn a12_interval(&self, level: f64) -> Result<Interval, Unavailable> {
        let (m, n) = (self.x as f64, self.y as f64);
        let few = self.x.min(self.y);
        if few < 2 {
            return Err(Unavailable::TooFew { needed: 2, found: few });
        }
        if self.is_degenerate() {
            return Err(Unavailable::Constant);
        }
        let one_sided = self.doubled == 0 || self.doubled == 2 * self.pairs();
        let (effect, variance) = if one_sided {
            let step = 1.0 / (2.0 * m * n);
            (self.a12().clamp(step, 1.0 - step), 2.0 * step * step)
        } else {
            (self.a12(), self.placement_variance())
        };
        let logit = (effect / (1.0 - effect)).ln();
        let spread =
            normal_quantile((1.0 + level) / 2.0) * variance.sqrt() / (effect * (1.0 - effect));
        let logistic = |at: f64| 1.0 / (1.0 + (-at).exp());
        let mut interval =
            Interval { low: logistic(logit - spread), high: logistic(logit + spread) };
        if self.doubled == 0 {
            interval.low = 0.0;
        } else if one_sided {
            interval.high = 1.0;
        }
        Ok(interval)
    }

    /// DeLong's variance of A12, computed from the placements of the values of each sample in the
    /// other sample.
    fn placement_variance(&self) -> f64 {
        let (m, n) = (self.x as f64, self.y as f64);
        let effect = self.a12();
        let (mut of_x, mut of_y) = (0.0, 0.0);
        let (mut x_below, mut y_below) = (0, 0);
        for &(x, y) in &self.groups {
            let x_place = (y_below as f64 + y as f64 / 2.0) / n;
            let y_place = ((self.x - x_below) as f64 - x as f64 / 2.0) / m;
            of_x += x as f64 * (x_place - effect) * (x_place - effect);
            of_y += y as f64 * (y_place - effect) * (y_place - effect);
            x_below += x;
            y_below += y;
        }
        of_x / (m - 1.0) / m + of_y / (n - 1.0) / n
    }

    /// The two-sided p-value, which is exact up to [`MannWhitney::EXACT_PAIRS`] pairs.
    pub fn p(&self) -> PValue {
        if self.pairs() <= MannWhitney::EXACT_PAIRS as u64 {
            self.exact()
        } else {
            self.asymptotic()
        }
    }

    /// The exact two-sided p-value: the probability that U is at least as far from its mean as the
    /// observed U.
    pub fn exact(&self) -> PValue {
        if self.is_degenerate() {
            return PValue::DEGENERATE;
        }
        let ties: Vec<usize> = self.ties().collect();
        PValue::exact(Distribution::new(self.x, self.y, &ties).two_sided(self.doubled))
    }

    /// The two-sided p-value from the distribution of samples without ties, even if there are ties.
    /// A U between two values of this distribution is rounded towards the mean.
    pub(super) fn exact_ignoring_ties(&self) -> PValue {
        let distribution = Distribution::new(self.x, self.y, &vec![1; self.x + self.y]);
        let larger = self.doubled.max(2 * self.pairs() - self.doubled);
        let doubled = (larger - larger % 2).max(self.pairs());
        PValue::exact(distribution.two_sided(doubled))
    }

    /// The two-sided p-value from the normal distribution, corrected for ties and for continuity.
    pub fn asymptotic(&self) -> PValue {
        if self.is_degenerate() {
            return PValue::DEGENERATE;
        }
        let all = (self.x + self.y) as f64;
        let tie_term: f64 = self.ties().map(|t| t as f64).map(|t| t * (t * t - 1.0)).sum();
        let pairs = self.pairs() as f64;
        let deviation = (pairs / 12.0 * (all + 1.0 - tie_term / (all * (all - 1.0)))).sqrt();
        let distance = (self.u1() - pairs / 2.0).abs();
        PValue::asymptotic(normal_two_sided(((distance - 0.5) / deviation).max(0.0)))
    }
}

/// A lower bound on the exact two-sided p-values of samples of these sizes.
pub fn smallest_p(x: usize, y: usize) -> f64 {
    let few = x.min(y);
    let ways = (1..=few).fold(1.0, |ways, i| ways * (x + y - few + i) as f64 / i as f64);
    let extreme = if x == y { 2.0 } else { 1.0 };
    (extreme / ways).min(1.0)
}

/// The smallest size of two samples of equal size for which the exact two-sided p-value can be
/// below a level in 0..1. For example, the size is 4 for a level of 0.05.
pub fn runs_needed(level: f64) -> usize {
    (1..).find(|&n| smallest_p(n, n) < level).unwrap_or(usize::MAX)
}

/// The number of assignments of the pooled values to the two samples for each value of U.
///
/// The counts are computed by dynamic programming over the groups of equal values in ascending
/// order. Row `k` counts the assignments with `k` of the first `i` values in the first sample. A
/// group of `t` values can assign `j` more values to the first sample in C(t, j) ways, which adds
/// `j (2 (i - k) + t - j)` to 2 U.
struct Distribution {
    counts: Vec<f64>,
    /// The difference in 2 U between neighbouring elements of `counts`: 1, or 2 if U is always an
    /// integer.
    unit: usize,
    pairs: usize,
}

impl Distribution {
    fn new(x: usize, y: usize, ties: &[usize]) -> Distribution {
        // The counts for the smaller sample need fewer states and result in the same two-sided
        // probabilities.
        let (chosen, rest) = (x.min(y), x.max(y));
        let pairs = chosen * rest;
        // `j (t - j)` can be odd only for a group of even size.
        let unit = if ties.iter().any(|t| t % 2 == 0) { 1 } else { 2 };
        let width = 2 * pairs / unit + 1;
        let mut counts = vec![0.0; (chosen + 1) * width];
        let mut used = vec![0; chosen + 1];
        (counts[0], used[0]) = (1.0, 1);
        let mut seen = 0;
        for &t in ties {
            // Descending, because a row must be read before this group is added to it.
            for k in (0..=chosen.min(seen)).rev() {
                if used[k] == 0 {
                    continue;
                }
                let (below, above) = counts.split_at_mut((k + 1) * width);
                let source = &mut below[k * width..][..used[k]];
                let mut ways = 1.0;
                for j in 1..=t.min(chosen - k) {
                    ways = ways * (t + 1 - j) as f64 / j as f64;
                    if seen + t - k - j > rest {
                        continue;
                    }
                    let shift = j * (2 * (seen - k) + t - j) / unit;
                    let target = &mut above[(j - 1) * width + shift..][..source.len()];
                    for (to, from) in target.iter_mut().zip(&*source) {
                        *to += ways * from;
                    }
                    used[k + j] = used[k + j].max(shift + source.len());
                }
                if seen + t - k > rest {
                    source.fill(0.0);
                    used[k] = 0;
                }
            }
            seen += t;
        }
        Distribution { counts: counts.split_off(chosen * width), unit, pairs }
    }

    fn two_sided(&self, doubled: u64) -> f64 {
        let distance = (doubled as usize).abs_diff(self.pairs);
        let (mut far, mut all) = (0.0, 0.0);
        for (index, ways) in self.counts.iter().enumerate() {
            all += ways;
            if (index * self.unit).abs_diff(self.pairs) >= distance {
                far += ways;
            }
        }
        far / all
    }
}

#[cfg(test)]
mod tests {
    use super::super::Method;
    use super::*;
    use proptest::prelude::*;

    fn compared(x: &[f64], y: &[f64]) -> MannWhitney {
        MannWhitney::new(x, y).unwrap()
    }

    #[test]
    fn samples_that_do_not_overlap() {
        let test = compared(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0]);
        assert_eq!((test.u1(), test.u2(), test.a12(), test.cliffs_delta()), (0.0, 9.0, 0.0, -1.0));
        // Two of C(6, 3) = 20 assignments are as extreme.
        assert_eq!(test.p(), PValue { value: 0.1, method: Method::Exact });
        assert_eq!(smallest_p(3, 3), 0.1);
        assert_eq!(smallest_p(4, 4), 2.0 / 70.0);
        assert_eq!(smallest_p(1, 1), 1.0);
        assert_eq!([0.5, 0.05, 0.01, 1e-6].map(runs_needed), [2, 4, 5, 12]);
        let apart: Vec<f64> = (0..8).map(f64::from).collect();
        assert!(compared(&apart[..4], &apart[4..]).exact().value < 0.05);
        assert!(compared(&apart[..3], &apart[3..6]).exact().value >= 0.05);
        assert_eq!(smallest_p(2, 1), compared(&[8.0, 8.0], &[0.0]).exact().value);
    }

    #[test]
    fn one_value_against_many_by_hand() {
        // In three of the thirteen assignments of the values, U is at least 5.5 from its mean of 6.
        let many: Vec<f64> = (0..12).map(|i| 0.5 + f64::from(i) / 24.0).collect();
        let test = compared(&[0.5], &many);
        assert_eq!(test.u1(), 0.5);
        assert!((test.exact().value - 3.0 / 13.0).abs() < 1e-15);
    }

    #[test]
    fn equal_values_are_degenerate() {
        let test = compared(&[1.0; 20], &[1.0; 3]);
        assert_eq!(test.a12(), 0.5);
        assert_eq!(test.p(), PValue { value: 1.0, method: Method::Degenerate });
        assert_eq!(test.asymptotic(), test.p());
    }

    #[test]
    fn samples_without_a_test_have_a_reason() {
        assert_eq!(MannWhitney::new(&[], &[1.0]), Err(Unavailable::Empty));
        assert_eq!(MannWhitney::new(&[1.0], &[]), Err(Unavailable::Empty));
        assert_eq!(MannWhitney::new(&[1.0], &[f64::NAN]), Err(Unavailable::NotANumber));
        assert_eq!(compared(&[f64::INFINITY], &[1.0]).a12(), 1.0);
        assert_eq!(compared(&[-0.0], &[0.0]).a12(), 0.5);
    }

    #[test]
    fn large_samples_are_asymptotic() {
        let x: Vec<f64> = (0..51).map(f64::from).collect();
        assert_eq!(compared(&x, &x).p().method, Method::Asymptotic);
        assert_eq!(compared(&x[..50], &x[..50]).p().method, Method::Exact);
        assert_eq!(compared(&x[..8], &x).p().method, Method::Exact);
    }

    #[test]
    fn tails_do_not_underflow() {
        let x: Vec<f64> = (0..913).map(f64::from).collect();
        let y: Vec<f64> = (1000..1913).map(f64::from).collect();
        let p = compared(&x, &y).p().value;
        assert!((p / 1.299_569_974_135_294_8e-299 - 1.0).abs() < 1e-9, "{p:e}");
        let p = compared(&x[..50], &y[..50]).p();
        // Two of C(100, 50) assignments are as extreme.
        assert!((p.value / 1.982_330_604_283_667_8e-29 - 1.0).abs() < 1e-12, "{p:?}");
    }

    /// The exact p-value by definition: all assignments are enumerated.
    fn by_enumeration(x: &[f64], y: &[f64]) -> f64 {
        let pooled: Vec<f64> = x.iter().chain(y).copied().collect();
        let doubled = |first: &dyn Fn(usize) -> bool| -> i64 {
            let mut sum = 0;
            for (i, a) in pooled.iter().enumerate().filter(|(i, _)| first(*i)) {
                for (j, b) in pooled.iter().enumerate().filter(|(j, _)| !first(*j)) {
                    debug_assert_ne!(i, j);
                    sum += if a > b { 2 } else { i64::from(a == b) };
                }
            }
            (sum - (x.len() * y.len()) as i64).abs()
        };
        let seen = doubled(&|i| i < x.len());
        let (mut far, mut all) = (0, 0);
        for assignment in 0_u32..1 << pooled.len() {
            if assignment.count_ones() as usize == x.len() {
                all += 1;
                far += i32::from(doubled(&|i| assignment >> i & 1 == 1) >= seen);
            }
        }
        f64::from(far) / f64::from(all)
    }

    proptest! {
        #[test]
        fn exact_is_the_share_of_assignments(
            x in prop::collection::vec(0..5_i32, 1..6),
            y in prop::collection::vec(0..5_i32, 1..6),
        ) {
            let x: Vec<f64> = x.into_iter().map(f64::from).collect();
            let y: Vec<f64> = y.into_iter().map(f64::from).collect();
            let p = compared(&x, &y).exact().value;
            prop_assert!((p - by_enumeration(&x, &y)).abs() < 1e-12);
        }

        #[test]
        fn swapping_the_samples_mirrors_the_effect(
            x in prop::collection::vec(0..9_i32, 1..30),
            y in prop::collection::vec(0..9_i32, 1..30),
        ) {
            let x: Vec<f64> = x.into_iter().map(f64::from).collect();
            let y: Vec<f64> = y.into_iter().map(f64::from).collect();
            let (there, back) = (compared(&x, &y), compared(&y, &x));
            prop_assert_eq!(there.u1(), back.u2());
            prop_assert!((there.a12() + back.a12() - 1.0).abs() < 1e-12);
            prop_assert_eq!(there.exact(), back.exact());
            prop_assert!(there.exact().value >= smallest_p(x.len(), y.len()) * (1.0 - 1e-12));
        }
    }
}
