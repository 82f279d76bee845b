//! Execution of runs.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use catherd_experiments::{Criterion, Digest, RunRecord, RunSpec};
use catherd_interface::{FieldError, LoadError, LoadedProject, RunError, RunProgress};
use catherd_scratch_mutation::{self as mutation, Analysis};
use catherd_scratch_sb3::{Limits, Project};
use catherd_scratch_suite::{Suite, SuiteError, goals, measure_coverage, measure_reliability};
use catherd_scratch_testgen::{End, GenerationSettings, Prepared};
use catherd_search::{Stop, Stream};

use crate::generator::{GeneratedSuite, GeneratorRequest};
use crate::info::{BRANCHES, EXECUTIONS, STEPS};
use crate::{configuration, record};

/// A project, prepared for each of the settings that runs have used.
pub(crate) struct Loaded {
    project: Project,
    prepared: Vec<(GenerationSettings, Arc<Prepared>)>,
}

impl LoadedProject for Loaded {
    const KEPT: usize = 4;

    fn read(digest: Digest, bytes: &[u8]) -> Result<Loaded, LoadError> {
        let project = Project::from_bytes(&digest.short(), bytes, &Limits::default())
            .map_err(|error| error.cause.to_string())?;
        let mut loaded = Loaded { project, prepared: Vec::new() };
        // Prepare with the default settings, which most runs use, so that an unusable project is
        // refused before its runs.
        loaded.prepared(GenerationSettings::default())?;
        Ok(loaded)
    }

    fn run(
        &mut self,
        spec: &RunSpec,
        on_progress: &mut dyn FnMut(RunProgress) -> ControlFlow<()>,
    ) -> Result<RunRecord, RunError> {
        let start = Instant::now();
        let (generator, after) = configuration::read(&spec.algorithm).map_err(failed)?;
        let mut assertions = after.assertions;
        if spec.mutation.is_some() {
            // Mutation analysis needs assertions.
            assertions.get_or_insert_default();
        }
        let settings = generator.settings().clone();
        let compat = mutation::Compat {
            ncm_coin: settings.compat.ncm_coin,
            vrm_stage_only: settings.compat.vrm_stage_only,
        };
        let project = self.prepared(settings).map_err(RunError::Failed)?;
        let request = GeneratorRequest {
            seed: spec.seed,
            budget: configuration::budget(&spec.budget),
            project: spec.project.to_string(),
            assertions,
        };

        let mut search = Duration::ZERO;
        let made = generator.generate(&project, &self.project, request, |progress| {
            search = start.elapsed();
            on_progress(RunProgress {
                work: work(progress.meter.executions(), progress.meter.steps()),
                covered: progress.covered as u32,
                goals: progress.goals as u32,
            })
        });
        let GeneratedSuite { mut generated, further } = made;
        if generated.end == End::Search(Stop::Cancelled) {
            return Err(RunError::Stopped);
        }
        let done = RunProgress {
            work: work(generated.counts.executions, generated.counts.steps),
            covered: generated.covered.len() as u32,
            goals: generated.goals,
        };
        let minimisation = configuration::minimisation(&spec.algorithm).map_err(failed)?;
        if let Some((level, sample)) = minimisation {
            let program = Arc::clone(project.program());
            let settings = mutation::MutationSettings { sample, compat, ..Default::default() };
            let minimised = mutation::minimise(
                &self.project,
                program,
                std::mem::take(&mut generated.suite),
                settings,
                level,
                |_| true,
                |_, _| on_progress(done.clone()),
            );
            let minimised = minimised.map_err(|error| RunError::Failed(error.to_string()))?;
            let minimised = minimised.ok_or(RunError::Stopped)?;
            generated.counts.suite_assertions = minimised.after as u64;
            generated.counts.suite_flaky = 0;
            generated.suite = minimised.suite;
        }
        let mut record = record::of(spec, &generated, search);
        record::add_counts(&mut record, &further);
        if after.fresh_seeds > 0 {
            measure(&mut record, &generated.suite, &project, after.fresh_seeds)?;
        }
        if after.branches {
            let (suite, seeds) = (&generated.suite, after.fresh_seeds);
            measure_branches(&mut record, &self.project, suite, &project, seeds)?;
        }
        if let Some(mutation) = &spec.mutation {
            let settings = configuration::mutation(mutation).map_err(failed)?;
            let settings = mutation::MutationSettings { compat, ..settings };
            let (program, suite) = (Arc::clone(project.program()), generated.suite);
            let analysis = Analysis::new(&self.project, program, suite, settings)
                .map_err(|error| RunError::Failed(error.to_string()))?;
            let results = analysis.run(|_| on_progress(done.clone())).ok_or(RunError::Stopped)?;
            record::add_mutants(&mut record, &analysis, &results);
        }
        Ok(record)
    }
}

impl Loaded {
    fn prepared(&mut self, settings: GenerationSettings) -> Result<Arc<Prepared>, String> {
        if let Some((_, known)) = self.prepared.iter().find(|(of, _)| *of == settings) {
            return Ok(Arc::clone(known));
        }
        let prepared = Prepared::new(&self.project, settings.clone());
        let prepared = prepared.map_err(|error| error.to_string())?;
        self.prepared.push((settings, Arc::clone(&prepared)));
        Ok(prepared)
    }
}

fn measure(
    record: &mut RunRecord,
    suite: &Suite,
    project: &Prepared,
    fresh: usize,
) -> Result<(), RunError> {
    let seeds = Stream::seeds(suite.seed, Stream::REEXECUTION, fresh);
    let program = project.program();
    let goals = &project.model().goals()[..project.model().block_goals()];
    let measured = measure_reliability(suite, program, goals, &seeds, u64::MAX, || ());
    let reliability = measured.map_err(|error| RunError::Failed(error.to_string()))?;
    record::add_reliability(record, "coverage", &reliability);
    Ok(())
}

fn measure_branches(
    record: &mut RunRecord,
    model: &Project,
    suite: &Suite,
    project: &Prepared,
    fresh: usize,
) -> Result<(), RunError> {
    let failed = |error: SuiteError| RunError::Failed(error.to_string());
    let blocks = &project.model().goals()[..project.model().block_goals()];
    let branches = goals::branches(model, blocks);
    let suite = Suite { goals: branches.len() as u32, ..suite.clone() };
    let program = project.program();
    let covers = measure_coverage(&suite, program, &branches, u64::MAX).map_err(failed)?;
    let mut covered: Vec<u32> = covers.into_iter().flatten().collect();
    covered.sort_unstable();
    covered.dedup();
    let name = BRANCHES.to_owned();
    record.criteria.push(Criterion { name, goals: branches.len() as u32, covered });
    if fresh > 0 {
        let seeds = Stream::seeds(suite.seed, Stream::REEXECUTION, fresh);
        let measured = measure_reliability(&suite, program, &branches, &seeds, u64::MAX, || ());
        record::add_reliability(record, "branches", &measured.map_err(failed)?);
    }
    Ok(())
}

fn work(executions: u64, steps: u64) -> BTreeMap<String, u64> {
    BTreeMap::from([(EXECUTIONS.to_owned(), executions), (STEPS.to_owned(), steps)])
}

fn failed(error: FieldError) -> RunError {
    RunError::Failed(error.cause)
}
