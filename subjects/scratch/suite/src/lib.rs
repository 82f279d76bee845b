//! Test suites for Scratch programs: their format, execution and coverage.
//!
//! - Files: [`Suite`] (JSON), [`Suite::to_javascript`] (for Whisker).
//! - Execution: a [`LinkedSuite`] is a suite whose names have been looked up in a program; a
//!   [`Runner`] executes its tests, each of which ends in a [`Verdict`].
//! - Inputs of a test: [`event`]. Assertions: [`attribute`].
//! - Tests that react to the program: [`policy`].
//! - Coverage: [`goals`], [`measure_coverage`], [`measure_reliability`].
//!
//! This crate does not generate tests, and it is sufficient for suites that were written by hand.
//!
//! # Example
//!
//! ```
//! use std::sync::Arc;
//! use catherd_scratch_sb3::{Limits, Project};
//! use catherd_scratch_suite::goals::{self, GoalSettings};
//! use catherd_scratch_suite::{Suite, SuiteEvent, SuiteTest, measure_coverage};
//! use catherd_scratch_vm::Program;
//!
//! let json = r#"{"meta": {"semver": "3.0.0"}, "targets": [{
//!     "isStage": true, "name": "Stage", "costumes": [], "sounds": [],
//!     "variables": {"v": ["score", 0]}, "lists": {}, "broadcasts": {},
//!     "blocks": {
//!         "hat": {"opcode": "event_whenkeypressed", "next": "add", "topLevel": true,
//!             "fields": {"KEY_OPTION": ["space", null]}},
//!         "add": {"opcode": "data_changevariableby", "parent": "hat",
//!             "inputs": {"VALUE": [1, [4, "5"]]}, "fields": {"VARIABLE": ["score", "v"]}}
//!     }
//! }]}"#;
//! let project = Project::from_bytes("keys", json.as_bytes(), &Limits::default()).unwrap();
//! let program = Arc::new(Program::compile(&project).unwrap());
//! let goals = goals::find(&project, GoalSettings::default());
//! let test = |event| SuiteTest { events: vec![event], ..SuiteTest::default() };
//! let waits = test(SuiteEvent::Wait { steps: 9 });
//! let presses = test(SuiteEvent::KeyPress { key: "space".into(), steps: 1 });
//! let suite = Suite { goals: goals.len() as u32, tests: vec![waits, presses], ..Suite::default() };
//! let covered = measure_coverage(&suite, &program, &goals, 1_000)?;
//! assert!(covered[0].is_empty());
//! assert_eq!(covered[1].len(), goals.len());
//! # Ok::<(), catherd_scratch_suite::SuiteError>(())
//! ```

pub mod attribute;
mod comparison;
mod coverage;
mod error;
pub mod event;
mod format;
pub mod goals;
mod javascript;
mod linked;
pub mod policy;
mod reliability;
mod runner;
mod verdict;

pub use coverage::{CoveredBlocks, measure_coverage};
pub use error::{SuiteError, UnknownSprite};
pub use format::{
    Assertion, Axis, Choice, Comparison, ENGINE, Edge, Effect, Expected, FORMAT, Follow, Guard,
    Instance, Mouse, Near, Pair, Press, Proposal, Reacting, Sent, Sight, Suite, SuiteEvent,
    SuiteNetwork, SuitePolicy, SuiteRule, SuiteTest, Tolerances,
};
pub use linked::LinkedSuite;
pub use reliability::{Reliability, measure_reliability};
pub use runner::Runner;
pub use verdict::{AssertionNo, Bounds, Execution, Failure, Verdict};
