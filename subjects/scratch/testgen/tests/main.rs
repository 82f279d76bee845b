//! The tests of the crate as one program: a program of each file would link the same crates again.

mod corpus;
mod corpus_goals;
mod documentation;
mod generation;
mod javascript;
