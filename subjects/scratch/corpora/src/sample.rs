//! Samples of Scratch's shared projects, as in section 6.1 of the Whisker paper, and downloads of
//! listed files.
//!
//! For a sample, ids are probed in a random order or in the order of a list until the requested
//! number of projects is accepted. Results are stored in a journal, so an interrupted sample can be
//! continued.

mod addressed;
mod client;
mod journal;
mod list;
mod order;
mod outcome;
mod permutation;
mod probe;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, mpsc};
use std::time::Duration;

use crate::atomic_file;
use crate::corpus::{self, Corpus, CorpusError, Recipe, Sha};

use client::Client;
use journal::{Journal, ProbeEntry};
use order::ProbeOrder;
use permutation::Permutation;
use probe::{Exclusions, Probe, Prober, Staging};

pub use addressed::{AddressedProject, FetchEnd, fetch};
pub use order::SampleProgress;
pub use outcome::ProbeOutcome;

const JOURNAL_FILE: &str = "probes.jsonl";
const FRAME_FILE: &str = "frame.csv";
const STAGING_FOLDER: &str = ".staging";

/// Ids to probe.
#[derive(Clone, Debug)]
pub enum IdSource {
    /// The ids of a range in a random order that depends on the seed. Remixes are not accepted.
    Range(Range<u64>, u64),
    /// The ids that a file lists, in its order. Remixes are accepted.
    List(PathBuf),
}

/// Request for a sample.
#[derive(Clone, Debug)]
pub struct SampleRequest {
    /// Ids to probe.
    pub ids: IdSource,
    /// Number of projects; `None` for all.
    pub count: Option<usize>,
    /// Folders of the corpora whose projects are excluded.
    pub disjoint_from: Vec<PathBuf>,
}

/// Base URLs of Scratch's servers, without a final slash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerAddresses {
    /// Descriptions: `/projects/ID`.
    pub api: String,
    /// `project.json`: `/ID?token=TOKEN`.
    pub projects: String,
    /// Media: `/internalapi/asset/MD5.EXTENSION/get/`.
    pub assets: String,
}

impl Default for ServerAddresses {
    fn default() -> ServerAddresses {
        let at = |host: &str| format!("https://{host}.scratch.mit.edu");
        ServerAddresses { api: at("api"), projects: at("projects"), assets: at("assets") }
    }
}

/// Settings of the client.
#[derive(Clone, Debug)]
pub struct SampleSettings {
    /// Servers to request from.
    pub addresses: ServerAddresses,
    /// Maximum number of requests per second.
    pub rate: f64,
    /// Number of concurrent probes.
    pub connections: usize,
    /// Maximum number of further attempts for each request after the first attempt has failed.
    pub retries: u32,
    /// Approximate pause before the second attempt; the pause roughly doubles with each attempt, up
    /// to about a minute.
    pub backoff: Duration,
    /// Maximum time that an attempt waits for a connection, a response or more data.
    pub timeout: Duration,
    /// Contact of the operator for the user agent.
    pub contact: Option<String>,
    /// Whether to complete the sample even if ids remain undecided.
    pub give_up: bool,
}

impl Default for SampleSettings {
    fn default() -> SampleSettings {
        SampleSettings {
            addresses: ServerAddresses::default(),
            // Scratch asks clients to send at most ten requests per second.
            rate: 5.0,
            connections: 4,
            retries: 6,
            backoff: Duration::from_secs(1),
            timeout: Duration::from_secs(30),
            contact: None,
            give_up: false,
        }
    }
}

