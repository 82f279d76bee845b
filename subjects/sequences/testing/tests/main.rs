//! All integration tests of the crate are one program, because a separate program for each file
//! would link the same crates again.

mod classes;
mod models;
mod suites;
