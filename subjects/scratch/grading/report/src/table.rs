//! The table of many projects in CSV (RFC 4180), with one row for each project.

use std::fmt;

use crate::report::{Audience, ProjectReport, Status, SuiteReport};

/// Columns before the columns of the tests.
const FIRST: [&str; 3] = ["project", "digest", "status"];
/// Columns after the columns of the tests.
const LAST: [&str; 13] = [
    "passed",
    "failed",
    "error",
    "skip",
    "points",
    "of",
    "percentage",
    "messages",
    "covered_blocks",
    "total_blocks",
    "steps",
    "limits",
    "inputs",
];

/// Error for a cell or row that cannot be written.
#[derive(Debug)]
pub struct TableError(csv::Error);

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the table cannot be written: {}", self.0)
    }
}

impl std::error::Error for TableError {}

/// A table that is written row by row. The header has a column for each test, so rows of unusable
/// projects are held back until the first project has been executed.
#[derive(Clone, Debug, Default)]
pub struct Table {
    columns: Option<Vec<String>>,
    held: Vec<(String, String)>,
}

impl Table {
    /// Continues a table whose header was written earlier, for appending rows to a file. `None` if
    /// the record is not the header of such a table.
    pub fn resumed<'a>(header: impl IntoIterator<Item = &'a str>) -> Option<Table> {
        let header: Vec<String> = header.into_iter().map(str::to_owned).collect();
        let tests = header.len().checked_sub(FIRST.len() + LAST.len())?;
        let fits = header.starts_with(&FIRST.map(String::from))
            && header.ends_with(&LAST.map(String::from));
        fits.then(|| Table {
            columns: Some(header[FIRST.len()..FIRST.len() + tests].to_vec()),
            held: Vec::new(),
        })
    }

    /// The lines that a project adds to the table.
    ///
    /// # Errors
    /// If the row cannot be written.
    pub fn row(&mut self, report: &ProjectReport) -> Result<String, TableError> {
        let report = match (report, &self.columns) {
            (ProjectReport::Unusable { project, reason }, Some(columns)) => {
                return text(&[unusable(project, reason, columns.len())]);
            }
            (ProjectReport::Unusable { project, reason }, None) => {
                self.held.push((project.clone(), reason.clone()));
                return Ok(String::new());
            }
            (ProjectReport::Executed(report), _) => report,
        };
        let mut rows = Vec::new();
        let columns = match &mut self.columns {
            Some(columns) => columns,
            None => {
                let columns = columns_of(report);
                rows.extend(header(&columns, &mut self.held));
                self.columns.insert(columns)
            }
        };
        rows.push(row(report, columns));
        text(&rows)
    }

    /// The lines at the end of the table, which are needed if no project was executed.
    ///
    /// # Errors
    /// If a row cannot be written.
    pub fn end(&mut self) -> Result<String, TableError> {
        if self.columns.is_some() {
            return Ok(String::new());
        }
        self.columns = Some(Vec::new());
        text(&header(&[], &mut self.held))
    }
}

/// The names of the tests; all except the first of equal names get numbers.
fn columns_of(report: &SuiteReport) -> Vec<String> {
    let mut columns: Vec<String> = Vec::new();
    for at in 0..report.tests.len() {
        let name = report.path(at).join(" / ");
        let taken = |name: &String| columns.contains(name);
        let other = |n: u32| format!("{name} ({n})");
        let free = if taken(&name) { (2..).map(other).find(|name| !taken(name)) } else { None };
        columns.push(free.unwrap_or(name));
    }
    columns
}

fn header(columns: &[String], held: &mut Vec<(String, String)>) -> Vec<Vec<String>> {
    let first = FIRST.iter().map(|name| (*name).to_owned());
    let last = LAST.iter().map(|name| (*name).to_owned());
    let mut rows = vec![first.chain(columns.iter().cloned()).chain(last).collect()];
    let held = std::mem::take(held);
    rows.extend(held.iter().map(|(project, reason)| unusable(project, reason, columns.len())));
    rows
}

fn unusable(project: &str, reason: &str, tests: usize) -> Vec<String> {
    let mut row = vec![project.to_owned(), String::new(), reason.to_owned()];
    row.resize(FIRST.len() + tests + LAST.len(), String::new());
    row
}

