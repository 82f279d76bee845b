//! The tests of the crate as one program: a program of each file would link the same crates again.

mod journal;
mod refining;
mod reuse;
mod texts;
mod variation;
mod words;
