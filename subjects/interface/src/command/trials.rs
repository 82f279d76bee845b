//! Trials that have ended but are not measured yet: the tool's result, which has no criteria, and
//! the artifact, in a folder that remains after the run. If measuring fails or the worker ends,
//! only measuring is repeated.
//!
//! The name of a trial is the digest of everything that the trial depends on: the specification of
//! the run, except the measurer and the limit on measuring.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use catherd_experiments::{
    Binary, Conditions, Digest, DigestBuilder, RunOutcome, RunRecord, RunSpec,
};
use serde::{Deserialize, Serialize};

use super::limits::MEASURING;
use super::measurer::{MEASURER, MEASURER_DIGEST};

const ARTIFACT: &str = "artifact";

/// The file with the tool's name for the artifact.
const NAME: &str = "name";

const DESCRIPTION: &str = "trial";

/// The log, in a record, that describes the trial.
const LOG: &str = "trial.json";

/// Maximum number of bytes that are read from a file.
const MAX_BYTES: u64 = 64 << 20;

pub(super) struct Trial {
    /// The record of the tool's run, without criteria.
    pub(super) record: RunRecord,
    folder: PathBuf,
}

#[derive(Serialize, Deserialize)]
struct Description {
    artifact: Digest,
    record: RunRecord,
}

/// A trial in the record of a measured run, without the files that the record already contains.
#[derive(Serialize, Deserialize)]
struct Origin {
    /// The name of the artifact among the binary files.
    name: String,
    artifact: Digest,
    artifacts: Vec<String>,
    logs: Vec<String>,
    binaries: Vec<String>,
    trial: RunRecord,
}

/// Returns the digest of everything that a trial depends on.
pub fn id(spec: &RunSpec) -> Digest {
    let mut spec = spec.clone();
    for name in [MEASURER, MEASURER_DIGEST, MEASURING] {
        spec.algorithm.parameters.remove(name);
    }
    spec.id()
}

/// Moves an artifact into the folder of a trial. The disk may not have enough space for a copy.
pub(super) fn keep_artifact(artifact: &Path, name: &str, folder: &Path) -> io::Result<()> {
    fs::write(folder.join(NAME), name)?;
    fs::rename(artifact, folder.join(ARTIFACT))
}

impl Trial {
    /// Moves a trial from `folder` to `trials`. If this fails, the trial stays in `folder`.
    pub(super) fn keep(
        record: RunRecord,
        folder: PathBuf,
        trials: io::Result<&Path>,
        id: Digest,
    ) -> Trial {
        let kept = || {
            write(&folder, &record, digest_of(&folder.join(ARTIFACT))?)?;
            moved(&folder, trials?, id)
        };
        let kept = kept().unwrap_or_else(|_| folder.clone());
        Trial { record, folder: kept }
    }

    /// A trial that is damaged is not returned.
    pub(super) fn stored(trials: &Path, id: Digest, spec: &RunSpec) -> Option<Trial> {
        let folder = trials.join(id.to_string());
        let Description { artifact, mut record } = read(&folder)?;
        let unharmed = digest_of(&folder.join(ARTIFACT)).is_ok_and(|found| found == artifact);
        record.run = spec.id();
        // The conditions during measuring must not be used instead of unknown conditions during the
        // trial.
        let resources = &mut record.resources;
        let started = || started_ms(&folder, resources.wall_ms);
        let known = resources
            .conditions
            .or_else(|| Some(Conditions { started_ms: started()?, ..Conditions::default() }));
        resources.conditions = known;
        unharmed.then_some(Trial { record, folder })
    }

    pub(super) fn artifact(&self) -> PathBuf {
        self.folder.join(ARTIFACT)
    }

    pub(super) fn remove(&self) {
        // A remaining trial only occupies space.
        let _ = catherd_platform::remove_folder(&self.folder);
    }

    /// [`import`] can restore the trial from this record.
    pub(super) fn described(&self, artifact: Digest) -> RunRecord {
        fn names<V>(files: &BTreeMap<String, V>) -> Vec<String> {
            files.keys().cloned().collect()
        }
        let mut record = self.record.clone();
        let trial = RunRecord {
            artifacts: BTreeMap::new(),
            logs: BTreeMap::new(),
            binaries: BTreeMap::new(),
            ..record.clone()
        };
        let (artifacts, logs, binaries) =
            (names(&record.artifacts), names(&record.logs), names(&record.binaries));
        // Without the name of the artifact, only measuring again from the record is impossible.
        let name = fs::read_to_string(self.folder.join(NAME)).unwrap_or_default();
        let origin = Origin { name, artifact, artifacts, logs, binaries, trial };
        let origin = serde_json::to_string(&origin).unwrap_or_default();
        record.logs.insert(LOG.to_owned(), origin + "\n");
        record
    }
}

/// Writes the trial in a stored record into the folder `trials`. The run can then be measured again
/// without being executed. Returns whether the record contains a trial with its artifact.
///
/// # Errors
///
/// If the trial cannot be written.
pub fn import(trials: &Path, spec: &RunSpec, record: &RunRecord) -> io::Result<bool> {
    let origin = record.logs.get(LOG).and_then(|log| serde_json::from_str::<Origin>(log).ok());
    let Some(origin) = origin else { return Ok(false) };
    let artifact =
        record.binaries.get(&origin.name).filter(|a| Digest::of(&a.0) == origin.artifact);
    let Some(Binary(artifact)) = artifact else { return Ok(false) };
    fn named<V: Clone>(names: &[String], of: &BTreeMap<String, V>) -> BTreeMap<String, V> {
        names.iter().filter_map(|name| Some((name.clone(), of.get(name)?.clone()))).collect()
    }
    let id = id(spec);
    let part = trials.join(format!("{id}.part"));
    fs::create_dir_all(&part)?;
    fs::write(part.join(ARTIFACT), artifact)?;
    fs::write(part.join(NAME), &origin.name)?;
    let trial = RunRecord {
        artifacts: named(&origin.artifacts, &record.artifacts),
        logs: named(&origin.logs, &record.logs),
        binaries: named(&origin.binaries, &record.binaries),
        resources: record.resources.clone(),
        ..origin.trial
    };
    write(&part, &trial, origin.artifact)?;
    moved(&part, trials, id).map(|_| true)
}

