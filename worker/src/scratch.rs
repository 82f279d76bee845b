//! Scratch projects as subjects: test generation behind the worker's trait.

use std::collections::{BTreeMap, VecDeque};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use catherd_experiments::{
    ASSERTIONS, Algorithm, Criterion, CriterionInfo, Digest, Level, Measure, Metric, MutantOutcome,
    MutantRecord, Mutation, Noun, Parameter, Resources, RunRecord, RunSpec, SubjectInfo, SuiteSize,
    TimelinePoint, Unit,
};
use catherd_mutation::{self as mutation, Analysis, MutantResult, Operator};
use catherd_sb3::{Limits, Project};
use catherd_search::{Budget, Setting, Stop};
use catherd_testgen::{Assertions, Configuration, End, Generated, Prepared, Request, Settings};

use crate::{Live, RunError, Subject};

/// The kind's name.
pub const KIND: &str = "scratch";

/// Version of all that decides a record: machine, search, fitness. It is fixed and not that of
/// the package, so that the runs of version 0.3.0 keep their ids.
pub const ENGINE: &str = "catherd/0.3.0";

const EXECUTIONS: &str = "executions";
const STEPS: &str = "steps";
const BLOCKS: &str = "blocks";
const EVENTS: &str = "events";
const SUITE: &str = "suite.json";
const LEVELS: [&str; 3] = ["target", "script", "block"];

/// What runs of Scratch projects measure and count.
pub fn info() -> SubjectInfo {
    let executions = "executions of a test by the search";
    let executions = Unit::new(EXECUTIONS, "test execution", "test executions", executions);
    let steps = Unit::new(STEPS, "step", "steps", "1/30 s of program time each");
    SubjectInfo {
        kind: KIND.to_owned(),
        engine: ENGINE.to_owned(),
        units: vec![executions, Unit { per_second: Some(30.0), ..steps }],
        criteria: vec![CriterionInfo::new("block", BLOCKS)],
        suite_unit: Noun::new("event", EVENTS),
        mutant_levels: LEVELS.map(str::to_owned).to_vec(),
        artifact_extension: "json".to_owned(),
        measures: vec![
            Measure::new("statements", "Statements"),
            Measure::new("blocks", "Blocks"),
            Measure::new("scripts", "Scripts"),
            Measure::new("sprites", "Sprites"),
            Measure::new("custom_blocks", "Custom blocks"),
            Measure::related("mccabe", "Mean McCabe complexity"),
        ],
    }
}

/// Projects kept ready. Workers get the runs of one project in a row, so few are enough.
const KEPT: usize = 4;

/// Is this an algorithm for Scratch projects?
///
/// # Errors
///
/// What is wrong with its name or a parameter, and what is allowed instead.
pub fn check(algorithm: &Algorithm) -> Result<(), String> {
    configuration(algorithm).map(drop)
}

/// Can this mutation analysis be done?
///
/// # Errors
///
/// What is wrong with it.
pub fn check_mutation(mutation: &Mutation) -> Result<(), String> {
    analysis(mutation).map(drop)
}

/// Generates tests for Scratch projects.
#[derive(Default)]
pub struct Scratch {
    /// The loaded project at the back, before it those used earlier.
    projects: VecDeque<Loaded>,
    /// What loading took; the next run is charged.
    loading: Duration,
}

/// A project, and what was prepared of it with each of the settings that runs asked for.
struct Loaded {
    digest: Digest,
    project: Project,
    prepared: Vec<(Settings, Arc<Prepared>)>,
}

impl Subject for Scratch {
    fn load(&mut self, digest: Digest, bytes: Arc<[u8]>) -> Result<(), String> {
        let start = Instant::now();
        let kept = self.projects.iter().position(|kept| kept.digest == digest);
        let project = match kept.and_then(|at| self.projects.remove(at)) {
            Some(project) => project,
            None => Loaded::read(digest, &bytes)?,
        };
        self.projects.push_back(project);
        if self.projects.len() > KEPT {
            self.projects.pop_front();
        }
        self.loading = start.elapsed();
        Ok(())
    }

