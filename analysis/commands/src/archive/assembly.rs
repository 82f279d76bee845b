//! Makes the files of a package from the records of a study.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use catherd_analysis::claims::{self, Claim};
use catherd_analysis::report::{FigureFormat, ReportSettings};
use catherd_analysis::tidy::{Results, RunStates};
use catherd_analysis_archive::records::{self, End, Quarantined, RecordReader};
use catherd_analysis_archive::{Builder, Contents, PackageError, RunCounts};
use catherd_analysis_results::{Extent, RESULT_FILES, RunResult, StudyFolder, remake};
use catherd_cli_console::Failure;
use catherd_cli_failures::Worded;
use catherd_coordinator::{Breakdown, QuarantinedRun};
use catherd_experiments::{CorpusDescription, Digest, Plan};

use super::cost::Cost;
use super::tools::Tools;
use super::{bill_of_materials, corpus, data_package, research_object, texts, tools};
use crate::{Program, report};

/// A study whose records are in the file [`records::FILE`] of a working folder.
pub(crate) struct Assembly<'a> {
    pub(crate) program: &'a Program,
    pub(crate) work: &'a Path,
    pub(crate) plan: &'a Plan,
    pub(crate) projects: &'a CorpusDescription,
    pub(crate) digest: Digest,
    pub(crate) with_projects: bool,
    pub(crate) with_program: bool,
    pub(crate) with_corpora: bool,
    pub(crate) claims: Option<&'a [u8]>,
    pub(crate) authors: &'a [String],
    pub(crate) cost: &'a Cost,
    pub(crate) tools: Option<&'a Tools>,
}

pub(crate) struct Facts {
    pub(super) states: RunStates,
    pub(super) summary: Vec<String>,
}

impl Assembly<'_> {
    /// Adds records, tables, report and other files, but not the descriptions of the package (see
    /// [`Assembly::describe`]).
    pub(crate) fn add_to(&self, builder: &mut Builder) -> Result<(Contents, Facts), Failure> {
        let results = self.work.join("results");
        self.tables(&results)?;
        builder.file(records::FILE, self.work.join(records::FILE));
        for name in RESULT_FILES.iter().filter(|name| results.join(name).is_file()) {
            builder.file(format!("results/{name}"), results.join(name));
        }
        let claims = self.claims()?;
        if let Some(text) = self.claims {
            builder.bytes(format!("results/{}", claims::FILE), text);
        }
        let states = RunStates::read(&results).map_err(Worded::worded)?.unwrap_or_default();
        let settings = ReportSettings { claims, ..ReportSettings::default() };
        let folder = self.work.join("report");
        let summary = add_report(self.plan, &results, &folder, &settings, builder)?;
        let file = self.plan.study_file(&["projects".to_owned()]);
        builder.bytes("study.toml", file.map_err(Failure::new)?);
        if let Some(tools) = self.tools {
            tools.add_study(builder, self.plan)?;
        }
        texts::add(builder, self)?;
        Ok((self.contents(states), Facts { states, summary }))
    }

    /// `bytes` is the size of all other files.
    pub(crate) fn describe(
        &self,
        builder: &mut Builder,
        facts: &Facts,
        bytes: u64,
    ) -> Result<(), Failure> {
        builder.bytes(texts::README, texts::readme(self, facts, bytes));
        let schemas = data_package::schemas(self, &self.work.join("results"))?;
        builder.bytes(data_package::FILE, schemas);
        builder
            .bytes(bill_of_materials::FILE, bill_of_materials::of(&(self.program.lock_file)()?)?);
        builder.bytes(research_object::ZENODO, research_object::zenodo(self)?);
        let names = builder.names().filter(|name| !tools::is_of_folder(name));
        let mut names: Vec<String> = names.map(str::to_owned).collect();
        names.push(Contents::FILE.to_owned());
        names.sort_unstable();
        builder.bytes(research_object::FILE, research_object::description(self, names)?);
        Ok(())
    }

    pub(crate) fn is_description(name: &str) -> bool {
        let own = [
            texts::README,
            data_package::FILE,
            bill_of_materials::FILE,
            research_object::ZENODO,
            research_object::FILE,
        ];
        own.contains(&name)
    }

    fn claims(&self) -> Result<Vec<Claim>, Failure> {
        let Some(text) = self.claims else { return Ok(Vec::new()) };
        let path = self.work.join(claims::FILE);
        let written = fs::write(&path, text);
        written.map_err(|cause| PackageError::Io { path: path.clone(), cause }.worded())?;
        claims::read(&path).map_err(Worded::worded)
    }

    fn tables(&self, folder: &Path) -> Result<(), Failure> {
        let folder = StudyFolder::open(folder).map_err(Worded::worded)?;
        let (projects, kinds) = (self.projects.clone(), self.program.kinds);
        let path = self.work.join(records::FILE);
        let results = || Stored::open(&path, self.plan);
        let made = remake(&folder, self.plan, projects, kinds, Extent::Tables, results);
        made.map_err(|error| Failure::new(format_args!("{}: {error}", path.display())))?;
        Ok(())
    }

    fn contents(&self, states: RunStates) -> Contents {
        let RunStates { planned, done, failed, quarantined, dropped, pending } = states;
        Contents {
            format: Contents::FORMAT,
            catherd: env!("CARGO_PKG_VERSION").to_owned(),
            study: self.plan.name.clone(),
            subject: self.plan.subject.clone(),
            engine: self.plan.engine.clone(),
            runs: RunCounts { planned, done, failed, quarantined, dropped, pending },
            interim: pending > 0,
            results: self.digest,
            with_projects: self.with_projects,
            with_program: self.with_program,
            authors: self.authors.to_vec(),
            files: Vec::new(),
        }
    }
}

