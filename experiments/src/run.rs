//! A run: what is executed, and what came of it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Digest, MutantRecord, Mutation};

/// The version of everything that decides a record: machine, search, fitness. It is
/// part of every run id, so results of different engines never mix.
pub const ENGINE: &str = concat!("catherd/", env!("CARGO_PKG_VERSION"));

/// How much a run may spend; the first limit that is reached ends the search, as
/// does full coverage. At least one limit is set in a valid study.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Budget {
    /// Test executions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub executions: Option<u64>,
    /// Steps of the machine (1/30 s of Scratch time each).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<u64>,
    /// Milliseconds of real time. The only limit that makes a run depend on the machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wall_ms: Option<u64>,
}

/// A setting of an algorithm. Text and numbers are kept as the study file has them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Parameter {
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Integer(i64),
    /// Any other number.
    Number(f64),
    /// A word.
    Text(String),
}

/// The parameter by which any algorithm gives its suites regression assertions (`true`).
pub const ASSERTIONS: &str = "assertions";

/// An algorithm with every parameter that differs from its default.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Algorithm {
    /// The label of this configuration in tables; the algorithm's name unless the
    /// study compares several settings of one algorithm.
    pub label: String,
    /// `random`, `mosa`, `mio`, ...
    pub name: String,
    /// Settings by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parameters: BTreeMap<String, Parameter>,
}

impl Algorithm {
    /// An algorithm with its default settings, labelled by its name.
    pub fn plain(name: &str) -> Algorithm {
        Algorithm { label: name.to_owned(), name: name.to_owned(), parameters: BTreeMap::new() }
    }

    /// Sets [`ASSERTIONS`], unless the configuration says itself.
    pub(crate) fn assert(&mut self) {
        self.parameters.entry(ASSERTIONS.to_owned()).or_insert(Parameter::Bool(true));
    }
}

/// Everything that a run depends on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunSpec {
    /// Digest of the project's packed bytes.
    pub project: Digest,
    /// The project's name in tables; not part of the run id.
    pub project_name: String,
    /// Subject kind: `scratch`, later others.
    pub subject: String,
    /// The algorithm; its label is not part of the run id.
    pub algorithm: Algorithm,
    /// Seed of all randomness.
    pub seed: u64,
    /// Budget of the search.
    pub budget: Budget,
    /// Mutation analysis of the suite; none: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mutation: Option<Mutation>,
    /// [`ENGINE`] of the planner.
    pub engine: String,
}

impl RunSpec {
    /// The name of the run: the digest of all that its record depends on.
    pub fn id(&self) -> Digest {
        let mut canonical = serde_json::json!({
            "project": self.project,
            "subject": self.subject,
            "algorithm": self.algorithm.name,
            "parameters": self.algorithm.parameters,
            "seed": self.seed,
            "budget": self.budget,
            "engine": self.engine,
        });
        // Runs without keep the names that they had before there was any.
        if let Some(mutation) = &self.mutation {
            canonical["mutation"] = serde_json::json!(mutation);
        }
        // `serde_json` maps are ordered by key, so this text is canonical.
        Digest::of(canonical.to_string().as_bytes())
    }
}

/// One improvement of coverage, on three clocks that start with the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimelinePoint {
    /// Test executions finished, the improving one included.
    pub executions: u64,
    /// Steps run, those of the improving execution included.
    pub steps: u64,
    /// Milliseconds; not part of the digest.
    pub wall_ms: u64,
    /// Goals covered from here on.
    pub covered: u32,
}

/// How a run ended. Only [`Outcome::Done`] carries coverage that statistics may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// The search ended by budget or full coverage.
    Done,
    /// The project has nothing to cover.
    NoGoals,
    /// The tool gave up on this input.
    Failed,
    /// The wall limit of the runner ended it.
    TimedOut,
    /// The memory limit of the runner ended it.
    OutOfMemory,
}

/// What a run used; never part of the digest.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Resources {
    /// Milliseconds of the whole run, loading and minimisation included.
    pub wall_ms: u64,
    /// Milliseconds of the search alone.
    pub search_ms: u64,
    /// Peak resident memory of the worker process in KiB, 0 if unknown.
    pub peak_rss_kib: u64,
}

/// Where a run was executed; never part of the digest.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// Host name.
    pub host: String,
    /// Worker id.
    pub worker: String,
    /// The core it was pinned to.
    pub core: Option<u32>,
    /// Which attempt at the run this was, from 1.
    pub attempt: u32,
    /// How its memory was limited: `cgroup`, `rlimit` or `none`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub memory_limit: String,
}

/// What came of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// [`RunSpec::id`].
    pub run: Digest,
    /// How it ended.
    pub outcome: Outcome,
    /// Why, for every outcome but [`Outcome::Done`].
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// Goals of the project.
    pub goals: u32,
    /// The numbers of the goals covered, ascending.
    pub covered: Vec<u32>,
    /// Test executions of the search.
    pub executions: u64,
    /// Steps of the search.
    pub steps: u64,
    /// One point for each improvement, the first at the first execution.
    pub timeline: Vec<TimelinePoint>,
    /// Tests in the final suite.
    pub suite_tests: u32,
    /// Events in the final suite (the waits between them not counted).
    pub suite_events: u32,
    /// Events that minimisation removed.
    pub minimised_events: u32,
    /// Further counts of the subject kind by name (`goals.loose`, `iterations`, ...).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub counts: BTreeMap<String, i64>,
    /// The suite as the subject kind writes it (JSON for Scratch).
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub suite: String,
    /// The mutants of the project and what came of them, in a fixed order; empty without
    /// mutation analysis.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mutants: Vec<MutantRecord>,
    /// What it used.
    pub resources: Resources,
    /// Where it ran.
    pub provenance: Provenance,
}

impl RunRecord {
    /// The digest over everything that is not wall-clock or host: two executions of
    /// a run with a logical budget have the same.
    pub fn digest(&self) -> Digest {
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

    /// Covered share of the goals in 0..=1; none when there is nothing to cover or
    /// the run did not end properly.
    pub fn coverage(&self) -> Option<f64> {
        (self.outcome == Outcome::Done && self.goals > 0)
            .then(|| self.covered.len() as f64 / f64::from(self.goals))
    }
}
