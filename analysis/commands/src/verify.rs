//! `catherd verify`: checks results and replication packages, and executes finished runs again.

mod generated;
mod package;
mod projects;
mod signature;
mod tables;
mod tools;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::atomic::{AtomicUsize, Ordering};

use catherd_cli_console::{Exit, Failure, exit_codes, places, terminal};
use catherd_coordinator::StoreError;
use catherd_experiments::{Digest, RunOutcome, RunRecord, RunSpec};
use clap::Args;
use serde_json::{Value, json};

use self::tables::Compared;
use crate::Program;
use crate::replay::Stored;

/// Executes finished runs again and compares their digests.
///
/// A run is a pure function of its inputs, so every digest must be the same, on any machine. Runs
/// whose results depend on the machine are skipped: runs with a budget of real time, runs of tools
/// that declare that they depend on real time, and runs that timed out or ran out of memory.
///
/// First, the tables, figures and pages of a folder are made again from the records and compared, as
/// are the generated files of a replication package (`catherd archive`), after its files and records
/// have been checked.
#[derive(Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{}", exit_codes(&[DIFFERS])))]
pub struct Arguments {
    #[command(flatten)]
    stored: Stored,

    /// Size of the sample: a number of runs, or a percentage such as 5%; with 0, no run is executed
    /// again
    #[arg(long, value_name = "N|P%", default_value = "20", allow_hyphen_values = true)]
    sample: Sample,

    /// Seed of the random sample
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Number of threads [default: one for each core]
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,

    /// Project files, or folders of them, for a package without projects
    #[arg(long, value_name = "PATH", num_args = 1..)]
    projects: Vec<PathBuf>,

    /// Execute the external tools that a package names; only for packages that you trust
    #[arg(long)]
    run_programs: bool,

    /// File of the trusted signers of packages, in the format of ssh-keygen (allowed_signers); a
    /// package that none of them signed is refused
    #[arg(long, value_name = "FILE")]
    allowed_signers: Option<PathBuf>,

    /// Signed statement about a package; its signature is in FILE.sig [default:
    /// PACKAGE.intoto.json, if it exists]
    #[arg(long, value_name = "FILE")]
    statement: Option<PathBuf>,

    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  catherd verify results/smoke
  catherd verify results/smoke --sample 100%
  catherd verify results/smoke --sample 25 --seed 7
  catherd verify games --store catherd-data/study.db
  catherd verify smoke.zip --projects datasets/demo
  catherd verify smoke.zip --allowed-signers signers";

const DIFFERS: (Exit, &str) =
    (Exit::Incomplete, "a run has a different record now, or a record, a table or a page differs");

#[derive(Clone, Copy, Debug, PartialEq)]
enum Sample {
    Runs(usize),
    Share(f64),
}

impl Sample {
    fn of(self, total: usize) -> usize {
        match self {
            Sample::Runs(runs) => runs.min(total),
            Sample::Share(share) => (share * total as f64).ceil() as usize,
        }
    }
}

impl FromStr for Sample {
    type Err = String;

