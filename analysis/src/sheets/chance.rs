//! Chance alone.

use super::{Sheet, label, low_high};
use crate::comparison::{Correction, LEVEL};
use crate::findings::Calibration;
use crate::table::{Cell, Table};
use crate::tidy::Results;

/// Each algorithm against itself, with the columns of Table 6.
pub fn calibration(results: &Results, calibrations: &[Calibration]) -> Sheet {
    let mut table = Table::new(&[
        ("algorithm", "Algorithm"),
        ("mean_a12", "A12"),
        ("a12_low", "from"),
        ("a12_high", "to"),
        ("significantly_better", "Sig. better"),
        ("better", "Better"),
        ("equal", "Equal"),
        ("worse", "Worse"),
        ("significantly_worse", "Sig. worse"),
        ("false_findings", "Significant"),
        ("too_few_runs", "Too few runs"),
    ]);
    for row in calibrations {
        let comparison = &row.comparison;
        let counts = comparison.counts(Correction::None);
        let [low, high] = low_high(comparison.mean_interval(), 2);
        let cells = vec![
            label(results, row.algorithm),
            Cell::number(comparison.mean_a12(), 2),
            low,
            high,
            Cell::Count(counts.significantly_better),
            Cell::Count(counts.better),
            Cell::Count(counts.equal),
            Cell::Count(counts.worse),
            Cell::Count(counts.significantly_worse),
            Cell::Share(row.false_findings(), 1),
            Cell::Count(comparison.too_few_runs()),
        ];
        table.push_explained(cells, comparison.runs(&row.samples, |_| true));
    }
    Sheet {
        name: "calibration",
        title: "Algorithms against themselves".to_owned(),
        caption: format!(
            "A/A calibration: of each project, every second run of an algorithm against its \
             other runs. A12 0.50 is expected, and at most {:.0} % of projects that differ \
             significantly; what pairs of algorithms show beyond that is not chance.",
            LEVEL * 100.0
        ),
        table,
    }
}
