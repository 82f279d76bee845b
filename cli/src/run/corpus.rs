//! Finds the projects of a study, with progress and messages on the terminal.

use std::cell::RefCell;

use catherd_analysis_results::Corpus;
use catherd_cli_console::Failure;
use catherd_cli_console::terminal::{self, bar};
use catherd_experiments::{LeftOut, ProjectSource};
use catherd_interface::{Progress, Resolved, SubjectKind};
use indicatif::ProgressBar;

use crate::failure::Worded;
use crate::places;

pub(super) fn find(
    projects: &ProjectSource,
    kind: &'static dyn SubjectKind,
    resolved: &Resolved,
) -> Result<Corpus, Failure> {
    if let ProjectSource::Paths(paths) = projects {
        let hint = "name files or folders of projects; see catherd subjects";
        let mut files = paths.iter().filter(|path| !kind.is_builtin(path));
        files.try_for_each(|path| places::check(path, hint))?;
    }
    let progress = Bar::default();
    let corpus = Corpus::find(projects, kind, resolved, &progress);
    progress.clear();
    let corpus = corpus.map_err(Worded::worded)?;
    for LeftOut { project, reason } in &corpus.unusable {
        terminal::note(&format!("skipped: {project}: {reason}"));
    }
    for warning in &corpus.warnings {
        terminal::note(&format!("warning: {warning}"));
    }
    for LeftOut { project, reason } in &corpus.duplicates {
        terminal::note(&format!("duplicate: {project}: {reason}, run once"));
    }
    Ok(corpus)
}

/// A progress bar that appears with the first report.
#[derive(Default)]
struct Bar(RefCell<Option<ProgressBar>>);

impl Progress for Bar {
    fn report(&self, done: u64, total: u64) {
        let mut shown = self.0.borrow_mut();
        shown.get_or_insert_with(|| bar(total as usize)).set_position(done);
    }
}

impl Bar {
    fn clear(&self) {
        if let Some(bar) = self.0.take() {
            bar.finish_and_clear();
        }
    }
}
