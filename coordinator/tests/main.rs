//! Most integration tests of the crate are one program, because a separate program for each file
//! would link the same crates again.

mod access;
mod damaged_stores;
mod fair_shares;
mod format_1;
mod ledger_laws;
