//! The meanings of exit codes, and the messages and hints for errors of libraries.

use std::io;

use catherd_analysis::claims::ClaimsError;
use catherd_analysis::import::ImportError;
use catherd_analysis::report::{AddressError, ChosenColumnsError, WriteError};
use catherd_analysis::tidy;
use catherd_analysis_archive::PackageError;
use catherd_analysis_results::{ResultsError, WriteError as TablesError};
use catherd_cli_console::{Exit, Failure};
use catherd_coordinator::auth::TokenStoreError;
use catherd_coordinator::store::BackupError;
use catherd_coordinator::{CoordinatorError, StoreError};
use catherd_experiments::{AlgorithmError, PlanError, StudyError, instead, nearest};
use catherd_interface::{FieldError, UnknownKind};
use catherd_proto::transport;
use catherd_worker::WorkerError;
use tonic::Code;

/// The exit codes, for `--help`.
pub const EXIT_CODES: &str = "\
Exit codes:
  0  success
  1  the command failed; standard error says why
  2  done, but not without problems: for example, projects were skipped or runs failed
  3  stopped early, for example by a signal; the same command usually continues
  4  a check or a claim does not hold
  5  a worker stopped because a disk is full
The --help of a command says what its exit codes mean.";

/// The environment variables that every command reads, for `--help`.
pub const ENVIRONMENT: &str = "\
Environment:
  CATHERD_BACKTRACE=1  show the causes of an error and a backtrace, for bug reports
  CATHERD_LOG=FILTER   what is logged, such as debug or catherd_worker=trace";

/// The meaning of exit code 2 of commands that execute a study.
pub const STUDY_INCOMPLETE: (Exit, &str) =
    (Exit::Incomplete, "the study is complete, but projects were skipped or runs failed");

/// The meaning of exit code 3.
pub const STUDY_STOPPED: (Exit, &str) =
    (Exit::Stopped, "the study was stopped; the same command continues it");

/// The meaning of exit code 4.
pub const CHECK_FAILED: (Exit, &str) = (Exit::CheckFailed, "a --check does not hold");

/// Advice about a run whose record or state is damaged.
pub const DAMAGED_RUN: &str =
    "start `catherd run` or the coordinator again: it executes damaged runs once more";

/// Advice about a command that needs the feature `cluster`.
pub const BUILD_FOR_CLUSTERS: &str =
    "build catherd with what clusters need: cargo build --release --features cluster";

/// Advice about a store whose damage is not limited to single runs.
pub const DAMAGED_STORE: &str =
    "restore the file from a copy, or start over (catherd run with --fresh); check the disk";

/// Advice about a store whose file another program has deleted or replaced.
pub const LOST_FILE: &str = "put the file back if it was renamed, keep other programs from \
changing the folder, then run the same command again: what was acknowledged is in the store, and \
workers send the rest again (catherd backup copies a store that is in use)";

/// Advice about a study file that cannot be read.
pub const UNREADABLE: &str =
    "name a study file, or the study's parts with flags; see catherd run --help";

/// An error of a library that can be converted to a failure with a message and a hint.
pub trait Worded {
    /// Returns the failure of a command that ends with this error.
    fn worded(self) -> Failure;
}

impl Worded for StudyError {
    fn worded(self) -> Failure {
        match self {
            StudyError::Invalid { location, field, problem, advice } => {
                Failure::new(format_args!("{location}{field}: {problem}")).hint(advice)
            }
            unreadable @ StudyError::Unreadable { .. } => Failure::new(unreadable).hint(UNREADABLE),
        }
    }
}

impl Worded for PlanError {
    fn worded(self) -> Failure {
        match self {
            PlanError::Algorithm { cause: cause @ AlgorithmError::Name(_), .. } => {
                Failure::new(cause).hint("catherd subjects lists the algorithms of each kind")
            }
            PlanError::Algorithm { .. } => Failure::new(self).hint("correct it in the study file"),
            PlanError::Unit { unit, kind, known } => {
                Failure::new(format_args!("subject kind `{kind}` does not count `{unit}`"))
                    .hint(format!("set {known}"))
            }
            PlanError::Invalid(invalid) => {
                let advice = invalid.problem.advice();
                Failure::new(invalid).hint(advice)
            }
            PlanError::NoProjects(name) => {
                Failure::new(format_args!("study `{name}` has no usable project"))
                    .hint("correct the projects; the lines above give the reason for each")
            }
        }
    }
}

impl Worded for CoordinatorError {
    fn worded(self) -> Failure {
        of_folder(self, "--out")
    }
}

