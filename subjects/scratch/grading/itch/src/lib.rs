//! Judging of submissions by plans for Itch: checks of the code against a starter project, a
//! schedule of inputs, and checks of what the program did.
//!
//! A [`Plan`] is a script with functions for the phases before, during and after the execution.
//! [`judge`] calls them on the deterministic machine with a virtual clock of 60 steps a second and
//! returns a [`Judgement`]: the commands of the judge's partial format, from which
//! [`Judgement::full`] and [`Judgement::report`] are made. The judgement is a function of both
//! projects, the plan and the [`Options`]; all limits are counted.
//!
//! `prelude/*.js` is the side of the plan: patterns, groups, schedule. It holds numbers of
//! snapshots and events, which are stored natively and shared where nothing has changed.

mod events;
mod host;
mod judge;
mod machine;
mod model;
mod observer;
mod options;
mod output;
mod plan;
mod report;
mod session;
mod snapshots;
mod values;

pub use judge::judge;
pub use options::Options;
pub use output::{End, Judgement, Status};
pub use plan::{Plan, PlanError};
pub use report::Names;
