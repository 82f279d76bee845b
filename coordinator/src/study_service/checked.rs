//! Checks of parts of requests.

use catherd_experiments::{CorpusDescription, Digest, InvalidPlan, PlanProblem};
use catherd_proto::v1;
use tonic::Status;

use crate::store::ClaimChange;

const MIN_PREFIX: usize = 4;

const MAX_PRIORITY: u32 = 1000;

const MAX_SHARE: u32 = 1000;

pub(super) fn invalid_plan(error: InvalidPlan) -> Status {
    let message = format!("invalid plan: {error}; {}", error.problem.advice());
    match error.problem {
        PlanProblem::Format(_) | PlanProblem::Engine { .. } => Status::failed_precondition(message),
        _ => Status::invalid_argument(message),
    }
}

pub(super) fn checked_description(document: v1::Document) -> Result<Vec<u8>, Status> {
    let read = document.read().map_err(|error| error.to_string());
    let checked = read.and_then(|description: CorpusDescription| {
        description.check().map_err(|error| error.to_string())
    });
    checked.map_err(|flaw| Status::invalid_argument(format!("description of projects: {flaw}")))?;
    Ok(document.json.into())
}

pub(super) fn ids_of(prefix: &str) -> Option<(Digest, Digest)> {
    let digits = 2 * size_of::<Digest>();
    if !(MIN_PREFIX..=digits).contains(&prefix.len()) {
        return None;
    }
    let filled = |digit: &str| format!("{prefix}{}", digit.repeat(digits - prefix.len())).parse();
    Some((filled("0").ok()?, filled("f").ok()?))
}

/// A quota of 0 removes the quota.
pub(super) fn checked_claim(claim: v1::Claim) -> Result<ClaimChange, Status> {
    let v1::Claim { priority, share, quota } = claim;
    let in_range = priority.is_none_or(|priority| priority.unsigned_abs() <= MAX_PRIORITY)
        && share.is_none_or(|share| (1..=MAX_SHARE).contains(&share));
    if !in_range {
        return Err(Status::invalid_argument(format!(
            "a priority is -{MAX_PRIORITY} to {MAX_PRIORITY}, and a share 1 to {MAX_SHARE}"
        )));
    }
    let quota = quota.map(|quota| (quota > 0).then_some(quota));
    Ok(ClaimChange { priority, share, quota })
}
