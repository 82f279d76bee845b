//! The description of the kind `scratch`.

use catherd_experiments::{CriterionInfo, SubjectInfo, format_1};

use crate::KIND;

/// Version of everything that determines a record, such as the VM, the search and the fitness.
/// Independent of the package version, because the ids of runs must not change without need.
pub const ENGINE: &str = "scratch/5";

pub(crate) const EXECUTIONS: &str = "executions";
pub(crate) const STEPS: &str = "steps";
pub(crate) const BLOCKS: &str = "blocks";
pub(crate) const BRANCHES: &str = "branches";
pub(crate) const EVENTS: &str = "events";
pub(crate) const SUITE: &str = "suite.json";
pub(crate) const LEVELS: [&str; 3] = ["target", "script", "block"];

/// Except for the criterion [`BRANCHES`], the description is the same as in format 1, so results in
/// both formats can be shown together.
pub(crate) fn info() -> SubjectInfo {
    let mut info = format_1::subject_info(KIND, ENGINE);
    info.criteria.push(CriterionInfo::new("branch", BRANCHES));
    info
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_use_the_names_of_the_description() {
        let info = info();
        assert_eq!([EXECUTIONS, STEPS].map(|unit| info.unit(unit).is_some()), [true, true]);
        assert_eq!(info.main_criterion().unwrap().name, BLOCKS);
        assert_eq!((&*info.suite_unit.plural, &*info.suite_file()), (EVENTS, SUITE));
        assert_eq!(info.mutant_levels, LEVELS);
    }

    /// Records contain suites, so suites may change only if the engine id changes.
    #[test]
    fn suites_name_the_engine() {
        assert_eq!(catherd_scratch_suite::ENGINE, ENGINE.replace('/', " "));
    }
}
