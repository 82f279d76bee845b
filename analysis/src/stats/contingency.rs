//! Two-by-two contingency tables: counts of two outcomes in two groups.

use super::effect_size::Interval;
use super::{PValue, Unavailable, normal_quantile};

/// Counts of two groups (rows) and two outcomes (columns), such as the runs of two algorithms that
/// did and did not find a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contingency {
    cells: [[u64; 2]; 2],
}

/// A smaller relative difference may be a rounding error. R uses the same value.
const TOLERANCE: f64 = 1e-7;

impl Contingency {
    /// Maximum sum of all cells.
    pub const LARGEST: u64 = 1 << 40;

    /// A table with these counts.
    ///
    /// # Errors
    /// [`Unavailable`] if all counts are zero or their sum is too large.
    pub fn new(cells: [[u64; 2]; 2]) -> Result<Contingency, Unavailable> {
        let sum = cells.iter().flatten().try_fold(0_u64, |sum, &n| sum.checked_add(n));
        match sum {
            Some(0) => Err(Unavailable::Empty),
            Some(sum) if sum <= Contingency::LARGEST => Ok(Contingency { cells }),
            _ => Err(Unavailable::TooMany),
        }
    }

    /// The table of two samples of 0 and 1, if there is one.
    pub fn of_outcomes(x: &[f64], y: &[f64]) -> Option<Contingency> {
        let count = |sample: &[f64]| {
            let ones = sample.iter().filter(|&&v| v == 1.0).count();
            let zeros = sample.iter().filter(|&&v| v == 0.0).count();
            (!sample.is_empty() && ones + zeros == sample.len())
                .then_some([ones as u64, zeros as u64])
        };
        Contingency::new([count(x)?, count(y)?]).ok()
    }

    /// The Wilson interval of a share of `ones` among `n`, at a level such as 0.95 (Wilson, 1927).
    pub fn wilson(ones: u64, n: u64, level: f64) -> Option<Interval> {
        if n == 0 {
            return None;
        }
        let z = normal_quantile(0.5 + level / 2.0);
        let (share, n) = (ones as f64 / n as f64, n as f64);
        let centre = share + z * z / (2.0 * n);
        let half = z * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
        let scale = 1.0 + z * z / n;
        // Rounding errors would move these two bounds away from 0 and 1.
        let low = if ones == 0 { 0.0 } else { (centre - half) / scale };
        let high = if share == 1.0 { 1.0 } else { (centre + half) / scale };
        Some(Interval { low: low.max(0.0), high: high.min(1.0) })
    }

    /// Fisher's exact test, two-sided: the probability, given the margins, of a table that is at
    /// most as likely as the observed table.
    pub fn fisher(&self) -> PValue {
        let Ok(margins) = self.margins() else { return PValue::DEGENERATE };
        // The probabilities are relative to the probability of the observed table, so the sums do
        // not underflow.
        let (mut far, mut all) = (0.0, 0.0);
        margins.each_relative(self.cells[0][0], |_, weight| {
            all += weight;
            if weight <= 1.0 + TOLERANCE {
                far += weight;
            }
        });
        PValue::exact(far / all)
    }

    /// The odds ratio of the sample, which may be infinite.
    ///
    /// # Errors
    /// [`Unavailable::Constant`] if a row or a column is empty.
    pub fn odds_ratio(&self) -> Result<f64, Unavailable> {
        self.margins()?;
        let [[a, b], [c, d]] = self.cells.map(|row| row.map(|n| n as f64));
        Ok(a * d / (b * c))
    }

    /// A confidence interval for the odds ratio from the normal distribution of its logarithm
    /// (Woolf), with 1/2 added to each cell (Haldane and Anscombe).
    ///
    /// # Errors
    /// As for [`Contingency::odds_ratio`].
    pub fn odds_ratio_interval(&self, level: f64) -> Result<Interval, Unavailable> {
        self.margins()?;
        let [[a, b], [c, d]] = self.cells.map(|row| row.map(|n| n as f64 + 0.5));
        let log = (a * d / (b * c)).ln();
        let spread =
            normal_quantile((1.0 + level) / 2.0) * (1.0 / a + 1.0 / b + 1.0 / c + 1.0 / d).sqrt();
        Ok(Interval { low: (log - spread).exp(), high: (log + spread).exp() })
    }

    /// The conditional maximum-likelihood estimate of the odds ratio given the margins, as in R's
    /// `fisher.test`.
    ///
    /// # Errors
    /// [`Unavailable`] if the estimate does not exist or cannot be computed.
    pub fn conditional_odds_ratio(&self) -> Result<f64, Unavailable> {
        let margins = self.margins()?;
        let observed = self.cells[0][0];
        if observed == margins.least {
            return Ok(0.0);
        }
        if observed == margins.most {
            return Ok(f64::INFINITY);
        }
        if margins.most - margins.least > 1 << 20 {
            return Err(Unavailable::TooMany);
        }
        let mut log_weight = 0.0;
        let weights: Vec<(f64, f64)> = (margins.least..=margins.most)
            .map(|cell| {
                if cell > margins.least {
                    log_weight += margins.ratio(cell - 1).ln();
                }
                (cell as f64 - observed as f64, log_weight)
            })
            .collect();
        // Bisection on the logarithm of the odds ratio, because the mean of the first cell
        // increases with the odds ratio.
        let above = |log: f64| {
            let weights = weights.iter().map(|(cell, weight)| (cell, weight + cell * log));
            let most = weights.clone().fold(f64::NEG_INFINITY, |most, (_, w)| most.max(w));
            weights.map(|(cell, w)| cell * (w - most).exp()).sum::<f64>() > 0.0
        };
        let (mut low, mut high) = (-745.0, 745.0);
        for _ in 0..100 {
            let middle = (low + high) / 2.0;
            if above(middle) { high = middle } else { low = middle }
        }
        Ok(((low + high) / 2.0_f64).exp())
    }

