//! Commits of a session. Ended leases are gathered, written to the spool and sent.

use std::time::Duration;

use catherd_proto::transport::MAX_MESSAGE;
use catherd_proto::v1;
use prost::Message;
use tokio::time::Instant;
use v1::completion::End;

use super::delivery::deliver;
use super::{Event, Session};

const COMMIT_COMPLETIONS: usize = 512;

/// Maximum size of a commit with several completions, in bytes.
const COMMIT_BYTES: usize = 4 << 20;

/// A sync and a request for each short run could take as long as the run, so completions are
/// gathered for this time. If the worker dies, runs that are not in the spool yet are executed
/// again.
const GATHER_TIME: Duration = Duration::from_millis(50);

/// Maximum number of bytes of a message in addition to its record.
const ENVELOPE: usize = 64 << 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Committing {
    Idle,
    Gathering,
    Requested,
}

impl Session {
    pub(super) fn commit(&mut self) {
        if self.committing != Committing::Idle || self.outbox.is_empty() {
            return;
        }
        // If no run is being executed, no further completion can be gathered.
        let left = GATHER_TIME.saturating_sub(self.last_commit.elapsed());
        if self.running.is_some() && !left.is_zero() && self.outbox.len() < COMMIT_COMPLETIONS {
            self.committing = Committing::Gathering;
            self.spawn(async move {
                tokio::time::sleep(left).await;
                Event::CommitDue
            });
            return;
        }
        self.last_commit = Instant::now();
        let mut completions = Vec::new();
        let mut bytes = 0;
        while let Some(completion) = self.outbox.front() {
            bytes += completion.encoded_len();
            let full = completions.len() == COMMIT_COMPLETIONS || bytes > COMMIT_BYTES;
            if full && !completions.is_empty() {
                break;
            }
            completions.extend(self.outbox.pop_front());
        }
        let request = v1::CommitRequest { worker: self.config.name.clone(), completions };
        self.committing = Committing::Requested;
        let (client, spool) = (self.client.clone(), self.spool.clone());
        self.spawn(async move { Event::Committed(deliver(client, spool, request).await) });
    }

    /// A record that is too large for a message is replaced by a crash.
    pub(super) fn end(&mut self, run: u32, token: u64, end: End) {
        let mut completion = v1::Completion { run, token, end: Some(end) };
        let size = completion.encoded_len();
        if size > MAX_MESSAGE - ENVELOPE {
            let most = MAX_MESSAGE - ENVELOPE;
            let reason = format!("the record has {size} bytes, more than the maximum of {most}");
            completion.end = Some(End::Crash(reason));
        }
        self.unacknowledged.insert(token, run);
        self.outbox.push_back(completion);
    }
}
