//! The description of the kind: units of work, criterion, levels of mutants.

use catherd_experiments::{CriterionInfo, Measure, Noun, SubjectInfo, Unit};

use crate::KIND;

/// Version of all that decides a record: machine, search, fitness. It is fixed and not that of
/// the package, so that the runs of version 0.3.0 keep their ids.
pub const ENGINE: &str = "catherd/0.3.0";

pub(crate) const EXECUTIONS: &str = "executions";
pub(crate) const STEPS: &str = "steps";
pub(crate) const BLOCKS: &str = "blocks";
pub(crate) const EVENTS: &str = "events";
pub(crate) const SUITE: &str = "suite.json";
pub(crate) const LEVELS: [&str; 3] = ["target", "script", "block"];

/// What runs of Scratch projects measure and count.
pub(crate) fn info() -> SubjectInfo {
    let executions = "executions of a test by the search";
    let executions = Unit::new(EXECUTIONS, "test execution", "test executions", executions);
    let steps = Unit::new(STEPS, "step", "steps", "1/30 s of program time each");
    SubjectInfo {
        kind: KIND.to_owned(),
        engine: ENGINE.to_owned(),
        units: vec![executions, Unit { per_second: Some(30.0), ..steps }],
        criteria: vec![CriterionInfo::new("block", BLOCKS)],
        suite_unit: Noun::new("event", EVENTS),
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Results of format 1 and of this format are shown together.
    #[test]
    fn format_1_is_described_alike() {
        assert_eq!(catherd_experiments::format_1::subject_info(KIND, ENGINE), info());
    }
}
