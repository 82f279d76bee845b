//! The tests of the crate as one program: a program of each file would link the same crates again.

mod archive;
mod corpus;
mod hostile;
mod notation;
mod reading;
mod scratch2;