/// Error in taking a sample.
#[derive(Debug, thiserror::Error)]
pub enum SampleError {
    /// A corpus cannot be read or written.
    #[error(transparent)]
    Corpus(#[from] CorpusError),
    /// Another process is taking a sample into this folder.
    #[error("{}: another process is sampling here", folder.display())]
    Busy {
        /// The folder.
        folder: PathBuf,
    },
    /// The folder contains another corpus, or a sample with a different recipe.
    #[error("{}: contains another corpus, or a sample with different ids, a different seed or different exclusions", folder.display())]
    OtherRecipe {
        /// The folder.
        folder: PathBuf,
    },
    /// The range contains no ids, or no projects are wanted.
    #[error("{0}")]
    Empty(&'static str),
}

/// End of a sample.
#[derive(Clone, Debug)]
pub enum SampleEnd {
    /// The corpus has all wanted projects.
    Complete(Corpus),
    /// All ids were probed, and the corpus has fewer projects than wanted.
    Short(Corpus),
    /// Undecided ids, each with the cause of the last failed attempt.
    Undecided(Vec<(u64, String)>),
    /// The servers cannot be reached, for the stated reason.
    Unreachable(String),
    /// Stopped by the caller.
    Stopped,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    id: u64,
    /// SHA-256 that the project must have.
    frozen: Option<Sha>,
}

/// Takes a sample into a folder, or continues the sample in the folder. `stop` ends the sample
/// early; `on_progress` receives the progress.
///
/// # Errors
/// If the sample cannot be taken or stored.
pub fn sample(
    request: &SampleRequest,
    settings: &SampleSettings,
    folder: &Path,
    stop: &AtomicBool,
    mut on_progress: impl FnMut(&SampleProgress),
) -> Result<(SampleEnd, SampleProgress), SampleError> {
    let Plan { ids, wanted, recipe, exclusions } = Plan::new(request)?;
    corpus::create_folder(folder)?;
    if Corpus::is_at(folder) && !folder.join(JOURNAL_FILE).is_file() {
        return Err(SampleError::OtherRecipe { folder: folder.to_owned() });
    }
    let (journal, entries) = Journal::open(&folder.join(JOURNAL_FILE), &recipe)?;
    let staging = Staging::in_folder(&folder.join(STAGING_FOLDER));
    staging.create()?;
    let mut order = ProbeOrder::new(ids, wanted);
    restore(&mut order, entries, folder, &staging)?;
    on_progress(&order.progress);

    let prober = Prober {
        client: Client::new(settings, stop),
        addresses: &settings.addresses,
        accept_remixes: matches!(request.ids, IdSource::List(_)),
        excluded: &exclusions,
        staging: &staging,
    };
    let mut sampler = Sampler { order, journal, settings, stop, unreachable: None };
    sampler.probe(&prober, &mut on_progress)?;
    let Sampler { order, unreachable, .. } = sampler;

    let end = if stop.load(Ordering::Relaxed) {
        SampleEnd::Stopped
    } else if let Some(cause) = unreachable {
        SampleEnd::Unreachable(cause)
    } else {
        let undecided = order.undecided();
        if !undecided.is_empty() && !settings.give_up {
            SampleEnd::Undecided(undecided)
        } else {
            write_corpus(folder, &staging, &order, recipe)?
        }
    };
    Ok((end, order.progress))
}

struct Plan {
    ids: Box<dyn Iterator<Item = Candidate>>,
    wanted: Option<usize>,
    recipe: Recipe,
    exclusions: Exclusions,
}

impl Plan {
    fn new(request: &SampleRequest) -> Result<Plan, SampleError> {
        let mut disjoint_from = Vec::new();
        let mut exclusions = Exclusions::default();
        for other in &request.disjoint_from {
            let other = Corpus::read(other)?;
            disjoint_from.push(other.metadata.digest);
            exclusions.ids.extend(other.members.iter().map(|member| member.id.clone()));
            exclusions.digests.extend(other.members.iter().map(|member| member.sha256));
        }
        let mut wanted = request.count;
        let (ids, recipe): (Box<dyn Iterator<Item = Candidate>>, _) = match &request.ids {
            IdSource::Range(range, seed) => {
                let recipe = Recipe::Sample {
                    from: range.start,
                    to: range.end,
                    count: request.count.unwrap_or(usize::MAX >> 1),
                    seed: *seed,
                    disjoint_from,
                };
                let ids = Permutation::new(range.clone(), *seed);
                (Box::new(ids.map(|id| Candidate { id, frozen: None })), recipe)
            }
            IdSource::List(file) => {
                let list = list::read(file)?;
                let recipe = Recipe::List {
                    list: list::digest(&list),
                    ids: list.len(),
                    count: request.count,
                    disjoint_from,
                };
                wanted = wanted.or(Some(list.len()));
                (Box::new(list.into_iter()), recipe)
            }
        };
        if matches!(&request.ids, IdSource::Range(range, _) if range.is_empty()) {
            return Err(SampleError::Empty("the range contains no ids"));
        }
        if request.count == Some(0) {
            return Err(SampleError::Empty("the number of projects is 0"));
        }
        Ok(Plan { ids, wanted, recipe, exclusions })
    }
}

/// Restores the results of the journal. An accepted project without its archive is fetched again.
fn restore(
    order: &mut ProbeOrder,
    entries: Vec<ProbeEntry>,
    folder: &Path,
    staging: &Staging,
) -> Result<(), CorpusError> {
    for entry in entries {
        let position = entry.position;
        let exists = |sha| staging.project(sha).is_file() || corpus::project(folder, sha).is_file();
        let archive_missing = entry.project.as_ref().is_some_and(|member| !exists(member.sha256));
        if !order.restore(entry, archive_missing) {
            let fault = format!("position {position} does not match this order of ids");
            return Err(CorpusError::damaged(&folder.join(JOURNAL_FILE), fault));
        }
    }
    Ok(())
}

type ProbeJob = (usize, Candidate);
/// The result of a probe is `None` if the probe was stopped.
type ProbeAnswer = Result<Option<Probe>, CorpusError>;

struct Sampler<'s> {
    order: ProbeOrder,
    journal: Journal,
    settings: &'s SampleSettings,
    stop: &'s AtomicBool,
    unreachable: Option<String>,
}

impl Sampler<'_> {
    fn probe(
        &mut self,
        prober: &Prober<'_>,
        on_progress: &mut impl FnMut(&SampleProgress),
    ) -> Result<(), SampleError> {
        let (jobs, to_do) = mpsc::channel::<ProbeJob>();
        let (answers, done) = mpsc::channel();
        let to_do = Mutex::new(to_do);
        std::thread::scope(|scope| {
            for _ in 0..self.settings.connections.max(1) {
                let (to_do, answers) = (&to_do, answers.clone());
                scope.spawn(move || {
                    loop {
                        let job = to_do.lock().expect("nothing panics with the lock").recv();
                        let Ok(job) = job else { return };
                        if answers.send((job, prober.probe(&job.1))).is_err() {
                            return;
                        }
                    }
                });
            }
            let result = self.dispatch(&jobs, &done, on_progress);
            // Let active probes end early.
            if result.is_err() {
                self.stop.store(true, Ordering::Relaxed);
            }
            drop(jobs);
            result
        })
    }

