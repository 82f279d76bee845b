//! Writes reports in one of several formats, project by project while the projects are executed.

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;

pub(super) use catherd_cli_console::output::unwritable;
use catherd_cli_console::{Failure, terminal};
use catherd_scratch_grading_report::{
    JUNIT_END, JUNIT_START, ProjectReport, Skips, Table, Tally, WhiskerTable, dodona, junit,
    ndjson, ndjson_end, tap,
};
use clap::ValueEnum;
use serde_json::json;

/// A format of reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Test Anything Protocol, version 13
    Tap,
    /// One JSON object on each line: projects, tests, counts
    Ndjson,
    /// JUnit XML, for continuous integration
    Junit,
    /// One JSON object, for one project
    Json,
    /// CSV with one row for each project
    Table,
    /// The table that Whisker writes, with coverage and without quotes
    WhiskerCsv,
    /// Output of a judge for the platform Dodona, for one project
    Dodona,
}

pub(super) struct Output {
    format: Format,
    skips: Skips,
    many: bool,
    file: Option<(PathBuf, File)>,
    table: Table,
    whisker: WhiskerTable,
    tally: Tally,
    unusable: usize,
    digest: Option<String>,
}

impl Output {
    pub(super) fn new(
        format: Format,
        skips: Skips,
        many: bool,
        file: Option<(PathBuf, File)>,
    ) -> Output {
        Output {
            format,
            skips,
            many,
            file,
            table: Table::default(),
            whisker: WhiskerTable::new(skips == Skips::NotOk),
            tally: Tally::default(),
            unusable: 0,
            digest: None,
        }
    }

    /// Continues a table that already has a header.
    pub(super) fn resume(&mut self, table: Table) {
        self.table = table;
    }

    pub(super) fn begin(&mut self) -> Result<(), Failure> {
        if self.format == Format::Junit { self.write(JUNIT_START) } else { Ok(()) }
    }

    pub(super) fn project(&mut self, report: &ProjectReport) -> Result<(), Failure> {
        match report {
            ProjectReport::Executed(report) => {
                report.tests.iter().for_each(|test| self.tally.add(test.status));
                self.digest = Some(report.result_digest());
            }
            ProjectReport::Unusable { .. } => self.unusable += 1,
        }
        let text = match (self.format, report) {
            (Format::Table, _) => self.table.row(report).map_err(Failure::new)?,
            (Format::WhiskerCsv, _) => self.whisker.row(report),
            (Format::Ndjson, _) => ndjson(report),
            (Format::Junit, _) => junit(report),
            (Format::Tap, ProjectReport::Executed(report)) => {
                let name = if self.many {
                    format!("# project: {}\n", report.project.replace(char::is_control, " "))
                } else {
                    String::new()
                };
                name + &tap(report, self.skips)
            }
            (Format::Tap, ProjectReport::Unusable { project, reason }) => {
                let line = format!("{project}: {reason}").replace(char::is_control, " ");
                format!("# project: {line}\nTAP version 13\n0..0\n")
            }
            (Format::Dodona, ProjectReport::Executed(report)) => dodona(report),
            (Format::Json, ProjectReport::Executed(report)) => {
                let lines = ndjson(&ProjectReport::Executed(report.clone()));
                let events: Vec<serde_json::Value> =
                    lines.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
                let tests = events.iter().filter(|event| event["event"] == "test").map(|event| {
                    let mut test = event.clone();
                    if let Some(test) = test.as_object_mut() {
                        test.remove("event");
                        test.remove("project");
                    }
                    test
                });
                let mut object = json!({
                    "project": report.project,
                    "suite": report.suite,
                    "digest": report.result_digest(),
                    "tests": tests.collect::<Vec<_>>(),
                });
                let tally = report.tally();
                for (key, count) in [
                    ("pass", tally.pass),
                    ("fail", tally.fail),
                    ("error", tally.error),
                    ("skip", tally.skip),
                ] {
                    object[key] = json!(count);
                }
                if let Some(coverage) = report.coverage {
                    object["coverage"] = json!(coverage);
                }
                format!("{object}\n")
            }
            (Format::Dodona | Format::Json, ProjectReport::Unusable { project, reason }) => {
                return Err(Failure::new(format!("{project}: {reason}"))
                    .hint("name an .sb3 or .sb2 file or an unpacked project folder"));
            }
        };
        self.write(&text)
    }

    pub(super) fn end(&mut self) -> Result<(), Failure> {
        let text = match self.format {
            Format::Table => self.table.end().map_err(Failure::new)?,
            Format::WhiskerCsv => self.whisker.end(),
            Format::Junit => JUNIT_END.to_owned(),
            Format::Ndjson => {
                let digest = self.digest.as_deref().filter(|_| !self.many);
                ndjson_end(self.tally, self.unusable, digest)
            }
            _ => String::new(),
        };
        self.write(&text)
    }

    pub(super) fn write(&mut self, text: &str) -> Result<(), Failure> {
        match &mut self.file {
            None => terminal::print(text),
            Some((path, file)) => {
                // A command that is stopped keeps the reports so far.
                let written = file.write_all(text.as_bytes()).and_then(|()| file.flush());
                written.map_err(|error| unwritable(path, &error))?;
            }
        }
        Ok(())
    }
}
