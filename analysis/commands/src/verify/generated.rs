//! Compares the files of a package with the files that are made from its records.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::slice::from_ref;
use std::time::{Duration, Instant};

use catherd_analysis::claims;
use catherd_analysis_archive::{Builder, Contents, FileEntry, Package, PackageError, Problem};
use catherd_analysis_results::CORPUS as DESCRIPTION;
use catherd_cli_console::Failure;
use catherd_cli_console::terminal::plural;
use catherd_cli_failures::Worded;
use catherd_experiments::{CorpusDescription, Digest, Measures, Plan, ProjectSource};
use catherd_interface::{FoundProject, SubjectKind};

use super::package::MAX_PLAN_BYTES;
use super::projects::Projects;
use super::tools::Unpacked;
use crate::Program;
use crate::archive::assembly::{Assembly, add_manifest};
use crate::archive::corpus::{self, CORPORA, CORPUS_FILES};
use crate::archive::cost::Cost;
use crate::archive::program;
use crate::archive::tools::is_of_tools;

/// Measuring is limited, because a package can contain any number of projects.
const MEASURING: Duration = Duration::from_secs(15);

const MAX_CLAIMS_BYTES: u64 = 16 << 20;

const MAX_NAMED: usize = 8;

pub(super) struct Generated {
    pub(super) files: usize,
    /// Number of projects whose measures and goals were not compared.
    unmeasured: usize,
    /// Number of projects whose sizes were not compared.
    absent: usize,
    source: bool,
    wheels: bool,
    /// Whether the program in the package is a different build.
    other_program: bool,
}

impl Generated {
    /// Lists what was not checked. `unexecuted` is the number of records whose runs are not
    /// executed again.
    pub(super) fn unchecked(&self, unexecuted: usize) -> String {
        let mut parts = Vec::new();
        if unexecuted > 0 {
            parts.push(format!("the execution of {}", plural(unexecuted, "run")));
        }
        if self.unmeasured > 0 {
            parts.push(format!("measures of {}", plural(self.unmeasured, "project")));
        }
        if self.absent > 0 {
            parts.push(format!("sizes of {}", plural(self.absent, "project")));
        }
        if self.source {
            parts.push("source code".to_owned());
        }
        if self.wheels {
            parts.push("packages for environments".to_owned());
        }
        if self.other_program {
            parts.push(format!(
                "{} and its licences, which are of a different build",
                program::PROGRAM
            ));
        }
        parts.push("times, hosts, names, and where projects are from".to_owned());
        parts.join("; ")
    }
}

pub(super) struct Made<'a> {
    pub(super) program: &'a Program,
    pub(super) plan: &'a Plan,
    pub(super) projects: &'a Projects,
    pub(super) cost: &'a Cost,
    pub(super) tools: Option<&'a Unpacked>,
    pub(super) work: &'a Path,
}

