//! Sampling Scratch's shared projects, as the Whisker paper's section 6.1 does.
//!
//! Ids are probed in a random order (or that of a list) until as many as wanted are
//! accepted. *The corpus depends on recipe and servers alone*: of several probes under
//! way, it is the place in the order that counts, not which answer comes first; an id
//! that could not be decided is asked again and never passed over in silence; and what is
//! known is on the disk (`probes.jsonl`, [`journal`]) before it counts, so that a killed
//! sample goes on where it ended.

mod client;
mod journal;
mod list;
mod outcome;
mod permutation;
mod probe;
mod progress;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, mpsc};
use std::time::Duration;

use crate::corpus::{self, Corpus, CorpusError, Recipe, Sha};
use crate::whole_file;

use client::Client;
use journal::{Entry, Journal};
use permutation::Permutation;
use probe::{Probe, Prober, Staging};
use progress::Order;

pub use outcome::Outcome;
pub use progress::Progress;

const JOURNAL: &str = "probes.jsonl";
const FRAME: &str = "frame.csv";
const STAGING: &str = ".staging";

/// Which ids to probe.
#[derive(Clone, Debug)]
pub enum Ids {
    /// Those of a range in the random order of a seed. Remixes are not accepted.
    Range(Range<u64>, u64),
    /// Those of a file in its order, remixes as well: an id a line, perhaps followed by a
    /// comma and the SHA-256 that the project must have.
    List(PathBuf),
}

/// What to sample.
#[derive(Clone, Debug)]
pub struct Request {
    /// Which ids.
    pub ids: Ids,
    /// How many projects; all of the ids if none.
    pub count: Option<usize>,
    /// Corpora whose projects are left out.
    pub disjoint_from: Vec<PathBuf>,
}

/// Where Scratch's servers are. Without a slash at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Addresses {
    /// Descriptions: `/projects/ID`.
    pub api: String,
    /// `project.json`: `/ID?token=TOKEN`.
    pub projects: String,
    /// Media: `/internalapi/asset/MD5.EXTENSION/get/`.
    pub assets: String,
}

impl Default for Addresses {
    fn default() -> Addresses {
        let at = |host: &str| format!("https://{host}.scratch.mit.edu");
        Addresses { api: at("api"), projects: at("projects"), assets: at("assets") }
    }
}

/// How to ask. Nothing here changes what is sampled.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where.
    pub addresses: Addresses,
    /// Requests a second, at most.
    pub rate: f64,
    /// Probes at the same time.
    pub connections: usize,
    /// Attempts after the first, for each request.
    pub retries: u32,
    /// Pause before the second attempt; it doubles with each.
    pub backoff: Duration,
    /// Time without a byte after which an attempt has failed.
    pub timeout: Duration,
    /// Who is asking, for the user agent: a page or an address.
    pub contact: Option<String>,
    /// End the sample although ids are undecided, and count them in the frame.
    pub give_up: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            addresses: Addresses::default(),
            // Scratch asks for at most ten.
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

/// Why a sample cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum SampleError {
    /// A corpus or its folder refuses.
    #[error(transparent)]
    Corpus(#[from] CorpusError),
    /// Another process is at it.
    #[error("{}: another process is sampling here", folder.display())]
    Busy {
        /// The log that it holds.
        folder: PathBuf,
    },
    /// The folder holds a sample of another recipe.
    #[error("{}: holds a sample of other ids, another seed or other exclusions", folder.display())]
    Other {
        /// The folder.
        folder: PathBuf,
    },
    /// A range without ids, or nothing wanted of it.
    #[error("{0}")]
    Nothing(&'static str),
}

/// How sampling ended.
#[derive(Clone, Debug)]
pub enum Ended {
    /// With as many projects as wanted.
    Whole(Corpus),
    /// With all ids probed and fewer projects than wanted.
    Short(Corpus),
    /// These ids, before the last project, remain undecided; the last trouble of each.
    Undecided(Vec<(u64, String)>),
    /// Nothing can be reached any more; why.
    Unreachable(String),
    /// Called off.
    Stopped,
}

/// An id to probe.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    id: u64,
    /// What the project must be.
    frozen: Option<Sha>,
}

