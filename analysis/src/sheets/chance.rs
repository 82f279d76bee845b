//! Chance alone.

use super::comparison::{RESULT, result};
use super::{Sheet, label};
use crate::comparison::LEVEL;
use crate::findings::Calibration;
use crate::table::{Cell, Table};
use crate::tidy::Results;

/// Each algorithm against itself, with the columns of Table 6.
pub fn calibration(results: &Results, calibrations: &[Calibration]) -> Sheet {
    let mut columns = vec![("algorithm", "Algorithm")];
    columns.extend(RESULT);
    columns.extend([("false_findings", "Significant"), ("too_few_runs", "Too few runs")]);
    let mut table = Table::new(&columns);
    for row in calibrations {
        let comparison = &row.comparison;
        let mut cells = vec![label(results, row.algorithm)];
        cells.extend(result(comparison));
        cells
            .extend([Cell::Share(row.false_findings(), 1), Cell::Count(comparison.too_few_runs())]);
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
