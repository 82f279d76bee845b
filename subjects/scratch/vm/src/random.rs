//! Random numbers of the VM, all from one stream.

use catherd_scratch_render::Fingerprint;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::rounding::floor;

/// A stream of uniform random numbers in [0, 1). One draw corresponds to one call to the generator
/// in the original.
#[derive(Clone, Debug)]
pub struct Random(Generator);

#[derive(Clone, Debug)]
enum Generator {
    Portable(Box<ChaCha8Rng>),
    Reference(u32),
    Arc4(Box<Arc4>),
}

impl Random {
    /// The stream of studies: stream 1 of ChaCha8 with a key that is derived from the seed, the
    /// same on every platform.
    pub fn portable(seed: u64) -> Random {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(1);
        Random(Generator::Portable(Box::new(rng)))
    }

    /// The 32-bit generator of the reference recordings (Mulberry32).
    pub fn reference(seed: u32) -> Random {
        Random(Generator::Reference(seed))
    }

    /// The generator with which Whisker and Itch replace `Math.random`: ARC4 with the code units of
    /// a string as its key. The key for a number is its decimal text followed by a code unit of 0.
    pub fn arc4(key: &[u16]) -> Random {
        Random(Generator::Arc4(Box::new(Arc4::new(key))))
    }

    /// Returns this stream, but each new clone and each change of a bubble's text takes 20 numbers,
    /// from which the original generates a name. Only streams of [`Random::arc4`] are changed.
    #[must_use]
    pub fn drawing_names(mut self) -> Random {
        if let Generator::Arc4(arc4) = &mut self.0 {
            arc4.draws_of_a_name = 20;
        }
        self
    }

    /// If the two numbers are equal, nothing is drawn.
    #[inline]
    pub(crate) fn pick(&mut self, a: f64, b: f64, integer: bool) -> f64 {
        let (low, high) = if a <= b { (a, b) } else { (b, a) };
        if low == high {
            return low;
        }
        let draw = self.draw();
        if integer { low + floor(draw * (high + 1.0 - low)) } else { draw * (high - low) + low }
    }

    pub(crate) fn draw_name(&mut self) {
        if let Generator::Arc4(arc4) = &mut self.0 {
            for _ in 0..arc4.draws_of_a_name {
                arc4.draw();
            }
        }
    }

    /// Whether nothing was drawn from a stream that began as [`Random::portable`]. False for other
    /// streams.
    pub fn is_fresh(&self) -> bool {
        match &self.0 {
            Generator::Portable(rng) => rng.get_word_pos() == 0,
            Generator::Reference(_) | Generator::Arc4(_) => false,
        }
    }

    /// A number that every draw changes; `None` for a stream of [`Random::arc4`].
    pub(crate) fn position(&self) -> Option<u128> {
        match &self.0 {
            Generator::Portable(rng) => Some(rng.get_word_pos()),
            Generator::Reference(state) => Some(u128::from(*state)),
            Generator::Arc4(_) => None,
        }
    }

    /// Appends everything that determines the numbers that follow.
    pub(crate) fn fingerprint(&self, print: Fingerprint) -> Fingerprint {
        let bytes = |print: Fingerprint, bytes: &[u8]| {
            bytes.chunks(8).fold(print, |print, chunk| {
                let word = chunk.iter().fold(0, |word, byte| word << 8 | u64::from(*byte));
                print.with(word, 0)
            })
        };
        match &self.0 {
            Generator::Portable(rng) => {
                let position = rng.get_word_pos();
                bytes(print, &rng.get_seed()).with(position as u64, (position >> 64) as u64)
            }
            Generator::Reference(state) => print.with(u64::from(*state), 1),
            Generator::Arc4(arc4) => bytes(print, &arc4.state)
                .with(u64::from(arc4.i) << 8 | u64::from(arc4.j), arc4.draws_of_a_name.into()),
        }
    }

