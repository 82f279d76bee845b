//! `catherd archive`: writes a replication package of a study.

pub(crate) mod assembly;
mod bill_of_materials;
pub(crate) mod corpus;
pub(crate) mod cost;
mod data_package;
mod folder;
pub(crate) mod program;
pub(crate) mod records;
pub mod research_object;
pub(crate) mod signing;
mod texts;
pub(crate) mod tools;

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use catherd_analysis_archive::{Builder, Contents, Key, PackageError, RunCounts};
use catherd_cli_console::terminal::{self, BARS, plural};
use catherd_cli_console::{Exit, Failure, exit_codes, places};
use catherd_cli_failures::Worded;
use catherd_coordinator::StoreUrl;
use catherd_experiments::{Digest, Plan};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;
use tempfile::TempDir;

pub(crate) use folder::{StudyFolder, differing_files};

use assembly::Assembly;
use tools::Tools;

use crate::Program;

const RECORDS: &str = catherd_analysis_archive::records::FILE;

pub(crate) const TABLES_AGAIN: &str =
    "write the tables again: repeat catherd run or catherd results";

/// Writes a replication package of a study.
///
/// The package is a zip archive with the study file, the manifest of the projects, records, tables,
/// report, the version of catherd, a README and a citation. The tables and the report are made again
/// from the records, and the tables are compared with the tables in the folder.
///
/// The same program makes the same bytes from the same results and flags, on any machine and at any
/// time. `catherd verify PACKAGE` checks a package and executes a sample of its runs again.
#[derive(Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{}", exit_codes(&[])))]
pub struct Arguments {
    /// Folder of results of the study
    #[arg(value_name = "RESULTS")]
    results: PathBuf,

    /// File of the package [default: NAME.zip for a study called NAME]
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Store with the records of the study, if the results were fetched from a coordinator:
    /// postgres://USER@HOST/NAME, or its SQLite file [default: study.db in RESULTS]
    #[arg(long, value_name = "STORE")]
    store: Option<String>,

    /// Include the projects; check first that their licences permit it
    #[arg(long)]
    with_projects: bool,

    /// Include this program, with scripts that check the package and repeat its runs without any
    /// other installation
    #[arg(long)]
    with_program: bool,

    /// Include a file with the source code of this program, such as an archive with its crates; may
    /// be repeated
    #[arg(long, value_name = "FILE", requires = "with_program")]
    source: Vec<PathBuf>,

    /// Include the external tools of the study; their relative paths start in this folder, which is
    /// the folder of the study file
    #[arg(long, value_name = "DIR")]
    tools: Option<PathBuf>,

    /// Include the packages in this folder, from which `catherd tool prepare --wheels` makes the
    /// environments of the tools
    #[arg(long, value_name = "DIR", requires = "tools")]
    wheels: Option<PathBuf>,

    /// Folder of a corpus with projects of the study, whose manifest states their origins
    #[arg(long, value_name = "DIR")]
    corpus: Vec<PathBuf>,

    /// Author of the study in the citation; may be repeated
    #[arg(long, value_name = "NAME")]
    author: Vec<String>,

    /// Sign the package with this private key of OpenSSH (ed25519): write PACKAGE.intoto.json and
    /// PACKAGE.intoto.json.sig
    #[arg(long, value_name = "KEY")]
    sign: Option<PathBuf>,

