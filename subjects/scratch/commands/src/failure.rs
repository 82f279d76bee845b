//! Conversion of errors of the libraries to readable messages.

use std::io;

use catherd_cli_console::Failure;
use catherd_interface::FieldError;
use catherd_scratch_corpora::corpus::{AddError, CorpusError};
use catherd_scratch_corpora::sample::SampleError;
use catherd_scratch_corpora::{FindError, LoadError};

/// Both types of a conversion are defined in other crates, so `From` cannot be implemented.
pub(crate) trait Worded {
    fn worded(self) -> Failure;
}

impl Worded for FindError {
    fn worded(self) -> Failure {
        let hint = match self {
            FindError::Corpus(error) => return error.worded(),
            FindError::Io { .. } => "give .sb3 files, unpacked project folders, or folders of them",
            FindError::Empty { .. } => "give a folder that contains projects",
        };
        Failure::new(self).hint(hint)
    }
}

impl Worded for CorpusError {
    fn worded(self) -> Failure {
        let hint = match &self {
            CorpusError::Io { cause, .. } if cause.kind() == io::ErrorKind::StorageFull => {
                "free disk space, then run the command again; a sample continues from here"
            }
            CorpusError::Io { .. } => {
                "check that the path exists and that you have access, then run the command again; a sample continues from here"
            }
            CorpusError::NotACorpus { .. } => {
                "give the folder of a complete corpus; see catherd dataset --help for how to make one"
            }
            CorpusError::Damaged { .. } => {
                "correct or restore the file, or run the command that wrote it again"
            }
            CorpusError::Rejected(_) => "choose another folder, or a smaller number of projects",
        };
        Failure::new(self).hint(hint)
    }
}

impl Worded for LoadError {
    fn worded(self) -> Failure {
        Failure::new(self)
            .hint("the file changed while the command was running; run the command again")
    }
}

impl Worded for AddError {
    fn worded(self) -> Failure {
        match self {
            AddError::Corpus(error) => error.worded(),
            AddError::Load(error) => error.worded(),
        }
    }
}

impl Worded for SampleError {
    fn worded(self) -> Failure {
        let hint = match self {
            SampleError::Corpus(error) => return error.worded(),
            SampleError::Busy { .. } => {
                "wait for the other process, or choose another folder with --out"
            }
            SampleError::OtherRecipe { .. } => "choose another folder with --out",
            SampleError::Empty(_) => "give a range of ids and a --count of at least 1",
        };
        Failure::new(self).hint(hint)
    }
}

impl Worded for FieldError {
    fn worded(self) -> Failure {
        Failure::new(self.cause).hint(self.advice)
    }
}
