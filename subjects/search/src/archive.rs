//! The best test for each covered goal.

use crate::problem::Test;

/// Maps each covered goal to a test that covers it.
#[derive(Clone, Debug)]
pub struct Archive<T> {
    entries: Vec<Option<Entry<T>>>,
    /// The uncovered goals at which the search aims.
    uncovered: Vec<usize>,
    offered: u64,
}

#[derive(Clone, Debug)]
struct Entry<T> {
    test: T,
    closeness: f64,
    /// The number of the offer. Different tests may have the same genes, so genes do not identify a
    /// test.
    number: u64,
}

impl<T: Test> Archive<T> {
    #[cfg(test)]
    pub(crate) fn new(goals: usize) -> Self {
        Self::aimed(goals, |_| true)
    }

    pub(crate) fn aimed(goals: usize, is_aimed_at: impl Fn(usize) -> bool) -> Self {
        let uncovered = (0..goals).filter(|goal| is_aimed_at(*goal)).collect();
        Self { entries: vec![None; goals], uncovered, offered: 0 }
    }

    /// Offers a test for every goal and returns the goals that are covered for the first time. Only
    /// MIO passes a `closeness`; the other algorithms pass 0.
    pub(crate) fn update(&mut self, test: &T, closeness: f64) -> Vec<usize> {
        assert_eq!(test.fitness().len(), self.entries.len(), "one fitness value for each goal");
        self.offered += 1;
        let mut first = Vec::new();
        for (goal, (fitness, slot)) in test.fitness().iter().zip(&mut self.entries).enumerate() {
            if *fitness != 0.0 {
                continue;
            }
            match slot {
                Some(old) if test.length() >= old.test.length() && closeness <= old.closeness => {
                    continue;
                }
                Some(_) => {}
                None => first.push(goal),
            }
            *slot = Some(Entry { test: test.clone(), closeness, number: self.offered });
        }
        if !first.is_empty() {
            let entries = &self.entries;
            self.uncovered.retain(|goal| entries[*goal].is_none());
        }
        first
    }

    /// The number of goals.
    pub fn goals(&self) -> usize {
        self.entries.len()
    }

    /// The number of covered goals.
    pub fn covered(&self) -> usize {
        self.covered_of(self.entries.len())
    }

    /// The number of covered goals among the first `first` goals.
    pub fn covered_of(&self, first: usize) -> usize {
        self.entries[..first].iter().flatten().count()
    }

    /// Whether this goal is covered.
    pub fn covers(&self, goal: usize) -> bool {
        self.entries[goal].is_some()
    }

    /// The uncovered goals at which the search aims, in ascending order.
    pub fn uncovered(&self) -> &[usize] {
        &self.uncovered
    }

    /// The stored test that covers this goal.
    pub fn get(&self, goal: usize) -> Option<&T> {
        self.entries[goal].as_ref().map(|entry| &entry.test)
    }

    /// The covered goals with their tests, in ascending order of the goals.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &T)> {
        self.entries
            .iter()
            .enumerate()
            .filter_map(|(goal, entry)| Some((goal, &entry.as_ref()?.test)))
    }

    /// The tests of the covered goals, each only once, in the order in which they were offered.
    pub fn tests(&self) -> Vec<&T> {
        let mut entries: Vec<_> = self.entries.iter().flatten().collect();
        entries.sort_by_key(|entry| entry.number);
        entries.dedup_by_key(|entry| entry.number);
        entries.into_iter().map(|entry| &entry.test).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toy::Point;

    #[test]
    fn the_first_that_covers_is_stored_and_only_shorter_ones_replace_it() {
        let mut archive = Archive::new(3);
        assert_eq!(archive.update(&Point::new(&[0.0, 1.0, 0.0], 5), 0.0), [0, 2]);
        assert_eq!(archive.uncovered(), [1]);
        assert_eq!(archive.update(&Point::new(&[0.0, 2.0, 9.0], 5), 0.0), []);
        assert_eq!(archive.tests().len(), 1);
        assert_eq!(archive.update(&Point::new(&[0.0, 0.0, 9.0], 4), 0.0), [1]);
        assert_eq!(archive.covered(), 3);
        let lengths: Vec<_> = archive.iter().map(|(goal, test)| (goal, test.length())).collect();
        assert_eq!(lengths, [(0, 4), (1, 4), (2, 5)]);
        assert_eq!(archive.tests().iter().map(|t| t.length()).collect::<Vec<_>>(), [5, 4]);
    }

    #[test]
    fn closeness_replaces_as_length_does() {
        let mut archive = Archive::new(1);
        archive.update(&Point::new(&[0.0], 5), 1.0);
        archive.update(&Point::new(&[0.0], 9), 1.0);
        assert_eq!(archive.get(0).unwrap().length(), 5, "longer, not closer");
        archive.update(&Point::new(&[0.0], 9), 1.5);
        assert_eq!(archive.get(0).unwrap().length(), 9, "longer, but closer");
        archive.update(&Point::new(&[0.0], 8), 0.5);
        assert_eq!(archive.get(0).unwrap().length(), 8, "less close, but shorter");
    }
}
