//! Tests the analysis through its public API. All test files are compiled into one program, because
//! otherwise each would link polars.

mod columns;
mod exposure;
mod findings;
mod format_1;
mod groups;
mod import;
mod page;
mod published;
mod real_time;
mod reference;
mod report;
mod study;
mod synthetic;
