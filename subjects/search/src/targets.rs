//! The uncovered goals that MOSA and DynaMOSA currently pursue.

use std::collections::VecDeque;

use crate::archive::Archive;
use crate::problem::Test;

pub(crate) struct Targets {
    current: Vec<usize>,
    crowding: Vec<usize>,
    /// Only for DynaMOSA: the dependencies of each goal.
    waits_for: Option<Vec<Vec<usize>>>,
}

impl Targets {
    pub(crate) fn all(goals: usize) -> Self {
        Self { current: Vec::new(), crowding: (0..goals).collect(), waits_for: None }
    }

    /// DynaMOSA (Panichella et al., "Automated test case generation as a many-objective
    /// optimisation problem with dynamic selection of the targets", 2018).
    ///
    /// Goals that can be reached only through a cycle of dependencies would never become targets,
    /// so the first of these goals is treated as if it had no dependencies.
    pub(crate) fn dynamic(mut dependencies: Vec<Vec<usize>>) -> Self {
        let goals = dependencies.len();
        let mut dependents = vec![Vec::new(); goals];
        for (goal, parents) in dependencies.iter().enumerate() {
            for parent in parents {
                dependents[*parent].push(goal);
            }
        }
        let mut reached = vec![false; goals];
        let mut queue: VecDeque<usize> =
            (0..goals).filter(|goal| dependencies[*goal].is_empty()).collect();
        let mut candidates = 0..goals;
        loop {
            while let Some(goal) = queue.pop_front() {
                if !std::mem::replace(&mut reached[goal], true) {
                    queue.extend(&dependents[goal]);
                }
            }
            let Some(root) = candidates.find(|goal| !reached[*goal]) else { break };
            dependencies[root].clear();
            queue.push_back(root);
        }
        Self { current: Vec::new(), crowding: Vec::new(), waits_for: Some(dependencies) }
    }

    pub(crate) fn follow<T: Test>(&mut self, archive: &Archive<T>) {
        self.current.clear();
        self.current.extend(archive.uncovered().iter().filter(|goal| match &self.waits_for {
            None => true,
            Some(waits_for) => {
                let parents = &waits_for[**goal];
                parents.is_empty() || parents.iter().any(|parent| archive.covers(*parent))
            }
        }));
    }

    pub(crate) fn current(&self) -> &[usize] {
        &self.current
    }

    pub(crate) fn crowding(&self) -> &[usize] {
        if self.waits_for.is_some() { &self.current } else { &self.crowding }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toy::Point;

    #[test]
    fn all_uncovered_goals_are_targets() {
        let mut archive = Archive::new(3);
        archive.update(&Point::new(&[1.0, 0.0, 1.0], 1), 0.0);
        let mut targets = Targets::all(3);
        targets.follow(&archive);
        assert_eq!(targets.current(), [0, 2]);
        assert_eq!(targets.crowding(), [0, 1, 2]);
    }

    #[test]
    fn goals_become_targets_after_the_goals_they_depend_on() {
        // Goals 0 and 3 have no dependencies; 1 depends on 0; 2 depends on 1 or 3.
        let mut targets = Targets::dynamic(vec![vec![], vec![0], vec![1, 3], vec![]]);
        let mut archive = Archive::new(4);
        targets.follow(&archive);
        assert_eq!(targets.current(), [0, 3]);
        archive.update(&Point::new(&[1.0, 1.0, 1.0, 0.0], 1), 0.0);
        targets.follow(&archive);
        assert_eq!(targets.current(), [0, 2]);
        assert_eq!(targets.crowding(), [0, 2]);
    }

    #[test]
    fn a_cycle_does_not_hide_goals() {
        // Goals 1 and 2 depend on each other; 3 depends on 3; 4 depends on 2.
        let mut targets = Targets::dynamic(vec![vec![], vec![2], vec![1], vec![3], vec![2]]);
        targets.follow(&Archive::<Point>::new(5));
        assert_eq!(targets.current(), [0, 1, 3]);
    }
}
