//! How a command ends, and what people read when it does not end well. Errors of all
//! rooms are put into words here and nowhere else.

use std::fmt;
use std::io;
use std::process::ExitCode;

use catherd_analysis::import::ImportError;
use catherd_analysis::report::AddressError;
use catherd_analysis::tidy;
use catherd_coordinator::CoordinatorError;
use catherd_datasets::corpus::{AddError, CorpusError};
use catherd_datasets::sample::SampleError;
use catherd_datasets::{FindError, LoadError};
use catherd_experiments::{PlanError, StudyError};
use catherd_worker::WorkerError;

/// For `--help`.
pub(crate) const EXIT_CODES: &str = "\
Exit codes:
  0  all is well
  1  the command could not be carried out; standard error says why
  2  the study is complete, but projects were skipped or runs failed
     (vm conformance: a project failed; stats: a line could not be read)
  3  the study was stopped; the same command goes on with it
  4  a check of the report does not hold";

/// How a command that was carried out ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// All is well.
    Fine,
    /// Carried out, but something is missing.
    Incomplete,
    /// Ended early because somebody said so.
    Stopped,
    /// A number is not what it should be.
    Unmet,
}

impl Exit {
    /// The command could not be carried out.
    pub(crate) const FATAL: ExitCode = ExitCode::FAILURE;
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(match exit {
            Exit::Fine => 0,
            Exit::Incomplete => 2,
            Exit::Stopped => 3,
            Exit::Unmet => 4,
        })
    }
}

/// Why a command could not be carried out: one line that names the place and the cause,
/// and what to do about it.
#[derive(Debug)]
pub(crate) struct Failure {
    line: String,
    hint: Option<String>,
}

impl Failure {
    pub(crate) fn new(line: impl fmt::Display) -> Failure {
        Failure { line: line.to_string(), hint: None }
    }

    /// The same with a place before it.
    pub(crate) fn at(self, place: impl fmt::Display) -> Failure {
        Failure { line: format!("{place}{}", self.line), ..self }
    }

    pub(crate) fn hint(self, hint: impl Into<String>) -> Failure {
        Failure { hint: Some(hint.into()), ..self }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Names of files may hold anything, line breaks included.
        write!(f, "error: {}", self.line.replace(char::is_control, " "))?;
        match &self.hint {
            Some(hint) => write!(f, "\n hint: {hint}"),
            None => Ok(()),
        }
    }
}

impl From<StudyError> for Failure {
    fn from(error: StudyError) -> Failure {
        match error {
            StudyError::Invalid { location, field, problem, advice } => {
                Failure::new(format_args!("{location}{field}: {problem}")).hint(advice)
            }
            unreadable @ StudyError::Unreadable { .. } => Failure::new(unreadable)
                .hint("name a study file, or the study's parts with flags; see catherd run --help"),
        }
    }
}

impl From<FindError> for Failure {
    fn from(error: FindError) -> Failure {
        let hint = match error {
            FindError::Corpus(error) => return error.into(),
            FindError::Io { .. } => "give .sb3 files, unpacked project folders, or folders of them",
            FindError::Empty { .. } => "give a folder that contains projects",
        };
        Failure::new(error).hint(hint)
    }
}

impl From<CorpusError> for Failure {
    fn from(error: CorpusError) -> Failure {
        let hint = match &error {
            CorpusError::Io { source, .. } if source.kind() == io::ErrorKind::StorageFull => {
                "free disk space, then run the command again: it continues from here"
            }
            CorpusError::Io { .. } => {
                "check that the path exists and that you have access, then run the command again: it continues from here"
            }
            CorpusError::NotACorpus { .. } => {
                "give the folder of a complete corpus; see catherd dataset --help for how to make one"
            }
            CorpusError::Damaged { .. } => {
                "run the command that made the corpus again, or restore the file"
            }
            CorpusError::Rejected(_) => "choose another folder, or a smaller number of projects",
        };
        Failure::new(error).hint(hint)
    }
}

impl From<LoadError> for Failure {
    fn from(error: LoadError) -> Failure {
        Failure::new(error)
            .hint("the file changed while the command was running; run the command again")
    }
}

impl From<AddError> for Failure {
    fn from(error: AddError) -> Failure {
        match error {
            AddError::Corpus(error) => error.into(),
            AddError::Load(error) => error.into(),
        }
    }
}

