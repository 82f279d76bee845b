//! Verification of a replication package: its files, its records, and a sample of its runs.

use std::collections::{BinaryHeap, HashMap};
use std::path::{Path, PathBuf};
use std::slice::from_ref;
use std::sync::{Arc, Mutex, PoisonError};

use catherd_analysis_archive::records::{self, End, ResultsDigest};
use catherd_analysis_archive::{Contents, Package, PackageError, Problem, RunCounts};
use catherd_analysis_results::MANIFEST;
use catherd_cli_console::terminal::{self, BARS, plural};
use catherd_cli_console::{Exit, Failure};
use catherd_experiments::{Digest, Plan, ProjectSource, RunOutcome, RunSpec};
use catherd_interface::FoundProject;
use indicatif::{ProgressBar, ProgressStyle};

use super::{Arguments, Choice, lot, report_runs};
use crate::archive::{CORPUS, file_digest};
use crate::failure::Worded;
use crate::replay::execute;
use crate::subjects;

/// Most bytes of a plan and of a manifest, which are read into memory.
const MAX_PLAN_BYTES: u64 = 1 << 30;

/// Checks a package and executes a sample of its runs again.
pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let path = arguments.stored.study();
    let mut package = Package::open(path).map_err(Worded::worded)?;
    let total = package.contents().files.iter().map(|file| file.bytes).sum();
    let bar = BARS.add(ProgressBar::new(total));
    let style = ProgressStyle::with_template("{wide_bar:.cyan/dim} {bytes} of {total_bytes}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    package.check(|bytes| bar.inc(bytes)).map_err(Worded::worded)?;
    bar.finish_and_clear();

    let plan = read_plan(&mut package)?;
    let choice = read_records(&mut package, &plan, arguments)?;
    let contents = package.contents().clone();
    let RunCounts { planned, .. } = contents.runs;
    let mut text = format!(
        "{}: intact, {} and {}\nSHA-256 {}\nresults {}\n",
        path.display(),
        plural(contents.files.len() + 1, "file"),
        plural(contents.runs.records() as usize, "record"),
        file_digest(path)?,
        contents.results
    );
    if contents.interim {
        text += &format!("interim: {} of {planned} runs\n", contents.runs.ended());
    }
    terminal::print(&text);
    executable(&contents, arguments)?;
    let projects = Projects::find(package, &plan, &choice, &arguments.projects)?;
    let tools = arguments.stored.tools();
    report_runs(arguments, &choice, |spec| {
        let bytes = projects.bytes(spec.project)?;
        execute(spec, bytes, Path::new("spool"), &[], from_ref(tools)).map(|record| record.digest())
    })
}

/// Checks that this program can execute the runs of a package, and may.
fn executable(contents: &Contents, arguments: &Arguments) -> Result<(), Failure> {
    let Contents { subject, engine, catherd, .. } = contents;
    subjects::kind(subject)?;
    if let Some(other) = subjects::another_engine(subject, engine) {
        return Err(Failure::new(format_args!("the runs are {other}"))
            .hint(format!("build catherd {catherd} with the Cargo.lock of the package")));
    }
    if subjects::runs_programs(subject) && !arguments.run_programs {
        return Err(Failure::new(format_args!(
            "runs of kind `{subject}` execute programs that the package names"
        ))
        .hint("read its study.toml; if you trust the package, give --run-programs"));
    }
    Ok(())
}

/// The plan of a package, which must be that of its list of files.
fn read_plan(package: &mut Package) -> Result<Plan, Failure> {
    let name = format!("results/{MANIFEST}");
    let json = package.read(&name, MAX_PLAN_BYTES).map_err(Worded::worded)?;
    let invalid = |cause: String| package.refused(&name, Problem::Invalid(cause));
    let plan: Plan = serde_json::from_slice(&json)
        .map_err(|cause| invalid(cause.to_string()))
        .map_err(Worded::worded)?;
    // Any engine: that of this program is compared when runs are executed.
    let engines = [(plan.subject.clone(), plan.engine.clone())].into();
    plan.check(&engines).map_err(|cause| invalid(cause.to_string())).map_err(Worded::worded)?;
    let Contents { study, subject, engine, runs, .. } = package.contents();
    let same = (&plan.name, &plan.subject, &plan.engine) == (study, subject, engine);
    if !same || plan.count() as u64 != runs.planned {
        return Err(invalid(format!("is not the plan of {}", Contents::FILE)).worded());
    }
    Ok(plan)
}

