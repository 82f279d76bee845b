//! Trivial projects: projects that a baseline covers completely with few executions (Whisker paper,
//! RQ2 and figures 13 and 14).

use crate::stats::mean;
use crate::tidy::Results;

/// A project and the runs of the baseline on it.
#[derive(Clone, Debug, PartialEq)]
pub struct Baseline {
    /// Index into [`Results::projects`].
    pub project: usize,
    /// Number of goals.
    pub size: Option<u32>,
    /// Mean number of executions of a run.
    pub executions: f64,
    /// Mean coverage in 0..=1.
    pub coverage: f64,
    /// Whether every run covers all goals.
    pub full: bool,
    /// The runs of the baseline.
    pub runs: Vec<u32>,
}

/// The trivial projects of a study according to the Whisker paper: projects that are covered
/// entirely with a smaller mean number of executions than any project that is not.
#[derive(Clone, Debug, PartialEq)]
pub struct Trivial {
    /// The baseline, as an index into [`Results::algorithms`].
    pub algorithm: usize,
    /// The threshold as a number of executions; `None` if every project is covered entirely.
    pub threshold: Option<f64>,
    /// The projects on which the baseline has runs with a coverage and a known number of
    /// executions.
    pub projects: Vec<Baseline>,
}

impl Trivial {
    /// Applies the rule with the given algorithm as the baseline.
    pub fn new(results: &Results, algorithm: usize) -> Trivial {
        let executions = |run: u32| results.work.first()?[run as usize];
        let mut runs = vec![Vec::new(); results.projects.len()];
        for (number, run) in (0..).zip(&results.runs) {
            if run.algorithm as usize == algorithm
                && run.coverage().is_some()
                && executions(number).is_some()
            {
                runs[run.project as usize].push(number);
            }
        }
        let projects: Vec<Baseline> = runs
            .into_iter()
            .enumerate()
            .filter_map(|(project, runs)| {
                let of = || runs.iter().map(|&run: &u32| &results.runs[run as usize]);
                let spent = runs.iter().filter_map(|&run| Some(executions(run)? as f64));
                Some(Baseline {
                    project,
                    size: of().next()?.size(),
                    executions: mean(spent)?,
                    coverage: mean(of().filter_map(|run| run.coverage()))?,
                    full: of().all(|run| run.covered >= run.goals),
                    runs,
                })
            })
            .collect();
        let open = projects.iter().filter(|p| !p.full).map(|p| p.executions);
        let threshold = open.min_by(f64::total_cmp);
        Trivial { algorithm, threshold, projects }
    }

    /// The baseline of the papers: the algorithm with the label `random`, or else the first
    /// algorithm.
    pub fn baseline(results: &Results) -> Option<usize> {
        let random =
            results.algorithms.iter().position(|label| label.eq_ignore_ascii_case("random"));
        random.or((!results.algorithms.is_empty()).then_some(0))
    }

    /// Whether a project in [`Trivial::projects`] is trivial.
    pub fn is_trivial(&self, project: &Baseline) -> bool {
        project.full && self.threshold.is_none_or(|threshold| project.executions < threshold)
    }

    /// The number of trivial projects.
    pub fn count(&self) -> usize {
        self.projects.iter().filter(|project| self.is_trivial(project)).count()
    }
}
