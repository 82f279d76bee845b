//! Joins the results of several folders into one study.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use catherd_experiments::{Digest, Unit};

use super::{Results, Source};
use crate::tidy::{Dropped, plan, subject};

impl Results {
    pub(super) fn append(&mut self, other: Results) {
        self.stop = self.stop.or(other.stop);
        let mut known: HashMap<(String, String), u32> = HashMap::new();
        let mut named: HashMap<String, Vec<u32>> = HashMap::new();
        // Projects are also joined by their digests, because the kinds of two folders may name the
        // same file differently, with and without its extension.
        let mut equal: HashMap<String, u32> = HashMap::new();
        for (number, project) in (0..).zip(&self.projects) {
            known.insert((project.name.clone(), project.digest.clone()), number);
            if !project.digest.is_empty() {
                equal.entry(project.digest.clone()).or_insert(number);
            }
            named.entry(project.name.clone()).or_default().push(number);
        }
        let mut projects = Vec::new();
        for project in other.projects {
            let same_name = named.get(&project.name).map_or(&[][..], Vec::as_slice);
            let nameless =
                |&n: &u32| project.digest.is_empty() || self.projects[n as usize].digest.is_empty();
            let number = known
                .get(&(project.name.clone(), project.digest.clone()))
                .or_else(|| equal.get(&project.digest))
                .copied()
                .or_else(|| same_name.iter().copied().find(nameless))
                .unwrap_or(self.projects.len() as u32);
            if number as usize == self.projects.len() {
                self.projects.push(project);
            }
            projects.push(number);
        }
        let folder = other.sources.first().map(|source| source.dir.clone()).unwrap_or_default();
        let mut algorithms = Vec::new();
        let mut labels = Vec::new();
        for ((label, budget), engine) in
            other.algorithms.into_iter().zip(other.budgets).zip(other.engines)
        {
            let same = (0..self.algorithms.len()).find(|&a| {
                self.algorithms[a] == label
                    && self.budgets[a] == budget
                    && self.engines[a] == engine
            });
            algorithms.push(same.unwrap_or(self.algorithms.len()) as u32);
            let own = label.clone();
            let lost = other.dropped.iter().find(|dropped| dropped.algorithm == label).cloned();
            if same.is_none() {
                let taken = self.algorithms.contains(&label);
                let label = if taken { apart(&label, &folder) } else { label };
                self.planned_labels.push(label.clone());
                self.algorithms.push(label);
                self.budgets.push(budget);
                self.engines.push(engine);
            }
            let number = algorithms[algorithms.len() - 1] as usize;
            labels.push((own, self.planned_labels[number].clone()));
            // A later folder does not mark an algorithm of an earlier folder as dropped.
            if let (Some(dropped), None) = (lost, same) {
                self.dropped
                    .push(Dropped { algorithm: self.algorithms[number].clone(), ..dropped });
            }
        }
        let first_reason = self.reasons.len() as u32;
        self.reasons.extend(other.reasons);
        subject::add(&mut self.subject, &other.subject);
        self.work.resize(self.subject.units.len(), vec![None; self.runs.len()]);
        let position =
            |unit: &Unit| other.subject.units.iter().position(|own| own.name == unit.name);
        let positions: Vec<Option<usize>> = self.subject.units.iter().map(position).collect();
        let seen: HashSet<Digest> = self.runs.iter().map(|run| run.id).collect();
        for (number, mut run) in other.runs.into_iter().enumerate() {
            if seen.contains(&run.id) {
                continue;
            }
            run.project = projects[run.project as usize];
            run.algorithm = algorithms[run.algorithm as usize];
            run.reason = run.reason.map(|reason| first_reason + reason);
            self.runs.push(run);
            for (work, position) in self.work.iter_mut().zip(&positions) {
                work.push(position.and_then(|at| other.work[at][number]));
            }
        }
        let end = self.runs.len();
        let sources = other.sources.into_iter();
        self.sources.extend(sources.map(|source| Source { end, labels: labels.clone(), ..source }));
        self.skipped.extend(other.skipped);
        self.seeds.extend(other.seeds);
        self.states = plan::sum(self.states, other.states);
    }
}

/// The label of an algorithm of a folder if an algorithm of an earlier folder has the label.
fn apart(label: &str, folder: &Path) -> String {
    let name = folder.file_name().unwrap_or(folder.as_os_str());
    format!("{label} ({})", name.to_string_lossy())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::Project;

    #[test]
    fn projects_are_joined_by_digest_or_if_there_is_none_by_name() {
        let results = |projects: &[(&str, &str)]| Results {
            projects: projects
                .iter()
                .map(|&(name, digest)| Project { name: name.to_owned(), digest: digest.to_owned() })
                .collect(),
            ..Results::default()
        };
        let names = |results: &Results| -> Vec<(String, String)> {
            let projects = results.projects.iter();
            projects.map(|project| (project.name.clone(), project.digest.clone())).collect()
        };
        let mut all = results(&[("Snake.sb3", "d1"), ("Pong", "")]);
        all.append(results(&[("Snake", "d1"), ("Snake.sb3", "d2"), ("Pong", "d3")]));
        let expected = [("Snake.sb3", "d1"), ("Pong", ""), ("Snake.sb3", "d2")];
        let expected = expected.map(|(name, digest)| (name.to_owned(), digest.to_owned()));
        assert_eq!(names(&all), expected);
    }
}
