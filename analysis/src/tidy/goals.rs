//! Goals by name, from `goals.csv`.

use std::path::Path;

use serde::Deserialize;

use super::{Error, Results};

/// Name of the table in a folder of results.
const FILE: &str = "goals.csv";

/// The goals of a project under a criterion, and how many runs cover each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GoalSet {
    /// Name of the project.
    pub project: String,
    /// Digest of the project's bytes.
    pub digest: String,
    /// What the goals are, such as a coverage criterion.
    pub criterion: String,
    /// Runs that have these goals.
    pub runs: u64,
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
    /// Runs that cover it.
    pub covering: u64,
}

/// A row of the table. An item that no test can cover only has a name.
#[derive(Deserialize)]
struct Row {
    project: String,
    project_digest: String,
    criterion: String,
    goal: Option<u64>,
    name: String,
    runs: Option<u64>,
    covering: Option<u64>,
}

impl Results {
    /// Reads `goals.csv` of each folder that contains it: sets of goals by project and criterion,
    /// in the order of the tables. Runs of several folders are counted together.
    ///
    /// # Errors
    /// [`Error::Goals`], and [`Error::Description`] if a table is not CSV.
    pub fn goals(&self) -> Result<Vec<GoalSet>, Error> {
        let mut all: Vec<GoalSet> = Vec::new();
        for source in self.sources() {
            let path = source.dir.join(FILE);
            if path.exists() {
                for set in read(&path)? {
                    add(&mut all, set);
                }
            }
        }
        Ok(all)
    }
}

fn read(path: &Path) -> Result<Vec<GoalSet>, Error> {
    let broken = |cause| Error::Description { path: path.to_owned(), cause };
    let mut table = csv::Reader::from_path(path).map_err(broken)?;
    let mut sets: Vec<GoalSet> = Vec::new();
    for (row, line) in table.deserialize().zip(2..) {
        let row: Row = row.map_err(broken)?;
        let flaw = || Error::Goals { path: path.to_owned(), line };
        let key = |set: &GoalSet| {
            set.digest == row.project_digest
                && set.project == row.project
                && set.criterion == row.criterion
        };
        // A set begins with goal 0, or with its unreachable items if it has no goal.
        let begins = row.goal == Some(0) || !sets.last().is_some_and(key);
        if begins {
            sets.push(GoalSet {
                project: row.project.clone(),
                digest: row.project_digest.clone(),
                criterion: row.criterion.clone(),
                runs: row.runs.unwrap_or(0),
                ..GoalSet::default()
            });
        }
        let Some(set) = sets.last_mut() else { return Err(flaw()) };
        match (row.goal, row.runs, row.covering) {
            (Some(goal), Some(runs), Some(covering))
                if goal == set.goals.len() as u64
                    && set.unreachable.is_empty()
                    && runs == set.runs
                    && covering <= runs =>
            {
                set.goals.push(Goal { name: row.name, covering });
            }
            (None, None, None) => set.unreachable.push(row.name),
            _ => return Err(flaw()),
        }
    }
    Ok(sets)
}

/// Adds a set of goals, merging it with a set of the same names if there is one.
fn add(all: &mut Vec<GoalSet>, set: GoalSet) {
    let names = |set: &GoalSet| set.goals.iter().map(|goal| goal.name.clone()).collect::<Vec<_>>();
    let known = all.iter_mut().find(|known| {
        (&known.digest, &known.criterion) == (&set.digest, &set.criterion)
            && names(known) == names(&set)
    });
    let Some(known) = known else { return all.push(set) };
    known.runs += set.runs;
    for (goal, more) in known.goals.iter_mut().zip(set.goals) {
        goal.covering += more.covering;
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
        assert_eq!(sets[0].goals[1], Goal { name: "cold, off".to_owned(), covering: 0 });
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
