//! Further numbers of runs and projects, by name.

use std::collections::HashMap;

use crate::tidy::slice::Slice;
use crate::tidy::table::read_slices;
use crate::tidy::{Error, Results, Run};

impl Results {
    /// A number of each run: `goals`, a metric of the run, or else a measure of its project;
    /// `None` for runs that have none of them.
    ///
    /// # Errors
    /// [`Error`] if the tables cannot be read.
    pub fn measure(&self, name: &str) -> Result<Vec<Option<f64>>, Error> {
        Ok(self.measures(&[name])?.pop().unwrap_or_default())
    }

    /// As [`Results::measure`], for several names.
    ///
    /// # Errors
    /// [`Error`] if the tables cannot be read.
    pub fn measures(&self, names: &[&str]) -> Result<Vec<Vec<Option<f64>>>, Error> {
        let of_runs = |&name: &&str| {
            let described = |project| self.described().measure(project, name);
            let projects: Vec<Option<f64>> = self.projects.iter().map(described).collect();
            let of = |run: &Run| match name {
                "goals" => run.size().map(f64::from),
                _ => projects[run.project as usize],
            };
            self.runs.iter().map(of).collect()
        };
        let mut measures: Vec<Vec<Option<f64>>> = names.iter().map(of_runs).collect();
        let known = self.numbers();
        for source in self.sources() {
            let path = source.dir.join("runs.parquet");
            let column = source.names.metrics;
            read_slices(&path, &["run", column], |frame| {
                let slice = Slice { frame, path: &path };
                let (ids, texts) = (slice.text("run")?, slice.text(column)?);
                for row in 0..frame.height() {
                    let id = slice.digest(slice.value("run", ids.get(row))?)?;
                    let text = texts.get(row).unwrap_or("{}");
                    let metrics: HashMap<String, f64> = serde_json::from_str(text)
                        .map_err(|_| slice.cell(column, text.to_owned()))?;
                    let Some(&run) = known.get(&id) else { continue };
                    for (name, values) in names.iter().zip(&mut measures) {
                        values[run as usize] = metrics.get(*name).copied().or(values[run as usize]);
                    }
                }
                Ok(())
            })?;
        }
        Ok(measures)
    }
}
