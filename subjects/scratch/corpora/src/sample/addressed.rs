//! Projects from the addresses of a list, such as files of public repositories.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use catherd_scratch_sb3::{Limits, Project, repack};
use serde::{Deserialize, Serialize};

use super::client::{Client, FetchError, Reply};
use super::{ProbeOutcome, STAGING_FOLDER, SampleError, SampleProgress, SampleSettings, list};
use crate::corpus::{self, Corpus, CorpusError, Member, Recipe, Sha};
use crate::{atomic_file, describe, today};

/// Maximum size of an archive, in bytes.
const MAX_ARCHIVE_BYTES: u64 = 256 << 20;
const MAX_ROWS: usize = 100_000;
/// Number of successive unreachable files after which the fetch ends.
const MAX_UNREACHABLE: usize = 3;

/// A row of a list of projects.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddressedProject {
    /// Id in the corpus, unique in the list.
    pub id: String,
    /// Address of the archive, `https://...` or `http://...`.
    pub address: String,
    /// SHA-256 of the archive at this address.
    pub sha256: Sha,
    /// Name of the author; empty if unknown. The corpus contains only a pseudonym (see
    /// [`Member::author_hash`]).
    #[serde(default)]
    pub author: String,
    /// SPDX identifier of the licence; empty if unknown.
    #[serde(default)]
    pub licence: String,
}

/// End of a fetch.
#[derive(Clone, Debug)]
pub enum FetchEnd {
    /// A corpus of the fetched projects, and the id, outcome and detail of each project that is
    /// left out.
    Fetched(Box<Corpus>, Vec<(String, ProbeOutcome, String)>),
    /// All attempts to fetch a file failed, for the stated reason.
    Unreachable(String),
    /// Stopped by the caller.
    Stopped,
}

/// Fetches the projects of a list into a corpus. `stop` ends the fetch early; `on_progress`
/// receives the progress.
///
/// # Errors
/// If the list or the corpus cannot be used.
pub fn fetch(
    list: &Path,
    settings: &SampleSettings,
    folder: &Path,
    stop: &AtomicBool,
    mut on_progress: impl FnMut(&SampleProgress),
) -> Result<FetchEnd, SampleError> {
    let rows = read(list)?;
    let recipe = Recipe::Addresses { list: digest(&rows), projects: rows.len() };
    if Corpus::is_at(folder) && Corpus::read(folder)?.metadata.recipe != recipe {
        return Err(SampleError::OtherRecipe { folder: folder.to_owned() });
    }
    let staging = folder.join(STAGING_FOLDER);
    corpus::create_folder(&staging)?;
    corpus::create_folder(&corpus::projects(folder))?;
    let client = Client::new(settings, stop);
    let mut fetched = Fetched { client, staging: &staging, folder, members: Vec::new() };
    let mut progress = SampleProgress { wanted: Some(rows.len()), ..SampleProgress::default() };
    let mut missing = Vec::new();
    let mut unreachable = 0;
    for row in &rows {
        match fetched.project(row, &mut progress.retries) {
            Ok(Ok(())) => {
                unreachable = 0;
                progress.accepted += 1;
                *progress.outcomes.entry(ProbeOutcome::Accepted).or_default() += 1;
            }
            Ok(Err((outcome, detail))) => {
                *progress.outcomes.entry(outcome).or_default() += 1;
                unreachable = if outcome == ProbeOutcome::Undecided { unreachable + 1 } else { 0 };
                if unreachable == MAX_UNREACHABLE {
                    return Ok(FetchEnd::Unreachable(detail));
                }
                missing.push((row.id.clone(), outcome, detail));
            }
            Err(Interrupted::Stopped) => return Ok(FetchEnd::Stopped),
            Err(Interrupted::Failed(error)) => return Err(error.into()),
        }
        on_progress(&progress);
    }
    let undecided = missing.iter().find(|(_, outcome, _)| *outcome == ProbeOutcome::Undecided);
    if let Some((id, _, detail)) = undecided.filter(|_| !settings.give_up) {
        return Ok(FetchEnd::Unreachable(format!("{id}: {detail}")));
    }
    let frame = progress.outcomes.iter().map(|(outcome, n)| (outcome.name().to_owned(), *n));
    let corpus = Corpus::write(folder, recipe, frame.collect(), fetched.members)?;
    fs::remove_dir_all(&staging).map_err(CorpusError::io(&staging))?;
    Ok(FetchEnd::Fetched(Box::new(corpus), missing))
}

