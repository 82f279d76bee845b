//! Pynguin's `statistics.csv`: one row a run, one column an output variable; which ones
//! there are is a setting of the tool.

use std::path::Path;

use super::row::{Header, Row, records};
use super::{Coverage, Draft, Format, ImportError, improvements};

/// The files of Pynguin.
#[derive(Clone, Debug, Default)]
pub struct Pynguin {
    /// The label of all runs, instead of the file's `ConfigurationId`.
    pub algorithm: Option<String>,
}

/// Milliseconds between the columns of a timeline, unless the tool is told otherwise.
const INTERVAL: u64 = 1_000;

impl Format for Pynguin {
    fn engine(&self) -> String {
        "pynguin".to_owned()
    }

    fn read(
        &self,
        path: &Path,
        each: &mut dyn FnMut(Draft) -> Result<(), ImportError>,
    ) -> Result<(), ImportError> {
        let mut header: Option<Header> = None;
        records(path, true, |line, fields| match &header {
            Some(header) if fields[..] != header.names[..] => {
                each(self.draft(&header.row(path, line, fields)?)?)
            }
            // Files that were put together repeat it.
            Some(_) => Ok(()),
            None => {
                header = Some(Header::rigid(path, line, fields)?);
                Ok(())
            }
        })
    }
}

impl Pynguin {
    fn draft(&self, row: &Row) -> Result<Draft, ImportError> {
        let label = ["ConfigurationId", "Algorithm"].iter().find_map(|column| row.text(column));
        let algorithm = match (&self.algorithm, label) {
            (Some(label), _) => label.clone(),
            (None, Some(label)) => label.to_owned(),
            (None, None) => row.needed("ConfigurationId")?,
        };
        let goals = row.small("Goals")?;
        // Coverage is the mean over all criteria, of which there usually is one.
        let coverage = ["BranchCoverage", "Coverage"]
            .into_iter()
            .find_map(|column| Some((column, row.text(column)?.to_owned())));
        let coverage = match coverage {
            Some((column, text)) => match row.number(column)? {
                Some(share) if (0.0..=1.0).contains(&share) => {
                    Some(Coverage::from_share(share, &text, goals))
                }
                _ => return Err(row.wrong(column, &text, "a share of 0 to 1")),
            },
            None => None,
        };
        let mut draft = Draft {
            project: row.needed("TargetModule")?,
            algorithm,
            seed: row.count("RandomSeed")?,
            coverage,
            search_ms: nanoseconds(row.number("SearchTime")?),
            wall_ms: nanoseconds(row.number("TotalTime")?),
            suite_tests: row.small("Size")?,
            suite_events: row.small("Length")?,
            text: row.fields.join(","),
            line: row.line,
            ..Draft::default()
        };
        let mut points = Vec::new();
        for name in &row.header.names {
            if let Some(place) = name.strip_prefix("CoverageTimeline_T") {
                let place = place.parse::<u64>().map_err(|_| row.wrong(name, name, "a number"))?;
                let share = row.number(name)?;
                points.push((place * INTERVAL, share.zip(coverage).map(|(s, c)| c.at(s))));
            } else if let Ok(Some(number)) = row.number(name) {
                draft.counts.insert(name.clone(), number);
            }
        }
        let end = points.iter().filter(|point| point.1.is_some()).map(|point| point.0).max();
        draft.search_ms = draft.search_ms.or(end);
        draft.timeline = improvements(points.into_iter());
        for (name, columns) in
            [("lines", ["LineNos", "Lines"]), ("mccabe", ["McCabeAST", "McCabeCodeObject"])]
        {
            if let Some(value) = columns.iter().find_map(|column| measure(row.text(column)?)) {
                draft.counts.insert(name.to_owned(), value);
            }
        }
        Ok(draft)
    }
}

/// A number, or the mean of a distribution in JSON.
fn measure(text: &str) -> Option<f64> {
    let value: serde_json::Value = serde_json::from_str(text).ok()?;
    match value {
        serde_json::Value::Array(values) => {
            let numbers: Option<Vec<f64>> = values.iter().map(serde_json::Value::as_f64).collect();
            crate::stats::mean(numbers?)
        }
        serde_json::Value::Object(fields) => fields.get("mean")?.as_f64(),
        number => number.as_f64(),
    }
}

/// Times are in nanoseconds; old versions wrote seconds, which are far smaller numbers.
fn nanoseconds(time: Option<f64>) -> Option<u64> {
    const SMALLEST: f64 = 1e8;
    time.filter(|&t| t >= 0.0)
        .map(|t| if t >= SMALLEST { t / 1e6 } else { t * 1e3 })
        .map(|ms| ms.round() as u64)
}
