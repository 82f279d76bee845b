//! Addresses of numbers in a report, and checks of these numbers.

use std::fmt;
use std::str::FromStr;

use super::Report;
use crate::table::Cell;
use crate::tables::CaptionedTable;

/// The address of a number in a report: `TABLE/ROW/COLUMN`. A row is identified by its number, from
/// 1, or by some of its cells, separated by commas (`table6/mio,random/better`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    table: String,
    row: String,
    column: String,
}

/// The cell at an address.
#[derive(Clone, Copy, Debug)]
pub struct FoundCell<'r> {
    /// The table of the cell.
    pub table: &'r CaptionedTable,
    /// The cell.
    pub cell: &'r Cell,
    unit: Unit,
    /// Runs from which the number was computed, as indices into
    /// [`Results::runs`](crate::tidy::Results::runs).
    pub runs: &'r [u32],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Share,
    Count,
    Other,
}

impl Unit {
    fn of<'a>(mut column: impl Iterator<Item = &'a Cell>) -> Unit {
        let unit = |cell: &Cell| match cell {
            Cell::Share(..) => Some(Unit::Share),
            Cell::Count(_) => Some(Unit::Count),
            Cell::Number(..) => Some(Unit::Other),
            Cell::Text(_) | Cell::Missing => None,
        };
        column.find_map(unit).unwrap_or(Unit::Other)
    }
}

/// Why an address or a check is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// The string is not an address.
    #[error("invalid address `{0}`: expected TABLE/ROW/COLUMN")]
    Syntax(String),
    /// The string is not a check.
    #[error("invalid check `{0}`: expected TABLE/ROW/COLUMN, one of < <= = >= >, and a number")]
    CheckSyntax(String),
    /// Several rows match the address.
    #[error("ambiguous row `{name}`: it matches {candidates}")]
    Ambiguous {
        /// The requested row.
        name: String,
        /// Numbers and first cells of the matching rows.
        candidates: String,
    },
    /// The bound of a check is not in the unit of the number.
    #[error("check `{check}` is not in the unit of the number: {meaning}")]
    Unit {
        /// The check.
        check: String,
        /// The unit of the number, and the likely meaning of the check.
        meaning: String,
    },
    /// The number of a check is a share, and the bound is not.
    #[error("check `{0}` has a bound out of range: the number is a share from 0 % to 100 %")]
    Range(String),
    /// The cell of a check contains text.
    #[error("check `{check}`: `{text}` is not a number")]
    Text {
        /// The check.
        check: String,
        /// The text.
        text: String,
    },
    /// The report has no such table, row or column.
    #[error("unknown {part} `{name}`: expected one of {}", listed(.known))]
    Unknown {
        /// `table`, `row` or `column`.
        part: &'static str,
        /// The requested name.
        name: String,
        /// The existing names.
        known: Vec<String>,
    },
}

/// Old and new names.
const TABLE_ALIASES: [(&str, &str); 1] = [("calibration", "aa-test")];

/// Old and new names.
const COLUMN_ALIASES: [(&str, &str); 7] = [
    ("false_findings", "false_positive_rate"),
    ("agreeing", "identical"),
    ("mean_events", "mean_size"),
    ("median_events", "median_size"),
    ("removed_events", "mean_removed"),
    ("mean_test_events", "mean_test_size"),
    ("execution_ms", "ms_per_unit"),
];

fn current<'a>(aliases: &[(&str, &'a str)], name: &'a str) -> &'a str {
    aliases.iter().find(|alias| alias.0 == name).map_or(name, |alias| alias.1)
}

impl FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Address, AddressError> {
        let invalid = || AddressError::Syntax(text.to_owned());
        // Names of projects may contain slashes.
        let (table, rest) = text.trim().split_once('/').ok_or_else(invalid)?;
        let (row, column) = rest.rsplit_once('/').ok_or_else(invalid)?;
        if [table, row, column].contains(&"") {
            return Err(invalid());
        }
        Ok(Address { table: table.to_owned(), row: row.to_owned(), column: column.to_owned() })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.table, self.row, self.column)
    }
}

impl Address {
    pub(super) fn of(table: &CaptionedTable, row: usize, column: &str) -> Address {
        let rows = table.table.rows();
        let mut address = Address {
            table: table.name.to_owned(),
            row: text_cells(&rows[row]).join(","),
            column: column.to_owned(),
        };
        if address.row.is_empty() || address.rows(rows) != [row] {
            address.row = (row + 1).to_string();
        }
        address
    }

