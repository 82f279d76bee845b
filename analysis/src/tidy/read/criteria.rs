//! Coverage of runs by criterion.

use polars_arrow::array::StaticArray as _;

use crate::tidy::slice::Slice;
use crate::tidy::table::read_slices;
use crate::tidy::{Error, Results};

impl Results {
    /// The names of all criteria in the order of the runs, each with the coverage of every run under it; `None` for
    /// runs that do not have it or are not done. The first one is that of `runs`. Empty for imported results.
    ///
    /// # Errors
    /// [`Error`] if the tables cannot be read.
    pub fn criteria(&self) -> Result<Vec<(String, Vec<Option<f64>>)>, Error> {
        let known = self.numbers();
        let mut found: Vec<(String, Vec<Option<f64>>)> = Vec::new();
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
}
