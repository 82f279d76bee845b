//! Goals by name, from `goals.csv`.

use std::path::Path;

use catherd_experiments::Digest;
use serde::Deserialize;

use super::{Error, Results};

const FILE: &str = "goals.csv";

/// The goals of a project under a criterion, and the number of runs that cover each goal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GoalSet {
    /// Name of the project.
    pub project: String,
    /// Digest of the project's bytes.
    pub digest: String,
    /// The criterion to which the goals belong.
    pub criterion: String,
    /// Number of runs that have these goals.
    pub runs: u64,
    /// The labels of the algorithms with such runs, each with the number of these runs.
    pub algorithms: Vec<(String, u64)>,
    /// The goals in the order of their numbers.
    pub goals: Vec<Goal>,
    /// Names of the items that no test can cover.
    pub unreachable: Vec<String>,
}

/// A goal with its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Goal {
    /// The name, such as the words of an item.
    pub name: String,
    /// Number of runs that cover the goal.
    pub covering: u64,
    /// Number of runs that cover the goal, for each algorithm in [`GoalSet::algorithms`].
    pub by_algorithm: Vec<u64>,
    /// Number of the goal that a test covers directly before this goal.
    pub before: Option<u64>,
    /// The run that came closest to the goal.
    pub closest: Option<ClosestRun>,
}

/// The run that came closest to a goal that no run covers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClosestRun {
    /// Id of the run.
    pub run: Digest,
    /// Number of missing steps on the path to the goal, such as earlier goals.
    pub distance: u64,
    /// The last step of the run on the path to the goal, in words.
    pub turned_off: String,
}

impl GoalSet {
    /// The last covered goal on the path to a goal.
    pub fn turned_off(&self, goal: &Goal) -> Option<&Goal> {
        let mut at = goal.before?;
        // The length of the path is limited to the number of goals, because a wrong file could
        // contain a cycle.
        for _ in 0..self.goals.len() {
            let found = self.goals.get(at as usize)?;
            if found.covering > 0 {
                return Some(found);
            }
            at = found.before?;
        }
        None
    }

    /// The number of runs of an algorithm with these goals, and how many of these runs cover each
    /// goal.
    pub fn covering_of(&self, label: &str) -> Option<(u64, Vec<u64>)> {
        let at = self.algorithms.iter().position(|(known, _)| known == label)?;
        let covering = self.goals.iter().map(|goal| goal.by_algorithm[at]);
        Some((self.algorithms[at].1, covering.collect()))
    }
}

/// A row of the table. The row of an item that no test can cover has no goal and no counts.
#[derive(Deserialize)]
struct Row {
    project: String,
    project_digest: String,
    criterion: String,
    goal: Option<u64>,
    name: String,
    runs: Option<u64>,
    covering: Option<u64>,
    #[serde(default)]
    before: Option<u64>,
    #[serde(default)]
    closest: Option<Digest>,
    #[serde(default)]
    distance: Option<u64>,
    #[serde(default)]
    turned_off: String,
}

impl Results {
    /// Reads `goals.csv` of each folder that contains this file. Equal sets of several folders are
    /// merged. Algorithms have the labels that a selection gave them.
    ///
    /// # Errors
    /// [`Error`] if a table cannot be read or is malformed.
    pub fn goals(&self) -> Result<Vec<GoalSet>, Error> {
        let mut all: Vec<GoalSet> = Vec::new();
        for source in self.sources() {
            let path = source.dir.join(FILE);
            if path.exists() {
                for mut set in read(&path)? {
                    for (label, _) in &mut set.algorithms {
                        *label = self.shown_label(source.planned_label(label));
                    }
                    add(&mut all, set);
                }
            }
        }
        Ok(all)
    }

    /// The label after a selection.
    fn shown_label(&self, label: &str) -> String {
        // An algorithm that is left out may have the label that another algorithm now has.
        self.shown_as(label).map_or_else(|| format!("{label} (left out)"), str::to_owned)
    }
}

