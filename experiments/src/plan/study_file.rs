//! Converts plans to study files.

use std::collections::BTreeMap;

use serde::Serialize;

use super::Plan;
use crate::{Algorithm, Mutation, Parameter, Race, Stop};

#[derive(Serialize)]
struct StudyFile<'p> {
    name: &'p str,
    subject: &'p str,
    projects: &'p [String],
    seeds: Seeds<'p>,
    budget: Limits<'p>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mutation: Option<&'p Mutation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    race: Option<Race>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stop: Option<Stop>,
    algorithms: Vec<Entry<'p>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Seeds<'p> {
    Count(usize),
    List(&'p [u64]),
}

#[derive(Serialize)]
struct Limits<'p> {
    #[serde(flatten)]
    work: &'p BTreeMap<String, u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    wall_ms: Option<u64>,
}

#[derive(Serialize)]
struct Entry<'p> {
    name: &'p str,
    label: &'p str,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    parameters: &'p BTreeMap<String, Parameter>,
}

impl<'p> Entry<'p> {
    fn of(algorithm: &'p Algorithm) -> Entry<'p> {
        let Algorithm { label, name, parameters } = algorithm;
        Entry { name, label, parameters }
    }
}

impl Plan {
    /// The study file (TOML) of a study with these runs, on the projects at `projects`.
    ///
    /// # Errors
    ///
    /// If the plan cannot be converted to TOML.
    pub fn study_file(&self, projects: &[String]) -> Result<String, toml::ser::Error> {
        let counted = self.seeds.iter().copied().eq(1..=self.seeds.len() as u64);
        let file = StudyFile {
            name: &self.name,
            subject: &self.subject,
            projects,
            seeds: match counted {
                true => Seeds::Count(self.seeds.len()),
                false => Seeds::List(&self.seeds),
            },
            budget: Limits { work: &self.budget.work, wall_ms: self.budget.wall_ms },
            mutation: self.mutation.as_ref(),
            race: self.race,
            stop: self.stop,
            algorithms: self.algorithms.iter().map(Entry::of).collect(),
        };
        toml::to_string(&file)
    }
}
