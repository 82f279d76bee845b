//! The table `goals.csv`: how many runs of each algorithm cover each goal.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::path::Path;

use catherd_experiments::text::printable;
use catherd_experiments::{Digest, NamedGoals, Plan, RunOutcome, RunRecord, RunSpec};
use catherd_interface::{Approach, Approaches, OpenGoals};
use serde_json::Value;

use crate::error::ResultsError;

const FILE: &str = "goals.csv";

const COLUMNS: [&str; 11] = [
    "project",
    "project_digest",
    "criterion",
    "goal",
    "name",
    "runs",
    "covering",
    "before",
    "closest",
    "distance",
    "turned_off",
];

/// Name of the artifact in which an external tool lists the names of its goals.
const NAMES: &str = "goals.json";

/// The run that came closest to a goal. Ties are broken by algorithm and seed.
struct Closest {
    distance: u32,
    algorithm: usize,
    seed: u64,
    run: Digest,
    turned_off: String,
}

pub(super) struct GoalCounts {
    /// Computes how close runs came to goals, for kinds whose records contain this information.
    approaches: Option<Approaches>,
    /// Indices into `sets` by project and configuration, for kinds that name goals in advance.
    planned: HashMap<(Digest, String), usize>,
    /// Indices into `sets` by project, criterion and number of goals, for other kinds.
    found: HashMap<(Digest, String, u32), usize>,
    sets: Vec<Counts>,
    labels: Vec<String>,
}

struct Counts {
    project: Digest,
    criterion: String,
    names: Vec<String>,
    before: Vec<Option<u32>>,
    unreachable: Vec<String>,
    runs: Vec<u64>,
    /// By algorithm and then by goal.
    covering: Vec<Vec<u64>>,
    /// In ascending order.
    open: Vec<u32>,
    closest: Vec<Option<Closest>>,
}

impl Counts {
    fn new(goals: NamedGoals, algorithms: usize) -> Counts {
        let NamedGoals { project, criterion, names, before, unreachable, .. } = goals;
        let (runs, covering) = (vec![0; algorithms], vec![Vec::new(); algorithms]);
        let open = (0..names.len() as u32).collect();
        let closest = names.iter().map(|_| None).collect();
        Counts { project, criterion, names, before, unreachable, runs, covering, open, closest }
    }

    fn add(&mut self, algorithm: usize, covered: &[u32]) {
        self.runs[algorithm] += 1;
        let own = &mut self.covering[algorithm];
        own.resize(self.names.len(), 0);
        for &goal in covered {
            if let Some(covering) = own.get_mut(goal as usize) {
                *covering += 1;
            }
        }
        self.open.retain(|goal| covered.binary_search(goal).is_err());
    }

    fn approach(
        &mut self,
        algorithm: usize,
        spec: &RunSpec,
        record: &RunRecord,
        approaches: Option<Approaches>,
    ) {
        let covered = &record.criteria[0].covered;
        let found: Vec<Option<Approach>> = match approaches {
            Some(approaches) => {
                let (criterion, names) = (&*self.criterion, &*self.names);
                approaches(&OpenGoals { criterion, names, open: &self.open }, record)
            }
            None => self.open.iter().map(|&goal| self.on_the_way(goal, covered)).collect(),
        };
        for (&goal, Approach { distance, turned_off }) in
            self.open.iter().zip(found).filter_map(|(goal, found)| Some((goal, found?)))
        {
            let closest = &mut self.closest[goal as usize];
            let rank = (distance, algorithm, spec.seed);
            if closest.as_ref().is_none_or(|one| rank < (one.distance, one.algorithm, one.seed)) {
                let run = record.run;
                let seed = spec.seed;
                *closest = Some(Closest { distance, algorithm, seed, run, turned_off });
            }
        }
    }

    /// The number of goals that a run lacks on the path to a goal, and the last goal on the path
    /// that the run covers.
    fn on_the_way(&self, goal: u32, covered: &[u32]) -> Option<Approach> {
        let before = |goal: u32| self.before.get(goal as usize).copied().flatten();
        let mut at = before(goal)?;
        // The length of a path is limited to the number of goals, because a wrong description could
        // contain a cycle.
        for distance in 1..=self.names.len() as u32 {
            if covered.binary_search(&at).is_ok() {
                let turned_off = self.names.get(at as usize)?.clone();
                return Some(Approach { distance, turned_off });
            }
            at = before(at)?;
        }
        None
    }
}

impl GoalCounts {
    /// `goals` are the goals that the subject kind names in advance.
    pub(super) fn new(
        goals: &[NamedGoals],
        plan: &Plan,
        approaches: Option<Approaches>,
    ) -> GoalCounts {
        let keys = goals.iter().enumerate().flat_map(|(number, own)| {
            own.algorithms.iter().map(move |label| ((own.project, label.clone()), number))
        });
        let labels: Vec<String> = plan.algorithms.iter().map(|one| one.label.clone()).collect();
        GoalCounts {
            approaches,
            planned: keys.collect(),
            found: HashMap::new(),
            sets: goals.iter().map(|own| Counts::new(own.clone(), labels.len())).collect(),
            labels,
        }
    }

