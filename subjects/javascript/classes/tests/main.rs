//! One program contains all tests of the crate, so the libraries are linked only once.

mod journal;
mod recovered;
mod refining;
mod refusals;
mod reuse;
mod texts;
mod variation;
mod words;
