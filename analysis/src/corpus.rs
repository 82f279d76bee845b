//! Figures of a corpus, from the tables that describe it.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::figure::{Svg, bars, grouped, histogram};
use crate::stats::{Description, mean};

/// Greatest number of features that are shown.
const MAX_FEATURES: usize = 30;

/// Why the figures of a corpus could not be drawn.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A table is missing or malformed.
    #[error("cannot read {}: {source}", path.display())]
    Table {
        /// The file.
        path: PathBuf,
        /// Its cause.
        source: csv::Error,
    },
    /// A figure cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Its cause.
        source: std::io::Error,
    },
}

/// Draws `sizes.svg` from `projects.csv` (column `reachable`) and `opcodes.svg` from `opcodes.csv`
/// in the same folder; returns the paths of the figures.
///
/// # Errors
/// See [`Error`].
pub fn draw(folder: &Path) -> Result<[PathBuf; 2], Error> {
    #[derive(Deserialize)]
    struct Project {
        reachable: u64,
    }
    let projects: Vec<Project> = read(&folder.join("projects.csv"))?;
    let sizes: Vec<u64> = projects.iter().map(|project| project.reachable).collect();
    let sizes = draw_sizes("Reachable statements of a project", &sizes);
    let opcodes = draw_features("opcodes", &read(&folder.join("opcodes.csv"))?, projects.len());
    Ok([write(folder.join("sizes.svg"), &sizes)?, write(folder.join("opcodes.svg"), &opcodes)?])
}

/// A row of `opcodes.csv`, in the order of the table.
#[derive(Clone, Debug, Deserialize)]
struct Feature {
    #[serde(rename = "opcode")]
    name: String,
    /// Number of projects that use it.
    projects: u64,
}

fn read<T: for<'de> Deserialize<'de>>(path: &Path) -> Result<Vec<T>, Error> {
    let error = |source| Error::Table { path: path.to_owned(), source };
    let mut table = csv::Reader::from_path(path).map_err(error)?;
    table.deserialize().collect::<Result<_, _>>().map_err(error)
}

fn write(path: PathBuf, svg: &Svg) -> Result<PathBuf, Error> {
    match fs::write(&path, svg.as_str()) {
        Ok(()) => Ok(path),
        Err(source) => Err(Error::Io { path, source }),
    }
}

/// Numbers of projects by size, on a logarithmic scale (Whisker paper, figure 11). `measure` is
/// the title of the axis.
fn draw_sizes(measure: &str, sizes: &[u64]) -> Svg {
    let positive: Vec<f64> = sizes.iter().filter(|&&n| n > 0).map(|&n| n as f64).collect();
    let largest = positive.iter().copied().fold(0.0, f64::max);
    let mean = mean(sizes.iter().map(|&n| n as f64)).unwrap_or(0.0);
    let mut subtitle = format!("n = {}, mean {mean:.1}, largest {}", sizes.len(), grouped(largest));
    let empty = sizes.len() - positive.len();
    if empty > 0 {
        subtitle += &format!("; {empty} of size 0 are not shown");
    }
    let all: Vec<f64> = sizes.iter().map(|&n| n as f64).collect();
    let median = Description::of(&all).ok().map(|d| d.median).filter(|&median| median > 0.0);
    histogram::draw(measure, "Projects", &positive, true, median, &subtitle)
}

/// Shares of projects that use the most common features, in the order of the table.
fn draw_features(noun: &str, features: &[Feature], projects: usize) -> Svg {
    let shown = &features[..features.len().min(MAX_FEATURES)];
    let share = |feature: &Feature| 100.0 * feature.projects as f64 / projects.max(1) as f64;
    let bars: Vec<(String, f64)> =
        shown.iter().map(|feature| (feature.name.clone(), share(feature))).collect();
    let subtitle = format!("n = {projects} projects; {} of {} {noun}", shown.len(), features.len());
    bars::percentages("Projects that use it (%)", &bars, &subtitle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_project_is_in_a_bar_or_in_the_subtitle() {
        let svg = draw_sizes("Size", &[0, 1, 1, 9, 10, 30, 30, 999, 1000]);
        let svg = svg.as_str();
        assert!(svg.contains("n = 9, mean 231.1, largest 1000; 1 of size 0"), "{svg}");
        assert!(svg.contains("median 10") && svg.contains(">300<"), "{svg}");
        let none = draw_sizes("Size", &[]);
        assert!(!none.as_str().contains("NaN") && !none.as_str().contains("inf"), "{none:?}");
    }

    #[test]
    fn common_features_are_at_the_top() {
        let row = |name: &str, projects| Feature { name: name.to_owned(), projects };
        let svg = draw_features("opcodes", &[row("control_wait", 3), row("a<b", 1)], 4);
        let svg = svg.as_str();
        assert!(svg.contains(">control_wait<") && svg.contains(">75<"), "{svg}");
        assert!(svg.contains("a&lt;b") && svg.contains("2 of 2 opcodes"), "{svg}");
        assert!(!draw_features("opcodes", &[], 0).as_str().contains("NaN"));
    }
}
