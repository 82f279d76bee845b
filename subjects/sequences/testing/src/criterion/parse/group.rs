//! Groups of letter permutations from a file.

use rustc_hash::FxHashSet;

use super::Context;
use crate::alphabet::Letter;
use crate::criterion::CriterionError;

/// The largest number of letter permutations of a group.
const MAX_PERMUTATIONS: usize = 10_000;

/// The group that permutations generate, one a line: `a b c -> b c a`.
pub(super) fn group(context: &Context<'_>, text: &str) -> Result<Vec<Vec<Letter>>, CriterionError> {
    let identity: Vec<Letter> = (0..context.alphabet.len() as Letter).collect();
    let mut generators = Vec::new();
    for line in text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#')) {
        let hint = "write a permutation a line: a b c -> b c a";
        let Some((from, to)) = line.split_once("->") else {
            return Err(context.error(format!("`{line}` is no permutation"), hint));
        };
        let (from, to) = (context.word(from)?, context.word(to)?);
        let mut permutation = identity.clone();
        let distinct = |letters: &[Letter]| letters.iter().collect::<FxHashSet<_>>().len();
        if from.len() != to.len() || distinct(&from) != from.len() || distinct(&to) != to.len() {
            return Err(context.error(format!("`{line}` is no permutation"), hint));
        }
        from.iter().zip(&to).for_each(|(from, to)| permutation[*from as usize] = *to);
        if distinct(&permutation) != permutation.len() {
            return Err(context.error(format!("`{line}` is no permutation"), hint));
        }
        generators.push(permutation);
    }
    let mut group = vec![identity];
    let mut known: FxHashSet<Vec<Letter>> = group.iter().cloned().collect();
    let mut at = 0;
    while at < group.len() {
        for generator in &generators {
            let product: Vec<Letter> =
                group[at].iter().map(|&letter| generator[letter as usize]).collect();
            if known.insert(product.clone()) {
                group.push(product);
            }
        }
        if group.len() > MAX_PERMUTATIONS {
            let cause = format!("the group has more than {MAX_PERMUTATIONS} permutations");
            return Err(context.error(cause, "use a smaller group"));
        }
        at += 1;
    }
    Ok(group)
}
