//! The subject kinds of this program: the one place that lists them.

mod limits;
mod listing;

use std::sync::LazyLock;

use catherd_cli_console::Failure;
use catherd_experiments::Study;
use catherd_interface::command::Command;
use catherd_interface::noop::Noop;
use catherd_interface::{FieldError, Kinds, RunnerContext, SubjectKind};
use catherd_javascript_kind::JavaScript;
use catherd_scratch_grading_kind::Suites;
use catherd_scratch_kind::Scratch;
use catherd_sequences_kind::Sequences;

use crate::failure::Worded;

pub(crate) use limits::WorkLimits;
pub(crate) use listing::{Arguments, run};

/// The subject kinds, one `with` each; a study that names none is of the first.
static KINDS: LazyLock<Kinds> = LazyLock::new(|| {
    Kinds::new(Scratch).with(Suites).with(Sequences).with(JavaScript).with(Command).with(Noop)
});

/// The subject kinds of this program.
pub(crate) fn kinds() -> &'static Kinds {
    &KINDS
}

/// The kind of a study: the one that it names, otherwise the default.
pub(crate) fn kind_of(study: &Study) -> Result<&'static dyn SubjectKind, Failure> {
    study.subject.as_deref().map_or(Ok(KINDS.default_kind()), kind)
}

/// The kind with this name.
pub(crate) fn kind(name: &str) -> Result<&'static dyn SubjectKind, Failure> {
    KINDS.get(name).map_err(|unknown| {
        let hint = format!("choose one of {}; see catherd subjects", unknown.known.join(", "));
        Failure::new(unknown).hint(hint)
    })
}

/// Words about runs of another engine than this program has for their kind; `None` if it is the same
/// or the kind is unknown.
pub(crate) fn another_engine(kind: &str, engine: &str) -> Option<String> {
    let known = KINDS.engine(kind).ok().filter(|known| known != engine)?;
    Some(format!("of engine {engine}; this catherd has {known}, which gives other digests"))
}

/// Whether runs of a kind execute programs, which a worker permits only where it is told to.
pub(crate) fn runs_programs(kind: &str) -> bool {
    KINDS.runner(kind, &RunnerContext::default()).is_none()
}

/// The names of the algorithms of the default kind, for help texts.
pub(crate) fn algorithm_names() -> String {
    let algorithms = KINDS.default_kind().algorithms().into_iter();
    algorithms.map(|algorithm| algorithm.name).collect::<Vec<_>>().join(", ")
}

impl Worded for FieldError {
    fn worded(self) -> Failure {
        Failure::new(self.cause).hint(self.advice)
    }
}
