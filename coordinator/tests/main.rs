//! The tests of the crate, as one program. A program for each file would link the same crates again.

mod access;
mod damaged_stores;
mod fair_shares;
mod format_1;
mod ledger_laws;
