//! Records: the results of runs.
//!
//! [`RunRecord`] is format 2. Its JSON has `"format": 2`. JSON without this key is in format 1,
//! which catherd wrote up to version 0.3.0. Records in format 1 are converted when they are read.

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

/// Length in bytes to which the reasons of records are truncated.
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

/// One improvement of the coverage of a criterion. Times and work are counted from the start of the
/// search.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimelinePoint {
    /// Work up to and including the improving execution: one amount for each unit of
    /// [`RunRecord::work`], in the order of the unit names.
    pub work: Vec<u64>,
    /// Milliseconds of real time; not part of the digest.
    pub wall_ms: u64,
    /// Number of goals covered from this point on.
    pub covered: u32,
}

/// How a run ended. Only [`RunOutcome::Done`] has coverage that statistics may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunOutcome {
    /// The run ended properly, for example because its search spent the budget or covered all
    /// goals.
    Done,
    /// The project has nothing to cover.
    NoGoals,
    /// The run has no valid result, for example because the tool cannot handle the project.
    Failed,
    /// A limit on real time or processor time ended the run: the limit of the worker, or the run's
    /// own limit ([`RunRecord::ended_by_own_limit`]).
    TimedOut,
    /// A memory limit ended the run: the limit of the worker, or the run's own limit.
    OutOfMemory,
}

/// Name of the metric of a run that was ended by its own limit. The value is the limit: in
/// milliseconds for [`RunOutcome::TimedOut`], in bytes for [`RunOutcome::OutOfMemory`].
pub const OWN_LIMIT: &str = "own_limit";

/// Name of a metric that is not 0 if real time influenced a run independently of its budget, for
/// example because a test of the tool was abandoned. A repetition may then differ.
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

/// Resources that a run used. They are not part of the digest.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Resources {
    /// Milliseconds of the whole run, loading and minimisation included.
    pub wall_ms: u64,
    /// Milliseconds of the search only.
    pub search_ms: u64,
    /// Peak resident memory in KiB: of the program that the run executed, or else of the process
    /// that executed the run. 0 if unknown.
    pub peak_rss_kib: u64,
    /// Processor time of the run in user and system mode, in milliseconds: of all processes of the
    /// program that it executed, or else of the process that executed the run. 0 if unknown.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cpu_ms: u64,
    /// The conditions of the computer during the run; `None` if they were not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conditions: Option<Conditions>,
}

/// Whether a value is 0. Zeros are left out, because records of earlier versions do not have this
/// field.
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
    /// The core to which the worker was pinned; `None` if it was not pinned.
    pub core: Option<u32>,
    /// Number of the attempt at the run, from 1.
    pub attempt: u32,
    /// Processor, cores and memory of the host, in words; empty if they are not known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub machine: String,
    /// How the worker's memory was limited: `cgroup`, `rlimit` or `none`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub memory_limit: String,
    /// The isolation of the run's program: `full`, or a list of the parts that were not in effect.
    /// Empty if the run has no program, or if the isolation is not known.
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
    /// Why the run ended with this outcome. Empty for [`RunOutcome::Done`]; may be empty for
    /// [`RunOutcome::NoGoals`].
    pub reason: String,
    /// Goals and covered goals; coverage and `timeline` refer to the first criterion. Empty if the
    /// run ended before its goals were known.
    pub criteria: Vec<Criterion>,
    /// Work of the search by the name of the unit.
    pub work: BTreeMap<String, u64>,
    /// One point for each improvement of the first criterion; empty if the improvements are not
    /// known.
    pub timeline: Vec<TimelinePoint>,
    /// Timelines of criteria after the first one, by the name of the criterion, if the kind
    /// measures them.
    pub timelines: BTreeMap<String, Vec<TimelinePoint>>,
    /// Size of the final suite.
    pub suite: SuiteSize,
    /// Additional numbers of the subject kind by name, such as `iterations`.
    pub metrics: BTreeMap<String, Metric>,
    /// Files that the run produced, as strings by file name; `suite.json` is a suite written as
    /// JSON.
    pub artifacts: BTreeMap<String, String>,
    /// Mutants of the project and their results, in a fixed order; empty without mutation
    /// analysis.
    pub mutants: Vec<MutantRecord>,
    /// Resources that the run used.
    pub resources: Resources,
    /// Files that describe the execution of the run, as strings by file name, such as the log of a
    /// tool. Not part of the digest.
    pub logs: BTreeMap<String, String>,
    /// Binary files that the run produced, by file name, such as inputs that crash a program. Not
    /// part of the digest, because archives may contain times.
    pub binaries: BTreeMap<String, Binary>,
    /// Where the run was executed.
    pub provenance: Provenance,
}

