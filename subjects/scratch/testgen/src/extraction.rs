//! Event extraction: lists of the events that a program can react to (Whisker paper, sections 4.1
//! and 4.2).
//!
//! [`Tables`] list, for each script of a project, the blocks that sense input. An [`Extractor`]
//! evaluates these lists, in the state of a running program or independently of the state.

mod answers;
mod dynamic;
mod fixed;
mod identifier;
mod reactions;
mod scan;
mod scene;
mod source;
mod tables;

pub use dynamic::Extractor;
pub use identifier::Identifier;
pub use reactions::{Input, Reaction};
pub use scene::{Instance, LastStep, Scene};
pub use tables::Tables;

/// Kind of extraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extraction {
    /// Events that the program can react to in its current state (Algorithm 2).
    Dynamic,
    /// Events for which a script has a handler, whether or not the script runs (Table 2).
    Static,
    /// Events of most kinds, even if the program does not react to them (Algorithm 1).
    Naive,
    /// Only waits.
    Wait,
}

impl Extraction {
    pub(crate) const WORDS: &[(&str, Self)] = &[
        ("dynamic", Self::Dynamic),
        ("static", Self::Static),
        ("naive", Self::Naive),
        ("wait", Self::Wait),
    ];
}

#[cfg(test)]
mod tests;
