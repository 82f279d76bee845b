//! Mutation analysis, which measures how many small faults in a program the tests of a suite find
//! (Whisker paper, sections 6.2.4 and 7.4).
//!
//! - Mutants: [`Operator`], [`mutants`], [`Mutant`].
//! - Execution of a suite on mutants: [`Analysis`], [`MutantRunner`], [`MutantResult`]. Suites of
//!   any kind implement [`Tests`]; [`GeneratedTests`] are suites that catherd generated.
//! - Scores: [`Tally`], [`duplicates`].
//! - Minimisation of assertions: [`minimise`].

mod analysis;
mod generated;
mod minimise;
mod mutant;
mod operator;
mod result;
mod settings;
mod sites;
mod suite;
#[cfg(test)]
mod tests;

pub use analysis::{Analysis, MutantRunner};
pub use generated::GeneratedTests;
pub use minimise::{Level, Minimised, minimise};
pub use mutant::{Mutant, MutantName, Undo};
pub use operator::{Operator, UnknownOperator};
pub use result::{Kill, MutantOutcome, MutantResult, Tally, duplicates};
pub use settings::MutationSettings;
pub use sites::{Compat, mutants};
pub use suite::{BoundedTest, MutantVerdict, OriginalResult, OriginalTest, Tests};
