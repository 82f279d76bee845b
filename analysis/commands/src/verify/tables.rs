//! Compares the files in a folder of results with the files that are made from the records.

use std::collections::BTreeSet;
use std::path::Path;

use catherd_analysis::report::{FigureFormat, ReportSettings};
use catherd_analysis::tidy::Results;
use catherd_analysis_results::{
    Extent, MANIFEST, RESULT_FILES, StoredStudies, StudyFolder as Folder, WriteError, remake,
};
use catherd_cli_console::Failure;
use catherd_cli_console::terminal::{self, plural};
use catherd_cli_failures::Worded;
use catherd_coordinator::StoreUrl;
use serde::Deserialize;

use super::package::work_folder;
use crate::archive::assembly::files_below;
use crate::archive::{StudyFolder, TABLES_AGAIN, differing_files, records};
use crate::report::{self, pictures};
use crate::{Program, claims};

const REPORT: &str = "report";
const DOCUMENT: &str = "report.json";

const ARTIFACTS: [&str; 3] = ["suites", "logs", "artifacts"];

#[derive(Default)]
pub(super) struct Compared {
    pub(super) files: usize,
    pub(super) differing: Vec<String>,
}

pub(super) fn compare(program: &Program, folder: &Path, quiet: bool) -> Result<Compared, Failure> {
    if !folder.join(MANIFEST).exists() {
        terminal::note(&format!("{}: has no tables to compare", folder.display()));
        return Ok(Compared::default());
    }
    let study = match StudyFolder::open(folder) {
        Ok(study) => study,
        Err(busy) if is_busy(folder) => {
            terminal::note(&format!("the tables are not compared: {}", busy.cause()));
            return Ok(Compared::default());
        }
        Err(failure) => return Err(failure),
    };
    let store = StoreUrl::Sqlite(folder.join("study.db"));
    let names = records::names(&study.plan, &store)?;
    let studies = StoredStudies { store, names };
    let work = work_folder()?;
    let made = Folder::open(&work.path().join("results")).map_err(Worded::worded)?;
    let artifacts = ARTIFACTS.iter().any(|name| folder.join(name).exists());
    let extent = if artifacts { Extent::WithSuites } else { Extent::Tables };
    let (projects, kinds) = (study.projects.clone(), program.kinds);
    match remake(&made, &study.plan, projects, kinds, extent, || studies.results()) {
        Ok(_) => {}
        // Damaged records are listed with the sample.
        Err(WriteError::Source(cause)) => {
            let line = format!("the tables are not compared: {cause}");
            terminal::note(&line);
            return Ok(Compared { files: 0, differing: vec![line] });
        }
        Err(error) => return Err(error.worded()),
    }
    let mut differing = Vec::new();
    for (name, problem) in differing_files(folder, &made.path, RESULT_FILES)? {
        differing.push(format!("{name}: {problem}"));
    }
    let mut compared = RESULT_FILES.iter().filter(|name| made.path.join(name).exists()).count();
    for name in ARTIFACTS {
        compared += trees(&folder.join(name), &made.path.join(name), name, &mut differing)?;
    }
    compared += compare_report(program, folder, &made.path, work.path(), &mut differing)?;
    if quiet {
        return Ok(Compared { files: compared, differing });
    }
    let same = compared.saturating_sub(differing.len());
    let mut text =
        format!("{} made again from the records: {same} the same\n", plural(compared, "file"));
    for line in &differing {
        text += &format!("{}\n", folder.join(line).display());
    }
    terminal::print(&text);
    if !differing.is_empty() {
        terminal::note(TABLES_AGAIN);
    }
    Ok(Compared { files: compared, differing })
}

fn is_busy(folder: &Path) -> bool {
    let lock = std::fs::File::open(folder.join("study.lock"));
    lock.is_ok_and(|lock| matches!(lock.try_lock(), Err(std::fs::TryLockError::WouldBlock)))
}

fn trees(
    folder: &Path,
    made: &Path,
    name: &str,
    differing: &mut Vec<String>,
) -> Result<usize, Failure> {
    let mut names = BTreeSet::new();
    for place in [folder, made] {
        if place.is_dir() && !place.is_symlink() {
            names.extend(files_below(place)?.into_iter().map(|(name, _)| name));
        }
    }
    for (file, problem) in differing_files(folder, made, names.iter().map(String::as_str))? {
        differing.push(format!("{name}/{file}: {problem}"));
    }
    Ok(names.len())
}

#[derive(Deserialize)]
struct Document {
    title: String,
    #[serde(default)]
    settings: Option<Settings>,
}

#[derive(Default, Deserialize)]
struct Settings {
    factors: Vec<String>,
    reference: Option<String>,
    published: usize,
    #[serde(default)]
    spreadsheet: bool,
}

fn compare_report(
    program: &Program,
    folder: &Path,
    tables: &Path,
    work: &Path,
    differing: &mut Vec<String>,
) -> Result<usize, Failure> {
    let own = folder.join(REPORT);
    if !own.exists() {
        return Ok(0);
    }
    let document = std::fs::read(own.join(DOCUMENT)).ok();
    let document: Option<Document> = document.and_then(|json| serde_json::from_slice(&json).ok());
    let Some(Document { title, settings }) = document else {
        differing.push(format!("{REPORT}/{DOCUMENT}: is missing, or is not the file of a report"));
        return Ok(1);
    };
    let settings = settings.unwrap_or_default();
    if settings.published > 0 {
        terminal::note("the report is not compared: it has published numbers from another file");
        return Ok(0);
    }
    let results = Results::read(tables).map_err(Worded::worded)?;
    let settings = ReportSettings {
        factors: settings.factors,
        reference: settings.reference,
        spreadsheet: settings.spreadsheet,
        claims: claims::of_folders(&[folder.to_owned()])?,
        ..ReportSettings::default()
    };
    let report = report::make(&results, &title, &settings)?;
    let files = files_below(&own)?;
    let has = |format: &FigureFormat| {
        let ending = format!(".{}", format.name());
        files.iter().any(|(name, _)| name.starts_with("figures/") && name.ends_with(&ending))
    };
    let formats: Vec<FigureFormat> = FigureFormat::ALL.into_iter().filter(has).collect();
    let made = work.join(REPORT);
    report.write(&made, &formats).map_err(Worded::worded)?;
    if own.join(pictures::PAGE).exists() {
        pictures::write(&report, program.kinds, &[folder.to_owned()], &made, false)?;
    }
    trees(&own, &made, REPORT, differing)
}