    /// Write PACKAGE.intoto.json without a signature, to sign it with ssh-keygen -Y sign
    #[arg(long, conflicts_with = "sign")]
    statement: bool,

    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  catherd archive results/smoke -o smoke.zip
  catherd archive results/random1000 --corpus corpora/random1000 --author \"Ada Lovelace\"
  catherd archive results/games --store catherd-data/study.db --with-projects
  catherd archive results/smoke --sign ~/.ssh/id_ed25519";

/// Executes `catherd archive`.
///
/// # Errors
/// If the inputs cannot be used or the package cannot be written.
pub fn run(arguments: &Arguments, program: &Program) -> Result<Exit, Failure> {
    terminal::log("warn");
    let hint = "name a folder that catherd run or catherd results has written";
    places::folder(&arguments.results, hint)?;
    for source in &arguments.source {
        places::check(source, "name a file with the source code, such as an archive")?;
    }
    let key = arguments.sign.as_deref().map(signing::key).transpose()?;
    let study = StudyFolder::open(&arguments.results)?;
    let store = arguments
        .store
        .as_deref()
        .map_or_else(|| StoreUrl::Sqlite(arguments.results.join("study.db")), StoreUrl::parse);
    let safe = catherd_experiments::file_names::safe_name(&study.plan.name);
    let out = arguments.out.clone().unwrap_or_else(|| PathBuf::from(format!("{safe}.zip")));
    let work = work_folder(&out)?;
    let mut builder = Builder::default();

    let (digest, cost) = records::write(&study, &store, &work.path().join(RECORDS))?;
    let sources = corpus::Sources::read(program, &arguments.corpus)?;
    let projects =
        corpus::write(program, &study.plan, &store, arguments.with_projects, work.path())?;
    let claims = study.claims()?;
    let tools = tools(arguments, &study.plan, &mut builder)?;
    let assembly = Assembly {
        program,
        work: work.path(),
        plan: &study.plan,
        projects: &study.projects,
        digest,
        with_projects: arguments.with_projects,
        with_program: arguments.with_program,
        with_corpora: !arguments.corpus.is_empty(),
        claims: claims.as_deref(),
        authors: &arguments.author,
        cost: &cost,
        tools: tools.as_ref(),
    };
    let (contents, facts) = assembly.add_to(&mut builder)?;
    study.compare(&work.path().join("results"))?;
    assembly::add_manifest(&mut builder, &study.plan, &sources, |number| {
        (projects.sizes[number], projects.files.get(number).map(|(name, _)| name.clone()))
    })?;
    if arguments.with_program {
        program::add(program, &mut builder, &study.plan)?;
        program::add_sources(&mut builder, &arguments.source);
    }
    for (name, path) in projects.files.into_iter().chain(sources.files) {
        builder.file(name, path);
    }
    let bytes = builder.total().map_err(Worded::worded)?;
    assembly.describe(&mut builder, &facts, bytes)?;
    let bar = BARS.add(ProgressBar::no_length());
    let style = ProgressStyle::with_template("{bytes} read, {bytes_per_sec}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    let written = builder.write(&out, contents, |bytes| bar.inc(bytes));
    bar.finish_and_clear();
    let written = written.map_err(Worded::worded)?;
    drop(work);
    let sha256 = file_digest(&out)?;
    let signed = match key.is_some() || arguments.statement {
        true => signing::write(&out, &written, sha256, key.as_ref())?,
        false => Vec::new(),
    };
    let key = key.map(|key| key.public());
    say(&out, &written, sha256, &Signed { files: signed, key }, arguments.json)?;
    Ok(Exit::Success)
}

fn tools(
    arguments: &Arguments,
    plan: &Plan,
    builder: &mut Builder,
) -> Result<Option<Tools>, Failure> {
    let Some(folder) = &arguments.tools else { return Ok(None) };
    let Some(mut tools) = Tools::of(plan) else {
        return Err(Failure::new("the study has no external tools with relative paths")
            .hint("leave out --tools and --wheels"));
    };
    tools.add(builder, folder)?;
    if let Some(wheels) = &arguments.wheels {
        tools.add_wheels(builder, wheels)?;
    }
    Ok(Some(tools))
}

struct Signed {
    files: Vec<PathBuf>,
    key: Option<Key>,
}

fn say(
    out: &Path,
    contents: &Contents,
    sha256: Digest,
    signed: &Signed,
    json: bool,
) -> Result<(), Failure> {
    let unreadable = |cause| PackageError::Io { path: out.to_owned(), cause };
    let size = fs::metadata(out).map_err(unreadable).map_err(Worded::worded)?.len();
    let RunCounts { planned, .. } = contents.runs;
    let ended = contents.runs.ended();
    if json {
        let (records, files) = (contents.runs.records(), contents.files.len() + 1);
        let mut document = json!({
            "package": out, "complete": !contents.interim, "runs": planned, "records": records,
            "files": files, "bytes": size, "sha256": sha256,
        });
        if let Some(statement) = signed.files.first() {
            document["statement"] = json!(statement);
            document["signature"] = json!(signed.files.get(1));
            document["key"] = json!(signed.key.as_ref().map(ToString::to_string));
        }
        terminal::print(&format!("{document:#}\n"));
        return Ok(());
    }
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
    match (&signed.key, &signed.files[..]) {
        (Some(key), [_, signature]) => {
            terminal::print(&format!("signed by the key {key}: {}\n", signature.display()));
        }
        (None, [statement, ..]) => terminal::print(&format!(
            "to be signed: ssh-keygen -Y sign -n {} -f KEY {}\n",
            catherd_analysis_archive::NAMESPACE,
            statement.display()
        )),
        _ => {}
    }
    Ok(())
}

pub(crate) fn file_digest(path: &Path) -> Result<Digest, Failure> {
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

fn project_ending(program: &Program, plan: &Plan) -> String {
    let kind = program.kinds.get(&plan.subject).ok();
    let ending = kind.map(|kind| kind.project_extension()).filter(|ending| !ending.is_empty());
    ending.map(|ending| format!(".{ending}")).unwrap_or_default()
}

fn work_folder(package: &Path) -> Result<TempDir, Failure> {
    let folder = package.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    fs::create_dir_all(folder)
        .and_then(|()| tempfile::Builder::new().prefix(".catherd-archive-").tempdir_in(folder))
        .map_err(|cause| {
            let cause = cause.kind();
            Failure::new(format_args!("{}: cannot be written to: {cause}", folder.display()))
                .hint("name a file in another folder with -o")
        })
}