pub(super) fn compare(package: &mut Package, made_of: &Made<'_>) -> Result<Generated, Failure> {
    let Made { program, plan, projects, cost, tools, work } = *made_of;
    let contents = package.contents().clone();
    let name = format!("results/{DESCRIPTION}");
    let json = package.read(&name, MAX_PLAN_BYTES).map_err(Worded::worded)?;
    let description: CorpusDescription = serde_json::from_slice(&json)
        .map_err(|cause| package.refused(&name, Problem::Invalid(cause.to_string())).worded())?;
    let checked = description.check();
    checked.map_err(|e| package.refused(&name, Problem::Invalid(e.to_string())).worded())?;
    let claims = format!("results/{}", claims::FILE);
    let claims = contents.file(&claims).map(|_| package.read(&claims, MAX_CLAIMS_BYTES));
    let claims = claims.transpose().map_err(Worded::worded)?;
    let sources = sources(package, program, &contents, work)?;
    let mut builder = Builder::default();
    let assembly = Assembly {
        program,
        work,
        plan,
        projects: &description,
        digest: contents.results,
        with_projects: contents.with_projects,
        with_program: contents.with_program,
        with_corpora: !sources.files.is_empty(),
        claims: claims.as_deref(),
        authors: &contents.authors,
        cost,
        tools: tools.map(|tools| &tools.tools),
    };
    let (made, facts) = assembly.add_to(&mut builder)?;
    let sizes = sizes_in_manifest(package, plan)?;
    let mut given = BTreeMap::new();
    let mut absent = 0;
    add_manifest(&mut builder, plan, &sources, |number| {
        let digest = plan.projects[number].digest;
        let file = projects.included.get(&digest).cloned();
        let listed = file.as_ref().and_then(|name| contents.file(name)).map(|file| file.bytes);
        let found = || projects.found.get(&digest)?.bytes().ok().map(|bytes| bytes.len() as u64);
        let size = listed.or_else(found).unwrap_or_else(|| {
            absent += 1;
            sizes[number]
        });
        (size, file)
    })?;
    if contents.with_program {
        program::add(program, &mut builder, plan)?;
        // Add only the names of source files, because their contents do not depend on other parts
        // of the package.
        for file in source_files(&contents) {
            builder.bytes(file.name.clone(), Vec::new());
        }
    }
    // The contents of tools have been compared with the digests in the study, and wheels are not
    // checked.
    for file in contents.files.iter().filter(|file| is_of_tools(&file.name) && tools.is_some()) {
        if builder.names().all(|name| name != file.name) {
            builder.bytes(file.name.clone(), Vec::new());
            given.insert(file.name.clone(), file.sha256);
        }
    }
    for (name, path) in &sources.files {
        builder.file(name, path);
    }
    let listed = contents.files.iter().filter(|file| !Assembly::is_description(&file.name));
    assembly.describe(&mut builder, &facts, listed.map(|file| file.bytes).sum())?;
    let mut expected: BTreeMap<String, Digest> = builder
        .entries()
        .map_err(Worded::worded)?
        .into_iter()
        .map(|file| (file.name, file.sha256))
        .collect();
    let files = expected.len();
    let listed = contents.file(program::PROGRAM).map(|file| file.sha256);
    let other_program = listed.is_some() && listed != expected.get(program::PROGRAM).copied();
    if other_program && contents.with_program {
        // Another build may contain other crates.
        for name in [program::PROGRAM, program::THIRD_PARTY] {
            let listed = contents.file(name).map(|file| file.sha256);
            expected.extend(listed.map(|listed| (name.to_owned(), listed)));
        }
    }
    expected.extend(given);
    expected.extend(projects.included.iter().map(|(digest, name)| (name.clone(), *digest)));
    let source = source_files(&contents).map(|file| (file.name.clone(), file.sha256));
    expected.extend(source.filter(|_| contents.with_program));
    differences(package, &expected)?;
    if (Contents { files: contents.files.clone(), ..made }) != contents {
        return Err(other(package, Contents::FILE, &[]));
    }
    let unmeasured =
        measure(package, program.kind(&plan.subject)?, plan, &description, projects, work)?;
    let source = source_files(&contents).next().is_some();
    let wheels = tools.is_some_and(|tools| tools.tools.wheels);
    Ok(Generated { wheels, files, unmeasured, absent, source, other_program })
}

fn source_files(contents: &Contents) -> impl Iterator<Item = &FileEntry> {
    contents.files.iter().filter(|file| file.name.starts_with(program::SOURCE))
}

fn differences(package: &Package, expected: &BTreeMap<String, Digest>) -> Result<(), Failure> {
    let contents = package.contents();
    let extra = contents.files.iter().find(|file| !expected.contains_key(&file.name));
    if let Some(extra) = extra {
        let problem = "does not belong in a package of this study";
        let problem = Problem::Invalid(problem.to_owned());
        return Err(package.refused(&extra.name, problem).worded());
    }
    let lacks = |name: &&String| contents.file(name).is_none();
    if let Some(missing) = expected.keys().find(lacks) {
        return Err(package.refused(missing, Problem::Missing).worded());
    }
    let differs = |(name, digest): &(&String, &Digest)| {
        contents.file(name).is_none_or(|file| file.sha256 != **digest)
    };
    let mut differing: Vec<&str> =
        expected.iter().filter(differs).map(|(name, _)| name.as_str()).collect();
    // Name this table first, because other files are computed from it.
    differing.sort_by_key(|name| *name != "results/runs.csv");
    match differing.split_first() {
        None => Ok(()),
        Some((first, more)) => Err(other(package, first, more)),
    }
}

fn other(package: &Package, first: &str, more: &[&str]) -> Failure {
    let refused = package.refused(first, Problem::NotGenerated);
    let more = match more.len() {
        0 => String::new(),
        1..=MAX_NAMED => format!("; the same is true of {}", more.join(", ")),
        n => format!(
            "; the same is true of {} and {} more",
            more[..MAX_NAMED].join(", "),
            n - MAX_NAMED
        ),
    };
    let (theirs, own) = (&package.contents().catherd, env!("CARGO_PKG_VERSION"));
    let hint = match theirs == own {
        true => "get the package again from where it is published".to_owned(),
        false => format!(
            "verify it with catherd {theirs}, which wrote it: this is catherd {own}, whose files may \
             differ"
        ),
    };
    Failure::new(format_args!("{refused}{more}")).hint(hint)
}

