//! Conventions of other libraries, for comparisons with their results.

use std::fmt;
use std::str::FromStr;

use super::{Contingency, MannWhitney, PValue, SignedRank, Unavailable};

/// A library with its conventions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compat {
    /// SciPy 1.17: `mannwhitneyu`, `wilcoxon` and `fisher_exact` with their defaults.
    Scipy,
    /// R 4: `wilcox.test` and `fisher.test` with their defaults.
    R,
}

impl Compat {
    /// The p-value that the library returns by default.
    ///
    /// # Errors
    /// [`Unavailable::Constant`] for R if all values are equal, where R returns NaN.
    pub fn mann_whitney(self, test: &MannWhitney) -> Result<PValue, Unavailable> {
        let (x, y) = test.sizes();
        let small = match self {
            Compat::Scipy => x <= 8 || y <= 8,
            Compat::R => x < 50 && y < 50,
        };
        if self == Compat::R && test.is_degenerate() {
            Err(Unavailable::Constant)
        } else if small && !test.has_ties() {
            Ok(test.exact())
        } else {
            Ok(test.asymptotic())
        }
    }

    /// The p-value of the library's exact method.
    ///
    /// # Errors
    /// [`Unavailable::Ties`] for R if there are ties.
    pub fn mann_whitney_exact(self, test: &MannWhitney) -> Result<PValue, Unavailable> {
        match self {
            Compat::Scipy => Ok(test.exact_ignoring_ties()),
            Compat::R if test.has_ties() => Err(Unavailable::Ties),
            Compat::R => Ok(test.exact()),
        }
    }

    /// The statistic of the signed-rank test that the library reports: the smaller rank sum
    /// (SciPy), or the rank sum of the positive differences (V of R).
    pub fn signed_rank_statistic(self, test: &SignedRank) -> f64 {
        match self {
            Compat::Scipy => test.statistic(),
            Compat::R => test.positive(),
        }
    }

    /// The p-value of the signed-rank test that the library returns by default.
    pub fn signed_rank(self, test: &SignedRank) -> PValue {
        let plain = !test.has_ties() && test.differences() == test.pairs();
        match self {
            Compat::Scipy if test.pairs() <= if plain { 50 } else { 13 } => test.exact(),
            Compat::Scipy => test.asymptotic(),
            Compat::R if plain && test.pairs() < 50 => test.exact(),
            Compat::R => test.asymptotic_continuous(),
        }
    }

    /// The odds ratio that the library returns: the odds ratio of the sample (SciPy) or the
    /// conditional maximum-likelihood estimate (R).
    ///
    /// # Errors
    /// As for [`Contingency::odds_ratio`] or [`Contingency::conditional_odds_ratio`].
    pub fn odds_ratio(self, table: &Contingency) -> Result<f64, Unavailable> {
        match self {
            Compat::Scipy => table.odds_ratio(),
            Compat::R => table.conditional_odds_ratio(),
        }
    }
}

impl fmt::Display for Compat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Compat::Scipy => "scipy",
            Compat::R => "r",
        })
    }
}

impl FromStr for Compat {
    type Err = String;

    fn from_str(name: &str) -> Result<Compat, String> {
        match name.to_ascii_lowercase().as_str() {
            "scipy" => Ok(Compat::Scipy),
            "r" => Ok(Compat::R),
            _ => Err(format!("unknown library `{name}`: expected scipy or r")),
        }
    }
}
