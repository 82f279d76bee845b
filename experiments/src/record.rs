//! Records: the results of runs.
//!
//! [`RunRecord`] is format 2. Records in format 1, which catherd wrote up to version 0.3.0, are
//! converted when they are read.

mod binary;
mod check;
mod conditions;
pub(crate) mod format_1;

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::Value;

use crate::subject::{CriterionInfo, Noun, SubjectInfo, Unit};
use crate::{Digest, MutantRecord, RunSpec, text};

pub use binary::{Binary, MAX_BINARY_BYTES};
pub use check::InvalidRecord;
pub use conditions::Conditions;

/// Maximum number of bytes that are kept of a long reason.
pub const MAX_REASON_BYTES: usize = 16 << 10;

/// Version of the JSON of a [`RunRecord`].
pub const RECORD_FORMAT: u32 = 2;

/// The goals of a run under one criterion, and the goals that the run covered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Criterion {
    /// Name of the criterion, as in [`SubjectInfo::criteria`](crate::SubjectInfo::criteria).
    pub name: String,
    /// Number of goals of the project.
    pub goals: u32,
    /// The covered goals as numbers below `goals`, in ascending order.
    pub covered: Vec<u32>,
}

/// An improvement of the coverage of a criterion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimelinePoint {
    /// Work up to and including the improving execution, in the order of the unit names.
    pub work: Vec<u64>,
    /// Milliseconds of real time. Not part of the digest.
    pub wall_ms: u64,
    /// Total number of covered goals after the improvement.
    pub covered: u32,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunOutcome {
    /// The run ended properly.
    Done,
    /// The project has nothing to cover.
    NoGoals,
    /// The run has no valid result.
    Failed,
    /// A time limit ended the run.
    TimedOut,
    /// A memory limit ended the run.
    OutOfMemory,
}

/// Name of the metric with a run's own limit that ended the run, in milliseconds or bytes.
pub const OWN_LIMIT: &str = "own_limit";

/// Name of a metric that is not 0 if real time influenced a run independently of its budget. A
/// repetition may then differ.
pub const REAL_TIME: &str = "real_time";

/// Size of the final suite.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuiteSize {
    /// Number of tests.
    pub tests: u32,
    /// Size of all tests together, in `unit`.
    pub size: u32,
    /// What `size` counts, in the plural, such as `events`.
    pub unit: String,
    /// By how much minimisation reduced the size, in `unit`.
    pub removed: u32,
}

/// An additional number about a run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Metric {
    /// A count.
    Integer(i64),
    /// Any other finite number.
    Number(f64),
}

impl Metric {
    /// The value as a floating-point number.
    pub fn value(self) -> f64 {
        match self {
            Metric::Integer(count) => count as f64,
            Metric::Number(number) => number,
        }
    }
}

impl From<i64> for Metric {
    fn from(count: i64) -> Metric {
        Metric::Integer(count)
    }
}

/// Resources that a run used. Not part of the digest.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Resources {
    /// Duration of the whole run, including loading and minimisation, in milliseconds.
    pub wall_ms: u64,
    /// Duration of the search in milliseconds.
    pub search_ms: u64,
    /// Peak resident memory in KiB; 0 if unknown.
    pub peak_rss_kib: u64,
    /// Processor time in user and system mode, in milliseconds; 0 if unknown.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cpu_ms: u64,
    /// The conditions of the computer during the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conditions: Option<Conditions>,
}

/// Records of earlier versions do not have `cpu_ms`.
fn is_zero(value: &u64) -> bool {
    *value == 0
}

/// Where a run was executed. Not part of the digest.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// Host name.
    pub host: String,
    /// Name of the worker.
    pub worker: String,
    /// The core to which the worker was pinned.
    pub core: Option<u32>,
    /// Number of the attempt at the run, from 1.
    pub attempt: u32,
    /// Processor, cores and memory of the host, in words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub machine: String,
    /// How the worker's memory was limited: `cgroup`, `rlimit` or `none`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub memory_limit: String,
    /// The isolation of the run's program: `full`, or a list of the parts that were not in effect.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub isolation: String,
}