fn read(file: &Path) -> Result<Vec<AddressedProject>, CorpusError> {
    let fault = |cause: String| CorpusError::damaged(file, cause);
    let text = list::text(file)?;
    let mut table = csv::ReaderBuilder::new()
        .comment(Some(b'#'))
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    let mut rows: Vec<AddressedProject> = Vec::new();
    let mut ids = BTreeSet::new();
    for row in table.deserialize() {
        let row: AddressedProject = row.map_err(|error| fault(error.to_string()))?;
        let at = format!("project `{}`", row.id);
        if row.id.is_empty() || row.id.contains(['/', '\\']) || row.id.contains(char::is_control) {
            return Err(fault(format!(
                "{at}: an id must be a non-empty name without slashes or control characters"
            )));
        }
        if !row.address.starts_with("https://") && !row.address.starts_with("http://") {
            return Err(fault(format!(
                "{at}: `{}` is not an address that begins with https:// or http://",
                row.address
            )));
        }
        if !ids.insert(row.id.clone()) {
            return Err(fault(format!("{at} is repeated")));
        }
        if rows.len() == MAX_ROWS {
            return Err(fault(format!("has more than {MAX_ROWS} projects")));
        }
        rows.push(row);
    }
    if rows.is_empty() {
        return Err(fault("contains no projects".to_owned()));
    }
    Ok(rows)
}

fn digest(rows: &[AddressedProject]) -> Sha {
    let lines: String = rows.iter().map(|row| format!("{} {}\n", row.id, row.sha256)).collect();
    Sha::of(lines)
}

struct Fetched<'f> {
    client: Client<'f>,
    staging: &'f Path,
    folder: &'f Path,
    members: Vec<Member>,
}

enum Interrupted {
    Stopped,
    Failed(CorpusError),
}

impl From<CorpusError> for Interrupted {
    fn from(error: CorpusError) -> Interrupted {
        Interrupted::Failed(error)
    }
}

type Missing = (ProbeOutcome, String);

impl Fetched<'_> {
    fn project(
        &mut self,
        row: &AddressedProject,
        retries: &mut BTreeMap<String, u64>,
    ) -> Result<Result<(), Missing>, Interrupted> {
        let archive = match self.archive(row, retries)? {
            Ok(archive) => archive,
            Err(missing) => return Ok(Err(missing)),
        };
        let unreadable =
            |error: &dyn std::fmt::Display| (ProbeOutcome::Unreadable, error.to_string());
        let packed = match repack(&row.id, &archive) {
            Ok(packed) => packed,
            Err(error) => return Ok(Err(unreadable(&error))),
        };
        let project = match Project::from_bytes(&row.id, &packed, &Limits::default()) {
            Ok(project) => project,
            Err(error) => return Ok(Err(unreadable(&error))),
        };
        if project.block_count() == 0 {
            return Ok(Err((ProbeOutcome::NoBlocks, "has no blocks".to_owned())));
        }
        let sha = Sha::of(&packed);
        let path = corpus::project(self.folder, sha);
        atomic_file::write(&path, &packed).map_err(CorpusError::io(&path))?;
        let author = match &*row.author {
            "" => String::new(),
            name => Member::author_hash(name),
        };
        let member = Member {
            id: row.id.clone(),
            title: row.id.clone(),
            author,
            source: row.address.clone(),
            licence: row.licence.clone(),
            fetched: today(),
            sha256: sha,
            statements: 0,
            scripts: 0,
            sprites: 0,
            extensions: String::new(),
        };
        self.members.push(member.described(sha, &describe(&project)));
        Ok(Ok(()))
    }

    fn archive(
        &self,
        row: &AddressedProject,
        retries: &mut BTreeMap<String, u64>,
    ) -> Result<Result<Vec<u8>, Missing>, Interrupted> {
        let path: PathBuf = self.staging.join(row.sha256.to_string());
        if let Ok(archive) = fs::read(&path)
            && Sha::of(&archive) == row.sha256
        {
            return Ok(Ok(archive));
        }
        let check = |bytes: &[u8]| match Sha::of(bytes) {
            sha if sha == row.sha256 => Ok(bytes.to_vec()),
            sha => Err(format!("the archive now has the SHA-256 {sha}")),
        };
        let reply = self.client.get(&row.address, MAX_ARCHIVE_BYTES, retries, check);
        let archive = match reply {
            Ok(Reply::Valid(archive)) => archive,
            Ok(Reply::Refused(status)) => {
                let detail = format!("{}: status {status}", row.address);
                return Ok(Err((ProbeOutcome::Absent, detail)));
            }
            Ok(Reply::Invalid(detail)) => return Ok(Err((ProbeOutcome::Changed, detail))),
            Ok(Reply::TooLarge) => {
                let detail = format!("has more than {MAX_ARCHIVE_BYTES} bytes");
                return Ok(Err((ProbeOutcome::TooLarge, detail)));
            }
            Err(FetchError::RetriesExhausted { detail, .. }) => {
                return Ok(Err((ProbeOutcome::Undecided, detail)));
            }
            Err(FetchError::Stopped) => return Err(Interrupted::Stopped),
        };
        atomic_file::write(&path, &archive).map_err(CorpusError::io(&path))?;
        Ok(Ok(archive))
    }
}
