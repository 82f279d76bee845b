//! Portable streams of random numbers.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// A stream of random numbers that is the same on every computer and in every release.
///
/// The numbers are from the key stream of ChaCha with 8 rounds. The key is the seed as eight bytes,
/// least significant byte first, followed by 24 zero bytes; the nonce is the number of the stream;
/// the block counter starts at 0. All other draws are defined here by [`Stream::next_u64`], so a
/// new release of a random number library cannot change results.
#[derive(Clone, Debug)]
pub struct Stream(ChaCha8Rng);

impl Stream {
    /// The number of a run's stream for the search and the minimisation after the search.
    pub const SEARCH: u64 = 0;
    /// The number of the stream of the VM that executes tests.
    pub const MACHINE: u64 = 1;
    /// The number of the stream for the extraction of events.
    pub const EXTRACTION: u64 = 2;
    /// The number of the stream of seeds with which tests are executed again.
    pub const REEXECUTION: u64 = 3;
    /// The number of the stream of a random test's events.
    pub const EVENTS: u64 = 4;
    /// The number of the stream of seeds with which policies are trained.
    pub const TRAINING: u64 = 5;
    /// The number of the first stream of mutation analysis.
    pub const MUTATION: u64 = 16;

    /// The stream with this seed and this number, at its beginning.
    pub fn new(seed: u64, number: u64) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        let mut rng = ChaCha8Rng::from_seed(key);
        rng.set_stream(number);
        Self(rng)
    }

    /// The first `count` numbers of a stream, to be used as seeds.
    pub fn seeds(seed: u64, number: u64, count: usize) -> Vec<u64> {
        let mut stream = Self::new(seed, number);
        (0..count).map(|_| stream.next_u64()).collect()
    }

    /// Draws the next 64 bits: two words of the key stream, of which the first is the lower half.
    pub fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Draws a whole number below `bound`, with equal probabilities (Lemire, "Fast random integer
    /// generation in an interval", 2019).
    ///
    /// # Panics
    /// If `bound` is 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        assert!(bound > 0, "an empty range has no random number");
        loop {
            let product = u128::from(self.next_u64()) * u128::from(bound);
            let lower = product as u64;
            // The remainder is less than the bound, so the slow division is rarely needed.
            if lower >= bound || lower >= bound.wrapping_neg() % bound {
                return (product >> 64) as u64;
            }
        }
    }

    /// Draws a whole number from `low` to `high`, with equal probabilities.
    ///
    /// # Panics
    /// If `low > high`, or if the range contains all values of `u64`.
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        assert!(low <= high, "the range {low}..={high} is empty");
        low + self.below(high - low + 1)
    }

    /// Draws an index into a list of this length, with equal probabilities.
    ///
    /// # Panics
    /// If `length` is 0.
    pub fn index(&mut self, length: usize) -> usize {
        self.below(length as u64) as usize
    }

    /// Draws an element of a list, with equal probabilities.
    ///
    /// # Panics
    /// If the list is empty.
    pub fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.index(list.len())]
    }

    /// Draws a number from 0 to 1, exclusive: the upper 53 bits of a draw, divided by 2^53.
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// Returns true with this probability. Always uses one draw, even if the probability is 0 or 1.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// Draws a normally distributed number: the cosine half of the Box-Muller transform. The sine
    /// half is discarded, so a stream has no state besides its position.
    pub fn gaussian(&mut self, mean: f64, deviation: f64) -> f64 {
        let radius = (-2.0 * libm::log(1.0 - self.unit())).sqrt();
        let angle = 2.0 * std::f64::consts::PI * self.unit();
        mean + deviation * radius * libm::cos(angle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// This value must never change, because every published result would change.
    #[test]
    fn the_stream_is_the_documented_one() {
        // With a zero key and a zero nonce, the key stream of ChaCha8 begins with the bytes 3e 00
        // ef 2f 89 5f 40 d6 (Strombergson, "Test vectors for the stream cipher ChaCha").
        assert_eq!(Stream::new(0, 0).next_u64(), 0xd640_5f89_2fef_003e);
    }

    #[test]
    fn streams_of_a_seed_differ_and_repeat() {
        let draw = |seed, number| {
            let mut stream = Stream::new(seed, number);
            [stream.next_u64(), stream.next_u64()]
        };
        assert_eq!(draw(7, Stream::SEARCH), draw(7, Stream::SEARCH));
        assert_ne!(draw(7, Stream::SEARCH), draw(7, Stream::MACHINE));
        assert_ne!(draw(7, Stream::SEARCH), draw(8, Stream::SEARCH));
    }

    #[test]
    fn whole_numbers_are_uniform() {
        let mut stream = Stream::new(1, 0);
        let mut counts = [0_i32; 7];
        for _ in 0..70_000 {
            counts[stream.index(7)] += 1;
        }
        // The tolerance is five standard deviations of a binomial count, which are 463.
        assert!(counts.iter().all(|count| (count - 10_000).abs() < 463), "{counts:?}");
        assert!((0..100).all(|_| (3..=5).contains(&stream.between(3, 5))));
        assert_eq!(stream.between(9, 9), 9);
    }

    #[test]
    fn gaussian_has_its_moments() {
        let mut stream = Stream::new(2, 0);
        let n = 100_000;
        let draws: Vec<f64> = (0..n).map(|_| stream.gaussian(10.0, 5.0)).collect();
        let mean = draws.iter().sum::<f64>() / f64::from(n);
        let variance = draws.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / f64::from(n);
        assert!((mean - 10.0).abs() < 0.08, "{mean}");
        assert!((variance.sqrt() - 5.0).abs() < 0.06, "{variance}");
    }

    #[test]
    fn unit_and_chance_keep_their_bounds() {
        let mut stream = Stream::new(3, 0);
        for _ in 0..10_000 {
            let u = stream.unit();
            assert!((0.0..1.0).contains(&u));
            assert!(!stream.chance(0.0));
            assert!(stream.chance(1.0));
        }
    }
}
