//! The runs from which the numbers of a report were computed, as JSON-LD in the terms of PROV-O.
//!
//! Rows and cells of tables have the identifiers of RFC 7111, such as `tables/table6.csv#row=2`.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::{Value, json};

use super::Report;
use crate::tidy::Results;

pub(super) const FILE: &str = "provenance.jsonld";

const EXECUTION: &str = "#execution";
const ANALYSIS: &str = "#analysis";
const PROGRAM: &str = "#catherd";

const ALL: &str = "#runs";

#[derive(Serialize)]
struct Entity {
    id: String,
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(skip_serializing_if = "String::is_empty")]
    label: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(rename = "generatedBy")]
    generated_by: Option<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    members: Vec<String>,
    #[serde(rename = "derivedFrom", skip_serializing_if = "Vec::is_empty")]
    derived_from: Vec<String>,
}

impl Entity {
    fn collection(id: String, members: Vec<String>) -> Entity {
        let (label, derived_from) = (String::new(), Vec::new());
        Entity { id, kind: "Collection", label, generated_by: None, members, derived_from }
    }
}

struct Groups<'r> {
    results: &'r Results,
    cells: BTreeMap<(u32, u32), Vec<u32>>,
    by_algorithm: BTreeMap<u32, usize>,
    by_project: BTreeMap<u32, usize>,
}

fn counts(numbers: impl Iterator<Item = u32>) -> BTreeMap<u32, usize> {
    let mut counts = BTreeMap::new();
    numbers.for_each(|number| *counts.entry(number).or_default() += 1);
    counts
}

