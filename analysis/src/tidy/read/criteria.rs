//! Coverage of runs by criterion.

use std::collections::BTreeMap;

use polars_arrow::array::StaticArray as _;

use crate::tidy::slice::Slice;
use crate::tidy::table::read_slices;
use crate::tidy::{Clock, Error, Improvement, Results};

/// The name of a criterion, and the coverage of each run under it.
pub type CriterionCoverage = (String, Vec<Option<f64>>);

/// Improvements by the name of their criterion, each with the number of goals of the criterion.
pub type CriteriaImprovements = BTreeMap<String, Vec<(Improvement, u32)>>;

impl Results {
    /// The names of all criteria in the order of the runs, each with the coverage of every run
    /// under the criterion.
    ///
    /// # Errors
    /// [`Error`] if the tables cannot be read.
    pub fn criteria(&self) -> Result<Vec<CriterionCoverage>, Error> {
        let known = self.numbers();
        let mut found: Vec<CriterionCoverage> = Vec::new();
        for source in self.sources() {
            let path = source.dir.join("criteria.parquet");
            if !path.exists() {
                continue;
            }
            read_slices(&path, &["run", "criterion", "coverage"], |batch| {
                let slice = Slice { batch, path: &path };
                let (ids, names) = (slice.text("run")?, slice.text("criterion")?);
                let shares = slice.f64("coverage")?;
                for row in 0..batch.len() {
                    let id = slice.digest(slice.value("run", ids.get(row))?)?;
                    let Some(&run) = known.get(&id) else { continue };
                    let name = slice.value("criterion", names.get(row))?;
                    let at = found.iter().position(|one| one.0 == name).unwrap_or_else(|| {
                        found.push((name.to_owned(), vec![None; self.runs.len()]));
                        found.len() - 1
                    });
                    let value = &mut found[at].1[run as usize];
                    *value = value.or(shares.get(row));
                }
                Ok(())
            })?;
        }
        Ok(found)
    }

    /// The improvements under the criteria after the first, in the form of
    /// [`Results::improvements`].
    ///
    /// # Errors
    /// [`Error`] if the tables cannot be read.
    pub fn criteria_improvements(&self, clock: &Clock) -> Result<CriteriaImprovements, Error> {
        let known = self.numbers();
        let mut found = CriteriaImprovements::new();
        let mut first = 0;
        let column = clock.column();
        for source in self.sources() {
            let begin = std::mem::replace(&mut first, source.end);
            let path = source.dir.join("criteria-timeline.parquet");
            let counted = matches!(clock, Clock::Wall) || source.subject.unit(column).is_some();
            if !path.exists() || !counted {
                continue;
            }
            read_slices(&path, &["run", "criterion", column, "covered", "goals"], |batch| {
                let slice = Slice { batch, path: &path };
                let (ids, names) = (slice.text("run")?, slice.text("criterion")?);
                let (at, covered) = (slice.u64(column)?, slice.u32("covered")?);
                let goals = slice.u32("goals")?;
                for row in 0..batch.len() {
                    let id = slice.digest(slice.value("run", ids.get(row))?)?;
                    let run = known.get(&id).copied();
                    // If several folders contain a run, the first folder is used.
                    let own = run.filter(|run| (begin..source.end).contains(&(*run as usize)));
                    let (Some(run), Some(at)) = (own, at.get(row)) else { continue };
                    let name = slice.value("criterion", names.get(row))?;
                    let covered = slice.value("covered", covered.get(row))?;
                    let goals = slice.value("goals", goals.get(row))?;
                    let points = found.entry(name.to_owned()).or_default();
                    points.push((Improvement { run, at, covered }, goals));
                }
                Ok(())
            })?;
        }
        Ok(found)
    }
}