/// Samples into a folder, or goes on with what it holds. `stop` calls it off; `watch`
/// hears of every probe.
///
/// # Errors
/// See [`SampleError`]. What is known by then is kept: the same call goes on.
pub fn sample(
    request: &Request,
    settings: &Settings,
    folder: &Path,
    stop: &AtomicBool,
    mut watch: impl FnMut(&Progress),
) -> Result<(Ended, Progress), SampleError> {
    let mut disjoint_from = Vec::new();
    let mut excluded = (BTreeSet::new(), BTreeSet::new());
    for other in &request.disjoint_from {
        let other = Corpus::read(other)?;
        disjoint_from.push(other.about.digest);
        excluded.0.extend(other.members.iter().map(|member| member.id.clone()));
        excluded.1.extend(other.members.iter().map(|member| member.sha256));
    }
    let mut wanted = request.count;
    let (ids, recipe): (Box<dyn Iterator<Item = Candidate>>, _) = match &request.ids {
        Ids::Range(range, seed) => {
            let count = request.count.unwrap_or(usize::MAX >> 1);
            let recipe = Recipe::Sample {
                from: range.start,
                to: range.end,
                count,
                seed: *seed,
                disjoint_from,
            };
            let ids = Permutation::new(range.clone(), *seed);
            (Box::new(ids.map(|id| Candidate { id, frozen: None })), recipe)
        }
        Ids::List(file) => {
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
    if matches!(&request.ids, Ids::Range(range, _) if range.is_empty()) {
        return Err(SampleError::Nothing("the range holds no ids"));
    }
    if request.count == Some(0) {
        return Err(SampleError::Nothing("no projects are wanted"));
    }
    corpus::make_folder(folder)?;
    if Corpus::is_at(folder) && !folder.join(JOURNAL).is_file() {
        return Err(SampleError::Other { folder: folder.to_owned() });
    }
    let (journal, entries) = Journal::open(&folder.join(JOURNAL), &recipe)?;
    let staging = Staging::at(&folder.join(STAGING));
    staging.make()?;
    let mut order = Order::new(ids, wanted);
    for entry in entries {
        let path = folder.join(JOURNAL);
        let position = entry.position;
        // Without its archive an accepted project is still to be fetched.
        let there = |sha| staging.project(sha).is_file() || corpus::project(folder, sha).is_file();
        let lost = entry.project.as_ref().is_some_and(|member| !there(member.sha256));
        if !order.replay(entry, lost) {
            let fault = format!("position {position} has another id in this order");
            return Err(CorpusError::damaged(&path, fault).into());
        }
    }
    watch(&order.progress);

    let remixes = matches!(request.ids, Ids::List(_));
    let addresses = &settings.addresses;
    let client = Client::new(settings, stop);
    let prober = Prober { client, addresses, remixes, excluded: &excluded, staging: &staging };
    let mut sampling = Sampling { order, journal, settings, stop, unreachable: None };
    sampling.probe(&prober, &mut watch)?;
    let Sampling { order, unreachable, .. } = sampling;

    let ended = if stop.load(Ordering::Relaxed) {
        Ended::Stopped
    } else if let Some(why) = unreachable {
        Ended::Unreachable(why)
    } else {
        let open = order.undecided();
        if !open.is_empty() && !settings.give_up {
            Ended::Undecided(open)
        } else {
            finish(folder, &staging, &order, recipe)?
        }
    };
    Ok((ended, order.progress))
}

/// A place in the order and the id there.
type Job = (usize, Candidate);
/// What came of it; none if it was called off.
type Answer = Result<Option<Probe>, CorpusError>;

/// Probes under way.
struct Sampling<'s> {
    order: Order,
    journal: Journal,
    settings: &'s Settings,
    stop: &'s AtomicBool,
    unreachable: Option<String>,
}

impl Sampling<'_> {
    /// Probes what is still needed, and what remains undecided once more.
    fn probe(
        &mut self,
        prober: &Prober<'_>,
        watch: &mut impl FnMut(&Progress),
    ) -> Result<(), SampleError> {
        let (jobs, to_do) = mpsc::channel::<Job>();
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
            let result = self.dispatch(&jobs, &done, watch);
            // Whatever is under way ends at its next wait or answer.
            if result.is_err() {
                self.stop.store(true, Ordering::Relaxed);
            }
            drop(jobs);
            result
        })
    }

    fn dispatch(
        &mut self,
        jobs: &mpsc::Sender<Job>,
        done: &mpsc::Receiver<(Job, Answer)>,
        watch: &mut impl FnMut(&Progress),
    ) -> Result<(), SampleError> {
        let connections = self.settings.connections.max(1);
        let mut under_way = 0;
        let mut in_a_row = 0;
        let mut again = true;
        loop {
            let stopped = self.stop.load(Ordering::Relaxed) || self.unreachable.is_some();
            while under_way < connections && !stopped {
                let Some(job) = self.order.next() else { break };
                jobs.send(job).expect("workers outlive this loop");
                under_way += 1;
            }
            if under_way == 0 {
                if stopped || !std::mem::take(&mut again) || !self.order.retry() {
                    return Ok(());
                }
                continue;
            }
            let ((position, candidate), answer) = done.recv().expect("workers outlive this loop");
            under_way -= 1;
            let Some(probe) = answer? else {
                self.order.forget(position);
                continue;
            };
            // Several ids in a row for which nothing answers: it is not the ids.
            in_a_row = if probe.unreachable { in_a_row + 1 } else { 0 };
            if in_a_row > 2 * connections {
                self.unreachable = probe.detail.clone();
            }
            let Probe { outcome, detail, member, troubles, .. } = probe;
            let id = candidate.id;
            let entry = Entry { position, id, outcome, detail, troubles, project: member };
            self.journal.append(&entry)?;
            self.order.decide(entry);
            watch(&self.order.progress);
        }
    }
}

