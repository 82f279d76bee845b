//! The queue of studies that are being planned.

use std::collections::VecDeque;

use catherd_experiments::Digest;
use tokio::sync::oneshot;

use super::request::{PendingReply, reply_later};
use crate::error::PlanningRefused;
use crate::ids::StudyNumber;
use crate::store::{Planning, StudyState};

pub(super) const MAX_JOBS: usize = 64;

/// Maximum length of [`Planner::ended`]. Clients that wait for one of these plans are told that
/// planning has ended.
const MAX_ENDED: usize = 64;

pub(super) type Reply = oneshot::Sender<Result<StudyNumber, PlanningRefused>>;

pub(super) struct Job {
    /// Position in the order of submission.
    pub(super) order: u64,
    pub(super) planning: Planning,
    /// The state that the study gets when it is planned.
    pub(super) state: StudyState,
    pub(super) replies: Vec<Reply>,
}

pub(super) struct Planner {
    /// The studies that are being planned, in the order of their next turns.
    pub(super) jobs: VecDeque<Job>,
    pub(super) submitted: u64,
    /// Digests of plans that were cancelled or deleted while they were being planned, the oldest
    /// first.
    pub(super) ended: VecDeque<Digest>,
    /// Whether the store may contain rows of hidden studies.
    pub(super) clearing: bool,
}

impl Default for Planner {
    fn default() -> Planner {
        let (jobs, ended) = (VecDeque::new(), VecDeque::new());
        // An earlier process may have left rows of hidden studies.
        Planner { jobs, submitted: 0, ended, clearing: true }
    }
}

impl Planner {
    /// Studies with the same name are planned in the order of submission, so the last one remains.
    pub(super) fn take_next(&mut self) -> Option<Job> {
        let first = self.jobs.iter().position(|job| {
            let same =
                self.jobs.iter().filter(|other| other.planning.name() == job.planning.name());
            same.map(|other| other.order).min() == Some(job.order)
        });
        self.jobs.remove(first?)
    }

    /// Returns the replies to submissions of the study.
    pub(super) fn end(&mut self, name: &str) -> Option<Vec<PendingReply>> {
        let (ended, others): (VecDeque<_>, _) =
            std::mem::take(&mut self.jobs).into_iter().partition(|job| job.planning.name() == name);
        self.jobs = others;
        if ended.is_empty() {
            return None;
        }
        self.clearing = true;
        let mut replies = Vec::new();
        for job in ended {
            self.ended.push_back(job.planning.digest());
            let refused = |reply| reply_later(reply, Err(PlanningRefused::Ended));
            replies.extend(job.replies.into_iter().map(refused));
        }
        while self.ended.len() > MAX_ENDED {
            self.ended.pop_front();
        }
        Some(replies)
    }
}
