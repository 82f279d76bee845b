//! All integration tests of the crate are one program, because a separate program for each file
//! would link the same crates again.

mod export;
mod fuzz;
mod hostile;
mod models;
mod strict;
mod support;
mod whisker;