    fn run(
        &mut self,
        spec: &RunSpec,
        watch: &mut dyn FnMut(Live) -> ControlFlow<()>,
    ) -> Result<RunRecord, RunError> {
        let start = Instant::now();
        let loading = std::mem::take(&mut self.loading);
        let loaded = self.projects.back_mut().filter(|loaded| loaded.digest == spec.project);
        let Some(loaded) = loaded else {
            return Err(RunError::Failed("another project is loaded".to_owned()));
        };
        let (Configuration { algorithm, settings }, mut assertions) =
            configuration(&spec.algorithm).map_err(RunError::Failed)?;
        if spec.mutation.is_some() {
            // Tests without assertions kill no mutant.
            assertions.get_or_insert_default();
        }
        let compat = mutation::Compat {
            ncm_coin: settings.compat.ncm_coin,
            vrm_stage_only: settings.compat.vrm_stage_only,
        };
        let project = loaded.prepared(settings).map_err(RunError::Failed)?;
        let request = Request {
            algorithm,
            seed: spec.seed,
            budget: budget(&spec.budget),
            project: spec.project.to_string(),
            assertions,
        };

        let mut search = Duration::ZERO;
        let generated = project.generate(&request, |progress| {
            search = start.elapsed();
            watch(Live {
                executions: progress.meter.executions(),
                steps: progress.meter.steps(),
                covered: progress.covered as u32,
                goals: progress.goals as u32,
            })
        });
        if generated.end == End::Search(Stop::Cancelled) {
            return Err(RunError::Stopped);
        }
        let mut record = record(spec, &generated, search);
        if let Some(mutation) = &spec.mutation {
            let live = Live {
                executions: generated.counts.executions,
                steps: generated.counts.steps,
                covered: record.covered(),
                goals: record.goals(),
            };
            let analysis = analysis(mutation).and_then(|settings| {
                let settings = mutation::Settings { compat, ..settings };
                let (program, suite) = (Arc::clone(project.program()), generated.suite);
                Analysis::new(&loaded.project, program, suite, settings)
                    .map_err(|error| error.to_string())
            });
            let analysis = analysis.map_err(RunError::Failed)?;
            let results = analysis.run(|_| watch(live)).ok_or(RunError::Stopped)?;
            add_mutants(&mut record, &analysis, &results);
        }
        record.resources.wall_ms = (loading + start.elapsed()).as_millis() as u64;
        Ok(record)
    }
}

impl Loaded {
    fn read(digest: Digest, bytes: &[u8]) -> Result<Self, String> {
        let project = Project::from_bytes(&digest.short(), bytes, &Limits::default())
            .map_err(|error| error.cause.to_string())?;
        let mut loaded = Self { digest, project, prepared: Vec::new() };
        // Most studies have no other settings, and a project that cannot be used is known
        // before any of its runs.
        loaded.prepared(Settings::default())?;
        Ok(loaded)
    }

    fn prepared(&mut self, settings: Settings) -> Result<Arc<Prepared>, String> {
        if let Some((_, known)) = self.prepared.iter().find(|(of, _)| *of == settings) {
            return Ok(Arc::clone(known));
        }
        let prepared = Prepared::new(&self.project, settings.clone());
        let prepared = prepared.map_err(|error| error.to_string())?;
        self.prepared.push((settings, Arc::clone(&prepared)));
        Ok(prepared)
    }
}

/// What a study says of an algorithm, test generation's own settings included, and whether
/// suites are to have assertions.
///
/// # Errors
///
/// What is wrong with the algorithm's name or a parameter, and what is allowed instead.
pub fn configuration(algorithm: &Algorithm) -> Result<(Configuration, Option<Assertions>), String> {
    let assertions = match algorithm.parameters.get(ASSERTIONS) {
        None | Some(Parameter::Bool(false)) => None,
        Some(Parameter::Bool(true)) => Some(Assertions::default()),
        Some(_) => return Err(format!("parameter `{ASSERTIONS}` is neither true nor false")),
    };
    let others = algorithm.parameters.iter().filter(|(name, _)| *name != ASSERTIONS);
    let settings = others.map(|(name, parameter)| {
        let setting = match parameter {
            Parameter::Bool(on) => Setting::Switch(*on),
            Parameter::Integer(number) => Setting::Number(*number as f64),
            Parameter::Number(number) => Setting::Number(*number),
            Parameter::Text(text) => Setting::Word(text),
        };
        (name.as_str(), setting)
    });
    let settings: Vec<_> = settings.collect();
    let configuration =
        Configuration::new(&algorithm.name, &settings).map_err(|error| error.to_string())?;
    Ok((configuration, assertions))
}

