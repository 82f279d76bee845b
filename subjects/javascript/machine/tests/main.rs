//! The tests of the crate as one program: a program of each file would link the same crates again.

mod depth;
mod evidence;
mod node;
mod probes;
