//! The tests of the crate as one program: a program of each file would link the same crates again.

mod export;
mod fuzz;
mod hostile;
mod models;
mod strict;
mod support;
mod whisker;