/// The result of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunRecord {
    /// The id of the run ([`RunSpec::id`]).
    pub run: Digest,
    /// How the run ended.
    pub outcome: RunOutcome,
    /// Why the run did not end properly; otherwise empty.
    pub reason: String,
    /// Goals and covered goals. The first criterion is the main criterion.
    pub criteria: Vec<Criterion>,
    /// Work of the search by unit name.
    pub work: BTreeMap<String, u64>,
    /// Improvements of the first criterion, if they are known.
    pub timeline: Vec<TimelinePoint>,
    /// Improvements of further criteria, by the name of the criterion.
    pub timelines: BTreeMap<String, Vec<TimelinePoint>>,
    /// Size of the final suite.
    pub suite: SuiteSize,
    /// Additional numbers of the subject kind by name, such as `iterations`.
    pub metrics: BTreeMap<String, Metric>,
    /// Files that the run produced, as strings by file name.
    pub artifacts: BTreeMap<String, String>,
    /// Results of mutation analysis, in a fixed order.
    pub mutants: Vec<MutantRecord>,
    /// Resources that the run used.
    pub resources: Resources,
    /// Files about the execution of the run, such as the log of a tool, as strings by file name.
    /// Not part of the digest.
    pub logs: BTreeMap<String, String>,
    /// Binary files that the run produced, by file name. Not part of the digest, because archives
    /// may contain times.
    pub binaries: BTreeMap<String, Binary>,
    /// Where the run was executed.
    pub provenance: Provenance,
}

/// The fields of a record, without the version of the format.
#[derive(Serialize, Deserialize)]
#[serde(remote = "RunRecord")]
struct Fields {
    run: Digest,
    outcome: RunOutcome,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    reason: String,
    criteria: Vec<Criterion>,
    work: BTreeMap<String, u64>,
    timeline: Vec<TimelinePoint>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    timelines: BTreeMap<String, Vec<TimelinePoint>>,
    suite: SuiteSize,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    metrics: BTreeMap<String, Metric>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    artifacts: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    mutants: Vec<MutantRecord>,
    resources: Resources,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    logs: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    binaries: BTreeMap<String, Binary>,
    provenance: Provenance,
}

impl Serialize for RunRecord {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Tagged<'r> {
            format: u32,
            #[serde(flatten, serialize_with = "Fields::serialize")]
            record: &'r RunRecord,
        }
        Tagged { format: RECORD_FORMAT, record: self }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for RunRecord {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<RunRecord, D::Error> {
        let mut value = Value::deserialize(deserializer)?;
        let format = value.as_object_mut().and_then(|record| record.remove("format"));
        match format.as_ref().map(Value::as_u64) {
            None => format_1::Record::deserialize(value).map(RunRecord::from),
            Some(Some(2)) => Fields::deserialize(value),
            _ => {
                let format = format.unwrap_or_default();
                let reads = format!("this build reads formats 1 and {RECORD_FORMAT}");
                return Err(de::Error::custom(format!("record of format {format}: {reads}")));
            }
        }
        .map_err(de::Error::custom)
        .and_then(|record| record.check_consistency().map(|()| record).map_err(de::Error::custom))
    }
}

fn without_times(points: &[TimelinePoint]) -> Vec<(&Vec<u64>, u32)> {
    points.iter().map(|point| (&point.work, point.covered)).collect()
}

impl RunRecord {
    /// Reads the JSON of a record of a subject kind. Format 1 does not name its criterion.
    ///
    /// # Errors
    ///
    /// If `json` is not the JSON of a consistent record of a known format.
    pub fn from_json(json: &[u8], kind: &str) -> serde_json::Result<RunRecord> {
        let value: Value = serde_json::from_slice(json)?;
        let is_format_1 = value.get("format").is_none();
        let mut record = RunRecord::deserialize(value)?;
        if is_format_1 {
            for criterion in &mut record.criteria {
                format_1::criterion(kind).clone_into(&mut criterion.name);
            }
        }
        Ok(record)
    }

    /// A record without work, suite and timeline, for a run that ended properly. The outcome depends
    /// on whether the first criterion has goals.
    pub fn new(spec: &RunSpec, criteria: Vec<Criterion>) -> RunRecord {
        let any = criteria.first().is_some_and(|criterion| criterion.goals > 0);
        RunRecord {
            run: spec.id(),
            outcome: if any { RunOutcome::Done } else { RunOutcome::NoGoals },
            reason: String::new(),
            criteria,
            work: BTreeMap::new(),
            timeline: Vec::new(),
            timelines: BTreeMap::new(),
            suite: SuiteSize::default(),
            metrics: BTreeMap::new(),
            artifacts: BTreeMap::new(),
            mutants: Vec::new(),
            resources: Resources::default(),
            logs: BTreeMap::new(),
            binaries: BTreeMap::new(),
            provenance: Provenance::default(),
        }
    }

