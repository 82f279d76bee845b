//! Colours and dashes of algorithms, the same in reports and on the dashboard.

use std::collections::BTreeMap;

/// The colours of Okabe and Ito, and the olive of Tol's palette. Black is used for axes, and yellow
/// is too pale for a line.
const COLOURS: [&str; 7] =
    ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#999933"];

/// The names of the colours.
pub const COLOUR_NAMES: [&str; 7] =
    ["blue", "vermilion", "green", "purple", "orange", "sky", "olive"];

/// Names whose styles are fixed. These algorithms are compared most often, and must therefore
/// differ in colour.
const FIXED: [&str; 7] = ["random", "mosa", "mio", "dynamosa", "whole-suite", "explore", "neatest"];

/// Lengths of dashes and gaps.
const DASHES: [&str; 5] = ["", "9 4", "2 3", "9 3 2 3", "16 4"];

/// The number of the style of each name: the number in `chosen`, a fixed number, or a number whose
/// colour and dashes differ from those of the other names if possible.
pub fn styles<S: AsRef<str>>(names: &[S], chosen: &BTreeMap<String, usize>) -> Vec<usize> {
    let all = COLOURS.len() * DASHES.len();
    let given = |name: &str| {
        let fixed = || FIXED.iter().position(|one| *one == name);
        chosen.get(name).copied().or_else(fixed)
    };
    let mut styles: Vec<Option<usize>> = names.iter().map(|name| given(name.as_ref())).collect();
    // In alphabetical order, because the order of a study must not change the styles.
    let mut order: Vec<usize> = (0..names.len()).filter(|&at| styles[at].is_none()).collect();
    order.sort_by_key(|&at| names[at].as_ref());
    for at in order {
        let start = hash(names[at].as_ref()) as usize % all;
        let candidates = || (start..start + all).map(|style| style % all);
        let is_free = |style: &usize| styles.iter().flatten().all(|used| used != style);
        let has_free_colour = |style: &usize| {
            let colour = style % COLOURS.len();
            styles.iter().flatten().all(|used| used % COLOURS.len() != colour)
        };
        let style = candidates().find(has_free_colour).or_else(|| candidates().find(is_free));
        let style = style.unwrap_or(start);
        let mut same_colour = (0..DASHES.len()).map(|turn| (style + turn * COLOURS.len()) % all);
        let has_free_dashes = |style: &usize| {
            let dashes = style % DASHES.len();
            styles.iter().flatten().all(|used| used % DASHES.len() != dashes)
        };
        let distinct = same_colour.find(has_free_dashes);
        styles[at] = Some(distinct.unwrap_or(style));
    }
    styles.into_iter().flatten().collect()
}

/// The 32-bit FNV-1a hash.
fn hash(name: &str) -> u32 {
    name.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

/// The colour of a style, as `#RRGGBB`.
pub fn colour(style: usize) -> &'static str {
    COLOURS[style % COLOURS.len()]
}

/// Lengths of the dashes and gaps of a style, in pixels, as SVG's `stroke-dasharray`. The numbers
/// of colours and of dashes are coprime, so 35 styles differ.
pub fn dashes(style: usize) -> &'static str {
    DASHES[style % DASHES.len()]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_name_has_its_style_in_all_studies() {
        let none = BTreeMap::new();
        let smoke = styles(&["random", "mosa", "mio"], &none);
        let other = styles(&["mine", "mio", "random"], &none);
        assert_eq!((smoke[0], smoke[2]), (other[2], other[1]));
        let mine = styles(&["mine"], &none)[0];
        assert_eq!(styles(&["zebra", "mine"], &none)[1], mine);
        let chosen = BTreeMap::from([("mine".to_owned(), 3)]);
        assert_eq!(styles(&["mine"], &chosen), [3]);
        // The algorithms of each list differ without colour.
        for names in
            [["unranked", "best-of", "ga", "greedy"], ["flycatcher", "random", "dynamosa", "x"]]
        {
            let shapes: BTreeSet<_> = styles(&names, &none).into_iter().map(dashes).collect();
            assert_eq!(shapes.len(), 4, "{names:?}");
        }
        let names: Vec<String> = (0..35).map(|n| format!("algorithm {n}")).collect();
        let colours: BTreeSet<_> = styles(&names[..7], &none).into_iter().map(colour).collect();
        assert_eq!(colours.len(), 7);
        let all: BTreeSet<usize> = styles(&names, &none).into_iter().collect();
        assert_eq!(all.len(), 35);
    }

    #[test]
    fn thirty_five_algorithms_differ() {
        let styles: BTreeSet<_> = (0..35).map(|n| (colour(n), dashes(n))).collect();
        assert_eq!(styles.len(), 35);
    }
}
