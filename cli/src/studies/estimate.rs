//! `catherd submit --plan`: prints the expected time of a study before it is submitted.

use std::fmt::Write as _;
use std::time::Duration;

use catherd_cli_console::terminal::plural;
use catherd_cli_console::{Exit, Failure, terminal};
use catherd_experiments::Plan;
use catherd_proto::v1;
use indicatif::HumanDuration;

use super::connection::Connection;

/// If `workers` is `None`, the number of workers that the coordinator has is used.
pub(super) fn run(
    connection: &mut Connection,
    plan: &Plan,
    workers: Option<u32>,
) -> Result<Exit, Failure> {
    let document = v1::Document::write(plan).map_err(Failure::new)?;
    let request = v1::EstimateRequest { plan: Some(document) };
    let reply = connection.call(async |client| client.estimate(request).await)?;
    terminal::print(&text(&plan.name, &reply, workers));
    Ok(Exit::Success)
}

fn text(name: &str, reply: &v1::EstimateReply, workers: Option<u32>) -> String {
    let v1::EstimateReply { runs, ended, estimated, workers: live, others_ms } = reply;
    let mut text = format!("{name}: {}, {ended} already ended\n", plural(*runs as usize, "run"));
    let (mut known, mut unknown, mut total) = (0, 0, 0);
    for one in estimated {
        let from = match &*one.source {
            "group" => "runs of the same algorithm on the same project",
            "project" => "other runs on the same project",
            "algorithm" => "runs of the same algorithm on other projects",
            _ => {
                unknown += one.runs;
                continue;
            }
        };
        (known, total) = (known + one.runs, total + one.expected_ms);
        // Writing to a string does not fail.
        let hours = core_hours(one.expected_ms);
        let _ = writeln!(text, "{:>14}: {hours}, from {from}", plural(one.runs as usize, "run"));
    }
    if unknown > 0 {
        let _ = writeln!(
            text,
            "{:>14}: unknown, because no run of their algorithms was measured; submit a small \
             study first, such as one with --seeds 1",
            plural(unknown as usize, "run")
        );
    }
    if known == 0 {
        return text;
    }
    if unknown > 0 {
        // Assume that runs with an unknown time take as long as the other runs on average.
        total += (total as f64 * unknown as f64 / known as f64) as u64;
    }
    let _ = writeln!(text, "Expected: {}", core_hours(total));
    let workers = workers.unwrap_or(*live);
    let on = plural(workers as usize, "worker");
    let time =
        |ms: u64| HumanDuration(Duration::from_millis(ms / u64::from(workers.max(1)))).to_string();
    let _ = match workers {
        0 => writeln!(text, "There is no worker; --on N says how long it takes on N workers."),
        _ => writeln!(text, "On {on}: about {}", time(total)),
    };
    if workers > 0 && *others_ms > 0 {
        let _ = writeln!(
            text,
            "Other studies need {}: at most about {} until all have ended",
            core_hours(*others_ms),
            time(total + others_ms)
        );
    }
    text
}

fn core_hours(ms: u64) -> String {
    format!("{:.2} core-hours", ms as f64 / 3_600_000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_estimate_says_what_it_is_made_of() {
        let estimated = |source: &str, runs, expected_ms| v1::EstimatedRuns {
            source: source.into(),
            runs,
            expected_ms,
        };
        let reply = v1::EstimateReply {
            runs: 100,
            ended: 10,
            estimated: vec![estimated("algorithm", 60, 6 * 3_600_000), estimated("none", 30, 0)],
            workers: 2,
            others_ms: 3_600_000,
        };
        let shown = text("games", &reply, None);
        assert!(shown.contains("games: 100 runs, 10 already ended"), "{shown}");
        assert!(shown.contains("60 runs: 6.00 core-hours"), "{shown}");
        assert!(shown.contains("30 runs: unknown"), "{shown}");
        assert!(shown.contains("Expected: 9.00 core-hours"), "{shown}");
        assert!(shown.contains("On 2 workers: about 5 hours"), "{shown}");
        assert!(text("games", &reply, Some(9)).contains("On 9 workers: about 60 minutes"));
    }
}
