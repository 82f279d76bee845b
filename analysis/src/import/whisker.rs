//! CSV files of test generation with `whisker-main`, with a row for each run. The named columns are
//! followed by the counts of goals covered after each second, so rows differ in length.

use std::path::Path;

use super::row::{Header, Row, records};
use super::{Coverage, Format, ImportError, RawRun, improvements};

/// The file format of Whisker.
#[derive(Clone, Debug, Default)]
pub struct Whisker {
    /// Label of all runs; `None` to use the column `configName`.
    pub algorithm: Option<String>,
}

const PROJECT: &str = "projectName";
const ALGORITHM: &str = "configName";
const GOALS: &str = "fitnessFunctionCount";
const COVERED: &str = "coveredFitnessFunctionCount";

/// Strings that JavaScript writes for a missing number.
const NO_NUMBERS: [&str; 3] = ["null", "undefined", "NaN"];

impl Format for Whisker {
    fn engine(&self) -> String {
        "whisker".to_owned()
    }

    fn read(
        &self,
        path: &Path,
        each: &mut dyn FnMut(RawRun) -> Result<(), ImportError>,
    ) -> Result<(), ImportError> {
        let mut header = None;
        records(path, false, |line, fields| {
            // Concatenated files contain headers between rows.
            if fields.first().is_some_and(|first| first.trim() == PROJECT) {
                let new = Header::new(fields);
                for column in [GOALS, COVERED] {
                    if !new.has(column) {
                        let (path, column) = (path.to_owned(), column.to_owned());
                        return Err(ImportError::Column { path, column });
                    }
                }
                header = Some(new);
                return Ok(());
            }
            let Some(header) = &header else {
                return Err(ImportError::Csv {
                    path: path.to_owned(),
                    line,
                    problem: format!("the first line does not begin with `{PROJECT}`"),
                });
            };
            let fields = with_joined_name(header, fields);
            each(self.raw_run(&Row { path, line, header, fields: &fields })?)
        })
    }
}

impl Whisker {
    fn raw_run(&self, row: &Row) -> Result<RawRun, ImportError> {
        let algorithm = match &self.algorithm {
            Some(label) => label.clone(),
            None => row.required(ALGORITHM)?,
        };
        let coverage = match (row.u32(GOALS)?, row.u32(COVERED)?) {
            (Some(goals), Some(covered)) if covered <= goals => Some(Coverage { goals, covered }),
            (Some(_), Some(covered)) => {
                return Err(row.invalid(
                    COVERED,
                    &covered.to_string(),
                    "at most the number of goals",
                ));
            }
            _ => None,
        };
        let mut raw = RawRun {
            project: row.required(PROJECT)?.trim_matches('"').to_owned(),
            algorithm: algorithm.trim_matches('"').to_owned(),
            seed: row.u64("seed")?,
            coverage,
            executions: row.u64("executedTests")?,
            suite_tests: row.u32("bestTestSuiteSize")?,
            // Whisker counts the wait after each event as another event.
            suite_events: row.u32("testsuiteEventCount")?.map(|events| events / 2),
            minimised_events: row.u32("minimizedEvents")?,
            text: row.fields.join(","),
            line: row.line,
            ..RawRun::default()
        };
        let mut points = Vec::new();
        for name in &row.header.names {
            if let Ok(at) = name.parse::<u64>() {
                points.push((at, row.u32(name)?));
            } else if let Ok(Some(number)) = row.f64(name) {
                raw.counts.insert(name.clone(), number);
            }
        }
        let end = points.iter().filter(|point| point.1.is_some()).map(|point| point.0).max();
        raw.timeline = improvements(points.into_iter());
        raw.search_ms = end;
        if let Some(Coverage { goals, covered }) = coverage {
            if covered == goals {
                raw.executions_to_full = row.u64("createdTestsToReachFullCoverage")?;
                let full = row.f64("timeToReachFullCoverage")?.map(|ms| ms.round() as u64);
                raw.search_ms = full.or(end);
            }
            // The timeline has no column for the last fraction of a second, so the final coverage
            // is added.
            let seen = raw.timeline.last().map_or(0, |last| last.1);
            if let Some(end) = raw.search_ms.filter(|_| covered > seen) {
                let last = raw.timeline.last().map_or(0, |last| last.0);
                raw.timeline.push((end.max(last), covered));
            }
        }
        Ok(raw)
    }
}

/// Joins the parts of a project name that contains commas, which Whisker does not quote. The name
/// ends at the first field after which all fields fit their columns.
fn with_joined_name(header: &Header, fields: &[String]) -> Vec<String> {
    let is_number = |text: &str| text.is_empty() || text.parse::<f64>().is_ok();
    let fits = |more: &usize| {
        header.names.iter().enumerate().skip(1).all(|(column, name)| {
            // Only columns of the timeline may be missing.
            match fields.get(column + more).map(|field| field.trim()) {
                Some(field) if name == ALGORITHM => !is_number(field),
                Some(field) => is_number(field) || NO_NUMBERS.contains(&field),
                None => name.parse::<u64>().is_ok(),
            }
        })
    };
    let more = (0..fields.len()).find(fits).unwrap_or(0);
    let mut joined = vec![fields[..=more].join(",")];
    joined.extend_from_slice(&fields[more + 1..]);
    joined
}
