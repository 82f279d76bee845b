//! `catherd archive`: writes a replication package of a study.
//!
//! - [`records`]: the records of the store as JSON lines, compared with the tables.
//! - [`corpus`]: the manifest of the projects.
//! - [`texts`]: the README, the citation and the lock file.

mod corpus;
mod records;
mod texts;

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use catherd_analysis::report::{FigureFormat, ReportSettings};
use catherd_analysis::tidy::{Results, RunStates};
use catherd_analysis_archive::{Builder, Contents, PackageError, RunCounts};
use catherd_analysis_results::{MANIFEST, RESULT_FILES};
use catherd_cli_console::terminal::{self, BARS, plural};
use catherd_cli_console::{Exit, Failure, exit_codes};
use catherd_coordinator::{CoordinatorError, StoreUrl};
use catherd_experiments::{Engines, Plan};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};

pub(crate) use corpus::FILE as CORPUS;

use crate::failure::Worded;
use crate::{report, subjects};

/// Writes a replication package of a study.
///
/// The package is a zip archive with the study file, the manifest of the projects, records, tables,
/// report, the version of catherd, a README and a citation.
///
/// The same results give the same bytes, on any machine and at any time. `catherd verify PACKAGE` checks a
/// package and executes a sample of its runs again.
#[derive(Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{}", exit_codes(&[])))]
pub(crate) struct Arguments {
    /// Folder of results of the study
    #[arg(value_name = "RESULTS")]
    results: PathBuf,

    /// File of the package [default: NAME.zip, by the name of the study]
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Store with the records of the study, if the results were fetched from a coordinator:
    /// postgres://USER@HOST/NAME, or its SQLite file [default: study.db in RESULTS]
    #[arg(long, value_name = "STORE")]
    store: Option<String>,

    /// Include the projects; check first that their licences permit it
    #[arg(long)]
    with_projects: bool,

    /// Folder of a corpus with projects of the study, whose manifest says where they are from
    #[arg(long, value_name = "DIR")]
    corpus: Vec<PathBuf>,

    /// Author of the study in the citation; may be repeated
    #[arg(long, value_name = "NAME")]
    author: Vec<String>,
}

const EXAMPLES: &str = "\
Examples:
  catherd archive results/smoke -o smoke.zip
  catherd archive results/random1000 --corpus corpora/random1000 --author \"Ada Lovelace\"
  catherd archive results/games --store catherd-data/study.db --with-projects";

pub(crate) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    terminal::log("warn");
    let study = StudyFolder::open(&arguments.results)?;
    let store = arguments
        .store
        .as_deref()
        .map_or_else(|| StoreUrl::Sqlite(arguments.results.join("study.db")), StoreUrl::parse);
    let safe = catherd_experiments::file_names::safe_name(&study.plan.name);
    let out = arguments.out.clone().unwrap_or_else(|| PathBuf::from(format!("{safe}.zip")));
    let work = WorkFolder::create(&out)?;
    let mut builder = Builder::default();

    let records = records::write(&study, &store, &work.path.join("records.jsonl"))?;
    builder.file(catherd_analysis_archive::records::FILE, work.path.join("records.jsonl"));
    let sources = corpus::Sources::read(&arguments.corpus)?;
    let projects = corpus::write(&study.plan, &store, &sources, arguments.with_projects, &work)?;
    builder.bytes(corpus::FILE, projects.manifest);
    for (name, path) in projects.files.into_iter().chain(sources.files) {
        builder.file(name, path);
    }
    for name in RESULT_FILES.iter().filter(|name| study.folder.join(name).is_file()) {
        builder.file(format!("results/{name}"), study.folder.join(name));
    }
    let summary = write_report(&study, &work.path.join("report"), &mut builder)?;
    let file = study.plan.study_file(&["projects".to_owned()]);
    builder.bytes("study.toml", file.map_err(Failure::new)?);
    texts::add(&mut builder, &study, &records, &summary, arguments)?;

    let contents = contents(&study, &records, arguments.with_projects);
    let bar = BARS.add(ProgressBar::no_length());
    let style = ProgressStyle::with_template("{bytes} read, {bytes_per_sec}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    let written = builder.write(&out, contents, |bytes| bar.inc(bytes));
    bar.finish_and_clear();
    let written = written.map_err(Worded::worded)?;
    drop(work);
    say(&out, &written)?;
    Ok(Exit::Success)
}

/// Says what was written.
fn say(out: &Path, contents: &Contents) -> Result<(), Failure> {
    let unreadable = |cause| PackageError::Io { path: out.to_owned(), cause };
    let size = fs::metadata(out).map_err(unreadable).map_err(Worded::worded)?.len();
    let sha256 = file_digest(out)?;
    let RunCounts { planned, .. } = contents.runs;
    let ended = contents.runs.ended();
    let interim = match contents.interim {
        true => format!("interim: {ended} of {planned} runs; "),
        false => String::new(),
    };
    terminal::print(&format!(
        "{}: {interim}{}, {}, {size} bytes\nSHA-256 {sha256}\n",
        out.display(),
        plural(contents.runs.records() as usize, "record"),
        plural(contents.files.len() + 1, "file"),
    ));
    Ok(())
}

