//! Mutation analysis: how many small faults the tests of a suite find (Whisker paper,
//! sections 6.2.4 and 7.4).
//!
//! - What is changed: [`Operator`], [`mutants`], [`Mutant`].

mod candidates;
mod mutant;
mod operator;

pub use candidates::mutants;
pub use mutant::{Mutant, MutantName, Undo};
pub use operator::{Operator, UnknownOperator};