impl From<SampleError> for Failure {
    fn from(error: SampleError) -> Failure {
        let hint = match error {
            SampleError::Corpus(error) => return error.into(),
            SampleError::Busy { .. } => {
                "wait for the other process, or choose another folder with --out"
            }
            SampleError::OtherRecipe { .. } => "choose another folder with --out",
            SampleError::Empty(_) => "give a range of ids and a --count of at least 1",
        };
        Failure::new(error).hint(hint)
    }
}

impl From<PlanError> for Failure {
    fn from(error: PlanError) -> Failure {
        match error {
            PlanError::Algorithm { label, cause } if cause.contains(&format!("`{label}`")) => {
                Failure::new(cause).hint("choose one of those")
            }
            PlanError::Algorithm { .. } => Failure::new(error).hint("correct it in the study file"),
            PlanError::Unit { unit, kind, known } => {
                Failure::new(format_args!("subject kind `{kind}` counts no `{unit}`"))
                    .hint(format!("set {known}"))
            }
            PlanError::NoProjects(name) => {
                Failure::new(format_args!("study `{name}` has no usable project"))
                    .hint("the lines above say what is wrong with each")
            }
        }
    }
}

impl From<CoordinatorError> for Failure {
    fn from(error: CoordinatorError) -> Failure {
        let hint = match error {
            CoordinatorError::Folder { .. } => "name a folder that you may write to with --out",
            CoordinatorError::Busy { .. } => "or give this study another folder with --out",
            CoordinatorError::Store { .. } => {
                "see that the disk is neither full nor failing; --fresh starts over"
            }
            CoordinatorError::Exposed(_)
            | CoordinatorError::Listen(_)
            | CoordinatorError::Serve(_) => "see that programs may listen on 127.0.0.1",
        };
        Failure::new(error).hint(hint)
    }
}

impl From<tidy::Error> for Failure {
    fn from(error: tidy::Error) -> Failure {
        let hint = match &error {
            tidy::Error::Io { source, .. } if source.kind() == io::ErrorKind::NotFound => {
                "name folders of results (catherd run, import) or of descriptions (dataset describe)"
            }
            tidy::Error::Description { .. } | tidy::Error::Nameless { .. } => {
                "make it again: catherd dataset describe PROJECTS --out FOLDER"
            }
            tidy::Error::Io { .. } => {
                "make room or correct the permissions, then repeat the command"
            }
            _ => "repeat the command: results are made again from the finished runs",
        };
        Failure::new(error).hint(hint)
    }
}

impl From<AddressError> for Failure {
    fn from(error: AddressError) -> Failure {
        Failure::new(error).hint("tables, rows and columns are named as in the files of the report")
    }
}

impl From<ImportError> for Failure {
    fn from(error: ImportError) -> Failure {
        let hint = match error {
            ImportError::Io { .. } => "name CSV files that you may read",
            ImportError::Csv { .. } => "check that the file is the CSV that this tool writes",
            ImportError::Column { .. } => {
                "see whether the file is of this tool; `catherd import csv` maps columns by name"
            }
            ImportError::Field { .. } => {
                "correct the field, or leave it empty if the run has no such value"
            }
            ImportError::Duplicate { .. } => {
                "leave one of them out; runs of another configuration need another --algorithm"
            }
            ImportError::Empty { .. } => "name files with a header and a row for each run",
            ImportError::Tables(error) => return error.into(),
        };
        Failure::new(error).hint(hint)
    }
}

impl From<catherd_analysis::corpus::Error> for Failure {
    fn from(error: catherd_analysis::corpus::Error) -> Failure {
        Failure::new(error).hint("name a folder that can be written to with --out")
    }
}

impl From<WorkerError> for Failure {
    fn from(error: WorkerError) -> Failure {
        let hint = match error {
            WorkerError::Pin { .. } => "leave --core out to run wherever there is room",
            WorkerError::Spool { .. } => "name a folder that you may write to with --spool",
            WorkerError::Start(_) => "see whether the system's limits allow another thread",
            WorkerError::Address { .. } => "give --connect the address that the coordinator serves",
            WorkerError::Coordinator { .. } => {
                "see that the coordinator runs and is of the same version; finished runs are kept \
                 in the spool"
            }
        };
        Failure::new(error).hint(hint)
    }
}