fn sources(
    package: &mut Package,
    program: &Program,
    contents: &Contents,
    work: &Path,
) -> Result<corpus::Sources, Failure> {
    let mut named = BTreeMap::new();
    let names = contents.files.iter().map(|file| file.name.clone());
    for name in names.filter(|name| name.starts_with(&format!("{CORPORA}/"))) {
        let parts: Vec<&str> = name.split('/').collect();
        let [_, corpus, file] = parts[..] else { continue };
        if !CORPUS_FILES.contains(&file) {
            continue;
        }
        let other = CORPUS_FILES.map(|file| format!("{CORPORA}/{corpus}/{file}"));
        if let Some(missing) = other.iter().find(|name| contents.file(name).is_none()) {
            return Err(package.refused(missing, Problem::Missing).worded());
        }
        let bytes = package.read(&name, MAX_PLAN_BYTES).map_err(Worded::worded)?;
        let folder = work.join(CORPORA).join(corpus);
        let path = folder.join(file);
        let written = fs::create_dir_all(&folder).and_then(|()| fs::write(&path, bytes));
        written.map_err(|cause| PackageError::Io { path, cause }.worded())?;
        named.insert(corpus.to_owned(), folder);
    }
    corpus::Sources::of(program, named)
}

fn sizes_in_manifest(package: &mut Package, plan: &Plan) -> Result<Vec<u64>, Failure> {
    let table = package.read(corpus::FILE, MAX_PLAN_BYTES).map_err(Worded::worded)?;
    let mut rows = csv::Reader::from_reader(&*table).into_records();
    let size = |number: usize| {
        let row = rows.next().and_then(Result::ok);
        let size = row.and_then(|row| row.get(2)?.parse().ok());
        size.ok_or_else(|| {
            let cause = format!("row {} is missing or malformed", number + 1);
            package.refused(corpus::FILE, Problem::Invalid(cause)).worded()
        })
    };
    (0..plan.projects.len()).map(size).collect()
}

/// Returns the number of projects that were not compared.
fn measure(
    package: &mut Package,
    kind: &dyn SubjectKind,
    plan: &Plan,
    description: &CorpusDescription,
    projects: &Projects,
    work: &Path,
) -> Result<usize, Failure> {
    let has_none = description.measures.is_none() && description.goals.is_empty();
    // External tools are not executed here.
    if kind.tools().is_some() {
        return Ok(if has_none { 0 } else { plan.projects.len() });
    }
    let start = Instant::now();
    let mut compared = 0;
    for (number, planned) in plan.projects.iter().enumerate() {
        if start.elapsed() > MEASURING {
            break;
        }
        let project = match (projects.included.get(&planned.digest), &projects.found) {
            (Some(name), _) => unpacked(package, kind, name, planned.digest, work)?,
            (None, found) => found.get(&planned.digest).map(again),
        };
        let Some(project) = project else { continue };
        let project = project.renamed(planned.name.clone());
        if !is_described(kind, plan, number, &project, description)? {
            let name = format!("results/{DESCRIPTION}");
            let cause = format!(
                "project {} has different measures or goals when it is measured again",
                planned.name
            );
            return Err(package.refused(&name, Problem::Invalid(cause)).worded());
        }
        compared += 1;
    }
    Ok(plan.projects.len() - compared)
}

fn again(found: &FoundProject) -> FoundProject {
    let bytes = found.bytes().map_err(|cause| cause.to_string());
    FoundProject::new(found.name.clone(), found.path.clone(), found.digest, move || bytes.clone())
}

fn unpacked(
    package: &mut Package,
    kind: &dyn SubjectKind,
    name: &str,
    digest: Digest,
    work: &Path,
) -> Result<Option<FoundProject>, Failure> {
    let path = work.join("project").join(Path::new(name).file_name().unwrap_or_default());
    let failed = |cause| PackageError::Io { path: path.clone(), cause }.worded();
    let most = catherd_interface::files::LARGEST_PROJECT;
    let bytes = package.read(name, most).map_err(Worded::worded)?;
    fs::create_dir_all(work.join("project")).map_err(failed)?;
    fs::write(&path, bytes).map_err(failed)?;
    let found = kind.find(&ProjectSource::Paths(vec![path.clone()]), &());
    let found = found.map_err(Worded::worded)?.projects;
    let project = found.into_iter().find(|project| project.digest == digest);
    let project = project.as_ref().map(again);
    fs::remove_file(&path).map_err(failed)?;
    Ok(project)
}

fn is_described(
    kind: &dyn SubjectKind,
    plan: &Plan,
    number: usize,
    project: &FoundProject,
    description: &CorpusDescription,
) -> Result<bool, Failure> {
    let measures = kind.describe(from_ref(project)).map_err(Worded::worded)?;
    let same_measures = match (&measures, &description.measures) {
        (None, None) => true,
        (Some(made), Some(Measures { columns, rows })) => {
            made.columns.iter().eq(columns) && made.rows.first() == rows.get(number)
        }
        _ => false,
    };
    let goals = kind.name_goals(from_ref(project), &plan.algorithms).map_err(Worded::worded)?;
    let own = description.goals.iter().filter(|goals| goals.project == project.digest);
    Ok(same_measures && own.eq(&goals))
}
