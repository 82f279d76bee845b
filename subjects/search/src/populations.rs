//! The populations of MIO, which contain tests for uncovered targets.

use crate::problem::Test;
use crate::stream::Stream;

/// MIO's heuristic value of a fitness, from 0 to 1.
pub(crate) fn heuristic(fitness: f64) -> f64 {
    1.0 / (1.0 + fitness)
}

/// Decides between tests with equal heuristic values for a goal.
pub(crate) fn closeness(fitness: &[f64]) -> f64 {
    fitness.iter().map(|fitness| heuristic(*fitness)).sum()
}

pub(crate) struct Populations<T> {
    /// Each population is ordered best first.
    members: Vec<Vec<Member<T>>>,
    capacity: usize,
    /// For each goal, how often it was chosen since its last progress.
    chosen: Vec<u64>,
    targets: Vec<usize>,
    /// The uncovered targets with members, oldest population first.
    open: Vec<usize>,
    covered: Vec<usize>,
}

struct Member<T> {
    heuristic: f64,
    closeness: f64,
    test: T,
}

impl<T> Member<T> {
    fn key(&self) -> (f64, f64) {
        (self.heuristic, self.closeness)
    }
}

impl<T: Test> Populations<T> {
    pub(crate) fn new(goals: usize, targets: Vec<usize>) -> Self {
        Self {
            members: (0..goals).map(|_| Vec::new()).collect(),
            capacity: usize::MAX,
            chosen: vec![0; goals],
            targets,
            open: Vec::new(),
            covered: Vec::new(),
        }
    }

    pub(crate) fn resize(&mut self, capacity: usize) {
        if capacity < self.capacity {
            for goal in &self.open {
                self.members[*goal].truncate(capacity);
            }
        }
        self.capacity = capacity;
    }

    pub(crate) fn nothing_to_mutate(&self) -> bool {
        self.open.is_empty() && self.covered.is_empty()
    }

    pub(crate) fn all_covered(&self) -> bool {
        self.open.is_empty()
    }

    /// `goals` must be in ascending order.
    pub(crate) fn cover(&mut self, goals: &[usize]) {
        if goals.is_empty() {
            return;
        }
        for goal in goals {
            self.members[*goal] = Vec::new();
            self.chosen[*goal] = 0;
        }
        let still = |goal: &usize| goals.binary_search(goal).is_err();
        self.targets.retain(still);
        self.open.retain(still);
        self.covered.extend(goals);
    }

    pub(crate) fn offer(&mut self, test: &T, closeness: f64) {
        let fitness = test.fitness();
        for goal in self.targets.iter().copied() {
            let member = Member { heuristic: heuristic(fitness[goal]), closeness, test };
            if member.heuristic == 0.0 {
                continue;
            }
            let members = &mut self.members[goal];
            let full = members.len() >= self.capacity;
            if full && members.last().is_some_and(|worst| worst.key() > member.key()) {
                continue;
            }
            if members.iter().any(|other| other.test.same_genes(test)) {
                continue;
            }
            if full {
                members.pop();
                self.chosen[goal] = 0;
            } else if members.is_empty() {
                self.open.push(goal);
            }
            let place = members.partition_point(|other| other.key() > member.key());
            members.insert(
                place,
                Member { heuristic: member.heuristic, closeness, test: test.clone() },
            );
        }
    }

    /// Chooses the goal that was chosen least often.
    ///
    /// # Panics
    /// If there is nothing to mutate.
    pub(crate) fn choose(&mut self) -> usize {
        let goals = if self.open.is_empty() { &self.covered } else { &self.open };
        let goal = *goals
            .iter()
            .min_by_key(|goal| self.chosen[**goal])
            .expect("the caller asked whether there is anything to mutate");
        self.chosen[goal] += 1;
        goal
    }

