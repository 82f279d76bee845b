//! The order of tests in MOSA (Panichella et al., "Reformulating branch coverage as a
//! many-objective optimization problem", 2015; Whisker paper, Algorithm 8).
//!
//! There may be ten thousand goals, most of which do not distinguish the tests, so pairs of tests
//! are compared only for the goals for which the fitness differs.

use std::cmp::Ordering;

use crate::problem::Test;
use crate::stream::Stream;

/// Sorts tests into fronts, best first. A front is a list of indices into `tests`.
///
/// Front 0 contains, for each target, the test with the lowest fitness; of tests with equal
/// fitness, the shortest. The other tests are one front if front 0 has more than `capacity`
/// members, and are otherwise divided into fronts by dominance.
///
/// # Panics
/// If there are targets but no tests, or if a target is not a goal of all tests.
pub fn preference_sorting<T: Test>(
    tests: &[T],
    targets: &[usize],
    capacity: usize,
) -> Vec<Vec<usize>> {
    let mut best: Vec<(f64, usize)> =
        targets.iter().map(|goal| (tests[0].fitness()[*goal], 0)).collect();
    let mut differ = vec![false; targets.len()];
    for (index, test) in tests.iter().enumerate().skip(1) {
        let fitness = test.fitness();
        for ((goal, (lowest, holder)), differ) in targets.iter().zip(&mut best).zip(&mut differ) {
            let value = fitness[*goal];
            *differ |= value != *lowest;
            if value < *lowest || value == *lowest && test.length() < tests[*holder].length() {
                (*lowest, *holder) = (value, index);
            }
        }
    }

    let mut preferred = vec![false; tests.len()];
    let mut front = Vec::new();
    for (_, index) in best {
        if !preferred[index] {
            preferred[index] = true;
            front.push(index);
        }
    }
    let rest: Vec<usize> = (0..tests.len()).filter(|index| !preferred[*index]).collect();
    let mut fronts = if front.is_empty() { Vec::new() } else { vec![front] };
    if rest.is_empty() {
        return fronts;
    }
    if fronts.first().is_some_and(|front| front.len() > capacity) {
        fronts.push(rest);
    } else {
        let differing = where_they_differ(targets, &differ);
        fronts.extend(non_dominated_sorting(tests, &rest, &differing));
    }
    fronts
}

fn where_they_differ(goals: &[usize], differ: &[bool]) -> Vec<usize> {
    goals.iter().zip(differ).filter_map(|(goal, differ)| differ.then_some(*goal)).collect()
}

/// Fast non-dominated sorting (Deb et al., "A fast and elitist multiobjective genetic algorithm:
/// NSGA-II", 2002) of the tests in `some`.
fn non_dominated_sorting<T: Test>(tests: &[T], some: &[usize], goals: &[usize]) -> Vec<Vec<usize>> {
    // For each position in `some`: the positions that it dominates, and the number of positions
    // that dominate it.
    let mut dominates = vec![Vec::new(); some.len()];
    let mut dominators = vec![0_usize; some.len()];
    for p in 0..some.len() {
        for q in p + 1..some.len() {
            match dominance(tests[some[p]].fitness(), tests[some[q]].fitness(), goals) {
                Ordering::Less => {
                    dominates[p].push(q);
                    dominators[q] += 1;
                }
                Ordering::Greater => {
                    dominates[q].push(p);
                    dominators[p] += 1;
                }
                Ordering::Equal => {}
            }
        }
    }
    let mut fronts = Vec::new();
    let mut front: Vec<usize> = (0..some.len()).filter(|p| dominators[*p] == 0).collect();
    while !front.is_empty() {
        let mut next = Vec::new();
        for p in &front {
            for q in &dominates[*p] {
                dominators[*q] -= 1;
                if dominators[*q] == 0 {
                    next.push(*q);
                }
            }
        }
        fronts.push(front.into_iter().map(|p| some[p]).collect());
        front = next;
    }
    fronts
}

