//! The basic types of a study: a [`Study`] is the request of a researcher, a [`Plan`] contains its
//! runs ([`RunSpec`]), and a [`RunRecord`] is the result of a run. [`SubjectInfo`] describes a
//! subject kind.

mod budget;
mod corpus;
mod digest;
pub mod file_names;
mod mutation;
mod nearest;
pub mod palette;
pub mod plan;
mod race;
mod record;
mod run;
mod stop;
mod study;
mod subject;
pub mod text;

pub use budget::Budget;
pub use corpus::{CorpusDescription, LeftOut, Measures, MeasuresError, NamedGoals};
pub use digest::{Digest, DigestBuilder, NotADigest};
pub use mutation::{Level, MutantOutcome, MutantRecord, Mutation};
pub use nearest::{instead, nearest};
pub use plan::check::{InvalidPlan, PlanProblem};
pub use plan::{AlgorithmError, Plan, PlanDifference, PlanError, PlannedProject, duplicates};
pub use race::Race;
pub use record::{
    Binary, Conditions, Criterion, InvalidRecord, MAX_BINARY_BYTES, MAX_REASON_BYTES, Metric,
    OWN_LIMIT, Provenance, REAL_TIME, RECORD_FORMAT, Resources, RunOutcome, RunRecord, SuiteSize,
    TimelinePoint,
};
pub use run::{ASSERTIONS, Algorithm, Engines, Parameter, RunSpec, TOOL};
pub use stop::Stop;
pub use study::{Flags, ProjectSource, SourceLocation, Study, StudyError};
pub use subject::{CriterionInfo, Measure, Noun, SubjectInfo, Unit};

/// Support for results of format 1, which catherd wrote up to version 0.3.0.
pub mod format_1 {
    pub use crate::record::format_1::subject_info;
}
