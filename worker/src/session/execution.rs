//! Execution of a session's leased runs, one at a time, each after its project was fetched.

use catherd_experiments::{Digest, Provenance, RunRecord, RunSpec};
use catherd_proto::v1;
use v1::completion::End;

use super::delivery::{completion_of, fetch};
use super::leasing::Waiting;
use super::{Event, Session};
use crate::executor::{self, Job, JobOutcome};

impl Session {
    /// Passes the next run to the executor, or fetches its project.
    pub(super) fn execute(&mut self) {
        if self.running.is_some() || self.fetching {
            return;
        }
        let Some(next) = self.waiting.front() else { return };
        let digest = next.spec.project;
        let Some(project) = self.cache.get(digest) else {
            self.fetching = true;
            let client = self.client.clone();
            let cache = self.config.disk_cache.clone();
            self.spawn(async move { Event::Fetched(digest, fetch(client, cache, digest).await) });
            return;
        };
        if let Some(Waiting { run, attempt, token, spec }) = self.waiting.pop_front() {
            self.running = Some((token, run));
            self.prepare_crash_report(run, attempt, token, &spec);
            if self.jobs.send(Job { token, attempt, spec, project }).is_err() {
                self.running = None;
                self.end(run, token, End::Crash("the executor has ended".to_owned()));
            }
        }
    }

    /// Writes the report for the case that the run exceeds the memory limit.
    fn prepare_crash_report(&self, run: u32, attempt: u32, token: u64, spec: &RunSpec) {
        let reason = "it took more memory than its worker may have".to_owned();
        let provenance = Provenance { attempt, ..self.config.provenance.clone() };
        let record = RunRecord { provenance, ..executor::out_of_memory(spec, reason) };
        let end = Some(completion_of(JobOutcome::Record(Box::new(record))));
        let completions = vec![v1::Completion { run, token, end }];
        let request = v1::CommitRequest { worker: self.config.name.clone(), completions };
        if let Err(cause) = self.crash_report.write(&request) {
            // Without a report an out-of-memory counts as the loss of the worker.
            tracing::warn!("cannot write the crash report: {cause}");
        }
    }

    /// Ends the runs on a project that the coordinator does not give out.
    pub(super) fn abandon(&mut self, project: Digest, reason: &str) {
        let waiting = std::mem::take(&mut self.waiting).into_iter();
        let (affected, others): (Vec<_>, _) =
            waiting.partition(|waiting| waiting.spec.project == project);
        self.waiting = others.into();
        for Waiting { run, token, .. } in affected {
            self.end(run, token, End::Crash(format!("cannot fetch the project: {reason}")));
        }
    }
}