fn row(report: &SuiteReport, columns: &[String]) -> Vec<String> {
    let mut row = vec![report.project.clone(), report.digest.clone(), "executed".to_owned()];
    // The cells of tests that were not reached on this project remain empty.
    let mut statuses: Vec<Option<Status>> = vec![None; columns.len()];
    for (name, test) in columns_of(report).iter().zip(&report.tests) {
        if let Some(at) = columns.iter().position(|column| column == name) {
            statuses[at] = Some(test.status);
        }
    }
    row.extend(statuses.iter().map(|status| status.map_or("", Status::name).to_owned()));
    let tally = report.tally();
    row.extend([tally.pass, tally.fail, tally.error, tally.skip].map(|count| count.to_string()));
    row.extend(marks(report));
    let (covered, total) = report.coverage.map(|c| (c.covered, c.total)).unzip();
    row.extend(
        [covered, total].map(|n: Option<usize>| n.map(|n| n.to_string()).unwrap_or_default()),
    );
    row.push(report.steps().to_string());
    row.push(report.limits().iter().map(|limit| limit.name()).collect::<Vec<_>>().join(" "));
    row.push(report.inputs.clone());
    row
}

/// Points, maximum points, percentage with one decimal, and messages about tests that failed or
/// ended with an error. Each test that was not skipped is worth one point.
fn marks(report: &SuiteReport) -> [String; 4] {
    let tally = report.tally();
    let most = tally.pass + tally.fail + tally.error;
    let percentage = match most {
        0 => String::new(),
        most => format!("{:.1}", 100.0 * tally.pass as f64 / most as f64),
    };
    let wrong = report
        .tests
        .iter()
        .enumerate()
        .filter(|(_, test)| matches!(test.status, Status::Fail | Status::Error));
    let message = |(at, test): (usize, &crate::report::TestReport)| {
        let name = report.path(at).join(" / ");
        let pupil = test.feedback.iter().filter(|one| one.audience == Audience::Pupil);
        let texts = std::iter::once(&test.message).chain(pupil.map(|one| &one.text));
        let texts: Vec<&str> = texts.map(String::as_str).filter(|text| !text.is_empty()).collect();
        if texts.is_empty() { name } else { format!("{name}: {}", texts.join(", ")) }
    };
    let messages: Vec<String> = wrong.map(message).collect();
    [tally.pass.to_string(), most.to_string(), percentage, messages.join("; ")]
}

fn text(rows: &[Vec<String>]) -> Result<String, TableError> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        writer.write_record(row).map_err(TableError)?;
    }
    let bytes = writer.into_inner().map_err(|error| TableError(error.into_error().into()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{TestReport, samples};

    fn unusable() -> ProjectReport {
        ProjectReport::Unusable { project: "0.sb3".to_owned(), reason: "no, zip".to_owned() }
    }

    #[test]
    fn rows_wait_for_the_header_and_names_are_quoted() {
        let mut table = Table::default();
        assert_eq!(table.row(&unusable()).unwrap(), "");
        let text = table.row(&ProjectReport::Executed(samples::report())).unwrap();
        let rows: Vec<csv::StringRecord> = csv::ReaderBuilder::new()
            .has_headers(false)
            .from_reader(text.as_bytes())
            .records()
            .collect::<Result<_, _>>()
            .unwrap();
        assert_eq!(rows.len(), 3);
        assert_eq!(&rows[0][4], "Cat / walks / moves, \"far\"\nok 3");
        assert_eq!((&rows[1][2], &rows[2][2]), ("no, zip", "executed"));
        let statuses: Vec<_> = rows[2].iter().skip(3).take(8).collect();
        assert_eq!(statuses, ["pass", "fail", "error", "skip", "1", "1", "1", "1"]);
        assert_eq!((&rows[2][11], &rows[2][12], &rows[2][13]), ("1", "3", "33.3"));
        assert!(!rows[2][14].is_empty() && rows[2][14].contains(": "), "{}", &rows[2][14]);
        assert_eq!((&rows[2][17], &rows[2][18], &rows[2][19]), ("45", "time", "ab12"));
        assert_eq!(table.end().unwrap(), "");
        let mut resumed = Table::resumed(rows[0].iter()).unwrap();
        assert_eq!(resumed.row(&unusable()).unwrap(), table.row(&unusable()).unwrap());
        assert!(Table::resumed(["project", "status"]).is_none());
    }

    #[test]
    fn a_table_without_executed_projects_has_a_header() {
        let mut table = Table::default();
        table.row(&unusable()).unwrap();
        let text = table.end().unwrap();
        assert!(text.starts_with("project,digest,status,passed,"), "{text}");
        assert!(text.contains("0.sb3,,\"no, zip\",,"), "{text}");
    }

    #[test]
    fn tests_keep_their_columns_when_others_are_not_reached() {
        let mut all = samples::report();
        all.tests.push(TestReport::new(Some("starts".to_owned()), Status::Fail));
        let mut table = Table::default();
        let text = table.row(&ProjectReport::Executed(all)).unwrap();
        assert!(text.contains(",starts (2),"), "{text}");
        let mut few = samples::report();
        few.tests.remove(0);
        let text = table.row(&ProjectReport::Executed(few)).unwrap();
        assert!(text.starts_with("a.sb3,00ff,executed,,fail,"), "{text}");
    }
}
