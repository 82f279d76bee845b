//! Executes runs in a separate process, so that a subject that damages or ends its process affects
//! only its run.
//!
//! [`SubjectProcess`], a [`Runner`] in the worker, passes runs to the process. [`serve_subject`]
//! executes the runs in the process. Both exchange [`frames`] through the standard input and output
//! of the process. The process ends when its standard input closes, so it does not outlive its
//! worker.

mod frames;
mod server;
mod under_way;

use std::fs;
use std::io::{self, BufRead, BufReader, Write as _};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use catherd_experiments::{Digest, RunRecord, RunSpec};
use catherd_interface::{Examination, LoadError, RunError, RunProgress, Runner, Survival};
use catherd_platform::was_own_fault;

use frames::{Answer, Request};
use under_way::{Part, UnderWay};

pub use server::serve_subject;

/// The interval at which the worker checks whether the run must stop.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Time that a process may take to stop before it is killed.
const STOP_GRACE: Duration = Duration::from_secs(5);

/// Maximum number of parts of a run that are left out because the process ended during them.
const MAX_LEFT_OUT: usize = 5;

/// A runner that passes runs to a separate process.
pub struct SubjectProcess {
    start: Box<dyn Fn() -> Command + Send>,
    /// The file in which the process marks that the system refused it memory.
    mark: Option<PathBuf>,
    /// The file in which the process writes which part of a run it executes.
    under_way: Option<UnderWay>,
    /// The project of the runs that follow.
    project: Option<(Digest, Arc<[u8]>)>,
    alive: Option<Alive>,
}

struct Alive {
    child: Child,
    input: ChildStdin,
    answers: Receiver<Answer>,
    /// The last significant line of the standard error of the process.
    last_words: Arc<Mutex<String>>,
    errors: Option<thread::JoinHandle<()>>,
    loaded: Option<Digest>,
    /// The number of processes of the cgroup that had been killed for lack of memory when this
    /// process was started.
    oom_kills: u64,
}

enum Lost {
    /// The process has ended, or its answer cannot be used.
    Process,
    Run(RunError),
}

impl From<RunError> for Lost {
    fn from(error: RunError) -> Lost {
        Lost::Run(error)
    }
}

impl SubjectProcess {
    /// A runner whose process is started by a command when it is needed. The command calls
    /// [`serve_subject`], with the same file for its mark.
    pub fn new(
        start: impl Fn() -> Command + Send + 'static,
        mark: Option<PathBuf>,
    ) -> SubjectProcess {
        SubjectProcess { start: Box::new(start), mark, under_way: None, project: None, alive: None }
    }

    /// Starts the process and loads the project if necessary.
    fn prepared(&mut self) -> Result<&mut Alive, Lost> {
        let Some((digest, bytes)) = &self.project else {
            return Err(RunError::Failed("no project is loaded".to_owned()).into());
        };
        let alive = match &mut self.alive {
            Some(alive) => alive,
            none => none.insert(Alive::start((self.start)()).map_err(|cause| {
                RunError::Crashed(format!("cannot start the process of the subject: {cause}"))
            })?),
        };
        if alive.loaded != Some(*digest) {
            alive.loaded = None;
            alive.send(&Request::Load(*digest, bytes.to_vec()));
            match alive.answers.recv() {
                Ok(Answer::Loaded(result)) => drop(result.map_err(RunError::Failed)?),
                _ => return Err(Lost::Process),
            }
            alive.loaded = Some(*digest);
        }
        Ok(alive)
    }

