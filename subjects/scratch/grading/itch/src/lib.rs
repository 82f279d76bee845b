//! Judging of submissions by plans for Itch. A plan checks the code against a starter project,
//! schedules inputs, and checks the behaviour of the program.
//!
//! A [`Plan`] is a script with functions for the phases before, during and after the execution.
//! [`judge`] calls these functions on the deterministic VM with a virtual clock of 60 steps a
//! second and returns a [`Judgement`]: the commands of the partial format of the judge, from which
//! [`Judgement::full`] and [`Judgement::report`] create other formats. The judgement is a function
//! of both projects, the plan and the [`JudgeOptions`], because all limits are counts.
//!
//! `prelude/*.js` implements the API that plans use, such as patterns, groups and the schedule. The
//! prelude refers to snapshots and events by number. Snapshots and events are stored in Rust and
//! share unchanged data.

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
pub use options::JudgeOptions;
pub use output::{Judgement, JudgementEnd, Status};
pub use plan::{Plan, PlanError};
pub use report::ReportNames;
