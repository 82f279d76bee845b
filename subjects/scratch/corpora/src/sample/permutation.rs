//! Random order of ids.

use std::collections::HashMap;
use std::ops::Range;

use catherd_search::Stream;

const SAMPLE_STREAM: u64 = 100;

/// A Fisher-Yates shuffle of the range that stores only the entries that differ from their index.
pub(super) struct Permutation {
    ids: Range<u64>,
    drawn: u64,
    /// Never iterated, so the order of the map does not matter.
    moved: HashMap<u64, u64>,
    stream: Stream,
}

impl Permutation {
    pub(super) fn new(ids: Range<u64>, seed: u64) -> Permutation {
        let stream = Stream::new(seed, SAMPLE_STREAM);
        Permutation { ids, drawn: 0, moved: HashMap::new(), stream }
    }
}

impl Iterator for Permutation {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        let left = (self.ids.end - self.ids.start).checked_sub(self.drawn).filter(|&n| n > 0)?;
        let chosen = self.drawn + self.stream.below(left);
        let here = self.moved.remove(&self.drawn).unwrap_or(self.drawn);
        let index = if chosen == self.drawn {
            here
        } else {
            self.moved.insert(chosen, here).unwrap_or(chosen)
        };
        self.drawn += 1;
        Some(self.ids.start + index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_id_comes_once_and_the_order_depends_on_the_seed() {
        let order: Vec<u64> = Permutation::new(100..600, 7).collect();
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(100..600));
        assert!(Permutation::new(100..600, 7).take(20).eq(order[..20].iter().copied()));
        assert!(!Permutation::new(100..600, 8).eq(order.iter().copied()));
        assert_eq!(Permutation::new(5..5, 1).next(), None);
    }

    #[test]
    fn orders_are_equally_likely() {
        let mut counts = [0_i32; 27];
        for seed in 0..6_000 {
            let order = Permutation::new(0..3, seed).fold(0, |sum, id| sum * 3 + id as usize);
            counts[order] += 1;
        }
        let orders: Vec<i32> = counts.into_iter().filter(|&count| count > 0).collect();
        // Five standard deviations of a binomial count are 144.
        assert_eq!(orders.len(), 6);
        assert!(orders.iter().all(|count| (count - 1_000).abs() < 144), "{orders:?}");
    }

    /// The order must never change, because published samples depend on it.
    #[test]
    fn the_order_is_the_documented_one() {
        let first: Vec<u64> = Permutation::new(400_000_000..700_000_000, 1).take(4).collect();
        assert_eq!(first, [629_437_670, 648_746_064, 696_042_839, 635_062_258]);
        let mean = Permutation::new(400_000_000..700_000_000, 1).take(10_000).sum::<u64>() / 10_000;
        // Five standard errors are 4.3 million.
        assert!(mean.abs_diff(550_000_000) < 4_300_000, "{mean}");
    }
}
