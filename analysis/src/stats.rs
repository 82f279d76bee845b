//! Statistics of empirical studies: how sure, and how much.
//!
//! Three rules hold throughout. Every p-value carries the [`Method`] that gave it.
//! A sample that cannot answer gets a typed [`Unavailable`], never a silent zero.
//! Rank statistics take infinite values, which are only very large; nothing takes NaN.
//!
//! | question | answer |
//! | --- | --- |
//! | do two samples differ, and how much | [`MannWhitney`] with its A12 and Cliff's delta |
//! | do paired samples differ | [`SignedRank`] |
//! | do several samples differ | [`kruskal_wallis`], [`friedman`] |
//! | do two measures go together | [`pearson`], [`spearman`] |
//! | which of many p-values stand | [`holm`], [`benjamini_hochberg`] |

mod adjustment;
mod correlation;
mod groups;
mod mann_whitney;
mod rank;
mod signed_rank;

pub use adjustment::{benjamini_hochberg, holm};
pub use correlation::{Correlation, pearson, spearman};
pub use groups::{ChiSquare, friedman, kruskal_wallis};
pub use mann_whitney::{MannWhitney, smallest_p};
pub use rank::Ranks;
pub use signed_rank::SignedRank;

use std::fmt;

/// Why a statistic does not exist for a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unavailable {
    /// No values at all.
    #[error("the sample is empty")]
    Empty,
    /// Fewer values than the statistic is defined for.
    #[error("the sample has {found} values, {needed} are needed")]
    TooFew {
        /// The least number of values.
        needed: usize,
        /// The number given.
        found: usize,
    },
    /// NaN has no place in an order.
    #[error("the sample contains a value that is not a number")]
    NotANumber,
    /// A statistic of distances met an infinite value.
    #[error("the sample contains an infinite value")]
    Infinite,
    /// All values are equal, so there is nothing to relate.
    #[error("all values of the sample are equal")]
    Constant,
    /// Paired samples, or blocks, of different lengths.
    #[error("paired samples have different lengths ({0} and {1})")]
    Unpaired(usize, usize),
}

/// How a p-value was computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Method {
    /// By the exact distribution of the statistic given the values and their ties.
    Exact,
    /// By the limiting distribution, with the corrections that the statistic names.
    Asymptotic,
    /// All values are equal: no order, no evidence, p = 1.
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

/// A two-sided p-value and where it comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PValue {
    /// In 0..=1.
    pub value: f64,
    /// How it was computed.
    pub method: Method,
}

impl PValue {
    const DEGENERATE: PValue = PValue { value: 1.0, method: Method::Degenerate };

    fn exact(value: f64) -> PValue {
        PValue { value: value.min(1.0), method: Method::Exact }
    }

    fn asymptotic(value: f64) -> PValue {
        PValue { value: value.min(1.0), method: Method::Asymptotic }
    }
}

/// P(|Z| >= z) of the standard normal distribution, for z >= 0.
fn normal_two_sided(z: f64) -> f64 {
    statrs::function::erf::erfc(z / std::f64::consts::SQRT_2)
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

fn constant(sample: &[f64]) -> bool {
    sample.windows(2).all(|w| w[0] == w[1])
}
