//! Seeded random choices that are the same on every computer.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng};

pub(crate) struct Rng(ChaCha8Rng);

impl Rng {
    pub(crate) fn new(seed: u64, stream: u64) -> Rng {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(stream);
        Rng(rng)
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        // The bias of the remainder is negligible, because `n` is small.
        if n == 0 { 0 } else { (self.0.next_u64() >> 16) as usize % n }
    }

    pub(crate) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// Uniform in [-1, 1).
    pub(crate) fn signed_unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    pub(crate) fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }

    /// In [1, `2^bits`): each interval between two successive powers of two is equally likely.
    pub(crate) fn log_uniform(&mut self, bits: usize) -> usize {
        let scale = 1_usize << self.below(bits);
        scale + self.below(scale)
    }
}
