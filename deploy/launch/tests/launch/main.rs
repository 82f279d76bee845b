//! Tests of the crate.

mod planner;
mod scripts;
