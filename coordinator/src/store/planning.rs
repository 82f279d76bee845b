//! A study on its way into the store, a page of runs at a time: whoever writes can answer
//! others between two pages.

use catherd_experiments::{Digest, Plan, RunSpec};

use super::database::{Database, Row, Value};
use super::{Store, StoreError, StudyNumber, StudyState};
use crate::ledger::RunNumber;

/// Runs planned at a time: some ten milliseconds.
const PAGE: usize = 1024;

/// Members in one statement.
const MEMBERS: usize = 512;

/// A study that is being planned; see [`Store::begin`].
pub struct Planning {
    plan: Plan,
    json: Vec<u8>,
    /// Runs that are not in the store yet.
    runs: Box<dyn Iterator<Item = RunSpec> + Send>,
    /// The numbers of those that are, in the order of the study.
    numbers: Vec<RunNumber>,
}

impl Planning {
    /// The name of the study.
    pub fn name(&self) -> &str {
        &self.plan.name
    }

    /// Its runs that are in the store, and all of them.
    pub fn progress(&self) -> (usize, usize) {
        (self.numbers.len(), self.plan.count())
    }

    /// Number, project and algorithm's label of its runs that are in the store, from that
    /// place in the study on.
    pub fn runs_from(&self, place: usize) -> impl Iterator<Item = (RunNumber, Digest, &str)> {
        self.numbers.iter().enumerate().skip(place).map(|(place, &number)| {
            let (project, algorithm) = self.plan.cell(place);
            (number, project.digest, &*algorithm.label)
        })
    }

    /// The runs of the study in its order, once all of them have been planned; none if the study
    /// had them before.
    pub fn members(&self) -> Option<&[RunNumber]> {
        (self.numbers.len() == self.plan.count()).then_some(&self.numbers)
    }

    /// Whether this is the planning of `plan`.
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
    /// Makes the plan the study of its name, which is active from now on.
    /// Runs that are in the store already keep their state and results; runs that the
    /// study had before and has no more are kept but do not count. A plan that the study
    /// has already is not gone through again.
    ///
    /// # Errors
    ///
    /// When the database refuses; no study has then changed.
    pub fn plan(&mut self, plan: Plan) -> Result<StudyNumber, StoreError> {
        let mut planning = self.begin(plan)?;
        loop {
            if let Some(study) = self.plan_on(&mut planning)? {
                return Ok(study);
            }
        }
    }

    /// The number of the study that has this plan and is active.
    ///
    /// # Errors
    ///
    /// When the plan has no JSON form or the database refuses.
    pub fn active(&mut self, plan: &Plan) -> Result<Option<StudyNumber>, StoreError> {
        let json = serde_json::to_vec(plan)?;
        let studies = self.studies()?.into_iter();
        let mut same = studies.filter(|study| study.name == plan.name && study.plan == json);
        Ok(same.find(|study| study.state == StudyState::Active).map(|study| study.number))
    }

    /// [`Store::plan`] in steps of some ten milliseconds, of which the last is longer (some
    /// microseconds a run) and changes the study; until then it is as it was.
    ///
    /// # Errors
    ///
    /// When the plan has no JSON form.
    pub fn begin(&mut self, plan: Plan) -> Result<Planning, StoreError> {
        let json = serde_json::to_vec(&plan)?;
        let runs = Box::new(plan.clone().into_runs());
        Ok(Planning { plan, json, runs, numbers: Vec::new() })
    }

    /// The next step; the study's number after the last.
    ///
    /// # Errors
    ///
    /// When the database refuses. The step can then be taken again.
    pub fn plan_on(&mut self, planning: &mut Planning) -> Result<Option<StudyNumber>, StoreError> {
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
                None => next(database, "select max(number) from studies")?,
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

/// Adds the runs that are not there; the numbers of all.
fn add_runs(database: &mut Database, runs: &[RunSpec]) -> Result<Vec<RunNumber>, StoreError> {
    let free = next(database, "select max(number) from runs")?;
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
    let gone = || StoreError::Damaged("a run that was planned is not there".to_owned());
    let rows = database.lookup("select number from runs where id = ?1", &ids)?;
    rows.into_iter().map(|row| row.ok_or_else(gone)?.narrow()).collect()
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
        let page: Vec<Vec<Value>> = members.by_ref().take(MEMBERS).collect();
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
fn next(database: &mut Database, largest: &'static str) -> Result<u32, StoreError> {
    let largest = database.first(largest, &[], Row::optional_integer)?.flatten();
    let next = largest.map_or(0, |largest| largest + 1);
    u32::try_from(next).map_err(|_| StoreError::Damaged("too many rows".to_owned()))
}
