//! Random numbers of the VM, all from one stream.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// A stream of uniform random numbers in [0, 1). One draw is one call of the original's
/// generator.
#[derive(Clone, Debug)]
pub struct Random(Generator);

#[derive(Clone, Debug)]
enum Generator {
    Portable(Box<ChaCha8Rng>),
    Reference(u32),
}

impl Random {
    /// The stream of studies: stream 1 of ChaCha8 with the seed as its key. Its output is the same
    /// on every platform and in every version. The search uses other streams of the same key.
    pub fn portable(seed: u64) -> Random {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(1);
        Random(Generator::Portable(Box::new(rng)))
    }

    /// The 32-bit generator of the reference recordings (Mulberry32).
    pub fn reference(seed: u32) -> Random {
        Random(Generator::Reference(seed))
    }

    /// One draw.
    pub(crate) fn draw(&mut self) -> f64 {
        match &mut self.0 {
            Generator::Portable(rng) => (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64,
            Generator::Reference(state) => {
                *state = state.wrapping_add(0x6D2B_79F5);
                let mut t = *state;
                t = (t ^ (t >> 15)).wrapping_mul(1 | t);
                t = t.wrapping_add((t ^ (t >> 7)).wrapping_mul(61 | t)) ^ t;
                f64::from(t ^ (t >> 14)) / 4_294_967_296.0
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn streams_do_not_change() {
        let first = |mut r: Random| [r.draw(), r.draw()];
        // The reference generator with seed 1, computed by hand from its definition.
        assert_eq!(
            first(Random::reference(1)),
            [0.627_073_940_588_161_3, 0.002_735_721_180_215_478]
        );
        assert_eq!(first(Random::portable(7)), first(Random::portable(7)));
        assert_ne!(first(Random::portable(7)), first(Random::portable(8)));
    }
}