    /// Finds the cell. Old names of tables and columns are accepted.
    ///
    /// # Errors
    /// [`AddressError`] if the address does not identify a cell of the report.
    pub fn find<'r>(&self, report: &'r Report<'_>) -> Result<FoundCell<'r>, AddressError> {
        let unknown = |part, name: &str, known: Vec<String>| AddressError::Unknown {
            part,
            name: name.to_owned(),
            known,
        };
        let names = || report.tables().map(|table| table.name.to_owned()).collect();
        let table = report
            .tables()
            .find(|table| table.name == current(&TABLE_ALIASES, &self.table))
            .ok_or_else(|| unknown("table", &self.table, names()))?;
        let cells = &table.table;
        let name = current(&COLUMN_ALIASES, &self.column);
        let by_name = |name: &str| cells.columns().iter().position(|c| c.0 == name);
        let column = by_name(&self.column).or_else(|| by_name(name)).ok_or_else(|| {
            let names = cells.columns().iter().map(|c| c.0.clone());
            unknown("column", &self.column, names.collect())
        })?;
        let row = match self.rows(cells.rows())[..] {
            [row] => row,
            [] => {
                let rows = cells.rows().iter().map(|row| text_cells(row).join(","));
                return Err(unknown("row", &self.row, rows.collect()));
            }
            ref several => {
                let rows = several.iter().map(|&row| described(row, &cells.rows()[row]));
                let candidates = listed(&rows.collect::<Vec<_>>());
                return Err(AddressError::Ambiguous { name: self.row.clone(), candidates });
            }
        };
        let unit = Unit::of(cells.rows().iter().map(|row| &row[column]));
        let (cell, runs) = (&cells.rows()[row][column], cells.source_runs(row, column));
        Ok(FoundCell { table, cell, unit, runs })
    }

    /// Text cells take precedence over the number of the row, because a project may be named `7`.
    fn rows(&self, rows: &[Vec<Cell>]) -> Vec<usize> {
        let wanted: Vec<&str> = self.row.split(',').map(str::trim).collect();
        let matching = |matches: &dyn Fn(&[Cell]) -> bool| -> Vec<usize> {
            (0..rows.len()).filter(|&row| matches(&rows[row])).collect()
        };
        let exact = matching(&|row| self.row == text_cells(row).join(","));
        if exact.len() == 1 {
            return exact;
        }
        let named = matching(&|row| {
            let mut rest = row.iter().filter(|cell| matches!(cell, Cell::Text(_)));
            wanted.iter().all(|wanted| rest.any(|cell| is_named(cell, wanted)))
        });
        if !named.is_empty() {
            return named;
        }
        let number = self.row.parse().ok().filter(|number| (1..=rows.len()).contains(number));
        if let Some(number) = number {
            return vec![number - 1];
        }
        matching(&|row| {
            let mut rest = row.iter();
            wanted.iter().all(|wanted| rest.any(|cell| is_named(cell, wanted)))
        })
    }
}

/// Whether a word of an address matches a cell. A number is matched as displayed or with all
/// digits, and a digest by its first six or more digits.
fn is_named(cell: &Cell, word: &str) -> bool {
    match cell {
        Cell::Text(text) => {
            text == word || (text.len() == DIGEST && word.len() >= 6 && text.starts_with(word))
        }
        cell => cell.display() == word || cell.raw() == word,
    }
}

const DIGEST: usize = 64;

fn described(index: usize, row: &[Cell]) -> String {
    let text_cells = row.iter().take_while(|cell| matches!(cell, Cell::Text(_))).count();
    let shown = row.iter().take(text_cells + 1).map(|cell| match cell {
        Cell::Text(text) if text.len() == DIGEST => text[..8].to_owned(),
        cell => cell.display(),
    });
    format!("row {} ({})", index + 1, shown.collect::<Vec<_>>().join(","))
}

fn text_cells(row: &[Cell]) -> Vec<&str> {
    row.iter()
        .filter_map(|cell| match cell {
            Cell::Text(text) if text.len() != DIGEST => Some(text.as_str()),
            _ => None,
        })
        .collect()
}

fn listed(names: &[String]) -> String {
    const MAX: usize = 24;
    match names.split_at_checked(MAX) {
        Some((first, rest)) if !rest.is_empty() => {
            format!("{}, and {} more", first.join("; "), rest.len())
        }
        _ => names.join("; "),
    }
}

