//! Planning: adds a study to the store a page of runs at a time, so that the writer can process
//! other requests between two pages.
//!
//! The runs of a study that is being planned are members of a *draft*, a hidden study. When all
//! runs are planned, the draft gets the name of the study, and the study that had the name before
//! becomes hidden. Hidden studies do not count, and are cleared one page at a time.

use catherd_experiments::{Digest, Plan, RunSpec};

use super::database::Database;
use super::error::StoreError;
use super::model::{Claim, ClaimChange, StudyState};
use super::queries::{self, NOT_COUNTING};
use super::reader::StoreReader;
use super::row::{Row, Value};
use super::write::Store;
use crate::ids::{RunNumber, StudyNumber};
use crate::queue::place_of;

/// Number of runs in a page, which is planned in about ten milliseconds.
const PAGE: usize = 1024;

const CLEARED_PAGE: i64 = 4096;

/// A study that is being planned ([`Store::begin_planning`]).
pub struct Planning {
    plan: Plan,
    json: Vec<u8>,
    digest: Digest,
    /// `None` before the first page.
    draft: Option<StudyNumber>,
    runs: Box<dyn Iterator<Item = RunSpec> + Send>,
    /// The runs that have been planned, in the order of the study.
    numbers: Vec<RunNumber>,
    owner: String,
    claim: Claim,
}

/// A study that is completely planned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlannedStudy {
    /// The number of the study.
    pub study: StudyNumber,
    /// The number of the study that had this name before and is now hidden.
    pub replaced: Option<StudyNumber>,
}

/// A run of a study that is being planned.
#[derive(Clone, Copy, Debug)]
pub struct PlannedRun<'a> {
    /// The number of the run.
    pub number: RunNumber,
    /// The project.
    pub project: Digest,
    /// The label of the algorithm.
    pub label: &'a str,
    /// The place among the runs on the project, if the budget limits real time.
    pub place: Option<u32>,
}

impl Planning {
    pub(crate) fn of(self, owner: &str, claim: Claim) -> Planning {
        Planning { owner: owner.to_owned(), claim, ..self }
    }

    pub(crate) fn change_claim(&mut self, change: ClaimChange) {
        self.claim = change.applied_to(self.claim);
    }

    pub(crate) fn owner(&self) -> &str {
        &self.owner
    }

    /// The name of the study.
    pub fn name(&self) -> &str {
        &self.plan.name
    }

    /// The digest of the plan's JSON.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// The subject kind of the runs, and the engine id of this kind.
    pub fn engine(&self) -> (&str, &str) {
        (&self.plan.subject, &self.plan.engine)
    }

    /// The number of runs that have been planned, and the number of all runs.
    pub fn progress(&self) -> (usize, usize) {
        (self.numbers.len(), self.plan.count())
    }

    /// The runs that have been planned, from this position in the study on.
    pub fn runs_from(&self, position: usize) -> impl Iterator<Item = PlannedRun<'_>> {
        let in_real_time = self.plan.budget.wall_ms.is_some();
        self.numbers.iter().enumerate().skip(position).map(move |(position, &number)| {
            let (project, algorithm) = self.plan.cell(position);
            let (project, label) = (project.digest, &*algorithm.label);
            let seed = self.plan.seeds[position % self.plan.seeds.len()];
            let place = in_real_time.then(|| place_of(project, seed, label));
            PlannedRun { number, project, label, place }
        })
    }

    /// The runs of the study in their order, after all runs have been planned.
    pub fn members(&self) -> Option<&[RunNumber]> {
        (self.numbers.len() == self.plan.count()).then_some(&self.numbers)
    }
}

impl std::fmt::Debug for Planning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Planning").field("study", &self.plan.name).finish_non_exhaustive()
    }
}

