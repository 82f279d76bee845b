//! Pictures of the suite of the best run of each project.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use catherd_analysis::report::{Pictured, Report, pictures_page};
use catherd_analysis::tidy::Results;
use catherd_cli_console::Failure;
use catherd_cli_console::terminal::{self, plural};
use catherd_coordinator::StoreUrl;
use catherd_coordinator::store::StoreReader;
use catherd_experiments::file_names::FileNames;
use catherd_experiments::{Digest, RunOutcome, RunRecord, RunSpec};
use catherd_interface::{Kinds, Picture};

pub(crate) const PAGE: &str = "pictures.html";

const PICTURES: &str = "pictures";

pub(crate) fn write(
    report: &Report<'_>,
    kinds: &Kinds,
    folders: &[PathBuf],
    out: &Path,
    in_words: bool,
) -> Result<PathBuf, Failure> {
    let best = best_runs(report.results);
    let mut drawn: BTreeMap<usize, (Picture, RunSpec)> = BTreeMap::new();
    let mut stores = 0;
    for file in folders.iter().map(|folder| folder.join("study.db")) {
        if file.exists() {
            stores += 1;
            draw(&StoreUrl::Sqlite(file), kinds, &best, &mut drawn)?;
        }
    }
    if stores == 0 {
        return Err(Failure::new("--pictures: no folder has the store of its study, study.db")
            .hint("name a folder that catherd run or catherd reproduce wrote"));
    }
    if drawn.is_empty() {
        return Err(Failure::new("--pictures: no suite of these studies can be drawn")
            .hint("leave --pictures out; only suites of kinds such as scratch are drawn"));
    }
    let folder = out.join(PICTURES);
    if folder.is_dir() && !folder.is_symlink() {
        fs::remove_dir_all(&folder).map_err(|cause| unwritten(&folder, &cause))?;
    }
    fs::create_dir_all(&folder).map_err(|cause| unwritten(&folder, &cause))?;
    let mut names = FileNames::default();
    let mut pictures = Vec::new();
    for (picture, spec) in drawn.into_values() {
        let name = names.of(spec.project, &spec.project_name);
        let name = format!("{name}.{}", picture.extension);
        let file = folder.join(&name);
        fs::write(&file, &picture.bytes).map_err(|cause| unwritten(&file, &cause))?;
        pictures.push(Pictured {
            run: spec.id().short(),
            project: spec.project_name,
            algorithm: spec.algorithm.label,
            seed: spec.seed,
            caption: picture.caption,
            file: format!("{PICTURES}/{name}"),
        });
    }
    let page = out.join(PAGE);
    let text = pictures_page(&report.title, &pictures);
    fs::write(&page, text).map_err(|cause| unwritten(&page, &cause))?;
    if in_words {
        let count = plural(pictures.len(), "picture");
        terminal::print(&format!("{}: {count}\n", page.display()));
    }
    Ok(page)
}

fn unwritten(path: &Path, cause: &std::io::Error) -> Failure {
    Failure::new(format_args!("{}: {cause}", path.display()))
        .hint("check that you may write there and that the disk is not full")
}

/// The first of several best runs is chosen.
fn best_runs(results: &Results) -> BTreeMap<Digest, usize> {
    let mut best: BTreeMap<u32, (Reverse<u32>, usize)> = BTreeMap::new();
    for (number, run) in results.runs.iter().enumerate() {
        if run.outcome == RunOutcome::Done {
            let found = (Reverse(run.covered), number);
            let known = best.entry(run.project).or_insert(found);
            *known = found.min(*known);
        }
    }
    let id =
        |(project, (_, number)): (u32, (_, usize))| (results.runs[number].id, project as usize);
    best.into_iter().map(id).collect()
}

fn draw(
    store: &StoreUrl,
    kinds: &Kinds,
    best: &BTreeMap<Digest, usize>,
    drawn: &mut BTreeMap<usize, (Picture, RunSpec)>,
) -> Result<(), Failure> {
    let broken = |cause: &dyn std::fmt::Display| Failure::new(format_args!("{store}: {cause}"));
    let mut reader = StoreReader::open(store).map_err(|cause| broken(&cause))?;
    for study in reader.studies().map_err(|cause| broken(&cause))? {
        let records = StoreReader::open(store).map_err(|cause| broken(&cause))?;
        for record in records.records(study.number) {
            let (spec, record) = record.map_err(|cause| broken(&cause))?;
            let Some(&project) = best.get(&spec.id()) else { continue };
            let bytes = reader.project(spec.project).map_err(|cause| broken(&cause))?;
            if let Some(picture) = of_run(kinds, &spec, &record, &bytes)? {
                drawn.insert(project, (picture, spec));
            }
        }
    }
    Ok(())
}

fn of_run(
    kinds: &Kinds,
    spec: &RunSpec,
    record: &RunRecord,
    project: &[u8],
) -> Result<Option<Picture>, Failure> {
    let Ok(kind) = kinds.get(&spec.subject) else { return Ok(None) };
    let Some(suite) = record.artifacts.get(&kind.info().suite_file()) else { return Ok(None) };
    kind.picture(project, suite).map_err(|cause| {
        let (name, seed) = (&spec.project_name, spec.seed);
        Failure::new(format_args!("{name}, {}, seed {seed}: {cause}", spec.algorithm.label))
    })
}
