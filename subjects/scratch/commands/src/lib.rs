//! Commands for Scratch projects, except those that execute studies.

pub mod coverage;
pub mod dataset;
mod failure;
pub mod generate;
pub mod inspect;
pub mod judge;
pub mod mutate;
pub mod play;
mod project;
pub mod test;
pub mod vm;
