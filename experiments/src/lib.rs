//! The vocabulary of a study: what a researcher asks for ([`Study`]), what is run
//! ([`RunSpec`]), what comes of it ([`RunRecord`]), and how both are named
//! ([`Digest`]). A [`Plan`] turns the first into the second.

mod digest;
mod mutation;
mod plan;
mod race;
mod run;
mod study;

pub use digest::{Digest, NotADigest};
pub use mutation::{MutantOutcome, MutantRecord, Mutation};
pub use plan::{Plan, PlanError, PlannedProject, twins};
pub use race::Race;
pub use run::{
    ASSERTIONS, Algorithm, Budget, ENGINE, Outcome, Parameter, Provenance, Resources, RunRecord,
    RunSpec, TimelinePoint,
};
pub use study::{Flags, Place, ProjectSource, Study, StudyError};
