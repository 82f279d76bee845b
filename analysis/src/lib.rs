//! From runs to the tables and figures of an empirical paper.
//!
//! - [`tidy`]: the tables that everything else is made from, Parquet and CSV.
//! - [`summarise`]: what a study says at its end, from its tidy tables.
//! - [`comparison`]: algorithms against each other, project by project (Whisker paper,
//!   Table 6).
//! - [`findings`]: everything else that a study says, as plain data with the runs behind it.
//! - [`sheets`]: all of it as tables, with titles and captions.
//! - [`import`]: results of other tools as tidy tables.
//! - [`progress`] and [`figure`]: coverage over time, as numbers and as a picture.
//! - [`corpus`]: pictures of the projects of a study.
//! - [`stats`]: tests and effect sizes, exact where that is feasible.
//! - [`table`]: tables for people and for programs.

pub mod comparison;
pub mod corpus;
pub mod figure;
pub mod findings;
pub mod import;
pub mod progress;
pub mod sheets;
pub mod stats;
mod summary;
pub mod table;
pub mod tidy;

pub use summary::{Summary, summarise};
