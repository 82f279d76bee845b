//! Finds numbers in a report, such as the numbers of a paper.

use std::fmt;
use std::str::FromStr;

use super::{Address, Report};
use crate::table::Cell;

/// A number as printed in a paper, with words of the row, column or table, such as `93.5 % mosa`.
#[derive(Clone, Debug, PartialEq)]
pub struct Sought {
    text: String,
    number: f64,
    decimals: usize,
    percent: bool,
    words: Vec<String>,
}

/// A string that does not begin with a number.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` does not begin with a number; write the number as the paper does, followed by words of its row"
)]
pub struct SoughtError(String);

impl FromStr for Sought {
    type Err = SoughtError;

    fn from_str(text: &str) -> Result<Sought, SoughtError> {
        let mut words = text.split_whitespace().map(str::to_lowercase);
        let first = words.next().unwrap_or_default();
        let digits = first.trim_end_matches('%');
        // Some papers separate thousands with commas.
        let digits = digits.replace(',', "");
        let number: f64 = digits.parse().map_err(|_| SoughtError(text.to_owned()))?;
        if !number.is_finite() {
            return Err(SoughtError(text.to_owned()));
        }
        let decimals = digits.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        let mut words: Vec<String> = words.collect();
        let percent = first.ends_with('%') || words.first().is_some_and(|word| word == "%");
        words.retain(|word| word != "%");
        Ok(Sought { text: text.to_owned(), number, decimals, percent, words })
    }
}

impl fmt::Display for Sought {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Sought {
    fn is(&self, value: f64) -> bool {
        // The tolerance is slightly more than half a unit of the last digit, because papers round
        // ties differently.
        (value - self.number).abs() <= 0.500_001 * 0.1_f64.powi(self.decimals as i32)
    }

    fn matches(&self, cell: &Cell) -> bool {
        match *cell {
            Cell::Text(_) | Cell::Missing => false,
            Cell::Count(n) => !self.percent && self.decimals == 0 && n as f64 == self.number,
            Cell::Number(value, _) => !self.percent && self.is(value),
            // A share may be written in percent or, with at least two decimals, as a fraction.
            Cell::Share(value, _) => {
                self.is(100.0 * value) || (!self.percent && self.decimals > 1 && self.is(value))
            }
        }
    }

    /// Returns the addresses of all matching numbers of a report, with the numbers as displayed, in
    /// the order of the tables.
    pub fn find(&self, report: &Report<'_>) -> Vec<(Address, String)> {
        let mut found = Vec::new();
        for table in report.tables() {
            let cells = &table.table;
            for (number, row) in cells.rows().iter().enumerate() {
                for ((name, title), cell) in cells.columns().iter().zip(row) {
                    if !self.matches(cell) {
                        continue;
                    }
                    let texts = row.iter().filter_map(|cell| match cell {
                        Cell::Text(text) => Some(text.as_str()),
                        _ => None,
                    });
                    let around: Vec<&str> =
                        texts.chain([table.name, &table.title, name.as_str(), title]).collect();
                    let around = around.join(" ").to_lowercase();
                    if self.words.iter().all(|word| around.contains(word.as_str())) {
                        found.push((Address::of(table, number, name), cell.display()));
                    }
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_match_as_papers_round_them() {
        let matches = |text: &str, cell: Cell| text.parse::<Sought>().unwrap().matches(&cell);
        assert!(matches("93.5", Cell::Share(0.93512, 1)));
        assert!(matches("93.5 %", Cell::Share(0.93512, 1)));
        assert!(matches("93.5%", Cell::Share(0.93512, 1)));
        assert!(matches("0.94", Cell::Share(0.93512, 1)));
        assert!(!matches("0.94 %", Cell::Share(0.93512, 1)));
        assert!(!matches("93.6", Cell::Share(0.93512, 1)));
        assert!(matches("1,204", Cell::Count(1204)));
        assert!(matches("0.77", Cell::Number(0.7749, 2)));
        assert!(!matches("12.0", Cell::Count(12)));
        assert!(!matches("12", Cell::Text("12".to_owned())));
        assert!("mosa 12".parse::<Sought>().is_err() && "".parse::<Sought>().is_err());
    }
}
