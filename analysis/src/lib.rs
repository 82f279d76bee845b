//! From runs to the tables and figures of an empirical paper.
//!
//! - [`tidy`]: the tables that everything else is made from, Parquet and CSV.
//! - [`summarise`]: what a study says at its end, from its tidy tables.
//! - [`comparison`]: algorithms against each other, project by project (Whisker paper,
//!   Table 6).
//! - [`findings`]: everything else that a study says, as plain data with the runs behind it.
//! - [`sheets`] and [`figures`]: all of it as tables and pictures, with titles and captions.
//! - [`report`]: all tables and figures of a study on one page, and in files.
//! - [`import`]: results of other tools as tidy tables.
//! - [`progress`] and [`figure`]: coverage over time, as numbers and as a picture.
//! - [`race`]: which configurations a race drops.
//! - [`corpus`]: pictures of the projects of a study.
//! - [`stats`]: tests and effect sizes, exact where that is feasible.
//! - [`table`]: tables for people and for programs.

pub mod comparison;
pub mod corpus;
pub mod figure;
pub mod figures;
pub mod findings;
pub mod import;
pub mod progress;
pub mod race;
pub mod report;
pub mod sheets;
pub mod stats;
mod summary;
pub mod table;
pub mod tidy;

pub use summary::{Summary, summarise};
