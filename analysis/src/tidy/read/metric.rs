//! Metrics of runs and measures of projects by name, and configurations of algorithms.

use std::collections::{BTreeMap, HashMap};

use catherd_experiments::{Algorithm, Digest, Parameter};

use crate::tidy::slice::Slice;
use crate::tidy::table::read_slices;
use crate::tidy::{Error, Results, Run, plan};

impl Results {
    /// A number for each run: the metric with this name, otherwise the number of goals for `goals`,
    /// or the measure of the project.
    ///
    /// # Errors
    /// [`Error`] if the tables cannot be read.
    pub fn measure(&self, name: &str) -> Result<Vec<Option<f64>>, Error> {
        Ok(self.measures(&[name])?.pop().unwrap_or_default())
    }

    /// Like [`Results::measure`], for several names.
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
        self.each_run(|run, metrics| {
            for (name, values) in names.iter().zip(&mut measures) {
                values[run] = metrics.get(*name).copied().or(values[run]);
            }
        })?;
        Ok(measures)
    }

    /// The requested metrics by name, each with the number for every run.
    ///
    /// # Errors
    /// [`Error`] if the tables cannot be read.
    pub fn metrics(
        &self,
        wanted: impl Fn(&str) -> bool,
    ) -> Result<BTreeMap<String, Vec<Option<f64>>>, Error> {
        let mut found: BTreeMap<String, Vec<Option<f64>>> = BTreeMap::new();
        let runs = self.runs.len();
        self.each_run(|run, metrics| {
            for (name, value) in metrics.into_iter().filter(|(name, _)| wanted(name)) {
                found.entry(name).or_insert_with(|| vec![None; runs])[run] = Some(value);
            }
        })?;
        Ok(found)
    }

    /// Calls `visit` with the index and the metrics of each run, once for each folder that contains
    /// the run.
    fn each_run(&self, mut visit: impl FnMut(usize, HashMap<String, f64>)) -> Result<(), Error> {
        let known: HashMap<Digest, u32> = self.numbers();
        for source in self.sources() {
            let path = source.dir.join("runs.parquet");
            let column = source.names.metrics;
            read_slices(&path, &["run", column], |batch| {
                let slice = Slice { batch, path: &path };
                let (ids, strings) = (slice.text("run")?, slice.text(column)?);
                for row in 0..batch.len() {
                    let id = slice.digest(slice.value("run", ids.get(row))?)?;
                    let text = strings.get(row).unwrap_or("{}");
                    let metrics = serde_json::from_str(text)
                        .map_err(|_| slice.cell(column, text.to_owned()))?;
                    if let Some(&run) = known.get(&id) {
                        visit(run as usize, metrics);
                    }
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    /// The configuration of each algorithm, in the order of [`Results::algorithms`].
    ///
    /// # Errors
    /// [`Error`] if a plan cannot be read.
    pub fn configurations(&self) -> Result<Vec<Option<Algorithm>>, Error> {
        let mut known: HashMap<String, Algorithm> = HashMap::new();
        for source in self.sources() {
            if let Some(plan) = plan::read(&source.dir)? {
                for algorithm in plan.algorithms {
                    let label = source.planned_label(&algorithm.label).to_owned();
                    known.entry(label).or_insert(algorithm);
                }
            }
        }
        let labels = self.algorithms.iter().zip(&self.planned_labels);
        let found = labels.map(|(shown, label)| {
            let found = known.remove(label)?;
            Some(Algorithm { label: shown.clone(), ..found })
        });
        Ok(found.collect())
    }

    /// The group of a project according to its description.
    pub fn group(&self, project: usize) -> Option<&str> {
        self.described().group(self.projects.get(project)?)
    }

    /// The parameters of each algorithm, in the order of [`Results::algorithms`].
    ///
    /// # Errors
    /// [`Error`] if a plan cannot be read.
    pub fn parameters(&self) -> Result<Vec<BTreeMap<String, Parameter>>, Error> {
        let all = self.configurations()?.into_iter();
        Ok(all.map(|one| one.map(|one| one.parameters).unwrap_or_default()).collect())
    }
}
