//! Records of format 1, which catherd wrote up to version 0.3.0. The fields of format 1 were made
//! for Scratch, and other kinds used them for their own goals and work.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Criterion, Metric, Provenance, Resources, RunOutcome, RunRecord, SuiteSize};
use crate::{
    CriterionInfo, Digest, Level, Measure, MutantOutcome, MutantRecord, Noun, SubjectInfo, Unit,
};

/// The only criterion of Scratch.
const BLOCKS: &str = "blocks";

/// The only criterion of other kinds.
const GOALS: &str = "goals";

/// The kind that ran external programs.
const COMMAND: &str = "command";

/// The kind without a subject, which is now `noop`.
const REHEARSAL: &str = "rehearsal";

/// The units of work, in the order of their names, as in timelines.
const UNITS: [&str; 2] = ["executions", "steps"];

const SUITE_UNIT: &str = "events";

const SUITE: &str = "suite.json";

const LEVELS: [&str; 3] = ["target", "script", "block"];

pub(super) fn criterion(kind: &str) -> &'static str {
    if [COMMAND, REHEARSAL].contains(&kind) { GOALS } else { BLOCKS }
}

/// The description of results of format 1. Unknown kinds are described in the same way as
/// `scratch`.
pub fn subject_info(kind: &str, engine: &str) -> SubjectInfo {
    let executions = Unit::new(
        UNITS[0],
        "test execution",
        "test executions",
        "executions of a test by the search",
    );
    let steps = Unit {
        per_second: Some(30.0),
        ..Unit::new(UNITS[1], "step", "steps", "1/30 s of program time each")
    };
    if criterion(kind) == GOALS {
        return SubjectInfo {
            kind: kind.to_owned(),
            engine: engine.to_owned(),
            units: vec![executions, Unit { per_second: None, ..steps }],
            criteria: vec![CriterionInfo::new("goal", GOALS)],
            suite_unit: Noun::new("event", SUITE_UNIT),
            mutant_levels: Vec::new(),
            artifact_extension: "json".to_owned(),
            measures: Vec::new(),
        };
    }
    SubjectInfo {
        kind: kind.to_owned(),
        engine: engine.to_owned(),
        units: vec![executions, steps],
        criteria: vec![CriterionInfo::new("block", BLOCKS)],
        suite_unit: Noun::new("event", SUITE_UNIT),
        mutant_levels: LEVELS.map(str::to_owned).to_vec(),
        artifact_extension: "json".to_owned(),
        measures: vec![
            Measure::new("statements", "Statements"),
            Measure::new("blocks", "Blocks"),
            Measure::new("scripts", "Scripts"),
            Measure::new("sprites", "Sprites"),
            Measure::new("custom_blocks", "Custom blocks"),
            Measure::related("mccabe", "Mean McCabe complexity"),
        ],
    }
}

#[derive(Serialize, Deserialize)]
pub(super) struct Record {
    run: Digest,
    outcome: RunOutcome,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    reason: String,
    goals: u32,
    covered: Vec<u32>,
    executions: u64,
    steps: u64,
    timeline: Vec<Point>,
    suite_tests: u32,
    suite_events: u32,
    minimised_events: u32,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    counts: BTreeMap<String, i64>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    suite: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    mutants: Vec<Mutant>,
    #[serde(skip_serializing)]
    resources: Resources,
    #[serde(skip_serializing)]
    provenance: Provenance,
}

#[derive(Serialize, Deserialize)]
struct Point {
    executions: u64,
    steps: u64,
    wall_ms: u64,
    covered: u32,
}

#[derive(Serialize, Deserialize)]
struct Mutant {
    id: String,
    operator: String,
    target: String,
    script: String,
    block: String,
    change: String,
    outcome: MutantOutcome,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    killed_by: Option<u32>,
    executions: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    duplicate_of: Option<String>,
}

impl Record {
    pub(super) fn from_record(record: &RunRecord) -> Option<Record> {
        let (goals, covered) = match &record.criteria[..] {
            [] => (0, Vec::new()),
            [only] => (only.goals, only.covered.clone()),
            _ => return None,
        };
        if record.work.keys().any(|unit| !UNITS.contains(&unit.as_str()))
            || record.artifacts.keys().any(|name| name != SUITE)
        {
            return None;
        }
        if !record.timelines.is_empty() {
            return None;
        }
        let positions = UNITS.map(|unit| record.unit_position(unit));
        let points = record.timeline.iter().map(|point| {
            let amount = |at: Option<usize>| at.and_then(|at| point.work.get(at)).copied();
            let [executions, steps] = positions.map(|at| amount(at).unwrap_or(0));
            Point { executions, steps, wall_ms: point.wall_ms, covered: point.covered }
        });
        let count = |(name, metric): (&String, &Metric)| match metric {
            Metric::Integer(count) => Some((name.clone(), *count)),
            Metric::Number(_) => None,
        };
        let [executions, steps] = UNITS.map(|unit| record.work.get(unit).copied().unwrap_or(0));
        Some(Record {
            run: record.run,
            outcome: record.outcome,
            reason: record.reason.clone(),
            goals,
            covered,
            executions,
            steps,
            timeline: points.collect(),
            suite_tests: record.suite.tests,
            suite_events: record.suite.size,
            minimised_events: record.suite.removed,
            counts: record.metrics.iter().map(count).collect::<Option<_>>()?,
            suite: record.artifacts.get(SUITE).cloned().unwrap_or_default(),
            mutants: record.mutants.iter().map(Mutant::from_record).collect::<Option<_>>()?,
            resources: record.resources.clone(),
            provenance: record.provenance.clone(),
        })
    }

