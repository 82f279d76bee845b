//! Leases of a session.

use std::time::Duration;

use catherd_experiments::RunSpec;
use catherd_proto::transport::AuthChannel;
use catherd_proto::v1;
use catherd_proto::v1::coordinator_client::CoordinatorClient;
use tokio::time::Instant;
use v1::completion::End;

use super::{Event, Phase, Session};

/// Number of unacknowledged completions above which no runs are requested.
const MAX_UNACKNOWLEDGED: usize = 4096;

/// Time before the end of the allocation at which the last run is cancelled.
pub(super) const HAND_BACK_TIME: Duration = Duration::from_secs(10);

/// Time within which a cancelled run should end by itself.
const CANCEL_TIME: Duration = Duration::from_secs(3);

pub(super) struct Waiting {
    pub(super) run: u32,
    pub(super) attempt: u32,
    pub(super) token: u64,
    pub(super) spec: RunSpec,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leasing {
    Idle,
    Requested,
    /// The session waits before it requests leases again.
    BackingOff,
}

impl Session {
    pub(super) fn lease(&mut self) {
        let enough = self.waiting.len() > self.low_water
            || (self.low_water == 0 && self.running.is_some())
            || self.unacknowledged.len() > MAX_UNACKNOWLEDGED;
        if self.leasing != Leasing::Idle || self.phase != Phase::Working || enough {
            return;
        }
        let remaining = self.remaining();
        if remaining.is_some_and(|remaining| remaining.is_zero()) {
            self.drain();
            return;
        }
        self.leasing = Leasing::Requested;
        let request = v1::LeaseRequest {
            worker: self.config.name.clone(),
            loaded: self.cache.digests().map(|digest| digest.0.to_vec().into()).collect(),
            held: self.held().collect(),
            engines: self.config.engines.clone().into_iter().collect(),
            host: self.config.provenance.host.clone(),
            remaining_ms: remaining.map(|remaining| remaining.as_millis() as u64),
        };
        let client = self.client.clone();
        self.spawn(async move {
            let reply = client.call(|mut client| {
                let request = request.clone();
                async move { client.lease(request).await }
            });
            Event::Leased(reply.await)
        });
    }

    pub(super) fn accept_leases(&mut self, reply: v1::LeaseReply) {
        let mut finished = reply.finished;
        if !reply.leases.is_empty() || self.held().next().is_some() {
            self.last_busy = Instant::now();
        } else if self.config.idle.is_some_and(|idle| self.last_busy.elapsed() >= idle) {
            finished = true;
        }
        if finished && self.phase == Phase::Working {
            self.phase = Phase::Finished;
        }
        if reply.leases.is_empty() && !finished {
            self.leasing = Leasing::BackingOff;
            let pause = Duration::from_millis(reply.wait_ms.max(10));
            self.spawn(async move {
                tokio::time::sleep(pause).await;
                Event::LeaseDue
            });
        }
        // Request more runs when half of a batch of short runs is left, before the worker is idle.
        // After a batch of one long run, no run should wait here while another worker is idle.
        self.low_water = reply.leases.len() / 2;
        for v1::Lease { run, attempt, token, spec } in reply.leases {
            match spec.unwrap_or_default().read() {
                Ok(spec) => self.waiting.push_back(Waiting { run, attempt, token, spec }),
                Err(error) => self.end(run, token, End::Crash(error.to_string())),
            }
        }
        if self.phase == Phase::Draining {
            self.drain();
        }
    }

    pub(super) fn send_heartbeat(&mut self) {
        if self.heartbeat_under_way {
            return;
        }
        self.heartbeat_under_way = true;
        let running = self.running.map(|(token, _)| token);
        let progress = self.control.progress();
        let progress = v1::RunProgress {
            work: progress.work.into_iter().collect(),
            covered: progress.covered,
            goals: progress.goals,
        };
        let held = self.held().map(|token| v1::HeldLease {
            token,
            progress: (running == Some(token)).then(|| progress.clone()),
        });
        let request =
            v1::HeartbeatRequest { worker: self.config.name.clone(), held: held.collect() };
        let client = self.client.clone();
        self.spawn(async move {
            // The request is not repeated, because the next heartbeat is due soon.
            let send = |mut client: CoordinatorClient<AuthChannel>| async move {
                client.heartbeat(request).await
            };
            Event::HeartbeatReply(client.call_once(send).await.ok())
        });
    }

    /// A run that is being executed is cancelled. If it still ends with a record, the record is
    /// committed, because the coordinator may accept it.
    pub(super) fn drop_leases(&mut self, dropped: &[u64]) {
        self.waiting.retain(|waiting| !dropped.contains(&waiting.token));
        if let Some((token, _)) = self.running
            && dropped.contains(&token)
        {
            self.control.cancel(token);
        }
    }

    /// The time for runs that is left before the allocation ends.
    fn remaining(&self) -> Option<Duration> {
        Some((self.config.until? - HAND_BACK_TIME).saturating_duration_since(Instant::now()))
    }

    /// The run that is being executed is returned even if it does not end.
    pub(super) fn hand_back(&mut self) {
        self.drain();
        let Some((token, _)) = self.running else { return };
        self.control.cancel(token);
        self.spawn(async move {
            tokio::time::sleep(CANCEL_TIME).await;
            Event::HandBack(token)
        });
    }

    /// The run was cancelled and has not ended.
    pub(super) fn return_running(&mut self, token: u64) {
        if let Some((_, run)) = self.running.take_if(|(running, _)| *running == token) {
            // The run did not crash its worker.
            if let Err(cause) = self.crash_report.clear() {
                tracing::warn!("cannot clear the crash report: {cause}");
            }
            self.end(run, token, End::Returned(v1::Returned {}));
        }
    }

    pub(super) fn drain(&mut self) {
        self.phase = Phase::Draining;
        self.return_waiting();
    }

    pub(super) fn return_waiting(&mut self) {
        for Waiting { run, token, .. } in std::mem::take(&mut self.waiting) {
            self.end(run, token, End::Returned(v1::Returned {}));
        }
    }
}