/// Writes the corpus of what was accepted, in the order of ids.
fn finish(
    folder: &Path,
    staging: &Staging,
    order: &Order,
    recipe: Recipe,
) -> Result<Ended, SampleError> {
    let frame = order.frame();
    let mut table = String::from("position,id,outcome\n");
    let mut outcomes: BTreeMap<String, u64> = BTreeMap::new();
    let mut members = Vec::new();
    for entry in &frame {
        let Entry { position, id, outcome, project, .. } = entry;
        table += &format!("{position},{id},{}\n", outcome.name());
        *outcomes.entry(outcome.name().to_owned()).or_default() += 1;
        members.extend(project.clone());
    }
    corpus::make_folder(&corpus::projects(folder))?;
    for member in &members {
        let (from, to) = (staging.project(member.sha256), corpus::project(folder, member.sha256));
        match fs::rename(&from, &to) {
            // Moved before, as by a copy of the project or before a kill.
            Err(error) if error.kind() == io::ErrorKind::NotFound && to.is_file() => {}
            moved => moved.map_err(CorpusError::io(&to))?,
        }
    }
    let path = folder.join(FRAME);
    whole_file::write(&path, table.as_bytes()).map_err(CorpusError::io(&path))?;
    let corpus = Corpus::write(folder, recipe, outcomes, members)?;
    // Accepted by a larger sample in this folder before.
    let kept: BTreeSet<Sha> = corpus.members.iter().map(|member| member.sha256).collect();
    for sha in order.surplus().filter(|sha| !kept.contains(sha)) {
        let path = corpus.project(sha);
        match fs::remove_file(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            removed => removed.map_err(CorpusError::io(&path))?,
        }
    }
    // What was fetched for nothing; the corpus is whole without this.
    let _ = fs::remove_dir_all(folder.join(STAGING));
    Ok(if order.is_short() { Ended::Short(corpus) } else { Ended::Whole(corpus) })
}
