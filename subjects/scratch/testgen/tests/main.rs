//! All integration tests of the crate are one program, because a separate program for each file
//! would link the same crates again.

mod corpus;
mod corpus_goals;
mod documentation;
mod generation;
mod javascript;