fn analysis(mutation: &Mutation) -> Result<mutation::Settings, String> {
    let mut settings = mutation::Settings { sample: mutation.sample, ..Default::default() };
    if !mutation.operators.is_empty() {
        let operators = mutation.operators.iter().map(|name| name.parse::<Operator>());
        settings.operators =
            operators.collect::<Result<_, _>>().map_err(|error| error.to_string())?;
    }
    settings.seed = mutation.seed.unwrap_or(settings.seed);
    settings.block_factor = mutation.block_factor.unwrap_or(settings.block_factor);
    Ok(settings)
}

/// Adds the results of the mutants to a record.
fn add_mutants(record: &mut RunRecord, analysis: &Analysis, results: &[MutantResult]) {
    let names: Vec<_> =
        analysis.mutants().iter().map(|mutant| mutant.name(analysis.project())).collect();
    let duplicates = mutation::duplicates(results);
    let mutants = analysis.mutants().iter().zip(results).zip(duplicates).zip(&names);
    let mutants = mutants.map(|(((mutant, result), original), name)| MutantRecord {
        id: name.id.clone(),
        operator: mutant.operator.name().to_owned(),
        location: vec![
            Level::new(LEVELS[0], name.target.to_string()),
            Level::new(LEVELS[1], name.script.to_string()),
            Level::new(LEVELS[2], name.block.to_string()),
        ],
        change: name.change.clone(),
        outcome: match result.outcome {
            mutation::Outcome::Killed => MutantOutcome::Killed,
            mutation::Outcome::Survived => MutantOutcome::Survived,
            mutation::Outcome::Limit => MutantOutcome::Limit,
            mutation::Outcome::NotCovered => MutantOutcome::NotCovered,
            mutation::Outcome::Equivalent => MutantOutcome::Equivalent,
        },
        killed_by: result.kills.first().map(|kill| kill.test),
        executions: result.executions,
        duplicate_of: original.map(|original| names[original].id.clone()),
    });
    record.mutants = mutants.collect();
    let false_positives = analysis.false_positives().len() as i64;
    record.metrics.insert("falsePositiveTests".to_owned(), false_positives.into());
}

/// A study's budget as the search's.
pub fn budget(budget: &catherd_experiments::Budget) -> Budget {
    Budget {
        executions: budget.limit(EXECUTIONS),
        steps: budget.limit(STEPS),
        wall: budget.wall_ms.map(Duration::from_millis),
        ..Budget::default()
    }
}

/// The record of a run, but for the time that it took.
fn record(spec: &RunSpec, generated: &Generated, search: Duration) -> RunRecord {
    let counts = &generated.counts;
    let reason = match generated.end {
        End::NothingToCover => "no block that a test could cover",
        End::NoInput | End::Search(_) => "",
    };
    let mut metrics: BTreeMap<String, Metric> =
        counts.named().map(|(name, count)| (name.to_owned(), (count as i64).into())).collect();
    for (limit, count) in generated.limits.iter() {
        let mut note = |what: &str, n: u64| {
            metrics.insert(format!("limit.{}.{what}", limit.name()), (n as i64).into());
        };
        note("executions", count.executions);
        note("times", count.times);
        note("earliestStep", count.earliest);
    }
    if !generated.unstable.is_empty() {
        metrics.insert("unstableTests".to_owned(), (generated.unstable.len() as i64).into());
    }
    let timeline = generated.timeline.iter().map(|point| TimelinePoint {
        // In the order of the names of the units.
        work: vec![point.executions, point.steps],
        wall_ms: point.elapsed.as_millis() as u64,
        covered: point.covered as u32,
    });
    let blocks = Criterion {
        name: BLOCKS.to_owned(),
        goals: generated.goals,
        covered: generated.covered.clone(),
    };
    RunRecord {
        reason: reason.to_owned(),
        work: BTreeMap::from([
            (EXECUTIONS.to_owned(), counts.executions),
            (STEPS.to_owned(), counts.steps),
        ]),
        timeline: timeline.collect(),
        suite: SuiteSize {
            tests: counts.suite_tests as u32,
            size: counts.suite_events as u32,
            unit: EVENTS.to_owned(),
            removed: counts.minimised_events as u32,
        },
        metrics,
        artifacts: BTreeMap::from([(SUITE.to_owned(), generated.suite.to_json())]),
        resources: Resources { search_ms: search.as_millis() as u64, ..Resources::default() },
        ..RunRecord::new(spec, vec![blocks])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Results of format 1 and of this format are shown together.
    #[test]
    fn format_1_is_described_alike() {
        assert_eq!(catherd_experiments::format_1::subject_info(KIND, ENGINE), info());
    }
}
