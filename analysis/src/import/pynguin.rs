//! Pynguin's `statistics.csv`, with a row for each run and a column for each output variable.

use std::path::Path;

use super::row::{Header, Row, records};
use super::{Coverage, Format, ImportError, RawRun, improvements};

/// The file format of Pynguin.
#[derive(Clone, Debug, Default)]
pub struct Pynguin {
    /// Label of all runs; `None` to use the column `ConfigurationId` or `Algorithm`.
    pub algorithm: Option<String>,
    /// Milliseconds between the columns of a timeline. `None` to read the interval from
    /// `pynguin-config.toml` next to the file, with a default of one second.
    pub interval: Option<u64>,
}

/// In milliseconds.
const INTERVAL: u64 = 1_000;

const CONFIGURATION: &str = "pynguin-config.toml";

fn configured_interval(path: &Path) -> Option<u64> {
    let text = std::fs::read_to_string(path.with_file_name(CONFIGURATION)).ok()?;
    let setting = |line: &str| {
        let (key, value) = line.split_once('=')?;
        (key.trim() == "timeline_interval").then(|| value.trim().parse::<u64>().ok())?
    };
    let nanoseconds = text.lines().find_map(setting)?;
    Some(nanoseconds / 1_000_000).filter(|interval| *interval > 0)
}

impl Format for Pynguin {
    fn engine(&self) -> String {
        "pynguin".to_owned()
    }

    fn read(
        &self,
        path: &Path,
        each: &mut dyn FnMut(RawRun) -> Result<(), ImportError>,
    ) -> Result<(), ImportError> {
        let mut header: Option<Header> = None;
        let interval = self.interval.or_else(|| configured_interval(path)).unwrap_or(INTERVAL);
        records(path, true, |line, fields| match &header {
            Some(header) if fields[..] != header.names[..] => {
                each(self.raw_run(&header.row(path, line, fields)?, interval)?)
            }
            // Concatenated files repeat the header.
            Some(_) => Ok(()),
            None => {
                header = Some(Header::strict(path, line, fields)?);
                Ok(())
            }
        })
    }
}

impl Pynguin {
    fn raw_run(&self, row: &Row, interval: u64) -> Result<RawRun, ImportError> {
        let label = ["ConfigurationId", "Algorithm"].iter().find_map(|column| row.text(column));
        let algorithm = match (&self.algorithm, label) {
            (Some(label), _) => label.clone(),
            (None, Some(label)) => label.to_owned(),
            (None, None) => row.required("ConfigurationId")?,
        };
        let goals = row.u32("Goals")?;
        // `Coverage`, the mean over all criteria, is used only in rows without `BranchCoverage`.
        let coverage = ["BranchCoverage", "Coverage"]
            .into_iter()
            .find_map(|column| Some((column, row.text(column)?.to_owned())));
        let coverage = match coverage {
            Some((column, text)) => match row.f64(column)? {
                Some(share) if (0.0..=1.0).contains(&share) => {
                    Some(Coverage::from_share(share, &text, goals))
                }
                _ => return Err(row.invalid(column, &text, "a share from 0 to 1")),
            },
            None => None,
        };
        let mut raw = RawRun {
            project: row.required("TargetModule")?,
            algorithm,
            seed: row.u64("RandomSeed")?,
            coverage,
            search_ms: nanoseconds(row.f64("SearchTime")?),
            wall_ms: nanoseconds(row.f64("TotalTime")?),
            suite_tests: row.u32("Size")?,
            suite_events: row.u32("Length")?,
            text: row.fields.join(","),
            line: row.line,
            ..RawRun::default()
        };
        let mut points = Vec::new();
        for name in &row.header.names {
            if let Some(index) = name.strip_prefix("CoverageTimeline_T") {
                let index =
                    index.parse::<u64>().map_err(|_| row.invalid(name, name, "a number"))?;
                let share = row.f64(name)?;
                let share = share.zip(coverage);
                raw.interpolated |= share.is_some_and(|(share, goals)| goals.is_between(share));
                points.push((index * interval, share.map(|(share, goals)| goals.at(share))));
            } else if let Ok(Some(number)) = row.f64(name) {
                raw.counts.insert(name.clone(), number);
            }
        }
        let end = points.iter().filter(|point| point.1.is_some()).map(|point| point.0).max();
        raw.search_ms = raw.search_ms.or(end);
        raw.timeline = improvements(points.into_iter());
        for (name, columns) in
            [("lines", ["LineNos", "Lines"]), ("mccabe", ["McCabeAST", "McCabeCodeObject"])]
        {
            if let Some(value) = columns.iter().find_map(|column| measure(row.text(column)?)) {
                raw.counts.insert(name.to_owned(), value);
            }
        }
        Ok(raw)
    }
}

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

/// Converts a time in nanoseconds to milliseconds. Old versions of Pynguin wrote seconds, which are
/// recognised by their size.
fn nanoseconds(time: Option<f64>) -> Option<u64> {
    const SMALLEST: f64 = 1e8;
    time.filter(|&t| t >= 0.0)
        .map(|t| if t >= SMALLEST { t / 1e6 } else { t * 1e3 })
        .map(|ms| ms.round() as u64)
}