    fn from_str(text: &str) -> Result<Sample, String> {
        let invalid = || format!("`{text}` is neither a number of runs nor a share such as 5%");
        match text.strip_suffix('%') {
            Some(share) => match share.parse::<f64>() {
                Ok(share) if share > 0.0 && share <= 100.0 => Ok(Sample::Share(share / 100.0)),
                _ => Err(invalid()),
            },
            None => text.parse().map(Sample::Runs).map_err(|_| invalid()),
        }
    }
}

type Chosen = (RunSpec, Digest);

/// Executes `catherd verify`.
///
/// # Errors
/// If the study or package cannot be read or verified.
pub fn run(arguments: &Arguments, program: &Program) -> Result<Exit, Failure> {
    terminal::log("warn");
    let stored = &arguments.stored;
    if !stored.has_store() && package::is_package(stored.study()) {
        return package::run(arguments, program);
    }
    let study = stored.study();
    if !stored.has_store() && study.exists() && !study.is_dir() {
        let what = format_args!("{} is neither a results folder nor a package", study.display());
        return Err(Failure::new(what)
            .hint("name the folder of a study, or a zip file of `catherd archive`"));
    }
    if !stored.has_store() {
        places::check(study, "name the folder of a study, or a zip file of catherd archive")?;
    }
    if !arguments.projects.is_empty() || arguments.run_programs {
        return Err(Failure::new("--projects and --run-programs are for packages")
            .hint("leave them out: the store has the projects"));
    }
    if arguments.allowed_signers.is_some() || arguments.statement.is_some() {
        return Err(Failure::new("--allowed-signers and --statement are for packages")
            .hint("name a zip file of catherd archive, or the folder into which it was unpacked"));
    }
    let choice = choose(arguments)?;
    let mut runs = choice.chosen.iter();
    if let Some(other) =
        runs.find_map(|(spec, _)| program.another_engine(&spec.subject, &spec.engine))
    {
        return Err(Failure::new(format_args!("{}: the runs are {other}", study.display())).hint(
            "verify them with the version that made them; tables and reports need no engine",
        ));
    }
    let compared = match stored.has_store() {
        true => Compared::default(),
        false => tables::compare(program, stored.study(), arguments.json)?,
    };
    if arguments.sample == Sample::Runs(0) && compared.files == 0 {
        return Err(Failure::new(format_args!(
            "{}: there are no tables to compare",
            study.display()
        ))
        .hint("verify runs with another --sample"));
    }
    let about = json!({ "files": compared.files, "differing_files": &compared.differing });
    let exit = report_runs(arguments, &choice, about, |spec| {
        stored.execute(program, spec).map(|record| record.digest())
    })?;
    Ok(if compared.differing.is_empty() { exit } else { Exit::Incomplete })
}

/// `execute` returns the digest of a record or the reason for a missing record.
fn report_runs(
    arguments: &Arguments,
    choice: &Choice,
    mut document: Value,
    execute: impl Fn(&RunSpec) -> Result<Digest, String> + Sync,
) -> Result<Exit, Failure> {
    let Choice { chosen, eligible, skipped, damaged } = choice;
    for line in damaged.iter().filter(|_| !arguments.json) {
        terminal::note(line);
    }
    let none_wanted = arguments.sample == Sample::Runs(0);
    if chosen.is_empty() && !none_wanted {
        let reason = if *skipped > 0 {
            "all of them may depend on the machine"
        } else {
            "no run has a usable record"
        };
        return Err(Failure::new(format_args!("no run to verify: {reason}"))
            .hint("verify a study with finished runs"));
    }
    let jobs = arguments.jobs.unwrap_or_else(|| catherd_platform::allowed_cores().len()).max(1);
    let differing = execute_again(chosen, jobs, execute);
    let exit =
        if differing.is_empty() && damaged.is_empty() { Exit::Success } else { Exit::Incomplete };
    if arguments.json {
        let differing = differing.iter().map(|(number, reason)| {
            let spec = &chosen[*number].0;
            json!({
                "run": spec.id(), "project": spec.project_name, "algorithm": spec.algorithm.label,
                "seed": spec.seed, "reason": reason,
            })
        });
        document["differing"] = differing.collect();
        document["runs"] = json!(chosen.len());
        document["eligible"] = json!(eligible);
        document["skipped"] = json!(skipped);
        document["damaged"] = json!(damaged);
        terminal::print(&format!("{document:#}\n"));
        return Ok(exit);
    }
    let mut text = match none_wanted {
        true => format!("none of {} executed again", terminal::plural(*eligible, "run")),
        false => format!("{} of {} runs agree", chosen.len() - differing.len(), chosen.len()),
    };
    if !none_wanted && chosen.len() < *eligible {
        text += &format!("; {} of {eligible} sampled", chosen.len());
    }
    if !damaged.is_empty() {
        text += &format!("; {} damaged", terminal::plural(damaged.len(), "record"));
    }
    if *skipped > 0 {
        text += &format!("; {skipped} skipped (may depend on the machine)");
    }
    text.push('\n');
    for (number, reason) in &differing {
        let RunSpec { project_name, algorithm, seed, .. } = &chosen[*number].0;
        let line = format!("{project_name}, {}, seed {seed}: {reason}", algorithm.label);
        text += &format!("{}\n", line.replace(char::is_control, " "));
    }
    terminal::print(&text);
    Ok(exit)
}

fn execute_again(
    chosen: &[Chosen],
    jobs: usize,
    execute: impl Fn(&RunSpec) -> Result<Digest, String> + Sync,
) -> Vec<(usize, String)> {
    let bar = terminal::bar(chosen.len());
    let next = AtomicUsize::new(0);
    let compare = |spec: &RunSpec, expected: Digest| match execute(spec)? {
        digest if digest == expected => Ok(()),
        digest => {
            Err(format!("the digest was {}, and is {} now", expected.short(), digest.short()))
        }
    };
    let differing = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..jobs.min(chosen.len()))
            .map(|_| {
                scope.spawn(|| {
                    let mut differing = Vec::new();
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        let Some((spec, digest)) = chosen.get(number) else { return differing };
                        if let Err(reason) = compare(spec, *digest) {
                            differing.push((number, reason));
                        }
                        bar.inc(1);
                    }
                })
            })
            .collect();
        let join = |thread: std::thread::ScopedJoinHandle<'_, Vec<_>>| match thread.join() {
            Ok(found) => found,
            Err(defect) => std::panic::resume_unwind(defect),
        };
        let mut found: Vec<_> = threads.into_iter().flat_map(join).collect();
        found.sort_unstable();
        found
    });
    bar.finish_and_clear();
    differing
}

