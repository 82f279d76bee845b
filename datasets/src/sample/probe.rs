//! Probing one id: from its number to a packed project, or to why there is none.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use catherd_sb3::{Cause, Limits, Project, Warning, pack_files};
use serde::Deserialize;

use super::client::{Client, Reply, Trouble, Troubles, Unanswered};
use super::{Addresses, Candidate, Outcome};
use crate::corpus::{CorpusError, Member, Sha, checksum};
use crate::{describe, today, whole_file};

/// Bytes of a project's description.
const META_BYTES: u64 = 1 << 20;
/// Bytes of a costume or sound; Scratch takes 10 MB.
const MEDIA_BYTES: u64 = 64 << 20;
/// The licence under which Scratch's users share.
const LICENCE: &str = "CC-BY-SA-2.0";

/// What came of an id.
#[derive(Clone, Debug)]
pub(super) struct Probe {
    pub(super) outcome: Outcome,
    /// More about it, for people.
    pub(super) detail: Option<String>,
    /// The project, if it was accepted; its archive is in the staging folder.
    pub(super) member: Option<Member>,
    pub(super) troubles: Troubles,
    /// Undecided since nothing could be reached.
    pub(super) unreachable: bool,
}

/// Where probes get things from, and where they put them.
pub(super) struct Prober<'s> {
    pub(super) client: Client<'s>,
    pub(super) addresses: &'s Addresses,
    pub(super) remixes: bool,
    /// Ids and digests of other corpora.
    pub(super) excluded: &'s (BTreeSet<String>, BTreeSet<Sha>),
    pub(super) staging: &'s Staging,
}

/// What a sample needs while it is made. Every file in it is whole.
pub(super) struct Staging {
    pub(super) projects: PathBuf,
    media: PathBuf,
}

impl Staging {
    pub(super) fn at(folder: &Path) -> Staging {
        Staging { projects: folder.join("projects"), media: folder.join("media") }
    }

    pub(super) fn make(&self) -> Result<(), CorpusError> {
        [&self.projects, &self.media].into_iter().try_for_each(|f| crate::corpus::make_folder(f))
    }

    pub(super) fn project(&self, sha: Sha) -> PathBuf {
        self.projects.join(format!("{sha}.sb3"))
    }
}

/// A project's description, as far as it matters.
#[derive(Deserialize)]
struct Meta {
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

/// Why a probe ends early.
enum End {
    Decided(Outcome, Option<String>),
    Unanswered(Unanswered),
    /// The folder refuses: nothing can go on.
    Fatal(CorpusError),
}

impl From<Unanswered> for End {
    fn from(unanswered: Unanswered) -> End {
        End::Unanswered(unanswered)
    }
}

fn decided<T>(outcome: Outcome, detail: impl Into<String>) -> Result<T, End> {
    Err(End::Decided(outcome, Some(detail.into())))
}

impl Prober<'_> {
    /// What comes of an id; none if it was called off.
    pub(super) fn probe(&self, candidate: &Candidate) -> Result<Option<Probe>, CorpusError> {
        let mut troubles = Troubles::new();
        let mut probe = Probe {
            outcome: Outcome::Accepted,
            detail: None,
            member: None,
            troubles: Troubles::new(),
            unreachable: false,
        };
        match self.fetch(candidate, &mut troubles) {
            Ok(member) => probe.member = Some(member),
            Err(End::Decided(outcome, detail)) => (probe.outcome, probe.detail) = (outcome, detail),
            Err(End::Unanswered(Unanswered::Stopped)) => return Ok(None),
            Err(End::Unanswered(Unanswered::Undecided { trouble, detail })) => {
                (probe.outcome, probe.detail) = (Outcome::Undecided, Some(detail));
                probe.unreachable = trouble == Trouble::Connection;
            }
            Err(End::Fatal(error)) => return Err(error),
        }
        Ok(Some(Probe { troubles, ..probe }))
    }

