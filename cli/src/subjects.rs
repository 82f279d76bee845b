//! The subject kinds that this program knows.

use std::path::Path;

use catherd_experiments::{Algorithm, Engines, Mutation, SubjectInfo};
use catherd_worker::command::{self, Program};
use catherd_worker::rehearsal::{self, Rehearsal};
use catherd_worker::scratch::{self, Scratch};
use catherd_worker::{Limits, Subject};

use crate::failure::Failure;

/// The kind of studies that name none.
pub(crate) const DEFAULT: &str = scratch::KIND;

fn all() -> [SubjectInfo; 3] {
    [scratch::info(), command::info(), rehearsal::info()]
}

/// What a kind measures and counts.
pub(crate) fn info(kind: &str) -> Result<SubjectInfo, Failure> {
    let known = all().into_iter().find(|info| info.kind == kind);
    known.ok_or_else(|| Failure::new(format_args!("unknown subject kind `{kind}`")))
}

/// The engine ids of all kinds.
pub(crate) fn engines() -> Engines {
    all().into_iter().map(|info| (info.kind, info.engine)).collect()
}

/// What executes runs of a kind.
///
/// Programs are run only where `programs` names a folder for them to work in: whoever may
/// submit a study could otherwise run anything on every worker.
pub(crate) fn make(
    kind: &str,
    programs: Option<&Path>,
    limits: Limits,
) -> Option<Box<dyn Subject>> {
    match kind {
        command::KIND => Some(Box::new(Program::new(programs?, limits))),
        scratch::KIND => Some(Box::<Scratch>::default()),
        rehearsal::KIND => Some(Box::<Rehearsal>::default()),
        _ => None,
    }
}

/// What a kind says about an algorithm.
pub(crate) type Check = fn(&Algorithm) -> Result<(), String>;

/// The check of a kind's algorithms.
pub(crate) fn check(kind: &str) -> Result<Check, Failure> {
    match kind {
        scratch::KIND => Ok(scratch::check),
        command::KIND => Ok(command::check),
        // Takes any: it has none.
        rehearsal::KIND => Ok(|_| Ok(())),
        _ => Err(Failure::new(format_args!("unknown subject kind `{kind}`")).hint(format!(
            "there are {}, {} and {}",
            scratch::KIND,
            command::KIND,
            rehearsal::KIND
        ))),
    }
}

/// What a kind says about mutation analysis.
pub(crate) fn check_mutation(kind: &str, mutation: &Mutation) -> Result<(), Failure> {
    match kind {
        scratch::KIND => scratch::check_mutation(mutation)
            .map_err(|cause| Failure::new(cause).hint("correct mutation.operators")),
        _ => Err(Failure::new(format_args!("subject kind `{kind}` has no mutation analysis"))
            .hint("leave mutation out")),
    }
}