    /// Draws a number in [0, 1).
    pub fn draw(&mut self) -> f64 {
        match &mut self.0 {
            Generator::Portable(rng) => (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64,
            Generator::Reference(state) => {
                *state = state.wrapping_add(0x6D2B_79F5);
                let mut t = *state;
                t = (t ^ (t >> 15)).wrapping_mul(1 | t);
                t = t.wrapping_add((t ^ (t >> 7)).wrapping_mul(61 | t)) ^ t;
                f64::from(t ^ (t >> 14)) / 4_294_967_296.0
            }
            Generator::Arc4(arc4) => arc4.draw(),
        }
    }
}

/// The ARC4 generator, whose first 256 outputs are discarded.
#[derive(Clone, Debug)]
struct Arc4 {
    state: [u8; 256],
    i: u8,
    j: u8,
    draws_of_a_name: u32,
}

impl Arc4 {
    fn new(key: &[u16]) -> Arc4 {
        let key = Arc4::mixed(key);
        let mut state: [u8; 256] = std::array::from_fn(|i| i as u8);
        let mut j = 0_u8;
        for i in 0..256 {
            j = j.wrapping_add(key[i % key.len()]).wrapping_add(state[i]);
            state.swap(i, usize::from(j));
        }
        let mut arc4 = Arc4 { state, i: 0, j: 0, draws_of_a_name: 0 };
        for _ in 0..256 {
            arc4.byte();
        }
        arc4
    }

    /// The key as bytes. Code units after the 256th are mixed into the bytes at the beginning.
    fn mixed(text: &[u16]) -> Vec<u8> {
        let mut key: Vec<i32> = Vec::new();
        let mut smear = 0;
        for (n, unit) in text.iter().enumerate() {
            let place = n & 255;
            smear ^= key.get(place).map_or(0, |old| old * 19);
            let mixed = (smear + i32::from(*unit)) & 255;
            match key.get_mut(place) {
                Some(old) => *old = mixed,
                None => key.push(mixed),
            }
        }
        if key.is_empty() { vec![0] } else { key.into_iter().map(|n| n as u8).collect() }
    }

    fn byte(&mut self) -> u8 {
        self.i = self.i.wrapping_add(1);
        let t = self.state[usize::from(self.i)];
        self.j = self.j.wrapping_add(t);
        let other = self.state[usize::from(self.j)];
        self.state[usize::from(self.i)] = other;
        self.state[usize::from(self.j)] = t;
        self.state[usize::from(other.wrapping_add(t))]
    }

    /// A number in [0, 1).
    fn draw(&mut self) -> f64 {
        let (mut n, mut d) = (0.0, 1.0);
        for _ in 0..6 {
            n = n * 256.0 + f64::from(self.byte());
            d *= 256.0;
        }
        let mut x = 0_u8;
        while n < (1_u64 << 52) as f64 {
            n = (n + f64::from(x)) * 256.0;
            d *= 256.0;
            x = self.byte();
        }
        while n >= (1_u64 << 53) as f64 {
            n /= 2.0;
            d /= 2.0;
            x >>= 1;
        }
        (n + f64::from(x)) / d
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn streams_do_not_change() {
        let first = |mut r: Random| [r.draw(), r.draw()];
        // The numbers of the reference generator were computed from its published definition.
        assert_eq!(
            first(Random::reference(1)),
            [0.627_073_940_588_161_3, 0.002_735_721_180_215_478]
        );
        let arc4 = |key: &str| first(Random::arc4(&key.encode_utf16().collect::<Vec<_>>()));
        assert_eq!(arc4("itch-judge"), [0.693_267_035_221_561_5, 0.869_166_911_923_977_1]);
        assert_eq!(arc4("1\0"), [0.177_634_808_329_675_9, 0.216_069_030_418_393_73]);
        assert_eq!(arc4("0\0")[0], 0.038_085_370_776_470_735);
        assert_eq!(first(Random::portable(7)), first(Random::portable(7)));
        assert_ne!(first(Random::portable(7)), first(Random::portable(8)));
    }
}
