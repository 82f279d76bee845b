//! Execution of a suite on many projects. Reports are written in the order of the projects.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;

use catherd_cli_console::{Exit, Failure, terminal};
use catherd_scratch_corpora::LoadedProject;
use catherd_scratch_grading_report::{ProjectReport, Table};

use super::output::{Output, unwritable};
use super::suite::LoadedSuite;

/// Maximum number of finished reports, for each thread, that wait to be received by the thread that
/// writes reports.
const MAX_WAITING: usize = 64;

pub(super) fn projects_in(path: &Path) -> Result<Option<Vec<PathBuf>>, Failure> {
    if path == Path::new("-") {
        let lines = io::stdin().lock().lines();
        let lines = lines.collect::<Result<Vec<_>, _>>().map_err(|error| {
            Failure::new(format!("standard input: {error}")).hint("write one path on each line")
        })?;
        let paths = lines.iter().map(|line| line.trim()).filter(|line| !line.is_empty());
        let paths: Vec<PathBuf> = paths.map(PathBuf::from).collect();
        if paths.is_empty() {
            let error = Failure::new("standard input: names no projects");
            return Err(error.hint("write the path of a project on each line"));
        }
        return Ok(Some(paths));
    }
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
        let extension = path.extension().unwrap_or_default();
        ["sb3", "sb2"].into_iter().any(|known| extension.eq_ignore_ascii_case(known))
            || path.join("project.json").exists()
    });
    paths.sort();
    if paths.is_empty() {
        let error = format!("{}: the folder contains no projects", path.display());
        return Err(Failure::new(error).hint("name an .sb3 file, or a folder of such files"));
    }
    Ok(Some(paths))
}

#[derive(Clone, Copy)]
pub(super) struct Schedule {
    pub(super) threads: Option<NonZeroUsize>,
    pub(super) fail_fast: bool,
}

pub(super) fn run(
    suite: &LoadedSuite,
    paths: &[PathBuf],
    schedule: Schedule,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let cores = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let threads = schedule.threads.map_or_else(cores, NonZeroUsize::get).clamp(1, 1024);
    let threads = threads.min(paths.len().max(1));
    let bar = terminal::bar(paths.len());
    let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    let (send, receive) = mpsc::sync_channel(threads * MAX_WAITING);
    let work = |send: mpsc::SyncSender<(usize, ProjectReport)>| {
        while !stop.load(Ordering::Relaxed) {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(path) = paths.get(number) else { return };
            let report = suite.execute_at(path);
            bar.inc(1);
            // The receiver was dropped after an error in writing, or because of `fail_fast`.
            if send.send((number, report)).is_err() {
                return;
            }
        }
    };
    let all_passed = std::thread::scope(|scope| {
        for _ in 0..threads {
            let send = send.clone();
            scope.spawn(|| work(send));
        }
        drop(send);
        let (mut waiting, mut written, mut all_passed) = (BTreeMap::new(), 0, true);
        while let Ok((number, report)) = receive.recv() {
            waiting.insert(number, report);
            while let Some(report) = waiting.remove(&written) {
                written += 1;
                all_passed &= report.passed();
                let failed = output.project(&report);
                if failed.is_err() || (schedule.fail_fast && !all_passed) {
                    stop.store(true, Ordering::Relaxed);
                    // Threads that wait to send end when the receiver is dropped.
                    drop(receive);
                    return failed.map(|()| all_passed);
                }
            }
        }
        Ok(all_passed)
    });
    bar.finish_and_clear();
    let all_passed = all_passed?;
    output.end()?;
    Ok(if all_passed { Exit::Success } else { Exit::Incomplete })
}

/// A table that an earlier command has begun.
pub(super) struct Resumed {
    /// The file, positioned after the last row that is kept.
    pub(super) file: File,
    pub(super) table: Option<Table>,
    /// Number of projects whose rows are kept.
    pub(super) kept: usize,
    pub(super) all_passed: bool,
}

/// Keeps the leading rows that belong to the same projects and inputs.
pub(super) fn resume(
    path: &Path,
    suite: &LoadedSuite,
    paths: &[PathBuf],
) -> Result<Resumed, Failure> {
    let failed = |error: &io::Error| unwritable(path, error);
    let no_table = || {
        let error = format!("{}: not a table of catherd test", path.display());
        Failure::new(error).hint("name another file with -o")
    };
    let bytes = match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        bytes => bytes.map_err(|error| failed(&error))?,
    };
    let text = match std::str::from_utf8(&bytes) {
        Ok(text) => text,
        // A command that was killed may have written a part of a character.
        Err(error) if error.error_len().is_none() => {
            std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default()
        }
        Err(_) => return Err(no_table()),
    };
    let mut reader =
        csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
    let mut record = csv::StringRecord::new();
    let (mut table, mut end, mut kept, mut all_passed) = (None, 0, 0, true);
    let mut executed = false;
    let mut columns = HashMap::new();
    while let Ok(true) = reader.read_record(&mut record) {
        let next = reader.position().byte() as usize;
        // A command that was killed may have written an incomplete row.
        if !text[..next.min(text.len())].ends_with('\n') {
            break;
        }
        if table.is_none() {
            table = Table::resumed(record.iter());
            if table.is_none() {
                return Err(no_table());
            }
            columns = record.iter().enumerate().map(|(at, name)| (name.to_owned(), at)).collect();
        } else {
            let cell = |name: &str| columns.get(name).and_then(|at| record.get(*at));
            let Some(project) = paths.get(kept) else { break };
            let inputs = LoadedProject::read(project).ok();
            let inputs = inputs.map(|subject| suite.inputs_with(&subject.digest));
            // The row of a project that cannot be read has no inputs.
            if cell("project") != Some(&project.display().to_string())
                || cell("inputs") != Some(inputs.as_deref().unwrap_or_default())
            {
                break;
            }
            executed |= inputs.is_some();
            all_passed &= [cell("failed"), cell("error")] == [Some("0"); 2];
            kept += 1;
        }
        end = next;
    }
    if !executed {
        // Only rows of executed projects show that the header belongs to this suite.
        (table, end, kept, all_passed) = (None, 0, 0, true);
    }
    let file = OpenOptions::new().create(true).write(true).truncate(false).open(path);
    let mut file = file.map_err(|error| failed(&error))?;
    file.set_len(end as u64).map_err(|error| failed(&error))?;
    io::Seek::seek(&mut file, io::SeekFrom::End(0)).map_err(|error| failed(&error))?;
    Ok(Resumed { file, table, kept, all_passed })
}
