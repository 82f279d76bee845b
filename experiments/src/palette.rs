//! Colours and dashes of algorithms, the same in reports and on the dashboard.

/// Colours of Okabe and Ito, without black, which is used for axes and for pairs of algorithms, and
/// without yellow, which is too pale for a line; and the olive of Tol.
const COLOURS: [&str; 7] =
    ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#999933"];

/// Lengths of dashes and gaps.
const DASHES: [&str; 5] = ["", "9 4", "2 3", "9 3 2 3", "16 4"];

/// The colour of an algorithm, as `#RRGGBB`. `algorithm` is its position in the study, from 0.
pub fn colour(algorithm: usize) -> &'static str {
    COLOURS[algorithm % COLOURS.len()]
}

/// Lengths of the dashes and gaps of an algorithm's line, in pixels, as SVG's `stroke-dasharray`;
/// empty if the line is solid. The counts of colours and of dashes have no common divisor, so that
/// 35 algorithms differ.
pub fn dashes(algorithm: usize) -> &'static str {
    DASHES[algorithm % DASHES.len()]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn thirty_five_algorithms_differ() {
        let styles: BTreeSet<_> = (0..35).map(|n| (colour(n), dashes(n))).collect();
        assert_eq!(styles.len(), 35);
    }
}
