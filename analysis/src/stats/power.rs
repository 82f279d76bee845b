//! Sizes of studies: how many projects and how many runs are needed to find an effect of a given
//! size with a given probability.

use super::student::student_quantile;
use super::{normal_quantile, normal_two_sided};

/// A test at a level, and the probability with which it should find an effect.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Power {
    /// Probability of finding an effect that does not exist, in 0..1.
    pub level: f64,
    /// Probability of finding the effect, in `level`..1.
    pub power: f64,
}

impl Default for Power {
    fn default() -> Power {
        Power { level: 0.05, power: 0.8 }
    }
}

/// Efficiency of the Wilcoxon signed-rank test relative to the t test for normal differences
/// (Hodges and Lehmann, 1956).
const WILCOXON: f64 = 3.0 / std::f64::consts::PI;

const MAX: usize = 1_000_000;

impl Power {
    fn quantiles(self) -> f64 {
        normal_quantile(1.0 - self.level / 2.0) + normal_quantile(self.power)
    }

    /// Number of projects with which a paired comparison over projects (Wilcoxon signed-rank test)
    /// finds a mean difference of `effect` standard deviations of the differences (Campelo and
    /// Takahashi, 2019, section 3.2).
    pub fn projects(self, effect: f64) -> Option<usize> {
        let effect = effect.abs();
        if effect.is_nan() || effect == 0.0 {
            return None;
        }
        let mut n = (self.quantiles() / effect).powi(2).max(2.0);
        let mut known = None;
        for _ in 0..20 {
            if n > MAX as f64 {
                return None;
            }
            let freedom = (n.ceil() as usize).max(2) - 1;
            // Further steps would repeat this step.
            if known == Some(freedom) {
                break;
            }
            known = Some(freedom);
            let tails = student_quantile(self.level, freedom)
                + student_quantile(2.0 * (1.0 - self.power), freedom);
            n = (tails / effect).powi(2).max(2.0);
        }
        Some((n / WILCOXON).ceil() as usize)
    }

    /// Like [`Power::projects`], but at least `least`.
    pub fn projects_at_least(self, effect: f64, least: usize) -> Option<usize> {
        Some(self.projects(effect)?.max(least))
    }

    /// Number of runs of each of two algorithms on a project with which the Mann-Whitney U test
    /// finds an effect of size A12 (Noether, 1987).
    pub fn runs(self, a12: f64) -> Option<usize> {
        let distance = a12 - 0.5;
        if distance.is_nan() || distance == 0.0 {
            return None;
        }
        let both = self.quantiles().powi(2) / (3.0 * distance * distance);
        let each = (both / 2.0).ceil();
        (each <= MAX as f64).then_some(each.max(2.0) as usize)
    }

    /// The smallest mean difference that can be found with `projects` projects, in standard
    /// deviations of the differences.
    pub fn detectable(self, projects: usize) -> Option<f64> {
        if projects < 2 {
            return None;
        }
        let (mut low, mut high) = (1e-4, 100.0);
        for _ in 0..60 {
            let middle = (low + high) / 2.0;
            let enough = self.projects(middle).is_some_and(|needed| needed <= projects);
            if enough { high = middle } else { low = middle }
        }
        Some(high)
    }

    /// The power of a two-sided z test for an effect of `errors` standard errors.
    pub fn of(self, errors: f64) -> f64 {
        let critical = normal_quantile(1.0 - self.level / 2.0);
        let above = |z: f64| {
            let half = normal_two_sided(z.abs()) / 2.0;
            if z >= 0.0 { half } else { 1.0 - half }
        };
        above(critical - errors) + above(critical + errors)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_those_of_the_textbooks() {
        let power = Power::default();
        // power.t.test(delta = 0.5, power = 0.8, type = "paired") of R needs 33.4 pairs.
        assert_eq!(power.projects(0.5), Some((33.4_f64 / WILCOXON).ceil() as usize));
        // According to the formula of Noether (1987), a large effect (A12 = 0.71) needs 30 runs of
        // each algorithm, the number recommended by Arcuri and Briand.
        assert_eq!(power.runs(0.71), Some(30));
        assert_eq!(power.runs(0.29), Some(30));
        assert_eq!((power.runs(0.5), power.projects(0.0)), (None, None));
        assert!(power.runs(0.56).unwrap() > 300);
        let found = power.detectable(35).unwrap();
        assert!((found - 0.5).abs() < 0.02, "{found}");
        assert!((power.of(1.96 + 0.8416) - 0.8).abs() < 1e-3);
    }
}
