//! Statistics, tables and figures of an empirical study, from the tidy tables of its runs.
//!
//! - [`tidy`]: the tables with the results of runs, as Parquet and CSV.
//! - [`summarise`]: the summary of a study.
//! - [`comparison`]: pairs of algorithms, compared on each project (Whisker paper, Table 6).
//! - [`findings`]: other results, as plain data.
//! - [`tables`] and [`figures`]: findings with titles and captions.
//! - [`report`]: the tables and figures of a study on one page and in files.
//! - [`claims`]: claims of papers, checked against the numbers of a report.
//! - [`import`]: results of other tools as tidy tables.
//! - [`progress`]: mean coverage over time.
//! - [`published`]: published numbers, compared with the results of a study.
//! - [`figure`]: the kinds of figures, drawn as SVG.
//! - [`race`]: the configurations that a race drops.
//! - [`corpus`]: figures of the projects of a corpus.
//! - [`stats`]: statistical tests, effect sizes and estimates.
//! - [`table`]: tables as plain text, Markdown, CSV and LaTeX.

pub mod claims;
pub mod comparison;
pub mod corpus;
pub mod figure;
pub mod figures;
pub mod findings;
pub mod import;
pub mod progress;
pub mod published;
pub mod race;
pub mod report;
pub mod stats;
mod summary;
pub mod table;
pub mod tables;
mod terms;
pub mod tidy;

pub use summary::{Summary, summarise};
