//! Races: studies that drop configurations that lose (Birattari et al., 2002).

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// Settings of a race between the configurations of a study.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Race {
    /// Level of significance at which configurations are dropped, between 0 and 1.
    pub level: f64,
    /// Number of projects before the first test, at least 2.
    pub first: u64,
    /// Number of projects between two tests, at least 1.
    pub every: u64,
}

impl Default for Race {
    fn default() -> Race {
        Race { level: 0.05, first: 10, every: 5 }
    }
}

impl Race {
    /// The ranges of projects of the rounds.
    pub fn rounds(self, projects: usize) -> impl Iterator<Item = Range<usize>> {
        let step = |n: u64| usize::try_from(n).unwrap_or(usize::MAX).max(1);
        let mut end = 0_usize;
        std::iter::from_fn(move || {
            let start = end;
            let size = step(if start == 0 { self.first } else { self.every });
            end = start.saturating_add(size).min(projects);
            (start < end).then_some(start..end)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_contain_each_project_once() {
        let rounds = |projects| Race::default().rounds(projects).collect::<Vec<_>>();
        assert_eq!(rounds(21), [0..10, 10..15, 15..20, 20..21]);
        assert_eq!(rounds(3).len(), 1);
        assert!(rounds(0).is_empty());
    }
}
