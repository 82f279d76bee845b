//! The tests of the crate as one program: a program of each file would link the same crates again.

mod access;
mod damaged_stores;
mod format_1;
mod ledger_laws;