struct Choice {
    chosen: Vec<Chosen>,
    eligible: usize,
    /// Number of runs that were left out (see [`by_real_time`]).
    skipped: usize,
    damaged: Vec<String>,
}

/// The sample is ordered by project, because projects should be loaded as rarely as possible.
fn choose(arguments: &Arguments) -> Result<Choice, Failure> {
    let lot = |spec: &RunSpec| lot(arguments.seed, spec);
    let stored = &arguments.stored;
    let (mut total, mut skipped, mut damaged) = (0, 0, Vec::new());
    for record in stored.records()? {
        let (spec, record) = match record {
            Ok(record) => record,
            Err(cause @ StoreError::DamagedRun { .. }) => {
                damaged.push(stored.broken(&cause).to_string());
                continue;
            }
            Err(cause) => return Err(stored.broken(&cause)),
        };
        if by_real_time(&spec, &record) {
            skipped += 1;
        } else {
            total += 1;
        }
    }
    let wanted = arguments.sample.of(total);
    let mut smallest = BinaryHeap::new();
    for record in stored.records()? {
        let Ok((spec, record)) = record else { continue };
        if !by_real_time(&spec, &record) {
            smallest.push((lot(&spec), record.digest()));
            if smallest.len() > wanted {
                smallest.pop();
            }
        }
    }
    let lots: std::collections::BTreeMap<Digest, Digest> = smallest.into_iter().collect();
    let mut chosen = Vec::new();
    for record in stored.records()? {
        let Ok((spec, _)) = record else { continue };
        if let Some(digest) = lots.get(&lot(&spec)) {
            chosen.push((spec, *digest));
        }
    }
    Ok(Choice::new(chosen, total, skipped, damaged))
}

/// Whether real time or a limit of a worker may have decided a record.
pub(crate) fn by_real_time(spec: &RunSpec, record: &RunRecord) -> bool {
    let limited = matches!(record.outcome, RunOutcome::TimedOut | RunOutcome::OutOfMemory);
    spec.budget.wall_ms.is_some() || limited || record.depends_on_real_time()
}

/// A random number that depends only on the seed and the run. The runs with the smallest numbers
/// are the sample.
fn lot(seed: u64, spec: &RunSpec) -> Digest {
    Digest::of(format!("{seed} {}", spec.id()).as_bytes())
}

impl Choice {
    fn new(
        mut chosen: Vec<Chosen>,
        eligible: usize,
        skipped: usize,
        damaged: Vec<String>,
    ) -> Choice {
        chosen.sort_by_key(|(spec, _)| Reverse(spec.project));
        Choice { chosen, eligible, skipped, damaged }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_read() {
        assert_eq!("25".parse(), Ok(Sample::Runs(25)));
        assert_eq!("2.5%".parse(), Ok(Sample::Share(0.025)));
        for wrong in ["", "%", "0%", "101%", "-3", "NaN%"] {
            assert!(wrong.parse::<Sample>().is_err(), "{wrong}");
        }
    }
}
