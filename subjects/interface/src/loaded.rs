//! The projects that a runner has loaded, and a runner for kinds whose runs depend only on a
//! project and a specification.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use catherd_experiments::{Digest, RunRecord, RunSpec};

use crate::{Examination, LoadError, Recent, RunError, RunProgress, Runner, Survival};

/// A project that is loaded for runs of a kind.
pub trait LoadedProject: Send + Sized {
    /// The maximum number of projects that are kept in memory.
    const KEPT: usize = 1;

    /// Reads a project.
    ///
    /// # Errors
    ///
    /// If the project cannot be run.
    fn read(digest: Digest, bytes: &[u8]) -> Result<Self, LoadError>;

    /// Tries the project in the same way as [`Runner::examine`].
    ///
    /// # Errors
    ///
    /// If the project cannot be run.
    fn examine(&mut self, _: &Examination) -> Result<Vec<(String, String)>, LoadError> {
        Ok(Vec::new())
    }

    /// Executes a run on the project in the same way as [`Runner::run`]. [`LoadedRunner`] sets the
    /// record's `wall_ms`.
    ///
    /// # Errors
    ///
    /// If the run has no record.
    fn run(
        &mut self,
        spec: &RunSpec,
        on_progress: &mut dyn FnMut(RunProgress) -> ControlFlow<()>,
    ) -> Result<RunRecord, RunError>;

    /// Executes a run on the project in the same way as [`Runner::run_again`].
    ///
    /// # Errors
    ///
    /// If the run has no record.
    fn run_again(
        &mut self,
        spec: &RunSpec,
        _: &Survival,
        on_progress: &mut dyn FnMut(RunProgress) -> ControlFlow<()>,
    ) -> Result<RunRecord, RunError> {
        self.run(spec, on_progress)
    }
}

/// The runner of a kind whose runs depend only on a project and a specification. The time of
/// loading a project is part of the time of the next run.
#[derive(Debug)]
pub struct LoadedRunner<P>(LoadedProjects<P>);

impl<P: LoadedProject> Default for LoadedRunner<P> {
    fn default() -> LoadedRunner<P> {
        LoadedRunner(LoadedProjects::new(P::KEPT))
    }
}

impl<P: LoadedProject> Runner for LoadedRunner<P> {
    fn load(&mut self, digest: Digest, bytes: Arc<[u8]>) -> Result<(), LoadError> {
        self.0.load(digest, || P::read(digest, &bytes))
    }

    fn examine(&mut self, asked: &Examination) -> Result<Vec<(String, String)>, LoadError> {
        self.0.last().map_or_else(|| Ok(Vec::new()), |project| project.examine(asked))
    }

    fn run(
        &mut self,
        spec: &RunSpec,
        on_progress: &mut dyn FnMut(RunProgress) -> ControlFlow<()>,
    ) -> Result<RunRecord, RunError> {
        self.run_again(spec, &Survival::default(), on_progress)
    }

    fn run_again(
        &mut self,
        spec: &RunSpec,
        survival: &Survival,
        on_progress: &mut dyn FnMut(RunProgress) -> ControlFlow<()>,
    ) -> Result<RunRecord, RunError> {
        let start = Instant::now();
        let (project, loading) = self.0.take_turn(spec.project)?;
        let mut record = project.run_again(spec, survival, on_progress)?;
        record.resources.wall_ms = (loading + start.elapsed()).as_millis() as u64;
        Ok(record)
    }
}

/// The most recently used projects of a runner.
#[derive(Debug)]
pub struct LoadedProjects<T> {
    projects: Recent<Digest, T>,
    /// The time spent on loading since the previous run.
    loading: Duration,
}

impl<T> LoadedProjects<T> {
    /// An empty collection for at most `most` projects; 0 counts as 1.
    pub fn new(most: usize) -> LoadedProjects<T> {
        LoadedProjects { projects: Recent::new(most), loading: Duration::ZERO }
    }

    /// Selects the project for the runs that follow. `read` is called only for a project that is
    /// not kept.
    ///
    /// # Errors
    ///
    /// The error of `read`. The selected project then does not change.
    pub fn load<E>(
        &mut self,
        digest: Digest,
        read: impl FnOnce() -> Result<T, E>,
    ) -> Result<(), E> {
        let start = Instant::now();
        self.projects.get(digest, read)?;
        self.loading += start.elapsed();
        Ok(())
    }

    fn last(&mut self) -> Option<&mut T> {
        self.projects.last_used().map(|(_, project)| project)
    }

    /// Returns the selected project, and the time spent on loading since the previous call.
    ///
    /// # Errors
    ///
    /// If a different project is selected, or none.
    pub fn take_turn(&mut self, project: Digest) -> Result<(&mut T, Duration), RunError> {
        let loading = std::mem::take(&mut self.loading);
        match self.projects.last_used() {
            Some((digest, loaded)) if *digest == project => Ok((loaded, loading)),
            _ => Err(RunError::Failed("the project is not loaded".to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_loaded_project_is_dropped() {
        let mut projects = LoadedProjects::new(2);
        let mut read = Vec::new();
        for name in ["a", "b", "a", "c", "a", "b"] {
            let digest = Digest::of(name.as_bytes());
            let made = projects.load(digest, || {
                read.push(name);
                Ok::<_, ()>(name)
            });
            assert_eq!(made, Ok(()));
            assert_eq!(*projects.take_turn(digest).unwrap().0, name);
            assert_eq!(projects.take_turn(digest).unwrap().1, Duration::ZERO);
        }
        assert_eq!(read, ["a", "b", "c", "b"]);
    }

    #[test]
    fn a_run_on_another_project_is_refused() {
        let mut projects = LoadedProjects::new(1);
        let [a, b] = [Digest::of(b"a"), Digest::of(b"b")];
        assert!(projects.take_turn(a).is_err());
        projects.load(a, || Ok::<_, ()>(1)).unwrap();
        assert!(projects.take_turn(b).is_err());
        assert_eq!(projects.load(b, || Err("unreadable")), Err("unreadable"));
        assert_eq!(*projects.take_turn(a).unwrap().0, 1);
    }
}
