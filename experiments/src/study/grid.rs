//! Parameter grids: the configurations that lists of values define.

use std::collections::BTreeSet;
use std::ops::Range;

use super::check::{Flaw, flaw};
use crate::plan::check::MAX_ALGORITHMS;
use crate::{Digest, Parameter};

/// A value of a parameter and its position in the study file, in bytes.
pub(super) type Value = (Parameter, Range<usize>);

pub(super) struct Axis {
    pub(super) name: String,
    /// The values; exactly one if the parameter is not a list.
    pub(super) values: Vec<Value>,
    /// A list may have a single value.
    pub(super) is_list: bool,
}

#[derive(Clone, Copy)]
pub(super) struct Sample {
    pub(super) size: u64,
    pub(super) seed: u64,
}

/// The parameters in the order of the study file.
pub(super) struct Grid(pub(super) Vec<Axis>);

impl Grid {
    pub(super) fn has_lists(&self) -> bool {
        self.0.iter().any(|axis| axis.is_list)
    }

    /// Returns the indices of the combinations to run, in ascending order.
    pub(super) fn numbers(&self, sample: Option<Sample>) -> Result<Vec<u64>, Flaw> {
        let mut sizes = self.0.iter().map(|axis| axis.values.len() as u64);
        let Some(size) = sizes.try_fold(1_u64, u64::checked_mul) else {
            return flaw("at least 2^64 combinations", "shorten the lists");
        };
        let most = MAX_ALGORITHMS as u64;
        match sample {
            Some(sample) if sample.size > most => flaw(
                format!("{} configurations are more than the maximum of {most}", sample.size),
                "draw a smaller sample",
            ),
            Some(sample) if sample.size < size => Ok(drawn(size, sample)),
            _ if size > most => flaw(
                format!("{size} combinations are more than the maximum of {most}"),
                "shorten the lists, or draw some of the combinations, such as sample = 100",
            ),
            _ => Ok((0..size).collect()),
        }
    }

    /// The last parameter changes fastest.
    pub(super) fn combination(&self, mut number: u64) -> Vec<(&Axis, &Value)> {
        let mut values: Vec<_> = self
            .0
            .iter()
            .rev()
            .map(|axis| {
                let size = axis.values.len() as u64;
                let value = &axis.values[(number % size) as usize];
                number /= size;
                (axis, value)
            })
            .collect();
        values.reverse();
        values
    }
}

/// A label such as `mio[focus=0.5 targets=all]`.
pub(super) fn label(base: &str, combination: &[(&Axis, &Value)]) -> String {
    let lists = combination.iter().filter(|(axis, _)| axis.is_list);
    let settings: Vec<_> =
        lists.map(|(axis, (value, _))| format!("{}={}", axis.name, short(value))).collect();
    if settings.is_empty() { base.to_owned() } else { format!("{base}[{}]", settings.join(" ")) }
}

/// Writes a value as in labels. Strings that would be ambiguous are in quotation marks.
pub(super) fn short(value: &Parameter) -> String {
    match value {
        Parameter::Bool(flag) => flag.to_string(),
        Parameter::Integer(number) => number.to_string(),
        Parameter::Number(number) => {
            let text = format!("{number:?}");
            text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
        }
        Parameter::Text(text) => {
            let special = |c: char| c.is_whitespace() || c.is_control() || "[]=,\"\\".contains(c);
            if text.is_empty() || text.contains(special) {
                format!("{text:?}")
            } else {
                text.clone()
            }
        }
    }
}

/// Draws different numbers below `size`, which must be larger than the sample. A larger sample with
/// the same seed contains a smaller one.
fn drawn(size: u64, sample: Sample) -> Vec<u64> {
    let mut numbers = BTreeSet::new();
    for draw in 0_u64.. {
        if numbers.len() as u64 == sample.size {
            break;
        }
        let digest = Digest::of(format!("{} {draw}", sample.seed).as_bytes());
        // 128 bits make the probabilities of two numbers differ by at most 2^-64.
        let random = digest.0.iter().take(16).fold(0_u128, |bits, &b| bits << 8 | u128::from(b));
        numbers.insert((random % u128::from(size)) as u64);
    }
    numbers.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_short_and_unambiguous_in_labels() {
        let shown = |value: Parameter| short(&value);
        assert_eq!(shown(Parameter::Number(1.0)), "1");
        assert_eq!(shown(Parameter::Number(0.25)), "0.25");
        assert_eq!(shown(Parameter::Number(1e300)), "1e300");
        assert_eq!(shown(Parameter::Text("all".into())), "all");
        assert_eq!(shown(Parameter::Text("a b=c".into())), "\"a b=c\"");
        assert_eq!(shown(Parameter::Text(String::new())), "\"\"");
    }

    #[test]
    fn a_larger_sample_contains_a_smaller_one() {
        let size = u64::MAX;
        let small = drawn(size, Sample { size: 20, seed: 3 });
        let large = drawn(size, Sample { size: 50, seed: 3 });
        assert!(small.iter().all(|number| large.contains(number)));
        assert_eq!((small.len(), large.len()), (20, 50));
        assert!(small.iter().any(|&n| n < size / 2) && small.iter().any(|&n| n > size / 2));
        assert_ne!(small, drawn(size, Sample { size: 20, seed: 4 }));
        let most = drawn(1000, Sample { size: 999, seed: 0 });
        assert_eq!(most.len(), 999);
    }
}