    fn fetch(&self, candidate: &Candidate, troubles: &mut Troubles) -> Result<Member, End> {
        let id = candidate.id.to_string();
        if self.excluded.0.contains(&id) {
            return Err(End::Decided(Outcome::Excluded, None));
        }
        let mut meta = self.meta(&id, troubles)?;
        let json = match self.json(&id, &meta, troubles)? {
            Ok(json) => json,
            // The token may have expired, or the project is gone: ask again for both.
            Err(_) => {
                meta = match self.meta(&id, troubles) {
                    Err(End::Decided(Outcome::Absent, detail)) => {
                        return Err(End::Decided(Outcome::Gone, detail));
                    }
                    meta => meta?,
                };
                match self.json(&id, &meta, troubles)? {
                    Ok(json) => json,
                    Err(status) => return decided(Outcome::Gone, format!("status {status}")),
                }
            }
        };
        let mut files = BTreeMap::from([("project.json".to_owned(), json)]);
        for name in media(&id, &files)? {
            let bytes = self.media(&name, troubles)?;
            files.insert(name, bytes);
        }
        let archive = pack_files(&id, &files).map_err(unusable)?;
        drop(files);
        let project = Project::from_bytes(&id, &archive, &Limits::default()).map_err(unusable)?;
        if project.block_count() == 0 {
            return Err(End::Decided(Outcome::NoBlocks, None));
        }
        let sha = Sha::of(&archive);
        if self.excluded.1.contains(&sha) {
            return decided(Outcome::Excluded, "the same project under another id");
        }
        if candidate.frozen.is_some_and(|frozen| frozen != sha) {
            return decided(Outcome::Changed, format!("now {sha}"));
        }
        let path = self.staging.project(sha);
        whole_file::write(&path, &archive).map_err(|e| End::Fatal(CorpusError::io(&path)(e)))?;
        let author = meta.author.and_then(|author| author.username);
        let member = Member {
            source: format!("https://scratch.mit.edu/projects/{id}"),
            id,
            title: meta.title,
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

    /// The description of a project that may be taken.
    fn meta(&self, id: &str, troubles: &mut Troubles) -> Result<Meta, End> {
        let url = format!("{}/projects/{id}", self.addresses.api);
        let parse = |bytes: &[u8]| serde_json::from_slice(bytes).map_err(|e| e.to_string());
        let meta: Meta = match self.client.get(&url, META_BYTES, troubles, parse)? {
            Reply::Whole(meta) => meta,
            Reply::Refused(404 | 410) => return Err(End::Decided(Outcome::Absent, None)),
            Reply::Refused(status) => {
                return decided(Outcome::Unshared, format!("status {status}"));
            }
            Reply::Broken(why) => {
                return decided(Outcome::Unreadable, format!("description: {why}"));
            }
            Reply::TooLarge => return decided(Outcome::TooLarge, "description"),
        };
        let hidden = meta.visibility.as_deref().is_some_and(|v| v != "visible");
        if hidden || meta.public == Some(false) || meta.is_published == Some(false) {
            return Err(End::Decided(Outcome::Unshared, None));
        }
        let remix = meta.remix.as_ref().and_then(|remix| remix.parent.or(remix.root));
        match remix {
            Some(original) if !self.remixes => decided(Outcome::Remix, format!("of {original}")),
            _ => Ok(meta),
        }
    }

    /// `project.json`, or the status with which it is refused.
    fn json(
        &self,
        id: &str,
        meta: &Meta,
        troubles: &mut Troubles,
    ) -> Result<Result<Vec<u8>, u16>, End> {
        let token = meta.project_token.as_deref().map(|t| format!("?token={t}"));
        let url = format!("{}/{id}{}", self.addresses.projects, token.unwrap_or_default());
        let most = Limits::default().json_bytes;
        match self.client.get(&url, most, troubles, whole_json)? {
            Reply::Whole(Contents::Json(bytes)) => Ok(Ok(bytes)),
            Reply::Whole(Contents::Old) => Err(End::Decided(Outcome::OldFormat, None)),
            Reply::Refused(status) => Ok(Err(status)),
            Reply::Broken(why) => decided(Outcome::Unreadable, why),
            Reply::TooLarge => decided(Outcome::TooLarge, "project.json"),
        }
    }

    /// A costume or sound, from an earlier project if possible.
    fn media(&self, name: &str, troubles: &mut Troubles) -> Result<Vec<u8>, End> {
        let kept = self.staging.media.join(name);
        if let Ok(bytes) = fs::read(&kept)
            && checksum(name, &bytes) == Some(true)
        {
            return Ok(bytes);
        }
        let url = format!("{}/internalapi/asset/{name}/get/", self.addresses.assets);
        let check = |bytes: &[u8]| match checksum(name, bytes) {
            Some(true) => Ok(bytes.to_owned()),
            _ => Err(format!("{name} has another checksum")),
        };
        match self.client.get(&url, MEDIA_BYTES, troubles, check)? {
            Reply::Whole(bytes) => {
                let kept_whole = whole_file::write(&kept, &bytes);
                kept_whole.map_err(|e| End::Fatal(CorpusError::io(&kept)(e)))?;
                Ok(bytes)
            }
            Reply::Refused(status) => {
                decided(Outcome::MissingMedia, format!("{name}: status {status}"))
            }
            Reply::Broken(why) => decided(Outcome::DamagedMedia, why),
            Reply::TooLarge => decided(Outcome::TooLarge, name),
        }
    }
}

/// What may be at a project's address.
enum Contents {
    Json(Vec<u8>),
    /// A Scratch 2 project, as JSON or packed, or the binary format before it.
    Old,
}

fn whole_json(bytes: &[u8]) -> Result<Contents, String> {
    #[derive(Deserialize)]
    struct Top {
        #[serde(rename = "objName")]
        of_scratch_2: Option<serde::de::IgnoredAny>,
    }
    if bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"ScratchV") {
        return Ok(Contents::Old);
    }
    match serde_json::from_slice(bytes) {
        Ok(Top { of_scratch_2: Some(_) }) => Ok(Contents::Old),
        Ok(_) => Ok(Contents::Json(bytes.to_owned())),
        Err(error) => Err(format!("project.json is not valid JSON: {error}")),
    }
}

/// The names of the media that a project wants, sorted.
fn media(id: &str, json: &BTreeMap<String, Vec<u8>>) -> Result<BTreeSet<String>, End> {
    let archive = pack_files(id, json).map_err(unusable)?;
    let project = Project::from_bytes(id, &archive, &Limits::default()).map_err(unusable)?;
    let mut names = BTreeSet::new();
    for warning in &project.warnings {
        let Warning::MissingAsset { file, .. } = warning else { continue };
        // Anything else is no name that Scratch gives, and nothing to put into an address.
        if checksum(file, b"").is_none()
            || !file.bytes().all(|b| b == b'.' || b.is_ascii_alphanumeric())
        {
            return decided(Outcome::MissingMedia, format!("{file:?} is no checksum"));
        }
        names.insert(file.to_string());
    }
    Ok(names)
}

fn unusable(error: catherd_sb3::ReadError) -> End {
    let outcome = match error.cause {
        Cause::Limit { .. } => Outcome::TooLarge,
        Cause::Version(_) => Outcome::OldFormat,
        _ => Outcome::Unreadable,
    };
    End::Decided(outcome, Some(error.cause.to_string()))
}
