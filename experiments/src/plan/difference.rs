//! The difference between a plan and an earlier plan.

use std::collections::BTreeMap;

use super::{Plan, PlannedProject};
use crate::run::TOOL;
use crate::{Algorithm, Budget, Parameter};

const MAX_NAMED: usize = 3;

/// The difference between a plan and an earlier plan, in words that can follow "holds a study
/// with".
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PlanDifference(String);

impl Plan {
    /// Checks that this plan is a variant of `earlier`: the conditions are the same, and no list
    /// has both gained and lost entries.
    ///
    /// # Errors
    ///
    /// A difference that is not permitted.
    pub fn is_variant_of(&self, earlier: &Plan) -> Result<(), PlanDifference> {
        self.compare(earlier).map_err(PlanDifference)
    }

    fn compare(&self, earlier: &Plan) -> Result<(), String> {
        let changed = |what: &str, old: String, new: String| {
            if old == new { Ok(()) } else { Err(format!("{what}: it has {old}, this one {new}")) }
        };
        changed(
            "another version of its description",
            earlier.format.to_string(),
            self.format.to_string(),
        )?;
        changed("another engine", earlier.engine.clone(), self.engine.clone())?;
        changed("another subject kind", earlier.subject.clone(), self.subject.clone())?;
        changed("another budget", budget(&earlier.budget), budget(&self.budget))?;
        changed("another mutation analysis", json(&earlier.mutation), json(&self.mutation))?;
        changed("another race", json(&earlier.race), json(&self.race))?;
        changed("another stopping rule", json(&earlier.stop), json(&self.stop))?;
        self.compare_projects(earlier)?;
        self.compare_algorithms(earlier)?;
        let (old, new) = (&earlier.seeds, &self.seeds);
        let (left, added) = (without(old, new), without(new, old));
        if left.is_empty() || added.is_empty() {
            return Ok(());
        }
        Err(format!("other seeds: it has {}, this one {}", listed(old), listed(new)))
    }

    fn compare_projects(&self, earlier: &Plan) -> Result<(), String> {
        let digests = |plan: &Plan| plan.projects.iter().map(|one| one.digest).collect::<Vec<_>>();
        let (old, new) = (digests(earlier), digests(self));
        let names = |projects: &[PlannedProject], other: &[crate::Digest]| {
            let other: std::collections::BTreeSet<_> = other.iter().collect();
            let own = projects.iter().filter(|one| !other.contains(&one.digest));
            own.map(|one| one.name.clone()).collect::<Vec<_>>()
        };
        let (left, added) = (names(&earlier.projects, &new), names(&self.projects, &old));
        if left.is_empty() || added.is_empty() {
            return Ok(());
        }
        Err(format!(
            "other projects: only it has {}, and only this one has {}",
            listed(&left),
            listed(&added)
        ))
    }

    fn compare_algorithms(&self, earlier: &Plan) -> Result<(), String> {
        let (old, new) = (&earlier.algorithms, &self.algorithms);
        let differing = |some: &[Algorithm], others: &[Algorithm]| -> Vec<Algorithm> {
            let is_new = |one: &&Algorithm| !others.iter().any(|other| is_same(one, other));
            some.iter().filter(is_new).cloned().collect()
        };
        let (left, added) = (differing(old, new), differing(new, old));
        if left.is_empty() || added.is_empty() {
            return Ok(());
        }
        let changes: Vec<_> = added
            .iter()
            .filter_map(|now| {
                let before = left.iter().find(|one| one.label == now.label)?;
                Some(format!("`{}`: {}", now.label, settings(before, now)))
            })
            .collect();
        let labels =
            |some: &[Algorithm]| some.iter().map(|one| one.label.clone()).collect::<Vec<_>>();
        let differs = if changes.is_empty() {
            format!(
                "only it has {}, and only this one has {}",
                listed(&labels(&left)),
                listed(&labels(&added))
            )
        } else {
            changes.join("; ")
        };
        Err(format!("other algorithms: {differs}"))
    }
}

/// Whether the configurations have the same runs, except that the tool may have changed.
fn is_same(one: &Algorithm, other: &Algorithm) -> bool {
    let without_tool = |algorithm: &Algorithm| -> BTreeMap<String, Parameter> {
        let mut parameters = algorithm.parameters.clone();
        parameters.remove(TOOL);
        parameters
    };
    one.name == other.name && without_tool(one) == without_tool(other)
}

fn settings(before: &Algorithm, now: &Algorithm) -> String {
    let mut changes = Vec::new();
    if before.name != now.name {
        changes.push(format!("name was {}, is {}", before.name, now.name));
    }
    let names = before.parameters.keys().chain(now.parameters.keys());
    let names: std::collections::BTreeSet<_> = names.filter(|name| *name != TOOL).collect();
    for name in names {
        let value = |algorithm: &Algorithm| {
            algorithm.parameters.get(name).map_or("the default".to_owned(), json)
        };
        let (old, new) = (value(before), value(now));
        if old != new {
            changes.push(format!("{name} was {old}, is {new}"));
        }
    }
    changes.join(", ")
}

fn without<T: Clone + Ord>(some: &[T], others: &[T]) -> Vec<T> {
    let others: std::collections::BTreeSet<_> = others.iter().collect();
    some.iter().filter(|one| !others.contains(one)).cloned().collect()
}

fn listed<T: ToString>(entries: &[T]) -> String {
    let named: Vec<_> = entries.iter().take(MAX_NAMED).map(ToString::to_string).collect();
    match entries.len().saturating_sub(MAX_NAMED) {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}

fn budget(budget: &Budget) -> String {
    let mut limits: Vec<_> =
        budget.work.iter().map(|(unit, limit)| format!("{limit} {unit}")).collect();
    limits.extend(budget.wall_ms.map(|ms| format!("{ms} ms of real time")));
    limits.join(" and ")
}

fn json<T: serde::Serialize>(value: &T) -> String {
    match serde_json::to_string(value) {
        Ok(text) if text == "null" => "none".to_owned(),
        Ok(text) => text,
        Err(_) => "another value".to_owned(),
    }
}