    fn attempt(
        &mut self,
        spec: &RunSpec,
        survival: &Survival,
        on_progress: &mut dyn FnMut(RunProgress) -> ControlFlow<()>,
    ) -> Result<RunRecord, Lost> {
        let alive = self.prepared()?;
        alive.send(&Request::Run(Box::new(spec.clone()), survival.clone()));
        let mut progress = RunProgress::default();
        let mut stopping: Option<Instant> = None;
        loop {
            match alive.answers.recv_timeout(POLL_INTERVAL) {
                Ok(Answer::Progress(now)) => progress = now,
                Ok(Answer::Ended(result)) => return Ok((*result)?),
                Ok(Answer::Loaded(_)) | Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) if stopping.is_some() => {
                    self.alive = None;
                    return Err(RunError::Stopped.into());
                }
                Err(RecvTimeoutError::Disconnected) => return Err(Lost::Process),
            }
            match stopping {
                Some(since) if since.elapsed() > STOP_GRACE => {
                    self.alive = None;
                    return Err(RunError::Stopped.into());
                }
                Some(_) => {}
                None if on_progress(progress.clone()).is_break() => {
                    alive.send(&Request::Stop);
                    stopping = Some(Instant::now());
                }
                None => {}
            }
        }
    }

    fn error(&mut self, lost: Lost) -> RunError {
        match lost {
            Lost::Process => self.death(None).0,
            Lost::Run(error) => error,
        }
    }

    /// Why the process has ended. The status is returned only if a fault of the process itself
    /// ended the process, because a repetition would then probably end in the same way.
    fn death(&mut self, part: Option<&Part>) -> (RunError, Option<ExitStatus>) {
        let during = part.map_or(String::new(), |part| format!(" during {part}"));
        let Some(mut alive) = self.alive.take() else {
            let error = format!("the process of the subject has ended{during}");
            return (RunError::Crashed(error), None);
        };
        let (status, last_words) = alive.wait();
        let marked = self.mark.as_ref().is_some_and(|mark| {
            let marked = fs::metadata(mark).is_ok_and(|file| file.len() > 0);
            // The next process empties the file.
            let _ = fs::remove_file(mark);
            marked
        });
        if marked || oom_kills() > alive.oom_kills {
            let reason = format!("it took more memory than its worker may use{during}");
            return (RunError::OutOfMemory(reason), None);
        }
        let own = status.filter(|status| was_own_fault(*status));
        let status =
            status.map_or_else(|| "its exit status is unknown".to_owned(), |s| s.to_string());
        let error = RunError::Crashed(match last_words.as_str() {
            "" => format!("the process of the subject has ended{during}: {status}"),
            words => format!("the process of the subject has ended{during}: {words} ({status})"),
        });
        (error, own)
    }

    /// Executes a run, and may repeat it if the process has ended through its own fault. If two
    /// successive processes have ended in the same way during the same part of the run, that part
    /// is left out from then on.
    fn survive(
        &mut self,
        spec: &RunSpec,
        on_progress: &mut dyn FnMut(RunProgress) -> ControlFlow<()>,
    ) -> Result<RunRecord, RunError> {
        // Without the file, the run cannot be repeated if the process ends.
        self.under_way =
            self.under_way.take().or_else(|| UnderWay::next_to(self.mark.as_deref()).ok());
        let path = self.under_way.as_ref().map(|file| file.path().to_owned());
        let (path, mut left_out) = (path.unwrap_or_default(), Vec::new());
        let mut before: Option<(Part, ExitStatus)> = None;
        loop {
            let survival = Survival { under_way: path.clone(), left_out: left_out.clone() };
            // The end of a process before the first part must not be attributed to a part that an
            // earlier process executed.
            let _ = fs::write(&path, b"");
            let lost = match self.attempt(spec, &survival, on_progress) {
                Ok(record) => return Ok(record),
                Err(Lost::Run(error)) => return Err(error),
                Err(Lost::Process) => Part::read(&path),
            };
            let (error, status) = self.death(lost.as_ref());
            // With a budget of real time, a repetition would be a different search.
            let again = spec.budget.wall_ms.is_none() && left_out.len() < MAX_LEFT_OUT;
            let (Some(part), Some(status), true) = (lost, status, again) else { return Err(error) };
            match before.take() {
                None => before = Some((part, status)),
                Some(same) if same == (part.clone(), status) => left_out.push(part.key),
                Some(_) => return Err(error),
            }
        }
    }
}

impl Runner for SubjectProcess {
    fn load(&mut self, digest: Digest, bytes: Arc<[u8]>) -> Result<(), LoadError> {
        // The process loads the project before the next run, so a project that ends the process
        // affects only its own runs.
        self.project = Some((digest, bytes));
        Ok(())
    }

