//! Effects of a factor.

use super::{Figure, file_name, sample_size};
use crate::comparison::Samples;
use crate::figure::Axis;
use crate::figure::boxes::{self, BoxGroup};
use crate::findings::FactorPair;
use crate::tidy::Results;

/// Figures of effect sizes of a factor by group of projects (Pynguin paper, figure 6).
pub fn factor_groups(results: &Results, samples: &Samples, pairs: &[FactorPair]) -> Vec<Figure> {
    let one = |pair: &FactorPair| {
        let groups = pair.groups(results, samples);
        let projects: usize = groups.iter().map(|group| group.effects.len()).sum();
        let boxes: Vec<BoxGroup> = groups
            .into_iter()
            .map(|group| BoxGroup {
                label: group.group,
                boxes: vec![(results.series(pair.first), group.effects)],
            })
            .collect();
        let [first, second] = [pair.first, pair.second].map(|a| &results.algorithms[a]);
        (!boxes.is_empty()).then(|| Figure {
            name: file_name(&["factor-groups", &pair.algorithm]),
            title: format!("{first} against {second} by group"),
            caption: format!(
                "A12 of {first} against {second} on the projects of each group: box from the lower to \
                 the upper quartile with the median, whiskers within 1.5 times the interquartile \
                 range. Above 0.5 the first covers more."
            ),
            svg: boxes::draw(
                Axis::round("A12", 0.0, 1.0),
                &boxes,
                &[],
                &sample_size(projects, "project"),
            ),
        })
    };
    pairs.iter().filter_map(one).collect()
}