/// Returns the failure for an error of a coordinator whose folder is named with `flag`.
pub fn of_folder(error: CoordinatorError, flag: &str) -> Failure {
    let hint = match &error {
        CoordinatorError::Folder { folder, .. } => {
            let hint = format!("with {flag}, name a folder that you may write to");
            return match folder.is_file() {
                true => Failure::new(format_args!("{}: is a file, not a folder", folder.display())),
                false => Failure::new(error),
            }
            .hint(hint);
        }
        CoordinatorError::Busy { .. } => {
            let hint = format!("wait for the other process, or choose another folder with {flag}");
            return Failure::new(error).hint(hint);
        }
        CoordinatorError::Store { cause: StoreError::DamagedRun { .. }, .. } => DAMAGED_RUN,
        CoordinatorError::Store { cause: StoreError::WithoutPostgres, .. } => BUILD_FOR_CLUSTERS,
        CoordinatorError::Store { cause, .. } if cause.is_damage() => DAMAGED_STORE,
        CoordinatorError::Store { cause: StoreError::FileLost { .. }, .. } => LOST_FILE,
        CoordinatorError::Store { .. } => {
            "check that the store can be reached and that its disk is neither full nor failing; \
                 catherd run starts over with --fresh"
        }
        CoordinatorError::Exposed(_) => {
            "make certificates with catherd certs and tokens with catherd token, and name them \
                 with --tls and --tokens"
        }
        CoordinatorError::Tls(_) => "make another certificate with catherd certs",
        CoordinatorError::Listen(_) | CoordinatorError::Serve(_) => {
            "check that programs may listen on the address"
        }
    };
    Failure::new(error).hint(hint)
}

impl Worded for Failure {
    fn worded(self) -> Failure {
        self
    }
}

impl Worded for ResultsError {
    fn worded(self) -> Failure {
        let hint = match self {
            ResultsError::Coordinator(error) => return error.worded(),
            ResultsError::Tables(error) => return error.worded(),
            ResultsError::Projects(error) => return error.worded(),
            ResultsError::File { .. } => {
                "check the disk space and the permissions, then repeat the command"
            }
            ResultsError::Taken { .. } => {
                "name another folder with --out, or start over with --fresh"
            }
            ResultsError::StoreLost(_) => LOST_FILE,
            ResultsError::StoreDamaged { .. } => DAMAGED_STORE,
            ResultsError::NotStored { .. } => {
                "check that the disk is neither full nor failing, or name another folder with --out"
            }
            ResultsError::Thread(_) | ResultsError::Cancelled => return Failure::new(self),
        };
        Failure::new(self).hint(hint)
    }
}

impl<E: Worded> Worded for TablesError<E> {
    fn worded(self) -> Failure {
        match self {
            TablesError::Source(error) => error.worded(),
            TablesError::Results(error) => error.worded(),
        }
    }
}

impl Worded for catherd_interface::FindError {
    fn worded(self) -> Failure {
        Failure::new(self.cause).hint(self.advice)
    }
}

impl Worded for catherd_interface::ReadError {
    fn worded(self) -> Failure {
        catherd_interface::FindError::from(self).worded()
    }
}

impl Worded for tidy::Error {
    fn worded(self) -> Failure {
        let hint = match &self {
            tidy::Error::Io { cause, .. } if cause.kind() == io::ErrorKind::NotFound => {
                "name folders of results (catherd run, import) or of descriptions (dataset describe)"
            }
            tidy::Error::Description { .. } | tidy::Error::Nameless { .. } => {
                "correct the file, or write it again: a description of projects with catherd dataset describe \
                 PROJECTS --out FOLDER, a table of a study with catherd run or catherd results"
            }
            tidy::Error::Io { .. } => {
                "check the disk space and the permissions, then repeat the command"
            }
            _ => {
                "repeat the command that wrote the tables (catherd run, results or import): it writes them \
                  again"
            }
        };
        Failure::new(self).hint(hint)
    }
}

impl Worded for WriteError {
    fn worded(self) -> Failure {
        match self {
            // The error occurred while the folder of -o was being written.
            WriteError::File(error @ tidy::Error::Io { .. }) => {
                Failure::new(error).hint("with -o, name a folder that you may write to")
            }
            WriteError::File(error) => error.worded(),
            WriteError::Figure { .. } => {
                Failure::new(self).hint("write the figures only as SVG, with --figures svg")
            }
        }
    }
}

