//! `catherd report --find`: finds the addresses of a number of a paper in a report.

use catherd_analysis::report::{Report, Sought};
use catherd_analysis::table::{Cell, Table};

const MAX_LISTED: usize = 40;

pub(super) fn addresses(sought: &Sought, report: &Report<'_>) -> String {
    let found = sought.find(report);
    if found.is_empty() {
        return format!(
            "{sought}: no table has this number; try fewer digits or words, because papers round\n"
        );
    }
    let mut table = Table::new(&[("number", "Number"), ("address", "Address")]);
    for (address, number) in found.iter().take(MAX_LISTED) {
        table.push(vec![Cell::Text(number.clone()), Cell::Text(address.to_string())]);
    }
    let more = match found.len().saturating_sub(MAX_LISTED) {
        0 => String::new(),
        n => format!("\nand {n} more: add words of the row, the column or the table\n"),
    };
    format!("{sought}:\n\n{}{more}\n--explain ADDRESS lists the runs of a number\n", table.text())
}
