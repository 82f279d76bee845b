//! Tests the analysis through its public API. All test files are one program, because otherwise
//! each of them would link polars.

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
