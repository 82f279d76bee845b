//! All tests of the crate are one program, because a separate program for each file would link the
//! same crates again.

mod journal;
mod refining;
mod refusals;
mod reuse;
mod texts;
mod variation;
mod words;
