//! All integration tests of the crate are one program, because a separate program for each file
//! would link the same crates again.

mod bad_input;
mod corpus;
mod demo;
mod fetch;
mod sample;
mod synth;
