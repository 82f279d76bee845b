//! Selects the algorithms that are shown, their order and their labels. The tables in the folders
//! are not changed.

use std::collections::HashMap;

use super::{Results, Source};

/// The algorithms of results that are shown, and their labels.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Labels of the algorithms that are shown; if empty, all algorithms are shown.
    pub algorithms: Vec<String>,
    /// Labels of the algorithms that are shown first, in this order.
    pub order: Vec<String>,
    /// Labels, each with its replacement.
    pub labels: Vec<(String, String)>,
}

/// Why algorithms cannot be selected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SelectionError {
    /// No algorithm has this label.
    #[error("no algorithm is called {label}")]
    Unknown {
        /// The label.
        label: String,
        /// All labels.
        known: Vec<String>,
    },
    /// Two algorithms would have the same label.
    #[error("two algorithms would be called {0}")]
    Twice(String),
}

impl Results {
    /// Keeps only the selected algorithms, with their new order and labels.
    ///
    /// # Errors
    /// If a label is unknown, or if two algorithms would have the same label.
    pub fn select(self, selection: &Selection) -> Result<Results, SelectionError> {
        if *selection == Selection::default() {
            return Ok(self);
        }
        let position = |label: &String| {
            let found = self.algorithms.iter().position(|known| known == label);
            let known = || self.algorithms.clone();
            found.ok_or_else(|| SelectionError::Unknown { label: label.clone(), known: known() })
        };
        let positions =
            |labels: &[String]| labels.iter().map(position).collect::<Result<Vec<_>, _>>();
        let wanted = match &selection.algorithms[..] {
            [] => (0..self.algorithms.len()).collect(),
            labels => positions(labels)?,
        };
        let first = positions(&selection.order)?;
        let mut chosen: Vec<usize> =
            first.iter().copied().filter(|number| wanted.contains(number)).collect();
        let rest = (0..self.algorithms.len()).filter(|number| wanted.contains(number));
        chosen.extend(rest.filter(|number| !first.contains(number)).collect::<Vec<_>>());
        let mut labels = self.algorithms.clone();
        for (label, replacement) in &selection.labels {
            labels[position(label)?].clone_from(replacement);
        }
        let labels: Vec<String> = chosen.iter().map(|&number| labels[number].clone()).collect();
        for (number, label) in labels.iter().enumerate() {
            if labels[..number].contains(label) {
                return Err(SelectionError::Twice(label.clone()));
            }
        }
        Ok(self.with_algorithms(&chosen, labels))
    }

    fn with_algorithms(mut self, chosen: &[usize], labels: Vec<String>) -> Results {
        let numbers: HashMap<u32, u32> =
            chosen.iter().zip(0..).map(|(&old, new)| (old as u32, new)).collect();
        let kept: Vec<bool> =
            self.runs.iter().map(|run| numbers.contains_key(&run.algorithm)).collect();
        let kept_before = |end: usize| kept[..end].iter().filter(|kept| **kept).count();
        self.sources = self
            .sources
            .into_iter()
            .map(|source| Source { end: kept_before(source.end), ..source })
            .collect();
        for work in &mut self.work {
            let mut keep = kept.iter();
            work.retain(|_| keep.next().copied().unwrap_or(false));
        }
        self.runs.retain(|run| numbers.contains_key(&run.algorithm));
        for run in &mut self.runs {
            run.algorithm = numbers[&run.algorithm];
        }
        let pick = |all: &[String]| chosen.iter().map(|&number| all[number].clone()).collect();
        let own: HashMap<String, String> = chosen
            .iter()
            .map(|&number| self.algorithms[number].clone())
            .zip(labels.clone())
            .collect();
        self.dropped.retain(|dropped| own.contains_key(&dropped.algorithm));
        for dropped in &mut self.dropped {
            dropped.algorithm.clone_from(&own[&dropped.algorithm]);
        }
        self.planned_labels = pick(&self.planned_labels);
        self.engines = pick(&self.engines);
        self.budgets = chosen.iter().map(|&number| self.budgets[number].clone()).collect();
        self.algorithms = labels;
        self.is_selection = true;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn results() -> Results {
        let labels = ["random", "mosa", "mio"].map(str::to_owned).to_vec();
        let run = |number: u32| super::super::Run {
            id: catherd_experiments::Digest::of(&number.to_le_bytes()),
            project: 0,
            algorithm: number % 3,
            seed: u64::from(number / 3),
            outcome: catherd_experiments::RunOutcome::Done,
            goals: 4,
            covered: number,
            search_ms: None,
            wall_ms: None,
            suite_tests: None,
            suite_size: None,
            suite_removed: None,
            reason: None,
        };
        Results {
            budgets: vec![catherd_experiments::Budget::default(); 3],
            engines: vec![String::new(); 3],
            planned_labels: labels.clone(),
            algorithms: labels,
            runs: (0..6).map(run).collect(),
            work: vec![(0..6).map(Some).collect()],
            ..Results::default()
        }
    }

    #[test]
    fn algorithms_are_left_out_ordered_and_relabelled() {
        let selection = Selection {
            algorithms: ["mio", "random"].map(str::to_owned).to_vec(),
            order: vec!["mio".to_owned()],
            labels: vec![("mio".to_owned(), "MIO".to_owned())],
        };
        let selected = results().select(&selection).unwrap();
        assert_eq!(selected.algorithms, ["MIO", "random"]);
        assert_eq!(selected.planned_labels, ["mio", "random"]);
        let covered: Vec<_> =
            selected.runs.iter().map(|run| (run.algorithm, run.covered)).collect();
        assert_eq!(covered, [(1, 0), (0, 2), (1, 3), (0, 5)]);
        assert_eq!(selected.work, [[Some(0), Some(2), Some(3), Some(5)]]);
    }

    #[test]
    fn unknown_and_equal_labels_are_refused() {
        let wrong = Selection { order: vec!["moi".to_owned()], ..Selection::default() };
        let error = results().select(&wrong).unwrap_err();
        assert_eq!(error.to_string(), "no algorithm is called moi");
        let labels = vec![("mio".to_owned(), "mosa".to_owned())];
        let error = results().select(&Selection { labels, ..Selection::default() }).unwrap_err();
        assert_eq!(error.to_string(), "two algorithms would be called mosa");
    }
}
