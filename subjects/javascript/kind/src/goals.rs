//! Names of goals.

use std::rc::Rc;

use catherd_experiments::{Algorithm, NamedGoals};
use catherd_interface::{Examination, FindError, FoundProject, LoadError};
use catherd_javascript_classes::machine::Program;
use catherd_javascript_classes::{Goals, goals_of};

use crate::measures::bytes;
use crate::{Examiner, GOALS, configuration};

/// Maximum number of goals that are named, because the names are sent with a study.
const MAX_NAMED: usize = 40_000;

/// The names of the goals of projects. Empty if there are more than [`MAX_NAMED`] goals.
pub(crate) fn of(
    found: &[FoundProject],
    algorithms: &[Algorithm],
    examine: Examiner,
) -> Result<Vec<NamedGoals>, FindError> {
    // The goals, the first algorithm that has them, and the labels of all such algorithms.
    let mut groups: Vec<((Goals, bool), &Algorithm, Vec<String>)> = Vec::new();
    for algorithm in algorithms {
        let Ok((_, settings)) = configuration::read(algorithm) else { continue };
        let key = (settings.goals, settings.nodes);
        match groups.iter_mut().find(|(known, _, _)| *known == key) {
            Some((_, _, labels)) => labels.push(algorithm.label.clone()),
            None => groups.push((key, algorithm, vec![algorithm.label.clone()])),
        }
    }
    let (mut all, mut count) = (Vec::new(), 0);
    for project in found {
        let bytes = bytes(project)?;
        for (_, algorithm, labels) in &groups {
            let asked = Examination::Goals((*algorithm).clone());
            let Ok(goals) = examine(project.digest, bytes.clone(), &asked) else { continue };
            count += goals.len();
            if count > MAX_NAMED {
                return Ok(Vec::new());
            }
            let (names, before): (Vec<_>, Vec<String>) = goals.into_iter().unzip();
            all.push(NamedGoals {
                project: project.digest,
                criterion: GOALS.to_owned(),
                algorithms: labels.clone(),
                names,
                before: before.iter().map(|number| number.parse().ok()).collect(),
                unreachable: Vec::new(),
            });
        }
    }
    Ok(all)
}

/// The names of the goals of a program, each with the number of the goal that must be covered
/// directly before it.
pub(crate) fn names(
    program: &Rc<Program>,
    algorithm: &Algorithm,
) -> Result<Vec<(String, String)>, LoadError> {
    let read = configuration::read_for(algorithm, &program.package.config);
    let (_, settings) = read.map_err(|error| error.cause)?;
    let goals = goals_of(program, &settings).map_err(|error| error.to_string())?;
    let number = |before: Option<usize>| before.map_or_else(String::new, |at| at.to_string());
    Ok(goals.into_iter().map(|(name, before)| (name, number(before))).collect())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use catherd_experiments::ProjectSource;
    use catherd_interface::SubjectKind as _;

    use super::*;
    use crate::JavaScript;

    #[test]
    fn goals_are_named_by_place_and_outcome() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("lock.js");
        let text = "class Lock {\n  open(code) {\n    if (code > 7) {\n      if (code === 9) return 1;\n    }\n    return 0;\n  }\n}\nmodule.exports = { Lock };\n";
        fs::write(&file, text).unwrap();
        let kind = JavaScript::default();
        let found = kind.find(&ProjectSource::Paths(vec![file]), &()).unwrap();
        let algorithms = ["random", "flycatcher", "dynamosa"].map(Algorithm::plain);
        let goals = kind.name_goals(&found.projects, &algorithms).unwrap();
        let labels: Vec<_> = goals.iter().flat_map(|one| &one.algorithms).collect();
        assert_eq!(labels.len(), 3, "{labels:?}");
        let branches = goals.iter().find(|one| one.algorithms.contains(&"dynamosa".to_owned()));
        let branches = branches.unwrap();
        let at = |name: &str| {
            let found = branches.names.iter().position(|known| known == name);
            found.unwrap_or_else(|| panic!("{name}: {:?}", branches.names))
        };
        let (inner, outer) = (at("lock.js:4:7 if true"), at("lock.js:3:5 if true"));
        assert_eq!(branches.before[inner], Some(outer as u32));
        assert_eq!(branches.before[outer], Some(at("lock.js:2:3 function open") as u32));
    }
}
