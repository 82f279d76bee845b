//! Executes commands in a child process, because a hostile program can end or damage the process of
//! its engine.

use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use catherd_cli_console::{Exit, Failure, terminal};
use catherd_javascript_kind::classes::{Crash, Journal};
use catherd_platform::{on_stop, terminate, was_ended_by_another, with_mode};

/// Environment variable of a child: the process id of its parent.
const CHILD: &str = "CATHERD_EXECUTES_FOR";
/// Environment variable of a child: the file for the tests that the child finds.
const JOURNAL: &str = "CATHERD_JOURNAL";
/// Environment variable of a child: the file for the number of the current execution.
const NUMBER: &str = "CATHERD_EXECUTION";
/// Environment variable of a child: the executions that ended earlier children, as NUMBER:TARGET,
/// separated by commas.
const CRASHED: &str = "CATHERD_CRASHED";
/// Environment variable of a child: the exit status of the earlier child whose suite it writes.
const ENDED: &str = "CATHERD_ENDED";

/// An upper bound on the exit codes of `generate`, and the exit code after a second signal. A crash
/// ends with a different code or a signal.
const CODES: [i32; 2] = [4, 130];

const MAX_AGAIN: usize = 5;

const POLL: Duration = Duration::from_millis(20);

/// A second signal within this time is ignored, because a terminal sends a signal to both the
/// parent and the child, and the parent forwards it.
const SAME_WISH: Duration = Duration::from_secs(1);

/// Executes the command in a child process. Returns `None` in the child.
pub(crate) fn execute_apart(project: &Path) -> Option<Result<Exit, Failure>> {
    if is_child() {
        return None;
    }
    let ended = command(&[]).and_then(|mut command| command.status());
    Some(match ended {
        Ok(status) => match status.code() {
            Some(code) => std::process::exit(code),
            None => Err(died(project, status)),
        },
        Err(cause) => Err(not_started(&cause)),
    })
}

/// Generates a suite in child processes. After a crash, another child repeats a `repeatable` search
/// without the execution that crashed, or writes the tests found so far. Returns `None` in a child.
pub(crate) fn generate_apart(project: &Path, repeatable: bool) -> Option<Result<Exit, Failure>> {
    if is_child() {
        return None;
    }
    // Without these files, a crash loses the tests of the search.
    let files = Temporary::new("found.jsonl").and_then(|a| Ok([a, Temporary::new("number")?])).ok();
    let paths = files.as_ref().map(|files| files.each_ref().map(|file| file.0.as_path()));
    Some(match generate_in_children(project, repeatable, paths) {
        Ok(Ok(code)) => {
            drop(files);
            std::process::exit(code)
        }
        Ok(Err(failure)) => Err(failure),
        Err(cause) => Err(not_started(&cause)),
    })
}

/// A file that exists for the lifetime of this value. On Unix, only this user can read the file.
struct Temporary(PathBuf);

