//! CSV files with a row for each run, whose columns are mapped by name.

use std::collections::BTreeMap;
use std::path::Path;

use catherd_experiments::RunOutcome;

use super::row::{Header, Row, records};
use super::{Coverage, Format, ImportError, RawRun};

/// The fields of a run to which columns can be mapped.
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

/// CSV files with a row for each run.
#[derive(Clone, Debug, Default)]
pub struct Columns {
    /// Name of the tool that executed the runs.
    pub engine: String,
    /// Names of columns by field of [`FIELDS`]. A field without an entry is read from the column
    /// with the same name.
    pub names: BTreeMap<String, String>,
    /// Label of all runs; `None` to read the column of the field `algorithm`.
    pub algorithm: Option<String>,
    /// Whether the coverage in the files is in percent.
    pub percent: bool,
}

impl Format for Columns {
    fn engine(&self) -> String {
        self.engine.clone()
    }

    fn read(
        &self,
        path: &Path,
        each: &mut dyn FnMut(RawRun) -> Result<(), ImportError>,
    ) -> Result<(), ImportError> {
        let mut header = None;
        records(path, true, |line, fields| match &header {
            None => {
                let new = Header::strict(path, line, fields)?;
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
            Some(header) => each(self.raw_run(&header.row(path, line, fields)?)?),
        })
    }
}

impl Columns {
    fn column<'a>(&'a self, field: &'a str) -> &'a str {
        self.names.get(field).map_or(field, String::as_str)
    }

    fn raw_run(&self, row: &Row) -> Result<RawRun, ImportError> {
        let algorithm = match &self.algorithm {
            Some(label) => label.clone(),
            None => row.required(self.column("algorithm"))?,
        };
        let count = |field| row.u64(self.column(field));
        let small = |field| row.u32(self.column(field));
        let mut raw = RawRun {
            project: row.required(self.column("project"))?,
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
            ..RawRun::default()
        };
        raw.reason = raw.outcome.map(|_| "as in the imported file".to_owned());
        let fields = FIELDS.map(|field| self.column(field));
        for name in row.header.names.iter().filter(|name| !fields.contains(&name.as_str())) {
            if let Ok(Some(number)) = row.f64(name) {
                raw.counts.insert(name.clone(), number);
            }
        }
        Ok(raw)
    }

    fn coverage(&self, row: &Row) -> Result<Option<Coverage>, ImportError> {
        let goals = row.u32(self.column("goals"))?;
        if let (Some(goals), Some(covered)) = (goals, row.u32(self.column("covered"))?) {
            if covered > goals {
                let (column, found) = (self.column("covered"), covered.to_string());
                return Err(row.invalid(column, &found, "at most the number of goals"));
            }
            return Ok(Some(Coverage { goals, covered }));
        }
        let column = self.column("coverage");
        let Some(found) = row.f64(column)? else { return Ok(None) };
        let printed = row.text(column).unwrap_or_default();
        let share = if self.percent { found / 100.0 } else { found };
        if !(0.0..=1.0).contains(&share) {
            let expected =
                if self.percent { "a percentage from 0 to 100" } else { "a share from 0 to 1" };
            return Err(row.invalid(column, printed, expected));
        }
        // A share has two more decimals than its percentage.
        let digits = if self.percent { format!("{printed}00") } else { printed.to_owned() };
        let digits = match digits.split_once('.') {
            None if self.percent => format!("0.{digits}"),
            _ => digits,
        };
        Ok(Some(Coverage::from_share(share, &digits, goals)))
    }

    fn outcome(&self, row: &Row) -> Result<Option<RunOutcome>, ImportError> {
        let column = self.column("outcome");
        let Some(text) = row.text(column) else { return Ok(None) };
        let outcome = serde_json::from_value(serde_json::Value::from(text));
        outcome.map(Some).map_err(|_| {
            row.invalid(column, text, "done, no-goals, failed, timed-out or out-of-memory")
        })
    }
}
