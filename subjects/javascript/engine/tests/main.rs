//! The tests of the crate as one program: a program of each file would link the same crates again.

mod hostile;
mod images;
mod refusals;
mod scripts;
mod support;
