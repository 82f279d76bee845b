//! Numbers of runs that only some kinds of runs have.

use std::collections::HashMap;

use crate::tidy::slice::Slice;
use crate::tidy::table::read_slices;
use crate::tidy::{Error, Results, Run};

impl Results {
    /// A number of each run: `goals`, a further count by its name, or what its project is
    /// described with; none where there is none of them.
    ///
    /// # Errors
    /// [`Error`] if the tables cannot be read.
    pub fn measure(&self, name: &str) -> Result<Vec<Option<f64>>, Error> {
        let [measure] = self.measures([name])?;
        Ok(measure)
    }

    /// As [`Results::measure`], several at once.
    ///
    /// # Errors
    /// [`Error`] if the tables cannot be read.
    pub fn measures<const N: usize>(
        &self,
        names: [&str; N],
    ) -> Result<[Vec<Option<f64>>; N], Error> {
        let mut measures = names.map(|name| {
            let described = |project| self.described().measure(project, name);
            let projects: Vec<Option<f64>> = self.projects.iter().map(described).collect();
            let of = |run: &Run| match name {
                "goals" => run.size().map(f64::from),
                _ => projects[run.project as usize],
            };
            self.runs.iter().map(of).collect::<Vec<_>>()
        });
        let known = self.numbers();
        for (dir, _) in self.sources() {
            let path = dir.join("runs.parquet");
            read_slices(&path, &["run", "counts"], |frame| {
                let slice = Slice { frame, path: &path };
                let (ids, counts) = (slice.text("run")?, slice.text("counts")?);
                for row in 0..frame.height() {
                    let id = slice.digest(slice.value("run", ids.get(row))?)?;
                    let text = counts.get(row).unwrap_or("{}");
                    let counts: HashMap<String, f64> = serde_json::from_str(text)
                        .map_err(|_| slice.cell("counts", text.to_owned()))?;
                    let Some(&run) = known.get(&id) else { continue };
                    for (name, values) in names.iter().zip(&mut measures) {
                        values[run as usize] = counts.get(*name).copied().or(values[run as usize]);
                    }
                }
                Ok(())
            })?;
        }
        Ok(measures)
    }
}
