//! Probes of ids, which fetch and check projects.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use catherd_scratch_sb3::{Cause, Limits, Project, Warning, pack_files};
use serde::Deserialize;

use super::client::{Client, FetchError, Reply, RetryCause, RetryCounts};
use super::{Candidate, ProbeOutcome, ServerAddresses};
use crate::corpus::{CorpusError, Member, Sha, checksum};
use crate::{atomic_file, describe, today};

const MAX_DESCRIPTION_BYTES: u64 = 1 << 20;
const MAX_MEDIA_BYTES: u64 = 64 << 20;
/// Licence of all projects that are shared on Scratch's site.
const LICENCE: &str = "CC-BY-SA-2.0";

#[derive(Clone, Debug)]
pub(super) struct Probe {
    pub(super) outcome: ProbeOutcome,
    pub(super) detail: Option<String>,
    /// The accepted project, whose archive is in the staging folder.
    pub(super) member: Option<Member>,
    pub(super) retries: RetryCounts,
    /// Whether the id is undecided because of a connection error.
    pub(super) unreachable: bool,
}

pub(super) struct Prober<'s> {
    pub(super) client: Client<'s>,
    pub(super) addresses: &'s ServerAddresses,
    pub(super) accept_remixes: bool,
    pub(super) excluded: &'s Exclusions,
    pub(super) staging: &'s Staging,
}

#[derive(Default)]
pub(super) struct Exclusions {
    pub(super) ids: BTreeSet<String>,
    pub(super) digests: BTreeSet<Sha>,
}

/// Files with their final names are complete, because they are written atomically.
pub(super) struct Staging {
    pub(super) projects: PathBuf,
    media: PathBuf,
}

impl Staging {
    pub(super) fn in_folder(folder: &Path) -> Staging {
        Staging { projects: folder.join("projects"), media: folder.join("media") }
    }

    pub(super) fn create(&self) -> Result<(), CorpusError> {
        [&self.projects, &self.media].into_iter().try_for_each(|f| crate::corpus::create_folder(f))
    }

    pub(super) fn project(&self, sha: Sha) -> PathBuf {
        self.projects.join(format!("{sha}.sb3"))
    }
}

#[derive(Deserialize)]
struct Description {
    #[serde(default)]
    title: String,
    visibility: Option<String>,
    public: Option<bool>,
    is_published: Option<bool>,
    author: Option<Author>,
    remix: Option<Remix>,
    project_token: Option<String>,
}

#[derive(Deserialize)]
struct Author {
    username: Option<String>,
}

#[derive(Deserialize)]
struct Remix {
    parent: Option<u64>,
    root: Option<u64>,
}

enum ProbeEnd {
    Decided(ProbeOutcome, Option<String>),
    FetchFailed(FetchError),
    Fatal(CorpusError),
}

impl From<FetchError> for ProbeEnd {
    fn from(error: FetchError) -> ProbeEnd {
        ProbeEnd::FetchFailed(error)
    }
}

fn decided<T>(outcome: ProbeOutcome, detail: impl Into<String>) -> Result<T, ProbeEnd> {
    Err(ProbeEnd::Decided(outcome, Some(detail.into())))
}

