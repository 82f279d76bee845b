//! Bit vectors.

pub(crate) fn words(bits: usize) -> usize {
    bits.div_ceil(64)
}

pub(crate) fn has(bits: &[u64], at: usize) -> bool {
    bits[at / 64] >> (at % 64) & 1 == 1
}

pub(crate) fn set(bits: &mut [u64], at: usize) {
    bits[at / 64] |= 1 << (at % 64);
}

pub(crate) fn count(bits: &[u64]) -> u64 {
    bits.iter().map(|word| u64::from(word.count_ones())).sum()
}

/// Returns whether `a` changed.
pub(crate) fn unite(a: &mut [u64], b: &[u64]) -> bool {
    let mut changed = 0;
    for (a, b) in a.iter_mut().zip(b) {
        changed |= b & !*a;
        *a |= b;
    }
    changed != 0
}

/// Adds the bits of `from` to `to`, moved up by `by` bits. All moved bits that are set must fit
/// into `to`.
pub(crate) fn unite_moved(to: &mut [u64], from: &[u64], by: usize) {
    let (at, shift) = (by / 64, by % 64);
    if shift == 0 {
        unite(&mut to[at..], from);
        return;
    }
    for (number, &word) in from.iter().enumerate() {
        if word != 0 {
            to[at + number] |= word << shift;
            let rest = word >> (64 - shift);
            if rest != 0 {
                to[at + number + 1] |= rest;
            }
        }
    }
}

/// The positions of the bits that are set, ascending.
pub(crate) fn ones(bits: &[u64]) -> impl Iterator<Item = u64> + '_ {
    bits.iter().enumerate().flat_map(|(number, &word)| {
        let mut left = word;
        std::iter::from_fn(move || {
            let bit = (left != 0).then(|| u64::from(left.trailing_zeros()))?;
            left &= left - 1;
            Some(64 * number as u64 + bit)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_move_over_words() {
        let mut from = vec![0; 2];
        [0, 5, 63, 64, 70].iter().for_each(|&at| set(&mut from, at));
        for by in [0, 1, 57, 64, 121] {
            let mut to = vec![0; 4];
            unite_moved(&mut to, &from, by);
            let expected: Vec<_> = [0, 5, 63, 64, 70].iter().map(|at| at + by as u64).collect();
            assert_eq!(ones(&to).collect::<Vec<_>>(), expected, "{by}");
        }
    }
}
