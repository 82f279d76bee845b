//! Statistics of empirical studies, such as significance and effect sizes.
//!
//! A [`PValue`] contains the [`Method`] by which it was computed, and a statistic that does not
//! exist for a sample is [`Unavailable`].
//!
//! | question | answer |
//! | --- | --- |
//! | how are the values of a sample distributed | [`Description`], [`Bootstrap`] |
//! | do two samples differ, and how much | [`MannWhitney`] with its A12 and Cliff's delta |
//! | do paired samples differ | [`SignedRank`] |
//! | does an outcome occur more often in one group | [`Contingency`]: Fisher's exact test, odds ratio |
//! | do several samples differ | [`kruskal_wallis`], [`friedman`] |
//! | which of several samples differ | [`Nemenyi`]; against one of them: [`Conover`] |
//! | how soon does something happen that might never happen | [`Survival`], [`log_rank`] |
//! | which of several means is the highest, and how certain is the answer | [`MeanPosterior`], [`TwoLevel`], [`BradleyTerry`] |
//! | is a difference decided at one of several planned looks | [`ErrorSpending`] |
//! | how many projects and runs are needed | [`Power`] |
//! | how many goals can be reached | [`Incidence`] |
//! | are two measures related | [`pearson`], [`spearman`], [`LinearFit`] |
//! | which of many p-values are significant | [`holm`], [`benjamini_hochberg`] |
//!
//! [`Compat`] provides the conventions of other libraries where these differ.
//!
//! # Example
//!
//! ```
//! use catherd_analysis::stats::{Convention, Magnitude, MannWhitney, Unavailable};
//!
//! let (new, old) = ([88.0, 91.5, 93.0, 95.0, 97.5], [80.0, 84.5, 85.0, 88.0, 90.0]);
//! let test = MannWhitney::new(&new, &old)?;
//! // Of 25 pairs, 23 have the larger value in `new`, and one is a tie.
//! assert_eq!(test.a12(), 23.5 / 25.0);
//! assert_eq!(test.magnitude(Convention::VarghaDelaney), Magnitude::Large);
//! let p = test.p();
//! assert!(p.value < 0.05, "{p:?}");
//!
//! assert_eq!(MannWhitney::new(&new, &[]).unwrap_err(), Unavailable::Empty);
//! # Ok::<(), Unavailable>(())
//! ```

mod adjustment;
mod bootstrap;
mod bradley_terry;
mod compat;
mod conover;
mod contingency;
mod correlation;
mod description;
mod effect_size;
mod error_spending;
mod exchangeable;
mod groups;
mod linear_fit;
mod mann_whitney;
mod matrix;
mod nemenyi;
mod permutation;
mod posterior;
mod power;
mod rank;
mod richness;
mod signed_rank;
mod student;
mod survival;
mod two_level;

pub use adjustment::{benjamini_hochberg, holm};
pub use bootstrap::Bootstrap;
pub use bradley_terry::BradleyTerry;
pub use compat::Compat;
pub use conover::Conover;
pub use contingency::Contingency;
pub use correlation::{Correlation, pearson, spearman};
pub use description::{Description, mean};
pub use effect_size::{Convention, Interval, Magnitude};
pub use error_spending::ErrorSpending;
pub use groups::{ChiSquare, friedman, kruskal_wallis};
pub use linear_fit::LinearFit;
pub use mann_whitney::{MannWhitney, runs_needed, smallest_p};
pub use nemenyi::Nemenyi;
pub use permutation::Exchangeability;
pub use posterior::MeanPosterior;
pub use power::Power;
pub use rank::Ranks;
pub use richness::{Estimate, Estimator, Incidence};
pub use signed_rank::SignedRank;
pub use student::{student_quantile, student_within, t_interval};
pub use survival::{Observation, Survival, log_rank};
pub use two_level::TwoLevel;

use std::fmt;

/// Why a statistic does not exist for a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unavailable {
    /// The sample is empty.
    #[error("the sample is empty")]
    Empty,
    /// The sample has fewer values, pairs, blocks or treatments than the statistic requires.
    #[error("the sample is too small: {found} where at least {needed} are needed")]
    TooFew {
        /// The number required.
        needed: usize,
        /// The number given.
        found: usize,
    },
    /// The sample contains NaN, which cannot be ordered, or a p-value that is not in 0..=1.
    #[error("the sample contains NaN, or a p-value that is not in 0..=1")]
    NotANumber,
    /// The sample contains an infinite value, and the statistic is based on differences.
    #[error("the sample contains an infinite value")]
    Infinite,
    /// All values, or all values within each block, are equal; or the statistic cannot vary for
    /// another reason, such as an empty row of a table.
    #[error("the statistic cannot vary, for example because all values are equal")]
    Constant,
    /// Paired samples, or blocks, have different lengths.
    #[error("paired samples or blocks have different lengths ({0} and {1})")]
    Unpaired(usize, usize),
    /// The sample or a count is too large for the statistic to be computed.
    #[error("the sample or a count is too large")]
    TooMany,
    /// The method requires that all values differ.
    #[error("the sample contains equal values")]
    Ties,
}