    pub(super) fn digest(&self) -> Digest {
        let timeline: Vec<_> =
            self.timeline.iter().map(|p| (p.executions, p.steps, p.covered)).collect();
        let mut canonical = serde_json::json!({
            "run": self.run,
            "outcome": self.outcome,
            "reason": self.reason,
            "goals": self.goals,
            "covered": self.covered,
            "executions": self.executions,
            "steps": self.steps,
            "timeline": timeline,
            "suite_tests": self.suite_tests,
            "suite_events": self.suite_events,
            "minimised_events": self.minimised_events,
            "counts": self.counts,
            "suite": self.suite,
        });
        if !self.mutants.is_empty() {
            canonical["mutants"] = serde_json::json!(self.mutants);
        }
        Digest::of(canonical.to_string().as_bytes())
    }

    fn is_bare(&self) -> bool {
        !matches!(self.outcome, RunOutcome::Done | RunOutcome::NoGoals)
            && (self.goals, self.executions, self.steps) == (0, 0, 0)
            && self.covered.is_empty()
            && self.timeline.is_empty()
    }
}

impl From<Record> for RunRecord {
    fn from(record: Record) -> RunRecord {
        let bare = record.is_bare();
        let criterion =
            Criterion { name: BLOCKS.to_owned(), goals: record.goals, covered: record.covered };
        let work = UNITS.map(str::to_owned).into_iter().zip([record.executions, record.steps]);
        let timeline = record.timeline.into_iter().map(|point| super::TimelinePoint {
            work: vec![point.executions, point.steps],
            wall_ms: point.wall_ms,
            covered: point.covered,
        });
        let suite = Some(record.suite).filter(|text| !text.is_empty());
        RunRecord {
            run: record.run,
            outcome: record.outcome,
            reason: record.reason,
            criteria: if bare { Vec::new() } else { vec![criterion] },
            work: if bare { BTreeMap::new() } else { work.collect() },
            timeline: timeline.collect(),
            timelines: BTreeMap::new(),
            suite: SuiteSize {
                tests: record.suite_tests,
                size: record.suite_events,
                unit: if bare { String::new() } else { SUITE_UNIT.to_owned() },
                removed: record.minimised_events,
            },
            metrics: record.counts.into_iter().map(|(name, n)| (name, n.into())).collect(),
            artifacts: suite.map(|text| (SUITE.to_owned(), text)).into_iter().collect(),
            mutants: record.mutants.into_iter().map(MutantRecord::from).collect(),
            resources: record.resources,
            logs: BTreeMap::new(),
            binaries: BTreeMap::new(),
            provenance: record.provenance,
        }
    }
}

impl Mutant {
    fn from_record(mutant: &MutantRecord) -> Option<Mutant> {
        if !mutant.location.iter().map(|level| level.level.as_str()).eq(LEVELS) {
            return None;
        }
        let name = |at: usize| mutant.location[at].name.clone();
        Some(Mutant {
            id: mutant.id.clone(),
            operator: mutant.operator.clone(),
            target: name(0),
            script: name(1),
            block: name(2),
            change: mutant.change.clone(),
            outcome: mutant.outcome,
            killed_by: mutant.killed_by,
            executions: mutant.executions,
            duplicate_of: mutant.duplicate_of.clone(),
        })
    }
}

impl From<Mutant> for MutantRecord {
    fn from(mutant: Mutant) -> MutantRecord {
        let names = [mutant.target, mutant.script, mutant.block];
        MutantRecord {
            id: mutant.id,
            operator: mutant.operator,
            location: LEVELS.into_iter().zip(names).map(|(l, name)| Level::new(l, name)).collect(),
            change: mutant.change,
            outcome: mutant.outcome,
            killed_by: mutant.killed_by,
            executions: mutant.executions,
            duplicate_of: mutant.duplicate_of,
        }
    }
}
