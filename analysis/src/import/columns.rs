//! Any CSV file with a row for each run, by the names of its columns.

use std::collections::BTreeMap;
use std::path::Path;

use catherd_experiments::Outcome;

use super::row::{Header, Row, records};
use super::{Coverage, Draft, Format, ImportError};

/// What a column can be: the fields of a run that a file may have.
pub const FIELDS: [&str; 13] = [
    "project",
    "algorithm",
    "seed",
    "goals",
    "covered",
    "coverage",
    "executions",
    "search_ms",
    "wall_ms",
    "suite_tests",
    "suite_events",
    "minimised_events",
    "outcome",
];

/// Files with a row for each run.
#[derive(Clone, Debug, Default)]
pub struct Columns {
    /// The tool that made the runs.
    pub engine: String,
    /// The column of each of [`FIELDS`] that is not called like its field.
    pub names: BTreeMap<String, String>,
    /// The label of all runs, instead of a column.
    pub algorithm: Option<String>,
    /// Whether coverage is in percent.
    pub percent: bool,
}

impl Format for Columns {
    fn engine(&self) -> String {
        self.engine.clone()
    }

    fn read(
        &self,
        path: &Path,
        each: &mut dyn FnMut(Draft) -> Result<(), ImportError>,
    ) -> Result<(), ImportError> {
        let mut header = None;
        records(path, true, |line, fields| match &header {
            None => {
                let new = Header::rigid(path, line, fields)?;
                let missing = |column: &str| {
                    let (path, column) = (path.to_owned(), column.to_owned());
                    ImportError::Column { path, column }
                };
                if let Some(column) = self.names.values().find(|column| !new.has(column)) {
                    return Err(missing(column));
                }
                let has = |field| new.has(self.column(field));
                if !(has("coverage") || has("covered") && has("goals")) {
                    return Err(missing(self.column("coverage")));
                }
                header = Some(new);
                Ok(())
            }
            Some(header) => each(self.draft(&header.row(path, line, fields)?)?),
        })
    }
}

impl Columns {
    fn column<'a>(&'a self, field: &'a str) -> &'a str {
        self.names.get(field).map_or(field, String::as_str)
    }

    fn draft(&self, row: &Row) -> Result<Draft, ImportError> {
        let algorithm = match &self.algorithm {
            Some(label) => label.clone(),
            None => row.needed(self.column("algorithm"))?,
        };
        let count = |field| row.count(self.column(field));
        let small = |field| row.small(self.column(field));
        let mut draft = Draft {
            project: row.needed(self.column("project"))?,
            algorithm,
            seed: count("seed")?,
            outcome: self.outcome(row)?,
            coverage: self.coverage(row)?,
            executions: count("executions")?,
            search_ms: count("search_ms")?,
            wall_ms: count("wall_ms")?,
            suite_tests: small("suite_tests")?,
            suite_events: small("suite_events")?,
            minimised_events: small("minimised_events")?,
            text: row.fields.join(","),
            line: row.line,
            ..Draft::default()
        };
        draft.reason = draft.outcome.map(|_| "as the file says".to_owned());
        let fields = FIELDS.map(|field| self.column(field));
        for name in row.header.names.iter().filter(|name| !fields.contains(&name.as_str())) {
            if let Ok(Some(number)) = row.number(name) {
                draft.counts.insert(name.clone(), number);
            }
        }
        Ok(draft)
    }

    /// Counts come first; a share is only believed where there are none.
    fn coverage(&self, row: &Row) -> Result<Option<Coverage>, ImportError> {
        let goals = row.small(self.column("goals"))?;
        if let (Some(goals), Some(covered)) = (goals, row.small(self.column("covered"))?) {
            if covered > goals {
                let (column, found) = (self.column("covered"), covered.to_string());
                return Err(row.wrong(column, &found, "at most the number of goals"));
            }
            return Ok(Some(Coverage { goals, covered }));
        }
        let column = self.column("coverage");
        let Some(found) = row.number(column)? else { return Ok(None) };
        let printed = row.text(column).unwrap_or_default();
        let share = if self.percent { found / 100.0 } else { found };
        if !(0.0..=1.0).contains(&share) {
            let expected = if self.percent { "a share of 0 to 100" } else { "a share of 0 to 1" };
            return Err(row.wrong(column, printed, expected));
        }
        // Two of the digits of a percentage stand before its point.
        let digits = if self.percent { format!("{printed}00") } else { printed.to_owned() };
        let digits = match digits.split_once('.') {
            None if self.percent => format!("0.{digits}"),
            _ => digits,
        };
        Ok(Some(Coverage::from_share(share, &digits, goals)))
    }

    fn outcome(&self, row: &Row) -> Result<Option<Outcome>, ImportError> {
        let column = self.column("outcome");
        let Some(text) = row.text(column) else { return Ok(None) };
        let outcome = serde_json::from_value(serde_json::Value::from(text));
        outcome.map(Some).map_err(|_| {
            row.wrong(column, text, "done, no-goals, failed, timed-out or out-of-memory")
        })
    }
}
