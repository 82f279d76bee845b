//! `catherd vm bench`: measures the speed of the VM.

use std::path::PathBuf;
use std::time::Duration;

use catherd_cli_console::{Exit, Failure, terminal};
use catherd_scratch_conformance::{Speed, bench};
use catherd_scratch_corpora::find;
use clap::Args;

use crate::failure::Worded;

/// Measures steps per second, snapshots and loading, project by project, on one core.
///
/// Every project gets the green flag and then runs without input. Absolute times depend on the
/// computer: compare only rates that were measured on the same computer under the same load.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd vm bench games
  catherd vm bench games --steps 5000 --json > speed.json

Exit codes: 0 if all were measured, 2 if a project was skipped, 1 if the command failed.")]
pub struct Arguments {
    /// Project files, unpacked project folders, or folders of them
    #[arg(required = true, value_name = "DIR")]
    projects: Vec<PathBuf>,

    /// Number of steps of each project (1/30 s of Scratch time each)
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    steps: u64,

    /// Maximum processor time of each of the two runs of a project, in seconds
    #[arg(long, alias = "patience", value_name = "SECONDS", default_value_t = 2.0)]
    time_limit: f64,

    /// Print one JSON object per line instead of a table
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: Arguments) -> Result<Exit, Failure> {
    let Arguments { projects, steps, time_limit, json } = arguments;
    let time_limit = Duration::try_from_secs_f64(time_limit).map_err(|_| {
        Failure::new(format_args!("--time-limit: {time_limit} is not a duration"))
            .hint("give a number of seconds, 0 or more")
    })?;
    let found = find(projects).map_err(Worded::worded)?;
    let bar = terminal::bar(found.projects.len());
    let mut speeds = Vec::new();
    let mut failures: Vec<String> = found.skipped.iter().map(ToString::to_string).collect();
    for entry in &found.projects {
        match bench(&entry.path, steps, time_limit) {
            Ok(speed) => speeds.push(speed),
            Err(error) => failures.push(error.to_string()),
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    terminal::print(&if json { lines(&speeds) } else { table(&speeds) });
    for failure in &failures {
        terminal::note(&format!("skipped: {failure}"));
    }
    Ok(if failures.is_empty() { Exit::Success } else { Exit::Incomplete })
}

fn lines(speeds: &[Speed]) -> String {
    speeds.iter().filter_map(|s| serde_json::to_string(s).ok()).map(|line| line + "\n").collect()
}

fn table(speeds: &[Speed]) -> String {
    let mut text = format!(
        "{:>10} {:>10} {:>11} {:>8} {:>8} {:>8}  project\n{:>10} {:>10} {:>11} {:>8} {:>8} {:>8}\n",
        "steps/s",
        "traced",
        "blocks",
        "snapshot",
        "restore",
        "load",
        "",
        "steps/s",
        "traced/s",
        "us",
        "us",
        "ms",
    );
    for s in speeds {
        text += &row(
            s.steps_per_s,
            s.traced_steps_per_s,
            s.blocks_per_s,
            s.snapshot_us,
            s.restore_us,
            s.load_ms,
            &s.project,
        );
    }
    if speeds.is_empty() {
        return text;
    }
    text += "\n";
    // Values better than the median are left out, because only the usual and the worst values
    // matter.
    for (name, share) in [("p50", 0.5), ("p90", 0.9), ("worst", 1.0)] {
        let lowest = |of: fn(&Speed) -> f64| quantile(speeds, of, 1.0 - share);
        let highest = |of: fn(&Speed) -> f64| quantile(speeds, of, share);
        text += &row(
            lowest(|s| s.steps_per_s),
            lowest(|s| s.traced_steps_per_s),
            lowest(|s| s.blocks_per_s),
            highest(|s| s.snapshot_us),
            highest(|s| s.restore_us),
            highest(|s| s.load_ms),
            name,
        );
    }
    text
}

fn row(
    plain: f64,
    traced: f64,
    blocks: f64,
    snapshot: f64,
    restore: f64,
    load: f64,
    name: &str,
) -> String {
    format!(
        "{plain:>10.0} {traced:>10.0} {blocks:>11.0} {snapshot:>8.1} {restore:>8.1} {load:>8.1}  {name}\n"
    )
}

fn quantile(speeds: &[Speed], of: fn(&Speed) -> f64, share: f64) -> f64 {
    let mut values: Vec<f64> = speeds.iter().map(of).collect();
    values.sort_by(f64::total_cmp);
    values[((values.len() - 1) as f64 * share).round() as usize]
}
