//! The order of runs with a budget of real time. The heat and the load of the computer must affect
//! all algorithms equally. Therefore the runs of a project with the same seed, a *block*, follow
//! each other, and both the blocks and the algorithms in a block are in random order.

use catherd_experiments::{Digest, RunSpec};

/// Number of bits that order the runs within a block.
const WITHIN: u32 = 12;

/// The place of a run among the runs on its project, at least 1, if the budget limits real time.
/// The place depends only on the bytes of the project, the seed and the algorithm's label.
pub fn place(spec: &RunSpec) -> Option<u32> {
    spec.budget.wall_ms.is_some().then(|| place_of(spec.project, spec.seed, &spec.algorithm.label))
}

pub(crate) fn place_of(project: Digest, seed: u64, label: &str) -> u32 {
    let draw = |text: String| {
        let [a, b, c, d, ..] = Digest::of(text.as_bytes()).0;
        u32::from_be_bytes([a, b, c, d])
    };
    let block = draw(format!("block of {project} {seed}"));
    let within = draw(format!("run of {project} {seed} {label}"));
    ((block >> WITHIN << WITHIN) | (within >> (u32::BITS - WITHIN))).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_a_block_follow_each_other_and_every_algorithm_is_first_equally_often() {
        let labels = ["a", "b", "c"];
        let mut firsts = [0; 3];
        for project in 0..20 {
            let project = Digest([project; 32]);
            let mut order: Vec<(u32, u64, usize)> = (1..=30)
                .flat_map(|seed| {
                    (0..3).map(move |label| (place_of(project, seed, labels[label]), seed, label))
                })
                .collect();
            order.sort_unstable();
            let mut seeds = Vec::new();
            for block in order.chunks(3) {
                assert!(block.iter().all(|(_, seed, _)| *seed == block[0].1), "{order:?}");
                seeds.push(block[0].1);
                firsts[block[0].2] += 1;
            }
            assert!(!seeds.is_sorted());
        }
        assert!(firsts.iter().all(|count| (160..240).contains(count)), "{firsts:?}");
    }
}
