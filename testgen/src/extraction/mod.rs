//! Event extraction: which events a program can react to right now (Whisker paper,
//! section 4.2 and Algorithm 2).
//!
//! What depends on the project alone is found once, in [`Tables`]: for each script a flat
//! list of the places that sense input. An [`Extractor`] reads them against the state of
//! a running program.

mod answers;
mod dynamic;
mod scan;
mod scene;
mod tables;

pub use dynamic::Extractor;
pub use scene::{Instance, Scene};
pub use tables::Tables;

#[cfg(test)]
mod tests;
