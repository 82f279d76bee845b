//! Queries that the writing and the reading connection share.

use super::database::Database;
use super::error::StoreError;
use super::model::{StoredStudy, StudyState};
use crate::ids::StudyNumber;
use crate::ledger::Phase;

/// All studies, by number.
pub(super) fn studies(database: &mut Database) -> Result<Vec<StoredStudy>, StoreError> {
    let mut studies = Vec::new();
    let sql = "select number, name, state, plan from studies order by number";
    database.query(sql, &[], &mut |mut row| {
        let (number, name) = (row.integer_as()?, row.text()?);
        let state: usize = row.integer_as()?;
        let unknown = || StoreError::Damaged(format!("a study in state {state}"));
        let state = *StudyState::ALL.get(state).ok_or_else(unknown)?;
        studies.push(StoredStudy { number, name, state, plan: row.bytes()? });
        Ok(())
    })?;
    Ok(studies)
}

/// Sum and number of the coverages of the runs that are done and have goals, for `study` or for
/// each study.
pub(super) fn coverage(
    database: &mut Database,
    study: Option<StudyNumber>,
) -> Result<Vec<(StudyNumber, f64, u64)>, StoreError> {
    let sql = "select study, sum(cast(covered as double precision) / goals), count(*)
               from members join records on records.number = members.run
               where study between ?1 and ?2 and done = 1 and goals > 0
               group by study order by study";
    let mut all = Vec::new();
    let (first, last) = study.map_or((0, StudyNumber::MAX), |study| (study, study));
    database.query(sql, &[first.into(), last.into()], &mut |mut row| {
        all.push((row.integer_as()?, row.real()?, row.integer_as()?));
        Ok(())
    })?;
    Ok(all)
}

/// The phase of a number in the column `phase`.
pub(super) fn phase(number: i64) -> Result<Phase, StoreError> {
    let known = Phase::ALL.into_iter().find(|phase| *phase as i64 == number);
    known.ok_or_else(|| StoreError::Damaged(format!("a run in phase {number}")))
}
