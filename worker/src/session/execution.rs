//! Execution of a session's leased runs.

use catherd_experiments::{Digest, Provenance, RunRecord, RunSpec};
use catherd_proto::v1;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use v1::completion::End;

use super::delivery::{completion_of, fetch};
use super::leasing::Waiting;
use super::{Event, Session};
use crate::executor::{self, Executor, Job, JobOutcome};
use crate::simulated_host::SimulatedHost;

/// The executor ends when the sender of jobs is dropped.
pub(super) fn start_executor(
    mut executor: Executor,
    simulated: Option<SimulatedHost>,
    mut on_outcome: impl FnMut(u64, JobOutcome) + Send + 'static,
) -> std::io::Result<UnboundedSender<Job>> {
    executor::install_panic_hook();
    let (sender, mut jobs): (_, UnboundedReceiver<Job>) = unbounded_channel();
    match simulated {
        Some(host) => drop(tokio::spawn(host.execute(executor, jobs, on_outcome))),
        None => drop(std::thread::Builder::new().name("executor".to_owned()).spawn(move || {
            while let Some(job) = jobs.blocking_recv() {
                on_outcome(job.token, executor.execute(&job));
            }
        })?),
    }
    Ok(sender)
}

impl Session {
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

    /// The run may exceed the memory limit.
    fn prepare_crash_report(&self, run: u32, attempt: u32, token: u64, spec: &RunSpec) {
        let reason = "it took more memory than its worker may use".to_owned();
        let provenance = Provenance { attempt, ..self.config.provenance.clone() };
        let record = RunRecord { provenance, ..executor::out_of_memory(spec, reason) };
        let end = Some(completion_of(JobOutcome::Record(Box::new(record))));
        let completions = vec![v1::Completion { run, token, end }];
        let request = v1::CommitRequest { worker: self.config.name.clone(), completions };
        if let Err(cause) = self.crash_report.write(&request) {
            // Without a report, running out of memory counts as the loss of the worker.
            tracing::warn!("cannot write the crash report: {cause}");
        }
    }

    /// Ends the waiting runs on a project that the coordinator does not send.
    pub(super) fn abandon(&mut self, project: Digest, end: &End) {
        let waiting = std::mem::take(&mut self.waiting).into_iter();
        let (affected, others): (Vec<_>, _) =
            waiting.partition(|waiting| waiting.spec.project == project);
        self.waiting = others.into();
        for Waiting { run, token, .. } in affected {
            self.end(run, token, end.clone());
        }
    }
}