fn read(path: &Path) -> Result<Vec<GoalSet>, Error> {
    let broken = |cause| Error::Description { path: path.to_owned(), cause };
    let mut table = csv::Reader::from_path(path).map_err(broken)?;
    let mut sets: Vec<GoalSet> = Vec::new();
    let headers = table.headers().map_err(broken)?.clone();
    let columns: Vec<(String, usize, usize)> = headers
        .iter()
        .enumerate()
        .filter_map(|(runs, name)| {
            let label = name.strip_prefix("runs:")?;
            let covering =
                headers.iter().position(|n| n.strip_prefix("covering:") == Some(label))?;
            Some((label.to_owned(), runs, covering))
        })
        .collect();
    for (record, line) in table.records().zip(2..) {
        let record = record.map_err(broken)?;
        let row: Row = record.deserialize(Some(&headers)).map_err(broken)?;
        let number = |column: usize| record.get(column).and_then(|text| text.parse::<u64>().ok());
        let counts: Vec<(&str, u64, u64)> = columns
            .iter()
            .filter_map(|(label, runs, covering)| {
                Some((label.as_str(), number(*runs)?, number(*covering)?))
            })
            .collect();
        let flaw = || Error::Goals { path: path.to_owned(), line };
        let key = |set: &GoalSet| {
            set.digest == row.project_digest
                && set.project == row.project
                && set.criterion == row.criterion
        };
        // A set begins with goal 0, or with its unreachable items if there are no goals.
        let begins = row.goal == Some(0) || !sets.last().is_some_and(key);
        if begins {
            sets.push(GoalSet {
                project: row.project.clone(),
                digest: row.project_digest.clone(),
                criterion: row.criterion.clone(),
                runs: row.runs.unwrap_or(0),
                algorithms: counts.iter().map(|one| (one.0.to_owned(), one.1)).collect(),
                ..GoalSet::default()
            });
        }
        let Some(set) = sets.last_mut() else { return Err(flaw()) };
        match (row.goal, row.runs, row.covering) {
            (Some(goal), Some(runs), Some(covering))
                if goal == set.goals.len() as u64
                    && set.unreachable.is_empty()
                    && runs == set.runs
                    && covering <= runs
                    && counts.len() == set.algorithms.len()
                    && counts.iter().all(|(_, runs, covering)| covering <= runs) =>
            {
                let by_algorithm = counts.iter().map(|one| one.2).collect();
                let (before, turned_off) = (row.before, row.turned_off);
                let closest = row.closest.zip(row.distance);
                let closest =
                    closest.map(|(run, distance)| ClosestRun { run, distance, turned_off });
                set.goals.push(Goal { name: row.name, covering, by_algorithm, before, closest });
            }
            (None, None, None) => set.unreachable.push(row.name),
            _ => return Err(flaw()),
        }
    }
    Ok(sets)
}