/// A bound on a number of a report, such as `algorithms/mio/mean >= 90 %`.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// The address of the number.
    pub address: Address,
    relation: Relation,
    bound: f64,
    percent: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Relation {
    Less,
    AtMost,
    Equal,
    AtLeast,
    More,
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = SIGNS.iter().find(|sign| sign.1 == self.relation).map_or("", |sign| sign.0);
        let Check { address, bound, percent, .. } = self;
        match percent {
            // 0.07 * 100 is 7.000000000000001.
            true => write!(f, "{address} {sign} {} %", (bound * 1e8).round() / 1e6),
            false => write!(f, "{address} {sign} {bound}"),
        }
    }
}

/// Signs of relations, the longer ones first, because they contain the shorter ones.
const SIGNS: [(&str, Relation); 5] = [
    ("<=", Relation::AtMost),
    (">=", Relation::AtLeast),
    ("<", Relation::Less),
    (">", Relation::More),
    ("=", Relation::Equal),
];

impl FromStr for Check {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Check, AddressError> {
        let invalid = || AddressError::CheckSyntax(text.to_owned());
        let split = SIGNS.iter().find_map(|(sign, relation)| {
            // Names may contain signs.
            text.rsplit_once(sign).map(|(address, bound)| (address, bound, *relation))
        });
        let (address, bound, relation) = split.ok_or_else(invalid)?;
        let (number, percent) = match bound.trim().strip_suffix('%') {
            Some(number) => (number.trim(), true),
            None => (bound.trim(), false),
        };
        let bound: f64 = number.parse().map_err(|_| invalid())?;
        if !bound.is_finite() {
            return Err(invalid());
        }
        Ok(Check {
            address: address.parse().map_err(|_| invalid())?,
            relation,
            bound: if percent { bound / 100.0 } else { bound },
            percent,
        })
    }
}

impl Check {
    /// Whether the number satisfies the relation.
    ///
    /// # Errors
    /// [`AddressError`] if the number cannot be found or compared with the bound.
    pub fn holds(&self, report: &Report<'_>) -> Result<bool, AddressError> {
        let found = self.address.find(report)?;
        if let Cell::Text(text) = found.cell {
            return Err(AddressError::Text { check: self.to_string(), text: text.clone() });
        }
        self.fits_unit(&found)?;
        Ok(found.cell.value().is_some_and(|value| self.relation.holds(value, self.bound)))
    }

    /// Refuses a bound outside 0..=1 for a share, and a percentage for a count.
    fn fits_unit(&self, found: &FoundCell<'_>) -> Result<(), AddressError> {
        let bound = self.bound;
        let meaning = match found.unit {
            Unit::Share if bound > 1.0 && !self.percent => format!(
                "it is a share from 0 to 1, which tables display in percent; write `{bound} %`"
            ),
            Unit::Share if !(0.0..=1.0).contains(&bound) => {
                return Err(AddressError::Range(self.to_string()));
            }
            Unit::Count if self.percent => {
                let number = (bound * 1e8).round() / 1e6;
                format!("it is a count; write `{number}` without %")
            }
            Unit::Share | Unit::Count | Unit::Other => return Ok(()),
        };
        Err(AddressError::Unit { check: self.to_string(), meaning })
    }
}

impl Relation {
    fn holds(self, value: f64, bound: f64) -> bool {
        match self {
            Relation::Less => value < bound,
            Relation::AtMost => value <= bound,
            Relation::Equal => value == bound,
            Relation::AtLeast => value >= bound,
            Relation::More => value > bound,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read() {
        let address: Address = "coverage/games/cat.sb3,mio/mean".parse().unwrap();
        assert_eq!((address.row.as_str(), address.column.as_str()), ("games/cat.sb3,mio", "mean"));
        assert_eq!(address.to_string(), "coverage/games/cat.sb3,mio/mean");
        for bad in ["", "a/b", "a//b", "/a/b"] {
            assert!(bad.parse::<Address>().is_err(), "{bad}");
        }
    }

    #[test]
    fn checks_are_read() {
        let check: Check = "algorithms/mio/mean >= 90 %".parse().unwrap();
        assert_eq!((check.relation, check.bound), (Relation::AtLeast, 0.9));
        assert_eq!(check.address.to_string(), "algorithms/mio/mean");
        let check: Check = "table6/1/significantly_worse=0".parse().unwrap();
        assert_eq!((check.relation, check.bound), (Relation::Equal, 0.0));
        for bad in ["a/b/c", "a/b/c > x", "a > 1", "a/b/c < nan"] {
            assert!(bad.parse::<Check>().is_err(), "{bad}");
        }
    }
}
