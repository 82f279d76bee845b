//! `catherd check`: checks a study, and estimates its cost before it is run.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use catherd_cli_console::terminal::{self, plural};
use catherd_cli_console::{Exit, Failure, exit_codes};
use catherd_experiments::{Budget, Plan, RunOutcome, RunSpec};
use catherd_interface::FoundProject;
use clap::Args;
use indicatif::HumanDuration;
use serde_json::{Value, json};

use crate::places;
use crate::replay;
use crate::run::{PlannedStudy, StudyArgs, too_few_seeds};

/// Checks a study, and estimates what it costs.
///
/// The files, the kind, the algorithms and the projects are checked as by `catherd run`. Up to two
/// cheap runs of each algorithm, with a tenth of the budget and at most 5 seconds each, show how
/// long all runs will take; with --no-sample, nothing is executed.
#[derive(Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{}", exit_codes(&[SKIPPED])))]
pub(crate) struct Arguments {
    #[command(flatten)]
    study: StudyArgs,

    /// Execute no run; the cost is estimated only if real time is the only limit
    #[arg(long)]
    no_sample: bool,

    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  catherd check experiments/smoke.toml
  catherd check --projects games --algorithms random,mosa,mio --seeds 5 --executions 300 --json";

/// The meaning of exit code 2.
const SKIPPED: (Exit, &str) =
    (Exit::Incomplete, "the study can be run, but projects would be skipped");

/// Divisor of the budget for a sampled run.
const PART: u64 = 10;

/// Maximum real time of a sampled run.
const MAX_SAMPLE: Duration = Duration::from_secs(5);

/// Size of a run's table rows and suite, as a multiple of the size of the record.
const FILES: f64 = 1.5;

#[derive(Clone, Copy, Debug)]
pub(crate) struct CheckSettings {
    sample: bool,
    json: bool,
}

impl CheckSettings {
    pub(crate) fn of_run(json: bool) -> CheckSettings {
        CheckSettings { sample: true, json }
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    terminal::log("warn");
    let settings = CheckSettings { sample: !arguments.no_sample, json: arguments.json };
    study(&arguments.study, &settings)
}

pub(crate) fn study(arguments: &StudyArgs, settings: &CheckSettings) -> Result<Exit, Failure> {
    let planned = arguments.plan()?;
    arguments.check_tools(&planned.tools)?;
    let samples = match settings.sample {
        true => sampled(&planned, &arguments.folder())?,
        false => Vec::new(),
    };
    let findings = Findings::new(&planned, samples);
    match settings.json {
        true => terminal::print(&format!("{:#}\n", findings.as_json(&planned))),
        false => terminal::print(&findings.as_text(&planned)),
    }
    Ok(if planned.corpus.unusable.is_empty() { Exit::Success } else { Exit::Incomplete })
}

/// A sampled run, from which the runs of the same algorithm are estimated.
struct Sample {
    label: String,
    /// Estimated time of a whole run in seconds, or the reason why the sampled run failed.
    seconds: Result<f64, String>,
    /// Size of the record in bytes.
    bytes: usize,
}

/// Executes runs of each algorithm with a part of the budget, on the smallest of the first 100
/// projects and on a project of medium size.
fn sampled(planned: &PlannedStudy, tools: &Path) -> Result<Vec<Sample>, Failure> {
    let plan = &planned.plan;
    let mut sizes: Vec<(usize, &FoundProject, Arc<[u8]>)> = Vec::new();
    for project in planned.corpus.projects() {
        if let Ok(bytes) = project.bytes() {
            sizes.push((bytes.len(), project, Arc::from(bytes)));
        }
        // The first 100 projects of a large corpus are enough to find a project of medium size.
        if sizes.len() == 100 {
            break;
        }
    }
    sizes.sort_by_key(|(size, ..)| *size);
    let mut chosen = vec![0, sizes.len() / 2];
    chosen.dedup();
    let folder = places::work_folder("catherd-check-")?;
    let bar = terminal::bar(plan.algorithms.len() * chosen.len());
    let mut samples = Vec::new();
    for algorithm in &plan.algorithms {
        for (_, project, bytes) in chosen.iter().filter_map(|&number| sizes.get(number)) {
            let spec = RunSpec {
                project: project.digest,
                project_name: project.name.clone(),
                subject: plan.subject.clone(),
                algorithm: algorithm.clone(),
                seed: plan.seeds[0],
                budget: part_of(&plan.budget),
                mutation: plan.mutation.clone(),
                engine: plan.engine.clone(),
            };
            samples.push(sample(&spec, &plan.budget, bytes, folder.path(), tools));
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    Ok(samples)
}

fn part_of(budget: &Budget) -> Budget {
    let work = budget.work.iter();
    let work = work.map(|(unit, limit)| (unit.clone(), (limit / PART).max(1)));
    let longest = MAX_SAMPLE.as_millis() as u64;
    let wall = budget.wall_ms.map_or(longest, |ms| (ms / PART).clamp(1, longest));
    Budget { work: work.collect(), wall_ms: Some(wall) }
}

fn sample(
    spec: &RunSpec,
    budget: &Budget,
    project: &Arc<[u8]>,
    folder: &Path,
    tools: &Path,
) -> Sample {
    let start = Instant::now();
    let tools: [PathBuf; 1] = [tools.to_owned()];
    let record =
        replay::execute(&crate::subjects::PROGRAM, spec, Arc::clone(project), folder, &[], &tools);
    let seconds = start.elapsed().as_secs_f64();
    let label = spec.algorithm.label.clone();
    let record = match record {
        Ok(record) => record,
        Err(failure) => {
            return Sample { label, seconds: Err(failure.cause().to_owned()), bytes: 0 };
        }
    };
    if !matches!(record.outcome, RunOutcome::Done | RunOutcome::NoGoals) {
        return Sample { label, seconds: Err(record.reason), bytes: 0 };
    }
    let bytes = serde_json::to_vec(&record).map_or(0, |json| json.len());
    // The share of the whole budget that the sampled run used. A run that has covered all goals
    // does not use more.
    let spent = |(unit, limit): (&String, &u64)| {
        record.work.get(unit).map(|work| *work as f64 / *limit as f64)
    };
    let by_wall = budget.wall_ms.map(|ms| 1000.0 * seconds / ms as f64);
    let spent = budget.work.iter().filter_map(spent).chain(by_wall).fold(0.0, f64::max);
    let complete = record.goals() > 0 && record.covered() == record.goals();
    let factor = if complete || spent <= 0.0 { 1.0 } else { (1.0 / spent).max(1.0) };
    Sample { label, seconds: Ok(seconds * factor), bytes }
}

struct Findings {
    /// For each algorithm, the label, the mean time of a run in seconds if a sample succeeded, and
    /// the reason for a failure if a sample failed.
    by_algorithm: Vec<(String, Option<f64>, Option<String>)>,
    /// Expected time of all runs on one core, in seconds.
    seconds: Option<f64>,
    /// Expected size of the results in bytes.
    bytes: Option<f64>,
}

impl Findings {
    fn new(planned: &PlannedStudy, samples: Vec<Sample>) -> Findings {
        let plan = &planned.plan;
        let mut groups: BTreeMap<&str, Vec<&Sample>> = BTreeMap::new();
        for sample in &samples {
            groups.entry(&sample.label).or_default().push(sample);
        }
        let by_algorithm = plan.algorithms.iter().map(|algorithm| {
            let of = groups.get(algorithm.label.as_str()).map(Vec::as_slice).unwrap_or_default();
            let times: Vec<f64> = of.iter().filter_map(|one| one.seconds.clone().ok()).collect();
            let mean = (!times.is_empty()).then(|| times.iter().sum::<f64>() / times.len() as f64);
            let reason = of.iter().find_map(|one| one.seconds.clone().err());
            (algorithm.label.clone(), mean, reason)
        });
        let by_algorithm: Vec<_> = by_algorithm.collect();
        let runs_of_one = (plan.projects.len() * plan.seeds.len()) as f64;
        let by_samples: Option<f64> = by_algorithm.iter().map(|(_, mean, _)| *mean).sum();
        let by_samples = by_samples.map(|seconds| seconds * runs_of_one);
        // If real time is the only limit, use the limit instead of the samples, because it is an
        // upper bound on the cost.
        let by_wall = plan.budget.wall_ms.filter(|_| plan.budget.work.is_empty());
        let by_wall = by_wall.map(|ms| ms as f64 / 1000.0 * plan.count() as f64);
        let sizes: Vec<f64> =
            samples.iter().filter(|one| one.bytes > 0).map(|one| one.bytes as f64).collect();
        let bytes = (!sizes.is_empty()).then(|| {
            (1.0 + FILES) * plan.count() as f64 * sizes.iter().sum::<f64>() / sizes.len() as f64
        });
        Findings { by_algorithm, seconds: by_wall.or(by_samples), bytes }
    }

    fn as_text(&self, planned: &PlannedStudy) -> String {
        let (plan, corpus) = (&planned.plan, &planned.corpus);
        let (projects, algorithms) = (plan.projects.len(), plan.algorithms.len());
        let mut text = format!(
            "{}: {} of kind {}: {} x {} x {}\n",
            plan.name,
            plural(plan.count(), "run"),
            plan.subject,
            plural(projects, "project"),
            plural(algorithms, "algorithm"),
            plural(plan.seeds.len(), "seed"),
        );
        // Writing to a string does not fail.
        if !corpus.unusable.is_empty() || !corpus.duplicates.is_empty() {
            let (skipped, twice) = (corpus.unusable.len(), corpus.duplicates.len());
            let skipped = plural(skipped, "project");
            let _ =
                writeln!(text, "left out: {skipped} skipped, {twice} given twice (listed above)");
        }
        for (label, mean, reason) in &self.by_algorithm {
            if let Some(mean) = mean {
                let _ = writeln!(text, "{label}: about {} a run", span(*mean));
            }
            if let Some(reason) = reason {
                let _ = writeln!(text, "{label}: a sampled run failed: {reason}");
            }
        }
        match self.seconds {
            Some(seconds) => {
                let cores = physical_cores();
                let _ = writeln!(
                    text,
                    "cost: about {:.2} core-hours, {} on the {} of this machine",
                    seconds / 3600.0,
                    span(seconds / cores as f64),
                    plural(cores, "core"),
                );
            }
            None => text += "cost: unknown, because not every algorithm was sampled successfully\n",
        }
        if let Some(bytes) = self.bytes {
            let _ = writeln!(text, "disk: about {:.1} MB", bytes / 1e6);
        }
        let few = too_few_seeds(plan);
        let seeds = few.as_deref().map(|note| note.trim_start_matches("note: ").to_owned());
        let seeds = seeds.unwrap_or_else(|| enough(plan).to_owned());
        let _ = writeln!(text, "seeds: {seeds}");
        text
    }

    fn as_json(&self, planned: &PlannedStudy) -> Value {
        let (plan, corpus) = (&planned.plan, &planned.corpus);
        let left_out = |some: &[catherd_experiments::LeftOut]| -> Vec<Value> {
            let entry = |one: &catherd_experiments::LeftOut| json!({ "project": one.project, "reason": one.reason });
            some.iter().map(entry).collect()
        };
        let algorithms = self.by_algorithm.iter().map(|(label, mean, reason)| {
            json!({ "algorithm": label, "seconds_a_run": mean, "failed_sample": reason })
        });
        json!({
            "study": plan.name, "subject": plan.subject, "engine": plan.engine,
            "runs": plan.count(), "projects": plan.projects.len(), "seeds": plan.seeds.len(),
            "algorithms": algorithms.collect::<Vec<_>>(),
            "skipped": left_out(&corpus.unusable), "duplicates": left_out(&corpus.duplicates),
            "warnings": corpus.warnings,
            "core_hours": self.seconds.map(|seconds| seconds / 3600.0),
            "cores": physical_cores(), "bytes": self.bytes,
            "enough_seeds": too_few_seeds(plan).is_none(),
        })
    }
}

/// Returns the number of workers that `catherd run` starts by default.
fn physical_cores() -> usize {
    let allowed = catherd_platform::allowed_cores();
    catherd_platform::Topology::of_this_machine().physical_cores(&allowed).len()
}

fn enough(plan: &Plan) -> &'static str {
    if plan.algorithms.len() < 2 {
        "nothing is compared"
    } else if plan.race.is_some() {
        "a race compares means over projects"
    } else {
        "enough for significant differences on a project"
    }
}

fn span(seconds: f64) -> String {
    if seconds < 60.0 {
        return format!("{seconds:.2} s");
    }
    Duration::try_from_secs_f64(seconds)
        .map_or_else(|_| "ages".to_owned(), |time| HumanDuration(time).to_string())
}
