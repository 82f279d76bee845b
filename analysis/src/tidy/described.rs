//! What the projects of a study are like, as `catherd dataset describe` says.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use super::Error;
use super::read::Project;

/// The table's name in a folder of results, and in that of a description.
pub(super) const FILE: &str = "projects.csv";

/// What a folder of results says of its projects; nothing, if it has no such table.
pub(super) fn of(dir: &Path) -> Result<Described, Error> {
    let mut described = Described::default();
    let path = dir.join(FILE);
    if path.exists() {
        described.read(&path)?;
    }
    Ok(described)
}

/// Columns that hold the digest of a project's bytes.
const DIGESTS: [&str; 2] = ["sha256", "project_digest"];

/// Numbers of projects by name.
#[derive(Clone, Debug, Default)]
pub(super) struct Described {
    digests: HashMap<String, BTreeMap<String, f64>>,
    /// Of projects that only their name tells apart.
    names: HashMap<String, BTreeMap<String, f64>>,
}

impl Described {
    /// Adds a table: a row a project, with its name in the column `project` or its digest in
    /// `sha256`; every other column that holds numbers is a measure. What is known already
    /// stays.
    pub(super) fn read(&mut self, path: &Path) -> Result<(), Error> {
        let error = |e: csv::Error| Error::Io { path: path.to_owned(), source: e.into() };
        let mut table = csv::Reader::from_path(path).map_err(error)?;
        let columns = table.headers().map_err(error)?.clone();
        for row in table.records() {
            let row = row.map_err(error)?;
            let cells = || columns.iter().zip(&row);
            let of = |names: &[&str]| {
                cells().find(|(column, cell)| names.contains(column) && !cell.is_empty())
            };
            let numbers = cells().filter_map(|(column, cell)| {
                let number = cell.parse().ok().filter(|number: &f64| number.is_finite())?;
                Some((column.to_owned(), number))
            });
            if let Some((_, digest)) = of(&DIGESTS) {
                self.digests.entry(digest.to_owned()).or_insert_with(|| numbers.clone().collect());
            }
            if let Some((_, name)) = of(&["project"]) {
                self.names.entry(name.to_owned()).or_insert_with(|| numbers.collect());
            }
        }
        Ok(())
    }

    /// A measure of a project. One without a digest, as of imported runs, goes by its name.
    pub(super) fn measure(&self, project: &Project, name: &str) -> Option<f64> {
        let known = if project.digest.is_empty() {
            self.names.get(&project.name)
        } else {
            self.digests.get(&project.digest)
        };
        known?.get(name).copied()
    }
}