/// The JSON of a [`RunRecord`] without the version of the format.
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
    /// Reads format 2, or format 1 and converts it.
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

/// Work and covered goals of each point.
fn without_times(points: &[TimelinePoint]) -> Vec<(&Vec<u64>, u32)> {
    points.iter().map(|point| (&point.work, point.covered)).collect()
}

impl RunRecord {
    /// Reads the JSON of a record of a subject kind. Format 1 does not name its criterion, which
    /// follows from the kind.
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

    /// The record of a run that ended properly, without work, suite and timeline. If the subject
    /// kind has them, the caller sets them with struct update syntax. The outcome is
    /// [`RunOutcome::NoGoals`] if the first criterion has no goals.
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

    /// The record of a run that ended without a result, with the outcome [`RunOutcome::Failed`];
    /// `wall_ms` is its duration in milliseconds. A reason of more than [`MAX_REASON_BYTES`] is
    /// truncated.
    pub fn failed(spec: &RunSpec, reason: &str, wall_ms: u64) -> RunRecord {
        RunRecord {
            outcome: RunOutcome::Failed,
            reason: text::truncated(reason, MAX_REASON_BYTES).into_owned(),
            resources: Resources { wall_ms, ..Resources::default() },
            ..RunRecord::new(spec, Vec::new())
        }
    }

    /// The record of a run that was ended by its own limit, in milliseconds for
    /// [`RunOutcome::TimedOut`], in bytes for [`RunOutcome::OutOfMemory`]; `wall_ms` is its
    /// duration in milliseconds.
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

    /// Whether real time influenced the record independently of the run's budget: the run was ended
    /// by its own limit, or the metric [`REAL_TIME`] is not 0. A repetition may then differ.
    pub fn depends_on_real_time(&self) -> bool {
        let said = self.metrics.get(REAL_TIME).is_some_and(|metric| metric.value() != 0.0);
        said || self.ended_by_own_limit()
    }

    /// Number of goals of the first criterion; 0 if there is no criterion.
    pub fn goals(&self) -> u32 {
        self.criteria.first().map_or(0, |criterion| criterion.goals)
    }

    /// Number of covered goals of the first criterion; 0 if there is no criterion.
    pub fn covered(&self) -> u32 {
        self.criteria.first().map_or(0, |criterion| criterion.covered.len() as u32)
    }

    /// Covered share of the goals of the first criterion in 0..=1; `None` if there is nothing to
    /// cover or the run did not end properly.
    pub fn coverage(&self) -> Option<f64> {
        (self.outcome == RunOutcome::Done && self.goals() > 0)
            .then(|| f64::from(self.covered()) / f64::from(self.goals()))
    }

    /// The position of a unit in [`TimelinePoint::work`]; `None` if the run does not count the
    /// unit.
    pub fn unit_position(&self, unit: &str) -> Option<usize> {
        self.work.keys().position(|name| name == unit)
    }

    /// The digest of the parts that describe the result, without times, logs, binary files and the
    /// host. Repeated executions of a deterministic run have the same digest.
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

    /// The digest of the same result in version 0.3.0. `None` if format 1 cannot express the
    /// record: this format has one criterion, the units `executions` and `steps`, one timeline,
    /// metrics that are whole numbers, one artifact (`suite.json`) and three levels of mutant
    /// locations.
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
