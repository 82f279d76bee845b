//! All integration tests of the crate are one program, because a separate program for each file
//! would link the same crates again.

mod grids;
mod plans;
mod records;
mod study;
