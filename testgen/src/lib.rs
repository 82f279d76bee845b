//! Test generation for Scratch programs, after *Automated Test Generation for Scratch
//! Programs* (the Whisker paper).

pub mod chromosome;
mod compat;
pub mod event;
pub mod extraction;

use catherd_vm as machine;

pub use compat::Compat;
