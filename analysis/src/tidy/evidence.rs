//! Evidence about items of faulty systems: `risk.csv`, which is made from the artifacts `risk.csv`
//! of runs.

use std::collections::BTreeMap;
use std::path::Path;

use catherd_experiments::text::printable;
use catherd_experiments::{Digest, RunRecord, RunSpec};
use serde::{Deserialize, Serialize};

use super::{Error, Results};

/// Name of the table, and of the artifact of runs from which the table is made.
const FILE: &str = "risk.csv";

/// The tests that cover an item, in all runs of an algorithm on a project, counted at the end of
/// each run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ItemEvidence {
    /// Name of the project.
    pub project: String,
    /// Digest of the project's bytes.
    pub project_digest: String,
    /// Label of the algorithm.
    pub algorithm: String,
    /// Name of the item.
    pub item: String,
    /// Number of runs in which a test covers the item.
    pub runs: u64,
    /// Number of tests that cover the item and failed.
    pub failed: f64,
    /// Number of tests that cover the item and passed.
    pub passed: f64,
}

/// A row of the artifact: the estimate for an item after a number of tests.
#[derive(Deserialize)]
struct Row {
    tests: u64,
    item: String,
    alpha: f64,
    beta: f64,
}

/// The evidence by index and item, and the project and the label of the algorithm at each index.
#[derive(Default)]
pub(super) struct Evidence(BTreeMap<(usize, String), ItemEvidence>, Vec<(Digest, String)>);

impl Evidence {
    pub(super) fn add(&mut self, spec: &RunSpec, record: &RunRecord) {
        let Some(text) = record.artifacts.get(FILE) else { return };
        let rows = csv::Reader::from_reader(text.as_bytes()).into_deserialize();
        let rows: Vec<Row> = rows.filter_map(Result::ok).collect();
        let Some(last) = rows.iter().map(|row| row.tests).max() else { return };
        let key = (spec.project, spec.algorithm.label.clone());
        let number = self.1.iter().position(|known| *known == key).unwrap_or_else(|| {
            self.1.push(key);
            self.1.len() - 1
        });
        for row in rows.into_iter().filter(|row| row.tests == last) {
            let (failed, passed) = (row.alpha - 1.0, row.beta - 1.0);
            let one =
                self.0.entry((number, row.item)).or_insert_with_key(|(_, item)| ItemEvidence {
                    project: printable(&spec.project_name).into_owned(),
                    project_digest: spec.project.to_string(),
                    algorithm: printable(&spec.algorithm.label).into_owned(),
                    item: printable(item).into_owned(),
                    runs: 0,
                    failed: 0.0,
                    passed: 0.0,
                });
            one.runs += u64::from(failed + passed > 0.0);
            one.failed += failed;
            one.passed += passed;
        }
    }

    pub(super) fn write(&self, folder: &Path) -> Result<(), Error> {
        if self.0.is_empty() {
            return Ok(());
        }
        let path = folder.join(FILE);
        let write = || -> csv::Result<()> {
            let mut file = csv::Writer::from_path(&path)?;
            self.0.values().try_for_each(|one| file.serialize(one))?;
            Ok(file.flush()?)
        };
        write().map_err(|cause| Error::Description { path: path.clone(), cause })
    }
}

impl Results {
    /// Reads `risk.csv` of each folder that contains this file.
    ///
    /// # Errors
    /// [`Error::Description`] if a table cannot be read or is malformed.
    pub fn evidence(&self) -> Result<Vec<ItemEvidence>, Error> {
        let mut all = Vec::new();
        for source in self.sources() {
            let path = source.dir.join(FILE);
            if path.exists() {
                let broken = |cause| Error::Description { path: path.clone(), cause };
                let mut table = csv::Reader::from_path(&path).map_err(broken)?;
                for row in table.deserialize() {
                    all.push(row.map_err(broken)?);
                }
            }
        }
        Ok(all)
    }
}
