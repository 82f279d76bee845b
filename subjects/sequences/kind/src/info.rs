//! The description of the kind.

use std::collections::BTreeMap;

use catherd_experiments::{CriterionInfo, Measure, Noun, SubjectInfo, Unit};

use crate::KIND;

/// The engine id: the version of everything that influences a record.
pub const ENGINE: &str = "sequences/3";

pub(crate) const EXECUTIONS: &str = "executions";
pub(crate) const STEPS: &str = "steps";
pub(crate) const ITEMS: &str = "items";
pub(crate) const EVENTS: &str = "events";
/// The level of a mutant's location: the built-in system that has the fault.
pub(crate) const SYSTEM: &str = "system";
pub(crate) const SUITE: &str = "suite.json";

pub(crate) fn info() -> SubjectInfo {
    SubjectInfo {
        kind: KIND.to_owned(),
        engine: ENGINE.to_owned(),
        units: vec![
            Unit::new(
                EXECUTIONS,
                "suite evaluation",
                "suite evaluations",
                "computed ranks of suites; with `direct`, generated walks; with `risk`, executed tests",
            ),
            Unit::new(STEPS, "event", "events", "events of walks, including the walks of the pool"),
        ],
        criteria: vec![CriterionInfo::new("item", ITEMS)],
        suite_unit: Noun::new("event", EVENTS),
        mutant_levels: vec![SYSTEM.to_owned()],
        artifact_extension: "json".to_owned(),
        measures: vec![
            Measure::new("threads", "B-threads"),
            Measure::new("events", "Events"),
            Measure::new("names", "Event names"),
            Measure::related("states", "States"),
            Measure::new("edges", "Edges"),
            Measure::new("deadlocks", "Deadlocks"),
            Measure::new("shortest", "Shortest trace that ends"),
            Measure::new("longest", "Longest trace that ends"),
            Measure::new("maximal_traces", "Traces that end"),
            Measure::new("prefixes", "Traces and their beginnings"),
        ],
    }
}

pub(crate) fn work(executions: u64, steps: u64) -> BTreeMap<String, u64> {
    BTreeMap::from([(EXECUTIONS.to_owned(), executions), (STEPS.to_owned(), steps)])
}