/// `Less` if the first test dominates: it is not worse for any goal and better for at least one.
/// `Greater` if the second test dominates. `Equal` if neither does.
fn dominance(a: &[f64], b: &[f64], goals: &[usize]) -> Ordering {
    let mut order = Ordering::Equal;
    for goal in goals {
        let here = if a[*goal] < b[*goal] {
            Ordering::Less
        } else if a[*goal] > b[*goal] {
            Ordering::Greater
        } else {
            continue;
        };
        if order == here.reverse() {
            return Ordering::Equal;
        }
        order = here;
    }
    order
}

/// Orders a front by crowding, smallest first. The sort is stable.
pub(crate) fn sort_by_crowding<T: Test>(tests: &[T], front: &mut Vec<usize>, goals: &[usize]) {
    let mut order: Vec<(usize, usize)> =
        crowding(tests, front, goals).into_iter().zip(front.iter().copied()).collect();
    order.sort_by_key(|(distance, _)| *distance);
    *front = order.into_iter().map(|(_, index)| index).collect();
}

/// For each member of a front, the largest number of goals for which one other member is better
/// (sub-vector dominance).
fn crowding<T: Test>(tests: &[T], front: &[usize], goals: &[usize]) -> Vec<usize> {
    let mut distances = vec![0; front.len()];
    let Some((first, others)) = front.split_first() else { return distances };
    let first = tests[*first].fitness();
    let mut differ = vec![false; goals.len()];
    for index in others {
        let fitness = tests[*index].fitness();
        for (goal, differ) in goals.iter().zip(&mut differ) {
            *differ |= fitness[*goal] != first[*goal];
        }
    }
    let differing = where_they_differ(goals, &differ);
    // Dense rows make the comparison of pairs read memory in order.
    let rows: Vec<Vec<f64>> = front
        .iter()
        .map(|index| differing.iter().map(|goal| tests[*index].fitness()[*goal]).collect())
        .collect();
    for p in 0..rows.len() {
        for q in p + 1..rows.len() {
            let (mut p_better, mut q_better) = (0, 0);
            for (a, b) in rows[p].iter().zip(&rows[q]) {
                p_better += usize::from(a < b);
                q_better += usize::from(b < a);
            }
            distances[p] = distances[p].max(q_better);
            distances[q] = distances[q].max(p_better);
        }
    }
    distances
}

/// Draws a rank from 1 to `n`, where `n` is the best, by linear ranking with the bias
/// `c = 2n / (n + 1)`.
///
/// With this bias, the probability of rank `i` is
/// `(2 - c + 2 (c - 1) (i - 1) / (n - 1)) / n = i / (1 + 2 + ... + n)`, so one uniform whole number
/// determines the rank without rounding.
pub(crate) fn draw_rank(rng: &mut Stream, n: usize) -> usize {
    rank_of(rng.index(n * (n + 1) / 2))
}

