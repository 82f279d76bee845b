//! Results of a study, as plain data. Runs are indices into
//! [`Results::runs`](crate::tidy::Results::runs).
//!
//! | question | answer | source |
//! | --- | --- | --- |
//! | which algorithm covers the most, and by how much | [`Best`] | |
//! | how much does each configuration cover | [`Configuration`] | Pynguin paper, Table 2 |
//! | does the budget decide which algorithm is better | [`Milestone`] | |
//! | how much is covered, and how soon | [`areas`] | |
//! | how soon is most of the coverage reached | [`Convergence`] | |
//! | how many goals are left | [`Left`] | Chao (1987), Colwell et al. (2012) |
//! | how soon do runs cover as many goals as the best run | [`FullCoverage`] | Kaplan and Meier (1958) |
//! | which of two algorithms is better over all projects | [`Decision`] | Demšar (2006), section 3.1.3 |
//! | how certain is the order of the algorithms | [`Order`] | Box and Tiao (1973) |
//! | is a comparison decided while the study is executed | [`Sequential`] | Lan and DeMets (1983), Jennison and Turnbull (1989) |
//! | which algorithm is the best over all projects | [`Ranking`] | Demšar (2006) |
//! | how large does a study have to be | [`PairVariation`] | Campelo and Takahashi (2019) |
//! | which projects are trivial | [`Trivial`] | Whisker paper, RQ2 |
//! | how large are the suites | [`Suites`] | Whisker paper, figures 26 and 27 |
//! | does coverage depend on size | [`Relation`] | Pynguin paper, figures 4 and 5 |
//! | does a difference between algorithms depend on size | [`DifferenceRelation`] | |
//! | how large are differences that are only chance | [`AaTest`] | |
//! | do coverage and mutation scores agree | [`Agreement`], [`OrderAgreement`] | Böhme, Szekeres and Metzman (2022) |
//! | is a version worse than the one before | [`VersionChange`] | |
//! | how many mutants do suites kill | [`MutationAnalysis`] | Whisker paper, RQ4 |
//! | how soon do runs expose faults | [`Exposure`] | Kaplan and Meier (1958) |
//! | which suites detect which known faults | [`Detection`] | Elyasaf et al., Table III |
//! | how much of a criterion do suites cover, and does it matter | [`SuiteRank`], [`RankDetection`] | Elyasaf et al., Table IV |
//! | when is an estimate of risk stable | [`RiskStability`] | Elyasaf et al., figure 4 |
//! | what is a parameter worth, and on which projects | [`FactorPair`] | Pynguin paper, Table 3 and figure 6 |
//! | how fast are programs executed | [`Speed`] | Whisker paper, RQ1 |
//! | how fast is a machine, and do repeated runs agree | [`Machine`] | Whisker paper, figure 12 |
//! | did runs disturb each other | [`RealTime`] | Good (2005), chapter 3 |
//! | how close to the best is an algorithm on each project | [`Score`] | Metzman et al. (2021) |
//! | what did the study cost | [`Cost`] | |
//! | how certain are results if projects of one author resemble each other | [`Grouped`], [`GroupShare`] | |
//! | what is missing, and why | [`Missing`] | |

mod aa_test;
mod agreement;
mod area;
mod best;
mod configuration;
mod convergence;
mod cost;
mod decision;
mod detection;
mod difference_relation;
mod exposure;
mod factor;
mod full_coverage;
mod groups;
mod history;
mod left;
mod milestone;
mod missing;
mod mutation;
mod order;
mod ranking;
mod real_time;
mod relation;
mod repeats;
mod risk;
mod score;
mod sequential;
mod speed;
mod study_power;
mod suite_rank;
mod suites;
mod trivial;

pub use aa_test::AaTest;
pub use agreement::{Agreement, OrderAgreement};
pub use area::areas;
pub use best::{Best, Other};
pub use configuration::{Configuration, PooledPair};
pub use convergence::{Convergence, SHARES};
pub use cost::Cost;
pub use decision::{Decision, MARGIN, Verdict};
pub use detection::Detection;
pub use difference_relation::DifferenceRelation;
pub use exposure::Exposure;
pub use factor::{FactorPair, GroupEffect};
pub use full_coverage::FullCoverage;
pub use groups::{GroupShare, Grouped, GroupedQuantity, MIN_GROUPS};
pub use history::{Change, VersionChange};
pub use left::{ESTIMATOR, Left, LeftOnProject, MULTIPLES};
pub use milestone::Milestone;
pub use missing::{Cause, Missing, MissingRuns, needed_seeds};
pub use mutation::{MutationAnalysis, MutationScore};
pub use order::{Order, PlacedAlgorithm};
pub use ranking::Ranking;
pub use real_time::{
    Disturbance, DisturbanceTest, PlaceSpeed, RealTime, Verdict as RealTimeVerdict,
};
pub use relation::Relation;
pub use repeats::Machine;
pub use risk::{RiskStability, Variances};
pub use score::Score;
pub use sequential::{Looks, MIN_ROUNDS, Round, Sequential, SequentialPair};
pub use speed::Speed;
pub use study_power::{PairVariation, detectable_a12};
pub use suite_rank::{RankDetection, SuiteRank};
pub use suites::{SuiteSize, Suites};
pub use trivial::{Baseline, Trivial};
