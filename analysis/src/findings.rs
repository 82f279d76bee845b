//! Results of a study beyond the comparison of its algorithms, as plain data. Each number comes
//! with the runs from which it was computed, as indices into
//! [`Results::runs`](crate::tidy::Results::runs).
//!
//! | question | answer | source |
//! | --- | --- | --- |
//! | which algorithm covers the most, and by how much | [`Best`] | |
//! | how much does each configuration cover | [`Configuration`] | Pynguin paper, Table 2 |
//! | does the budget decide which algorithm is better | [`Milestone`] | |
//! | how soon is most of the coverage reached | [`Convergence`] | |
//! | how soon do runs cover all that any run covers | [`FullCoverage`] | Kaplan and Meier (1958) |
//! | which algorithm is the best over all projects | [`Ranking`] | Demšar (2006) |
//! | which projects are trivial | [`Trivial`] | Whisker paper, RQ2 |
//! | how large are the suites | [`Suites`] | Whisker paper, figures 26 and 27 |
//! | does coverage depend on size | [`Relation`] | Pynguin paper, figures 4 and 5 |
//! | how large are differences that are only chance | [`AaTest`] | |
//! | how many mutants do suites kill | [`MutationAnalysis`] | Whisker paper, RQ4 |
//! | which suites detect which known faults | [`Detection`] | Elyasaf et al., Table III |
//! | how many items of a criterion do suites cover, and does it matter | [`SuiteRank`], [`RankDetection`] | Elyasaf et al., Table IV |
//! | when is an estimate of risk stable | [`RiskStability`] | Elyasaf et al., figure 4 |
//! | what is a parameter worth, and to which projects | [`FactorPair`] | Pynguin paper, Table 3 and figure 6 |
//! | how fast are programs executed | [`Speed`] | Whisker paper, RQ1 |
//! | how fast is a machine, can runs be repeated | [`Machine`] | Whisker paper, figure 12 |
//! | what did the study cost | [`Cost`] | |
//! | what is missing, and why | [`Missing`] | |

mod aa_test;
mod best;
mod configuration;
mod convergence;
mod cost;
mod detection;
mod factor;
mod full_coverage;
mod milestone;
mod missing;
mod mutation;
mod ranking;
mod relation;
mod repeats;
mod risk;
mod speed;
mod suite_rank;
mod suites;
mod trivial;

pub use aa_test::AaTest;
pub use best::{Best, Other};
pub use configuration::{Configuration, PooledPair};
pub use convergence::{Convergence, SHARES};
pub use cost::Cost;
pub use detection::Detection;
pub use factor::{FactorPair, GroupEffect};
pub use full_coverage::FullCoverage;
pub use milestone::Milestone;
pub use missing::{Cause, Missing, MissingRuns};
pub use mutation::{MutationAnalysis, MutationScore};
pub use ranking::Ranking;
pub use relation::Relation;
pub use repeats::Machine;
pub use risk::{RiskStability, Variances};
pub use speed::Speed;
pub use suite_rank::{RankDetection, SuiteRank};
pub use suites::{SuiteSize, Suites};
pub use trivial::{Baseline, Trivial};