impl<'r> Groups<'r> {
    fn of(results: &'r Results) -> Groups<'r> {
        let mut cells: BTreeMap<(u32, u32), Vec<u32>> = BTreeMap::new();
        for (number, run) in (0..).zip(&results.runs) {
            cells.entry((run.project, run.algorithm)).or_default().push(number);
        }
        let by_algorithm = counts(cells.keys().map(|cell| cell.1));
        let by_project = counts(cells.keys().map(|cell| cell.0));
        Groups { results, cells, by_algorithm, by_project }
    }

    fn cover(&self, runs: &[u32]) -> Vec<String> {
        let mut own: BTreeMap<(u32, u32), BTreeSet<u32>> = BTreeMap::new();
        let mut count = 0;
        for &number in runs {
            let run = &self.results.runs[number as usize];
            count +=
                usize::from(own.entry((run.project, run.algorithm)).or_default().insert(number));
        }
        if count == self.results.runs.len() {
            return vec![ALL.to_owned()];
        }
        let is_complete = |cell: &(u32, u32), runs: &BTreeSet<u32>| {
            self.cells.get(cell).is_some_and(|all| all.len() == runs.len())
        };
        let (complete, rest): (BTreeMap<_, _>, BTreeMap<_, _>) =
            own.into_iter().partition(|(cell, runs)| is_complete(cell, runs));
        let mut complete: BTreeSet<(u32, u32)> = complete.into_keys().collect();
        let mut ids = Vec::new();
        for (totals, key, name) in [
            (
                &self.by_algorithm,
                (|cell| cell.1) as fn(&(u32, u32)) -> u32,
                algorithm as fn(u32) -> _,
            ),
            (&self.by_project, |cell| cell.0, project),
        ] {
            let found = counts(complete.iter().map(key));
            let is_whole = |number: &u32| found[number] > 1 && totals[number] == found[number];
            let whole: BTreeSet<u32> = found.keys().copied().filter(is_whole).collect();
            complete.retain(|cell| !whole.contains(&key(cell)));
            ids.extend(whole.into_iter().map(name));
        }
        ids.extend(complete.into_iter().map(group));
        ids.extend(rest.into_values().flatten().map(|run| self.run(run)));
        ids
    }

    fn run(&self, run: u32) -> String {
        format!("urn:catherd:run:{}", self.results.runs[run as usize].id)
    }

    fn collections(&self) -> Vec<(String, Vec<String>)> {
        let cells = |wanted: &dyn Fn(&(u32, u32)) -> bool| -> Vec<String> {
            self.cells.keys().filter(|cell| wanted(cell)).copied().map(group).collect()
        };
        let mut all = vec![(ALL.to_owned(), cells(&|_| true))];
        all.extend(self.by_algorithm.keys().map(|&n| (algorithm(n), cells(&|cell| cell.1 == n))));
        let mut of_project: BTreeMap<u32, Vec<String>> = BTreeMap::new();
        for cell in self.cells.keys() {
            of_project.entry(cell.0).or_default().push(group(*cell));
        }
        all.extend(of_project.into_iter().map(|(number, own)| (project(number), own)));
        all.extend(
            self.cells
                .iter()
                .map(|(cell, own)| (group(*cell), own.iter().map(|&run| self.run(run)).collect())),
        );
        all
    }

    fn entities(&self) -> Vec<Entity> {
        let Results { runs, projects, algorithms, .. } = self.results;
        let mut all: Vec<Entity> =
            self.collections().into_iter().map(|(id, own)| Entity::collection(id, own)).collect();
        all.extend((0..).zip(runs).map(|(number, run)| {
            let (project, algorithm) =
                (&projects[run.project as usize].name, &algorithms[run.algorithm as usize]);
            Entity {
                id: self.run(number),
                kind: "Entity",
                label: format!("{project}, {algorithm}, seed {}", run.seed),
                generated_by: Some(EXECUTION),
                members: Vec::new(),
                derived_from: Vec::new(),
            }
        }));
        all
    }
}

fn algorithm(number: u32) -> String {
    format!("#runs-of-algorithm-{number}")
}

fn project(number: u32) -> String {
    format!("#runs-on-project-{number}")
}

fn group((project, algorithm): (u32, u32)) -> String {
    format!("#runs-{project}-{algorithm}")
}

pub(super) fn document(report: &Report<'_>) -> Result<Vec<u8>, serde_json::Error> {
    let groups = Groups::of(report.results);
    let mut entities = groups.entities();
    let mut add = |id: String, label: String, runs: &[u32]| {
        if !runs.is_empty() {
            let (generated_by, members) = (Some(ANALYSIS), Vec::new());
            let derived_from = groups.cover(runs);
            entities.push(Entity {
                id,
                kind: "Entity",
                label,
                generated_by,
                members,
                derived_from,
            });
        }
    };
    for table in report.tables() {
        let (name, cells) = (table.name, &table.table);
        for row in 0..cells.rows().len() {
            let line = row + 2;
            let label = format!("{name}, row {}", row + 1);
            add(format!("tables/{name}.csv#row={line}"), label, cells.source_runs_of_row(row));
            for (column, (own, _)) in cells.columns().iter().enumerate() {
                if let Some(runs) = cells.source_runs_of_cell(row, column) {
                    let label = format!("{name}, row {}, {own}", row + 1);
                    add(format!("tables/{name}.csv#cell={line},{}", column + 1), label, runs);
                }
            }
        }
    }
    let mut graph: Vec<Value> = vec![
        json!({ "id": PROGRAM, "type": "SoftwareAgent",
            "label": format!("catherd {}", env!("CARGO_PKG_VERSION")) }),
        json!({ "id": EXECUTION, "type": "Activity", "label": "execution of the study",
            "associatedWith": PROGRAM }),
        json!({ "id": ANALYSIS, "type": "Activity", "label": "analysis of the runs",
            "associatedWith": PROGRAM, "used": ALL }),
    ];
    for entity in entities {
        graph.push(serde_json::to_value(entity)?);
    }
    let link = |term: &str| json!({ "@id": format!("prov:{term}"), "@type": "@id" });
    let class = |term: &str| format!("prov:{term}");
    let context = json!({
        "prov": "http://www.w3.org/ns/prov#",
        "label": "http://www.w3.org/2000/01/rdf-schema#label",
        "id": "@id",
        "type": "@type",
        "Activity": class("Activity"),
        "Collection": class("Collection"),
        "Entity": class("Entity"),
        "SoftwareAgent": class("SoftwareAgent"),
        "associatedWith": link("wasAssociatedWith"),
        "derivedFrom": link("wasDerivedFrom"),
        "generatedBy": link("wasGeneratedBy"),
        "members": link("hadMember"),
        "used": link("used"),
    });
    let mut bytes = serde_json::to_vec(&json!({ "@context": context, "@graph": graph }))?;
    bytes.push(b'\n');
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use catherd_experiments::{Digest, RunOutcome};

    use super::*;
    use crate::tidy::Run;

    fn results() -> Results {
        let run = |number: u32| Run {
            id: Digest::of(&number.to_le_bytes()),
            project: number / 4,
            algorithm: number / 2 % 2,
            seed: u64::from(number % 2),
            outcome: RunOutcome::Done,
            goals: 4,
            covered: 2,
            search_ms: None,
            wall_ms: None,
            suite_tests: None,
            suite_size: None,
            suite_removed: None,
            reason: None,
        };
        let mut results = Results::default();
        results.runs = (0..8).map(run).collect();
        results
    }

    #[test]
    fn runs_are_named_by_the_largest_collections() {
        let results = results();
        let groups = Groups::of(&results);
        assert_eq!(groups.cover(&[0, 1, 2, 3, 4, 5, 6, 7]), [ALL]);
        assert_eq!(groups.cover(&[0, 1, 4, 5]), ["#runs-of-algorithm-0"]);
        assert_eq!(groups.cover(&[4, 5, 6, 7]), ["#runs-on-project-1"]);
        assert_eq!(groups.cover(&[1, 0, 0]), ["#runs-0-0"]);
        assert_eq!(
            groups.cover(&[0, 1, 4, 5, 6]),
            ["#runs-of-algorithm-0".to_owned(), groups.run(6)]
        );
        assert!(groups.cover(&[]).is_empty());
    }

    fn leaves(ids: &[String], members: &HashMap<&str, &Vec<String>>) -> BTreeSet<String> {
        let below = |id: &String| match members.get(id.as_str()) {
            Some(own) if !own.is_empty() => leaves(own, members),
            _ => BTreeSet::from([id.clone()]),
        };
        ids.iter().flat_map(below).collect()
    }

    #[test]
    fn collections_lead_to_exactly_the_runs() {
        let results = results();
        let groups = Groups::of(&results);
        let sets: Vec<Vec<u32>> =
            (0..256_u32).map(|set| (0..8).filter(|run| set >> run & 1 == 1).collect()).collect();
        let collections: Vec<(String, Vec<String>)> = groups.collections();
        let members = collections.iter().map(|(id, own)| (id.as_str(), own)).collect();
        for set in sets {
            let expected: BTreeSet<String> = set.iter().map(|&run| groups.run(run)).collect();
            assert_eq!(leaves(&groups.cover(&set), &members), expected, "{set:?}");
        }
    }
}