/// The rank of a ticket. Rank `i` has the `i` tickets from `i (i - 1) / 2` on.
fn rank_of(ticket: usize) -> usize {
    (8 * ticket + 1).isqrt().div_ceil(2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toy::Point;

    const INF: f64 = f64::INFINITY;

    #[test]
    fn front_0_has_the_closest_test_of_each_target() {
        let tests = [
            Point::new(&[3.0, 1.0, 5.0, INF], 4),
            Point::new(&[1.0, 1.0, 5.0, INF], 4),
            Point::new(&[2.0, 1.0, 5.0, INF], 2),
            Point::new(&[9.0, 9.0, 0.0, INF], 2),
        ];
        // Target 0: test 1 is closest. Target 1: of three equal tests, test 2 is the shortest.
        // Target 3: of four equal tests, test 2 is before test 3, which has the same length. Goal 2
        // is not a target.
        let fronts = preference_sorting(&tests, &[0, 1, 3], 4);
        assert_eq!(fronts, [vec![1, 2], vec![0], vec![3]]);
        // If goal 2 is a target, test 3 is the closest.
        let fronts = preference_sorting(&tests, &[0, 1, 2], 4);
        assert_eq!(fronts, [vec![1, 2, 3], vec![0]]);
    }

    #[test]
    fn a_front_0_above_capacity_leaves_one_rest() {
        let tests = [
            Point::new(&[1.0, 9.0, 9.0], 1),
            Point::new(&[9.0, 1.0, 9.0], 1),
            Point::new(&[9.0, 9.0, 1.0], 1),
            Point::new(&[5.0, 5.0, 5.0], 1),
            Point::new(&[6.0, 6.0, 6.0], 1),
        ];
        assert_eq!(preference_sorting(&tests, &[0, 1, 2], 2), [vec![0, 1, 2], vec![3, 4]]);
        assert_eq!(preference_sorting(&tests, &[0, 1, 2], 3), [vec![0, 1, 2], vec![3], vec![4]]);
    }

    #[test]
    fn non_dominated_sorting_peels_layers() {
        let tests = [
            Point::new(&[4.0, 4.0], 1),
            Point::new(&[1.0, 5.0], 1),
            Point::new(&[2.0, 2.0], 1),
            Point::new(&[2.0, 2.0], 1),
            Point::new(&[5.0, 5.0], 1),
            Point::new(&[3.0, 2.0], 1),
        ];
        let fronts = non_dominated_sorting(&tests, &[0, 1, 2, 3, 4, 5], &[0, 1]);
        assert_eq!(fronts, [vec![1, 2, 3], vec![5], vec![0], vec![4]]);
        // Some of the tests, and one of the goals.
        let fronts = non_dominated_sorting(&tests, &[0, 1, 4], &[1]);
        assert_eq!(fronts, [vec![0], vec![1, 4]]);
    }

    #[test]
    fn dominance_needs_no_worse_and_one_better() {
        let goals = [0, 1];
        assert_eq!(dominance(&[1.0, 2.0], &[1.0, 3.0], &goals), Ordering::Less);
        assert_eq!(dominance(&[1.0, INF], &[1.0, 3.0], &goals), Ordering::Greater);
        assert_eq!(dominance(&[1.0, 3.0], &[2.0, 1.0], &goals), Ordering::Equal);
        assert_eq!(dominance(&[INF, 3.0], &[INF, 3.0], &goals), Ordering::Equal);
    }

    #[test]
    fn crowding_counts_over_all_goals() {
        let tests = [
            Point::new(&[1.0, 1.0, 5.0, 0.0], 1),
            Point::new(&[2.0, 2.0, 1.0, 0.0], 1),
            Point::new(&[3.0, 3.0, 3.0, 0.0], 1),
        ];
        let all = [0, 1, 2, 3];
        // For test 0, the other tests are better only for goal 2. For test 1, test 0 is better for
        // two goals. For test 2, test 1 is better for three goals.
        assert_eq!(crowding(&tests, &[0, 1, 2], &all), [1, 2, 3]);
        let mut front = vec![2, 1, 0];
        sort_by_crowding(&tests, &mut front, &all);
        assert_eq!(front, [0, 1, 2]);
        assert_eq!(crowding(&tests, &[1], &all), [0]);
        assert!(crowding(&tests, &[], &all).is_empty());
        // Equal tests keep their order.
        let tests = [Point::new(&[1.0], 1), Point::new(&[1.0], 1)];
        let mut front = vec![1, 0];
        sort_by_crowding(&tests, &mut front, &[0]);
        assert_eq!(front, [1, 0]);
    }

    #[test]
    fn ranks_have_the_probabilities_of_linear_ranking() {
        for n in [2_usize, 3, 30] {
            let size = n as f64;
            let bias = 2.0 * size / (size + 1.0);
            let tickets = n * (n + 1) / 2;
            for rank in 1..=n {
                let held = (0..tickets).filter(|ticket| rank_of(*ticket) == rank).count();
                let i = rank as f64;
                let published = (2.0 - bias + 2.0 * (bias - 1.0) * (i - 1.0) / (size - 1.0)) / size;
                assert!((held as f64 / tickets as f64 - published).abs() < 1e-12);
            }
        }
        assert_eq!(draw_rank(&mut Stream::new(0, 0), 1), 1);
    }
}