/// SHA-256 of a file.
pub(crate) fn file_digest(path: &Path) -> Result<catherd_experiments::Digest, Failure> {
    use std::io::Read as _;
    let unreadable = |cause| PackageError::Io { path: path.to_owned(), cause };
    let mut file = File::open(path).map_err(unreadable).map_err(Worded::worded)?;
    let mut digest = catherd_experiments::DigestBuilder::default();
    let mut part = vec![0; 64 << 10];
    loop {
        match file.read(&mut part).map_err(unreadable).map_err(Worded::worded)? {
            0 => return Ok(digest.finish()),
            read => digest.add(&part[..read]),
        }
    }
}

fn contents(study: &StudyFolder, records: &records::Written, with_projects: bool) -> Contents {
    let RunStates { planned, done, failed, quarantined, dropped, pending } = study.states;
    Contents {
        format: Contents::FORMAT,
        catherd: env!("CARGO_PKG_VERSION").to_owned(),
        study: study.plan.name.clone(),
        subject: study.plan.subject.clone(),
        engine: study.plan.engine.clone(),
        runs: RunCounts { planned, done, failed, quarantined, dropped, pending },
        interim: pending > 0,
        results: records.digest,
        with_projects,
        files: Vec::new(),
    }
}

/// Writes the report and adds its files. Returns the sentences of its summary.
fn write_report(
    study: &StudyFolder,
    folder: &Path,
    builder: &mut Builder,
) -> Result<Vec<String>, Failure> {
    let results = Results::read(&study.folder).map_err(Worded::worded)?;
    let made = report::make(&results, &study.plan.name, &ReportSettings::default())?;
    made.write(folder, &[FigureFormat::Svg, FigureFormat::Pdf]).map_err(Worded::worded)?;
    let mut open = vec![(String::from("report"), folder.to_owned())];
    while let Some((name, path)) = open.pop() {
        let unreadable = |cause| PackageError::Io { path: path.clone(), cause };
        for entry in fs::read_dir(&path).map_err(unreadable).map_err(Worded::worded)? {
            let path = entry.map_err(unreadable).map_err(Worded::worded)?.path();
            let part = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let name = format!("{name}/{part}");
            if path.is_dir() {
                open.push((name, path));
            } else {
                builder.file(name, path);
            }
        }
    }
    Ok(made.summary().to_vec())
}

/// The folder of a study's results, which no process is writing to.
struct StudyFolder {
    folder: PathBuf,
    plan: Plan,
    states: RunStates,
    /// Held as long as the folder is read.
    _lock: Option<File>,
}

impl StudyFolder {
    fn open(folder: &Path) -> Result<StudyFolder, Failure> {
        let refused = |cause: String| {
            Failure::new(format_args!("{}: {cause}", folder.display()))
                .hint("name a folder that catherd run or catherd results has written")
        };
        let lock = lock(folder)?;
        let json = fs::read(folder.join(MANIFEST))
            .map_err(|cause| refused(format!("{MANIFEST}: {cause}")))?;
        let plan: Plan = serde_json::from_slice(&json)
            .map_err(|cause| refused(format!("{MANIFEST} cannot be read: {cause}")))?;
        // Any engine, because the runs are not executed.
        plan.check(&Engines::new()).map_err(|invalid| refused(format!("{MANIFEST}: {invalid}")))?;
        let states = RunStates::read(folder).map_err(Worded::worded)?.ok_or_else(|| {
            let file = RunStates::FILE;
            Failure::new(format_args!("{}: has no {file}", folder.display()))
                .hint("write its tables again: repeat catherd run or catherd results")
        })?;
        if plan.count() as u64 != states.planned {
            return Err(refused(format!("its tables are not of the plan in {MANIFEST}")));
        }
        Ok(StudyFolder { folder: folder.to_owned(), plan, states, _lock: lock })
    }
}

/// Locks a folder against processes that write to it; `None` if no store is in it.
fn lock(folder: &Path) -> Result<Option<File>, Failure> {
    let Ok(lock) = File::open(folder.join("study.lock")) else { return Ok(None) };
    match lock.try_lock() {
        Err(TryLockError::WouldBlock) => {
            Err(CoordinatorError::Busy { folder: folder.to_owned() }.worded())
        }
        // A file system without locks has none that are held.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(Some(lock)),
    }
}

/// The subject kind's ending of names of project files, with its dot; empty if it has none.
fn project_ending(plan: &Plan) -> String {
    let kind = subjects::kinds().get(&plan.subject).ok();
    let ending = kind.map(|kind| kind.project_extension()).filter(|ending| !ending.is_empty());
    ending.map(|ending| format!(".{ending}")).unwrap_or_default()
}

/// A folder for files on their way into a package, which is removed at the end.
struct WorkFolder {
    path: PathBuf,
}

impl WorkFolder {
    /// Creates the folder next to the package.
    fn create(package: &Path) -> Result<WorkFolder, Failure> {
        let mut path = package.as_os_str().to_owned();
        path.push(".files");
        let path = PathBuf::from(path);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).map_err(|cause| {
            Failure::new(format_args!("{}: {cause}", path.display()))
                .hint("name another file with -o")
        })?;
        Ok(WorkFolder { path })
    }
}

impl Drop for WorkFolder {
    fn drop(&mut self) {
        // The package is complete, or its failure is reported.
        let _ = fs::remove_dir_all(&self.path);
    }
}

impl Worded for PackageError {
    fn worded(self) -> Failure {
        let hint = match &self {
            PackageError::Io { .. } => {
                "check that the path exists, that you have access, and that the disk is not full"
            }
            PackageError::NotAPackage { .. } => {
                "name a package of catherd archive; get it again if it is one"
            }
            PackageError::File { .. } => "get the package again from where it is published",
        };
        Failure::new(self).hint(hint)
    }
}
