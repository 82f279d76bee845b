//! What `whisker-main` writes for each run of test generation.
//!
//! One row a run; behind the named columns stands the number of goals covered after 0, 1000,
//! 2000, ... milliseconds. Rows end when the run ended, so they differ in length, and so do
//! the headers of files that were put together. Fields are not quoted: a comma in the name
//! of a project makes a row longer, and is put back.

use std::path::Path;

use super::row::{Header, Row, records};
use super::{Coverage, Draft, Format, ImportError, improvements};

/// The files of Whisker.
#[derive(Clone, Debug, Default)]
pub struct Whisker {
    /// The label of all runs, instead of the file's `configName`.
    pub algorithm: Option<String>,
}

const PROJECT: &str = "projectName";
const ALGORITHM: &str = "configName";
const GOALS: &str = "fitnessFunctionCount";
const COVERED: &str = "coveredFitnessFunctionCount";

/// What JavaScript writes where there is no number.
const NO_NUMBERS: [&str; 3] = ["null", "undefined", "NaN"];

impl Format for Whisker {
    fn engine(&self) -> String {
        "whisker".to_owned()
    }

    fn read(
        &self,
        path: &Path,
        each: &mut dyn FnMut(Draft) -> Result<(), ImportError>,
    ) -> Result<(), ImportError> {
        let mut header = None;
        records(path, false, |line, fields| {
            // Files that were put together have their headers between the rows.
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
            let fields = mended(header, fields);
            each(self.draft(&Row { path, line, header, fields: &fields })?)
        })
    }
}

impl Whisker {
    fn draft(&self, row: &Row) -> Result<Draft, ImportError> {
        let algorithm = match &self.algorithm {
            Some(label) => label.clone(),
            None => row.needed(ALGORITHM)?,
        };
        let coverage = match (row.small(GOALS)?, row.small(COVERED)?) {
            (Some(goals), Some(covered)) if covered <= goals => Some(Coverage { goals, covered }),
            (Some(_), Some(covered)) => {
                return Err(row.wrong(
                    COVERED,
                    &covered.to_string(),
                    "at most the number of goals",
                ));
            }
            _ => None,
        };
        let mut draft = Draft {
            project: row.needed(PROJECT)?.trim_matches('"').to_owned(),
            algorithm: algorithm.trim_matches('"').to_owned(),
            seed: row.count("seed")?,
            coverage,
            executions: row.count("executedTests")?,
            suite_tests: row.small("bestTestSuiteSize")?,
            // Each event is followed by a wait, which Whisker counts as another.
            suite_events: row.small("testsuiteEventCount")?.map(|events| events / 2),
            minimised_events: row.small("minimizedEvents")?,
            text: row.fields.join(","),
            line: row.line,
            ..Draft::default()
        };
        let mut points = Vec::new();
        for name in &row.header.names {
            if let Ok(at) = name.parse::<u64>() {
                points.push((at, row.small(name)?));
            } else if let Ok(Some(number)) = row.number(name) {
                draft.counts.insert(name.clone(), number);
            }
        }
        let end = points.iter().filter(|point| point.1.is_some()).map(|point| point.0).max();
        draft.timeline = improvements(points.into_iter());
        draft.search_ms = end;
        if let Some(Coverage { goals, covered }) = coverage {
            if covered == goals {
                draft.executions_to_full = row.count("createdTestsToReachFullCoverage")?;
                let full = row.number("timeToReachFullCoverage")?.map(|ms| ms.round() as u64);
                draft.search_ms = full.or(end);
            }
            // The last second is not a column.
            let seen = draft.timeline.last().map_or(0, |last| last.1);
            if let Some(end) = draft.search_ms.filter(|_| covered > seen) {
                let last = draft.timeline.last().map_or(0, |last| last.0);
                draft.timeline.push((end.max(last), covered));
            }
        }
        Ok(draft)
    }
}

/// A row with the commas of its project's name put back: the shortest name behind which
/// the label is a word and everything else a number.
fn mended(header: &Header, fields: &[String]) -> Vec<String> {
    let numbers = |text: &str| text.is_empty() || text.parse::<f64>().is_ok();
    let fits = |more: &usize| {
        header.names.iter().enumerate().skip(1).all(|(place, name)| {
            // The columns of time may be missing, the others are there.
            match fields.get(place + more).map(|field| field.trim()) {
                Some(field) if name == ALGORITHM => !numbers(field),
                Some(field) => numbers(field) || NO_NUMBERS.contains(&field),
                None => name.parse::<u64>().is_ok(),
            }
        })
    };
    let more = (0..fields.len()).find(fits).unwrap_or(0);
    let mut mended = vec![fields[..=more].join(",")];
    mended.extend_from_slice(&fields[more + 1..]);
    mended
}