    /// The record of a run with the outcome [`RunOutcome::Failed`]. `wall_ms` is the duration of
    /// the run in milliseconds. A long reason is truncated.
    pub fn failed(spec: &RunSpec, reason: &str, wall_ms: u64) -> RunRecord {
        RunRecord {
            outcome: RunOutcome::Failed,
            reason: text::truncated(reason, MAX_REASON_BYTES).into_owned(),
            resources: Resources { wall_ms, ..Resources::default() },
            ..RunRecord::new(spec, Vec::new())
        }
    }

    /// The record of a run that was ended by its own limit, in milliseconds or bytes. `wall_ms` is
    /// the duration of the run in milliseconds.
    pub fn limited(
        spec: &RunSpec,
        outcome: RunOutcome,
        limit: u64,
        reason: &str,
        wall_ms: u64,
    ) -> RunRecord {
        let limit = Metric::Integer(i64::try_from(limit).unwrap_or(i64::MAX));
        RunRecord {
            outcome,
            metrics: BTreeMap::from([(OWN_LIMIT.to_owned(), limit)]),
            ..RunRecord::failed(spec, reason, wall_ms)
        }
    }

    /// Whether the run was ended by its own limit. Such a run is not repeated on another worker.
    pub fn ended_by_own_limit(&self) -> bool {
        matches!(self.outcome, RunOutcome::TimedOut | RunOutcome::OutOfMemory)
            && self.metrics.contains_key(OWN_LIMIT)
    }

    /// Whether real time or the run's own limit influenced the record independently of the budget.
    /// A repetition may then differ.
    pub fn depends_on_real_time(&self) -> bool {
        let said = self.metrics.get(REAL_TIME).is_some_and(|metric| metric.value() != 0.0);
        said || self.ended_by_own_limit()
    }

    /// Number of goals of the first criterion.
    pub fn goals(&self) -> u32 {
        self.criteria.first().map_or(0, |criterion| criterion.goals)
    }

    /// Number of covered goals of the first criterion.
    pub fn covered(&self) -> u32 {
        self.criteria.first().map_or(0, |criterion| criterion.covered.len() as u32)
    }

    /// Covered share of the goals of the first criterion, if there are goals and the outcome is
    /// [`RunOutcome::Done`].
    pub fn coverage(&self) -> Option<f64> {
        (self.outcome == RunOutcome::Done && self.goals() > 0)
            .then(|| f64::from(self.covered()) / f64::from(self.goals()))
    }

    /// The position of a unit in [`TimelinePoint::work`].
    pub fn unit_position(&self, unit: &str) -> Option<usize> {
        self.work.keys().position(|name| name == unit)
    }

    /// The digest of the parts that describe the result. Repeated executions of a deterministic run
    /// have the same digest.
    pub fn digest(&self) -> Digest {
        let timeline = without_times(&self.timeline);
        let mut canonical = serde_json::json!({
            "format": RECORD_FORMAT,
            "run": self.run,
            "outcome": self.outcome,
            "reason": self.reason,
            "criteria": self.criteria,
            "work": self.work,
            "timeline": timeline,
            "suite": self.suite,
            "metrics": self.metrics,
            "artifacts": self.artifacts,
            "mutants": self.mutants,
        });
        if !self.timelines.is_empty() {
            let timelines =
                self.timelines.iter().map(|(name, points)| (name, without_times(points)));
            canonical["timelines"] = serde_json::json!(timelines.collect::<BTreeMap<_, _>>());
        }
        // `serde_json` orders maps by key, so this string is canonical.
        Digest::of(canonical.to_string().as_bytes())
    }

    /// The digest of the same result in version 0.3.0, if format 1 can express the record.
    pub fn digest_of_format_1(&self) -> Option<Digest> {
        format_1::Record::from_record(self).map(|record| record.digest())
    }
}

impl SubjectInfo {
    /// A description of a subject kind that this program does not have, from the names in a record.
    pub fn of_record(kind: &str, engine: &str, record: &RunRecord) -> SubjectInfo {
        let levels = record.mutants.first().map(|mutant| &mutant.location);
        let size = &record.suite.unit;
        SubjectInfo {
            kind: kind.to_owned(),
            engine: engine.to_owned(),
            units: record.work.keys().map(|name| Unit::new(name, name, name, name)).collect(),
            criteria: record
                .criteria
                .iter()
                .map(|c| CriterionInfo::new(&c.name, &c.name))
                .collect(),
            suite_unit: Noun::new(size, size),
            mutant_levels: levels.into_iter().flatten().map(|part| part.level.clone()).collect(),
            artifact_extension: record
                .artifacts
                .keys()
                .find_map(|name| name.strip_prefix("suite."))
                .unwrap_or_default()
                .to_owned(),
            measures: Vec::new(),
        }
    }
}