impl Prober<'_> {
    /// Returns `None` if the sample was stopped.
    pub(super) fn probe(&self, candidate: &Candidate) -> Result<Option<Probe>, CorpusError> {
        let mut retries = RetryCounts::new();
        let mut probe = Probe {
            outcome: ProbeOutcome::Accepted,
            detail: None,
            member: None,
            retries: RetryCounts::new(),
            unreachable: false,
        };
        match self.fetch(candidate, &mut retries) {
            Ok(member) => probe.member = Some(member),
            Err(ProbeEnd::Decided(outcome, detail)) => {
                (probe.outcome, probe.detail) = (outcome, detail)
            }
            Err(ProbeEnd::FetchFailed(FetchError::Stopped)) => return Ok(None),
            Err(ProbeEnd::FetchFailed(FetchError::RetriesExhausted { cause, detail })) => {
                (probe.outcome, probe.detail) = (ProbeOutcome::Undecided, Some(detail));
                probe.unreachable = cause == RetryCause::Connection;
            }
            Err(ProbeEnd::Fatal(error)) => return Err(error),
        }
        Ok(Some(Probe { retries, ..probe }))
    }

    fn fetch(&self, candidate: &Candidate, retries: &mut RetryCounts) -> Result<Member, ProbeEnd> {
        let id = candidate.id.to_string();
        if self.excluded.ids.contains(&id) {
            return Err(ProbeEnd::Decided(ProbeOutcome::Excluded, None));
        }
        let mut description = self.description(&id, retries)?;
        let json = match self.project_json(&id, &description, retries)? {
            Ok(json) => json,
            // The token may have expired, or the project may have been deleted, so the description
            // is requested again.
            Err(_) => {
                description = match self.description(&id, retries) {
                    Err(ProbeEnd::Decided(ProbeOutcome::Absent, detail)) => {
                        return Err(ProbeEnd::Decided(ProbeOutcome::Gone, detail));
                    }
                    description => description?,
                };
                match self.project_json(&id, &description, retries)? {
                    Ok(json) => json,
                    Err(status) => return decided(ProbeOutcome::Gone, format!("status {status}")),
                }
            }
        };
        let mut files = BTreeMap::from([("project.json".to_owned(), json)]);
        for name in media_names(&id, &files)? {
            let bytes = self.media(&name, retries)?;
            files.insert(name, bytes);
        }
        let archive = pack_files(&id, &files).map_err(unreadable)?;
        drop(files);
        let project = Project::from_bytes(&id, &archive, &Limits::default()).map_err(unreadable)?;
        if project.block_count() == 0 {
            return Err(ProbeEnd::Decided(ProbeOutcome::NoBlocks, None));
        }
        let sha = Sha::of(&archive);
        if self.excluded.digests.contains(&sha) {
            return decided(ProbeOutcome::Excluded, "the same project under a different id");
        }
        if candidate.frozen.is_some_and(|frozen| frozen != sha) {
            return decided(ProbeOutcome::Changed, format!("now {sha}"));
        }
        let path = self.staging.project(sha);
        atomic_file::write(&path, &archive)
            .map_err(|e| ProbeEnd::Fatal(CorpusError::io(&path)(e)))?;
        let author = description.author.and_then(|author| author.username);
        let member = Member {
            source: format!("https://scratch.mit.edu/projects/{id}"),
            id,
            title: description.title,
            author: author.map(|name| Member::author_hash(&name)).unwrap_or_default(),
            licence: LICENCE.to_owned(),
            fetched: today(),
            sha256: sha,
            statements: 0,
            scripts: 0,
            sprites: 0,
            extensions: String::new(),
        };
        Ok(member.described(sha, &describe(&project)))
    }

    fn description(&self, id: &str, retries: &mut RetryCounts) -> Result<Description, ProbeEnd> {
        let url = format!("{}/projects/{id}", self.addresses.api);
        let parse = |bytes: &[u8]| serde_json::from_slice(bytes).map_err(|e| e.to_string());
        let description: Description =
            match self.client.get(&url, MAX_DESCRIPTION_BYTES, retries, parse)? {
                Reply::Valid(description) => description,
                Reply::Refused(404 | 410) => {
                    return Err(ProbeEnd::Decided(ProbeOutcome::Absent, None));
                }
                Reply::Refused(status) => {
                    return decided(ProbeOutcome::Unshared, format!("status {status}"));
                }
                Reply::Invalid(reason) => {
                    return decided(ProbeOutcome::Unreadable, format!("description: {reason}"));
                }
                Reply::TooLarge => return decided(ProbeOutcome::TooLarge, "description"),
            };
        let hidden = description.visibility.as_deref().is_some_and(|v| v != "visible");
        if hidden || description.public == Some(false) || description.is_published == Some(false) {
            return Err(ProbeEnd::Decided(ProbeOutcome::Unshared, None));
        }
        let remix = description.remix.as_ref().and_then(|remix| remix.parent.or(remix.root));
        match remix {
            Some(original) if !self.accept_remixes => {
                decided(ProbeOutcome::Remix, format!("of {original}"))
            }
            _ => Ok(description),
        }
    }

    /// The inner error is the status with which the server refuses the request.
    fn project_json(
        &self,
        id: &str,
        description: &Description,
        retries: &mut RetryCounts,
    ) -> Result<Result<Vec<u8>, u16>, ProbeEnd> {
        let token = description.project_token.as_deref().map(|t| format!("?token={t}"));
        let url = format!("{}/{id}{}", self.addresses.projects, token.unwrap_or_default());
        let max_bytes = Limits::default().json_bytes;
        match self.client.get(&url, max_bytes, retries, check_json)? {
            Reply::Valid(ProjectFile::Json(bytes)) => Ok(Ok(bytes)),
            Reply::Valid(ProjectFile::Old) => Err(ProbeEnd::Decided(ProbeOutcome::OldFormat, None)),
            Reply::Refused(status) => Ok(Err(status)),
            Reply::Invalid(reason) => decided(ProbeOutcome::Unreadable, reason),
            Reply::TooLarge => decided(ProbeOutcome::TooLarge, "project.json"),
        }
    }

    fn media(&self, name: &str, retries: &mut RetryCounts) -> Result<Vec<u8>, ProbeEnd> {
        let path = self.staging.media.join(name);
        if let Ok(bytes) = fs::read(&path)
            && checksum(name, &bytes) == Some(true)
        {
            return Ok(bytes);
        }
        let url = format!("{}/internalapi/asset/{name}/get/", self.addresses.assets);
        let check = |bytes: &[u8]| match checksum(name, bytes) {
            Some(true) => Ok(bytes.to_owned()),
            _ => Err(format!("{name} has a wrong checksum")),
        };
        match self.client.get(&url, MAX_MEDIA_BYTES, retries, check)? {
            Reply::Valid(bytes) => {
                atomic_file::write(&path, &bytes)
                    .map_err(|e| ProbeEnd::Fatal(CorpusError::io(&path)(e)))?;
                Ok(bytes)
            }
            Reply::Refused(status) => {
                decided(ProbeOutcome::MissingMedia, format!("{name}: status {status}"))
            }
            Reply::Invalid(reason) => decided(ProbeOutcome::DamagedMedia, reason),
            Reply::TooLarge => decided(ProbeOutcome::TooLarge, name),
        }
    }
}

