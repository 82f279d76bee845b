//! From runs to the tables and figures of an empirical paper.
//!
//! - [`stats`]: tests and effect sizes, exact where that is feasible.

pub mod stats;
