//! Event extraction: which events a program can react to (Whisker paper, sections 4.1 and
//! 4.2).
//!
//! What depends on the project alone is found once, in [`Tables`]: for each script a flat
//! list of the places that sense input. An [`Extractor`] reads them against the state of
//! a running program, or without regard to it, as its kind of [`Extraction`] says.

mod answers;
mod dynamic;
mod fixed;
mod identifier;
mod scan;
mod scene;
mod tables;

pub use dynamic::Extractor;
pub use identifier::Identifier;
pub use scene::{Instance, Scene};
pub use tables::Tables;

/// Which events are extracted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extraction {
    /// Those that the program can react to in its present state (Algorithm 2).
    Dynamic,
    /// Those for which there is a handler anywhere in the code (Table 2), running or not.
    Static,
    /// Those that there are, whatever the program handles (Algorithm 1).
    Naive,
    /// Waits alone.
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
