//! Races: configurations to be dropped (F-Race: Birattari et al., 2002).
//!
//! Because a race tests repeatedly, its level does not bound the probability of an error over the
//! whole race.

use crate::stats::{Conover, friedman, holm};

/// A configuration that is significantly worse than the best.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inferior {
    /// Index of the configuration in each block.
    pub index: usize,
    /// Mean rank of the configuration. Rank 1 is the best.
    pub mean_rank: f64,
    /// Mean rank of the best configuration.
    pub best_mean_rank: f64,
    /// P-value of the hypothesis that the configuration does not differ from the best, with Holm's
    /// correction.
    pub p: f64,
}

/// Returns the configurations that are significantly worse than the best at a level. Each block
/// contains the mean coverages of at least two configurations on a project. A block with a missing
/// coverage is left out.
pub fn inferior(blocks: &[Vec<Option<f64>>], level: f64) -> Vec<Inferior> {
    // The highest coverage has rank 1.
    let whole: Vec<Vec<f64>> =
        blocks.iter().filter_map(|b| b.iter().map(|v| v.map(|v| -v)).collect()).collect();
    // Friedman's test is skipped for two configurations, because Conover's comparison already
    // compares them.
    let two = whole.first().is_some_and(|block| block.len() == 2);
    let differ = two || friedman(&whole).is_ok_and(|test| test.p.value < level);
    let Ok(test) = Conover::new(&whole) else { return Vec::new() };
    let ranks = &test.mean_ranks;
    let best = (0..ranks.len()).min_by(|&a, &b| ranks[a].total_cmp(&ranks[b])).unwrap_or(0);
    let others: Vec<usize> = (0..ranks.len()).filter(|&index| index != best).collect();
    let p: Vec<f64> = others.iter().map(|&index| test.p(best, index).value).collect();
    let Ok(adjusted) = holm(&p) else { return Vec::new() };
    let worse = |(&index, p): (&usize, f64)| {
        let (mean_rank, best_mean_rank) = (ranks[index], ranks[best]);
        (differ && p < level).then_some(Inferior { index, mean_rank, best_mean_rank, p })
    };
    others.iter().zip(adjusted).filter_map(worse).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(values: [f64; 3]) -> Vec<Option<f64>> {
        values.map(Some).to_vec()
    }

    #[test]
    fn the_worst_is_dropped_when_the_evidence_is_there() {
        let mut blocks = vec![block([0.9, 0.8, 0.1]); 2];
        assert!(inferior(&blocks[..1], 0.05).is_empty());
        blocks.extend([block([0.5, 0.7, 0.2]), block([0.6, 0.7, 0.2]), block([0.9, 0.9, 0.9])]);
        blocks.extend(vec![block([0.8, 0.7, 0.3]), block([0.6, 0.9, 0.3])]);
        let [worst] = &inferior(&blocks, 0.05)[..] else { panic!("one is worse") };
        assert_eq!((worst.index, worst.best_mean_rank), (2, 11.0 / 7.0));
        assert!(worst.p < 0.05 && inferior(&blocks, worst.p).is_empty());
    }

    #[test]
    fn missing_coverage_drops_no_configuration() {
        let blocks = vec![vec![Some(0.9), Some(0.8), None]; 20];
        assert!(inferior(&blocks, 0.05).is_empty());
        assert!(inferior(&[], 0.05).is_empty());
        let equal = vec![block([0.5; 3]); 20];
        assert!(inferior(&equal, 0.05).is_empty());
        let two = vec![vec![Some(0.2), Some(0.8)]; 3];
        assert_eq!(inferior(&two, 0.05).iter().map(|worse| worse.index).collect::<Vec<_>>(), [0]);
    }
}