/// Reads every record, compares all with the numbers of the package and the rows of its table, and
/// draws the sample.
fn read_records(
    package: &mut Package,
    plan: &Plan,
    arguments: &Arguments,
) -> Result<Choice, Failure> {
    let path = arguments.stored.study();
    let Contents { runs, results, .. } = package.contents().clone();
    // The table is read through an archive of its own, because an archive reads one file at a time.
    let mut tables = Package::open(path).map_err(Worded::worded)?;
    let table = "results/runs.csv";
    let other_rows = |line: usize| PackageError::File {
        path: path.to_owned(),
        name: table.to_owned(),
        problem: Problem::Invalid(format!("row {line} is not of the record in {}", records::FILE)),
    };
    let mut rows =
        csv::Reader::from_reader(tables.reader(table).map_err(Worded::worded)?).into_records();
    let bar = terminal::bar(runs.ended() as usize);
    let mut digests = ResultsDigest::default();
    let (mut found, mut eligible, mut skipped) = (RunCounts::default(), 0, 0);
    // Not more runs are eligible than there are records.
    let most = arguments.sample.of(runs.records() as usize);
    let mut smallest = BinaryHeap::new();
    let wrong = |cause: String| PackageError::File {
        path: path.to_owned(),
        name: records::FILE.to_owned(),
        problem: Problem::Invalid(cause),
    };
    for (number, line) in
        records::RecordReader::new(package.reader(records::FILE).map_err(Worded::worded)?, plan)
            .enumerate()
    {
        let (spec, end) = line.map_err(wrong).map_err(Worded::worded)?;
        let run = spec.id();
        let record = match &end {
            End::Record(record) => Some(record.digest()),
            End::Quarantined(_) => None,
        };
        let row = rows.next().and_then(Result::ok);
        let same = row.is_some_and(|row| {
            let record = record.map(|digest| digest.to_string()).unwrap_or_default();
            row.get(0) == Some(&run.to_string()) && row.get(1) == Some(&record)
        });
        if !same {
            return Err(other_rows(number + 1).worded());
        }
        bar.inc(1);
        let (End::Record(outcome), Some(digest)) = (end, record) else {
            found.quarantined += 1;
            continue;
        };
        digests.add(run, digest);
        let fine = matches!(outcome.outcome, RunOutcome::Done | RunOutcome::NoGoals);
        *(if fine { &mut found.done } else { &mut found.failed }) += 1;
        if super::by_real_time(&spec, &outcome) {
            skipped += 1;
        } else if outcome.outcome != RunOutcome::Failed {
            eligible += 1;
            smallest.push(Lot { lot: lot(arguments.seed, &spec), spec, digest });
            if smallest.len() > most {
                smallest.pop();
            }
        }
    }
    bar.finish_and_clear();
    if rows.next().is_some() {
        return Err(other_rows(runs.ended() as usize + 1).worded());
    }
    let counts = |counts: RunCounts| (counts.done, counts.failed, counts.quarantined);
    if counts(found) != counts(runs) || digests.finish() != results {
        return Err(wrong(format!("the records are not those of {}", Contents::FILE)).worded());
    }
    let mut chosen = smallest.into_sorted_vec();
    chosen.truncate(arguments.sample.of(eligible));
    let chosen = chosen.into_iter().map(|Lot { spec, digest, .. }| (spec, digest)).collect();
    Ok(Choice::new(chosen, eligible, skipped, Vec::new()))
}

/// A run with its lot, by which runs are ordered.
struct Lot {
    lot: Digest,
    spec: RunSpec,
    digest: Digest,
}

impl PartialEq for Lot {
    fn eq(&self, other: &Lot) -> bool {
        self.lot == other.lot
    }
}

impl Eq for Lot {}