    pub(super) fn add(&mut self, spec: &RunSpec, record: &RunRecord) {
        let label = &spec.algorithm.label;
        let Some(algorithm) = self.labels.iter().position(|known| known == label) else { return };
        let Some(criterion) = record.criteria.first() else { return };
        if record.outcome != RunOutcome::Done || criterion.goals == 0 {
            return;
        }
        let number = match self.planned.get(&(spec.project, label.clone())) {
            Some(&number) => number,
            // The kind has named only the goals of other runs.
            None if !self.planned.is_empty() => return,
            None => self.found(spec, record),
        };
        let counts = &mut self.sets[number];
        if criterion.goals as usize == counts.names.len() {
            counts.add(algorithm, &criterion.covered);
            counts.approach(algorithm, spec, record, self.approaches);
        }
    }

    fn found(&mut self, spec: &RunSpec, record: &RunRecord) -> usize {
        let criterion = &record.criteria[0];
        let key = (spec.project, criterion.name.clone(), criterion.goals);
        if let Some(&number) = self.found.get(&key) {
            return number;
        }
        let goals = NamedGoals {
            project: spec.project,
            criterion: criterion.name.clone(),
            algorithms: Vec::new(),
            names: names_in(record, criterion.goals as usize),
            before: Vec::new(),
            unreachable: Vec::new(),
        };
        self.sets.push(Counts::new(goals, self.labels.len()));
        self.found.insert(key, self.sets.len() - 1);
        self.sets.len() - 1
    }

    pub(super) fn write(&self, folder: &Path, plan: &Plan) -> Result<(), ResultsError> {
        if self.sets.is_empty() {
            return Ok(());
        }
        let places: HashMap<Digest, (usize, &str)> = plan
            .projects
            .iter()
            .enumerate()
            .map(|(at, one)| (one.digest, (at, one.name.as_str())))
            .collect();
        // The table must not depend on the order in which runs ended.
        let mut sets: Vec<&Counts> = self.sets.iter().collect();
        let place = |set: &Counts| places.get(&set.project).map_or(usize::MAX, |place| place.0);
        sets.sort_by(|a, b| {
            let found = || (&a.criterion, a.names.len()).cmp(&(&b.criterion, b.names.len()));
            let within = if self.planned.is_empty() { found() } else { Ordering::Equal };
            place(a).cmp(&place(b)).then(within)
        });
        let path = folder.join(FILE);
        let write = || -> csv::Result<()> {
            let mut file = csv::Writer::from_path(&path)?;
            let labels = self.labels.iter().map(|label| printable(label));
            let own =
                labels.flat_map(|label| [format!("runs:{label}"), format!("covering:{label}")]);
            file.write_record(COLUMNS.iter().map(|&name| name.to_owned()).chain(own))?;
            for set in sets {
                let project = places.get(&set.project).map_or("", |place| place.1);
                set.write(&mut file, project)?;
            }
            Ok(file.flush()?)
        };
        write().map_err(|cause| ResultsError::File { path: path.clone(), cause: cause.into() })
    }
}

impl Counts {
    fn write(&self, file: &mut csv::Writer<std::fs::File>, project: &str) -> csv::Result<()> {
        let (project, criterion) = (printable(project), printable(&self.criterion));
        let digest = self.project.to_string();
        let runs: u64 = self.runs.iter().sum();
        for (goal, name) in self.names.iter().enumerate() {
            let covering = |own: &Vec<u64>| own.get(goal).copied().unwrap_or(0);
            let all: u64 = self.covering.iter().map(covering).sum();
            let number = |n: u64| n.to_string();
            let own = self.runs.iter().zip(&self.covering).flat_map(|(&runs, own)| match runs {
                0 => [String::new(), String::new()],
                runs => [number(runs), number(covering(own))],
            });
            let before = self.before.get(goal).copied().flatten();
            let before = before.map_or(String::new(), |before| before.to_string());
            let closest = self.closest[goal].as_ref().filter(|_| all == 0);
            let [run, distance, turned_off] = match closest {
                Some(one) => [
                    one.run.to_string(),
                    one.distance.to_string(),
                    printable(&one.turned_off).into_owned(),
                ],
                None => Default::default(),
            };
            let first = [
                project.to_string(),
                digest.clone(),
                criterion.to_string(),
                goal.to_string(),
                printable(name).into_owned(),
                number(runs),
                number(all),
                before,
                run,
                distance,
                turned_off,
            ];
            file.write_record(first.into_iter().chain(own))?;
        }
        let empty = vec![""; 2 * self.runs.len()];
        for name in &self.unreachable {
            let name = printable(name);
            let first = [&*project, &digest, &*criterion, "", &*name, "", "", "", "", "", ""];
            file.write_record(first.iter().chain(&empty))?;
        }
        Ok(())
    }
}

/// The names of the goals of a record, from the artifact of an external tool or from a suite,
/// otherwise numbers.
fn names_in(record: &RunRecord, goals: usize) -> Vec<String> {
    let texts = |list: &Value| -> Option<Vec<String>> {
        let names: Option<Vec<String>> =
            list.as_array()?.iter().map(|name| name.as_str().map(str::to_owned)).collect();
        names.filter(|names| names.len() == goals)
    };
    let parsed = |text: &String| serde_json::from_str::<Value>(text).ok();
    let given = record.artifacts.get(NAMES).and_then(parsed).and_then(|list| texts(&list));
    let listed = || {
        let mut artifacts = record.artifacts.iter().filter(|(name, _)| name.ends_with(".json"));
        artifacts.find_map(|(_, text)| texts(parsed(text)?.get("goals")?))
    };
    given.or_else(listed).unwrap_or_else(|| (0..goals).map(|goal| format!("goal {goal}")).collect())
}