    fn dispatch(
        &mut self,
        jobs: &mpsc::Sender<ProbeJob>,
        done: &mpsc::Receiver<(ProbeJob, ProbeAnswer)>,
        on_progress: &mut impl FnMut(&SampleProgress),
    ) -> Result<(), SampleError> {
        let connections = self.settings.connections.max(1);
        let mut in_flight = 0;
        let mut consecutive_unreachable = 0;
        let mut retry_undecided = true;
        loop {
            let stopped = self.stop.load(Ordering::Relaxed) || self.unreachable.is_some();
            while in_flight < connections && !stopped {
                let Some(job) = self.order.next() else { break };
                jobs.send(job).expect("workers outlive this loop");
                in_flight += 1;
            }
            if in_flight == 0 {
                if stopped
                    || !std::mem::take(&mut retry_undecided)
                    || !self.order.reopen_undecided()
                {
                    return Ok(());
                }
                continue;
            }
            let ((position, candidate), answer) = done.recv().expect("workers outlive this loop");
            in_flight -= 1;
            let Some(probe) = answer? else {
                self.order.reopen(position);
                continue;
            };
            // Several unreachable probes in a row indicate a network failure rather than problems
            // with these ids.
            consecutive_unreachable =
                if probe.unreachable { consecutive_unreachable + 1 } else { 0 };
            if consecutive_unreachable > 2 * connections {
                self.unreachable = probe.detail.clone();
            }
            let Probe { outcome, detail, member, retries, .. } = probe;
            let id = candidate.id;
            let entry = ProbeEntry { position, id, outcome, detail, retries, project: member };
            self.journal.append(&entry)?;
            self.order.decide(entry);
            on_progress(&self.order.progress);
        }
    }
}

fn write_corpus(
    folder: &Path,
    staging: &Staging,
    order: &ProbeOrder,
    recipe: Recipe,
) -> Result<SampleEnd, SampleError> {
    let frame = order.frame();
    let mut table = String::from("position,id,outcome\n");
    let mut outcomes: BTreeMap<String, u64> = BTreeMap::new();
    let mut members = Vec::new();
    for entry in &frame {
        let ProbeEntry { position, id, outcome, project, .. } = entry;
        table += &format!("{position},{id},{}\n", outcome.name());
        *outcomes.entry(outcome.name().to_owned()).or_default() += 1;
        members.extend(project.clone());
    }
    corpus::create_folder(&corpus::projects(folder))?;
    for member in &members {
        let (from, to) = (staging.project(member.sha256), corpus::project(folder, member.sha256));
        match fs::rename(&from, &to) {
            // The archive was already moved, for another id with the same project or by an earlier
            // call.
            Err(error) if error.kind() == io::ErrorKind::NotFound && to.is_file() => {}
            moved => moved.map_err(CorpusError::io(&to))?,
        }
    }
    let path = folder.join(FRAME_FILE);
    atomic_file::write(&path, table.as_bytes()).map_err(CorpusError::io(&path))?;
    let corpus = Corpus::write(folder, recipe, outcomes, members)?;
    // Remove projects of a larger sample that this folder contained before.
    let kept: BTreeSet<Sha> = corpus.members.iter().map(|member| member.sha256).collect();
    for sha in order.surplus().filter(|sha| !kept.contains(sha)) {
        let path = corpus.project(sha);
        match fs::remove_file(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            removed => removed.map_err(CorpusError::io(&path))?,
        }
    }
    // The staging folder is no longer needed; the corpus is complete even if it remains.
    let _ = fs::remove_dir_all(folder.join(STAGING_FOLDER));
    Ok(if order.is_short() { SampleEnd::Short(corpus) } else { SampleEnd::Complete(corpus) })
}