impl PartialOrd for Lot {
    fn partial_cmp(&self, other: &Lot) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Lot {
    fn cmp(&self, other: &Lot) -> std::cmp::Ordering {
        self.lot.cmp(&other.lot)
    }
}

/// The projects of the sample: in the package, or where the user says.
struct Projects {
    package: Mutex<Package>,
    /// Names in the package.
    included: HashMap<Digest, String>,
    found: HashMap<Digest, FoundProject>,
}

impl Projects {
    fn find(
        mut package: Package,
        plan: &Plan,
        choice: &Choice,
        paths: &[PathBuf],
    ) -> Result<Projects, Failure> {
        let included = included(&mut package, plan)?;
        let mut found = HashMap::new();
        if !paths.is_empty() {
            let kind = subjects::kind(&plan.subject)?;
            let bar = terminal::spinner("looking for projects");
            let projects = kind
                .find(&ProjectSource::Paths(paths.to_vec()), &())
                .map_err(Worded::worded)?
                .projects;
            bar.finish_and_clear();
            found.extend(projects.into_iter().map(|project| (project.digest, project)));
        }
        let lacks = |digest: &Digest| !included.contains_key(digest) && !found.contains_key(digest);
        let mut missing: Vec<_> = choice.chosen.iter().map(|(spec, _)| spec).collect();
        missing.retain(|spec| lacks(&spec.project));
        missing.dedup_by_key(|spec| spec.project);
        if let Some(first) = missing.first() {
            let projects = plural(missing.len(), "project");
            return Err(Failure::new(format_args!(
                "{projects} of the sample not found, such as {} ({})",
                first.project_name, first.project
            ))
            .hint(
                "name where the projects are with --projects, or get a package that was made with \
                 --with-projects",
            ));
        }
        Ok(Projects { package: Mutex::new(package), included, found })
    }

    fn bytes(&self, digest: Digest) -> Result<Arc<[u8]>, String> {
        let bytes = match (self.included.get(&digest), self.found.get(&digest)) {
            (Some(name), _) => {
                let mut package = self.package.lock().unwrap_or_else(PoisonError::into_inner);
                package
                    .read(name, catherd_interface::files::LARGEST_PROJECT)
                    .map_err(|e| e.to_string())
            }
            (None, Some(project)) => project.bytes().map_err(|cause| cause.to_string()),
            (None, None) => Err(format!("project {digest} is missing")),
        }?;
        match Digest::of(&bytes) == digest {
            true => Ok(Arc::from(bytes)),
            false => Err(format!("project {digest} has other bytes")),
        }
    }
}

/// The projects in a package by their digest, from its manifest, which must be of the plan.
fn included(package: &mut Package, plan: &Plan) -> Result<HashMap<Digest, String>, Failure> {
    let table = package.read(CORPUS, MAX_PLAN_BYTES).map_err(Worded::worded)?;
    let invalid = |row: usize, cause: &str| {
        package.refused(CORPUS, Problem::Invalid(format!("row {row}: {cause}")))
    };
    let mut included = HashMap::new();
    let mut rows = csv::Reader::from_reader(&*table).into_records();
    for (number, project) in plan.projects.iter().enumerate() {
        let row = rows.next().and_then(Result::ok);
        let row = row
            .ok_or_else(|| invalid(number + 1, "is missing or malformed"))
            .map_err(Worded::worded)?;
        let cell = |column| row.get(column).unwrap_or_default();
        if cell(0) != project.name || cell(1) != project.digest.to_string() {
            return Err(invalid(number + 1, "is not the project of the plan").worded());
        }
        let name = cell(3);
        let listed = package.contents().file(name);
        match listed {
            Some(file) if file.sha256 == project.digest => {
                included.insert(project.digest, name.to_owned());
            }
            None if name.is_empty() => {}
            _ => return Err(invalid(number + 1, "its file is not the project").worded()),
        }
    }
    match rows.next() {
        None => Ok(included),
        Some(_) => Err(invalid(plan.projects.len() + 1, "is of no project of the plan").worded()),
    }
}

/// Whether a path is that of a package, not of a folder of results.
pub(super) fn is_package(path: &Path) -> bool {
    path.is_file() || (!path.exists() && path.extension().is_some_and(|ending| ending == "zip"))
}
