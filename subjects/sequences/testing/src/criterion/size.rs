//! Bounds on the number of items of tests, which are checked before items are computed, because
//! items of long tests may not fit into memory.

use crate::alphabet::Letter;

use super::parse::CriterionError;
use super::{Criterion, Kind, binomial};

/// Maximum number of items of all tests, which take eight bytes each.
const MAX_ITEMS: u64 = 1 << 29;

impl Criterion {
    /// Checks that the items of some projected tests fit into memory.
    ///
    /// # Errors
    ///
    /// If the sum of the bounds of all tests is more than 2^29.
    pub fn check_tests<'t>(
        &self,
        tests: impl IntoIterator<Item = &'t [Letter]>,
    ) -> Result<(), CriterionError> {
        let mut total = 0_u64;
        for test in tests {
            total = total.saturating_add(self.most_items(test));
            if total > MAX_ITEMS {
                return Err(CriterionError {
                    text: self.to_string(),
                    cause: format!("the tests may have more than {MAX_ITEMS} items"),
                    hint: "use shorter words, or fewer or shorter tests".to_owned(),
                });
            }
        }
        Ok(())
    }

    /// An upper bound on the number of items of a test before relaxation.
    fn most_items(&self, letters: &[Letter]) -> u64 {
        let length = letters.len() as u64;
        let distinct = || {
            let mut distinct = letters.to_vec();
            distinct.sort_unstable();
            distinct.dedup();
            distinct.len() as u64
        };
        let most = match self.kind {
            Kind::Subsequence(t) => subsequences(letters, self.letters, t),
            Kind::Consecutive(_) | Kind::Transitions(_) | Kind::EdgePairs(_) => length,
            Kind::States(_) => length + 1,
            Kind::UnorderedCube(t) => distinct().saturating_pow(t as u32),
            Kind::Exclusive(t) => binomial(distinct().saturating_add(t as u64), t as u64),
            Kind::Positions(t, of) if letters.len() == of => binomial(length, t as u64),
            Kind::Positions(..) => 0,
            Kind::Symmetry(_) => 1,
            Kind::Order(..) | Kind::Safety(..) | Kind::Expressions(_) => self.span,
        };
        most.min(self.span)
    }
}

/// When a letter is read, the count of subsequences that end with the letter is replaced, because
/// the new subsequences include the earlier ones.
fn subsequences(letters: &[Letter], alphabet: usize, t: usize) -> u64 {
    if letters.len() < t {
        return 0;
    }
    // The number of distinct words of each length, in total and by last letter.
    let mut words = vec![0_u64; t + 1];
    let mut ending = vec![vec![0_u64; alphabet]; t + 1];
    words[0] = 1;
    for &letter in letters {
        for length in (1..=t).rev() {
            let own = &mut ending[length][letter as usize];
            // The number is at most s^t, which fits into 63 bits, so nothing overflows.
            words[length] += words[length - 1] - *own;
            *own = words[length - 1];
        }
    }
    words[t]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::{Alphabet, Events};

    #[test]
    fn sizes_bound_items_and_are_exact_for_subsequences() {
        let alphabet = Alphabet::names(&Events::plain(["a", "b", "c"]));
        let none = |_: &str| Err(String::new());
        let parse = |text: &str| Criterion::parse(text, &alphabet, None, None, &none).unwrap();
        let mut stream = catherd_search::Stream::new(3, 0);
        for _ in 0..200 {
            let length = stream.index(12);
            let test: Vec<Letter> = (0..length).map(|_| stream.index(3) as Letter).collect();
            for text in ["subsequence:3", "subsequence:5"] {
                let criterion = parse(text);
                let items: BTreeSet<u64> = criterion.items_of_letters(&test).into_iter().collect();
                assert_eq!(criterion.most_items(&test), items.len() as u64, "{text} {test:?}");
            }
            for text in ["consecutive:2", "unordered-cube:3", "exclusive:2", "order([a], [b c])"] {
                let criterion = parse(text);
                let items = criterion.items_of_letters(&test).len() as u64;
                assert!(items <= criterion.most_items(&test), "{text} {test:?}");
            }
        }
        let test: Vec<Letter> = (0..120).map(|at| at % 3).collect();
        assert!(parse("subsequence:3").check_tests([test.as_slice()]).is_ok());
        let error = parse("subsequence:35").check_tests([test.as_slice()]).unwrap_err();
        assert!(error.to_string().contains("more than 536870912 items"), "{error}");
        assert!(parse("unordered-cube:35").check_tests([test.as_slice()]).is_err());
    }
}
