//! Comparisons of pairs of algorithms over all projects, each decided by a rule.

use std::cmp::Ordering;
use std::fmt;

use crate::comparison::{LEVEL, MAX_ALL_COMPARED, Samples, enough};
use crate::stats::{
    Interval, MeanPosterior, PValue, SignedRank, Unavailable, holm, mean, t_interval,
};

use super::sequential::{MIN_ROUNDS, Sequential};

/// The usual margin of equivalence, as a difference in mean coverage: one percentage point.
pub const MARGIN: f64 = 0.01;

/// The result of the rule for a pair of algorithms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The first algorithm has the higher mean.
    Better,
    /// The first algorithm has the lower mean.
    Worse,
    /// The absolute difference has been shown to be smaller than the margin.
    Equivalent,
    /// Neither a difference nor equivalence has been shown.
    Undecided,
    /// There are too few projects or rounds for the rule.
    TooFew,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Verdict::Better => "better",
            Verdict::Worse => "worse",
            Verdict::Equivalent => "equivalent",
            Verdict::Undecided => "undecided",
            Verdict::TooFew => "too few",
        })
    }
}

impl Verdict {
    /// The verdict on the interval of a difference with this margin of equivalence.
    pub fn of_interval(Interval { low, high }: Interval, margin: f64) -> Verdict {
        if -margin < low && high < margin {
            Verdict::Equivalent
        } else if low > 0.0 {
            Verdict::Better
        } else if high < 0.0 {
            Verdict::Worse
        } else {
            Verdict::Undecided
        }
    }
}

/// Two algorithms compared over all projects on which both have runs.
#[derive(Clone, Debug)]
pub struct Decision {
    /// Index into [`Results::algorithms`](crate::tidy::Results::algorithms).
    pub first: usize,
    /// Index into [`Results::algorithms`](crate::tidy::Results::algorithms).
    pub second: usize,
    /// The projects on which both algorithms have runs.
    pub projects: Vec<usize>,
    /// Mean difference over projects, first minus second; NaN if there are no such projects.
    pub difference: f64,
    /// Interval of the difference, at level 1 - [`LEVEL`] if the study is analysed once. Otherwise,
    /// the interval is valid for all looks together.
    pub interval: Result<Interval, Unavailable>,
    /// Probability that the first algorithm has the higher mean over projects like these.
    pub higher: Result<f64, Unavailable>,
    /// Probability that the means differ by at most [`MARGIN`].
    pub near: Result<f64, Unavailable>,
    /// Two-sided p-value of the Wilcoxon signed-rank test over projects; `None` if the study is
    /// analysed repeatedly.
    pub p: Option<Result<PValue, Unavailable>>,
    /// The p-value with Holm's correction over all tested pairs.
    pub p_holm: Option<f64>,
    /// Number of rounds on which the decision is based, if the study is analysed repeatedly.
    pub rounds: Option<usize>,
    /// The verdict.
    pub verdict: Verdict,
}

impl Decision {
    /// Decides pairs of algorithms. If there are `rounds`, the verdicts come from them.
    pub fn pairs(samples: &Samples, rounds: Option<&Sequential>) -> Vec<Decision> {
        let all = samples.algorithms() <= MAX_ALL_COMPARED;
        let mut decisions: Vec<Decision> = (1..samples.algorithms())
            .flat_map(|first| (0..if all { first } else { 1 }).map(move |second| (first, second)))
            .filter(|&(first, second)| samples.ran(first) && samples.ran(second))
            .map(|(first, second)| Decision::new(samples, first, second))
            .collect();
        match rounds {
            Some(rounds) => {
                for decision in &mut decisions {
                    decision.decide_by_rounds(rounds);
                }
            }
            None => decide_by_wilcoxon(&mut decisions),
        }
        decisions
    }

