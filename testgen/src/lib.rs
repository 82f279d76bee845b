//! Test generation for Scratch programs, after *Automated Test Generation for Scratch
//! Programs* (the Whisker paper).

pub mod chromosome;
mod compat;
pub mod event;
pub mod extraction;
pub mod fitness;
pub mod goals;
pub mod graph;
#[cfg(test)]
mod sample;
pub mod trace;

use catherd_vm as machine;

pub use compat::Compat;
