//! Seeded choices, the same on every machine.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// A stream of choices.
pub(crate) struct Dice(ChaCha8Rng);

impl Dice {
    /// One of the 2^64 independent streams of a seed.
    pub(crate) fn new(seed: u64, stream: u64) -> Dice {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(stream);
        Dice(rng)
    }

    /// A number below `n`; 0 for 0.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        // Nobody notices a bias of 2^-32 here.
        if n == 0 { 0 } else { (self.0.next_u64() >> 16) as usize % n }
    }

    /// True once in `n` times.
    pub(crate) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// A uniform number in [-1, 1).
    pub(crate) fn spread(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    /// One of a few things; there must be at least one.
    pub(crate) fn pick<T: Copy>(&mut self, things: &[T]) -> T {
        things[self.below(things.len())]
    }

    /// A magnitude between 1 and `2^bits`, small ones as likely as large ones.
    pub(crate) fn magnitude(&mut self, bits: usize) -> usize {
        let scale = 1_usize << self.below(bits);
        scale + self.below(scale)
    }
}
