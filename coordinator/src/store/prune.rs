//! Pruning: removes results and projects that no study needs any more.

use std::time::SystemTime;

use super::database::Database;
use super::error::StoreError;
use super::row::{Row, Value};
use super::write::Store;

/// Marks, with phase 6, the runs whose results are to be removed. This phase exists only within the
/// transaction.
const MARKED: &str = "
    update runs set phase = 6 where phase in (3, 4, 5)
    and not exists (select 1 from members where members.run = runs.number)
    and not exists (select 1 from records where records.number = runs.number and stored >= ?1)";

const REMOVAL: [&str; 6] = [
    "delete from records where number in (select number from runs where phase = 6)",
    "delete from superseded where number in (select number from runs where phase = 6)",
    "delete from breakdowns where number in (select number from runs where phase = 6)",
    "update runs set phase = 1, crashes = 0, losses = 0, worker = null where phase = 6",
    "delete from projects where digest not in
         (select runs.project from runs join members on members.run = runs.number)",
    "delete from parts where project not in (select digest from projects)",
];

/// What was removed from a store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// Number of runs whose results were removed.
    pub runs: u64,
    /// Number of projects that were removed.
    pub projects: u64,
}

/// The current time in seconds since 1970.
pub(super) fn now() -> i64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    now.map_or(0, |now| i64::try_from(now.as_secs()).unwrap_or(i64::MAX))
}

impl Store {
    /// Removes results and projects that no study needs, except results with a record that was
    /// stored at or after the time `before`, in seconds since 1970. The runs remain in the store,
    /// because their tokens must not be granted again.
    ///
    /// # Errors
    ///
    /// If the database returns an error.
    pub fn prune(&mut self, before: i64) -> Result<Pruned, StoreError> {
        while self.clear_page()? {}
        let pruned = self.database.transaction(|database| {
            let projects = count(database, "select count(*) from projects")?;
            database.execute(MARKED, &[vec![Value::Integer(before)]])?;
            let runs = count(database, "select count(*) from runs where phase = 6")?;
            for sql in REMOVAL {
                database.execute(sql, &[Vec::new()])?;
            }
            let left = count(database, "select count(*) from projects")?;
            Ok(Pruned { runs, projects: projects - left })
        })?;
        self.database.batch("vacuum")?;
        Ok(pruned)
    }
}

fn count(database: &mut Database, sql: &'static str) -> Result<u64, StoreError> {
    Ok(database.first(sql, &[], Row::integer_as)?.unwrap_or(0))
}
