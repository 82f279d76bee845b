//! Answers of adapters: result files with `"contract": 1`, and their conversion to records.
//!
//! | key | meaning |
//! | --- | --- |
//! | `goals` | number of goals |
//! | `covered` | the covered goals as numbers below `goals`, or only their count |
//! | `goal_names` | a name for each goal, the same in all runs of a project; becomes the artifact `goals.json` |
//! | `criteria` | instead of `goals` and `covered`, as in the result of a program without an adapter |
//! | `executions`, `steps` | work in units of the budget; absent if the tool does not count it |
//! | `timeline` | points with `wall_ms`, `covered` and the units of work that the tool counts |
//! | `timelines` | with `criteria`: the timeline of each criterion except the first, by name |
//! | `work`, `artifacts` | as in the result of a program without an adapter |
//! | `suite` | `tests`, `size`, `unit`, `removed` |
//! | `metrics` | numbers by name |
//! | `times` | `search_ms`, `assertions_ms`, `total_ms`; not part of the digest of the record |
//! | `mutants` | a list of `mutant`, `operator`, `target`, `change`, `outcome`, `killed_by`, `executions` |
//! | `mutant_counts` | `created`, `checked`, `killed`, `timed_out`, from a tool that does not list mutants |
//! | `files` | paths of files in the working folder: a list, or lists by name (see below) |
//! | `faults` | a list of `name` and `wall_ms`: faults that the run exposed, and when |
//! | `tool` | `name` and `version` of the tool that ran, and optionally its `python` and `lock` |
//! | `artifact` | path of the file that the study's measurer measures apart from the trial (module `measuring`) |
//! | `outcome` | `done`, `no-goals`, `failed` or `unsupported`, with a `reason` |
//!
//! The metric `search_covered` is the number of goals that the search covered, if minimisation lost
//! some of them. The metric `test_timeouts` is the number of tests that a limit on real time ended.
//!
//! The files in the list `logs` of `files` become logs, and the files in the list `binary` become
//! binary files; these two lists are not part of the digest. The other files are text files, which
//! become artifacts. The name of an artifact is the path of its file with `-` in place of `/`.
//!
//! The values of `tool` must agree with `adapter.toml`.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Component, Path, PathBuf};

use catherd_experiments::text::printable;
use catherd_experiments::{
    Level, Metric, MutantOutcome, MutantRecord, REAL_TIME, RunRecord, RunSpec, instead,
};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::adapter::{Adapter, Determinism};
use super::binaries::{self, BINARY};
use super::contract::{ARTIFACT, CONTRACT, DESCRIPTION};
use super::faults::{self, Fault};
use super::limits::RunLimits;
use super::process::after_left_out;
use super::{CRITERION, MUTANT_LEVEL, UNITS, result};

/// Maximum total size of the text files of a result, in bytes.
const MAX_BYTES: u64 = 8 << 20;

const MAX_FILES: usize = 200;

/// Logs are not part of the digest.
const LOGS: &str = "logs";

const MAX_LOGS: usize = 16;

/// Maximum size of a log, in bytes. The end of a longer log is kept, after a line that says so.
const LOG_TAIL: u64 = 64 << 10;

const KEYS: [&str; 22] = [
    "contract",
    "goals",
    "covered",
    "goal_names",
    "executions",
    "steps",
    "timeline",
    "timelines",
    "suite",
    "metrics",
    "times",
    "mutants",
    "mutant_counts",
    "files",
    "faults",
    "tool",
    "outcome",
    "reason",
    "criteria",
    "work",
    "artifacts",
    ARTIFACT,
];

const GOAL_NAMES: &str = "goals.json";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RanTool {
    name: String,
    version: String,
    python: Option<String>,
    lock: Option<PathBuf>,
}

