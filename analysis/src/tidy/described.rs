//! Numbers about the projects of a study, and their groups, from `projects.csv`.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use super::Error;

/// A project of a study.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Project {
    /// Name in tables.
    pub name: String,
    /// Digest of the project's bytes, or an empty string if only the name is known.
    pub digest: String,
}

pub(super) const FILE: &str = "projects.csv";

pub(super) fn of(dir: &Path) -> Result<Described, Error> {
    let mut described = Described::default();
    let path = dir.join(FILE);
    if path.exists() {
        described.read(&path)?;
    }
    Ok(described)
}

const DIGESTS: [&str; 2] = ["sha256", "project_digest"];

const NAME: &str = "project";

const GROUP: &str = "group";

#[derive(Clone, Debug, Default)]
pub(super) struct Described {
    digests: HashMap<String, BTreeMap<String, f64>>,
    /// Values by project name, for projects without a known digest.
    names: HashMap<String, BTreeMap<String, f64>>,
    groups: HashMap<String, String>,
}

impl Described {
    /// Projects that are already known keep their numbers.
    pub(super) fn read(&mut self, path: &Path) -> Result<(), Error> {
        let error = |cause| Error::Description { path: path.to_owned(), cause };
        let mut table = csv::Reader::from_path(path).map_err(error)?;
        let columns = table.headers().map_err(error)?.clone();
        if !columns.iter().any(|column| column == NAME || DIGESTS.contains(&column)) {
            return Err(Error::Nameless { path: path.to_owned() });
        }
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
            if let Some((_, group)) = of(&[GROUP]) {
                for (_, key) in [of(&DIGESTS), of(&[NAME])].into_iter().flatten() {
                    self.groups.entry(key.to_owned()).or_insert_with(|| group.to_owned());
                }
            }
            if let Some((_, digest)) = of(&DIGESTS) {
                self.digests.entry(digest.to_owned()).or_insert_with(|| numbers.clone().collect());
            }
            if let Some((_, name)) = of(&[NAME]) {
                self.names.entry(name.to_owned()).or_insert_with(|| numbers.collect());
            }
        }
        Ok(())
    }

    pub(super) fn group(&self, project: &Project) -> Option<&str> {
        let key = if project.digest.is_empty() { &project.name } else { &project.digest };
        self.groups.get(key).map(String::as_str)
    }

    /// Projects without a digest, such as projects of imported runs, are found by name.
    pub(super) fn measure(&self, project: &Project, name: &str) -> Option<f64> {
        let known = if project.digest.is_empty() {
            self.names.get(&project.name)
        } else {
            self.digests.get(&project.digest)
        };
        known?.get(name).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Described, Error> {
        let place = tempfile::tempdir().unwrap();
        std::fs::write(place.path().join(FILE), text).unwrap();
        of(place.path())
    }

    #[test]
    fn a_table_that_names_no_projects_is_refused() {
        let described = read("project,sha256,mccabe\ncat,00,1.5\n").unwrap();
        assert_eq!(described.digests["00"]["mccabe"], 1.5);
        for text in ["", "projekt,mccabe\ncat,1.5\n"] {
            assert!(matches!(read(text), Err(Error::Nameless { .. })), "{text:?}");
        }
        for text in ["project,mccabe\ncat\n", "project,mccabe\ncat,1,2\n"] {
            let error = read(text).unwrap_err();
            assert!(
                matches!(error, Error::Description { .. }) && error.to_string().contains("line: 2")
            );
        }
    }
}
