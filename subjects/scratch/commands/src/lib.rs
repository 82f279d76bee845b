//! The commands for Scratch except studies.
//!
//! - [`generate`], [`test`], [`coverage`], [`mutate`]: the commands with these names for a Scratch
//!   project; [`play`]: `catherd play`; [`inspect`]: `catherd inspect`.
//! - [`judge`]: `catherd judge`, for grading platforms.
//! - [`vm`]: the VM; [`dataset`]: corpora of projects, from sampling to figures.

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
