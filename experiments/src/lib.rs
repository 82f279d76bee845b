//! The vocabulary of a study: what a researcher asks for ([`Study`]), what is run
//! ([`RunSpec`]), what comes of it ([`RunRecord`]), and how both are named
//! ([`Digest`]). [`plan`] turns the first into the second.

mod digest;
mod plan;
mod run;
mod study;

pub use digest::{Digest, NotADigest};
pub use plan::{PlanError, PlannedProject, plan, twins};
pub use run::{
    Algorithm, Budget, ENGINE, Outcome, Parameter, Provenance, Resources, RunRecord, RunSpec,
    TimelinePoint,
};
pub use study::{Flags, Place, Study, StudyError};