    fn new(samples: &Samples, first: usize, second: usize) -> Decision {
        let of = |project, algorithm| mean(samples.values(project, algorithm).iter().copied());
        let pairs: Vec<(usize, [f64; 2])> = (0..samples.projects())
            .filter_map(|project| Some((project, [of(project, first)?, of(project, second)?])))
            .collect();
        let projects: Vec<usize> = pairs.iter().map(|pair| pair.0).collect();
        let blocks: Vec<[f64; 2]> = pairs.into_iter().map(|pair| pair.1).collect();
        let differences: Vec<f64> = blocks.iter().map(|[one, other]| one - other).collect();
        let (x, y): (Vec<f64>, Vec<f64>) = blocks.iter().map(|&[x, y]| (x, y)).unzip();
        let few = enough(blocks.len());
        let posterior = few.and_then(|()| MeanPosterior::over_blocks(&blocks));
        let pair = posterior.map(|posterior| posterior.pair(0, 1, MARGIN));
        let p = few.and_then(|()| match SignedRank::new(&x, &y) {
            Ok(test) => Ok(test.p()),
            Err(Unavailable::Constant) => Ok(PValue::DEGENERATE),
            Err(reason) => Err(reason),
        });
        Decision {
            first,
            second,
            difference: mean(differences.iter().copied()).unwrap_or(f64::NAN),
            interval: few
                .and_then(|()| t_interval(&differences, 1.0 - LEVEL))
                .map(|(_, interval)| interval),
            higher: pair.map(|pair| pair.0),
            near: pair.map(|pair| pair.1),
            p: Some(p),
            p_holm: None,
            rounds: None,
            projects,
            verdict: Verdict::TooFew,
        }
    }

    fn decide_by_rounds(&mut self, rounds: &Sequential) {
        (self.p, self.p_holm) = (None, None);
        let (needed, found) = (MIN_ROUNDS, rounds.rounds());
        (self.interval, self.verdict) =
            (Err(Unavailable::TooFew { needed, found }), Verdict::TooFew);
        self.rounds = Some(found);
        let Some(pair) = rounds.pair(self.first, self.second) else { return };
        if let Some(interval) = pair.interval() {
            self.rounds = Some(pair.rounds);
            self.difference = pair.difference;
            (self.interval, self.verdict) = (Ok(interval), pair.verdict);
        }
    }

    /// Whether the difference is positive, 0 or negative.
    pub fn ordering(&self) -> Ordering {
        self.difference.total_cmp(&0.0)
    }

    /// The better and the worse algorithm, according to the verdict.
    pub fn winner_and_loser(&self) -> Option<(usize, usize)> {
        match self.verdict {
            Verdict::Better => Some((self.first, self.second)),
            Verdict::Worse => Some((self.second, self.first)),
            Verdict::Equivalent | Verdict::Undecided | Verdict::TooFew => None,
        }
    }
}

/// The Wilcoxon signed-rank test decides whether two algorithms differ; the interval of the
/// difference decides whether they are equivalent.
fn decide_by_wilcoxon(decisions: &mut [Decision]) {
    let tested: Vec<(usize, f64)> = decisions
        .iter()
        .enumerate()
        .filter_map(|(at, one)| Some((at, one.p?.ok()?.value)))
        .collect();
    let p: Vec<f64> = tested.iter().map(|one| one.1).collect();
    // All p-values are in 0..=1, so the correction exists.
    for ((at, _), corrected) in tested.iter().zip(holm(&p).unwrap_or_default()) {
        decisions[*at].p_holm = Some(corrected);
    }
    for decision in decisions {
        let Some(p) = decision.p_holm else { continue };
        let near =
            decision.interval.is_ok_and(|i| Verdict::of_interval(i, MARGIN) == Verdict::Equivalent);
        decision.verdict = match decision.ordering() {
            _ if near => Verdict::Equivalent,
            Ordering::Greater if p < LEVEL => Verdict::Better,
            Ordering::Less if p < LEVEL => Verdict::Worse,
            _ => Verdict::Undecided,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_have_verdicts() {
        let verdict = |low, high| Verdict::of_interval(Interval { low, high }, 0.01);
        assert_eq!(verdict(0.001, 0.3), Verdict::Better);
        assert_eq!(verdict(-0.3, -0.02), Verdict::Worse);
        assert_eq!(verdict(0.001, 0.009), Verdict::Equivalent);
        assert_eq!(verdict(-0.02, 0.005), Verdict::Undecided);
    }
}
