//! Encodes the progress of studies as messages of the protocol.

use catherd_proto::v1;

use crate::ledger::Phase;
use crate::progress::{PlanningProgress, Progress, StudyProgress, TooLongRuns, UnservedRuns};
use crate::store::StudyState;

pub(super) fn encode_status(progress: &Progress) -> v1::Status {
    v1::Status {
        planned: progress.planned,
        pending: progress.pending,
        leased: progress.leased,
        done: progress.done,
        failed: progress.failed,
        quarantined: progress.quarantined,
        workers: progress.workers.len() as u32,
        runs_per_second: progress.runs_per_second,
        mean_coverage: progress.mean_coverage,
        // Standing by is not an error.
        last_error: progress.last_error.clone().filter(|_| !progress.standby).unwrap_or_default(),
        standby: progress.standby,
        eta_ms: progress.eta.map(|eta| eta.as_millis() as u64),
        studies: progress.studies.iter().map(encode_study).collect(),
        planning: progress.planning.iter().map(encode_planning).collect(),
        unserved: progress.unserved.iter().map(encode_unserved).collect(),
        too_long: progress.too_long.iter().map(encode_too_long).collect(),
    }
}

fn encode_planning(planning: &PlanningProgress) -> v1::PlanningProgress {
    let PlanningProgress { study, planned, total } = planning;
    v1::PlanningProgress { study: study.clone(), planned: *planned as u64, total: *total as u64 }
}

fn encode_unserved(unserved: &UnservedRuns) -> v1::Unserved {
    let UnservedRuns { kind, engine, runs } = unserved;
    v1::Unserved { kind: kind.clone(), engine: engine.clone(), runs: *runs as u64 }
}

fn encode_study(study: &StudyProgress) -> v1::Study {
    let of = |phase| study.counts.of(phase);
    let state = match study.state {
        StudyState::Active => v1::StudyState::Active,
        StudyState::Paused => v1::StudyState::Paused,
        StudyState::Cancelled => v1::StudyState::Cancelled,
    };
    v1::Study {
        name: study.name.clone(),
        state: state.into(),
        planned: study.counts.planned(),
        pending: of(Phase::Pending),
        leased: of(Phase::Leased),
        done: of(Phase::Done),
        failed: of(Phase::Failed),
        quarantined: of(Phase::Quarantined),
        mean_coverage: study.mean_coverage,
        owner: study.owner.clone(),
        claim: Some(v1::Claim {
            priority: Some(study.claim.priority),
            share: Some(study.claim.share),
            quota: Some(study.claim.quota.unwrap_or(0)),
        }),
        workers: study.usage.workers,
        spent_ms: study.usage.spent.as_millis() as u64,
        left_ms: study.left.map(|left| left.as_millis() as u64),
    }
}

fn encode_too_long(runs: &TooLongRuns) -> v1::TooLong {
    v1::TooLong {
        runs: runs.runs,
        expected_ms: runs.expected.as_millis() as u64,
        longest_ms: runs.longest.as_millis() as u64,
        algorithm: runs.label.clone(),
    }
}