    pub(crate) fn pick(&self, goal: usize, rng: &mut Stream) -> &T {
        &rng.pick(&self.members[goal]).test
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toy::Point;

    fn after(capacity: usize, tests: &[Point]) -> Populations<Point> {
        let mut populations = Populations::new(2, vec![0]);
        populations.resize(capacity);
        for test in tests {
            populations.offer(test, closeness(test.fitness()));
        }
        populations
    }

    fn fitness(populations: &Populations<Point>) -> Vec<[f64; 2]> {
        populations.members[0].iter().map(|m| [m.test.fitness()[0], m.test.fitness()[1]]).collect()
    }

    #[test]
    fn heuristic_values() {
        assert_eq!(heuristic(0.0), 1.0);
        assert_eq!(heuristic(3.0), 0.25);
        assert_eq!(heuristic(f64::INFINITY), 0.0);
        assert_eq!(closeness(&[0.0, 1.0, f64::INFINITY, 3.0]), 1.75);
    }

    #[test]
    fn fills_then_replaces_the_worst() {
        let mut populations = after(2, &[Point::new(&[5.0, 1.0], 1), Point::new(&[3.0, 1.0], 1)]);
        assert_eq!(fitness(&populations), [[3.0, 1.0], [5.0, 1.0]]);
        populations.chosen[0] = 4;
        populations.offer(&Point::new(&[6.0, 1.0], 1), 0.0);
        assert_eq!(fitness(&populations), [[3.0, 1.0], [5.0, 1.0]], "worse than the worst");
        assert_eq!(populations.chosen[0], 4);
        let better = Point::new(&[4.0, 1.0], 1);
        populations.offer(&better, closeness(better.fitness()));
        assert_eq!(fitness(&populations), [[3.0, 1.0], [4.0, 1.0]]);
        assert_eq!(populations.chosen[0], 0, "progress resets the count");
    }

    #[test]
    fn ties_are_decided_by_closeness_and_equals_replace() {
        let mut populations = after(1, &[Point::new(&[5.0, 2.0], 1)]);
        let offer = |populations: &mut Populations<Point>, test: &Point| {
            populations.offer(test, closeness(test.fitness()));
            populations.members[0][0].test.fitness()[1]
        };
        assert_eq!(offer(&mut populations, &Point::new(&[5.0, 3.0], 1)), 2.0, "further away");
        assert_eq!(offer(&mut populations, &Point::new(&[5.0, 1.0], 1)), 1.0, "closer");
        populations.chosen[0] = 3;
        let equal = Point::new(&[5.0, 1.0], 7);
        offer(&mut populations, &equal);
        assert_eq!(populations.members[0][0].test.length(), 7, "equal");
        assert_eq!(populations.chosen[0], 0);
    }

    #[test]
    fn adding_does_not_count_as_progress_and_duplicates_are_refused() {
        let test = Point::new(&[5.0, 1.0], 1);
        let mut populations = after(3, std::slice::from_ref(&test));
        populations.chosen[0] = 2;
        populations.offer(&test, closeness(test.fitness()));
        assert_eq!(populations.members[0].len(), 1, "same genes");
        populations.offer(&Point::new(&[6.0, 1.0], 1), 0.5);
        assert_eq!(populations.members[0].len(), 2);
        assert_eq!(populations.chosen[0], 2);
        populations.offer(&Point::new(&[f64::INFINITY, 0.0], 1), 1.0);
        assert_eq!(populations.members[0].len(), 2, "infinitely far");
    }

    #[test]
    fn shrinking_drops_the_worst() {
        let tests = [3.0, 1.0, 2.0, 5.0].map(|f| Point::new(&[f, 1.0], 1));
        let mut populations = after(4, &tests);
        populations.resize(2);
        assert_eq!(fitness(&populations), [[1.0, 1.0], [2.0, 1.0]]);
    }

    #[test]
    fn the_least_chosen_open_goal_is_next_and_ties_go_to_the_oldest() {
        let mut populations = Populations::new(4, vec![0, 1, 2, 3]);
        populations.resize(2);
        assert!(populations.nothing_to_mutate());
        let inf = f64::INFINITY;
        populations.offer(&Point::new(&[inf, inf, 1.0, inf], 1), 0.5);
        populations.offer(&Point::new(&[1.0, inf, 1.0, inf], 1), 1.0);
        assert_eq!([(); 3].map(|()| populations.choose()), [2, 0, 2]);
        populations.cover(&[0, 2]);
        assert!(populations.all_covered() && !populations.nothing_to_mutate());
        assert_eq!([(); 3].map(|()| populations.choose()), [0, 2, 0], "covered ones, from zero");
        populations.offer(&Point::new(&[1.0, inf, 0.5, 7.0], 1), 1.0);
        assert_eq!(populations.choose(), 3);
        assert!(populations.members[0].is_empty(), "a covered goal has no population");
    }
}
