//! The table `goals.csv`: how many runs cover each named goal.

use std::collections::HashMap;
use std::path::Path;

use catherd_experiments::{Digest, NamedGoals, Plan, RunOutcome, RunRecord, RunSpec};

use crate::error::ResultsError;

/// Name of the table.
const FILE: &str = "goals.csv";

/// Columns of the table.
const COLUMNS: [&str; 7] =
    ["project", "project_digest", "criterion", "goal", "name", "runs", "covering"];

/// Counts the runs that cover each named goal.
pub(super) struct GoalCounts<'g> {
    goals: &'g [NamedGoals],
    /// The index in `goals` of each project and configuration.
    indices: HashMap<(Digest, &'g str), usize>,
    counts: Vec<Counts>,
}

/// How many runs have these goals, and how many of these runs cover each goal.
#[derive(Clone, Default)]
struct Counts {
    runs: u64,
    covering: Vec<u64>,
}

impl<'g> GoalCounts<'g> {
    pub(super) fn new(goals: &'g [NamedGoals]) -> GoalCounts<'g> {
        let keys = goals.iter().enumerate().flat_map(|(number, own)| {
            own.algorithms.iter().map(move |label| ((own.project, label.as_str()), number))
        });
        let counts = |own: &NamedGoals| Counts { runs: 0, covering: vec![0; own.names.len()] };
        GoalCounts { goals, indices: keys.collect(), counts: goals.iter().map(counts).collect() }
    }

    /// Counts a run. A run with other goals, such as the goals of its pool, does not count.
    pub(super) fn add(&mut self, spec: &RunSpec, record: &RunRecord) {
        let key = (spec.project, spec.algorithm.label.as_str());
        let Some(&number) = self.indices.get(&key) else { return };
        let counts = &mut self.counts[number];
        let Some(criterion) = record.criteria.first() else { return };
        let is_known = criterion.goals as usize == counts.covering.len();
        if record.outcome != RunOutcome::Done || !is_known {
            return;
        }
        counts.runs += 1;
        for &goal in &criterion.covered {
            if let Some(covering) = counts.covering.get_mut(goal as usize) {
                *covering += 1;
            }
        }
    }

    /// Writes the table into a folder if there are named goals.
    pub(super) fn write(&self, folder: &Path, plan: &Plan) -> Result<(), ResultsError> {
        if self.goals.is_empty() {
            return Ok(());
        }
        let names: HashMap<Digest, &str> =
            plan.projects.iter().map(|one| (one.digest, one.name.as_str())).collect();
        let path = folder.join(FILE);
        let write = || -> csv::Result<()> {
            let mut file = csv::Writer::from_path(&path)?;
            file.write_record(COLUMNS)?;
            for (goals, counts) in self.goals.iter().zip(&self.counts) {
                let project = names.get(&goals.project).copied().unwrap_or_default();
                let (digest, runs) = (goals.project.to_string(), counts.runs.to_string());
                let mut row = |goal: &str, name: &str, runs: &str, covering: &str| {
                    file.write_record([
                        project,
                        &digest,
                        &goals.criterion,
                        goal,
                        name,
                        runs,
                        covering,
                    ])
                };
                for (number, (name, covering)) in
                    goals.names.iter().zip(&counts.covering).enumerate()
                {
                    row(&number.to_string(), name, &runs, &covering.to_string())?;
                }
                goals.unreachable.iter().try_for_each(|name| row("", name, "", ""))?;
            }
            Ok(file.flush()?)
        };
        write().map_err(|cause| ResultsError::File { path: path.clone(), cause: cause.into() })
    }
}
