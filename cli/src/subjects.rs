//! The subject kinds of this program, which are listed only here, and their runners.

pub(crate) mod execute;
mod limits;
mod listing;

use std::path::{Path, PathBuf};
use std::process::Command as Process;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use catherd_analysis_commands::{Origin, Program};
use catherd_cli_console::Failure;
use catherd_experiments::{Digest, Study};
use catherd_interface::command::Command;
use catherd_interface::noop::Noop;
use catherd_interface::{Examination, Kinds, Runner, RunnerContext, SubjectKind};
use catherd_javascript_kind::JavaScript;
use catherd_scratch_grading_kind::Suites;
use catherd_scratch_kind::Scratch;
use catherd_sequences_kind::Sequences;
use catherd_worker::SubjectProcess;

use crate::failure::Worded;
use crate::licences;
use crate::programs::Isolation;

pub(crate) use limits::{WorkLimits, units};
pub(crate) use listing::{Arguments, run};

/// The subject kinds. The first kind is the default for studies that name no kind.
static KINDS: LazyLock<Kinds> = LazyLock::new(|| {
    Kinds::new(Scratch)
        .with(Suites)
        .with(Sequences)
        .with(JavaScript::examined_by(examine))
        .with(Command)
        .with(Noop)
});

/// The parts of this program that commands about results need.
pub(crate) static PROGRAM: LazyLock<Program> = LazyLock::new(|| Program {
    kinds: &KINDS,
    runner: |kind, context| runner(kind, context, None),
    programs: |folder, hidden, tools| Isolation::default().programs(folder, hidden, tools),
    origins,
    lock_file: licences::lock_file,
    licences: licences::text,
});

fn origins(corpus: &Path) -> Result<Vec<Origin>, Failure> {
    let members = catherd_scratch_commands::dataset::read(corpus)?.members;
    let origins = members.into_iter().map(|member| Origin {
        sha256: member.sha256.to_string(),
        source: member.source,
        licence: member.licence,
        id: member.id,
        title: member.title,
    });
    Ok(origins.collect())
}

pub(crate) fn kinds() -> &'static Kinds {
    &KINDS
}

pub(crate) fn kind_of(study: &Study) -> Result<&'static dyn SubjectKind, Failure> {
    study.subject.as_deref().map_or(Ok(KINDS.default_kind()), kind)
}

pub(crate) fn kind(name: &str) -> Result<&'static dyn SubjectKind, Failure> {
    KINDS.get(name).map_err(Worded::worded)
}

/// Some kinds require that runs are executed in a separate process, which writes the file `mark` if
/// the system refuses memory.
pub(crate) fn runner(
    name: &str,
    context: &RunnerContext<'_>,
    mark: Option<PathBuf>,
) -> Option<Box<dyn Runner>> {
    let kind = KINDS.get(name).ok()?;
    if !kind.needs_process() {
        return kind.runner(context);
    }
    let (name, marked) = (kind.name(), mark.clone());
    let start = move || {
        let mut command = Process::new(&*EXECUTABLE);
        command.args(["execute", "--kind", &name]);
        if let Some(mark) = &marked {
            command.arg("--mark").arg(mark);
        }
        command
    };
    Some(Box::new(SubjectProcess::new(start, mark)))
}

/// Examines a JavaScript project in a separate process, which is used again for further projects.
fn examine(
    digest: Digest,
    bytes: Arc<[u8]>,
    asked: &Examination,
) -> Result<Vec<(String, String)>, String> {
    static PROCESS: Mutex<Option<Box<dyn Runner>>> = Mutex::new(None);
    let mut process = PROCESS.lock().unwrap_or_else(PoisonError::into_inner);
    let process = match &mut *process {
        Some(process) => process,
        none => {
            let made = runner(catherd_javascript_kind::KIND, &RunnerContext::default(), None);
            none.insert(made.ok_or("the kind has no runner")?)
        }
    };
    let examined = process.load(digest, bytes).and_then(|()| process.examine(asked));
    examined.map_err(|error| error.to_string())
}

/// The path of this executable. On Linux, the kernel finds the executable by this path even if its
/// file has been replaced.
static EXECUTABLE: LazyLock<PathBuf> = LazyLock::new(|| match std::env::current_exe() {
    Ok(path) if !cfg!(target_os = "linux") => path,
    _ => PathBuf::from("/proc/self/exe"),
});

pub(crate) fn algorithm_names() -> String {
    let algorithms = KINDS.default_kind().algorithms().into_iter();
    algorithms.map(|algorithm| algorithm.name).collect::<Vec<_>>().join(", ")
}

pub(crate) fn other_kind_of(algorithm: &str) -> Option<String> {
    let has = |kind: &dyn SubjectKind| kind.algorithms().iter().any(|one| one.name == algorithm);
    if has(KINDS.default_kind()) {
        return None;
    }
    KINDS.iter().find(|kind| has(*kind)).map(SubjectKind::name)
}
