//! Names of the items that are reported as goals.

use catherd_experiments::{Algorithm, NamedGoals};
use catherd_interface::{FindError, FoundProject};

use crate::configuration::{self, Configuration};
use crate::projects;
use crate::subject::{Stop, Subject};

/// Maximum number of items of a model that are named; a longer table would not be readable.
const MAX_NAMED: usize = 20_000;

/// Leaves out models whose items cannot be named.
pub(crate) fn of(
    found: &[FoundProject],
    algorithms: &[Algorithm],
) -> Result<Vec<NamedGoals>, FindError> {
    let mut all = Vec::new();
    for project in found {
        let read = Subject::read(project.digest, &project.bytes()?);
        let mut subject = read.map_err(|cause| projects::changed(project, &cause))?;
        let mut known: Vec<(Configuration, NamedGoals)> = Vec::new();
        for algorithm in algorithms {
            let Ok(configuration) = configuration::read(algorithm) else { continue };
            let same = |other: &Configuration| {
                (&other.goals, &other.pool.letters, other.states)
                    == (&configuration.goals, &configuration.pool.letters, configuration.states)
            };
            if let Some((_, goals)) = known.iter_mut().find(|(other, _)| same(other)) {
                goals.algorithms.push(algorithm.label.clone());
            } else if let Ok(Some(names)) = names(&mut subject, &configuration) {
                let goals = NamedGoals {
                    project: project.digest,
                    criterion: configuration.goals.clone(),
                    algorithms: vec![algorithm.label.clone()],
                    names: names.reachable,
                    before: Vec::new(),
                    unreachable: names.unreachable,
                };
                known.push((configuration, goals));
            }
        }
        all.extend(known.into_iter().map(|(_, goals)| goals));
    }
    Ok(all)
}

/// Both lists are in the order of the items' numbers.
struct Names {
    reachable: Vec<String>,
    unreachable: Vec<String>,
}

fn names(subject: &mut Subject, configuration: &Configuration) -> Result<Option<Names>, Stop> {
    let items = subject.items(&configuration.goals, configuration)?;
    let alphabet = subject.alphabet(&configuration.pool.letters)?;
    let name = |&item: &u64| items.criterion.item_name(item, &alphabet);
    let Some(reachable) = items.reachable.as_ref().filter(|items| items.len() <= MAX_NAMED) else {
        return Ok(None);
    };
    let all = items.criterion.all_items(MAX_NAMED as u64).unwrap_or_default();
    let beyond = all.iter().filter(|item| reachable.binary_search(item).is_err());
    let unreachable = beyond.map(name).collect();
    Ok(Some(Names { reachable: reachable.iter().map(name).collect(), unreachable }))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::PathBuf;

    use catherd_experiments::{Digest, Parameter};

    use super::*;

    #[test]
    fn configurations_with_the_same_goals_share_their_names() {
        let text = "model tap\nevents hot, cold, off\n\
                    thread t { request hot | cold  request off  block all }\n";
        let (bytes, path) = (text.as_bytes().to_vec(), PathBuf::from("tap.bp"));
        let digest = Digest::of(&bytes);
        let read = move || Ok(bytes.clone());
        let found = [FoundProject::new("tap".to_owned(), path, digest, read)];
        let algorithm = |label: &str, name: &str, goals: Option<&str>| {
            let goals = goals.map(|text| ("goals".to_owned(), Parameter::Text(text.to_owned())));
            let parameters: BTreeMap<_, _> = goals.into_iter().collect();
            Algorithm { label: label.to_owned(), name: name.to_owned(), parameters }
        };
        let algorithms = [
            algorithm("random", "unranked", None),
            algorithm("triples", "ga", Some("consecutive:3")),
            algorithm("ga", "ga", None),
            algorithm("pool", "ga", Some("exclusive:2")),
        ];
        let goals = of(&found, &algorithms).unwrap();
        assert_eq!(goals[0].algorithms, ["random", "ga"]);
        assert_eq!(goals[0].criterion, "consecutive:2");
        assert_eq!(goals[0].names, ["hot, off", "cold, off"]);
        assert_eq!(goals[0].unreachable.len(), 7);
        assert!(goals[0].unreachable.contains(&"off, hot".to_owned()));
        assert_eq!((goals[1].names.len(), goals[1].unreachable.len()), (0, 27));
        assert!(goals.iter().all(|goals| goals.project == digest));
    }
}
