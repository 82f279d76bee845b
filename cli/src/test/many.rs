//! A JavaScript suite on many projects: one row of a table for each.

use std::fs;
use std::path::{Path, PathBuf};

use catherd_javascript_suites::whisker::{self, Options, Status, SuiteFile, SuiteOutcome};
use rayon::prelude::*;

use crate::failure::{Exit, Failure};
use crate::project;
use crate::terminal;

/// The projects of a folder, sorted by name; `None` if the path is one project.
pub(super) fn projects_in(path: &Path) -> Result<Option<Vec<PathBuf>>, Failure> {
    if !path.is_dir() || path.join("project.json").exists() {
        return Ok(None);
    }
    let failed = |error: std::io::Error| {
        Failure::new(format!("{}: {error}", path.display())).hint("name a folder of projects")
    };
    let entries = fs::read_dir(path).map_err(failed)?;
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    let mut paths = paths.collect::<Result<Vec<_>, _>>().map_err(failed)?;
    paths.retain(|path| {
        path.extension().is_some_and(|extension| extension == "sb3" || extension == "sb2")
            || path.join("project.json").exists()
    });
    paths.sort();
    if paths.is_empty() {
        let error = format!("{}: the folder contains no projects", path.display());
        return Err(Failure::new(error).hint("name an .sb3 file, or a folder of such files"));
    }
    Ok(Some(paths))
}

/// A project and how the tests ended, or why they could not be executed.
type Row = (String, Result<(String, SuiteOutcome), String>);

/// Executes the suite on all projects and prints a table in CSV, in the order of the projects.
pub(super) fn run(
    suite: &SuiteFile,
    paths: &[PathBuf],
    options: &Options,
) -> Result<Exit, Failure> {
    let bar = terminal::bar(paths.len());
    let rows: Vec<Row> = paths
        .par_iter()
        .map(|path| {
            let row = (path.display().to_string(), execute(suite, path, options));
            bar.inc(1);
            row
        })
        .collect();
    bar.finish_and_clear();
    let table = table(&rows).map_err(|error| Failure::new(format!("the table: {error}")))?;
    terminal::print(&String::from_utf8_lossy(&table));
    let fine = |row: &Row| {
        row.1.as_ref().is_ok_and(|(_, outcome)| {
            outcome.count(Status::Fail) + outcome.count(Status::Error) == 0
        })
    };
    Ok(if rows.iter().all(fine) { Exit::Success } else { Exit::Incomplete })
}

fn execute(
    suite: &SuiteFile,
    path: &Path,
    options: &Options,
) -> Result<(String, SuiteOutcome), String> {
    let subject = project::open(path).map_err(|failure| failure.cause().to_owned())?;
    let program = project::compile_for_scripts(path, &subject);
    let program = program.map_err(|failure| failure.cause().to_owned())?;
    let outcome = whisker::run(suite, &program, options).map_err(|error| error.to_string())?;
    Ok((hex::encode(subject.digest), outcome))
}

/// The rows below a header with the names of the tests.
fn table(rows: &[Row]) -> Result<Vec<u8>, csv::Error> {
    let tests = rows.iter().find_map(|(_, result)| Some(&result.as_ref().ok()?.1.tests));
    let tests = tests.map_or(&[][..], |tests| tests);
    let mut table = csv::Writer::from_writer(Vec::new());
    let names = (1..)
        .zip(tests)
        .map(|(number, test)| test.name.clone().unwrap_or_else(|| format!("test {number}")));
    let counts = ["passed", "failed", "error", "skip", "covered_blocks", "total_blocks", "steps"];
    let header = ["project", "digest", "status"].map(String::from).into_iter();
    table.write_record(header.chain(names).chain(counts.map(String::from)))?;
    for (project, result) in rows {
        let mut record = vec![project.clone()];
        match result {
            Ok((digest, outcome)) => {
                record.extend([digest.clone(), "executed".to_owned()]);
                record.extend(outcome.tests.iter().map(|test| test.status.name().to_owned()));
                let statuses = [Status::Pass, Status::Fail, Status::Error, Status::Skip];
                record.extend(statuses.map(|status| outcome.count(status).to_string()));
                let (covered, total) = outcome.coverage.unzip();
                let shown = |count: Option<usize>| count.map(|n| n.to_string()).unwrap_or_default();
                record.extend([shown(covered), shown(total)]);
                let steps: u64 = outcome.tests.iter().map(|test| test.steps).sum();
                record.push(steps.to_string());
            }
            Err(reason) => {
                record.extend([String::new(), reason.clone()]);
                record.resize(record.len() + tests.len() + counts.len(), String::new());
            }
        }
        table.write_record(record)?;
    }
    table.into_inner().map_err(|error| error.into_error().into())
}