fn moved(folder: &Path, trials: &Path, id: Digest) -> io::Result<PathBuf> {
    fs::create_dir_all(trials)?;
    let target = trials.join(id.to_string());
    // An earlier trial with the same name may be damaged.
    catherd_platform::remove_folder(&target)?;
    fs::rename(folder, &target)?;
    Ok(target)
}

fn write(folder: &Path, record: &RunRecord, artifact: Digest) -> io::Result<()> {
    let description = serde_json::to_string(&Description { artifact, record: record.clone() })?;
    let digest = Digest::of(description.as_bytes());
    fs::write(folder.join(DESCRIPTION), format!("{digest}\n{description}"))
}

/// The start of a trial in milliseconds since 1970. `wall_ms` is the duration of the trial.
fn started_ms(folder: &Path, wall_ms: u64) -> Option<u64> {
    let ended = fs::metadata(folder.join(DESCRIPTION)).and_then(|file| file.modified()).ok()?;
    let ended = ended.duration_since(UNIX_EPOCH).ok()?.as_millis() as u64;
    ended.checked_sub(wall_ms)
}

fn read(folder: &Path) -> Option<Description> {
    let text = sealed(&folder.join(DESCRIPTION))?;
    let description: Description = serde_json::from_str(&text).ok()?;
    (description.record.outcome == RunOutcome::Done).then_some(description)
}

/// Returns the text of a file after a first line with the text's digest.
pub(super) fn sealed(file: &Path) -> Option<String> {
    let mut text = String::new();
    let file = catherd_platform::open_regular(file).ok()?;
    file.take(MAX_BYTES).read_to_string(&mut text).ok()?;
    let (digest, rest) = text.split_once('\n')?;
    (Digest::of(rest.as_bytes()).to_string() == digest).then(|| rest.to_owned())
}

pub(super) fn digest_of(file: &Path) -> io::Result<Digest> {
    let mut file: File = catherd_platform::open_regular(file)?;
    let (mut builder, mut buffer) = (DigestBuilder::default(), vec![0; 1 << 16]);
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(builder.finish()),
            count => builder.add(&buffer[..count]),
        }
    }
}

#[cfg(test)]
mod tests {
    use catherd_experiments::{Algorithm, Budget, Parameter};

    use super::*;

    fn spec(measurer: &str) -> RunSpec {
        let mut algorithm = Algorithm::plain("x");
        for name in [MEASURER, MEASURER_DIGEST] {
            algorithm.parameters.insert(name.to_owned(), Parameter::Text(measurer.to_owned()));
        }
        RunSpec {
            project: Digest::of(b"one"),
            project_name: "one".into(),
            subject: super::super::KIND.into(),
            algorithm,
            seed: 7,
            budget: Budget::wall_ms(1500),
            engine: "e".into(),
            mutation: None,
        }
    }

    #[test]
    fn trials_survive_the_measurer_but_not_damage() {
        let place = tempfile::tempdir().unwrap();
        let (part, trials) = (place.path().join("part"), place.path().join("trials"));
        let (one, other) = (spec("one"), spec("other"));
        assert!(one.id() != other.id() && id(&one) == id(&other));
        fs::create_dir(&part).unwrap();
        let artifact = place.path().join("corpus");
        fs::write(&artifact, "corpus").unwrap();
        keep_artifact(&artifact, "corpus", &part).unwrap();
        let mut record = RunRecord::new(&one, Vec::new());
        record.outcome = RunOutcome::Done;
        record.binaries.insert("corpus".into(), Binary(b"corpus".to_vec()));
        let kept = Trial::keep(record, part.clone(), Ok(&trials), id(&one));
        assert!(!part.exists());
        let stored = Trial::stored(&trials, id(&other), &other).unwrap();
        assert_eq!(stored.record.run, other.id());

        let described = stored.described(Digest::of(b"corpus"));
        let again = place.path().join("again");
        assert!(import(&again, &other, &described).unwrap());
        let again = Trial::stored(&again, id(&one), &one).unwrap();
        assert_eq!(again.record, RunRecord { run: one.id(), ..stored.record });
        assert!(again.record.resources.conditions.unwrap().started_ms > 1_700_000_000_000);
        let lost = RunRecord { binaries: BTreeMap::new(), ..described };
        assert!(!import(&trials, &other, &lost).unwrap());

        fs::write(kept.artifact(), "corpuS").unwrap();
        assert!(Trial::stored(&trials, id(&one), &one).is_none());
        fs::write(kept.artifact(), "corpus").unwrap();
        let file = trials.join(id(&one).to_string()).join(DESCRIPTION);
        let whole = fs::read_to_string(&file).unwrap();
        fs::write(&file, &whole[..whole.len() - 1]).unwrap();
        assert!(Trial::stored(&trials, id(&one), &one).is_none());
    }
}
