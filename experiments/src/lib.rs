//! The vocabulary of a study: what is run ([`RunSpec`]), what comes of it
//! ([`RunRecord`]), and how both are named ([`Digest`]).

mod digest;
mod run;

pub use digest::{Digest, NotADigest};
pub use run::{
    Algorithm, Budget, ENGINE, Outcome, Parameter, Provenance, Resources, RunRecord, RunSpec,
    TimelinePoint,
};