fn add(all: &mut Vec<GoalSet>, set: GoalSet) {
    let names = |set: &GoalSet| set.goals.iter().map(|goal| goal.name.clone()).collect::<Vec<_>>();
    let known = all.iter_mut().find(|known| {
        (&known.digest, &known.criterion) == (&set.digest, &set.criterion)
            && names(known) == names(&set)
    });
    let Some(known) = known else { return all.push(set) };
    known.runs += set.runs;
    for (goal, more) in known.goals.iter_mut().zip(&set.goals) {
        goal.covering += more.covering;
        let closer = more.closest.as_ref().filter(|more| {
            goal.closest.as_ref().is_none_or(|known| more.distance < known.distance)
        });
        if let Some(closer) = closer {
            goal.closest = Some(closer.clone());
        }
        if goal.covering > 0 {
            goal.closest = None;
        }
    }
    for (at, (label, runs)) in set.algorithms.iter().enumerate() {
        let own = match known.algorithms.iter().position(|(other, _)| other == label) {
            Some(own) => own,
            None => {
                known.algorithms.push((label.clone(), 0));
                known.goals.iter_mut().for_each(|goal| goal.by_algorithm.push(0));
                known.algorithms.len() - 1
            }
        };
        known.algorithms[own].1 += runs;
        for (goal, more) in known.goals.iter_mut().zip(&set.goals) {
            goal.by_algorithm[own] += more.by_algorithm[at];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "project,project_digest,criterion,goal,name,runs,covering\n";

    fn read(rows: &str) -> Result<Vec<GoalSet>, Error> {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join(FILE);
        std::fs::write(&path, format!("{HEAD}{rows}")).unwrap();
        super::read(&path)
    }

    #[test]
    fn goals_are_read_by_project_and_criterion() {
        let rows = "tap,00,pairs,0,\"hot, off\",4,3\ntap,00,pairs,1,\"cold, off\",4,0\n\
                    tap,00,pairs,,\"off, hot\",,\ntap,00,triples,,\"a, b, c\",,\n\
                    sink,11,pairs,0,x,2,2\n";
        let sets = read(rows).unwrap();
        assert_eq!(sets.len(), 3);
        assert_eq!((sets[0].runs, sets[0].goals.len()), (4, 2));
        assert_eq!(
            sets[0].goals[1],
            Goal {
                name: "cold, off".to_owned(),
                covering: 0,
                by_algorithm: vec![],
                before: None,
                closest: None
            }
        );
        assert_eq!(sets[0].unreachable, ["off, hot"]);
        assert!(sets[1].goals.is_empty() && sets[1].unreachable.len() == 1);
        let mut all = Vec::new();
        for set in [sets[0].clone(), sets[2].clone(), sets[0].clone()] {
            add(&mut all, set);
        }
        assert_eq!(all.len(), 2);
        assert_eq!((all[0].runs, all[0].goals[0].covering), (8, 6));
    }

    #[test]
    fn runs_turn_off_at_the_last_covered_goal() {
        let goal = |covering, before| Goal {
            name: format!("{covering}"),
            covering,
            by_algorithm: Vec::new(),
            before,
            closest: None,
        };
        let goals = vec![goal(5, None), goal(3, Some(0)), goal(0, Some(1)), goal(0, Some(2))];
        let set = GoalSet { runs: 5, goals, ..GoalSet::default() };
        assert_eq!(set.turned_off(&set.goals[3]), Some(&set.goals[1]));
        assert_eq!(set.turned_off(&set.goals[0]), None);
        let circle = GoalSet { goals: vec![goal(0, Some(1)), goal(0, Some(0))], ..set };
        assert_eq!(circle.turned_off(&circle.goals[0]), None);
    }

    #[test]
    fn the_closest_run_of_several_folders_is_kept() {
        let read = |rows: &str| {
            let place = tempfile::tempdir().unwrap();
            let path = place.path().join(FILE);
            let head = HEAD.trim_end();
            std::fs::write(&path, format!("{head},closest,distance,turned_off\n{rows}")).unwrap();
            super::read(&path).unwrap()
        };
        let digest = Digest::of(b"run");
        let far = read(&format!("tap,00,pairs,0,a,4,0,{digest},3,b\ntap,00,pairs,1,b,4,1,,,\n"));
        let near = read(&format!("tap,00,pairs,0,a,4,0,{digest},1,c\ntap,00,pairs,1,b,4,1,,,\n"));
        let covered = read("tap,00,pairs,0,a,4,2,,,\ntap,00,pairs,1,b,4,1,,,\n");
        let mut all = Vec::new();
        [far, near].into_iter().flatten().for_each(|set| add(&mut all, set));
        let closest = all[0].goals[0].closest.clone().unwrap();
        assert_eq!((closest.run, closest.distance, &*closest.turned_off), (digest, 1, "c"));
        assert_eq!(all[0].goals[1].closest, None);
        covered.into_iter().for_each(|set| add(&mut all, set));
        assert_eq!(all[0].goals[0].closest, None);
    }

    #[test]
    fn goals_are_counted_by_algorithm() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join(FILE);
        let head = HEAD.trim_end();
        let rows = format!(
            "{head},runs:mio,covering:mio,runs:random,covering:random\n\
             tap,00,pairs,0,a,5,4,3,3,2,1\ntap,00,pairs,1,b,5,0,3,0,2,0\n"
        );
        std::fs::write(&path, rows).unwrap();
        let sets = super::read(&path).unwrap();
        assert_eq!(sets[0].covering_of("mio"), Some((3, vec![3, 0])));
        assert_eq!(sets[0].covering_of("random"), Some((2, vec![1, 0])));
        assert_eq!(sets[0].covering_of("mosa"), None);
        let mut all = Vec::new();
        add(&mut all, sets[0].clone());
        add(&mut all, sets[0].clone());
        assert_eq!(all[0].covering_of("random"), Some((4, vec![2, 0])));
    }

    #[test]
    fn rows_that_contradict_each_other_are_refused() {
        for rows in [
            "tap,00,pairs,1,a,4,3\n",
            "tap,00,pairs,0,a,4,5\n",
            "tap,00,pairs,0,a,4,3\ntap,00,pairs,1,b,5,3\n",
            "tap,00,pairs,0,a,,\n",
        ] {
            assert!(matches!(read(rows), Err(Error::Goals { .. })), "{rows}");
        }
        assert!(matches!(read("tap,00\n"), Err(Error::Description { .. })));
    }
}