    fn margins(&self) -> Result<Margins, Unavailable> {
        let [[a, b], [c, d]] = self.cells;
        let (row, column, all) = (a + b, a + c, a + b + c + d);
        if row == 0 || row == all || column == 0 || column == all {
            return Err(Unavailable::Constant);
        }
        Ok(Margins {
            row,
            column,
            all,
            least: (row + column).saturating_sub(all),
            most: row.min(column),
        })
    }
}

/// The sums of the first row, the first column and all cells, and the range of the first cell given
/// these sums.
struct Margins {
    row: u64,
    column: u64,
    all: u64,
    least: u64,
    most: u64,
}

impl Margins {
    /// The hypergeometric probability of `cell + 1` over the probability of `cell`.
    fn ratio(&self, cell: u64) -> f64 {
        let up = (self.row - cell) as f64 * (self.column - cell) as f64;
        let down = (cell + 1) as f64 * (self.all + cell + 1 - self.row - self.column) as f64;
        up / down
    }

    /// Calls `each` with all values of the first cell and their hypergeometric probabilities
    /// relative to the probability of `observed`. Values whose probabilities are too small to
    /// change a sum are left out.
    fn each_relative(&self, observed: u64, mut each: impl FnMut(u64, f64)) {
        each(observed, 1.0);
        let mut weight = 1.0;
        for cell in observed..self.most {
            let step = self.ratio(cell);
            weight *= step;
            each(cell + 1, weight);
            if weight < 1e-40 && step < 1.0 {
                break;
            }
        }
        weight = 1.0;
        for cell in (self.least..observed).rev() {
            let step = 1.0 / self.ratio(cell);
            weight *= step;
            each(cell, weight);
            if weight < 1e-40 && step < 1.0 {
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Method;
    use super::*;

    #[test]
    fn the_lady_tasting_tea() {
        let tea = Contingency::new([[3, 1], [1, 3]]).unwrap();
        let p = tea.fisher();
        assert!((p.value - 34.0 / 70.0).abs() < 1e-15);
        assert_eq!(p.method, Method::Exact);
        assert_eq!(tea.odds_ratio(), Ok(9.0));
        assert!((tea.conditional_odds_ratio().unwrap() - 6.408_319_658_199).abs() < 1e-10);
    }

    #[test]
    fn wilson_intervals_stay_within_the_possible() {
        let ten = Contingency::wilson(10, 100, 0.95).unwrap();
        assert!((ten.low - 0.055_229).abs() < 1e-6 && (ten.high - 0.174_366).abs() < 1e-6);
        let none = Contingency::wilson(0, 20, 0.95).unwrap();
        assert!(none.low == 0.0 && (none.high - 0.161_125).abs() < 1e-6, "{none:?}");
        let all = Contingency::wilson(20, 20, 0.95).unwrap();
        assert!(all.high == 1.0 && (all.low - 0.838_875).abs() < 1e-6, "{all:?}");
        assert_eq!(Contingency::wilson(0, 0, 0.95), None);
    }

    #[test]
    fn outcomes_of_runs() {
        let table = Contingency::of_outcomes(&[1.0, 1.0, 0.0], &[0.0, 0.0]).unwrap();
        assert_eq!(table, Contingency::new([[2, 1], [0, 2]]).unwrap());
        assert_eq!(table.odds_ratio(), Ok(f64::INFINITY));
        assert!(table.odds_ratio_interval(0.95).unwrap().high.is_finite());
        assert_eq!(Contingency::of_outcomes(&[0.5], &[1.0]), None);
        assert_eq!(Contingency::of_outcomes(&[], &[1.0]), None);
    }

    #[test]
    fn tails_do_not_underflow() {
        // Two of C(1000, 500) assignments are as extreme.
        let p = Contingency::new([[500, 0], [0, 500]]).unwrap().fisher().value;
        assert!((p / 7.399_507_995_628_054e-300 - 1.0).abs() < 1e-9, "{p:e}");
        let large = Contingency::new([[1 << 36, 1 << 36], [1 << 36, (1 << 36) + 1]]).unwrap();
        assert!(large.fisher().value > 0.99);
    }

    #[test]
    fn tables_without_a_result_have_a_reason() {
        assert_eq!(Contingency::new([[0, 0], [0, 0]]), Err(Unavailable::Empty));
        assert_eq!(Contingency::new([[u64::MAX, 1], [0, 0]]), Err(Unavailable::TooMany));
        let full = Contingency::new([[3, 0], [4, 0]]).unwrap();
        assert_eq!(full.fisher(), PValue::DEGENERATE);
        assert_eq!(full.odds_ratio(), Err(Unavailable::Constant));
    }
}