impl RanTool {
    fn check(&self, adapter: &Adapter) -> Result<(), String> {
        let RanTool { name, version, python, lock } = self;
        let Adapter { tool, version: wanted, python: of_python, environment, .. } = adapter;
        if (name, version) != (tool, wanted) {
            return Err(format!("{name} {version} ran, but {DESCRIPTION} says {tool} {wanted}"));
        }
        if let (Some(ran), Some(wanted)) = (python, of_python)
            && !ran
                .strip_prefix(wanted)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        {
            return Err(format!("Python {ran} ran, but {DESCRIPTION} says {wanted}"));
        }
        if let (Some(lock), Some(locks)) = (lock, environment)
            && !lock.starts_with(locks)
        {
            let (lock, locks) = (lock.display(), locks.display());
            return Err(format!("the lock was {lock}, but {DESCRIPTION} says {locks}"));
        }
        Ok(())
    }
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Times {
    search_ms: Option<u64>,
    #[serde(rename = "assertions_ms")]
    _assertions_ms: Option<u64>,
    #[serde(rename = "total_ms")]
    _total_ms: Option<u64>,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "neither a list of paths nor lists of paths by name")]
enum Files {
    List(Vec<PathBuf>),
    Groups(BTreeMap<String, Vec<PathBuf>>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Mutant {
    mutant: String,
    operator: String,
    #[serde(default)]
    target: String,
    #[serde(default)]
    change: String,
    outcome: MutantOutcome,
    #[serde(default)]
    killed_by: Option<u32>,
    #[serde(default)]
    executions: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MutantCounts {
    created: u32,
    checked: u32,
    killed: u32,
    #[serde(default)]
    timed_out: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Flaw {
    /// A different computer may have the right tool.
    OtherTool(String),
    /// A repetition would write an invalid file as well.
    Invalid(String),
    /// The artifact cannot be kept, for example because the disk is full.
    Unkept(String),
}

impl From<String> for Flaw {
    fn from(flaw: String) -> Flaw {
        Flaw::Invalid(flaw)
    }
}

pub(super) fn record(
    adapter: &Adapter,
    spec: &RunSpec,
    mut file: Map<String, Value>,
    folder: &Path,
    wall_ms: u64,
) -> Result<RunRecord, Flaw> {
    if let Some(key) = file.keys().find(|key| !KEYS.contains(&key.as_str())) {
        return Err(Flaw::Invalid(format!("unknown key `{key}`: {}", instead(key, &KEYS))));
    }
    match file.remove("contract") {
        None => return Err(Flaw::Invalid(format!("contract: missing, expected {CONTRACT}"))),
        Some(contract) if contract != json!(CONTRACT) => {
            return Err(Flaw::Invalid(format!("contract: {contract}, expected {CONTRACT}")));
        }
        Some(_) => {}
    }
    // An adapter may name an artifact even if the study does not measure apart from the trial.
    file.remove(ARTIFACT);
    if let Some(ran) = taken::<RanTool>(&mut file, "tool")? {
        ran.check(adapter).map_err(Flaw::OtherTool)?;
    }
    let times: Times = taken(&mut file, "times")?.unwrap_or_default();
    let (mut logs, mut binary) = (Vec::new(), Vec::new());
    let files = match taken(&mut file, "files")? {
        None => Vec::new(),
        Some(Files::List(files)) => files,
        Some(Files::Groups(mut groups)) => {
            logs = groups.remove(LOGS).unwrap_or_default();
            binary = groups.remove(BINARY).unwrap_or_default();
            groups.into_values().flatten().collect()
        }
    };
    let faults: Option<Vec<Fault>> = taken(&mut file, "faults")?;
    let names: Option<Vec<String>> = taken(&mut file, "goal_names")?;
    let mutants: Vec<Mutant> = taken(&mut file, "mutants")?.unwrap_or_default();
    let counts: Option<MutantCounts> = taken(&mut file, "mutant_counts")?;
    if file.get("outcome").is_some_and(|outcome| outcome == "unsupported") {
        file.insert("outcome".to_owned(), json!("failed"));
        let reason = file.remove("reason").unwrap_or_default();
        let reason = format!("unsupported: {}", reason.as_str().unwrap_or_default());
        file.insert("reason".to_owned(), json!(reason));
        file.entry("criteria").or_insert_with(|| json!([]));
    }
    to_criteria(&mut file)?;
    let mut record = result::record(spec, file, wall_ms)?;
    record.resources.search_ms = times.search_ms.unwrap_or(record.resources.search_ms);
    let (artifacts, mut left_out) = artifacts(folder, &files)?;
    record.artifacts.extend(artifacts);
    record.logs = ends_of(folder, &logs)?;
    if let Some(faults) = faults {
        faults::add(&mut record, faults)?;
    }
    if let Some(names) = names {
        if names.len() != record.goals() as usize {
            let (names, goals) = (names.len(), record.goals());
            let flaw = format!("goal_names: the number of names is {names}, not {goals}");
            return Err(Flaw::Invalid(flaw));
        }
        record.artifacts.insert(GOAL_NAMES.to_owned(), json!(names).to_string() + "\n");
    }
    record.mutants = mutants.into_iter().map(named_mutant).collect();
    let mut metric = |name: &str, value: i64| {
        record.metrics.insert(name.to_owned(), Metric::Integer(value));
    };
    if let Some(MutantCounts { created, checked, killed, timed_out }) = counts {
        if killed.saturating_add(timed_out) > checked || checked > created {
            let flaw = "mutant_counts: more mutants killed or timed out than checked, or more \
                        checked than created";
            return Err(Flaw::Invalid(flaw.to_owned()));
        }
        let counts = [("created", created), ("checked", checked), ("killed", killed)];
        for (name, count) in counts.into_iter().chain([("timed_out", timed_out)]) {
            metric(&format!("mutants_{name}"), count.into());
        }
    }
    if adapter.determinism == Determinism::None {
        metric(REAL_TIME, 1);
    }
    let timeouts = record.metrics.get("test_timeouts").map_or(0.0, |metric| metric.value());
    if timeouts > 0.0 {
        record.metrics.insert(REAL_TIME.to_owned(), Metric::Integer(1));
    }
    let limits = RunLimits::of(&spec.algorithm).map_err(|error| error.cause)?;
    binaries::add(&mut record, folder, &binary, limits.artifacts, &mut left_out);
    binaries::note_left_out(&mut record, &left_out);
    Ok(record)
}

/// Converts `goals` and `covered` to `criteria`, and the counted units to `work` or metrics.
fn to_criteria(file: &mut Map<String, Value>) -> Result<(), String> {
    let Some(goals) = file.remove("goals") else {
        return match file.contains_key("criteria") {
            true => Ok(()),
            false => Err("goals or criteria: both missing".to_owned()),
        };
    };
    if file.contains_key("criteria") {
        return Err("both goals and criteria: keep one of them".to_owned());
    }
    let covered = file.remove("covered").ok_or("covered: missing")?;
    file.insert(
        "criteria".to_owned(),
        json!([{ "name": CRITERION, "goals": goals, "covered": covered }]),
    );
    let mut points: Vec<Map<String, Value>> = taken(file, "timeline")?.unwrap_or_default();
    for (number, point) in points.iter().enumerate() {
        result::check_point(number, point, &[&UNITS[..], &["work"]].concat())?;
    }
    let mut work = Map::new();
    for unit in UNITS {
        let Some(amount) = file.remove(unit) else { continue };
        if points.iter().all(|point| point.contains_key(unit)) {
            work.insert(unit.to_owned(), amount);
        } else if let Some(metrics) =
            file.entry("metrics").or_insert_with(|| json!({})).as_object_mut()
        {
            // Not all points of the timeline have this unit, so keep only the total.
            metrics.insert(unit.to_owned(), amount);
        }
    }
    for point in &mut points {
        let amounts: Vec<Value> = UNITS
            .iter()
            .filter_map(|unit| Some((unit, point.remove(*unit)?)))
            .filter(|(unit, _)| work.contains_key(**unit))
            .map(|(_, amount)| amount)
            .collect();
        point.entry("work").or_insert(Value::Array(amounts));
    }
    file.insert("timeline".to_owned(), json!(points));
    file.entry("work").or_insert(Value::Object(work));
    Ok(())
}

fn named_mutant(mutant: Mutant) -> MutantRecord {
    let Mutant { mutant: id, operator, target, change, outcome, killed_by, executions } = mutant;
    MutantRecord {
        id,
        operator,
        location: vec![Level::new(MUTANT_LEVEL, target)],
        change,
        outcome,
        killed_by,
        executions,
        duplicate_of: None,
    }
}

fn taken<T: DeserializeOwned>(
    file: &mut Map<String, Value>,
    key: &str,
) -> Result<Option<T>, String> {
    let Some(value) = file.remove(key) else { return Ok(None) };
    result::at_path(key, value).map(Some)
}

/// A file that is too large or is not text is left out with a reason, because the run is valid
/// without the file.
fn artifacts(
    folder: &Path,
    files: &[PathBuf],
) -> Result<(BTreeMap<String, String>, Vec<String>), String> {
    if files.len() > MAX_FILES {
        return Err(format!("files: {} paths, but at most {MAX_FILES} are allowed", files.len()));
    }
    let mut artifacts = BTreeMap::new();
    let (mut left, mut left_out) = (MAX_BYTES, Vec::new());
    for name in files {
        let flaw = |cause: &dyn std::fmt::Display| format!("{}: {cause}", name.display());
        let file = open(folder, name).map_err(|cause| flaw(&cause))?;
        let length = file.metadata().map_err(|cause| flaw(&cause))?.len();
        let mut bytes = Vec::new();
        file.take(left + 1).read_to_end(&mut bytes).map_err(|cause| flaw(&cause))?;
        let size = bytes.len() as u64;
        let text = match String::from_utf8(bytes) {
            _ if size > left => Err(format!("{length} bytes; {left} of {MAX_BYTES} are left")),
            Ok(text) => Ok(text),
            Err(_) => Err(format!("{length} bytes that are not text (UTF-8)")),
        };
        let text = match text {
            Ok(text) => text,
            Err(reason) => {
                left_out.push(format!("{}\n", printable(&flaw(&reason))));
                continue;
            }
        };
        left -= size;
        if artifacts.insert(flat(name), text).is_some() {
            return Err(flaw(&"another file has the same artifact name"));
        }
    }
    Ok((artifacts, left_out))
}

fn ends_of(folder: &Path, files: &[PathBuf]) -> Result<BTreeMap<String, String>, String> {
    if files.len() > MAX_LOGS {
        return Err(format!("logs: {} paths, but at most {MAX_LOGS} are allowed", files.len()));
    }
    let end = |name: &PathBuf| {
        let mut file = open(folder, name)?;
        let length = file.metadata()?.len();
        let left_out = length.saturating_sub(LOG_TAIL);
        file.seek(SeekFrom::Start(left_out))?;
        let mut bytes = Vec::new();
        file.take(LOG_TAIL).read_to_end(&mut bytes)?;
        Ok((flat(name), after_left_out(left_out, &String::from_utf8_lossy(&bytes))))
    };
    let named = |name: &PathBuf| {
        end(name).map_err(|cause: io::Error| format!("{}: {cause}", name.display()))
    };
    files.iter().map(named).collect()
}

pub(super) fn open(folder: &Path, name: &Path) -> io::Result<File> {
    let elsewhere = || io::Error::other("not a path within the working folder");
    if !name.components().all(|part| matches!(part, Component::Normal(_))) {
        return Err(elsewhere());
    }
    let file = folder.join(name);
    // A symbolic link to a folder may lead out of the working folder.
    let real = fs::canonicalize(file.parent().unwrap_or(folder))?;
    if !real.starts_with(fs::canonicalize(folder)?) {
        return Err(elsewhere());
    }
    catherd_platform::open_regular(&file)
}

pub(super) fn flat(name: &Path) -> String {
    let parts = name.components().map(|part| part.as_os_str().to_string_lossy());
    parts.collect::<Vec<_>>().join("-")
}
