//! Metrics for Prometheus.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::ledger::Phase;
use crate::progress::{AttemptCounts, Progress};

/// Upper bounds of the buckets, in milliseconds. One more bucket has no bound.
const BOUNDS: [u64; 10] = [1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000];

#[derive(Debug, Default)]
struct Histogram {
    classes: [AtomicU64; BOUNDS.len() + 1],
    /// The sum of the times in microseconds.
    total: AtomicU64,
}

impl Histogram {
    fn add(&self, time: Duration) {
        let class = BOUNDS.iter().position(|bound| time <= Duration::from_millis(*bound));
        self.classes[class.unwrap_or(BOUNDS.len())].fetch_add(1, Ordering::Relaxed);
        self.total.fetch_add(time.as_micros() as u64, Ordering::Relaxed);
    }

    fn write(&self, text: &mut String, request: &str) {
        let mut count = 0;
        for (number, class) in self.classes.iter().enumerate() {
            count += class.load(Ordering::Relaxed);
            let bound = BOUNDS.get(number).map(|bound| (*bound as f64 / 1000.0).to_string());
            let bound = bound.unwrap_or_else(|| "+Inf".to_owned());
            // Writing to a string does not fail.
            let _ = writeln!(
                text,
                "catherd_request_seconds_bucket{{request=\"{request}\",le=\"{bound}\"}} {count}"
            );
        }
        let total = self.total.load(Ordering::Relaxed) as f64 / 1e6;
        let _ = writeln!(text, "catherd_request_seconds_sum{{request=\"{request}\"}} {total}");
        let _ = writeln!(text, "catherd_request_seconds_count{{request=\"{request}\"}} {count}");
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Timed {
    Lease,
    Commit,
    Heartbeat,
}

/// The times of requests since the coordinator started.
#[derive(Debug, Default)]
pub(crate) struct Latencies([Histogram; 3]);

impl Latencies {
    pub(crate) fn add(&self, request: Timed, time: Duration) {
        self.0[request as usize].add(time);
    }
}

fn quoted(value: &str) -> String {
    format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

fn single(text: &mut String, kind: &str, name: &str, value: f64) {
    let _ = writeln!(text, "# TYPE {name} {kind}\n{name} {value}");
}

pub(crate) fn to_prometheus(progress: &Progress, latencies: &Latencies) -> String {
    let mut text = String::from("# TYPE catherd_runs gauge\n");
    // Writing to a string does not fail.
    for study in &progress.studies {
        let name = quoted(&study.name);
        for phase in Phase::ALL {
            let (phase, runs) = (phase.name(), study.counts.of(phase));
            let _ = writeln!(text, "catherd_runs{{study={name},phase=\"{phase}\"}} {runs}");
        }
    }
    text.push_str("# TYPE catherd_study_workers gauge\n");
    for study in &progress.studies {
        let (name, owner) = (quoted(&study.name), quoted(&study.owner));
        let workers = study.usage.workers;
        let _ = writeln!(text, "catherd_study_workers{{study={name},owner={owner}}} {workers}");
    }
    text.push_str("# TYPE catherd_study_worker_seconds_total counter\n");
    for study in &progress.studies {
        let (name, owner) = (quoted(&study.name), quoted(&study.owner));
        let spent = study.usage.spent.as_secs_f64();
        let _ = writeln!(
            text,
            "catherd_study_worker_seconds_total{{study={name},owner={owner}}} {spent}"
        );
    }
    text.push_str("# TYPE catherd_study_left_seconds gauge\n");
    for study in &progress.studies {
        if let Some(left) = study.left {
            let (name, left) = (quoted(&study.name), left.as_secs_f64());
            let _ = writeln!(text, "catherd_study_left_seconds{{study={name}}} {left}");
        }
    }
    single(&mut text, "gauge", "catherd_workers", progress.workers.len() as f64);
    single(&mut text, "gauge", "catherd_runs_per_second", progress.runs_per_second);
    let error = progress.last_error.is_some() && !progress.standby;
    single(&mut text, "gauge", "catherd_store_error", f64::from(u8::from(error)));
    single(&mut text, "gauge", "catherd_leader", f64::from(u8::from(!progress.standby)));
    single(&mut text, "gauge", "catherd_queue_age_seconds", progress.queue_age.as_secs_f64());
    let version = env!("CARGO_PKG_VERSION");
    let _ = writeln!(
        text,
        "# TYPE catherd_build_info gauge\ncatherd_build_info{{version=\"{version}\"}} 1"
    );
    text.push_str("# TYPE catherd_attempts_total counter\n");
    for counts in &progress.attempts {
        let AttemptCounts { worker, host, .. } = counts;
        let (worker, host) = (quoted(worker), quoted(host));
        for (end, number) in counts.by_end() {
            let _ = writeln!(
                text,
                "catherd_attempts_total{{worker={worker},host={host},end=\"{end}\"}} {number}"
            );
        }
    }
    text.push_str("# TYPE catherd_request_seconds histogram\n");
    let [lease, commit, heartbeat] = &latencies.0;
    for (request, histogram) in [("lease", lease), ("commit", commit), ("heartbeat", heartbeat)] {
        histogram.write(&mut text, request);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_counted_by_class_and_labels_are_quoted() {
        let latencies = Latencies::default();
        for ms in [0, 3, 4, 60_000] {
            latencies.add(Timed::Commit, Duration::from_millis(ms));
        }
        let attempts = vec![AttemptCounts {
            worker: "a \"b\"\n".to_owned(),
            lost: 2,
            retried: 1,
            ..AttemptCounts::default()
        }];
        let text = to_prometheus(&Progress { attempts, ..Progress::default() }, &latencies);
        for line in [
            r#"catherd_request_seconds_bucket{request="commit",le="0.001"} 1"#,
            r#"catherd_request_seconds_bucket{request="commit",le="0.003"} 2"#,
            r#"catherd_request_seconds_bucket{request="commit",le="0.01"} 3"#,
            r#"catherd_request_seconds_bucket{request="commit",le="30"} 3"#,
            r#"catherd_request_seconds_bucket{request="commit",le="+Inf"} 4"#,
            r#"catherd_request_seconds_sum{request="commit"} 60.007"#,
            r#"catherd_request_seconds_count{request="lease"} 0"#,
            r#"catherd_attempts_total{worker="a \"b\"\n",host="",end="lost"} 2"#,
            r#"catherd_attempts_total{worker="a \"b\"\n",host="",end="retried"} 1"#,
            "catherd_leader 1",
        ] {
            assert!(text.lines().any(|one| one == line), "{line}\n{text}");
        }
    }
}
