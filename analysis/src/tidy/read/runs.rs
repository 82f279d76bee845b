//! Reads the table `runs`.

use std::collections::BTreeSet;

use catherd_experiments::{Budget, Plan, SubjectInfo};
use polars_arrow::array::StaticArray as _;

use super::{Names, Run};
use crate::tidy::Error;
use crate::tidy::described::Project;
use crate::tidy::slice::{Interner, Slice};

pub(super) struct Runs {
    pub(super) projects: Interner<Project>,
    pub(super) algorithms: Interner<String>,
    pub(super) budgets: Interner<Budget>,
    pub(super) engines: Interner<String>,
    pub(super) kinds: Interner<String>,
    pub(super) reasons: Interner<String>,
    pub(super) seeds: BTreeSet<u64>,
    pub(super) runs: Vec<Run>,
    pub(super) work: Vec<Vec<Option<u64>>>,
}

impl Runs {
    pub(super) fn of(subject: &SubjectInfo) -> Runs {
        Runs {
            projects: Interner::default(),
            algorithms: Interner::default(),
            budgets: Interner::default(),
            engines: Interner::default(),
            kinds: Interner::default(),
            reasons: Interner::default(),
            seeds: BTreeSet::new(),
            runs: Vec::new(),
            work: vec![Vec::new(); subject.units.len()],
        }
    }

    /// Absent runs must be recognised as missing. The projects of a race are not added, because a
    /// race does not run every configuration on every project.
    pub(super) fn expect(&mut self, plan: &Plan) {
        for algorithm in &plan.algorithms {
            self.algorithms.index(algorithm.label.clone());
        }
        self.seeds.extend(&plan.seeds);
        for project in plan.projects.iter().filter(|_| plan.race.is_none()) {
            let (name, digest) = (project.name.clone(), project.digest.to_string());
            self.projects.index(Project { name, digest });
        }
    }

    pub(super) fn read(
        &mut self,
        slice: &Slice<'_>,
        names: &Names,
        units: &[String],
        limits: &[String],
    ) -> Result<(), Error> {
        let (ids, projects) = (slice.text("run")?, slice.text("project")?);
        let (digests, labels) = (slice.text("project_digest")?, slice.text("algorithm")?);
        let (outcomes, engines) = (slice.text("outcome")?, slice.text("engine")?);
        let (kinds, reasons) = (slice.text("subject")?, slice.text("reason")?);
        let (seeds, search_ms) = (slice.u64("seed")?, slice.u64("search_ms")?);
        let (goals, covered) = (slice.u32("goals")?, slice.u32("covered")?);
        let (wall_ms, tests) = (slice.u64("wall_ms")?, slice.u32("suite_tests")?);
        let (sizes, removed) = (slice.u32(names.suite_size)?, slice.u32(names.suite_removed)?);
        let wall_limits = slice.u64("budget_wall_ms")?;
        let amounts: Vec<_> = units.iter().map(|unit| slice.u64(unit)).collect::<Result<_, _>>()?;
        let limits: Vec<_> = limits.iter().map(|name| slice.u64(name)).collect::<Result<_, _>>()?;
        for row in 0..slice.batch.len() {
            let set = units.iter().zip(&limits);
            let set = set.filter_map(|(unit, limits)| Some((unit.clone(), limits.get(row)?)));
            self.budgets.index(Budget { work: set.collect(), wall_ms: wall_limits.get(row) });
            self.engines.index(slice.value("engine", engines.get(row))?.to_owned());
            self.kinds.index(slice.value("subject", kinds.get(row))?.to_owned());
            let project = Project {
                name: slice.value("project", projects.get(row))?.to_owned(),
                digest: slice.value("project_digest", digests.get(row))?.to_owned(),
            };
            let label = slice.value("algorithm", labels.get(row))?.to_owned();
            self.runs.push(Run {
                id: slice.digest(slice.value("run", ids.get(row))?)?,
                project: self.projects.index(project),
                algorithm: self.algorithms.index(label),
                seed: slice.value("seed", seeds.get(row))?,
                outcome: slice.outcome(slice.value("outcome", outcomes.get(row))?)?,
                goals: slice.value("goals", goals.get(row))?,
                covered: slice.value("covered", covered.get(row))?,
                search_ms: search_ms.get(row),
                wall_ms: wall_ms.get(row),
                suite_tests: tests.get(row),
                suite_size: sizes.get(row),
                suite_removed: removed.get(row),
                reason: reasons.get(row).map(|reason| self.reasons.index(reason.to_owned())),
            });
            for (work, amounts) in self.work.iter_mut().zip(&amounts) {
                work.push(amounts.get(row));
            }
        }
        Ok(())
    }
}

pub(super) const RUN_COLUMNS: [&str; 15] = [
    "run",
    "project",
    "project_digest",
    "subject",
    "algorithm",
    "seed",
    "budget_wall_ms",
    "engine",
    "outcome",
    "goals",
    "covered",
    "search_ms",
    "wall_ms",
    "suite_tests",
    "reason",
];