    fn examine(&mut self, asked: &Examination) -> Result<Vec<(String, String)>, LoadError> {
        let examined = self.prepared().and_then(|alive| {
            alive.send(&Request::Examine(asked.clone()));
            match alive.answers.recv() {
                Ok(Answer::Loaded(result)) => Ok(result.map_err(RunError::Failed)?),
                _ => Err(Lost::Process),
            }
        });
        examined.map_err(|lost| self.error(lost).to_string().into())
    }

    fn processor_time(&self) -> Duration {
        catherd_platform::processor_time_with(self.alive.as_ref().map(|alive| &alive.child))
    }

    fn run(
        &mut self,
        spec: &RunSpec,
        on_progress: &mut dyn FnMut(RunProgress) -> ControlFlow<()>,
    ) -> Result<RunRecord, RunError> {
        self.survive(spec, on_progress)
    }
}

impl Alive {
    fn start(mut command: Command) -> std::io::Result<Alive> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = catherd_platform::new_group(&mut command).spawn()?;
        let missing = || std::io::Error::other("a pipe is missing");
        let input = child.stdin.take().ok_or_else(missing)?;
        let output = child.stdout.take().ok_or_else(missing)?;
        let errors = child.stderr.take().ok_or_else(missing)?;
        let last_words = Arc::default();
        let heard = Arc::clone(&last_words);
        let errors = thread::Builder::new()
            .name("subject-errors".to_owned())
            .spawn(move || listen(errors, &heard))?;
        let answers = receive(output)?;
        Ok(Alive {
            child,
            input,
            answers,
            last_words,
            errors: Some(errors),
            loaded: None,
            oom_kills: oom_kills(),
        })
    }

    fn send(&mut self, request: &Request) {
        // If the process has ended, the end of the answers shows it.
        let _ = request.write(&mut self.input);
    }

    /// Returns the status, unless the process does not end in time, and the last line of standard
    /// error.
    fn wait(&mut self) -> (Option<ExitStatus>, String) {
        let since = Instant::now();
        let status = loop {
            match self.child.try_wait() {
                Ok(Some(status)) => break Some(status),
                Ok(None) if since.elapsed() < STOP_GRACE => thread::sleep(POLL_INTERVAL / 10),
                _ => break None,
            }
        };
        if status.is_some()
            && let Some(errors) = self.errors.take()
        {
            let _ = errors.join();
        }
        let words = self.last_words.lock().unwrap_or_else(PoisonError::into_inner).clone();
        (status, words)
    }
}

impl Drop for SubjectProcess {
    fn drop(&mut self) {
        self.alive = None;
        if let Some(mark) = &self.mark {
            // The file does not exist if the process was not started.
            let _ = fs::remove_file(mark);
        }
    }
}

impl Drop for Alive {
    fn drop(&mut self) {
        // The process may already have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The number of processes in the cgroup of this worker that were killed for lack of memory.
fn oom_kills() -> u64 {
    let group = catherd_platform::own_cgroup_leaf();
    group.and_then(|group| catherd_platform::oom_kills(&group)).unwrap_or(0)
}

fn receive(output: ChildStdout) -> std::io::Result<Receiver<Answer>> {
    let (sender, receiver) = mpsc::channel();
    let mut output = BufReader::new(output);
    thread::Builder::new().name("subject-answers".to_owned()).spawn(move || {
        while let Ok(Some(answer)) = Answer::read(&mut output) {
            if sender.send(answer).is_err() {
                return;
            }
        }
    })?;
    Ok(receiver)
}

/// Maximum length of the line that is kept, in bytes.
const MAX_LINE: usize = 2 << 10;

/// Copies the standard error of a process to the standard error of the worker, and keeps the last
/// line that is neither empty nor a note.
fn listen(errors: ChildStderr, last: &Mutex<String>) {
    let mut errors = BufReader::new(errors);
    let mut line = Vec::new();
    while errors.read_until(b'\n', &mut line).is_ok_and(|count| count > 0) {
        let text = String::from_utf8_lossy(&line);
        let text = text.trim_end();
        // Standard error of the worker may be closed.
        let _ = io::stderr().write_all(format!("{text}\n").as_bytes());
        if !text.is_empty() && !text.starts_with("note: ") {
            let kept = catherd_experiments::text::truncated(text, MAX_LINE).into_owned();
            *last.lock().unwrap_or_else(PoisonError::into_inner) = kept;
        }
        line.clear();
    }
}
