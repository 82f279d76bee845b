//! Verifies a replication package: its files, its records, and a sample of its runs.

use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::slice::from_ref;

use catherd_analysis_archive::records::{self, End, Quarantined, ResultsDigest};
use catherd_analysis_archive::{Contents, Package, PackageError, Problem, RunCounts};
use catherd_analysis_results::MANIFEST;
use catherd_cli_console::terminal::{self, BARS, plural};
use catherd_cli_console::{Exit, Failure, places};
use catherd_cli_failures::Worded;
use catherd_experiments::{Digest, Plan, RunOutcome, RunSpec};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;
use tempfile::TempDir;

use super::projects::Projects;
use super::signature::Trust;
use super::tools::Unpacked;
use super::{Arguments, Choice, Sample, generated, lot, report_runs, signature};
use crate::Program;
use crate::archive::assembly::breakdown;
use crate::archive::cost::Cost;
use crate::archive::file_digest;
use crate::replay::execute;

pub(super) const MAX_PLAN_BYTES: u64 = 1 << 30;

pub(super) fn run(arguments: &Arguments, program: &Program) -> Result<Exit, Failure> {
    let path = arguments.stored.study();
    let work = work_folder()?;
    let mut package = match path.is_dir() {
        true => Package::open_folder(path, &work.path().join("package.zip")),
        false => Package::open(path),
    }
    .map_err(Worded::worded)?;
    let total = package.contents().files.iter().map(|file| file.bytes).sum();
    let bar = BARS.add(ProgressBar::new(total));
    let style = ProgressStyle::with_template("{wide_bar:.cyan/dim} {bytes} of {total_bytes}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    package.check(|bytes| bar.inc(bytes)).map_err(Worded::worded)?;
    bar.finish_and_clear();
    let archive = if path.is_dir() { None } else { Some(file_digest(path)?) };
    let trust = Trust {
        statement: arguments.statement.as_deref(),
        signers: arguments.allowed_signers.as_deref(),
    };
    let signed = signature::check(path, package.contents(), archive, &trust)?;

    let plan = read_plan(&mut package)?;
    let (choice, cost) = read_records(&mut package, &plan, work.path(), arguments)?;
    let tools = Unpacked::of(&mut package, &plan)?;
    let projects = Projects::find(program, &plan, package.contents(), &arguments.projects)?;
    let made_of = generated::Made {
        program,
        plan: &plan,
        projects: &projects,
        cost: &cost,
        tools: tools.as_ref(),
        work: work.path(),
    };
    let generated = generated::compare(&mut package, &made_of)?;
    let contents = package.contents().clone();
    let RunCounts { planned, .. } = contents.runs;
    let sha256 = archive.map(|digest| format!("SHA-256 {digest}\n")).unwrap_or_default();
    let mut text = format!(
        "{}: intact, {} and {}\n{}{signed}results {}\n{} made again from the records: the same bytes\n",
        path.display(),
        plural(contents.files.len() + 1, "file"),
        plural(contents.runs.records() as usize, "record"),
        sha256,
        contents.results,
        plural(generated.files, "file"),
    );
    if contents.interim {
        text += &format!("interim: {} of {planned} runs\n", contents.runs.ended());
    }
    let unexecuted = contents.runs.records() as usize - choice.chosen.len();
    text += &format!("not checked: {}\n", generated.unchecked(unexecuted));
    let about = json!({
        "package": path.display().to_string(), "results": contents.results,
        "files": contents.files.len() + 1, "records": contents.runs.records(),
        "remade": generated.files, "interim": contents.interim,
        "not_checked": generated.unchecked(unexecuted), "runs": 0, "differing": [],
    });
    if !arguments.json {
        terminal::print(&text);
    }
    if arguments.sample == Sample::Runs(0) {
        if arguments.json {
            terminal::print(&format!("{about:#}\n"));
        }
        return Ok(Exit::Success);
    }
    executable(program, &contents, arguments)?;
    let projects = projects.of_sample(package, &choice)?;
    let folder = match &tools {
        None => arguments.stored.tools().clone(),
        Some(tools) => tools.prepare(&plan, &choice, &projects)?,
    };
    let spool = tools.as_ref().map_or_else(|| "spool".into(), Unpacked::spool);
    report_runs(arguments, &choice, about, |spec| {
        let bytes = projects.bytes(spec.project)?;
        let executed = execute(program, spec, bytes, &spool, &[], from_ref(&folder));
        executed.map(|record| record.digest()).map_err(|failure| failure.cause().to_owned())
    })
}

pub(super) fn work_folder() -> Result<TempDir, Failure> {
    places::work_folder("catherd-verify-")
}

fn executable(
    program: &Program,
    contents: &Contents,
    arguments: &Arguments,
) -> Result<(), Failure> {
    let Contents { subject, engine, catherd, .. } = contents;
    program.kind(subject)?;
    if let Some(other) = program.another_engine(subject, engine) {
        return Err(Failure::new(format_args!("the runs are {other}"))
            .hint(format!("build catherd {catherd} with the Cargo.lock of the package")));
    }
    if program.kinds.runs_programs(subject) && !arguments.run_programs {
        return Err(Failure::new(format_args!(
            "runs of kind `{subject}` execute programs that the package names"
        ))
        .hint("read its study.toml; if you trust the package, give --run-programs"));
    }
    Ok(())
}

fn read_plan(package: &mut Package) -> Result<Plan, Failure> {
    let name = format!("results/{MANIFEST}");
    let json = package.read(&name, MAX_PLAN_BYTES).map_err(Worded::worded)?;
    let invalid = |cause: String| package.refused(&name, Problem::Invalid(cause));
    let plan: Plan = serde_json::from_slice(&json)
        .map_err(|cause| invalid(cause.to_string()))
        .map_err(Worded::worded)?;
    // The engine is checked before runs are executed.
    let engines = [(plan.subject.clone(), plan.engine.clone())].into();
    plan.check(&engines).map_err(|cause| invalid(cause.to_string())).map_err(Worded::worded)?;
    let Contents { study, subject, engine, runs, .. } = package.contents();
    let same = (&plan.name, &plan.subject, &plan.engine) == (study, subject, engine);
    if !same || plan.count() as u64 != runs.planned {
        return Err(invalid(format!("is not the plan of {}", Contents::FILE)).worded());
    }
    Ok(plan)
}

fn read_records(
    package: &mut Package,
    plan: &Plan,
    work: &Path,
    arguments: &Arguments,
) -> Result<(Choice, Cost), Failure> {
    let path = arguments.stored.study();
    let Contents { runs, results, .. } = package.contents().clone();
    let bar = terminal::bar(runs.ended() as usize);
    let mut digests = ResultsDigest::default();
    let (mut found, mut eligible, mut skipped) = (RunCounts::default(), 0, 0);
    let mut cost = Cost::default();
    let most = arguments.sample.of(runs.records() as usize);
    let mut smallest = BinaryHeap::new();
    let wrong = |cause: String| PackageError::File {
        path: path.to_owned(),
        name: records::FILE.to_owned(),
        problem: Problem::Invalid(cause),
    };
    let copy = work.join(records::FILE);
    let failed = |cause| PackageError::Io { path: copy.clone(), cause }.worded();
    let mut copied = BufWriter::new(File::create(&copy).map_err(failed)?);
    for (number, line) in
        records::RecordReader::new(package.reader(records::FILE).map_err(Worded::worded)?, plan)
            .enumerate()
    {
        let (spec, end) = line.map_err(wrong).map_err(Worded::worded)?;
        let (line, record) = records::line(&spec, &end).map_err(Failure::new)?;
        copied.write_all(&line).map_err(failed)?;
        bar.inc(1);
        let outcome = match end {
            End::Record(record) => record,
            End::Quarantined(Quarantined { kind, .. }) => {
                if breakdown(&kind).is_none() {
                    let cause =
                        format!("line {}: `{kind}` is not an end of an attempt", number + 1);
                    return Err(wrong(cause).worded());
                }
                found.quarantined += 1;
                continue;
            }
        };
        let Some(digest) = record else { continue };
        digests.add(spec.id(), digest);
        cost.add(&spec, &outcome);
        let fine = matches!(outcome.outcome, RunOutcome::Done | RunOutcome::NoGoals);
        *(if fine { &mut found.done } else { &mut found.failed }) += 1;
        if super::by_real_time(&spec, &outcome) {
            skipped += 1;
        } else {
            eligible += 1;
            smallest.push(Lot { lot: lot(arguments.seed, &spec), spec, digest });
            if smallest.len() > most {
                smallest.pop();
            }
        }
    }
    bar.finish_and_clear();
    copied.flush().map_err(failed)?;
    let counts = |counts: RunCounts| (counts.done, counts.failed, counts.quarantined);
    if counts(found) != counts(runs) || digests.finish() != results {
        return Err(wrong(format!("the records are not those of {}", Contents::FILE)).worded());
    }
    let mut chosen = smallest.into_sorted_vec();
    chosen.truncate(arguments.sample.of(eligible));
    let chosen = chosen.into_iter().map(|Lot { spec, digest, .. }| (spec, digest)).collect();
    Ok((Choice::new(chosen, eligible, skipped, Vec::new()), cost))
}

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

pub(super) fn is_package(path: &Path) -> bool {
    path.join(Contents::FILE).is_file()
        || path.is_file()
        || (!path.exists() && path.extension().is_some_and(|ending| ending == "zip"))
}
