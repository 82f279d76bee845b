//! Which configurations of a race have lost (F-Race: Birattari et al., 2002).
//!
//! Friedman's test says whether the configurations that are left differ at all on the projects
//! so far; Conover's comparison with the best, adjusted by Holm, says which of them are worse.
//! A race looks again and again, so its level bounds no chance of error over all of it: it
//! selects, and what it selects is compared on other projects.

use crate::stats::{Conover, friedman, holm};

/// A configuration that is significantly worse than the best.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loss {
    /// Its place in each block.
    pub place: usize,
    /// Its mean rank, 1 for the best.
    pub mean_rank: f64,
    /// The mean rank of the best.
    pub best: f64,
    /// Of no difference to the best, adjusted.
    pub p: f64,
}

/// The configurations to be dropped, of which there are two or more. Each block is a project,
/// with the mean coverage of each configuration; a project on which one of them has none says
/// nothing.
pub fn losses(blocks: &[Vec<Option<f64>>], level: f64) -> Vec<Loss> {
    // Negative: the largest coverage has rank 1.
    let whole: Vec<Vec<f64>> =
        blocks.iter().filter_map(|b| b.iter().map(|v| v.map(|v| -v)).collect()).collect();
    // Two need no test of all together.
    let two = whole.first().is_some_and(|block| block.len() == 2);
    let differ = two || friedman(&whole).is_ok_and(|test| test.p.value < level);
    let Ok(test) = Conover::new(&whole) else { return Vec::new() };
    let ranks = &test.mean_ranks;
    let best = (0..ranks.len()).min_by(|&a, &b| ranks[a].total_cmp(&ranks[b])).unwrap_or(0);
    let others: Vec<usize> = (0..ranks.len()).filter(|&place| place != best).collect();
    let p: Vec<f64> = others.iter().map(|&place| test.p(best, place).value).collect();
    let Ok(adjusted) = holm(&p) else { return Vec::new() };
    let loss = |(&place, p): (&usize, f64)| {
        let (mean_rank, best) = (ranks[place], ranks[best]);
        (differ && p < level).then_some(Loss { place, mean_rank, best, p })
    };
    others.iter().zip(adjusted).filter_map(loss).collect()
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
        assert!(losses(&blocks[..1], 0.05).is_empty());
        blocks.extend([block([0.5, 0.7, 0.2]), block([0.6, 0.7, 0.2]), block([0.9, 0.9, 0.9])]);
        blocks.extend(vec![block([0.8, 0.7, 0.3]), block([0.6, 0.9, 0.3])]);
        let [loss] = &losses(&blocks, 0.05)[..] else { panic!("one is worse") };
        assert_eq!((loss.place, loss.best), (2, 11.0 / 7.0));
        assert!(loss.p < 0.05 && losses(&blocks, loss.p).is_empty());
    }

    #[test]
    fn what_is_missing_is_no_loss() {
        let blocks = vec![vec![Some(0.9), Some(0.8), None]; 20];
        assert!(losses(&blocks, 0.05).is_empty());
        assert!(losses(&[], 0.05).is_empty());
        let equal = vec![block([0.5; 3]); 20];
        assert!(losses(&equal, 0.05).is_empty());
        let two = vec![vec![Some(0.2), Some(0.8)]; 3];
        assert_eq!(losses(&two, 0.05).iter().map(|l| l.place).collect::<Vec<_>>(), [0]);
    }
}
