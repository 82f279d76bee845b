//! The tests of the crate as one program: a program of each file would link the same crates again.

mod demo;
mod determinism;
mod environment;
mod hostile;
mod recordings;
