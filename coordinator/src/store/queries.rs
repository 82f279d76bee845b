//! Queries that the writing and the reading connection share.

use super::database::Database;
use super::error::StoreError;
use super::model::{Claim, StoredStudy, StudyState};
use crate::ids::StudyNumber;
use crate::ledger::Phase;

/// The state of hidden studies: studies that are being planned, were replaced or were deleted.
/// Every other state is smaller.
pub(super) const NOT_COUNTING: i64 = 3;

pub(super) fn study_state(number: i64) -> Result<StudyState, StoreError> {
    let known = StudyState::ALL.into_iter().find(|state| *state as i64 == number);
    known.ok_or_else(|| StoreError::Damaged(format!("a study in state {number}")))
}

/// All studies except hidden ones, by number. Before version 5 of the schema, studies had neither
/// owners nor claims.
pub(super) fn studies(
    database: &mut Database,
    version: i64,
) -> Result<Vec<StoredStudy>, StoreError> {
    let mut studies = Vec::new();
    let sql = if version < 5 {
        "select number, name, state, plan, cast('' as text), cast(0 as bigint),
                cast(1 as bigint), cast(null as bigint)
         from studies where state < 3 order by number"
    } else {
        "select number, name, state, plan, owner, priority, share, quota from studies
         where state < 3 order by number"
    };
    database.query(sql, &[], &mut |mut row| {
        let (number, name) = (row.integer_as()?, row.text()?);
        let state = study_state(row.integer()?)?;
        let (plan, owner) = (row.bytes()?, row.text()?);
        let (priority, share) = (row.integer_as()?, row.integer_as::<u32>()?.max(1));
        let quota = row.optional_integer()?.and_then(|quota| u32::try_from(quota).ok());
        let claim = Claim { priority, share, quota };
        studies.push(StoredStudy { number, name, state, plan, owner, claim });
        Ok(())
    })?;
    Ok(studies)
}

/// Sum and number of the coverages of the runs that are done, for `study` or for each study.
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

pub(super) fn phase(number: i64) -> Result<Phase, StoreError> {
    let known = Phase::ALL.into_iter().find(|phase| *phase as i64 == number);
    known.ok_or_else(|| StoreError::Damaged(format!("a run in phase {number}")))
}
