//! Figures of a corpus, drawn from the tables that describe it.

use std::fs;
use std::path::{Path, PathBuf};

use catherd_experiments::{Measure, Noun};

use crate::figure::{Series, Svg, bars, grouped, histogram};
use crate::stats::{Description, mean};
use crate::terms::counted;

const MAX_FEATURES: usize = 30;

/// Why the figures of a corpus cannot be drawn.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A table cannot be read.
    #[error("cannot read {}: {cause}", path.display())]
    Table {
        /// The file.
        path: PathBuf,
        /// Cause of the error.
        cause: csv::Error,
    },
    /// A table does not have this column.
    #[error("cannot read {}: missing column `{column}`", path.display())]
    Column {
        /// The file.
        path: PathBuf,
        /// The name of the column.
        column: String,
    },
    /// A value is not a non-negative integer that fits in 64 bits.
    #[error("cannot read {}: column `{column}` has `{value}`, expected a whole number", path.display())]
    Number {
        /// The file.
        path: PathBuf,
        /// The name of the column.
        column: String,
        /// The value.
        value: String,
    },
    /// A figure cannot be written.
    #[error("cannot write {}: {cause}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Cause of the error.
        cause: std::io::Error,
    },
}

/// The columns of the tables from which the figures of a corpus are drawn.
#[derive(Clone, Debug)]
pub struct Tables {
    /// The column of `projects.csv` with the size of a project.
    pub size: Measure,
    /// The features that projects use. The plural is the name of the table and of the figure, and
    /// the singular is the name of the column with the names of features. The column `projects`
    /// contains the number of projects with a feature.
    pub feature: Noun,
}

/// Draws a figure of the sizes of projects and a figure of features, in the folder of their tables.
/// Returns the paths of the figures.
///
/// # Errors
/// [`Error`] if a table cannot be read or a figure cannot be written.
pub fn draw(folder: &Path, tables: &Tables) -> Result<[PathBuf; 2], Error> {
    let Tables { size, feature } = tables;
    let sizes = Column::read(&folder.join("projects.csv"), &size.column)?.numbers()?;
    let table = folder.join(&feature.plural).with_extension("csv");
    let names = Column::read(&table, &feature.singular)?.values;
    let users = Column::read(&table, "projects")?.numbers()?;
    let features: Vec<(String, u64)> = names.into_iter().zip(users).collect();
    let figure = folder.join(&feature.plural).with_extension("svg");
    Ok([
        write(folder.join("sizes.svg"), &draw_sizes(&size.caption, &sizes))?,
        write(figure, &draw_features(&feature.plural, &features, sizes.len()))?,
    ])
}

struct Column<'a> {
    path: &'a Path,
    name: &'a str,
    values: Vec<String>,
}

impl<'a> Column<'a> {
    fn read(path: &'a Path, name: &'a str) -> Result<Column<'a>, Error> {
        let error = |cause| Error::Table { path: path.to_owned(), cause };
        let mut table = csv::Reader::from_path(path).map_err(error)?;
        let index = table.headers().map_err(error)?.iter().position(|column| column == name);
        let index = index
            .ok_or_else(|| Error::Column { path: path.to_owned(), column: name.to_owned() })?;
        let value = |row: csv::StringRecord| row.get(index).unwrap_or_default().to_owned();
        let values = table.records().map(|row| row.map(value)).collect::<Result<_, _>>();
        Ok(Column { path, name, values: values.map_err(error)? })
    }

    fn numbers(&self) -> Result<Vec<u64>, Error> {
        let number = |value: &String| {
            value.parse().map_err(|_| Error::Number {
                path: self.path.to_owned(),
                column: self.name.to_owned(),
                value: value.clone(),
            })
        };
        self.values.iter().map(number).collect()
    }
}

fn write(path: PathBuf, svg: &Svg) -> Result<PathBuf, Error> {
    match fs::write(&path, svg.as_str()) {
        Ok(()) => Ok(path),
        Err(cause) => Err(Error::Io { path, cause }),
    }
}

/// Like figure 11 of the Whisker paper.
fn draw_sizes(measure: &str, sizes: &[u64]) -> Svg {
    let positive: Vec<f64> = sizes.iter().filter(|&&n| n > 0).map(|&n| n as f64).collect();
    let largest = positive.iter().copied().fold(0.0, f64::max);
    let mean = mean(sizes.iter().map(|&n| n as f64)).unwrap_or(0.0);
    let mut subtitle = format!("n = {}, mean {mean:.1}, largest {}", sizes.len(), grouped(largest));
    let empty = sizes.len() - positive.len();
    if empty > 0 {
        subtitle += &format!("; not shown: {empty} of size 0");
    }
    let all: Vec<f64> = sizes.iter().map(|&n| n as f64).collect();
    let median = Description::of(&all).ok().map(|d| d.median).filter(|&median| median > 0.0);
    histogram::draw(measure, "Projects", &positive, true, Series::Other(1), median, &subtitle)
}

fn draw_features(noun: &str, features: &[(String, u64)], projects: usize) -> Svg {
    let shown = &features[..features.len().min(MAX_FEATURES)];
    let share = |users: u64| 100.0 * users as f64 / projects.max(1) as f64;
    let bars: Vec<(String, f64)> =
        shown.iter().map(|(name, users)| (name.clone(), share(*users))).collect();
    let n = counted(projects, "project");
    let subtitle = format!("n = {n}; {} of {} {noun}", shown.len(), features.len());
    bars::percentages("Projects that use the feature (%)", &bars, &subtitle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_project_is_in_a_bar_or_in_the_subtitle() {
        let svg = draw_sizes("Size", &[0, 1, 1, 9, 10, 30, 30, 999, 1000]);
        let svg = svg.as_str();
        assert!(svg.contains("n = 9, mean 231.1, largest 1000; not shown: 1 of size 0"), "{svg}");
        assert!(svg.contains("median 10") && svg.contains(">300<"), "{svg}");
        let none = draw_sizes("Size", &[]);
        assert!(!none.as_str().contains("NaN") && !none.as_str().contains("inf"), "{none:?}");
    }

    #[test]
    fn common_features_are_at_the_top() {
        let rows = [("control_wait", 3), ("a<b", 1)].map(|(name, n)| (name.to_owned(), n));
        let svg = draw_features("opcodes", &rows, 4);
        let svg = svg.as_str();
        assert!(svg.contains(">control_wait<") && svg.contains(">75<"), "{svg}");
        assert!(svg.contains("a&lt;b") && svg.contains("2 of 2 opcodes"), "{svg}");
        assert!(!draw_features("opcodes", &[], 0).as_str().contains("NaN"));
    }

    #[test]
    fn malformed_tables_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let tables =
            Tables { size: Measure::new("lines", "Lines"), feature: Noun::new("call", "calls") };
        let refusal = |text: &str| {
            fs::write(folder.path().join("projects.csv"), text).unwrap();
            draw(folder.path(), &tables).unwrap_err().to_string()
        };
        assert!(refusal("project\na\n").ends_with("missing column `lines`"));
        assert!(refusal("lines\nfew\n").contains("column `lines` has `few`"));
        assert!(refusal("lines\n3\n").contains("calls.csv"));
        fs::write(folder.path().join("calls.csv"), "call,projects\nmain,1\n").unwrap();
        let [sizes, calls] = draw(folder.path(), &tables).unwrap();
        assert!(sizes.ends_with("sizes.svg") && calls.ends_with("calls.svg"));
    }
}
