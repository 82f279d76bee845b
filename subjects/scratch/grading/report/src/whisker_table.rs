//! The table in the format of Whisker, with one row for each project and without quotes.

use std::path::Path;

use crate::report::{ProjectReport, Status, SuiteReport};

/// Columns before the columns of the tests.
const FIRST: &str = "projectName,seed,assertions,generationAlgorithm";
/// Columns after the columns of the tests.
const LAST: &str = "passed,failed,error,skip,totalBlocks,coveredBlocks,coverage,duration";

/// Whisker's table, written row by row. Names are not quoted, so a comma in a name begins a new
/// column, as in the original. Rows of unusable projects contain only the name; they are kept until
/// the first project has been executed.
#[derive(Clone, Debug, Default)]
pub struct WhiskerTable {
    shifts: bool,
    tests: Option<usize>,
    held: Vec<String>,
}

impl WhiskerTable {
    /// Creates an empty table. If `shifts` is set, tests that the suite itself skips are not counted
    /// and have no cell, so later cells move to the left, as in the original.
    pub fn new(shifts: bool) -> WhiskerTable {
        WhiskerTable { shifts, ..WhiskerTable::default() }
    }

    /// The lines that a project adds to the table.
    pub fn row(&mut self, report: &ProjectReport) -> String {
        match report {
            ProjectReport::Unusable { project, .. } => match self.tests {
                Some(tests) => unusable(project, tests),
                None => {
                    self.held.push(project.clone());
                    String::new()
                }
            },
            ProjectReport::Executed(report) => {
                let mut text = String::new();
                if self.tests.is_none() {
                    let names =
                        report.tests.iter().map(|test| test.name.as_deref().unwrap_or("null"));
                    text = self.header(&names.map(line).collect::<Vec<_>>());
                }
                text + &self.executed(report)
            }
        }
    }

    /// The lines at the end of the table, which are needed if no project was executed.
    pub fn end(&mut self) -> String {
        if self.tests.is_some() { String::new() } else { self.header(&[]) }
    }

    fn header(&mut self, names: &[String]) -> String {
        self.tests = Some(names.len());
        let mut columns = vec![FIRST.to_owned()];
        columns.extend(names.iter().cloned());
        columns.push(LAST.to_owned());
        let held = std::mem::take(&mut self.held);
        let rows = held.iter().map(|project| unusable(project, names.len()));
        columns.join(",") + "\n" + &rows.collect::<String>()
    }

    fn executed(&self, report: &SuiteReport) -> String {
        let facts = &report.facts;
        let mut cells = vec![
            file_name(&report.project),
            facts.seed.clone(),
            facts.assertions.to_string(),
            facts.algorithm.as_deref().map_or_else(|| "None".to_owned(), line),
        ];
        let counted: Vec<Status> = report
            .tests
            .iter()
            .filter(|test| !(self.shifts && test.skipped_by_suite))
            .map(|test| test.status)
            .collect();
        cells.extend(counted.iter().map(|status| status.name().to_owned()));
        for status in Status::ALL {
            cells.push(counted.iter().filter(|other| **other == status).count().to_string());
        }
        let (covered, total) = report.coverage.map_or((0, 0), |c| (c.covered, c.total));
        cells.extend([total.to_string(), covered.to_string()]);
        let ratio = (covered as f64 / total as f64 * 100.0).round() / 100.0;
        cells.push(ratio.to_string());
        cells.push(format!("{:.3}", report.steps() as f64 / f64::from(report.steps_per_second)));
        cells.join(",") + "\n"
    }
}

fn unusable(project: &str, tests: usize) -> String {
    let columns = [FIRST, LAST].map(|part| part.split(',').count()).iter().sum::<usize>() + tests;
    file_name(project) + &",".repeat(columns - 1) + "\n"
}

fn file_name(project: &str) -> String {
    let name = Path::new(project).file_name();
    line(&name.map_or(project.into(), |name| name.to_string_lossy()))
}

fn line(text: &str) -> String {
    text.replace(char::is_control, " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::samples;

    #[test]
    fn rows_have_the_columns_of_the_original() {
        let unusable =
            ProjectReport::Unusable { project: "x/0.sb3".to_owned(), reason: "no zip".to_owned() };
        let mut table = WhiskerTable::new(false);
        assert_eq!(table.row(&unusable), "");
        let text = table.row(&ProjectReport::Executed(samples::report()));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[0],
            "projectName,seed,assertions,generationAlgorithm,starts,moves, \"far\" ok 3,null,later,\
             passed,failed,error,skip,totalBlocks,coveredBlocks,coverage,duration"
        );
        assert_eq!(lines[1], "0.sb3,,,,,,,,,,,,,,,");
        assert_eq!(lines[2], "a.sb3,7,5,None,pass,fail,error,skip,1,1,1,1,3,1,0.33,1.500");
        assert_eq!(table.end(), "");
        assert_eq!(table.row(&unusable), "0.sb3,,,,,,,,,,,,,,,\n");
    }

    #[test]
    fn columns_of_skipped_tests_shift_as_in_the_original() {
        let mut table = WhiskerTable::new(true);
        let text = table.row(&ProjectReport::Executed(samples::report()));
        assert!(
            text.ends_with("\na.sb3,7,5,None,pass,fail,error,1,1,1,0,3,1,0.33,1.500\n"),
            "{text}"
        );
        assert!(WhiskerTable::new(true).end().starts_with("projectName,seed,"));
    }
}