impl Store {
    /// Stores the plan as the study with its name, and activates the study. Runs that are in the
    /// store keep their state and results.
    ///
    /// # Errors
    ///
    /// If the plan cannot be converted to JSON, or if the database returns an error.
    pub fn plan(&mut self, plan: Plan) -> Result<StudyNumber, StoreError> {
        let mut planning = self.begin_planning(plan)?;
        loop {
            if let Some(planned) = self.plan_next_page(&mut planning, StudyState::Active)? {
                return Ok(planned.study);
            }
        }
    }

    /// Number and state of the study that has this name and this plan.
    ///
    /// # Errors
    ///
    /// If the database returns an error.
    pub fn study_with(
        &mut self,
        planning: &Planning,
    ) -> Result<Option<(StudyNumber, StudyState)>, StoreError> {
        let sql = "select number, state from studies where name = ?1 and plan = ?2 and state < 3";
        let parameters = [planning.name().into(), planning.json.as_slice().into()];
        self.database.first(sql, &parameters, |row| {
            Ok((row.integer_as()?, queries::study_state(row.integer()?)?))
        })
    }

    /// Starts to plan a study as [`Store::plan`] does, but in pages. Until the last page, the study
    /// is unchanged.
    ///
    /// # Errors
    ///
    /// If the plan cannot be converted to JSON.
    pub fn begin_planning(&mut self, plan: Plan) -> Result<Planning, StoreError> {
        let json = serde_json::to_vec(&plan)?;
        let digest = Digest::of(&json);
        let runs = Box::new(plan.clone().into_runs());
        let (owner, claim) = (String::new(), Claim::default());
        Ok(Planning { plan, json, digest, draft: None, runs, numbers: Vec::new(), owner, claim })
    }

    /// Plans the next page. The study gets `state` and is returned when it is completely planned.
    ///
    /// # Errors
    ///
    /// If the database returns an error. The page can then be planned again.
    pub fn plan_next_page(
        &mut self,
        planning: &mut Planning,
        state: StudyState,
    ) -> Result<Option<PlannedStudy>, StoreError> {
        let draft = match planning.draft {
            Some(draft) => draft,
            None => {
                if let Some((study, _)) = self.study_with(planning)? {
                    self.set_state(&planning.plan.name, state)?;
                    return Ok(Some(PlannedStudy { study, replaced: None }));
                }
                *planning.draft.insert(self.add_draft()?)
            }
        };
        let left = planning.plan.count() - planning.numbers.len();
        let page: Vec<_> = planning.runs.by_ref().take(PAGE).collect();
        let first = planning.numbers.len() as i64;
        let numbers = self.database.transaction(|database| {
            let numbers = add_runs(database, &page)?;
            add_members(database, draft, first, &page, &numbers)?;
            Ok(numbers)
        });
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
        self.replace_by_draft(planning, draft, state).map(Some)
    }

    fn add_draft(&mut self) -> Result<StudyNumber, StoreError> {
        self.database.transaction(|database| {
            let number = next_number(database, "select max(number) from studies")?;
            let name = hidden_name(number);
            database.execute(
                "insert into studies (number, name, state, plan) values (?1, ?2, ?3, ?4)",
                &[vec![number.into(), name.as_str().into(), NOT_COUNTING.into(), no_plan()]],
            )?;
            Ok(number)
        })
    }

    fn replace_by_draft(
        &mut self,
        planning: &Planning,
        draft: StudyNumber,
        state: StudyState,
    ) -> Result<PlannedStudy, StoreError> {
        self.database.transaction(|database| {
            let (name, json) = (planning.plan.name.as_str(), planning.json.as_slice());
            let replaced = discard(database, name, Some(draft))?;
            let Claim { priority, share, quota } = planning.claim;
            let row = vec![
                draft.into(),
                name.into(),
                (state as i64).into(),
                json.into(),
                planning.owner.as_str().into(),
                i64::from(priority).into(),
                share.into(),
                quota.into(),
            ];
            database.execute(
                "update studies set name = ?2, state = ?3, plan = ?4, owner = ?5, priority = ?6,
                        share = ?7, quota = ?8
                 where number = ?1",
                &[row],
            )?;
            Ok(PlannedStudy { study: draft, replaced })
        })
    }

