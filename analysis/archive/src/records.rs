//! The file of records of a package, in JSON lines.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::io::{self, BufRead, Read};

use catherd_experiments::{Digest, DigestBuilder, Plan, RunRecord, RunSpec};
use serde::{Deserialize, Serialize};

/// Name of the file in a package.
pub const FILE: &str = "records.jsonl";

/// In bytes. A record of 32 MiB, the maximum in the wire protocol, fits in a line.
const MAX_LINE_BYTES: u64 = 128 << 20;

/// The end of a quarantined run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Quarantined {
    /// Number of attempts.
    pub attempts: u32,
    /// How the last attempt ended, such as `crashed` or `lost`.
    pub kind: String,
    /// The reason.
    pub reason: String,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    /// The run has a record.
    Record(Box<RunRecord>),
    /// The run is quarantined.
    Quarantined(Quarantined),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    project: String,
    sha256: Digest,
    algorithm: String,
    seed: u64,
    /// Digest of the record without the parts that depend on the computer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    digest: Option<Digest>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    record: Option<RunRecord>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    quarantined: Option<Quarantined>,
}

/// The line of a run, with its line break, and the digest of its record.
///
/// # Errors
/// If the record cannot be converted to JSON, which does not occur.
pub fn line(spec: &RunSpec, end: &End) -> serde_json::Result<(Vec<u8>, Option<Digest>)> {
    let (record, quarantined) = match end {
        End::Record(record) => (Some(RunRecord::clone(record)), None),
        End::Quarantined(quarantined) => (None, Some(quarantined.clone())),
    };
    let digest = record.as_ref().map(RunRecord::digest);
    let line = Line {
        project: spec.project_name.clone(),
        sha256: spec.project,
        algorithm: spec.algorithm.label.clone(),
        seed: spec.seed,
        digest,
        record,
        quarantined,
    };
    let mut json = serde_json::to_vec(&line)?;
    json.push(b'\n');
    Ok((json, digest))
}

/// Computes [`Contents::results`](crate::Contents::results).
#[derive(Default)]
pub struct ResultsDigest(DigestBuilder);

impl ResultsDigest {
    /// Adds the digest of the next record.
    pub fn add(&mut self, run: Digest, record: Digest) {
        self.0.add(format!("{run} {record}\n").as_bytes());
    }

    /// The digest of all added records.
    pub fn finish(self) -> Digest {
        self.0.finish()
    }
}

/// Reads the lines of a file of records, and checks them against a plan.
pub struct RecordReader<'p, R> {
    lines: io::BufReader<R>,
    number: u64,
    plan: &'p Plan,
    projects: HashMap<Digest, usize>,
    algorithms: HashMap<&'p str, usize>,
    seeds: HashMap<u64, usize>,
    /// Positions in the plan.
    recorded: HashSet<usize>,
    quarantined: HashSet<usize>,
}

impl<'p, R: Read> RecordReader<'p, R> {
    /// Makes a reader of the records of a plan.
    pub fn new(file: R, plan: &'p Plan) -> RecordReader<'p, R> {
        RecordReader {
            lines: io::BufReader::new(file),
            number: 0,
            plan,
            projects: positions(plan.projects.iter().map(|project| project.digest)),
            algorithms: positions(plan.algorithms.iter().map(|one| one.label.as_str())),
            seeds: positions(plan.seeds.iter().copied()),
            recorded: HashSet::new(),
            quarantined: HashSet::new(),
        }
    }

    fn read(&mut self) -> Result<Option<(RunSpec, End)>, String> {
        let mut text = Vec::new();
        self.number += 1;
        let read = self.lines.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut text);
        let at = |cause: String| format!("line {}: {cause}", self.number);
        read.map_err(|cause| at(format!("is damaged: {cause}")))?;
        if text.is_empty() {
            return Ok(None);
        }
        if text.pop() != Some(b'\n') {
            return Err(at("is truncated or too long".to_owned()));
        }
        let line = serde_json::from_slice(&text).map_err(|cause| at(cause.to_string()))?;
        self.run(line).map(Some).map_err(|cause| format!("line {}: {cause}", self.number))
    }

    fn run(&mut self, line: Line) -> Result<(RunSpec, End), String> {
        let unknown = |what: &str| format!("{what} is not in the plan");
        let project = self.projects.get(&line.sha256).ok_or_else(|| unknown("the project"))?;
        let algorithm = self.algorithms.get(&*line.algorithm);
        let algorithm = algorithm.ok_or_else(|| unknown("the algorithm"))?;
        let seed = self.seeds.get(&line.seed).ok_or_else(|| unknown("the seed"))?;
        let cell = project * self.plan.algorithms.len() + algorithm;
        let position = cell * self.plan.seeds.len() + seed;
        let spec = self.plan.run(position);
        if spec.project_name != line.project {
            return Err("the name of the project differs from the plan".to_owned());
        }
        let end = match (line.record, line.digest, line.quarantined) {
            (Some(record), Some(digest), None) => {
                if !self.recorded.insert(position) {
                    return Err("occurs twice".to_owned());
                }
                if record.run != spec.id() {
                    return Err("the record belongs to another run".to_owned());
                }
                if record.digest() != digest {
                    let (now, before) = (record.digest().short(), digest.short());
                    return Err(format!("the digest of the record was {before} and is {now}"));
                }
                End::Record(Box::new(record))
            }
            (None, None, Some(quarantined)) => {
                if !self.quarantined.insert(position) {
                    return Err("occurs twice".to_owned());
                }
                End::Quarantined(quarantined)
            }
            _ => {
                return Err(
                    "must have either a record with its digest, or `quarantined`".to_owned()
                );
            }
        };
        Ok((spec, end))
    }
}

impl<R: Read> Iterator for RecordReader<'_, R> {
    type Item = Result<(RunSpec, End), String>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read().transpose()
    }
}

fn positions<K: Eq + Hash>(keys: impl Iterator<Item = K>) -> HashMap<K, usize> {
    keys.enumerate().map(|(position, key)| (key, position)).collect()
}
