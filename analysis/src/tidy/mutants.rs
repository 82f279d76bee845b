//! Mutants of runs with mutation analysis.

use super::read::Source;
use super::slice::{Interner, Slice};
use super::table::read_slices;
use super::{Error, Results};

/// A mutant of the project of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mutant {
    /// Index into [`Results::runs`].
    pub run: u32,
    /// Index into [`Mutants::operators`].
    pub operator: u32,
    /// Whether a test killed the mutant.
    pub killed: bool,
}

/// The mutants of a study.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mutants {
    /// Names of mutation operators, in the order of their first mutant.
    pub operators: Vec<String>,
    /// Mutants in the order of the tables.
    pub mutants: Vec<Mutant>,
}

impl Results {
    /// Reads `mutants.parquet` of each folder that contains this file.
    ///
    /// # Errors
    /// [`Error`] if a table cannot be read or names an unknown run.
    pub fn mutants(&self) -> Result<Mutants, Error> {
        let known = self.numbers();
        let mut operators = Interner::default();
        let mut mutants = Vec::new();
        let mut first = 0;
        for Source { dir, end, .. } in self.sources() {
            let path = dir.join("mutants.parquet");
            if path.exists() {
                read_slices(&path, &["run", "operator", "outcome"], |batch| {
                    let slice = Slice { batch, path: &path };
                    let (ids, names) = (slice.text("run")?, slice.text("operator")?);
                    let outcomes = slice.text("outcome")?;
                    for row in 0..batch.len() {
                        let id = slice.value("run", ids.get(row))?;
                        let run = match known.get(&slice.digest(id)?) {
                            Some(run) => *run,
                            None if self.is_selection() => continue,
                            None => return Err(slice.cell("run", id.to_owned())),
                        };
                        // If several folders contain a run, the first folder is used.
                        if (first..*end).contains(&(run as usize)) {
                            let name = slice.value("operator", names.get(row))?;
                            let outcome = slice.value("outcome", outcomes.get(row))?;
                            let operator = operators.index(name.to_owned());
                            mutants.push(Mutant { run, operator, killed: outcome == "killed" });
                        }
                    }
                    Ok(())
                })?;
            }
            first = *end;
        }
        Ok(Mutants { operators: operators.items, mutants })
    }
}