    /// Removes a study and returns its number. The study's runs and their records remain in the
    /// store.
    ///
    /// # Errors
    ///
    /// If the database returns an error.
    pub fn discard_study(&mut self, name: &str) -> Result<Option<StudyNumber>, StoreError> {
        self.database.transaction(|database| discard(database, name, None))
    }

    /// Clears a page of the hidden studies. Returns whether there may be further pages. Must not be
    /// called while a study is being planned.
    ///
    /// # Errors
    ///
    /// If the database returns an error.
    pub fn clear_page(&mut self) -> Result<bool, StoreError> {
        let sql = "select min(number) from studies where state = ?1";
        let number = self.database.first(sql, &[NOT_COUNTING.into()], Row::optional_integer)?;
        let Some(number) = number.flatten() else { return Ok(false) };
        self.database.transaction(|database| {
            let sql = "select min(position) from members where study = ?1";
            let first = database.first(sql, &[number.into()], Row::optional_integer)?.flatten();
            match first {
                Some(first) => database.execute(
                    "delete from members where study = ?1 and position < ?2",
                    &[vec![number.into(), (first + CLEARED_PAGE).into()]],
                ),
                None => database
                    .execute("delete from studies where number = ?1", &[vec![number.into()]]),
            }
        })?;
        Ok(true)
    }
}

impl StoreReader {
    /// Whether a study is in the store and not hidden. Members of a hidden study may be missing.
    ///
    /// # Errors
    ///
    /// If the database returns an error.
    pub fn counts(&mut self, study: StudyNumber) -> Result<bool, StoreError> {
        let sql = "select state from studies where number = ?1";
        let state = self.database.first(sql, &[study.into()], Row::integer)?;
        Ok(state.is_some_and(|state| state < NOT_COUNTING))
    }
}

/// A new study cannot have such a name, because names must not contain control characters.
fn hidden_name(number: StudyNumber) -> String {
    format!("\u{1}{number}")
}

fn no_plan() -> Value {
    Value::Bytes(Vec::new())
}

/// Takes the name from the study with this name, unless the study is `draft`, and returns its
/// number. The study is then hidden.
fn discard(
    database: &mut Database,
    name: &str,
    draft: Option<StudyNumber>,
) -> Result<Option<StudyNumber>, StoreError> {
    let sql = "select number from studies where name = ?1 and state < 3";
    let found: Option<StudyNumber> = database.first(sql, &[name.into()], Row::integer_as)?;
    let Some(number) = found.filter(|number| Some(*number) != draft) else { return Ok(None) };
    let name = hidden_name(number);
    database.execute(
        "update studies set name = ?2, state = ?3, plan = ?4 where number = ?1",
        &[vec![number.into(), name.as_str().into(), NOT_COUNTING.into(), no_plan()]],
    )?;
    Ok(Some(number))
}

/// Inserts the runs that the store does not contain. Returns the numbers of all `runs`.
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

/// The page may have been inserted already, by a transaction whose outcome was unknown.
fn add_members(
    database: &mut Database,
    study: StudyNumber,
    first: i64,
    runs: &[RunSpec],
    numbers: &[RunNumber],
) -> Result<(), StoreError> {
    let members = (first..).zip(runs).zip(numbers).map(|((position, run), &number)| {
        let (project, label) = (run.project_name.as_str(), run.algorithm.label.as_str());
        vec![study.into(), position.into(), number.into(), project.into(), label.into()]
    });
    database.execute(
        "insert into members (study, position, run, project, label)
         values (?1, ?2, ?3, ?4, ?5) on conflict (study, position) do nothing",
        &members.collect::<Vec<_>>(),
    )
}

fn next_number(database: &mut Database, largest: &'static str) -> Result<u32, StoreError> {
    let largest = database.first(largest, &[], Row::optional_integer)?.flatten();
    let next = largest.map_or(0, |largest| largest + 1);
    u32::try_from(next).map_err(|_| StoreError::Damaged("too many rows".to_owned()))
}
