//! The tests of the crate, as one program. A program for each file would link the same crates again.

mod grids;
mod plans;
mod records;
mod study;
