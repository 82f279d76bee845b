//! The analysis through its public interface. One program of all files: a program of each would link
//! polars eight times.

mod columns;
mod findings;
mod format_1;
mod import;
mod published;
mod reference;
mod report;
mod study;
mod synthetic;
