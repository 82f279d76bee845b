//! Planning: adds a study to the store a page of runs at a time, so that the writer can process
//! other requests between two pages.

use catherd_experiments::{Digest, Plan, RunSpec};

use super::database::Database;
use super::error::StoreError;
use super::model::StudyState;
use super::row::{Row, Value};
use super::write::Store;
use crate::ids::{RunNumber, StudyNumber};

/// Number of runs in a page, which takes some ten milliseconds.
const PAGE: usize = 1024;

/// Number of members that are inserted together.
const MEMBERS_PAGE: usize = 512;

/// A study that is being planned; see [`Store::begin_planning`].
pub struct Planning {
    plan: Plan,
    json: Vec<u8>,
    /// The runs that are not in the store yet.
    runs: Box<dyn Iterator<Item = RunSpec> + Send>,
    /// The numbers of the runs that are in the store, in the order of the study.
    numbers: Vec<RunNumber>,
}

impl Planning {
    /// The name of the study.
    pub fn name(&self) -> &str {
        &self.plan.name
    }

    /// The number of its runs that are in the store, and of all its runs.
    pub fn progress(&self) -> (usize, usize) {
        (self.numbers.len(), self.plan.count())
    }

    /// Number, project and algorithm's label of its runs that are in the store, from this position
    /// in the study on.
    pub fn runs_from(&self, position: usize) -> impl Iterator<Item = (RunNumber, Digest, &str)> {
        self.numbers.iter().enumerate().skip(position).map(|(position, &number)| {
            let (project, algorithm) = self.plan.cell(position);
            (number, project.digest, &*algorithm.label)
        })
    }

    /// The runs of the study in its order; `None` until all have been planned, and if the study
    /// has had this plan before.
    pub fn members(&self) -> Option<&[RunNumber]> {
        (self.numbers.len() == self.plan.count()).then_some(&self.numbers)
    }

    /// Whether this plans `plan`.
    pub fn is_of(&self, plan: &Plan) -> bool {
        self.plan == *plan
    }
}

impl std::fmt::Debug for Planning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Planning").field("study", &self.plan.name).finish_non_exhaustive()
    }
}

impl Store {
    /// Makes the plan the study of its name, and activates it. Runs that are in the store keep their
    /// state and results. Runs that are no longer in the study are kept in the store, but do not
    /// count. A study that has this plan already is only activated.
    ///
    /// # Errors
    ///
    /// If the database returns an error; no study has changed then.
    pub fn plan(&mut self, plan: Plan) -> Result<StudyNumber, StoreError> {
        let mut planning = self.begin_planning(plan)?;
        loop {
            if let Some(study) = self.plan_next_page(&mut planning)? {
                return Ok(study);
            }
        }
    }

    /// The number of the active study that has this plan; `None` if there is no such study.
    ///
    /// # Errors
    ///
    /// If the plan has no JSON form or the database returns an error.
    pub fn active_study_with(&mut self, plan: &Plan) -> Result<Option<StudyNumber>, StoreError> {
        let json = serde_json::to_vec(plan)?;
        let studies = self.studies()?.into_iter();
        let mut same = studies.filter(|study| study.name == plan.name && study.plan == json);
        Ok(same.find(|study| study.state == StudyState::Active).map(|study| study.number))
    }

    /// Starts [`Store::plan`] in pages of some ten milliseconds. The last page takes some
    /// microseconds more per run and changes the study; until then the study is unchanged.
    ///
    /// # Errors
    ///
    /// If the plan has no JSON form.
    pub fn begin_planning(&mut self, plan: Plan) -> Result<Planning, StoreError> {
        let json = serde_json::to_vec(&plan)?;
        let runs = Box::new(plan.clone().into_runs());
        Ok(Planning { plan, json, runs, numbers: Vec::new() })
    }