impl Temporary {
    fn new(name: &str) -> io::Result<Temporary> {
        let name = format!("catherd-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let mut options = OpenOptions::new();
        let options = with_mode(options.write(true).create_new(true), 0o600);
        let opened = options.open(&path).or_else(|_| {
            // A killed process with the same id may have left a file.
            std::fs::remove_file(&path)?;
            options.open(&path)
        });
        opened.map(|_| Temporary(path))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // Ignore the error: the file may not exist.
        let _ = std::fs::remove_file(&self.0);
    }
}

fn generate_in_children(
    project: &Path,
    repeatable: bool,
    files: Option<[&Path; 2]>,
) -> io::Result<Result<i32, Failure>> {
    let running: Arc<Mutex<Option<Child>>> = Arc::default();
    let told = Arc::clone(&running);
    // Ignore the error: without handlers, a signal ends this process, and the child writes its
    // tests.
    let _ = on_stop(move || {
        if let Some(child) = &*told.lock().unwrap_or_else(PoisonError::into_inner) {
            // Ignore the error: the child may already have ended.
            let _ = terminate(child);
        }
    });
    let given = files.iter().flat_map(|[journal, number]| [(JOURNAL, *journal), (NUMBER, *number)]);
    let mut variables: Vec<(&str, OsString)> =
        given.map(|(name, path)| (name, path.into())).collect();
    let mut crashed: Vec<String> = Vec::new();
    let mut last = false;
    loop {
        let child = command(&variables)?.spawn()?;
        *running.lock().unwrap_or_else(PoisonError::into_inner) = Some(child);
        let status = wait(&running)?;
        let code = status.code().filter(|code| (0..=CODES[0]).contains(code) || *code == CODES[1]);
        if let Some(code) = code {
            return Ok(Ok(code));
        }
        let Some([journal, number]) = files.filter(|_| !last) else {
            return Ok(Err(died(project, status)));
        };
        // SIGKILL comes from outside, so it shows no fault of the child.
        let own = repeatable && !was_ended_by_another(status) && crashed.len() < MAX_AGAIN;
        let crash = Journal::under_way(number).filter(|_| own);
        if let Some(crash) =
            crash.map(|crash| crash.to_string()).filter(|crash| !crashed.contains(crash))
        {
            crashed.push(crash);
            variables.retain(|(name, _)| *name != CRASHED);
            variables.push((CRASHED, crashed.join(",").into()));
            terminal::note("The search begins again without the test that ended the process.");
            continue;
        }
        if std::fs::metadata(journal).map_or(true, |file| file.len() == 0) {
            return Ok(Err(died(project, status)));
        }
        last = true;
        variables.push((ENDED, status.to_string().into()));
    }
}

fn wait(running: &Mutex<Option<Child>>) -> io::Result<ExitStatus> {
    loop {
        if let Some(child) = &mut *running.lock().unwrap_or_else(PoisonError::into_inner)
            && let Some(status) = child.try_wait()?
        {
            return Ok(status);
        }
        std::thread::sleep(POLL);
    }
}

fn command(variables: &[(&str, OsString)]) -> io::Result<Command> {
    let program: PathBuf = match cfg!(target_os = "linux") {
        true => "/proc/self/exe".into(),
        false => std::env::current_exe()?,
    };
    let mut command = Command::new(program);
    command.args(std::env::args_os().skip(1)).env(CHILD, std::process::id().to_string());
    command.envs(variables.iter().map(|(name, value)| (name, value)));
    Ok(command)
}

fn died(project: &Path, status: ExitStatus) -> Failure {
    let cause =
        format!("{}: the process of the JavaScript engine ended: {status}", project.display());
    Failure::new(cause)
        .hint("see what the program does with its memory; in a study, this counts as a crash")
}

fn not_started(cause: &io::Error) -> Failure {
    Failure::new(format!("cannot start a process for the JavaScript engine: {cause}"))
        .hint("see whether the system's limits allow more processes")
}

fn is_child() -> bool {
    std::env::var_os(CHILD).is_some()
}

/// Returns the journal of this child, and the exit status of the earlier child whose suite this
/// child writes, if there is one.
pub(crate) fn journal() -> (Journal, Option<String>) {
    let path = |name| std::env::var_os(name).map(PathBuf::from);
    let ended = std::env::var(ENDED).ok();
    let crashed = std::env::var(CRASHED).unwrap_or_default();
    let crashed = crashed.split(',').filter_map(|key| key.parse::<Crash>().ok()).collect();
    let journal = path(JOURNAL).zip(path(NUMBER)).and_then(|(path, number)| match ended {
        Some(_) => Journal::read(&path).ok(),
        None => Journal::create(&path, &number, crashed).ok(),
    });
    (journal.unwrap_or_default(), ended)
}

/// Returns a switch that the first signal sets. A signal more than [`SAME_WISH`]
/// later ends the process.
pub(crate) fn stop_at_signals() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let set = Arc::clone(&stop);
    let mut first: Option<Instant> = None;
    // Ignore the error: without handlers, the first signal ends the process.
    let _ = on_stop(move || {
        if first.get_or_insert_with(Instant::now).elapsed() > SAME_WISH {
            std::process::exit(CODES[1]);
        }
        set.store(true, Ordering::Relaxed);
    });
    stop
}

/// Whether the parent of this child has ended, which only Unix shows.
pub(crate) fn is_orphan() -> bool {
    let parent = std::env::var(CHILD).ok().and_then(|id| id.parse::<u32>().ok());
    #[cfg(unix)]
    let is = parent.is_some_and(|parent| parent != std::os::unix::process::parent_id());
    #[cfg(not(unix))]
    let is = parent.is_none();
    is
}