impl Unavailable {
    /// The reason as a word or hyphenated words, for machine-readable output.
    pub fn code(&self) -> &'static str {
        match self {
            Unavailable::Empty => "empty",
            Unavailable::TooFew { .. } => "too-few",
            Unavailable::NotANumber => "not-a-number",
            Unavailable::Infinite => "infinite",
            Unavailable::Constant => "constant",
            Unavailable::Unpaired(..) => "unpaired",
            Unavailable::TooMany => "too-many",
            Unavailable::Ties => "ties",
        }
    }
}

/// How a p-value was computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Method {
    /// Computed from the exact distribution of the statistic, given the values and their ties.
    Exact,
    /// Computed from the limiting distribution, with the corrections named in the documentation of
    /// the statistic.
    Asymptotic,
    /// The p-value is 1, because nothing differs in the sample, for example because all values are
    /// equal.
    Degenerate,
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Method::Exact => "exact",
            Method::Asymptotic => "asymptotic",
            Method::Degenerate => "degenerate",
        })
    }
}

/// A p-value and its method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PValue {
    /// The p-value, in 0..=1.
    pub value: f64,
    /// How the p-value was computed.
    pub method: Method,
}

impl PValue {
    /// The p-value as it appears in captions: `p = 0.0123`, or `p < 0.0001` if four decimals would be 0.
    pub fn equation(&self) -> String {
        if self.value < 5e-5 { "p < 0.0001".to_owned() } else { format!("p = {:.4}", self.value) }
    }

    pub(crate) const DEGENERATE: PValue = PValue { value: 1.0, method: Method::Degenerate };

    fn exact(value: f64) -> PValue {
        PValue { value: value.min(1.0), method: Method::Exact }
    }

    fn asymptotic(value: f64) -> PValue {
        PValue { value: value.min(1.0), method: Method::Asymptotic }
    }
}

/// P(|Z| >= z) of the standard normal distribution, for z >= 0.
fn normal_two_sided(z: f64) -> f64 {
    libm::erfc(z / std::f64::consts::SQRT_2)
}

/// The quantile of the standard normal distribution for a probability in 0..1.
fn normal_quantile(probability: f64) -> f64 {
    -std::f64::consts::SQRT_2 * statrs::function::erf::erfc_inv(2.0 * probability)
}

fn ordered(sample: &[f64]) -> Result<(), Unavailable> {
    if sample.is_empty() {
        return Err(Unavailable::Empty);
    }
    if sample.iter().any(|v| v.is_nan()) { Err(Unavailable::NotANumber) } else { Ok(()) }
}

fn finite(sample: &[f64]) -> Result<(), Unavailable> {
    ordered(sample)?;
    if sample.iter().any(|v| v.is_infinite()) { Err(Unavailable::Infinite) } else { Ok(()) }
}

fn paired(x: &[f64], y: &[f64]) -> Result<(), Unavailable> {
    if x.len() == y.len() { Ok(()) } else { Err(Unavailable::Unpaired(x.len(), y.len())) }
}

/// The number of treatments, which must be the same in all blocks and at least `needed`.
fn treatments<B: AsRef<[f64]>>(blocks: &[B], needed: usize) -> Result<usize, Unavailable> {
    let treatments = blocks.first().ok_or(Unavailable::Empty)?.as_ref().len();
    if treatments < needed {
        return Err(Unavailable::TooFew { needed, found: treatments });
    }
    match blocks.iter().map(|b| b.as_ref().len()).find(|&n| n != treatments) {
        Some(other) => Err(Unavailable::Unpaired(treatments, other)),
        None => Ok(treatments),
    }
}

fn constant(sample: &[f64]) -> bool {
    sample.windows(2).all(|w| w[0] == w[1])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_have_names() {
        let names = [Method::Exact, Method::Asymptotic, Method::Degenerate].map(|m| m.to_string());
        assert_eq!(names, ["exact", "asymptotic", "degenerate"]);
    }
}
