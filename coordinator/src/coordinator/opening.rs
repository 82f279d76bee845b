//! Opens a coordinator, and prunes the store of one that is not running.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use catherd_experiments::Plan;
use tokio::sync::watch;

use super::{Coordinator, TlsSettings, WRITER_THREAD};
use crate::auth::Access;
use crate::error::CoordinatorError;
use crate::options::CoordinatorOptions;
use crate::projects::Projects;
use crate::rate_limit::RateLimit;
use crate::store::{Pruned, Repair, Store, StoreError, StoreUrl};
use crate::study_service::StudyService;
use crate::traces::Traces;
use crate::uploads::Uploads;
use crate::worker_service::{self, WorkerService};
use crate::writer::{Scope, Writer, WriterConfig};

/// A database server may need a moment to detect that the session of a leader has ended.
const OPEN_ATTEMPTS: u32 = 10;
const OPEN_RETRY_DELAY: Duration = Duration::from_millis(100);

impl Coordinator {
    /// Opens a store and serves all its active studies.
    ///
    /// # Errors
    ///
    /// If the options or the store cannot be used. Only PostgreSQL stores allow a coordinator to stand
    /// by.
    pub fn open(options: CoordinatorOptions) -> Result<Coordinator, CoordinatorError> {
        let (coordinator, writer) = open(options, None)?;
        coordinator.spawn_writer(writer)
    }

    /// Opens a store, stores the plan as the study with its name, and serves only that study.
    ///
    /// # Errors
    ///
    /// If the coordinator cannot be opened, or if the plan cannot be stored.
    pub fn open_study(
        options: CoordinatorOptions,
        plan: Plan,
    ) -> Result<Coordinator, CoordinatorError> {
        let (coordinator, writer) = open(options, Some(plan))?;
        coordinator.spawn_writer(writer)
    }

    /// The same as [`Coordinator::open_study`], but without threads, for simulations: requests wait
    /// until the caller calls [`Writer::process_pending`].
    ///
    /// # Errors
    ///
    /// The same as for [`Coordinator::open_study`].
    pub fn new_manual(
        options: CoordinatorOptions,
        plan: Plan,
    ) -> Result<(Coordinator, Writer), CoordinatorError> {
        let (mut coordinator, writer) = open(options, Some(plan))?;
        coordinator.workers.synchronous = true;
        Ok((coordinator, writer))
    }

    fn spawn_writer(mut self, writer: Writer) -> Result<Coordinator, CoordinatorError> {
        let thread = std::thread::Builder::new().name(WRITER_THREAD.to_owned());
        let spawned = thread.spawn(move || writer.run());
        let thread = spawned.map_err(|cause| self.store_error(StoreError::Runtime(cause)))?;
        self.writer_thread = Some(thread);
        Ok(self)
    }
}

/// Removes results and projects that no study of a store needs, except results with a record that
/// was stored at or after `before`, in seconds since 1970.
///
/// # Errors
///
/// If the store cannot be used, or if another process serves it.
pub fn prune(url: &StoreUrl, before: i64) -> Result<Pruned, CoordinatorError> {
    let _lock = lock(url)?;
    let store_error = |cause| CoordinatorError::Store { url: url.clone(), cause };
    let mut store = Store::open(url).map_err(store_error)?;
    let pruned = store.prune(before).map_err(store_error)?;
    store.close();
    Ok(pruned)
}

/// Locks an SQLite store for the lifetime of the returned file. A PostgreSQL store is locked by the
/// writer's session instead.
fn lock(url: &StoreUrl) -> Result<Option<File>, CoordinatorError> {
    let StoreUrl::Sqlite(database) = url else { return Ok(None) };
    let folder = database.parent().unwrap_or(Path::new(".")).to_owned();
    let file = std::fs::create_dir_all(&folder)
        .and_then(|()| File::create(database.with_extension("lock")));
    match file.map_err(TryLockError::Error).and_then(|file| file.try_lock().map(|()| file)) {
        Ok(file) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Err(CoordinatorError::Busy { folder }),
        Err(TryLockError::Error(cause)) => Err(CoordinatorError::Folder { folder, cause }),
    }
}

fn open(
    options: CoordinatorOptions,
    plan: Option<Plan>,
) -> Result<(Coordinator, Writer), CoordinatorError> {
    let CoordinatorOptions { folder, store: url, stand_by, engines, criteria, policy, .. } =
        options;
    let CoordinatorOptions { clock, tls, tokens, serve_clients, traces, observer, .. } = options;
    let tls = tls.as_ref().map(TlsSettings::new).transpose()?;
    let lock = lock(&url)?;
    let store_error = |cause| CoordinatorError::Store { url: url.clone(), cause };
    let mut store = Store::open(&url);
    for _ in 0..OPEN_ATTEMPTS {
        if stand_by || !matches!(store, Err(StoreError::LedByAnother)) {
            break;
        }
        std::thread::sleep(OPEN_RETRY_DELAY);
        store = Store::open(&url);
    }
    let (store, scope, repairs) = match plan {
        None => {
            let (store, repairs) = repair_all(store, &url).map_err(store_error)?;
            (store, Scope::All, repairs)
        }
        Some(plan) => {
            let (name, mut store) = (plan.name.clone(), store.map_err(store_error)?);
            let study = store.plan(plan.clone()).map_err(store_error)?;
            let repairs = store.repair(study, &plan, true).map_err(store_error)?;
            (Ok(store), Scope::Only(name), repairs)
        }
    };
    let project_files = folder.join("projects");
    let criteria = Arc::new(criteria);
    let config =
        WriterConfig { url: url.clone(), project_files, scope, policy, criteria, observer };
    let (writer, handle) =
        Writer::open(config, store, clock.clone(), lock, stand_by).map_err(store_error)?;
    let projects = Projects::new(handle.clone(), url.clone());
    let traces = traces.map(|sink| Arc::new(Traces::new(sink)));
    let workers = WorkerService {
        writer: handle.clone(),
        projects: projects.clone(),
        policy,
        clock,
        heartbeats: Arc::new(RateLimit::new(worker_service::HEARTBEATS)),
        crashes: Arc::new(RateLimit::new(worker_service::CRASHES)),
        draining: Arc::new(AtomicBool::new(false)),
        latencies: Arc::default(),
        traces: traces.clone(),
        synchronous: false,
    };
    let (engines, uploads) = (Arc::new(engines), Uploads::default());
    let studies = StudyService { writer: handle, projects, uploads, engines, url, traces };
    let (access, open) = (Access::new(tokens), watch::Sender::new(()));
    let writer_thread = None;
    let coordinator =
        Coordinator { workers, studies, tls, access, serve_clients, repairs, writer_thread, open };
    Ok((coordinator, writer))
}

/// A PostgreSQL store relies on the checksums of the server.
fn repair_all(
    store: Result<Store, StoreError>,
    url: &StoreUrl,
) -> Result<(Result<Store, StoreError>, Vec<Repair>), StoreError> {
    let mut repairs = Vec::new();
    let Ok(mut store) = store else { return Ok((store, repairs)) };
    if matches!(url, StoreUrl::Sqlite(_)) {
        for study in store.studies()? {
            // Version 1 of the schema contained no plans.
            if !study.plan.is_empty() {
                let plan = serde_json::from_slice(&study.plan)?;
                repairs.extend(store.repair(study.number, &plan, false)?);
            }
        }
    }
    for Repair { run, cause, .. } in &repairs {
        tracing::warn!("run {} ({}) was damaged: {cause}", run.id().short(), run.place());
    }
    Ok((Ok(store), repairs))
}