enum ProjectFile {
    Json(Vec<u8>),
    /// A Scratch 2 project, as JSON or packed, or a project in the older binary format.
    Old,
}

fn check_json(bytes: &[u8]) -> Result<ProjectFile, String> {
    #[derive(Deserialize)]
    struct Top {
        #[serde(rename = "objName")]
        of_scratch_2: Option<serde::de::IgnoredAny>,
    }
    if bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"ScratchV") {
        return Ok(ProjectFile::Old);
    }
    match serde_json::from_slice(bytes) {
        Ok(Top { of_scratch_2: Some(_) }) => Ok(ProjectFile::Old),
        Ok(_) => Ok(ProjectFile::Json(bytes.to_owned())),
        Err(error) => Err(format!("project.json is not valid JSON: {error}")),
    }
}

fn media_names(id: &str, json: &BTreeMap<String, Vec<u8>>) -> Result<BTreeSet<String>, ProbeEnd> {
    let archive = pack_files(id, json).map_err(unreadable)?;
    let project = Project::from_bytes(id, &archive, &Limits::default()).map_err(unreadable)?;
    let mut names = BTreeSet::new();
    for warning in &project.warnings {
        let Warning::MissingAsset { file, .. } = warning else { continue };
        // Unchecked names must not become part of an address.
        if checksum(file, b"").is_none()
            || !file.bytes().all(|b| b == b'.' || b.is_ascii_alphanumeric())
        {
            return decided(ProbeOutcome::MissingMedia, format!("{file:?} is not a checksum"));
        }
        names.insert(file.to_string());
    }
    Ok(names)
}

fn unreadable(error: catherd_scratch_sb3::ReadError) -> ProbeEnd {
    let outcome = match error.cause {
        Cause::Limit { .. } => ProbeOutcome::TooLarge,
        Cause::Version(_) => ProbeOutcome::OldFormat,
        _ => ProbeOutcome::Unreadable,
    };
    ProbeEnd::Decided(outcome, Some(error.cause.to_string()))
}