impl Worded for AddressError {
    fn worded(self) -> Failure {
        if let AddressError::Unknown { name, known, .. } = &self
            && let Some(near) = nearest(name, known.iter().map(String::as_str))
        {
            let hint = format!("write `{near}`");
            return Failure::new(self).hint(hint);
        }
        let hint = match &self {
            AddressError::Ambiguous { .. } => "add more words of the row, or give its number",
            AddressError::Unit { .. } | AddressError::Range(_) => "correct the bound",
            AddressError::Text { .. } => "name a column of numbers",
            AddressError::Syntax(_)
            | AddressError::CheckSyntax(_)
            | AddressError::Unknown { .. } => {
                "use the names of tables, rows and columns in the files of the report"
            }
        };
        Failure::new(self).hint(hint)
    }
}

impl Worded for ChosenColumnsError {
    fn worded(self) -> Failure {
        let near = match &self {
            ChosenColumnsError::Table { name, known }
            | ChosenColumnsError::Column { name, known, .. } => nearest(name, known.split(", ")),
            ChosenColumnsError::Syntax(_) => None,
        };
        let hint = near.map_or_else(
            || "correct --columns: TABLE=COLUMN,COLUMN, with names of the CSV files".to_owned(),
            |near| format!("write `{near}`"),
        );
        Failure::new(self).hint(hint)
    }
}

impl Worded for ImportError {
    fn worded(self) -> Failure {
        let hint = match self {
            ImportError::Io { .. } => "name CSV files that you may read",
            ImportError::Csv { .. } => "name a CSV file that the tool wrote",
            ImportError::Column { .. } => {
                "name a file of this tool, or map columns by name with `catherd import csv`"
            }
            ImportError::Field { .. } => {
                "correct the field, or leave it empty if the run has no such value"
            }
            ImportError::Duplicate { .. } => {
                "remove one of them, or give each configuration a different name with --algorithm"
            }
            ImportError::Empty { .. } => "name files with a header and a row for each run",
            ImportError::Tables(error) => return error.worded(),
        };
        Failure::new(self).hint(hint)
    }
}

impl Worded for catherd_analysis::corpus::Error {
    fn worded(self) -> Failure {
        Failure::new(self).hint("with --out, name a folder that can be written to")
    }
}

impl Worded for WorkerError {
    fn worded(self) -> Failure {
        let hint = match self {
            WorkerError::Pin { .. } => "omit --core to run on any core",
            WorkerError::Spool { .. } => "with --spool, name a folder that you may write to",
            WorkerError::DiskFull(_) => "free disk space, then start the worker again",
            WorkerError::Start(_) => "check that the system's limits allow more threads",
            WorkerError::Address { .. } => "give --connect the address of a coordinator, HOST:PORT",
            WorkerError::Coordinator { ref cause, .. } => {
                let unknown = "check that the coordinator is running and has the same version; finished \
                               runs are kept in the spool";
                match (transport::problem(cause), cause.code()) {
                    (Some(problem), _) => problem.hint,
                    (None, Code::Unauthenticated | Code::PermissionDenied) => {
                        "with --token-file, name a file with a worker's token; `catherd token worker` \
                         makes one"
                    }
                    (None, _) => unknown,
                }
            }
        };
        Failure::new(self).hint(hint)
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

impl Worded for ClaimsError {
    fn worded(self) -> Failure {
        let hint = match &self {
            ClaimsError::Io { .. } => "check that the file exists and that you may read it",
            ClaimsError::Form { .. } => "see docs/reference/claims.md for its form",
        };
        Failure::new(self).hint(hint)
    }
}

impl Worded for FieldError {
    fn worded(self) -> Failure {
        Failure::new(self.cause).hint(self.advice)
    }
}

impl Worded for TokenStoreError {
    fn worded(self) -> Failure {
        Failure::new(self)
            .hint("name a file that `catherd token ROLE --file FILE` can write or has written")
    }
}

impl Worded for BackupError {
    fn worded(self) -> Failure {
        let hint = match &self {
            BackupError::Store { .. } => "name the folder of a study or of a coordinator",
            BackupError::Copy { cause, .. } => match cause.kind() {
                std::io::ErrorKind::AlreadyExists => "name another file with -o, or remove it",
                std::io::ErrorKind::StorageFull => "free disk space, or name another disk with -o",
                _ => "with -o, name a file in a folder that you may write to",
            },
            BackupError::Damaged { .. } => {
                "the store itself is damaged: keep earlier copies; `catherd run` or the coordinator \
                 repairs single runs when it starts"
            }
        };
        Failure::new(self).hint(hint)
    }
}

impl Worded for UnknownKind {
    fn worded(self) -> Failure {
        let hint = format!("{}; see catherd subjects", instead(&self.name, &self.known));
        Failure::new(self).hint(hint)
    }
}
