//! The analysis through its public API. All files are one program, because one program per file
//! would link polars eight times.

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
