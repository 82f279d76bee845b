//! Makes the tables of a study again from its results, without executing runs.

use std::collections::HashSet;
use std::ops::ControlFlow;

use catherd_analysis::tidy::Dropped;
use catherd_experiments::{CorpusDescription, Digest, Plan, RunRecord, RunSpec};
use catherd_interface::Kinds;

use crate::error::WriteError;
use crate::folder::StudyFolder;
use crate::race::{self, Rounds};
use crate::stop;
use crate::stored::RunResult;
use crate::tables::{Extent, StudyTables, WrittenResults};

/// Writes the tables of a study into a folder. `results` returns the results of the runs in the
/// order of the study, and may be called twice.
///
/// # Errors
/// If a result is an error, or if the tables cannot be written.
pub fn remake<E, I>(
    folder: &StudyFolder,
    plan: &Plan,
    projects: CorpusDescription,
    kinds: &Kinds,
    extent: Extent,
    results: impl Fn() -> I,
) -> Result<WrittenResults, WriteError<E>>
where
    I: IntoIterator<Item = Result<RunResult, E>>,
{
    let tables = StudyTables::new(folder, plan, projects, kinds);
    let tables = if plan.has_rounds() {
        let mut decided = DecidedRounds::read(tables, results()).map_err(WriteError::Source)?;
        if let Some(rules) = plan.race {
            let Ok(_) = race::run(&mut decided, plan, rules);
        } else if let Some(rule) = plan.stop {
            let Ok(_) = stop::run(&mut decided, plan, rule);
        }
        decided.tables
    } else {
        tables
    };
    tables.write(results(), extent)
}

struct DecidedRounds {
    tables: StudyTables,
    /// Records without some large parts, which decisions do not need.
    records: Vec<(RunSpec, RunRecord)>,
    quarantined: Vec<RunSpec>,
    round: Option<Plan>,
}

impl DecidedRounds {
    fn read<E>(
        tables: StudyTables,
        results: impl IntoIterator<Item = Result<RunResult, E>>,
    ) -> Result<DecidedRounds, E> {
        let (records, quarantined) = (Vec::new(), Vec::new());
        let mut decided = DecidedRounds { tables, records, quarantined, round: None };
        for result in results {
            match result? {
                RunResult::Record(run) => {
                    let (spec, mut record) = *run;
                    record.timeline.clear();
                    record.mutants.clear();
                    record.artifacts.clear();
                    record.logs.clear();
                    record.binaries.clear();
                    decided.records.push((spec, record));
                }
                RunResult::Quarantined(run) => decided.quarantined.push(run.spec),
            }
        }
        Ok(decided)
    }
}

fn belongs(round: &Plan) -> impl Fn(&RunSpec) -> bool + use<'_> {
    let projects: HashSet<Digest> = round.projects.iter().map(|one| one.digest).collect();
    let labels: HashSet<&str> = round.algorithms.iter().map(|one| one.label.as_str()).collect();
    let seeds: HashSet<u64> = round.seeds.iter().copied().collect();
    move |spec| {
        projects.contains(&spec.project)
            && labels.contains(spec.algorithm.label.as_str())
            && seeds.contains(&spec.seed)
    }
}

impl Rounds for DecidedRounds {
    type Error = std::convert::Infallible;
    type Stopped = ();

    /// Stops at the first round that has runs without a result.
    fn run(&mut self, round: Plan) -> Result<ControlFlow<()>, Self::Error> {
        let ended = {
            let is_of_round = belongs(&round);
            let records = self.records.iter().filter(|(spec, _)| is_of_round(spec)).count();
            let quarantined = self.quarantined.iter().filter(|spec| is_of_round(spec)).count();
            records + quarantined >= round.count()
        };
        self.round = Some(round);
        Ok(if ended { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
    }

    fn results(&mut self, _: &str, take: &mut dyn FnMut(RunResult)) -> Result<(), Self::Error> {
        let Some(round) = &self.round else { return Ok(()) };
        let is_of_round = belongs(round);
        for (spec, record) in self.records.iter().filter(|(spec, _)| is_of_round(spec)) {
            take(RunResult::Record(Box::new((spec.clone(), record.clone()))));
        }
        Ok(())
    }

    fn report_decided(&mut self, _: Vec<&str>, _: usize, _: usize, _: usize) {}

    fn report(&mut self, _: &Dropped) {}

    fn tables(&mut self) -> &mut StudyTables {
        &mut self.tables
    }
}