    /// Plans the next page. Returns the study's number after the last page.
    ///
    /// # Errors
    ///
    /// If the database returns an error. The page can then be planned again.
    pub fn plan_next_page(
        &mut self,
        planning: &mut Planning,
    ) -> Result<Option<StudyNumber>, StoreError> {
        let known = self.studies()?.into_iter().find(|study| study.name == planning.plan.name);
        let again = known.as_ref().is_some_and(|study| study.plan == planning.json);
        let left = planning.plan.count() - planning.numbers.len();
        if !again && left > 0 {
            let page: Vec<_> = planning.runs.by_ref().take(PAGE).collect();
            let numbers = self.database.transaction(|database| add_runs(database, &page));
            match numbers {
                Ok(numbers) => planning.numbers.extend(numbers),
                Err(error) => {
                    let rest = std::mem::replace(&mut planning.runs, Box::new(std::iter::empty()));
                    planning.runs = Box::new(page.into_iter().chain(rest));
                    return Err(error);
                }
            }
            if left > PAGE {
                return Ok(None);
            }
        }
        self.database.transaction(|database| {
            let number = match &known {
                Some(study) => study.number,
                None => next_number(database, "select max(number) from studies")?,
            };
            let (name, json) = (planning.plan.name.as_str(), planning.json.as_slice());
            database.execute(
                "insert into studies (number, name, state, plan) values (?1, ?2, 0, ?3)
                 on conflict (number) do update set state = 0, plan = excluded.plan",
                &[vec![number.into(), name.into(), json.into()]],
            )?;
            if !again {
                database.execute("delete from members where study = ?1", &[vec![number.into()]])?;
                add_members(database, number, planning)?;
            }
            Ok(Some(number))
        })
    }
}

/// Inserts the runs that the store does not have. Returns the numbers of all.
fn add_runs(database: &mut Database, runs: &[RunSpec]) -> Result<Vec<RunNumber>, StoreError> {
    let free = next_number(database, "select max(number) from runs")?;
    let (mut ids, mut specs) = (Vec::<Value>::new(), Vec::new());
    for (number, run) in (free..).zip(runs) {
        let id = run.id();
        ids.push(id.0.as_slice().into());
        specs.push(vec![
            number.into(),
            id.0.as_slice().into(),
            run.project.0.as_slice().into(),
            run.algorithm.label.as_str().into(),
            serde_json::to_vec(run)?.as_slice().into(),
        ]);
    }
    database.execute(
        "insert into runs (number, id, project, label, spec, phase, attempt, crashes, losses, token)
         values (?1, ?2, ?3, ?4, ?5, 1, 0, 0, 0, 0) on conflict (id) do nothing",
        &specs,
    )?;
    let gone = || StoreError::Damaged("a planned run is missing".to_owned());
    let rows = database.lookup("select number from runs where id = ?1", &ids)?;
    rows.into_iter().map(|row| row.ok_or_else(gone)?.integer_as()).collect()
}

fn add_members(
    database: &mut Database,
    study: StudyNumber,
    planning: &Planning,
) -> Result<(), StoreError> {
    let names = planning.plan.places();
    let mut members = (0_i64..).zip(&planning.numbers).zip(names).map(
        |((position, &run), (project, algorithm))| {
            vec![study.into(), position.into(), run.into(), project.into(), algorithm.into()]
        },
    );
    loop {
        let page: Vec<Vec<Value>> = members.by_ref().take(MEMBERS_PAGE).collect();
        if page.is_empty() {
            return Ok(());
        }
        database.execute(
            "insert into members (study, position, run, project, label)
             values (?1, ?2, ?3, ?4, ?5)",
            &page,
        )?;
    }
}

/// One more than the largest number of a column.
fn next_number(database: &mut Database, largest: &'static str) -> Result<u32, StoreError> {
    let largest = database.first(largest, &[], Row::optional_integer)?.flatten();
    let next = largest.map_or(0, |largest| largest + 1);
    u32::try_from(next).map_err(|_| StoreError::Damaged("too many rows".to_owned()))
}
