//! The tests of the crate as one program: a program of each file would link the same crates again.

mod bad_input;
mod corpus;
mod demo;
mod fetch;
mod sample;
mod synth;
