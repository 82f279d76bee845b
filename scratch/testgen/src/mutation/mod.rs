//! Mutation analysis: how many small faults the tests of a suite find (Whisker paper,
//! sections 6.2.4 and 7.4).
//!
//! - What is changed: [`Operator`], [`mutants`], [`Mutant`].
//! - Which tests notice: [`Analysis`], [`Bench`], [`Tried`].
//! - How many: [`Tally`], [`duplicates`].

mod analysis;
mod candidates;
mod mutant;
mod operator;
#[cfg(test)]
mod tests;
mod tried;

pub use analysis::{Analysis, Bench, Outcome, Settings};
pub use candidates::mutants;
pub use mutant::{Mutant, MutantName, Undo};
pub use operator::{Operator, UnknownOperator};
pub use tried::{Kill, Tally, Tried, duplicates};
