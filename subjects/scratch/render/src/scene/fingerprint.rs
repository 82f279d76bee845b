//! Fingerprints of 128 bits, which are compared instead of the contents of states.

/// The fingerprint of a sequence of words, which is the same on every computer. Different sequences
/// almost certainly have different fingerprints, so results can be cached under fingerprints.
/// Fingerprints are not cryptographic.
#[must_use]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Fingerprint(u64, u64);

/// Odd numbers with about as many ones as zeros, one for each half and position.
const FACTORS: [u64; 4] =
    [0x9e37_79b9_7f4a_7c15, 0xd1b5_4a32_d192_ed03, 0xa3b1_9535_4a39_b70d, 0x8f14_7a6d_3c5b_e2a9];

impl Fingerprint {
    pub(super) const NONE: Self = Self(0, 0);

    /// Creates the fingerprint of a sequence that begins with `kind`, the kind of its contents.
    pub fn of(kind: u64) -> Self {
        Self(0, 0).with(kind, 0)
    }

    /// Appends two words.
    #[inline]
    pub fn with(self, a: u64, b: u64) -> Self {
        // The halves combine the words differently: if a product loses a word in one half, the
        // other half keeps it.
        let fold = |a: u64, b: u64| {
            let product = u128::from(a) * u128::from(b);
            product as u64 ^ (product >> 64) as u64
        };
        Self(
            fold(a ^ self.0 ^ FACTORS[0], b ^ FACTORS[1]).wrapping_add(self.0.rotate_left(29)),
            fold(b ^ self.1 ^ FACTORS[2], a ^ FACTORS[3]).wrapping_add(self.1.rotate_left(31)),
        )
    }

    /// Appends another fingerprint.
    #[inline]
    pub fn and(self, other: Self) -> Self {
        self.with(other.0, other.1)
    }

    /// Appends another fingerprint and a small number in one operation.
    #[inline]
    pub(super) fn and_tagged(self, other: Self, tag: u8) -> Self {
        // The words of a fingerprint are uniformly distributed, so two fingerprints rarely differ
        // in exactly the bits that a tag changes.
        self.with(other.0 ^ u64::from(tag).wrapping_mul(FACTORS[0]), other.1)
    }

    /// Appends the bits of numbers. Callers must append a fixed count of numbers, or the count as
    /// well.
    pub fn numbers(self, numbers: &[f64]) -> Self {
        numbers.chunks(2).fold(self, |print, pair| {
            print.with(pair[0].to_bits(), pair.get(1).map_or(0, |second| second.to_bits()))
        })
    }

    pub(super) fn singles(self, numbers: &[f32]) -> Self {
        let word = |pair: &[f32]| {
            let second = pair.get(1).map_or(0, |second| second.to_bits());
            u64::from(pair[0].to_bits()) << 32 | u64::from(second)
        };
        numbers.chunks(4).fold(self, |print, four| {
            print.with(word(four), if four.len() > 2 { word(&four[2..]) } else { 0 })
        })
    }

    /// The fingerprint of a set after one element is replaced by another.
    pub(super) fn exchange(self, old: Self, new: Self) -> Self {
        Self(self.0 ^ old.0 ^ new.0, self.1 ^ old.1 ^ new.1)
    }

    /// All 128 bits.
    pub fn bits(self) -> u128 {
        u128::from(self.0) << 64 | u128::from(self.1)
    }

    /// A number below `count`, which must be a power of two.
    pub(super) fn place(self, count: usize) -> usize {
        (self.0 ^ self.1 >> 32) as usize & (count - 1)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn sequences_that_differ_in_one_word_differ() {
        let words = || [0, 1, 2, FACTORS[0], FACTORS[1], FACTORS[2], FACTORS[3], u64::MAX, 1 << 63];
        let mut seen = HashSet::new();
        let pairs = || words().into_iter().flat_map(|a| words().map(|b| (a, b)));
        for (a, b) in pairs() {
            for (c, d) in pairs() {
                let Fingerprint(first, second) = Fingerprint::of(0).with(a, b).with(c, d);
                assert!(seen.insert((first, second)), "{a} {b} {c} {d}");
            }
        }
    }

    #[test]
    fn numbers_count_by_bits_and_order() {
        let print = |numbers: &[f64]| Fingerprint::of(1).numbers(numbers);
        assert_ne!(print(&[1.0, 2.0]), print(&[2.0, 1.0]));
        assert_ne!(print(&[1.0, 2.0, 3.0]), print(&[1.0, 2.0, 4.0]));
        assert_ne!(print(&[0.0]), print(&[-0.0]));
        let singles = |numbers: &[f32]| Fingerprint::of(1).singles(numbers);
        for place in 0..6 {
            let mut changed = [1.0; 6];
            changed[place] = 2.0;
            assert_ne!(singles(&[1.0; 6]), singles(&changed), "{place}");
        }
    }

    #[test]
    fn a_set_forgets_what_is_exchanged() {
        let [a, b, c] = [1, 2, 3].map(Fingerprint::of);
        let set = Fingerprint::default().exchange(Fingerprint::default(), a);
        assert_eq!(set.exchange(a, b).exchange(b, c), set.exchange(a, c));
    }
}
