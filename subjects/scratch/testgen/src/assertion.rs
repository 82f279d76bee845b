//! Generation of regression assertions (Whisker paper, section 5.5), and detection of assertions
//! and goals that depend on chance.

mod chance;
mod observer;
mod play;
mod regression;
mod siblings;

pub(crate) use chance::separate_chance;
pub(crate) use observer::Observer;
pub(crate) use play::assert_play;
pub use regression::Assertions;
pub(crate) use regression::{Deviations, assert_changes, assert_state};

#[cfg(test)]
mod tests;