pub(crate) fn add_manifest(
    builder: &mut Builder,
    plan: &Plan,
    sources: &corpus::Sources,
    project: impl FnMut(usize) -> (u64, Option<String>),
) -> Result<(), Failure> {
    builder.bytes(corpus::FILE, corpus::manifest(plan, sources, project)?);
    Ok(())
}

fn add_report(
    plan: &Plan,
    results: &Path,
    folder: &Path,
    settings: &ReportSettings,
    builder: &mut Builder,
) -> Result<Vec<String>, Failure> {
    let results = Results::read(results).map_err(Worded::worded)?;
    let made = report::make(&results, &plan.name, settings)?;
    made.write(folder, &[FigureFormat::Svg, FigureFormat::Pdf]).map_err(Worded::worded)?;
    for (name, path) in files_below(folder)? {
        builder.file(format!("report/{name}"), path);
    }
    Ok(made.summary().to_vec())
}

/// A symbolic link counts as a file.
pub(crate) fn files_below(folder: &Path) -> Result<Vec<(String, PathBuf)>, Failure> {
    let mut found = Vec::new();
    let mut open = vec![(String::new(), folder.to_owned())];
    while let Some((prefix, path)) = open.pop() {
        let unreadable = |cause| PackageError::Io { path: path.clone(), cause };
        for entry in fs::read_dir(&path).map_err(unreadable).map_err(Worded::worded)? {
            let entry = entry.map_err(unreadable).map_err(Worded::worded)?;
            let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
            if entry.file_type().map_err(unreadable).map_err(Worded::worded)?.is_dir() {
                open.push((format!("{name}/"), entry.path()));
            } else {
                found.push((name, entry.path()));
            }
        }
    }
    found.sort_unstable();
    Ok(found)
}

enum Stored<'p> {
    Open(Box<RecordReader<'p, File>>),
    /// The first call to `next` returns the error.
    Failed(Option<String>),
}

impl<'p> Stored<'p> {
    fn open(path: &Path, plan: &'p Plan) -> Stored<'p> {
        match File::open(path) {
            Ok(file) => Stored::Open(Box::new(RecordReader::new(file, plan))),
            Err(cause) => Stored::Failed(Some(cause.to_string())),
        }
    }
}

impl Iterator for Stored<'_> {
    type Item = Result<RunResult, String>;

    fn next(&mut self) -> Option<Self::Item> {
        let result = match self {
            Stored::Open(reader) => reader.next()?,
            Stored::Failed(cause) => Err(cause.take()?),
        };
        Some(result.map(|(spec, end)| match end {
            End::Record(record) => RunResult::Record(Box::new((spec, *record))),
            End::Quarantined(Quarantined { attempts, kind, reason }) => {
                let kind = breakdown(&kind).unwrap_or(Breakdown::Crashed);
                RunResult::Quarantined(Box::new(QuarantinedRun { spec, attempts, kind, reason }))
            }
        }))
    }
}

pub(super) fn word(kind: Breakdown) -> &'static str {
    match kind {
        Breakdown::Crashed => "crashed",
        Breakdown::TimedOut => "timed-out",
        Breakdown::OutOfMemory => "out-of-memory",
        Breakdown::Lost => "lost",
    }
}

pub(crate) fn breakdown(kind: &str) -> Option<Breakdown> {
    Breakdown::ALL.into_iter().find(|one| word(*one) == kind)
}
